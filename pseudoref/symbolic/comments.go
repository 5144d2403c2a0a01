package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// maxComment bounds how much of a comment is read.
const maxComment = 1 << 14

// maxCommentRun bounds the comments that are read as one.
const maxCommentRun = 500

// commentRun lists the comments of single lines that stand with n line by line;
// a comment that can have several lines stands alone. Comments that came with
// others that did not are read with these.
func commentRun(n tree.Node) []tree.Node {
	if !n.Ok() {
		return nil
	}
	first := n
	for k := range maxCommentRun {
		p := first.Prev()
		if k == maxCommentRun-1 || !joins(p, first) {
			break
		}
		first = p
	}
	run := []tree.Node{first}
	for len(run) < maxCommentRun && joins(run[len(run)-1], run[len(run)-1].Next()) {
		run = append(run, run[len(run)-1].Next())
	}
	return run
}

// joins reports whether a comment goes on in the next node.
func joins(a, b tree.Node) bool {
	if !a.Is(syntax.Comment) || !b.Is(syntax.Comment) {
		return false
	}
	known, ok := a.Joined[a.I]
	if !ok {
		if a.Joined == nil {
			a.Joined = map[int]bool{}
		}
		known = join(a, b)
		a.Joined[a.I] = known
	}
	return known
}

func join(a, b tree.Node) bool {
	if strings.HasPrefix(a.Text(), "/*") || strings.HasPrefix(b.Text(), "/*") || strings.HasPrefix(a.Text(), "#!") {
		return false
	}
	_, end := a.Rows()
	start, _ := b.Rows()
	_, sa := suppressed(a, a.Text())
	_, sb := suppressed(b, b.Text())
	return start == end+1 && !sa && !sb && scopeOf(a) != forLine && scopeOf(b) != forLine && docMark(a.Text()) == docMark(b.Text()) &&
		looksLikeCode(commentText(a.Text())) == looksLikeCode(commentText(b.Text()))
}

// docMark is the sign of documentation at the beginning of a comment.
func docMark(s string) string {
	for _, m := range []string{"/**", "///", "//!", "/*!"} {
		if strings.HasPrefix(s, m) && !strings.HasPrefix(s, "////") && s != "/**/" {
			return m
		}
	}
	return ""
}

// joinedComments is the text of comments.
func joinedComments(run []tree.Node) string {
	var b strings.Builder
	for _, k := range run {
		if b.Len() > maxComment {
			break
		}
		b.WriteString(k.Text())
		b.WriteByte('\n')
	}
	return b.String()
}

// comment says that a comment came or went.
func (w *writer) comment(n tree.Node, at place, added bool) {
	if added && w.documentsNew(n) {
		return
	}
	a, b := n, tree.Node{}
	if added {
		a, b = b, a
	}
	if w.suppression(a, b, at) {
		return
	}
	if w.runChanged(n, at) {
		return
	}
	var run []tree.Node
	around := commentRun(n)
	for _, k := range around {
		if len(around) == maxCommentRun && w.done[k] {
			continue // a part of a longer run, which was told
		}
		if k == n || w.fresh[k] {
			run = append(run, k)
			w.done[k] = true
		}
	}
	text := joinedComments(run)
	if commentText(text) == "" {
		return
	}
	w.remarked(n, text, at, added)
}

// movedComment says that a comment stands elsewhere now.
func (w *writer) movedComment(n tree.Node, at place) {
	if p := passages(commentText(n.Text()), 10, 1); len(p) > 0 && len(p[0]) > maxCode/2 {
		w.names(n, wFormat, "comment-moved", at.String(), "the comment "+slot+" was moved", "the comments "+slot+" were moved", quoteText(p[0]))
	}
}

// remarked tells of the text of a comment that came or went.
func (w *writer) remarked(n tree.Node, text string, at place, added bool) {
	v, where, rule := verb(added), at.String(), "comment-"+verb(added)
	plain := commentText(text)
	if l := licenceOf(plain); l != "" {
		w.say(n, wText, "licence-"+v, "", "a licence header was "+v+": "+l)
		return
	}
	if isDocText(text) {
		of := documentedName(n, at)
		if of != "" {
			where = ""
		}
		w.documented(n, text, rule, where, "documentation", of, added)
		return
	}
	if todo, ok := todoOf(plain); ok {
		if todo == "" {
			w.say(n, wText, rule, where, "a TODO comment was "+v)
		}
		for _, s := range goesOn("a TODO comment was "+v+": ", "the TODO comment", todo, map[bool]int{true: 2, false: 1}[added]) {
			w.say(n, wText, rule, where, s)
		}
		return
	}
	if looksLikeCode(plain) {
		w.say(n, wText, rule, where, "commented-out code was "+v)
		return
	}
	if added {
		for _, s := range goesOn("a new comment says ", "the new comment", plain, 3) {
			w.say(n, wText, rule, where, s)
		}
		return
	}
	for _, p := range passages(plain, wordsSaid, 1) {
		w.say(n, wText, rule, where, "a comment was removed that said "+quoteText(p))
	}
}

// documented tells of documentation that came or went.
func (w *writer) documented(n tree.Node, text, rule, where, noun, of string, added bool) {
	v, d := verb(added), readDoc(text)
	to := " to" + strings.TrimPrefix(of, " of")
	if of == "" {
		to = ""
	}
	if !added && (d.text != "" || len(d.tags) == 0) {
		was := "the " + noun + of + " was removed"
		if d.text != "" {
			was += ", which said " + quoteText(firstPassage(d.text, wordsSaid))
		}
		w.say(n, wText, rule, where, was)
		return
	}
	for _, s := range goesOn(article(noun)+" was "+v+to+" that says ", "the new "+noun+of, d.text, 2) {
		w.say(n, wText, rule, where, s)
	}
	if d.text == "" || len(d.tags) == 1 {
		for _, t := range d.tags[:min(len(d.tags), 3)] {
			w.say(n, wText, rule, where, tagCame("the "+noun+of, t, added))
		}
		return
	}
	if s := d.described(); s != "" {
		w.say(n, wText, rule, where, "the new "+noun+of+" describes "+s)
	}
}

// article puts an article before the noun for a documentation.
func article(noun string) string {
	if noun == "documentation" {
		return noun
	}
	return an(noun)
}

// docstring says that a docstring came or went.
func (w *writer) docstring(n tree.Node, at place, added bool) {
	w.documented(n, tree.Unquoted(n.Text()), "docs-"+verb(added), at.String(), "docstring", "", added)
}

// documentedName is " of `x`" for the declaration that a comment documents,
// unless its place says it.
func documentedName(n tree.Node, at place) string {
	k := n.Next()
	for k.Ok() && (!k.Named() || k.Is(syntax.Comment)) {
		k = k.Next()
	}
	d := tree.Unnested(k)
	if at.fn != "" || !d.Is(syntax.Function, syntax.Constructor, syntax.Class, syntax.Interface, syntax.Enum, syntax.Field, syntax.EnumMember, syntax.TypeAlias) || tree.NameOf(d) == "" {
		return ""
	}
	start, _ := k.Rows()
	if _, end := n.Rows(); start-end > 8 {
		return ""
	}
	return " of " + code(tree.NameOf(d))
}

// commentChanged says how a comment was changed.
func (w *writer) commentChanged(a, b tree.Node, at place) {
	if w.suppression(a, b, at) || w.runChanged(b, at) {
		return
	}
	w.textsOfComment(b, a.Text(), b.Text(), at)
}

// runChanged tells of comments of single lines that are read as one and of
// which some were changed. It answers false where a comment stands alone.
func (w *writer) runChanged(n tree.Node, at place) bool {
	run := commentRun(n)
	if len(run) < 2 {
		return false
	}
	other := tree.Node{}
	for _, k := range run {
		if p := w.same.Partner(k); p.Is(syntax.Comment) {
			other = p
			break
		}
	}
	if !other.Ok() {
		return false
	}
	old, now := commentRun(other), run
	if n.Tree != w.newTree {
		old, now = now, old
	}
	for _, k := range append(slices.Clone(old), now...) {
		w.done[k] = true
	}
	b := now[0]
	for _, k := range now {
		if w.changes(k, true) {
			b = k
			break
		}
	}
	w.textsOfComment(b, joinedComments(old), joinedComments(now), at)
	return true
}

// textsOfComment compares the texts of a comment.
func (w *writer) textsOfComment(n tree.Node, before, after string, at place) {
	what, of := "the comment", ""
	isDoc := isDocText(after)
	if of = documentedName(n, at); isDoc {
		what = "the documentation"
	}
	from, to := commentText(before), commentText(after)
	where, rule := at.String(), "comment-changed"
	if of != "" {
		where = ""
	}
	if from == to {
		w.say(n, wFormat, "comment-markup", where, "the markup of "+what+of+" was changed")
		return
	}
	if x, y := licenceOf(from), licenceOf(to); x != "" && y != "" && !isDoc {
		if years := yearsOf.FindAllString(from, -1); len(years) > 0 {
			if now := yearsOf.FindAllString(to, -1); len(now) > 0 && yearsOf.ReplaceAllString(from, "") == yearsOf.ReplaceAllString(to, "") {
				w.say(n, wText, "licence-changed", "", "the year in the licence header was changed from "+years[len(years)-1]+" to "+now[len(now)-1])
				return
			}
		}
		what, of, where = "the licence header", "", ""
	}
	if x, ok := todoOf(from); ok {
		if y, ok := todoOf(to); ok && y != "" && x != "" {
			what, from, to = "the TODO comment", x, y
		}
	}
	if looksLikeCode(from) && looksLikeCode(to) {
		w.say(n, wText, rule, where, "commented-out code was changed")
		return
	}
	if isDoc {
		w.docsChanged(n, rule, where, "documentation", of, readDoc(before), readDoc(after))
		return
	}
	w.retell(n, rule, wText, where, what+of, from, to)
}

var yearsOf = regexp.MustCompile(`\b(?:19|20)\d\d(?:\s*[-–,]\s*(?:(?:19|20)\d\d|present))*\b`)

// retell says which words of a text were replaced.
func (w *writer) retell(n tree.Node, rule string, weight int, where, what, from, to string) {
	for _, s := range retold(what, from, to) {
		w.say(n, weight, rule, where, s)
	}
}

// documentsNew tells whether a comment documents a new function, whose own claim
// quotes it.
func (w *writer) documentsNew(n tree.Node) bool {
	k := n
	for k.Ok() && (!k.Named() || k.Is(syntax.Comment)) {
		k = k.Next()
	}
	d := tree.Unnested(k)
	if !d.Is(syntax.Function, syntax.Class, syntax.Interface, syntax.Enum) || !w.fresh[k] && !w.fresh[d] {
		return false
	}
	first, text := documentation(d)
	return first.Ok() && text != "" && first.I <= n.I
}
