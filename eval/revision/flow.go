package revision

import (
	"slices"
	"strconv"

	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// flow finds the data flow of a text: an item for each read of a variable that is set before, and
// for each variable that is set from others. A variable is a name, the same in all of the text.
// The text is read once, from the top: a loop does not lead back.
type flow struct {
	tree
	set     map[string]bool
	reads   []string // in their order
	numbers map[string]int
	items   []string
}

// dataFlow returns the items of nodes as texts, with variables numbered in the order of the items.
func (t tree) dataFlow(nodes []*syntax.Node) []string {
	f := flow{tree: t, set: map[string]bool{}, numbers: map[string]int{}}
	for _, n := range nodes {
		f.visit(n, t.Root())
	}
	return f.items
}

// note notes where the value of a variable comes from: it is read, or computed from others.
func (f *flow) note(computed bool, names ...string) {
	item := strconv.AppendBool(nil, computed)
	for _, name := range names {
		if _, ok := f.numbers[name]; !ok {
			f.numbers[name] = len(f.numbers)
		}
		item = strconv.AppendInt(append(item, ' '), int64(f.numbers[name]), 10)
	}
	f.items = append(f.items, string(item))
}

// binds reports whether a node can set the variables in its fields.
func (f *flow) binds(n *syntax.Node) bool {
	return f.Role(n).Is(syntax.Assign, syntax.AugAssign, syntax.Variable, syntax.Declarator, syntax.Loop, syntax.Parameter) ||
		slices.Contains([]string{"range_clause", "for_in_clause", "as_pattern", "assignment_pattern", "catch_clause",
			"catch_formal_parameter"}, n.Type())
}

// variable reports whether a node is a name that can be a variable's.
func (f *flow) variable(n, parent *syntax.Node) bool {
	switch n.Type() {
	case "identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern":
		return !slices.Contains([]string{"attribute", "field", "key", "label"}, n.FieldName()) && (n.FieldName() != "name" || f.binds(parent))
	}
	return false
}

// target reports whether a node sets what its child names.
func (f *flow) target(n, child *syntax.Node) bool {
	switch {
	case f.Role(n) == syntax.Update:
		return true
	case f.Role(n) == syntax.Parameters, n.Type() == "inferred_parameters":
		return child.IsNamed() && !f.binds(child) && f.Role(child) != syntax.Decorator
	}
	switch child.FieldName() {
	case "left", "name", "pattern", "alias":
		return f.binds(n)
	case "parameter", "parameters":
		return child.Type() == "identifier" || f.binds(n)
	case "":
		return f.Role(n) == syntax.Parameter && child.Type() == "identifier"
	}
	return false
}

// source reports whether the value that a node sets depends on a child. updates: it depends on
// the value before.
func (f *flow) source(n, child *syntax.Node, updates bool) bool {
	switch child.FieldName() {
	case "right", "value":
		return f.binds(n)
	case "left":
		return updates
	}
	return f.Role(n) == syntax.Update || n.Type() == "as_pattern" && child.FieldName() == ""
}

func (f *flow) visit(n, parent *syntax.Node) {
	if f.variable(n, parent) {
		name := n.Content()
		if f.set[name] {
			f.note(false, name, name)
		}
		if f.set[name] || n.FieldName() != "function" { // a function that is called is a variable only where it was set
			f.reads = append(f.reads, name)
		}
		return
	}
	kids := f.kids(n)
	updates := f.Role(n).Is(syntax.Assign, syntax.AugAssign) &&
		slices.ContainsFunc(kids, func(k *syntax.Node) bool { return k.FieldName() == "operator" && k.Content() != "=" })
	start := len(f.reads)
	for _, k := range kids {
		if f.source(n, k, updates) {
			f.visit(k, n)
		}
	}
	sources := f.sources(start)
	for _, k := range kids {
		if f.target(n, k) {
			f.define(k, n, sources)
		}
	}
	for _, k := range kids {
		if !f.target(n, k) && !f.source(n, k, updates) {
			f.visit(k, n)
		}
	}
}

// sources are the variables that were read since a place, each once.
func (f *flow) sources(start int) (out []string) {
	seen := map[string]bool{}
	for _, name := range f.reads[start:min(len(f.reads), start+limits.AssignedFrom)] {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// define sets the variables of a target. An element or a field that is set sets no variable.
func (f *flow) define(n, parent *syntax.Node, from []string) {
	switch {
	case f.variable(n, parent):
		f.set[n.Content()] = true
		if len(from) > 0 {
			f.note(true, append([]string{n.Content()}, from...)...)
		}
	case f.Role(n).Is(syntax.Member, syntax.Index), f.binds(n):
		f.visit(n, parent)
	case n.FieldName() != "type":
		for _, k := range f.kids(n) {
			f.define(k, n, from)
		}
	}
}
