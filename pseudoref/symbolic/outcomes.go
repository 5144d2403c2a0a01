package symbolic

import (
	"bytes"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// The second level of claims: where a change stands and what comes of it. What
// an edit did is said before; here is said what guards the code it touched, where
// the values go that it sets, who uses the names that it brings in.

const (
	wResult   = 48 // what comes of a change
	wGuard    = 46 // what it depends on
	maxNames  = 40 // names of a file that are looked up in its functions
	maxLookup = 4000
)

// results says what comes of an edit. It is asked once for each statement.
func (w *writer) results(e treediff.Edit) {
	n := e.New
	if !n.Ok() {
		n = e.Old
	}
	if !n.Ok() || n.Is(syntax.Package) {
		return
	}
	if e.Old.Ok() != e.New.Ok() && !e.Link {
		w.facets(n, e.New.Ok())
	}
	if n.Is(syntax.Import) || n.Under(syntax.Import).Ok() {
		if e.New.Ok() {
			w.importResults(n)
		}
		return
	}
	if n.Is(syntax.Comment) {
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
	switch {
	case s.Role().IsFunction():
		if e.New.Ok() && !w.same.Partner(s).Ok() {
			w.functionResults(s)
		}
		return
	case s.Is(syntax.Else, syntax.ElseIf, syntax.Case, syntax.Catch, syntax.Finally), s.Field() == "alternative":
		return
	case s.Role().IsClass(), s.Is(syntax.Namespace, syntax.Export, syntax.TypeAlias):
		return
	case s.Is(syntax.Field, syntax.EnumMember) || s.Is(syntax.Variable, syntax.Assign, syntax.ExpressionStatement) && placeOf(s).fn == "" && placeOf(s).callback == "":
		if e.New.Ok() {
			if name := definedName(s); name != "" {
				w.usedBy(s, name, code(name), "used")
			}
			if !s.Is(syntax.Field, syntax.EnumMember) && placeOf(s).class == "" {
				w.flows(s, n)
			}
		}
		return
	}
	w.guarded(s, n, e)
	if !e.New.Ok() {
		return
	}
	w.flows(s, n)
	w.decidesBranch(s, n)
	w.guards(s, e)
	if name := ownMember(s); name != "" {
		w.usedBy(s, name, code(tree.Target(tree.Strip(tree.Unnested(s)))), "used")
	}
}

// decidesBranch says what depends on a condition in which an argument or another
// part was changed, where no claim is about the condition itself.
func (w *writer) decidesBranch(s, n tree.Node) {
	c := tree.Condition(s)
	if !treediff.Branch(s) || !c.Ok() || w.fresh[s] || !c.Contains(n) {
		return
	}
	for p := n; p.Ok() && p != s; p = p.Parent() {
		if w.done[p] {
			return // said of the condition
		}
	}
	if e := effects(tree.Body(s)); len(e) > 0 {
		w.follows(s, "condition-part", "the changed condition decides whether "+placeOf(s).subject()+" "+e[0])
	}
}

// ownMember is the name of the object's own attribute that a statement sets, or "".
func ownMember(s tree.Node) string {
	s = tree.Strip(tree.Unnested(s))
	if !s.Is(syntax.Assign) {
		return ""
	}
	owner, name, _ := cutLast(tree.Target(s), ".")
	if owner != "self" && owner != "this" && owner != "$this" || !simpleName(name) {
		return ""
	}
	return name
}

// definedName returns the simple name that a statement gives a value to, or "".
func definedName(s tree.Node) string {
	s = tree.Strip(tree.Unnested(s))
	if s.Is(syntax.Assign, syntax.Variable, syntax.Field, syntax.EnumMember) && tree.Compound(s) == "" {
		if t := tree.Target(s); simpleName(t) {
			return t
		}
	}
	return ""
}

// guarded says on what the changed statement depends that was not changed.
func (w *writer) guarded(s, n tree.Node, e treediff.Edit) {
	f := frame(s, treediff.Owner(s))
	if s.Kind() == "file_redirect" || f.Contains(n) && f == s || !f.Ok() || w.fresh[f] || !w.same.Partner(f).Ok() || w.resulted[f] {
		return
	}
	if e.Old.Ok() != e.New.Ok() && guard(s) != "" {
		return // said with the edit
	}
	what := noun(s, "the")
	if s.Is(syntax.Variable, syntax.Declarator) {
		what = "the assignment of " + code(tree.NameOf(s)) // a variable does not run
	}
	if e.Old.Ok() && e.New.Ok() {
		what = "the changed " + strings.TrimPrefix(what, "the ")
	}
	runs := map[bool]string{true: " runs", false: " ran"}[e.New.Ok()]
	only := strings.Replace(runs, " ", " only ", 1) + " when "
	tell := func(rule, words string) { w.say(s, wGuard, rule, placeOf(s).String(), what+words) }
	switch i := f; {
	case treediff.Branch(f) && f.Child("alternative").Contains(s), f.Is(syntax.Else):
		if f.Is(syntax.Else) {
			i = f.Parent()
		}
		if treediff.Branch(i) && tree.Condition(i).Ok() {
			tell("guarded", only+runsWhen(i, false))
		}
	case treediff.Branch(f):
		tell("guarded", only+runsWhen(f, true))
	case f.Is(syntax.Loop):
		w.resulted[f] = true // it is said of one statement in it
		tell("in-loop", runs+iterations(s, f)+loopOver(f))
	case f.Is(syntax.With):
		tell("in-with", runs+" inside "+frameName(f, s))
	}
}

// iterations is " in each iteration of the loop ", or less where a check before a
// statement of the loop may skip it.
func iterations(s, loop tree.Node) string {
	for s.Ok() && !treediff.Block(s.Parent()) && s.Parent() != loop {
		s = s.Parent()
	}
	for k, i := s.Prev(), 0; k.Ok() && i < tree.MaxClimb; i, k = i+1, k.Prev() {
		if c := tree.Strip(k); treediff.Branch(c) && leavesBlock(c) {
			return " inside the loop "
		}
	}
	return " in each iteration of the loop "
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// guards says what a new check that leaves its block keeps from running.
func (w *writer) guards(s tree.Node, e treediff.Edit) {
	if e.Old.Ok() || e.Move {
		return
	}
	next := neighbour(s, true)
	if !next.Ok() || w.fresh[next] || !treediff.Movable(next) || next.Role().IsFunction() || next.Role().IsClass() {
		return
	}
	at := placeOf(s)
	if !treediff.Branch(s) || treediff.Otherwise(s).Ok() || !leavesBlock(s) {
		return
	}
	if d := does(next, 0); d != "" {
		w.say(s, wResult, "guards", "", at.subject()+" now "+d+" only when "+runsWhen(s, false))
	}
}

// leavesBlock tells whether the body of an if ends by leaving the block around it.
func leavesBlock(n tree.Node) bool {
	b := tree.Body(n)
	return len(b) > 0 && tree.Strip(b[len(b)-1]).Is(syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto)
}

// functionResults says where a new function is called.
func (w *writer) functionResults(f tree.Node) {
	name := tree.NameOf(f)
	if word := functionWord(f); word == "constructor" || word == "destructor" {
		return // their name is that of the class, too
	}
	if name != "" && !isTest(f, name) {
		w.usedBy(f, name, "the new "+functionWord(f)+" "+code(name), "called")
	}
}

// importResults says where an imported name is used.
func (w *writer) importResults(n tree.Node) {
	if !n.Traits().ImportsBind {
		return
	}
	i := n
	if x := n.Under(syntax.Import); x.Ok() {
		i = x
	}
	if w.resulted[i] {
		return
	}
	w.resulted[i] = true
	_, names := imported(i)
	for _, name := range names {
		name = tree.LastName(name)
		if w.oldWords != nil && w.oldWords.Of(name) > 0 {
			continue
		}
		w.usedBy(i, name, "the imported "+code(name), "used")
	}
}

// usedBy names the functions that mention a name.
func (w *writer) usedBy(n tree.Node, name, what, verb string) {
	if w.looked++; w.looked > maxNames || len(name) < 2 || !simpleName(name) || !n.Frag.Whole || w.newWords != nil && w.newWords.Of(name) < 2 {
		return
	}
	var in []string
	t, method := n.Tree, placeOf(n).class != ""
	for i := range t.Len() {
		f := t.At(i)
		if !f.Role().IsFunction() || n.Contains(f) || f.Contains(n) || !hasWord(f, name, verb == "called", method) {
			continue
		}
		if k := functionName(f); k != "" && k != name {
			in = append(in, code(k))
		}
	}
	in = uniq(in)
	if len(in) == 0 {
		return
	}
	w.say(n, wResult, "used-by", "", what+" is "+verb+" in "+list(in))
}

// functionName is the name of a function, also of one that was kept without its
// inside.
func functionName(f tree.Node) string {
	if !f.Leaf() {
		return tree.NameOf(f)
	}
	head, _, _ := strings.Cut(cut(f.Text(), 300), "{")
	return headingPlace(tree.OneLine(head)).fn
}

// hasWord tells whether a name occurs in a node's text as a word of its own, and
// with an argument list behind it if that is asked. A method must be called on
// the object that it belongs to: what another object has by its name is unknown.
func hasWord(n tree.Node, name string, call, method bool) bool {
	start, last := n.Start(), n.End()
	return slices.ContainsFunc(n.PlacesOf(name, start, last), func(at int) bool {
		if end := at + len(name); call && (end >= last || n.Src[end] != '(' || !own(n.Src[start:at])) {
			return false
		}
		of := at > start && bytes.IndexByte(receiverSigns, n.Src[at-1]) >= 0
		return (!call || of == method || method && !n.Traits().NamesSelf) && n.InCode(at)
	})
}
