package revision

import (
	"slices"
	"strconv"

	"crscore/internal/syntax"
)

// maxSources bounds the variables on the right side of an assignment that are looked at.
const maxSources = 256

// flow finds the data flow of a text: an item for each read of a variable that is set before, and
// for each variable that is set from others. A variable is a name, the same in all of the text.
// The text is read once, from the top: a loop does not lead back.
type flow struct {
	set     map[string]bool
	reads   []string // in their order
	numbers map[string]int
	items   []string
}

// dataFlow returns the items of a tree as texts, with variables numbered in the order of the items.
func dataFlow(root *node) []string {
	f := flow{set: map[string]bool{}, numbers: map[string]int{}}
	f.visit(root, &node{})
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
func binds(n *node) bool {
	return n.role.Is(syntax.Assign, syntax.AugAssign, syntax.Variable, syntax.Declarator, syntax.Loop, syntax.Parameter) ||
		slices.Contains([]string{"range_clause", "for_in_clause", "as_pattern", "assignment_pattern", "catch_clause",
			"catch_formal_parameter"}, n.kind)
}

// variable reports whether a node is a name that can be a variable's.
func variable(n, parent *node) bool {
	switch n.kind {
	case "identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern":
		return !slices.Contains([]string{"attribute", "field", "key", "label"}, n.field) && (n.field != "name" || binds(parent))
	}
	return false
}

// target reports whether a node sets what its child names.
func target(n, child *node) bool {
	switch {
	case n.role == syntax.Update:
		return true
	case n.role == syntax.Parameters, n.kind == "inferred_parameters":
		return child.named && !binds(child) && child.role != syntax.Decorator
	}
	switch child.field {
	case "left", "name", "pattern", "alias":
		return binds(n)
	case "parameter", "parameters":
		return child.kind == "identifier" || binds(n)
	case "":
		return n.role == syntax.Parameter && child.kind == "identifier"
	}
	return false
}

// source reports whether the value that a node sets depends on a child. updates: it depends on
// the value before.
func source(n, child *node, updates bool) bool {
	switch child.field {
	case "right", "value":
		return binds(n)
	case "left":
		return updates
	}
	return n.role == syntax.Update || n.kind == "as_pattern" && child.field == ""
}

func (f *flow) visit(n, parent *node) {
	if variable(n, parent) {
		f.read(n)
		return
	}
	updates := n.role.Is(syntax.Assign, syntax.AugAssign) &&
		slices.ContainsFunc(n.kids, func(k *node) bool { return k.field == "operator" && k.text != "=" })
	start := len(f.reads)
	for _, k := range n.kids {
		if source(n, k, updates) {
			f.visit(k, n)
		}
	}
	sources := f.sources(start)
	for _, k := range n.kids {
		if target(n, k) {
			f.define(k, n, sources)
		}
	}
	for _, k := range n.kids {
		if !target(n, k) && !source(n, k, updates) {
			f.visit(k, n)
		}
	}
}

// read notes that a variable is read. A function that is called is one only where it was set.
func (f *flow) read(n *node) {
	if f.set[n.text] {
		f.note(false, n.text, n.text)
	} else if n.field == "function" {
		return
	}
	f.reads = append(f.reads, n.text)
}

// sources are the variables that were read since a place, each once.
func (f *flow) sources(start int) (out []string) {
	seen := map[string]bool{}
	for _, name := range f.reads[start:min(len(f.reads), start+maxSources)] {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// define sets the variables of a target. An element or a field that is set sets no variable.
func (f *flow) define(n, parent *node, from []string) {
	switch {
	case variable(n, parent):
		f.set[n.text] = true
		if len(from) > 0 {
			f.note(true, append([]string{n.text}, from...)...)
		}
	case n.role.Is(syntax.Member, syntax.Index), binds(n):
		f.visit(n, parent)
	case n.field != "type":
		for _, k := range n.kids {
			f.define(k, n, from)
		}
	}
}
