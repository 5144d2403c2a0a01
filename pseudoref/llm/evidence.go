package llm

import (
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// evidence holds the words of a change: the words in the change or its files, and their
// numbers on added and on removed lines.
type evidence struct {
	words          map[string]bool // in lower case, of the change and its files
	text           string          // of the change and its files, squeezed and in lower case
	added, removed side
	unread         bool     // whole files were too large to look for names in
	lines          []string // changed and context lines, as plain words
	stops          bool     // the claims about the change end in full stops
}

// side holds the changed lines of one sign.
type side struct {
	words map[string]int
	text  strings.Builder // squeezed, one line of code on each line
	lines int
}

var word = regexp.MustCompile(`[\p{L}_$][\p{L}\p{N}_$]*|\p{N}+`)

var lastWord = regexp.MustCompile(`[\p{L}\p{N}_$]+$`)

func gather(ch *change.Change) *evidence {
	ev := &evidence{words: make(map[string]bool)}
	ev.added.words, ev.removed.words = make(map[string]int), make(map[string]int)
	var text strings.Builder
	see := func(s string) {
		for _, w := range word.FindAllString(s, -1) {
			w = strings.ToLower(w)
			ev.words[w], ev.words[plain(w)] = true, true
		}
		text.WriteString(strings.ToLower(squeeze(s)))
		text.WriteByte('\n')
	}
	left := limits.ChangeWhole
	for i := range ch.Files {
		f := &ch.Files[i]
		see(f.OldPath)
		see(f.NewPath)
		for _, s := range []change.Side{change.Old, change.New} {
			whole, ok := f.Whole(s)
			switch {
			case ok && len(whole) > left:
				ev.unread = true
			case ok:
				left -= len(whole)
				see(whole)
			}
		}
		for j := range f.Hunks {
			h := &f.Hunks[j]
			see(h.Section)
			for k := range h.Lines {
				l := &h.Lines[k]
				see(l.Text)
				ev.lines = append(ev.lines, plainWords(l.Text))
				switch l.Op {
				case change.Add:
					ev.added.see(l.Text)
				case change.Delete:
					ev.removed.see(l.Text)
				}
			}
		}
	}
	ev.text = text.String()
	return ev
}

func (s *side) see(line string) {
	s.lines++
	for _, w := range word.FindAllString(line, -1) {
		s.words[w]++
	}
	s.text.WriteString(squeeze(line) + "\n")
}

// count returns the number of times that a name occurs on the lines of the sign.
func (s *side) count(name string) int {
	if word.FindString(name) == name {
		return s.words[name]
	}
	return strings.Count(s.text.String(), squeeze(name))
}

// squeeze removes the differences between two spellings of one piece of code: spaces and
// the kind of the quotes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\r', '\u00a0':
			return -1
		case '\'', '`', '“', '”', '‘', '’':
			return '"'
		}
		return r
	}, s)
}

// knows reports whether a name or value occurs in the change or its files, exactly or with
// all its words.
func (ev *evidence) knows(name string) bool {
	if ev.unread || strings.Contains(ev.text, strings.ToLower(squeeze(name))) {
		return true
	}
	if start, _, short := strings.Cut(name, "…"); short {
		// A shortened text ends in the middle of a word.
		name = start[:len(start)-len(lastWord.FindString(start))]
	}
	found := word.FindAllString(name, -1)
	for _, w := range found {
		if w = strings.ToLower(w); !ev.words[w] && !ev.words[plain(w)] && !literals[w] && !(common[w] && len(found) > 1) {
			return false
		}
	}
	return true
}

// plain removes the differences that people allow between a name and its spelling in code:
// underscores, and the s of the plural.
func plain(w string) string {
	return strings.TrimSuffix(strings.ReplaceAll(w, "_", ""), "s")
}

// plainWords are the words of a text in lower case with single spaces around.
func plainWords(s string) string {
	return " " + strings.ToLower(strings.Join(word.FindAllString(s, -1), " ")) + " "
}
