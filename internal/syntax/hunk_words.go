package syntax

import (
	"slices"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// wordBlocks says by which words a language opens and closes its blocks, for
// those that have words in the place of braces.
type wordBlocks struct {
	// opens are the patterns of what opens a block, with the word that closes it.
	// Where several meet at one place, the first one counts.
	opens []blockWord
	// closes matches what closes one, and middles what stands in the middle of
	// one. Their only group that matches is the word.
	closes, middles *regexp.Regexp
	// closed and split hold, for those words, a line that opens such a block.
	closed, split map[string]string
	// declares matches what stands at the same depth as functions do.
	declares *regexp.Regexp
}

type blockWord struct {
	pattern *regexp.Regexp
	closer  string
}

// wordScan is what is known of the blocks of a text.
type wordScan struct {
	levels []string // lines that would open what the text closes, the innermost first
	open   []string // the words that close what it leaves open, the outermost first
	// ending tells that the last of the levels is closed where declarations
	// follow, so that it is one itself.
	ending bool
}

// scan finds the blocks that a text closes without having opened them, and
// those that it opens without closing them.
func (w *wordBlocks) scan(text string) wordScan {
	var s wordScan
	cur, after := "", false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(literals.ReplaceAllString(line, `""`))
		if line == "" || line[0] == '#' {
			continue
		}
		if after {
			s.ending, after = w.declares.MatchString(line), false
		}
		type mark struct {
			at, end int
			kind    int // 0 opens, 1 closes, 2 in the middle
			word    string
		}
		var marks []mark
		for _, o := range w.opens {
			for _, m := range o.pattern.FindAllStringIndex(line, -1) {
				if !slices.ContainsFunc(marks, func(k mark) bool { return m[0] < k.end && k.at < m[1] }) {
					marks = append(marks, mark{m[0], m[1], 0, o.closer})
				}
			}
		}
		for _, m := range w.closes.FindAllStringSubmatchIndex(line, -1) {
			marks = append(marks, mark{m[2], m[3], 1, line[m[2]:m[3]]})
		}
		if m := w.middles.FindStringSubmatchIndex(line); m != nil {
			if m[2] < 0 {
				m = m[2:]
			}
			marks = append(marks, mark{m[2], m[3], 2, line[m[2]:m[3]]})
		}
		slices.SortStableFunc(marks, func(a, b mark) int { return a.at - b.at })
		for _, m := range marks {
			switch {
			case m.kind == 0 && m.word == "": // all of it is here
			case m.kind == 0:
				s.open = append(s.open, m.word)
			case len(s.open) > 0 && m.kind == 1:
				s.open = s.open[:len(s.open)-1]
			case len(s.open) > 0 || len(s.levels) >= limits.HunkBlocks:
			case m.kind == 1:
				if cur == "" {
					cur = w.closed[m.word]
				}
				s.levels, cur = append(s.levels, cur), ""
				s.ending, after = false, true
			case cur == "":
				cur = w.split[m.word]
			}
		}
	}
	if cur != "" && len(s.levels) < limits.HunkBlocks {
		s.levels, s.ending = append(s.levels, cur), false
	}
	return s
}

// literals matches the texts of a line, in which words open nothing.
var literals = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// frames lists the frames of a hunk, the most probable one first.
func (w *wordBlocks) frames(t *Table, section string, texts [2]string) []frame {
	var levels []string
	ending := false
	for _, side := range []change.Side{change.New, change.Old} {
		if s := w.scan(texts[side]); len(s.levels) > len(levels) {
			levels, ending = s.levels, s.ending
		}
	}
	var down string
	for _, text := range texts {
		if d, _, _ := balance(t, text); len(d) > len(down) {
			down = d
		}
	}
	var brackets strings.Builder
	for i := len(down) - 1; i >= 0; i-- {
		brackets.WriteString(t.opener(down[i]))
	}
	var out []frame
	add := func(heading string, levels []string) {
		fr := frame{}
		if heading != "" {
			fr.before = heading + "\n"
			if !callLike.MatchString(heading) {
				fr.heading = len(fr.before)
			}
		}
		for _, l := range slices.Backward(levels) {
			fr.before += l + "\n"
		}
		if brackets.Len() > 0 {
			fr.before += brackets.String() + "\n"
		}
		for side, text := range texts {
			_, up, _ := balance(t, fr.before+text)
			fr.after[side] = t.closers(up, -1, "")
			open := w.scan(fr.before + text).open
			for i := len(open) - 1; i >= max(0, len(open)-limits.HunkBlocks); i-- {
				fr.after[side] += "\n" + open[i]
			}
		}
		if !slices.ContainsFunc(out, func(o frame) bool { return o.before == fr.before }) {
			out = append(out, fr)
		}
	}
	if s := w.scan(section); section != "" && len(s.open) > 0 && len(s.levels) == 0 {
		if len(levels) > 0 && ending {
			add(section, levels[:len(levels)-1]) // the hunk closes what the heading opens
		}
		add(section, levels)
	}
	add("", levels)
	add("", nil)
	for _, f := range t.frames {
		add("", append(slices.Clone(levels), f))
	}
	return out
}
