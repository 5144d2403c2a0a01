package change

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// hunk reads the hunk that begins at the next line. repair says what about it was mended.
func (r *reader) hunk() (h Hunk, repair string, err error) {
	at := r.line
	h, err = hunkHeader(r.peek())
	r.next()
	if err != nil {
		return h, "", malformed(at, "%v", err)
	}
	n, blank, err := r.measure(&h, at)
	if err != nil && r.recount && errors.Is(err, ErrCounts) {
		was := [2]int{h.OldLines, h.NewLines}
		run := r.run()
		n, blank, h.OldLines, h.NewLines = run.lines, 0, run.sides[Old], run.sides[New]
		repair = fmt.Sprintf("the hunk has %d old and %d new lines, and its header says %d and %d; they were taken as they stand", h.OldLines, h.NewLines, was[Old], was[New])
		if err = nil; !run.changed {
			err = malformed(at, "the hunk changes no line")
		}
	}
	if err != nil {
		if r.hints++; r.hints <= limits.ChangeWarnings {
			err = fmt.Errorf("%w%s", err, r.hint())
		}
		return h, "", err
	}
	if blank > 0 {
		repair = fmt.Sprintf("context lines that the hunk lacks at its end were taken for blank lines: %d", blank)
	}
	keep := r.kept+n+blank <= limits.ChangeLines
	r.kept += n + blank
	if keep {
		h.Lines = make([]Line, 0, n+blank)
	}
	number := [2]int{h.OldStart, h.NewStart}
	for n > 0 || r.more() && noNewline(r.peek()) {
		line := r.peek()
		if noNewline(line) {
			if k := len(h.Lines); k > 0 {
				h.Lines[k-1].NoEOL = true
			}
		} else if n--; keep {
			h.add(line, &number)
		}
		r.next()
	}
	for range blank {
		if keep {
			h.add("", &number)
		}
	}
	return h, repair, nil
}

// opOf is the sign of a hunk's line, 0 for a line without one. GNU diff can leave the sign of an
// empty line out.
func opOf(line string) Op {
	switch {
	case line == "":
		return Context
	case strings.IndexByte(" +-", line[0]) < 0:
		return 0
	}
	return Op(line[0])
}

// add adds a line. number are the next numbers of the two sides.
func (h *Hunk) add(line string, number *[2]int) {
	l := Line{Op: opOf(line), Text: line[min(1, len(line)):]}
	for side, own := range [2]*int{&l.OldLine, &l.NewLine} {
		if l.on(Side(side)) {
			*own = number[side]
			number[side]++
		}
	}
	h.Lines = append(h.Lines, l)
}

// strippedLines is the number of blank context lines that may be missing at the end of a diff:
// git writes three lines of context, and programs strip the white space around a text.
const strippedLines = 3

// measure counts the lines of the hunk whose header, on the line at, was just
// read, and checks them against the header. blank is the number of blank lines that were
// stripped from its end. It does not move the reader.
func (r reader) measure(h *Hunk, at int) (n, blank int, err error) {
	left := [2]int{h.OldLines, h.NewLines}
	changed := false
	for left[Old] > 0 || left[New] > 0 {
		line := r.peek()
		switch {
		case r.more() && noNewline(line):
			r.next()
			continue
		case left[Old] == left[New] && changed && r.stripped(left[Old]):
			return n, left[Old], nil
		case !r.more():
			return 0, 0, counts(at, "the hunk is cut short: %d old and %d new lines are missing at the end of the diff", max(left[Old], 0), max(left[New], 0))
		case opOf(line) == 0:
			return 0, 0, counts(r.line, "the hunk of line %d is cut short here: %d old and %d new lines are missing", at, max(left[Old], 0), max(left[New], 0))
		}
		changed = take(line, -1, &left) || changed
		r.next()
		n++
	}
	if left[Old] < 0 || left[New] < 0 {
		return 0, 0, counts(at, "the hunk has %d old and %d new lines more than its header says", -left[Old], -left[New])
	}
	for r.more() && noNewline(r.peek()) {
		r.next()
	}
	if more := r.run(); more.changed || more.lines > 0 && !r.atBlank() {
		return 0, 0, counts(r.line, "the hunk of line %d is longer than its header says; surplus lines from here on: %d", at, more.lines)
	}
	if !changed {
		return 0, 0, malformed(at, "the hunk changes no line")
	}
	return n, 0, nil
}

// stripped reports whether the lines that a hunk lacks can have been blank lines at the end of
// the diff, or of a file's diff.
func (r reader) stripped(missing int) bool {
	if !r.more() {
		return missing <= strippedLines
	}
	return missing == 1 && (r.at("@@ -") || r.atPlainHeader() || r.mail && r.atSignature() || r.atMessage())
}

// atMessage reports whether a line without a sign is known to stand outside of hunks.
func (r reader) atMessage() bool {
	line := r.peek()
	return line != "" && strings.IndexByte(" +-", line[0]) < 0 && (loneLine.MatchString(line) || logStart.MatchString(line) || r.atMail())
}

func (r reader) atBlank() bool { return strings.TrimSpace(r.peek()) == "" }

// run counts the lines behind the header of a hunk.
type run struct {
	lines   int    // up to the last one that is not blank
	sides   [2]int // how many of them each side has
	changed bool   // whether one has the sign of a change
}

// run counts the lines that can belong to a hunk: up to the next header, the end of a patch or
// a line without a sign.
func (r reader) run() run {
	var now, out run
	for ; r.more(); r.next() {
		line := r.peek()
		switch {
		case noNewline(line):
			continue
		case opOf(line) == 0, r.atPlainHeader(), r.atSignature(), r.atPart(), line == "---", line == svnRule, now.indentedDiff(line):
			return out
		}
		now.changed = take(line, 1, &now.sides) || now.changed
		if now.lines++; strings.TrimSpace(line) != "" {
			out = now
		}
	}
	return out
}

// take adds a line to the numbers of lines of the two sides, and reports whether it is changed.
func take(line string, n int, sides *[2]int) bool {
	op := opOf(line)
	if op != Add {
		sides[Old] += n
	}
	if op != Delete {
		sides[New] += n
	}
	return op != Context
}

// indentedDiff reports whether a line begins an indented diff. Behind one space it can be
// context, but not as the first line.
func (now *run) indentedDiff(line string) bool {
	m := indented.FindStringSubmatch(line)
	return m != nil && (len(m[1]) > 1 || now.lines == 0)
}

// indented is the beginning of a diff that somebody has indented or quoted. Its lines are no
// context of the hunk before it.
var indented = regexp.MustCompile(`^([ \t>|]+)(?:diff --git |--- a/|@@ -\d)`)

// svnRule separates the revisions of svn log.
var svnRule = strings.Repeat("-", 72)

// skipDamage goes behind what cannot be read: to the next header or message.
func (r *reader) skipDamage() {
	for r.more() && !r.at("@@ -") && !r.at("diff --") && !r.atPlainHeader() && !r.atMail() && !logStart.MatchString(r.peek()) {
		r.next()
	}
}

// hint returns what to do about a broken hunk if git can have written it so: with
// marks in the lines instead of signs before them.
func (r *reader) hint() string {
	body := r.rest[:min(len(r.rest), 1<<16)]
	marks := r.coloured || strings.Contains(body, "\n~\n")
	for _, m := range [][2]string{{"{+", "+}"}, {"[-", "-]"}} {
		marks = marks || strings.Contains(body, m[0]) && strings.Contains(body, m[1])
	}
	if !marks {
		return ""
	}
	return "; if git wrote the diff with --word-diff or --color-words, leave that out"
}

// noNewline reports whether a line is git's "\ No newline at end of file", in
// whatever language; git promises twelve bytes with the line end.
func noNewline(line string) bool { return len(line) >= 11 && strings.HasPrefix(line, `\ `) }

// hunkHeader reads "@@ -1,2 +3,4 @@ section".
func hunkHeader(line string) (h Hunk, err error) {
	ranges, section, ok := strings.Cut(line[len("@@ -"):], " @@")
	before, after, ok2 := strings.Cut(ranges, " +")
	if !ok || !ok2 {
		return h, fmt.Errorf("the hunk header is not of the form @@ -1,2 +3,4 @@")
	}
	if h.OldStart, h.OldLines, err = hunkRange(before); err != nil {
		return h, err
	}
	if h.NewStart, h.NewLines, err = hunkRange(after); err != nil {
		return h, err
	}
	h.Section = strings.TrimSpace(section)
	return h, nil
}

// hunkRange reads "1,2", or "1" for one line.
func hunkRange(s string) (start, lines int, err error) {
	first, count, ok := strings.Cut(s, ",")
	if !ok {
		count = "1"
	}
	from, err := strconv.ParseUint(first, 10, 31)
	if err == nil {
		var n uint64
		if n, err = strconv.ParseUint(count, 10, 31); err == nil && from+n > math.MaxInt32 {
			err = strconv.ErrRange
		}
		lines = int(n)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("the hunk header has %.40q where line numbers such as 1,2 belong", s)
	}
	return int(from), lines, nil
}
