package symbolic

import (
	"path"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/internal/syntax"
)

// A text without a grammar and without an outline, or one that they cannot read,
// is compared line by line: what kind of line it is, and which words or values
// changed.

// lineKind is what a line is, with the name in it and what is said of it.
type lineKind struct {
	noun  string // "key", "heading", "comment"
	nouns string // of several; noun with an s where it is empty
	name  string // the key, the heading's text
	value string // the key's value
	rule  string
	text  bool // name is prose, to be quoted, not code
}

var (
	keyValue    = regexp.MustCompile(`^(?:-\s+)?["']?([\w./$@ -]{1,60}?)["']?\s*(?::\s|:$|=>?)\s*(.*?),?$`)
	iniSection  = regexp.MustCompile(`^\[+([^\[\]]+)\]+$`)
	markupTag   = regexp.MustCompile(`^<(/?)([A-Za-z][\w:.-]*)`)
	callLike    = regexp.MustCompile(`^([A-Za-z_$][\w$.]*)\(.*\)?;?$`)
	assignLike  = regexp.MustCompile(`^(?:(?:const|let|var|final|val)\s+)?([A-Za-z_$][\w$.]*)\s*(?::?=)[^=].*$`)
	keywordLike = regexp.MustCompile(`^(?:\}\s*)?(else if|elif|else|if|for|while|switch|catch|return|throw|raise|try)\b`)
	hashLike    = regexp.MustCompile(`^(#|//|--|;|%|<!--|/\*|\*\s|\*/|"""|rem\s)`)
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
	if l == lang.Rust && strings.HasPrefix(s, "#") {
		return lineKind{noun: "attribute", name: s, rule: "attribute"}
	}
	if t := syntax.TableOf(l); t != nil && t.HashDirectives() && strings.HasPrefix(s, "#") {
		return lineKind{noun: "directive", name: s, rule: "directive"}
	}
	if hashLike.MatchString(strings.ToLower(s)) && (l != lang.CSS || !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "--")) {
		return lineKind{noun: "comment", name: commentText(s), rule: "comment", text: true}
	}
	if m := markupTag.FindStringSubmatch(s); m != nil {
		return lineKind{noun: "element", name: "<" + m[2] + ">", rule: "element"}
	}
	if keyed(l) {
		if m := iniSection.FindStringSubmatch(s); m != nil {
			return lineKind{noun: "section", name: m[1], rule: "section"}
		}
		if m := keyValue.FindStringSubmatch(s); m != nil && (l != lang.Unknown || !strings.Contains(m[1], " ")) {
			return lineKind{noun: "key", name: strings.TrimSpace(m[1]), value: strings.Trim(m[2], `"'`), rule: "key"}
		}
		if item, ok := strings.CutPrefix(s, "- "); ok {
			return lineKind{noun: "list item", name: item, rule: "list-item"}
		}
	}
	if !keyed(l) && l != lang.HTML && l != lang.CSS {
		if m := keywordLike.FindStringSubmatch(s); m != nil {
			return lineKind{noun: "`" + m[1] + "` statement", name: s, rule: "line"}
		}
		if m := assignLike.FindStringSubmatch(s); m != nil {
			return lineKind{noun: "assignment of", nouns: "assignments of", name: m[1], rule: "line"}
		}
		if m := callLike.FindStringSubmatch(s); m != nil {
			return lineKind{noun: "call to", nouns: "calls to", name: m[1], rule: "line"}
		}
	}
	if f := strings.Fields(s); len(f) > 4 && strings.Count(s, " ")*8 > len(s) && !strings.ContainsAny(s, "(){};=<>") {
		return lineKind{noun: "text", name: s, rule: "prose", text: true}
	}
	return lineKind{noun: "line", name: s, rule: "line"}
}

func (k lineKind) title() string {
	if k.text {
		return quote(k.name, maxCode)
	}
	return code(k.name)
}

// lineHunk is a run of changed lines between unchanged ones.
type lineHunk struct{ old, new []change.Line }

// lines makes claims from the lines of a hunk.
func (w *writer) lines(hunk int) {
	ls := w.file.Hunks[hunk].Lines
	for len(ls) > 0 {
		n := 0
		for n < len(ls) && ls[n].Op != change.Context {
			n++
		}
		w.lineRun(changedRun(ls[:n]))
		ls = ls[min(n+1, len(ls)):]
	}
}

// changedRun sorts lines by what was done with them. Runs can be as long as a
// diff, so that lines which are in order are not copied.
func changedRun(ls []change.Line) (r lineHunk) {
	k := 0
	for k < len(ls) && ls[k].Op == change.Delete {
		k++
	}
	deleted := k
	for i := range ls[k:] {
		if ls[k+i].Op == change.Delete {
			deleted++
		}
	}
	if deleted == k {
		return lineHunk{old: ls[:k], new: ls[k:]}
	}
	r.old, r.new = make([]change.Line, 0, deleted), make([]change.Line, 0, len(ls)-deleted)
	for _, l := range ls {
		if l.Op == change.Delete {
			r.old = append(r.old, l)
		} else {
			r.new = append(r.new, l)
		}
	}
	return r
}

// lineLang is the language of lines that nothing else reads: in components of Vue
// and Svelte, that of their scripts.
func (w *writer) lineLang() lang.Name {
	switch path.Ext(w.file.Path()) {
	case ".vue", ".svelte":
		return lang.TypeScript
	}
	return w.file.Lang
}

// lineRun pairs the lines of a run and says how they differ.
func (w *writer) lineRun(r lineHunk) {
	if len(w.facts) >= maxFacts {
		return
	}
	squeeze := func(ls []change.Line) string {
		var b strings.Builder
		for _, l := range ls {
			b.WriteString(strings.Join(strings.Fields(l.Text), ""))
		}
		return b.String()
	}
	if len(r.old) > 0 && len(r.new) > 0 && squeeze(r.old) == squeeze(r.new) {
		w.line(r.new[0], wFormat, "formatting-only", "only white space and line breaks were changed")
		return
	}
	r.old, r.new = w.commentRuns(r.old), w.commentRuns(r.new)
	paired := make([]bool, len(r.new))
	kinds := map[int]lineKind{} // of the new lines that were looked at
	kindOf := func(j int) lineKind {
		k, ok := kinds[j]
		if !ok {
			k = classify(w.lineLang(), r.new[j].Text)
			kinds[j] = k
		}
		return k
	}
	for i, o := range r.old {
		if len(w.facts) >= maxFacts {
			return
		}
		if strings.TrimSpace(o.Text) == "" {
			continue
		}
		ko := classify(w.lineLang(), o.Text)
		best, at := 0.5, -1
		mid := 0
		if len(r.old) > 0 {
			mid = i * len(r.new) / len(r.old)
		}
		for j := max(0, mid-treediff.PairWindow); j < min(len(r.new), mid+treediff.PairWindow+1); j++ {
			if paired[j] || strings.TrimSpace(r.new[j].Text) == "" {
				continue
			}
			kn := kindOf(j)
			s := wordLikeness(o.Text, r.new[j].Text)
			if kn.noun == ko.noun && kn.noun == "key" && kn.name == ko.name {
				s = 2
			}
			if kn.noun == ko.noun && len(r.old) == len(r.new) && len(r.old) == 1 {
				s = 1
			}
			if s > best {
				best, at = s, j
			}
		}
		if at < 0 {
			w.oneLine(o, ko, false)
			continue
		}
		paired[at] = true
		w.twoLines(o, r.new[at], ko, kindOf(at))
	}
	for j, n := range r.new {
		if len(w.facts) >= maxFacts {
			return
		}
		if !paired[j] && strings.TrimSpace(n.Text) != "" {
			w.oneLine(n, kindOf(j), true)
		}
	}
}

// commentRuns joins the lines of comments that follow each other. Lines are copied
// only where some are joined.
func (w *writer) commentRuns(ls []change.Line) []change.Line {
	out, own := ls[:0], false
	was := false
	for i, l := range ls {
		is := classify(w.lineLang(), l.Text).noun == "comment"
		if k := len(out) - 1; is && was && len(out[k].Text) < maxComment && commentText(l.Text) != "" {
			if !own {
				out, own = slices.Clone(out), true
			}
			out[k].Text += "\n" + l.Text
			continue
		}
		if own {
			out = append(out, l)
		} else {
			out = ls[:i+1]
		}
		was = is
	}
	return out
}

// maxLineWords bounds how much of a line is compared.
const maxLineWords = 200

func lineWords(s string) []string {
	if len(s) > 8*maxLineWords {
		s = s[:8*maxLineWords]
	}
	return strings.FieldsFunc(s, tree.BetweenWords)
}

// wordLikeness is the Dice coefficient of two lines' words.
func wordLikeness(a, b string) float64 {
	return outline.Dice(lineWords(a), lineWords(b))
}

// line adds a claim about a line.
func (w *writer) line(l change.Line, weight int, rule, what string) *fact {
	f := w.say(tree.Node{}, weight, rule, "", what)
	f.onLine(l)
	return f
}

// onLine says that a fact is about a line, or those of a comment that begins
// there.
func (f *fact) onLine(l change.Line) {
	more := strings.Count(l.Text, "\n")
	f.side, f.first, f.last = change.New, l.NewLine, l.NewLine+more
	if l.Op == change.Delete {
		f.side, f.first, f.last = change.Old, l.OldLine, l.OldLine+more
	}
}

func (w *writer) oneLine(l change.Line, k lineKind, added bool) {
	v := verb(added)
	rule := k.rule + "-" + v
	weight := wValue
	switch {
	case k.noun == "comment":
		before := len(w.facts)
		w.remarked(tree.Node{}, l.Text, place{}, added)
		for _, f := range w.facts[before:] {
			f.onLine(l)
		}
	case k.noun == "key":
		if k.value != "" && added {
			w.line(l, weight, rule, "the "+k.noun+" "+code(k.name)+" was added with the value "+code(k.value))
			return
		}
		f := w.line(l, weight, rule, "the "+k.noun+" "+slot+" was "+v)
		f.many, f.names = "the "+k.noun+"s "+slot+" were "+v, []string{code(k.name)}
	case k.text:
		noun := k.noun
		if noun == "text" {
			w.line(l, weight, rule, "text saying "+k.title()+" was "+v)
			return
		}
		w.line(l, weight, rule, "the "+noun+" "+k.title()+" was "+v).condensed(quote(k.name, maxCode/2), "the "+noun+"s "+slot+" were "+v)
	default:
		if !strings.ContainsFunc(k.name, func(r rune) bool { return r >= 0x80 || tree.WordByte(byte(r)) }) {
			return // brackets
		}
		f := w.line(l, weight, rule, "the "+k.noun+" "+slot+" was "+v)
		nouns := k.nouns
		if nouns == "" {
			nouns = k.noun + "s"
		}
		f.many, f.names = "the "+nouns+" "+slot+" were "+v, []string{code(k.name)}
	}
}

func (w *writer) twoLines(o, n change.Line, ko, kn lineKind) {
	if strings.Join(strings.Fields(o.Text), " ") == strings.Join(strings.Fields(n.Text), " ") {
		w.line(n, wFormat, "indentation", "only the indentation of "+kn.title()+" was changed")
		return
	}
	rule := kn.rule + "-changed"
	switch {
	case ko.noun == kn.noun && kn.noun == "key" && ko.name == kn.name:
		w.line(n, wValue, rule, "the value of the "+kn.noun+" "+code(kn.name)+" was changed from "+code(ko.value)+" to "+code(kn.value))
	case ko.noun == kn.noun && kn.noun == "key" && ko.value == kn.value:
		w.line(n, wValue, kn.rule+"-renamed", "the "+kn.noun+" "+code(ko.name)+" was renamed to "+code(kn.name))
	case ko.noun == kn.noun && ko.name != kn.name && !kn.text && kn.rule != "line" && kn.noun != "element":
		w.line(n, wValue, rule, "the "+kn.noun+" "+code(ko.name)+" was changed to "+code(kn.name))
	default:
		what := "the " + kn.noun
		if kn.nouns != "" {
			what += " " + code(kn.name)
		}
		before := len(w.facts)
		if ko.noun == "comment" && kn.noun == "comment" {
			w.textsOfComment(tree.Node{}, o.Text, n.Text, place{})
		} else {
			w.retell(tree.Node{}, rule, wValue, "", what, strings.TrimSpace(o.Text), strings.TrimSpace(n.Text))
		}
		for _, f := range w.facts[before:] {
			f.onLine(n)
		}
	}
}
