package change

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"crscore/internal/limits"
)

// reader reads a diff line by line.
type reader struct {
	rest string // the text from the next line on
	line int    // the number of the next line, counted from 1
	kept int    // lines of hunks that were read
	// hints counts the broken hunks that were looked at for the cause.
	hints int
	// path belongs to bare hunks and to a file header without names.
	path string
	// coloured is set if colours were removed.
	coloured bool
	// recount takes the lines of a hunk as they stand where its header has other numbers.
	recount bool
	message message // what the lines up to the next file belong to
	mail    bool    // whether a mail holds the diff
	// account is called for every run of lines with its kind, so that a test can see that no
	// line is passed over. It may be nil.
	account func(kind string, from, to int)
}

func (r *reader) more() bool { return r.rest != "" }

// peek returns the next line without its end.
func (r *reader) peek() string {
	if i := strings.IndexByte(r.rest, '\n'); i >= 0 {
		return r.rest[:i]
	}
	return r.rest
}

func (r *reader) next() {
	if i := strings.IndexByte(r.rest, '\n'); i >= 0 {
		r.rest = r.rest[i+1:]
	} else {
		r.rest = ""
	}
	r.line++
}

func (r *reader) at(prefix string) bool { return strings.HasPrefix(r.rest, prefix) }

// malformed is the error for a place that cannot be read.
func malformed(line int, format string, args ...any) error {
	return fmt.Errorf("malformed diff: line %d: %s", line, fmt.Sprintf(format, args...))
}

// counts is malformed for a hunk whose header has other numbers of lines.
func counts(line int, format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", ErrCounts, line, fmt.Sprintf(format, args...))
}

// diff is the result of reading a whole diff.
type diff struct {
	files    []File
	skipped  int   // files that were left out
	first    error // why the first was left out
	warnings []string
	unnamed  int    // warnings beyond limits.ChangeWarnings
	unread   unread // the lines before the next one that belong to nothing
	quoted   int    // the line of the first indented or quoted diff
}

func (d *diff) warn(format string, args ...any) {
	if len(d.warnings) == limits.ChangeWarnings {
		d.unnamed++
		return
	}
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// add adds a file, or leaves it out with a warning if it could not be read.
func (d *diff) add(f File, line int, damage error) {
	if n := max(len(f.OldPath), len(f.NewPath)); n > limits.PathBytes {
		damage = malformed(line, "the path of a file has %d bytes, more than the limit of %d", n, limits.PathBytes)
		f.OldPath, f.NewPath = "", ""
	}
	if damage == nil {
		d.files = append(d.files, f)
		return
	}
	if d.skipped++; d.first == nil {
		d.first = damage
	}
	d.warn("%s was left out: %s", cmp.Or(f.Path(), "the file"), strings.TrimPrefix(damage.Error(), "malformed diff: "))
}

// readDiff splits a diff into files and reads each by itself.
func readDiff(r *reader) (*diff, error) {
	d := &diff{}
	named := false // whether there was a line that only a file header has
	for r.more() {
		at := r.line
		switch {
		case r.at("@@@"), r.at("diff --cc "), r.at("diff --combined "):
			_, name, _ := strings.Cut(strings.TrimPrefix(r.peek(), "diff --"), " ")
			if r.at("@@@") {
				name = r.path
			}
			r.next()
			r.skipDamage()
			r.hunks(d, File{NewPath: name}, at, fmt.Errorf("line %d: combined diffs of merges are not supported; "+
				"diff against one parent (git diff A B, git show -m, git stash show -p)", at))
		case r.atMail():
			d.endUnread()
			r.mail = true
			r.skipMessage(d)
			r.tally("message", at)
		case r.at("diff --git "):
			f, damage := r.gitHeader()
			r.hunks(d, f, at, damage)
		case r.atPlainHeader():
			f, damage := r.plainHeader()
			r.hunks(d, f, at, damage)
		case r.at("@@ -"):
			var damage error
			if named || d.skipped+len(d.files) > 0 {
				damage = malformed(at, "a hunk without a file header")
			}
			r.hunks(d, File{OldPath: r.path, NewPath: r.path, Status: Modified}, at, damage)
		default:
			named = named || r.at("+++ ")
			r.outside(d)
		}
	}
	d.endUnread()
	switch {
	case d.first != nil && len(d.files) == 0:
		return nil, d.first
	case len(d.files) == 0:
		return nil, d.notDiff()
	case d.unnamed > 0:
		d.warnings = append(d.warnings, fmt.Sprintf("%d more such places in the diff are not named", d.unnamed))
	}
	return d, nil
}

// hunks reads the hunks of a file and adds the file. It reads a damaged file to its end,
// too, to find the next file.
func (r *reader) hunks(d *diff, f File, at int, damage error) {
	d.endUnread()
	r.message = noMessage
	before := r.kept
	for ; r.at("@@ -"); r.skipBlank() {
		line := r.line
		h, repair, err := r.hunk()
		switch {
		case err != nil:
			r.skipDamage()
		case r.kept > limits.ChangeLines:
			err = fmt.Errorf("line %d: %w: the files up to here have more lines than the limit of %d", line, ErrTooLarge, limits.ChangeLines)
		case f.Status == Added && h.OldLines > 0:
			err = malformed(line, "the file is new, but the hunk has old lines")
		case f.Status == Deleted && h.NewLines > 0:
			err = malformed(line, "the file is deleted, but the hunk has new lines")
		}
		if damage == nil {
			damage = err
		}
		if damage != nil {
			continue
		}
		if repair != "" {
			d.warn("line %d: %s", line, repair)
		}
		f.Hunks = append(f.Hunks, h)
	}
	if damage == nil && !r.more() && f.headerAlone() {
		d.warn("line %d: the diff has nothing of %s but its first line: the file is as it was, or the diff was cut", at, cmp.Or(f.Path(), "the file"))
	}
	kind := "file"
	if damage != nil {
		kind = "damaged file"
		r.kept = before
		f.Hunks = nil
	}
	d.add(f, at, damage)
	r.tally(kind, at)
}

// skipBlank goes over empty lines to a hunk behind them, which people and models put there.
func (r *reader) skipBlank() {
	next := *r
	for next.at("\n") {
		next.next()
	}
	if next.at("@@ -") {
		*r = next
	}
}

// tally accounts for the lines from the line at up to the next one.
func (r *reader) tally(kind string, at int) {
	if r.account != nil {
		r.account(kind, at, r.line)
	}
}

const devNull = "/dev/null"

// atPlainHeader reports whether a file header of diff -u is next: two lines with names, then a
// hunk, or the end of a diff that was cut. Python's difflib leaves the names out where nobody
// gives them.
func (r reader) atPlainHeader() bool {
	for _, sign := range []string{"---", "+++"} {
		if rest, ok := strings.CutPrefix(r.peek(), sign); !ok || rest != "" && rest[0] != ' ' {
			return false
		}
		r.next()
	}
	return !r.more() || r.at("@@") && !r.at("@@@")
}

// plainHeader reads the two lines that diff -u writes before the hunks of a file.
func (r *reader) plainHeader() (File, error) {
	f := File{Status: Modified}
	var names [2]string
	var none [2]bool
	var damage error
	for side := range names {
		line := strings.TrimPrefix(r.peek()[len("---"):], " ")
		name, err := r.path, error(nil)
		if strings.TrimSpace(line) != "" {
			name, err = diffName(line)
		}
		if err != nil && damage == nil {
			damage = malformed(r.line, "%v", err)
		}
		names[side], none[side] = name, name == devNull || atEpoch(line)
		r.next()
	}
	if damage == nil && !r.at("@@ -") {
		damage = noHunks(r.line, r.peek())
	}
	switch from, to := names[Old], names[New]; {
	case none[Old]:
		f.Status, f.NewPath = Added, strings.TrimPrefix(to, "b/")
	case none[New]:
		f.Status, f.OldPath = Deleted, strings.TrimPrefix(from, "a/")
	default:
		if strings.HasPrefix(to, from) {
			to = from // without the end of "file.new" or "file~"
		}
		prefix := "b/"
		if strings.HasPrefix(to, "a/") {
			prefix = "a/"
		}
		f.NewPath = strings.TrimPrefix(to, prefix)
		f.OldPath = f.NewPath
	}
	return f, damage
}

// atEpoch reports whether a name is followed by the time 0, which GNU diff gives
// to a file that does not exist.
func atEpoch(line string) bool {
	_, stamp, ok := strings.Cut(line, "\t")
	if !ok {
		return false
	}
	for _, layout := range []string{"2006-01-02 15:04:05.9 -0700", "2006-01-02 15:04:05.9 -07:00"} {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t.Unix() == 0 && t.Nanosecond() == 0
		}
	}
	return false
}
