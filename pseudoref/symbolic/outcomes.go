package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// The second level of claims: where a change stands and what comes of it. What
// an edit did is said before; here is said what guards the code it touched, and
// where the values go that it sets.

// maxLookup is the number of nodes in which the uses of a name are looked for.
const maxLookup = 4000

// results says what comes of an edit. It is asked once for each statement.
func (w *writer) results(e treediff.Edit) {
	n, added := e.New, e.New.Ok()
	if !added {
		n = e.Old
	}
	if e.Old.Ok() != added && !e.Link {
		w.facets(n, added)
	}
	if n.Is(syntax.Comment, syntax.Import, syntax.Package) || n.Under(syntax.Import).Ok() {
		return
	}
	s := tree.Unnested(n)
	if !treediff.Movable(n) && !treediff.Movable(s) {
		s = tree.Unnested(n.Up(treediff.Movable))
	}
	if !s.Ok() || w.resulted[s] {
		return
	}
	w.resulted[s] = true
	at := phrase.PlaceOf(s)
	switch {
	case s.Role().IsFunction(), s.Role().IsClass(), s.Is(syntax.Namespace, syntax.Export, syntax.TypeAlias, syntax.Field, syntax.EnumMember),
		s.Is(syntax.Else, syntax.ElseIf, syntax.Case, syntax.Catch, syntax.Finally), s.Field() == "alternative":
	case s.Is(syntax.Variable, syntax.Assign, syntax.ExpressionStatement) && at.Fn == "" && at.Callback == "": // of the file or of a class
		if added && at.Class == "" {
			w.flows(s, n)
		}
	default:
		w.guarded(s, n, e)
		if added {
			w.flows(s, n)
			w.guards(s, e, at)
		}
	}
}

// guarded says on what the changed statement depends that was not changed.
func (w *writer) guarded(s, n tree.Node, e treediff.Edit) {
	f := frame(s, treediff.Owner(s))
	if s.Kind() == "file_redirect" || f.Contains(n) && f == s || !f.Ok() || w.fresh[f] || !w.same.Partner(f).Ok() || w.resulted[f] {
		return
	}
	if e.Old.Ok() != e.New.Ok() && phrase.Guard(s) != "" {
		return // said with the edit
	}
	what := phrase.Noun(s, "the")
	if s.Is(syntax.Variable, syntax.Declarator) {
		what = "the assignment of " + phrase.Code(tree.NameOf(s)) // a variable does not run
	}
	if e.Old.Ok() && e.New.Ok() {
		what = "the changed " + strings.TrimPrefix(what, "the ")
	}
	form, where := phrase.Either(e.New.Ok(), "", "before"), phrase.PlaceOf(s).String()
	if f.Is(syntax.Loop) {
		w.resulted[f] = true // it is said of one statement in it
		w.add(s, "in-loop", where, fact.Slots{Form: form, Object: what, Detail: phrase.LoopOver(f)})
		return
	}
	branch, want := f, !f.Child("alternative").Contains(s)
	if f.Is(syntax.Else) {
		branch, want = f.Parent(), false
	}
	if treediff.Branch(branch) && tree.Condition(branch).Ok() {
		w.add(s, "guarded", where, fact.Slots{Form: form, Object: what, Detail: phrase.RunsWhen(branch, want)})
	}
}

// guards says what a new check that leaves its block keeps from running.
func (w *writer) guards(s tree.Node, e treediff.Edit, at phrase.Place) {
	b := tree.Body(s)
	if e.Old.Ok() || e.Move || !treediff.Branch(s) || treediff.Otherwise(s).Ok() || len(b) == 0 {
		return
	}
	if !tree.Strip(b[len(b)-1]).Is(syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto) {
		return
	}
	next := phrase.Neighbour(s, true)
	if w.fresh[next] || !treediff.Movable(next) || next.Role().IsFunction() || next.Role().IsClass() {
		return
	}
	if d := phrase.Does(next, 0); d != "" {
		w.add(s, "guards", "", fact.Slots{Object: at.Subject(), New: d, Detail: phrase.RunsWhen(s, false)})
	}
}

func outcomeRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("guarded", fact.Guard, "{object} only runs when {detail}").Or("before", "{object} only ran when {detail}"),
		fact.Claim("guards", fact.Result, "{object} now {new} only when {detail}"),
		fact.Claim("in-loop", fact.Guard, "{object} runs inside the loop {detail}").Or("before", "{object} ran inside the loop {detail}"),
	}
}
