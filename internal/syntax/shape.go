package syntax

import "crscore/internal/limits"

// shape is the part of a Table that brings the trees of grammars which hide
// what they mean deeper than in the kind of a node to the form of the others.
type shape struct {
	// flat holds the kinds that stand for nothing by themselves, such as the
	// declarators around a name in C: their children take their place. An Edge
	// without a parent holds everywhere.
	flat map[Edge]bool
	// alias gives a kind the name of another that means the same.
	alias map[string]string
	// in holds the roles of kinds under certain others.
	in map[Edge]Role
	// inField holds the roles of what stands in a field of a kind, whatever its
	// own kind: the results of a function in Go are written like its parameters.
	inField map[Part]Role
	// ofField holds the roles that come with a field, for kinds that declare
	// nothing: what is the "type" of something is a type.
	ofField map[string]Role
	// rename gives a field of a kind the name that others use.
	rename map[Edge]string
	// forms are tried in order on nodes whose children are known.
	forms []Form
	// tail says where the last expression of a block is its value.
	tail *Tail
	// values are the tokens that are expressions, such as "null".
	values map[string]Role
	// tokens are the kinds that the grammar names although they are mere tokens.
	tokens map[string]bool
	// mask returns what the grammar is given to read in place of a text; it has
	// the same length, and its lines end at the same bytes.
	mask func([]byte) []byte
}

// Rebuild says which nodes are put elsewhere, so that a parameter holds its
// default, a call all of its arguments, and a condition all of its parts.
type Rebuild struct {
	// Single holds the kinds that stand for nothing when they have only one
	// child: it takes their place. An Edge without a parent holds everywhere.
	Single map[Edge]bool
	// Adopt holds pairs of siblings of which the first takes in the second, and
	// where that is a token, such as "=", what follows it as well.
	Adopt map[Edge]bool
	// After is the field of what follows a token.
	After map[Edge]string
	// Wrap holds kinds that get a node of the named kind around them: a block
	// that stands where arguments stand.
	Wrap map[Edge]string
	// Lists are the lists without a node in the grammar, by the kind of the node that
	// holds their elements.
	Lists map[string]List
}

// The kinds of the nodes that lists of conditions make.
const (
	KindConditions = "conditions" // parts that must all hold
	KindBinding    = "binding"    // a part that holds when its value is there
)

// Part is a field of a kind of node.
type Part struct{ Parent, Field string }

// Form gives a kind another role by its children: a C declaration with parameters declares
// a function.
type Form struct {
	// Kind is the kind of the node, Role its new role.
	Kind string
	Role Role
	// Has and Lacks are fields or kinds of children that the node must have and lack.
	Has, Lacks string
	// In are the kinds of the parent; empty for every parent.
	In []string
}

// Tail describes the blocks whose last expression is the value of the function.
type Tail struct {
	Blocks  map[string]bool // kinds of blocks
	Through map[string]bool // kinds whose value is that of a part
	Owners  map[string]bool // kinds of functions
	Result  string          // the field that tells that a function has a value; empty where each has
	Void    string          // what that field holds where it has none
	Return  string          // the kind of a return statement
	Leaves  []string        // texts that begin what has no value, beside statements
	Beside  map[Edge]bool   // parent and field of what is no part of a value
	// Effect reports whether an expression is there for what it does.
	Effect func(n *Node) bool
}

// Kind is the name under which a kind is known.
func (t *Table) Kind(kind string) string {
	if t != nil {
		if k, ok := t.alias[kind]; ok {
			return k
		}
	}
	return kind
}

// Flat reports whether a node's children take its place.
func (t *Table) Flat(parent, child string) bool {
	return t != nil && (t.flat[Edge{"", child}] || t.flat[Edge{parent, child}])
}

// FieldIn is the field of a child under a kind of parent: the grammar's own,
// another name for it, or one for a child without.
func (t *Table) FieldIn(parent, child, field string) string {
	if field == "" {
		return t.Field(parent, child)
	}
	if t != nil {
		if f, ok := t.rename[Edge{parent, field}]; ok {
			return f
		}
	}
	return field
}

// RoleIn is the role of a named node's kind where it stands.
func (t *Table) RoleIn(parent, child, field string) Role {
	r := t.Role(child)
	if t == nil {
		return r
	}
	if x, ok := t.in[Edge{parent, child}]; ok {
		return x
	}
	if x, ok := t.inField[Part{parent, field}]; ok {
		return x
	}
	if x, ok := t.ofField[field]; ok && !r.IsClass() && !r.IsFunction() {
		return x
	}
	return r
}

// Named reports whether a kind is more than a token, and the role of a token that
// is a value.
func (t *Table) Named(kind string, named bool) (Role, bool) {
	if t == nil {
		return Other, named
	}
	if named {
		return Other, !t.tokens[kind]
	}
	r, ok := t.values[kind]
	return r, ok
}

// Forms lists the forms of a kind.
func (t *Table) Forms(kind string) []Form {
	if t == nil {
		return nil
	}
	var out []Form
	for _, f := range t.forms {
		if f.Kind == kind {
			out = append(out, f)
		}
	}
	return out
}

// Returned reports whether a node is the value of the function around it, without
// a statement that says so, and the kind of such a statement.
func (t *Table) Returned(n *Node) (kind string, ok bool) {
	if t == nil || t.tail == nil || !n.IsNamed() {
		return "", false
	}
	l, p := t.tail, n.Parent()
	if p == nil || !l.Blocks[p.Type()] && !l.Through[p.Type()] && !l.Owners[p.Type()] || l.Blocks[n.Type()] || l.Through[n.Type()] {
		return "", false
	}
	switch r := t.Role(n.Type()); {
	case r == Comment, r >= Function && r <= Interface && r != Lambda, r >= Namespace && r <= Label, r.Is(Enum, Import, Assign, AugAssign):
		return "", false
	}
	if l.Effect != nil && l.Effect(n) {
		return "", false
	}
	text := n.list.f.Source[n.StartByte():n.EndByte()]
	for _, s := range l.Leaves {
		if len(text) >= len(s) && string(text[:len(s)]) == s {
			return "", false
		}
	}
	for i := 0; p != nil && i < limits.ValueAbove; i++ {
		switch kind := p.Type(); {
		case l.Owners[kind]:
			if name := p.ChildByFieldName("name"); name != nil && t.Constructor != "" && name.Content() == t.Constructor {
				return "", false
			}
			if b := p.ChildByFieldName("body"); b == nil && i == 0 || b != nil && b != n {
				return "", false
			}
			if l.Result == "" {
				return l.Return, true
			}
			r := p.ChildByFieldName(l.Result)
			return l.Return, r != nil && (l.Void == "" || r.Content() != l.Void)
		case l.Blocks[kind]:
			for s := n.NextNamedSibling(); s != nil; s = s.NextNamedSibling() {
				if t.Role(s.Type()) != Comment {
					return "", false
				}
			}
		case l.Through[kind]:
			// What a branch depends on is not its value.
			for _, f := range []string{"condition", "pattern", "value"} {
				if f == "value" && !l.Beside[Edge{kind, f}] {
					continue
				}
				if c := p.ChildByFieldName(f); c == n {
					return "", false
				}
			}
			if c := p.ChildByFieldName("body"); c != nil && c != n && c.StartByte() > n.StartByte() {
				return "", false // what a match looks at
			}
			if t.Role(kind) == Case && n.NextNamedSibling() != nil {
				return "", false
			}
		default:
			return "", false
		}
		n, p = p, p.Parent()
	}
	return "", false
}

// masked is the text that the grammar reads.
func (t *Table) masked(src []byte) []byte {
	if t == nil || t.mask == nil {
		return src
	}
	return t.mask(src)
}
