package change

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// hunk reads the hunk that begins at the next line.
func (r *reader) hunk() (Hunk, error) {
	at := r.line
	h, err := hunkHeader(r.peek())
	if err != nil {
		return h, malformed(at, "%v", err)
	}
	r.next()
	n, err := r.measure(&h, at)
	if err != nil {
		return h, err
	}
	keep := r.kept+n <= maxLines
	r.kept += n
	if keep {
		h.Lines = make([]Line, 0, n)
	}
	number := [2]int{h.OldStart, h.NewStart}
	for n > 0 || r.more() && noNewline(r.peek()) {
		line := r.peek()
		r.next()
		if noNewline(line) {
			if k := len(h.Lines); k > 0 {
				h.Lines[k-1].NoEOL = true
			}
			continue
		}
		n--
		if !keep {
			continue
		}
		l := Line{Op: Context}
		if line != "" { // GNU diff can leave the sign of an empty line out
			l.Op, l.Text = Op(line[0]), line[1:]
		}
		if l.on(Old) {
			l.OldLine = number[Old]
			number[Old]++
		}
		if l.on(New) {
			l.NewLine = number[New]
			number[New]++
		}
		h.Lines = append(h.Lines, l)
	}
	return h, nil
}

// measure counts the lines of the hunk whose header, on the line at, was just
// read, and checks them against the header. It does not move the reader.
func (r reader) measure(h *Hunk, at int) (int, error) {
	body := r.rest
	left := [2]int{h.OldLines, h.NewLines}
	n, changed := 0, false
	for left[Old] > 0 || left[New] > 0 {
		line := r.peek()
		switch {
		case !r.more():
			return 0, malformed(at, "the hunk is cut short: %d old and %d new lines are missing at the end of the diff%s", left[Old], left[New], r.hint(body))
		case noNewline(line):
			r.next()
			continue
		case line == "" || line[0] == ' ':
			left[Old]--
			left[New]--
		case line[0] == '-':
			left[Old]--
			changed = true
		case line[0] == '+':
			left[New]--
			changed = true
		default:
			return 0, malformed(r.line, "the hunk of line %d is cut short here: %d old and %d new lines are missing%s", at, max(left[Old], 0), max(left[New], 0), r.hint(body))
		}
		r.next()
		n++
	}
	if left[Old] < 0 || left[New] < 0 {
		return 0, malformed(at, "the hunk has %d old and %d new lines more than its header says%s", -left[Old], -left[New], r.hint(body))
	}
	if !changed {
		return 0, malformed(at, "the hunk changes no line%s", r.hint(body))
	}
	return n, nil
}

// hint returns what to do about a broken hunk if git can have written it so: with
// marks in the lines instead of signs before them.
func (r *reader) hint(body string) string {
	body = body[:min(len(body), 1<<16)]
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
