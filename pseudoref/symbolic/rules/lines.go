package rules

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
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

// lineKind is what a line is, with the name in it and what is said of it.
type lineKind struct {
	noun  string // "key", "heading", "comment"
	name  string // the key, the heading's text
	value string // the key's value
	rule  string
}

var (
	keyValue   = regexp.MustCompile(`^(?:-\s+)?["']?([\w./$@ -]{1,60}?)["']?\s*(?::\s|:$|=>?)\s*(.*?),?$`)
	iniSection = regexp.MustCompile(`^\[+(\w[^\[\](),]*)\]+$`) // not a list: `[1, 2]`
	listItem   = regexp.MustCompile(`^- (.*)$`)
	keyword    = regexp.MustCompile(`^(?:else|elif|if|for|while|return|raise|throw|assert|yield|del|import|from)\b`)
	markupTag  = regexp.MustCompile(`^</?([A-Za-z][\w:.-]*)`)
	hashLike   = regexp.MustCompile(`^(?i:#|//|--|;|%[%\s]|<!--|/\*|\*\s|\*/|"""|rem\s)`)
)

// keyed lists the languages whose lines are keys and values.
func keyed(l lang.Name) bool {
	switch l {
	case lang.YAML, lang.TOML, lang.JSON, lang.Unknown:
		return true
	}
	return false
}

// classify says what a line is.
func classify(l lang.Name, line string) lineKind {
	s := strings.TrimSpace(line)
	hash, t := strings.HasPrefix(s, "#"), syntax.TableOf(l)
	switch {
	case hash && (l == lang.Rust || t != nil && t.HashDirectives()):
		return lineKind{noun: "line", name: s, rule: "line"} // an attribute, or for the preprocessor
	case hashLike.MatchString(s) && (l != lang.CSS || !hash && !strings.HasPrefix(s, "--")):
		return lineKind{noun: "comment", name: s, rule: "comment"}
	}
	if m := markupTag.FindStringSubmatch(s); m != nil {
		return lineKind{noun: "element", name: "<" + m[1] + ">", rule: "element"}
	}
	if keyed(l) {
		if m := iniSection.FindStringSubmatch(s); m != nil {
			return lineKind{noun: "section", name: m[1], rule: "section"}
		}
		if m := keyValue.FindStringSubmatch(s); m != nil && (l != lang.Unknown || !strings.Contains(m[1], " ")) {
			return lineKind{noun: "key", name: strings.TrimSpace(m[1]), value: strings.Trim(m[2], `"'`), rule: "key"}
		}
		if m := listItem.FindStringSubmatch(s); m != nil {
			return lineKind{noun: "list item", name: m[1], rule: "list-item"}
		}
	}
	if n := strings.Count(s, " "); n > 3 && n*8 > len(s) && !keyword.MatchString(s) && !strings.ContainsAny(s, "(){};=<>") {
		return lineKind{noun: "text", name: s, rule: "prose"}
	}
	return lineKind{noun: "line", name: s, rule: "line"}
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
	if len(was) > 0 && len(is) > 0 && squeeze(was) == squeeze(is) {
		w.line(is[0], "formatting-only", fact.Slots{}) // a line was broken, or lines were joined
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
			w.oneLine(o, false)
			continue
		}
		paired[at] = true
		w.twoLines(o, now[at])
	}
	for j, n := range now {
		if !paired[j] {
			w.oneLine(n, true)
		}
	}
}

// kindLine is a line, or the lines of a comment, with what it is.
type kindLine struct {
	change.Line
	lineKind
}

// blockEnd is a line that only ends a block: `end`, `});`.
var blockEnd = regexp.MustCompile(`^[^\pL\pN]*(?:(?:end|fi|done|esac|endif)\b[^\pL\pN]*)?$`)

// maxLines bounds the lines of a run that are read.
const maxLines = 4000

// classified says what lines are. Empty ones are left out, and the lines of comments
// that follow each other are joined. What a run has beyond what can be said is not read.
func classified(l lang.Name, ls []change.Line) []kindLine {
	var out []kindLine
	comment := false // the line before
	for _, line := range ls[:min(len(ls), maxLines)] {
		k := kindLine{line, classify(l, line.Text)}
		was := comment
		if comment = k.noun == "comment"; comment && was {
			if last := &out[len(out)-1]; len(last.Text) < texts.MaxComment {
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

// line adds a fact about a line.
func (w *writer) line(l change.Line, id string, s fact.Slots, names ...string) {
	onLine(w.add(tree.Node{}, id, "", s, names...), l)
}

// onLine says that a fact is about a line, or those of a comment that begins
// there.
func onLine(f *fact.Fact, l change.Line) {
	more := strings.Count(l.Text, "\n")
	f.Side, f.First, f.Last = change.New, l.NewLine, l.NewLine+more
	if l.Op == change.Delete {
		f.Side, f.First, f.Last = change.Old, l.OldLine, l.OldLine+more
	}
}

// oneLine says that a line came or went.
func (w *writer) oneLine(l kindLine, added bool) {
	id := l.rule + "-" + fact.Verb(added)
	switch {
	case l.noun == "comment":
		before := len(w.Facts)
		w.remarked(tree.Node{}, l.Text, phrase.Place{}, added)
		for _, f := range w.Facts[before:] {
			onLine(f, l.Line)
		}
	case l.noun == "key" && l.value != "" && added:
		w.line(l.Line, id, fact.Slots{Form: "single", Object: "the key " + phrase.Code(l.name), New: phrase.Code(l.value)})
	case l.noun == "text":
		w.line(l.Line, id, fact.Slots{Form: "line", Detail: phrase.Quote(l.name, phrase.MaxCode)})
	case !blockEnd.MatchString(l.name):
		w.line(l.Line, id, fact.Slots{Object: l.noun}, phrase.Code(l.name))
	}
}

// twoLines says how a line became another.
func (w *writer) twoLines(o, n kindLine) {
	same, before, id := o.noun == n.noun, len(w.Facts), n.rule+"-changed"
	switch {
	case strings.Join(strings.Fields(o.Text), " ") == strings.Join(strings.Fields(n.Text), " "):
		w.add(tree.Node{}, "indentation", "", fact.Slots{Object: phrase.Code(n.name)})
	case same && n.noun == "comment":
		w.textsOfComment(tree.Node{}, o.Text, n.Text, phrase.Place{})
	case same && n.noun == "key" && o.name == n.name:
		object := "the value of the key " + phrase.Code(n.name)
		w.add(tree.Node{}, id, "", fact.Slots{Object: object, Old: phrase.Code(o.value), New: phrase.Code(n.value)})
	case same && o.name != n.name && n.rule != "prose" && n.rule != "line" && n.noun != "element":
		w.add(tree.Node{}, id, "", fact.Slots{Form: "exchanged", Object: "the " + n.noun + " " + phrase.Code(o.name), New: phrase.Code(n.name)})
	default:
		w.retell(tree.Node{}, id, "", "the "+n.noun, strings.TrimSpace(o.Text), strings.TrimSpace(n.Text))
	}
	for _, f := range w.Facts[before:] {
		onLine(f, n.Line)
		if !same {
			f.Weight = fact.Value // a comment that was code
		}
	}
}

func lineRules() []fact.Rule {
	return slices.Concat(fact.Listed("line"), fact.Listed("section"), []fact.Rule{
		fact.Claim("indentation", fact.Format, "only the indentation of {object} was changed"),
	})
}
