package rules

import (
	"bytes"
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
	"crscore/pseudoref/symbolic/tree"
)

// commentRun lists the comments of single lines that stand with n line by line;
// a comment that can have several lines stands alone. Comments that came with
// others that did not are read with these.
func commentRun(n tree.Node) []tree.Node {
	first := n
	for k := 0; k < limits.CommentRun-1 && joins(first.Prev(), first); k++ {
		first = first.Prev()
	}
	run := []tree.Node{first}
	for last := first; len(run) < limits.CommentRun && joins(last, last.Next()); run = append(run, last) {
		last = last.Next()
	}
	return run
}

// joins reports whether a comment goes on in the next node. Documentation and code that was
// switched off are told in other words than a remark beside them, so that they stay apart.
func joins(a, b tree.Node) bool {
	if !a.Is(syntax.Comment) || !b.Is(syntax.Comment) {
		return false
	}
	_, end := a.Rows()
	start, _ := b.Rows()
	x, y := a.Text(), b.Text()
	if start != end+1 || strings.HasPrefix(x, "/*") || strings.HasPrefix(y, "/*") || strings.HasPrefix(x, "#!") {
		return false
	}
	line := a.Src[:a.Start()] // a remark behind code does not go on below it
	begins := len(bytes.TrimSpace(line[bytes.LastIndexByte(line, '\n')+1:])) == 0
	return begins && texts.IsCode(texts.Plain(x)) == texts.IsCode(texts.Plain(y))
}

// joined is the text of comments.
func joined(run []tree.Node) string { return strings.Join(phrase.Each(run, tree.Node.Text), "\n") }

// comment says that a comment came or went.
func (w *writer) comment(n tree.Node, at phrase.Place, added bool) {
	if added && w.documentsNew(n) || w.runChanged(n, at) { // a line came to a remark of several
		return
	}
	var run []tree.Node
	for _, k := range commentRun(n) {
		if k == n || w.fresh[k] { // what was there before is not new
			run = append(run, k)
			w.done[k] = true
		}
	}
	w.remarked(n, joined(run), at, added)
}

// remarked tells of the text of a comment that came or went.
func (w *writer) remarked(n tree.Node, text string, at phrase.Place, added bool) {
	of, where := documentedName(n, at), at.String()
	if of != "" && texts.IsDoc(text) {
		where = ""
	}
	w.tellAll(n, "comment-"+fact.Verb(added), where, texts.Comment(text, of, added))
}

// docstring says that a docstring came or went.
func (w *writer) docstring(n tree.Node, at phrase.Place, added bool) {
	w.tellAll(n, "comment-"+fact.Verb(added), at.String(), texts.Docs(tree.Unquoted(n.Text()), "docstring", "", added))
}

// behind is the node that a comment stands before, other comments left out.
func behind(n tree.Node) tree.Node {
	for n.Ok() && (!n.Named() || n.Is(syntax.Comment)) {
		n = n.Next()
	}
	return n
}

// documentedName is the name of the declaration that a comment documents, unless its
// place says it.
func documentedName(n tree.Node, at phrase.Place) string {
	d := tree.Unnested(behind(n))
	if at.Fn != "" || !d.Is(syntax.Function, syntax.Constructor, syntax.Class, syntax.Interface, syntax.Enum, syntax.Field,
		syntax.EnumMember, syntax.TypeAlias) {
		return ""
	}
	return phrase.Code(tree.NameOf(d))
}

// commentChanged says how a comment was changed.
func (w *writer) commentChanged(a, b tree.Node, at phrase.Place) {
	if !w.runChanged(b, at) {
		w.textsOfComment(b, a.Text(), b.Text(), at)
	}
}

// runChanged tells of comments of single lines that are read as one and of
// which some were changed. It answers false where a comment stands alone.
func (w *writer) runChanged(n tree.Node, at phrase.Place) bool {
	now := commentRun(n)
	i := slices.IndexFunc(now, func(k tree.Node) bool { return w.same.Partner(k).Is(syntax.Comment) })
	if i < 0 || len(now) < 2 { // all of it is new, or it stands alone
		return false
	}
	old := commentRun(w.same.Partner(now[i]))
	if n.Tree != w.newTree {
		old, now = now, old
	}
	for _, k := range slices.Concat(old, now) {
		w.done[k] = true
	}
	first := max(0, slices.IndexFunc(now, func(k tree.Node) bool { return w.changes(k, true) }))
	w.textsOfComment(now[first], joined(old), joined(now), at)
	return true
}

// textsOfComment compares the texts of a comment.
func (w *writer) textsOfComment(n tree.Node, before, after string, at phrase.Place) {
	where, of := at.String(), documentedName(n, at)
	if of != "" {
		where = ""
	}
	w.tellAll(n, "comment-changed", where, texts.CommentChanged(before, after, of))
}

// retell says which words of a text were replaced.
func (w *writer) retell(n tree.Node, id, where, object, from, to string) {
	w.tellAll(n, id, where, texts.Retold(object, from, to, texts.BesideWords))
}

// tellAll adds facts under one rule.
func (w *writer) tellAll(n tree.Node, id, where string, all []fact.Slots) {
	for _, s := range all {
		w.add(n, id, where, s)
	}
}

// documentsNew tells whether a comment documents a new function, whose own claim quotes it: a
// second claim with the same words would count twice.
func (w *writer) documentsNew(n tree.Node) bool {
	k := behind(n)
	d := tree.Unnested(k)
	if !d.Is(syntax.Function, syntax.Class, syntax.Interface, syntax.Enum) || !w.fresh[k] {
		return false
	}
	first, _ := documentation(d)
	return first.Ok()
}

// commentRules are the rules about comments, documentation and docstrings.
func commentRules() []fact.Rule {
	const came, went = "{object} was added[ to {of}] that says {new}", "{object} was removed[, which said {old}]"
	return append(fact.Reworded("comment", fact.Text,
		fact.Sentence{Form: "describes", Text: "{object} now describes {detail}[ as {new}]"},
		fact.Sentence{Form: "silent", Text: "{object} no longer describes {detail}"}),
		fact.Claim("comment-added", fact.Text, "a new comment says {new}").Or(fact.GoesOn, "{object} goes on to say {new}").
			Or("code", "commented-out code was added").Or("docs", came).Or("describes", "{object} describes {detail}"),
		fact.Claim("comment-removed", fact.Text, "a comment was removed that said {old}").
			Or("code", "commented-out code was removed").Or("docs", went))
}

// respaced tells of texts in which only white space was changed, as in `"a  b"`. To the
// comparison of trees they are the same.
func (w *writer) respaced(b *tree.Tree) {
	for i := range b.Len() {
		y := b.At(i)
		x := w.same.Partner(y)
		same := y.Is(syntax.String) && x.Is(syntax.String) && x.Hash() == y.Hash()
		if same && x.Text() != y.Text() && !strings.Contains(x.Text()+y.Text(), "\n") {
			w.retell(y, "text-changed", phrase.Inside(y), "the text", tree.Unquoted(x.Text()), tree.Unquoted(y.Text()))
		}
	}
}
