package tree

import (
	"slices"

	"crscore/internal/syntax"
)

// rebuilder rebuilds a tree as the table of its language says.
type rebuilder struct {
	*Tree
	*syntax.Table
	kids [][]int // of each node, as they will be
}

// rebuild moves nodes as the language's table says. Nodes are visited from the last to the first, so that what is in
// a node is done before the node.
func (t *Tree) rebuild() {
	table := t.Frag.Table
	if r := table.Rebuild; r.Single == nil && r.Adopt == nil && r.After == nil && r.Wrap == nil && r.Lists == nil {
		return
	}
	s := &rebuilder{Tree: t, Table: table, kids: make([][]int, len(t.nodes))}
	for i, nd := range t.nodes {
		if nd.parent >= 0 {
			s.kids[nd.parent] = append(s.kids[nd.parent], i)
		}
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if len(s.kids[i]) > 0 {
			s.node(i)
		}
	}
	t.nodes = s.emit(make([]node, 0, len(s.nodes)), 0, -1)
}

// node rebuilds what is directly in a node.
func (s *rebuilder) node(i int) {
	kind := s.nodes[i].kind
	for j, k := range s.kids[i] {
		c := s.nodes[k].kind
		if len(s.kids[k]) == 1 && (s.Single[syntax.Edge{Parent: kind, Child: c}] || s.Single[syntax.Edge{Child: c}]) {
			s.kids[i][j] = s.kids[k][0]
			if only := &s.nodes[s.kids[k][0]]; s.nodes[k].field != "" { // it plays the same part
				only.field = s.nodes[k].field
			}
		}
	}
	s.adopt(i)
	for j, k := range s.kids[i] {
		if in := s.Wrap[syntax.Edge{Parent: kind, Child: s.nodes[k].kind}]; in != "" {
			s.kids[i][j] = s.wrap(k, in)
		}
	}
	if l, ok := s.Lists[kind]; ok && s.nodes[i].named {
		s.list(i, l)
	}
	s.name(i)
}

// adopt puts children into the sibling before them: the default of a parameter into the parameter.
func (s *rebuilder) adopt(i int) {
	var out []int
	kids := s.kids[i]
	for k := 0; k < len(kids); k++ {
		c := kids[k]
		if len(out) == 0 || !s.Adopt[syntax.Edge{Parent: s.nodes[out[len(out)-1]].kind, Child: s.nodes[c].kind}] {
			out = append(out, c)
			continue
		}
		a := out[len(out)-1]
		s.take(a, c)
		if !s.nodes[c].named && k+1 < len(kids) { // "=", and with it the value
			k++
			s.take(a, kids[k])
		}
		s.name(a)
	}
	s.kids[i] = out
}

// take puts a node behind the children of another, or its children where both are lists of the same kind.
func (s *rebuilder) take(a, c int) {
	if s.nodes[a].kind == s.nodes[c].kind {
		s.kids[a] = append(s.kids[a], s.kids[c]...)
	} else {
		s.kids[a] = append(s.kids[a], c)
	}
	s.nodes[a].end = max(s.nodes[a].end, s.nodes[c].end)
}

// list puts a run of children into a node of its own: what stands between `if` and `{`. The tokens around a block
// that a frame opens are not there.
func (s *rebuilder) list(i int, l syntax.List) {
	kids := s.kids[i]
	from, begun := 0, l.Role == syntax.Block && s.Frag.Framed(s.nodes[i].start)
	in := func(nd node) bool {
		if l.Of != "" {
			return nd.field == l.Of
		}
		was := begun && !slices.Contains(l.Until, nd.kind)
		begun = was || !nd.named && nd.kind == l.After
		return was
	}
	for from < len(kids) && !in(s.nodes[kids[from]]) {
		from++
	}
	to := from
	for to < len(kids) && (to == from || in(s.nodes[kids[to]])) {
		to++
	}
	if from == to {
		return
	}
	run := slices.Clone(kids[from:to])
	if l.Kind == syntax.KindConditions {
		run = s.conditions(run)
	}
	one := run[0]
	if len(run) > 1 || l.Kind != syntax.KindConditions {
		one = s.made(l.Kind, l.Role, run)
	}
	s.nodes[one].field = l.Field
	s.kids[i] = slices.Concat(kids[:from], []int{one}, kids[to:])
}

// conditions makes a node of what stands between two commas, which stay: `let x = y` in `if let x = y, z`.
func (s *rebuilder) conditions(run []int) (parts []int) {
	for len(run) > 0 {
		end := slices.IndexFunc(run, func(k int) bool { return s.nodes[k].kind == "," })
		if end < 0 {
			end = len(run)
		}
		part := run[0]
		if end > 1 {
			part = s.made(syntax.KindBinding, syntax.Variable, run[:end])
			s.name(part)
		}
		s.nodes[part].field = ""
		parts, run = append(parts, part), run[max(end, 1):]
	}
	return parts
}

// wrap puts a node around another. What has a function and nothing else in its braces is that function.
func (s *rebuilder) wrap(k int, kind string) int {
	only := slices.DeleteFunc(slices.Clone(s.kids[k]), func(c int) bool { return !s.nodes[c].named })
	if len(only) != 1 || s.nodes[only[0]].role != syntax.Lambda {
		only = []int{k}
	}
	out, nd := s.made(kind, s.Role(kind), only), s.nodes[k]
	s.nodes[out].start, s.nodes[out].end, s.nodes[out].field = nd.start, nd.end, nd.field
	return out
}

// made adds a node around others.
func (s *rebuilder) made(kind string, role syntax.Role, kids []int) int {
	start, end := s.nodes[kids[0]].start, s.nodes[kids[len(kids)-1]].end
	s.nodes = append(s.nodes, node{kind: kind, role: role, named: true, start: start, end: end})
	s.kids = append(s.kids, slices.Clone(kids))
	return len(s.nodes) - 1
}

// name gives the children of a node the field names that they have there.
func (s *rebuilder) name(i int) {
	kind, after := s.nodes[i].kind, ""
	for _, k := range s.kids[i] {
		n := &s.nodes[k]
		if n.named && after != "" {
			n.field = after
		} else if n.field == "" {
			n.field = s.Field(kind, n.kind)
		}
		if after = ""; !n.named {
			after = s.After[syntax.Edge{Parent: kind, Child: n.kind}]
		}
	}
}

// emit writes a node and what is in it, in the order of the rebuilt tree.
func (s *rebuilder) emit(out []node, i, parent int) []node {
	at, nd := len(out), s.nodes[i]
	nd.parent = parent
	out = append(out, nd)
	for _, k := range s.kids[i] {
		out = s.emit(out, k, at)
	}
	out[at].last = len(out)
	return out
}
