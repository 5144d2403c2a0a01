package change

import (
	"cmp"
	"fmt"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// message is the kind of the message that a line outside of files belongs to.
type message int

const (
	noMessage   message = iota
	logMessage          // of git log and git show, whose text is indented
	freeMessage         // of a mail, of Mercurial, or a property of Subversion
)

var (
	logStart  = regexp.MustCompile(`^commit [-<>^]?[0-9a-f]{7,64}\b`)
	freeStart = regexp.MustCompile(`^(?:(?:From|Subject|Date|To|Message-I[dD]|Received|MIME-Version): |# HG changeset patch|` +
		`changeset: |tag \S+$|Property changes on: )`)
	// logLine is a line of such a message: a field, its text, and the numbers of changed lines.
	logLine = regexp.MustCompile(`^(?:[ \t:]|---$|(?:tree|parent|author|committer|encoding|gpgsig|mergetag) |[A-Za-z][A-Za-z-]*:|` +
		`(?:\d+|-)\t(?:\d+|-)\t|log size \d)`)
	// loneLine is a line of a program between files: GNU diff, Subversion, CVS, Perforce,
	// Bazaar and git, which also numbers the changed lines, and the fence of Markdown.
	loneLine = regexp.MustCompile("^(?:diff |Only in |Common subdirectories: |(?:Binary files|Files) .* differ$|File .* is a |" +
		"(?:Files .* are|Symbolic links .*) (?:identical|differ)$|-{72}$|Index: |={4}|=== |_{10}|Cannot display: |svn:|RCS file: |" +
		"retrieving revision |Submodule |  [<>] |\\* Unmerged path |warning: |```|~~~|[0-9a-f]{7,64} |base-commit: |" +
		"prerequisite-patch-id: | *\\d+\\.\\d% |:\\d{6} |(?:\\d+|-)\t(?:\\d+|-)\t| .* \\| +(?:\\d|Bin)| \\d+ files? changed|" +
		" (?:create|delete) mode | mode change | (?:rename|copy|rewrite) .*%\\))")
	// part is the boundary between the parts of a mail.
	part = regexp.MustCompile(`^--[-=_.0-9A-Za-z]{6,}$`)
)

// outside reads a line that no file has. It belongs to a message, is known by itself, or is
// named as unread.
func (r *reader) outside(d *diff) {
	at, line := r.line, r.peek()
	kind := "message"
	switch {
	case strings.TrimSpace(line) == "":
		kind = "blank"
	case logStart.MatchString(line):
		r.message = logMessage
	case r.message == noMessage && freeStart.MatchString(line):
		r.message = freeMessage
	case indented.MatchString(line) && r.message != logMessage:
		kind, r.message = "unread", noMessage
		d.quoted = cmp.Or(d.quoted, at)
		d.unread.add(at, line)
	case r.message == freeMessage, r.atPart(), r.message == logMessage && logLine.MatchString(line), loneLine.MatchString(line):
	case r.atSignature():
		for r.more() && strings.TrimSpace(r.peek()) != "" && !r.atMail() && !r.at("diff ") {
			r.next()
		}
		d.endUnread()
		if r.mail {
			r.message = freeMessage // of the list
		}
		r.tally(kind, at)
		return
	default:
		kind = "unread"
		d.unread.add(at, line)
	}
	if kind == "message" {
		d.endUnread()
	}
	r.next()
	r.tally(kind, at)
}

// atSignature reports whether the signature of a mail begins. Where no mail was seen, a line with
// a sign behind it says that it is a deleted line.
func (r reader) atSignature() bool {
	if strings.TrimRight(r.peek(), " ") != "--" {
		return false
	}
	r.next()
	return r.mail || !r.at("+") && !r.at("-") && !r.at(" ")
}

func (r reader) atPart() bool { return r.mail && part.MatchString(r.peek()) }

// unread is a run of lines that belong to no file and no message.
type unread struct {
	line, lines int // the first line and how many there are, without blank ones
	words       string
}

func (u *unread) add(line int, text string) {
	if u.lines == 0 {
		u.line, u.words = line, firstWords(text)
	}
	u.lines++
}

// endUnread names the lines that were not read.
func (d *diff) endUnread() {
	if u := d.unread; u.lines > 0 {
		what := "1 line was not read, which belongs"
		if u.lines > 1 {
			what = fmt.Sprintf("%d lines were not read, which belong", u.lines)
		}
		d.warn("line %d: %s to no file and no message: %q", u.line, what, u.words)
	}
	d.unread = unread{}
}

// notDiff is the error for a text without a file.
func (d *diff) notDiff() error {
	if d.quoted > 0 {
		return fmt.Errorf("%w; the diff of line %d is indented or quoted: take off what stands before its lines", ErrNotDiff, d.quoted)
	}
	return ErrNotDiff
}

// firstWords is the beginning of a line, to find it again.
func firstWords(line string) string {
	const most = 40
	text := []rune(strings.TrimSpace(line[:min(len(line), 8*most)]))
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}
