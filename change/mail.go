package change

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// atMail reports whether a mail begins, as git format-patch and mailboxes have
// it: a "From " line and then header lines.
func (r reader) atMail() bool {
	if !r.at("From ") {
		return false
	}
	r.next()
	name, _, ok := strings.Cut(r.peek(), ":")
	return ok && name != "" && strings.IndexFunc(name, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
}

var (
	coverLetter = regexp.MustCompile(`^Subject: \[[^\]]*\b0+/[0-9]+\]`)
	filesOfStat = regexp.MustCompile(`^ [0-9]+ files? changed`)
)

// skipMessage goes from the first line of a mail to its patch, or to the end of
// the mail if it has none. Lines of the message can look like a diff. The patch
// begins at the first file header behind a line "---" and the numbers of
// changed files, which git format-patch writes before it; only in a mail without
// them it begins at the first file header there is. A cover letter has no patch.
func (r *reader) skipMessage(d *diff) {
	r.next()
	var first *reader // at the first file header
	cover, dashes, stat := false, false, false
	for r.more() && !r.atMail() {
		switch {
		case r.atGitHeader():
			if stat {
				d.warnMessage(first)
				return
			}
			if first == nil {
				here := *r
				first = &here
			}
			dashes, stat = false, false
		case first == nil && r.atPlainHeader():
			here := *r
			first = &here
		case r.at("---"):
			dashes = dashes || strings.TrimSpace(r.peek()) == "---"
		case r.at(" "):
			stat = stat || dashes && filesOfStat.MatchString(r.peek())
		case r.at("Subject: "):
			cover = cover || first == nil && coverLetter.MatchString(r.peek())
		}
		r.next()
	}
	switch {
	case cover:
		d.warnMessage(first)
	case first != nil:
		*r = *first
	}
}

// warnMessage says that what looks like a diff was taken for a message.
func (d *diff) warnMessage(r *reader) {
	if r != nil {
		d.warn("line %d: a diff in the message of a mail was not read", r.line)
	}
}

// atGitHeader reports whether a "diff --git" line comes and then another line
// of a header, as git always writes it.
func (r reader) atGitHeader() bool {
	if !r.at("diff --git ") {
		return false
	}
	r.next()
	field, _ := headerField(r.peek())
	return field != ""
}
