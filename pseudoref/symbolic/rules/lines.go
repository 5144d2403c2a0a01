package rules

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// A text without a grammar and without an outline, or one that they cannot read,
// is compared line by line: what kind of line it is, and which words or values
// changed.

// changedLine is a line, or the lines of a comment, with what it is and what is said of it.
type changedLine struct {
	change.Line
	noun  string // "key", "list item"; its rules begin with the same words
	name  string // the key, the name of the section, or all of the line
	value string // of a key
}

var (
	keyValue   = regexp.MustCompile(`^(?:-\s+)?["']?([\w./$@-]{1,60}?)["']?\s*(?::\s|:$|=>?)\s*(.*?),?$`)
	iniSection = regexp.MustCompile(`^\[+(\w[^\[\](),]*)\]+$`) // not a list: `[1, 2]`
	keyword    = regexp.MustCompile(`^(?:else|elif|if|for|while|return|raise|throw|assert|yield|del|import|from)\b`)
	markupTag  = regexp.MustCompile(`^</?([A-Za-z][\w:.-]*)`)
	hashLike   = regexp.MustCompile(`^(?i:#|//|--|;|%[%\s]|<!--|/\*|\*\s|\*/|"""|rem\s)`)
)

// classify says what a line is. Only in a file of no known language is `a: b` a key with its value.
func classify(l lang.Name, line change.Line) changedLine {
	s := strings.TrimSpace(line.Text)
	hash, t, words := strings.HasPrefix(s, "#"), syntax.TableOf(l), strings.Count(s, " ")
	directive := hash && (l == lang.Rust || t != nil && t.HashDirectives()) // an attribute, or for the preprocessor
	is := func(noun, name string) changedLine { return changedLine{Line: line, noun: noun, name: name} }
	if !directive && hashLike.MatchString(s) && (l != lang.CSS || !hash && !strings.HasPrefix(s, "--")) {
		return is("comment", s)
	}
	if m := markupTag.FindStringSubmatch(s); m != nil {
		return is("element", "<"+m[1]+">")
	}
	if l == lang.Unknown && !directive {
		if m := iniSection.FindStringSubmatch(s); m != nil {
			return is("section", m[1])
		}
		if m := keyValue.FindStringSubmatch(s); m != nil {
			return changedLine{line, "key", m[1], strings.Trim(m[2], `"'`)}
		}
		if item, ok := strings.CutPrefix(s, "- "); ok {
			return is("list item", item)
		}
	}
	if words > 3 && words*8 > len(s) && !directive && !keyword.MatchString(s) && !strings.ContainsAny(s, "(){};=<>") {
		return is("text", s)
	}
	return is("line", s)
}

// rule is the beginning of the IDs of the rules that tell of the line.
func (l changedLine) rule() string {
	return phrase.Either(l.noun == "text", "prose", strings.ReplaceAll(l.noun, " ", "-"))
}

// lines makes claims from the lines of a hunk.
func (w *writer) lines(hunk int) {
	ls := w.file.Hunks[hunk].Lines
	var old, now []change.Line // of a run of changed lines
	for i := 0; i <= len(ls); i++ {
		switch {
		case i == len(ls) || ls[i].Op == change.Context:
			w.lineRun(old, now)
			old, now = nil, nil
		case ls[i].Op == change.Delete:
			old = append(old, ls[i])
		default:
			now = append(now, ls[i])
		}
	}
}

// lineRun pairs the lines of a run and says how they differ. A line is paired with the one
// that is most like it among those about as far down; keys go by their names.
func (w *writer) lineRun(was, is []change.Line) {
	squeeze := func(ls []change.Line) string {
		var b strings.Builder
		for _, l := range ls {
			b.WriteString(strings.Join(strings.Fields(l.Text), ""))
		}
		return b.String()
	}
	if len(was) > 0 && len(is) > 0 && squeeze(was) == squeeze(is) { // a line was broken, or lines were joined
		w.Add("formatting-only", "", fact.Lines{Side: change.New, First: is[0].NewLine, Last: is[0].NewLine}, fact.Slots{})
		return
	}
	old, now := classified(w.file.Lang, was), classified(w.file.Lang, is)
	paired := make([]bool, len(now))
	for i, o := range old {
		best, at := 0.5, -1            // lines that share less are different ones
		mid := i * len(now) / len(old) // where it would be if all lines stretched alike
		for j := max(0, mid-treediff.PairWindow); j < min(len(now), mid+treediff.PairWindow+1); j++ {
			if n := now[j]; !paired[j] {
				s := texts.Likeness(o.Text, n.Text)
				switch {
				case n.noun != o.noun:
				case n.noun == "key" && n.name == o.name:
					s = 2 // whatever its value is
				case len(old) == 1 && len(now) == 1:
					s = 1
				}
				if s > best {
					best, at = s, j
				}
			}
		}
		if at < 0 {
			w.tell(&o, nil)
			continue
		}
		paired[at] = true
		w.tell(&o, &now[at])
	}
	for j := range now {
		if !paired[j] {
			w.tell(nil, &now[j])
		}
	}
}

// blockEnd is a line that only ends a block: `end`, `});`.
var blockEnd = regexp.MustCompile(`^[^\pL\pN]*(?:(?:end|fi|done|esac|endif)\b[^\pL\pN]*)?$`)

// classified says what lines are. Empty ones are left out, and the lines of comments
// that follow each other are joined. What a run has beyond what can be said is not read.
func classified(l lang.Name, ls []change.Line) []changedLine {
	var out []changedLine
	comment := false // the line before
	for _, line := range ls[:min(len(ls), limits.RunLines)] {
		k := classify(l, line)
		was := comment
		if comment = k.noun == "comment"; comment && was {
			if last := &out[len(out)-1]; len(last.Text) < limits.CodeCommentBytes {
				last.Text += "\n" + k.Text
				continue
			}
		}
		if strings.TrimSpace(k.Text) != "" {
			out = append(out, k)
		}
	}
	return out
}

// tell says that a line came or went, or how it became another one.
func (w *writer) tell(o, n *changedLine) {
	l, before := phrase.Either(n != nil, n, o), len(w.Facts)
	if o != nil && n != nil {
		w.twoLines(o, n)
	} else {
		w.oneLine(l, n != nil)
	}
	at, more := fact.Lines{Side: change.New, First: l.NewLine}, strings.Count(l.Text, "\n")
	if l.Op == change.Delete {
		at = fact.Lines{Side: change.Old, First: l.OldLine}
	}
	at.Last = at.First + more // a comment may have several lines
	for _, f := range w.Facts[before:] {
		f.Lines = at
	}
}

// oneLine says that a line came or went.
func (w *writer) oneLine(l *changedLine, added bool) {
	id := l.rule() + "-" + fact.Verb(added)
	switch {
	case l.noun == "comment":
		w.remarked(tree.Node{}, l.Text, phrase.Place{}, added)
	case l.noun == "key" && l.value != "" && added:
		w.add(tree.Node{}, id, "", fact.Slots{Form: "single", Object: "the key " + phrase.Code(l.name), New: phrase.Code(l.value)})
	case l.noun == "text":
		w.add(tree.Node{}, id, "", fact.Slots{Form: "line", Detail: phrase.Quote(l.name, phrase.CodeRunes)})
	case !blockEnd.MatchString(l.name):
		w.add(tree.Node{}, id, "", fact.Slots{Object: l.noun}, phrase.Code(l.name))
	}
}

// twoLines says how a line became another.
func (w *writer) twoLines(o, n *changedLine) {
	if o.noun != n.noun && n.noun != "text" {
		n.noun = "line" // as where code became a comment
	}
	id := n.rule() + "-changed"
	switch {
	case strings.Join(strings.Fields(o.Text), " ") == strings.Join(strings.Fields(n.Text), " "):
		w.add(tree.Node{}, "indentation", "", fact.Slots{Object: phrase.Code(n.name)})
	case n.noun == "comment":
		w.textsOfComment(tree.Node{}, o.Text, n.Text, phrase.Place{})
	case n.noun == "key" && o.name == n.name:
		object := "the value of the key " + phrase.Code(n.name)
		w.add(tree.Node{}, id, "", fact.Slots{Object: object, Old: phrase.Code(o.value), New: phrase.Code(n.value)})
	case slices.Contains([]string{"key", "section", "list item"}, n.noun) && o.name != n.name:
		w.add(tree.Node{}, id, "", fact.Slots{Form: "exchanged", Object: "the " + n.noun + " " + phrase.Code(o.name), New: phrase.Code(n.name)})
	default:
		w.retell(tree.Node{}, id, "", "the "+n.noun, strings.TrimSpace(o.Text), strings.TrimSpace(n.Text))
	}
}

func lineRules() []fact.Rule {
	return slices.Concat(fact.Listed("line"), fact.Listed("section"), []fact.Rule{
		fact.Claim("indentation", fact.Format, "only the indentation of {object} was changed"),
	})
}
