package symbolic

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// comments joins the comments that follow n directly and marks them as said.
func (w *writer) comments(n item) string {
	text := n.text()
	last := n
	for k := n.next(); k.is(syntax.Comment) && w.fresh[k] && len(text) < maxComment; k = k.next() {
		_, end := last.rows()
		if start, _ := k.rows(); start != end+1 {
			break
		}
		w.done[k] = true
		text += "\n" + k.text()
		last = k
	}
	return text
}

func (w *writer) comment(n item, at place, added bool) {
	if rest, ok := strings.CutPrefix(n.text(), "#!"); ok && added && strings.HasPrefix(strings.TrimSpace(rest), "/") {
		w.say(n, wText, "interpreter-added", "", "the script is run by "+code(strings.TrimSpace(rest)))
		return
	}
	if added && w.documentsNew(n) {
		return
	}
	text := commentText(w.comments(n))
	if text == "" {
		return
	}
	v := verb(added)
	for _, begin := range slices.Sorted(maps.Keys(n.traits().Marks)) {
		if strings.HasPrefix(n.text(), begin) {
			w.say(n, wBehaviour, "mark-"+v, at.String(), an(n.traits().Marks[begin])+" was "+v+": "+code(strings.TrimSpace(strings.TrimLeft(oneLine(n.text()), "/* "))))
			return
		}
	}
	what := "a comment"
	upper := strings.ToUpper(text)
	switch {
	case strings.Contains(upper, "COPYRIGHT") && besideOld(w, n):
		what = "a copyright line"
	case strings.Contains(upper, "COPYRIGHT") || strings.Contains(upper, "LICENSED UNDER"):
		what = "a licence header"
	case strings.HasPrefix(n.text(), "/**") || strings.HasPrefix(n.text(), "///"):
		what = "documentation"
	case strings.Contains(upper, "TODO") || strings.Contains(upper, "FIXME"):
		what = "a TODO comment"
	case looksLikeCode(text):
		what = "commented-out code"
	}
	rule := "comment-" + v
	where := at.String()
	if what == "commented-out code" {
		w.say(n, wText, rule, where, what+" was "+v)
		return
	}
	w.say(n, wText, rule, where, what+" saying "+quote(text, maxProse)+" was "+v)
}

// besideOld tells whether a comment stands beside one that was there before.
func besideOld(w *writer, n item) bool {
	return n.prev().is(syntax.Comment) && !w.fresh[n.prev()] || n.next().is(syntax.Comment) && !w.fresh[n.next()]
}

// looksLikeCode tells whether a comment is code that was switched off.
func looksLikeCode(s string) bool {
	s = strings.TrimSpace(s)
	if f := strings.Fields(s); len(f) > 12 {
		return false
	}
	return strings.HasSuffix(s, ";") || strings.HasSuffix(s, "{") || strings.HasSuffix(s, "}") ||
		strings.HasSuffix(s, ")") && strings.Contains(s, "(") && strings.Count(s, " ") < 3 || strings.Contains(s, " = ") && strings.Count(s, " ") < 5
}

func (w *writer) docstring(n item, at place, added bool) {
	w.say(n, wText, "docs-"+verb(added), at.String(), "the docstring "+quote(unquoted(n.text()), maxProse)+" was "+verb(added))
}

func (w *writer) commentChanged(a, b item, at place) {
	if strings.HasPrefix(b.text(), "#!") && strings.HasPrefix(a.text(), "#!") {
		w.say(b, wBehaviour, "interpreter-changed", "", "the script is now run by "+code(strings.TrimSpace(b.text()[2:]))+" instead of "+code(strings.TrimSpace(a.text()[2:])))
		return
	}
	what := "the comment"
	if strings.HasPrefix(b.text(), "/**") || strings.HasPrefix(b.text(), "///") {
		what = "the documentation"
	}
	k := b.next()
	for k.ok() && (!k.named() || k.is(syntax.Comment)) {
		k = k.next()
	}
	if d := unnested(k); at.fn == "" && d.is(syntax.Function, syntax.Constructor, syntax.Class, syntax.Interface, syntax.Enum, syntax.Field, syntax.EnumMember, syntax.TypeAlias) && nameOf(d) != "" {
		start, _ := k.rows()
		if _, end := b.rows(); start-end <= 8 {
			what += " of " + code(nameOf(d))
		}
	}
	from, to := commentText(a.text()), commentText(b.text())
	if from == to && a.hash() != b.hash() {
		w.say(b, wFormat, "comment-markup", at.String(), "the markup of "+what+" was changed")
		return
	}
	w.textChanged(b, "comment-changed", wText, at.String(), what, from, to)
}

// textChanged says which words of a text were replaced.
func (w *writer) textChanged(n item, rule string, weight int, where, what, from, to string) {
	x, y := textWords(from), textWords(to)
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	j, k := len(x), len(y)
	for j > i && k > i && x[j-1] == y[k-1] {
		j, k = j-1, k-1
	}
	limit := maxCode
	if weight == wText {
		limit = maxProse
	}
	gone, come := textOf(x[i:j]), textOf(y[i:k])
	if g, c := strings.TrimLeft(gone, ".,;:!? "), strings.TrimLeft(come, ".,;:!? "); g != "" || c != "" {
		gone, come = g, c
	}
	if max(len(gone), len(come)) < maxCode/2 {
		// A few words say little without those around them.
		words, at, end := y, i, k
		if gone != "" && come != "" {
			words, at, end = x, i, j
		}
		if a := wordsAround(words, at, end, limit); len(a) > max(len(gone), len(come))+8 {
			what += " with " + quote(a, limit)
		}
	}
	switch {
	case gone == "" && come == "":
		w.say(n, weight, rule, where, "the white space of "+what+" was changed")
	case gone == "":
		w.say(n, weight, rule, where, what+" now also says "+quote(come, limit))
	case come == "":
		w.say(n, weight, rule, where, what+" no longer says "+quote(gone, limit))
	default:
		w.say(n, weight, rule, where, what+" now says "+quote(come, maxCode)+" instead of "+quote(gone, maxCode))
	}
}

// textWords cuts a text into words and the marks that end them.
func textWords(s string) []string {
	var out []string
	for _, w := range strings.Fields(oneLine(s)) {
		if core := strings.TrimRight(w, ".,;:!?"); core != "" && core != w {
			out = append(out, core, w[len(core):])
			continue
		}
		out = append(out, w)
	}
	return out
}

// textOf puts words and marks together again.
func textOf(words []string) string {
	var b strings.Builder
	for _, w := range words {
		if b.Len() > 0 && strings.Trim(w, ".,;:!?") != "" {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// wordsAround is what stands around some words of a text, up to a length.
func wordsAround(words []string, from, to, limit int) string {
	for n := 6; n > 1; n-- {
		if s := textOf(words[max(0, from-n):min(len(words), to+n)]); len(s) <= limit {
			return strings.TrimLeft(s, ".,;:!? ")
		}
	}
	return textOf(words[max(0, from-2):min(len(words), to+2)])
}

// maxComment bounds how much of a comment is read.
const maxComment = 1 << 14

// commentText is the text of a comment without its signs, on one line.
func commentText(s string) string {
	var out []string
	if len(s) > maxComment {
		s = s[:maxComment]
	}
	if strings.Contains(s, "</") {
		s = markup.ReplaceAllString(referred.ReplaceAllString(s, "$1"), " ")
	}
	for _, l := range strings.Split(s, "\n") {
		l = strings.TrimSpace(l)
		l = strings.TrimSuffix(strings.TrimPrefix(l, "<!--"), "-->")
		l = strings.Trim(l, "/*#-! \t\"'")
		if l != "" {
			out = append(out, l)
		}
	}
	return strings.Join(strings.Fields(strings.Join(out, " ")), " ")
}

// referred are tags that stand for a name.
var referred = regexp.MustCompile(`<\w+ (?:cref|name|langword)="([^"<>\n]*)"\s*/>`)

// markup are the tags in documentation.
var markup = regexp.MustCompile(`</?[A-Za-z][^<>\n]*>`)

// documentsNew tells whether a comment documents a new function, whose own claim
// quotes it.
func (w *writer) documentsNew(n item) bool {
	k := n
	for k.ok() && (!k.named() || k.is(syntax.Comment)) {
		k = k.next()
	}
	d := unnested(k)
	if !d.is(syntax.Function, syntax.Class, syntax.Interface, syntax.Enum) || !w.fresh[k] && !w.fresh[d] {
		return false
	}
	first, text := documentation(d)
	return first.ok() && text != "" && first.i <= n.i
}
