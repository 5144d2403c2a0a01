package symbolic

import (
	"slices"
	"strings"
	"unicode"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// typeText is a type in a sentence, without the colon before it.
func typeText(n tree.Node) string { return code(strings.TrimLeft(n.Text(), ": ")) }

// typed returns what a type belongs to, or none.
func typed(n tree.Node) tree.Node {
	return n.Under(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Declarator, syntax.Function, syntax.Constructor, syntax.New,
		syntax.Call, syntax.Assign, syntax.Cast, syntax.Catch, syntax.Binary, syntax.Class, syntax.Interface, syntax.TypeAlias, syntax.Enum)
}

// resultType tells whether a type is that of what a function returns.
func resultType(n, of tree.Node) bool {
	return of.Is(syntax.Function) && n.Under(syntax.Function, syntax.Block) == of && !strings.HasPrefix(n.Kind(), "type_parameter") &&
		n.Kind() != "template_parameter_list" && n.Up(func(p tree.Node) bool {
		return strings.HasSuffix(p.Kind(), "_bounds") || p.Kind() == "where_clause" || p == of
	}) == of
}

// typePart says that a type came or went.
func (w *writer) typePart(n tree.Node, added bool) {
	v, d := verb(added), typed(n)
	switch {
	case resultType(n, d):
		w.say(n, wSignature, "return-type-"+v, "", "the return type "+typeText(n)+" was "+v+" "+toFrom(added)+" "+code(tree.NameOf(d)))
	case d.Is(syntax.Parameter) && added:
		_, owner := ownerOf(n)
		w.parameterTyped(n, owner, code(tree.ParameterName(d))+" ("+typeText(n)+")")
	default:
		what, to, where := "the type "+typeText(n)+" was ", "", inside(n)
		if d.Ok() {
			to = " " + toFrom(added) + " " + declaredNameOrNoun(d)
		}
		if d.Role().IsFunction() || d.Role().IsClass() {
			where = ""
		}
		switch {
		case n.Is(syntax.TypeArguments) && where == "":
			what = "the type parameters " + typeText(n) + " were "
		case n.Is(syntax.TypeArguments):
			what = "the type arguments " + typeText(n) + " were "
		}
		w.say(n, wValue, "type-"+v, where, what+v+to)
	}
}

// parameterTyped says that a parameter now has a type.
func (w *writer) parameterTyped(n tree.Node, owner, name string) {
	w.names(n, wSignature, "type-added", "", "the parameter "+slot+" of "+owner+" was given a type", "the parameters "+slot+" of "+owner+" were given types", name)
}

func declaredNameOrNoun(d tree.Node) string {
	if d.Is(syntax.Parameter) {
		return "the parameter " + code(tree.ParameterName(d))
	}
	if d.Role().IsFunction() || d.Role().IsClass() || d.Is(syntax.TypeAlias) {
		return declaredName(d)
	}
	return noun(d, "the")
}

// keyword says that a word of the language came or went.
func (w *writer) keyword(n tree.Node, added bool) {
	t := n.Text()
	switch t {
	case "end", "then", "do", "fi", "done", "esac", "begin", "else", "for", "while", "if", "in":
		return // as a brace elsewhere, or part of a statement that has a claim
	}
	p := n.Parent()
	for i := 0; i < 4 && p.Is(syntax.Modifier, syntax.Other, syntax.ExpressionStatement); i++ {
		p = p.Parent()
	}
	word := code(t)
	switch p = tree.Unnested(p); {
	case t == "?":
		word = "optional"
	case t == "export":
		word = "exported"
	case t == "*" && p.Is(syntax.Field):
		word = "a pointer"
	}
	switch {
	case word == code(t) && !strings.ContainsFunc(t, unicode.IsLetter), t == "function" && p.Is(syntax.Lambda):
		// a sign that the grammar wants, or another notation
	case (p.Role().IsFunction() || p.Role().IsClass() || p.Is(syntax.Field, syntax.Variable, syntax.Lambda, syntax.Parameter)) &&
		!slices.Contains([]string{"class", "struct", "get", "set"}, t):
		d := declaredName(p)
		if p.Is(syntax.Lambda) {
			_, d = ownerOf(n)
		}
		w.say(n, wSignature, "modifier-"+verb(added), "", d+map[bool]string{true: " was made ", false: " is no longer "}[added]+word)
	default:
		to := ""
		if s := slotOf(n); s.phrase != "" {
			to = " " + toFrom(added) + " " + s.phrase
		}
		w.say(n, wDetail, "keyword-"+verb(added), inside(n), "the keyword "+word+" was "+verb(added)+to)
	}
}

// typeChanged says that one type took the place of another.
func (w *writer) typeChanged(a, b tree.Node) {
	if p := b.Parent(); p.Is(syntax.Type) && a.Parent().Is(syntax.Type) {
		w.typeChanged(a.Parent(), p)
		return
	}
	if w.done[b] || w.covered(b) {
		return
	}
	w.done[b] = true
	x, y, d := typeText(a), typeText(b), typed(b)
	tail := " was changed from " + x + " to " + y
	switch {
	case b.Is(syntax.TypeArguments) && (strings.HasPrefix(b.Kind(), "type_parameter") || b.Kind() == "template_parameter_list"):
		w.say(b, wSignature, "type-parameters-changed", inside(b), "the type parameters were changed from "+x+" to "+y)
	case (resultType(b, d) || d.Is(syntax.Variable, syntax.Field, syntax.Parameter)) && w.retyped(b, d, x, y):
	case d.Is(syntax.TypeAlias):
		w.say(b, wSignature, "type-changed", "", declaredName(d)+tail).about(declaredName(d))
	case d.Is(syntax.Catch):
		w.say(b, wBehaviour, "catch-changed", inside(b), "exceptions of type "+y+" are now caught instead of "+x)
	default:
		w.say(b, wValue, "type-changed", inside(b), "the type "+x+" was replaced by "+y)
	}
}

// retyped says that the type of a declaration, which stands at a node, is another now.
// It answers false for a declaration whose type nobody asks for.
func (w *writer) retyped(at, d tree.Node, from, to string) bool {
	tail := " was changed from " + from + " to " + to
	switch name := code(tree.NameOf(d)); {
	case d.Role().IsFunction():
		w.say(at, wSignature, "return-type-changed", "", "the return type of "+name+tail)
		if to != "`void`" {
			w.follows(at, "return-type-callers", "callers of "+name+" now get "+to)
		}
	case d.Is(syntax.Parameter) && !d.Under(syntax.Parameter).Ok() && tree.ParameterName(d) != "":
		_, owner := ownerOf(d)
		w.parameterType(at, owner, code(tree.ParameterName(d)), from, to)
	case d.Is(syntax.Variable, syntax.Field) && strings.Contains(from+to, "auto"): // perhaps the same type
		w.say(at, wDetail, "type-changed", inside(d), noun(d, "the")+" is now declared as "+to+" instead of "+from)
	case d.Is(syntax.Variable, syntax.Field):
		w.say(at, wValue, "type-changed", inside(d), "the type of "+noun(d, "the")+tail).about(noun(d, "the"))
	default:
		return false
	}
	return true
}

// parameterType says that the type of a parameter changed, once for all of a
// function whose types changed alike.
func (w *writer) parameterType(n tree.Node, owner, name, from, to string) {
	tail := " of " + owner + " was changed from " + from + " to " + to
	w.names(n, wSignature, "parameter-type-changed", "", "the type of the parameter "+slot+tail, "the type of the parameters "+slot+tail, name)
}

// returns says that a return came or went.
func (w *writer) returns(n tree.Node, at place, added bool) {
	v, r := verb(added), returned(n)
	switch {
	case exits(n):
		w.say(n, wBehaviour, "exit-"+v, "", at.subject()+map[bool]string{true: " now ", false: " no longer "}[added]+does(n, 0)+guard(n))
	case added && r.Ok():
		w.say(n, wBehaviour, "return-added", "", at.subject()+" now returns "+say(r)+guard(n))
		if tree.Strip(r).Is(syntax.Switch) {
			w.details(r, "the return value")
		}
	case added:
		w.say(n, wBehaviour, "return-added", "", at.subject()+" now returns early"+guard(n))
	default:
		w.say(n, wBehaviour, "return-removed", at.String(), noun(n, "the")+guard(n)+" was removed")
	}
}

// returned is what a return statement gives back, or none.
func returned(n tree.Node) tree.Node {
	if a := n.First(syntax.Arguments); a.Ok() {
		if k := a.NamedKids(); len(k) == 1 {
			return k[0]
		}
		return a
	}
	if k := n.NamedKids(); len(k) > 0 && k[0].Field() != "name" {
		if before := neighbour(n, false); carrier(before) == n {
			return assigned(tree.Strip(tree.Unnested(before)))
		}
		return k[0]
	}
	return tree.Node{}
}

// exits tells whether a return ends the whole program.
func exits(n tree.Node) bool { return strings.HasPrefix(n.Text(), "exit") && n.Is(syntax.Return) }

// modifiers returns the words of a node with modifiers, without annotations.
func modifiers(n tree.Node) string {
	if !n.First(syntax.Decorator).Ok() && !strings.Contains(n.Text(), "\n") {
		return tree.OneLine(n.Text())
	}
	var out []string
	for _, k := range n.Kids() {
		if !k.Is(syntax.Decorator) {
			out = append(out, tree.OneLine(k.Text()))
		}
	}
	if len(out) == 0 && n.Leaf() {
		return tree.OneLine(n.Text())
	}
	return strings.Join(out, " ")
}

// modifier says that words such as `static` came or went.
func (w *writer) modifier(n tree.Node, added bool) {
	if treediff.Block(n.Parent()) { // Ruby: a statement that holds for what follows, or for what it names
		is, what := map[bool]string{true: " is now ", false: " is no longer "}[added], "the "+code(n.Text())+" above the methods that follow was "+verb(added)
		if a := n.First(syntax.Arguments); a.Ok() {
			what = list(names(a.NamedKids())) + is + code(tree.Callee(n))
		}
		w.say(n, wSignature, "modifier-"+verb(added), inside(n), what)
		return
	}
	for _, k := range n.Kids() {
		if k.Is(syntax.Decorator) {
			w.decorator(k, added)
		}
	}
	if t := strings.TrimRight(tree.OneLine(n.Text()), ";"); strings.HasPrefix(t, "=") || strings.HasPrefix(t, "pub(") {
		w.modifierWords(n, []string{t}, added)
		return
	}
	w.modifierWords(n, strings.Fields(modifiers(n)), added)
}

// modifierWords says that a declaration has words more or less.
func (w *writer) modifierWords(n tree.Node, words []string, added bool) {
	for _, m := range words {
		if !strings.HasPrefix(m, "@") {
			w.say(n, wSignature, "modifier-"+verb(added), "", declaredName(declared(n))+map[bool]string{true: " was made ", false: " is no longer "}[added]+code(m))
		}
	}
}

func (w *writer) modifiersChanged(a, b tree.Node) {
	x, y := strings.Fields(tree.OneLine(a.Text())), strings.Fields(tree.OneLine(b.Text()))
	without := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(m string) bool { return slices.Contains(b, m) })
	}
	w.modifierWords(b, without(y, x), true)
	w.modifierWords(b, without(x, y), false)
}
