package tree

import (
	"slices"

	"crscore/internal/syntax"
)

// rebuilder rebuilds a tree as the table of its language says.
type rebuilder struct {
	*Tree
	table *syntax.Table
	kids  [][]int // of each node, as they will be
}

// rebuild moves nodes as the language's table says. Nodes are visited from the
// last to the first, so that what is in a node is done before the node.
func (t *Tree) rebuild() {
	table := t.Frag.Table
	if r := table.Rebuild; r.Single == nil && r.Adopt == nil && r.After == nil && r.Wrap == nil && r.Groups == nil {
		return
	}
	s := &rebuilder{Tree: t, table: table, kids: make([][]int, len(t.nodes))}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if p := t.nodes[i].parent; p >= 0 {
			s.kids[p] = append(s.kids[p], i)
		}
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if len(s.kids[i]) > 0 {
			slices.Reverse(s.kids[i])
			s.node(i)
		}
	}
	s.emit()
}

// node rebuilds what is directly in a node.
func (s *rebuilder) node(i int) {
	kind := s.nodes[i].kind
	for j, k := range s.kids[i] {
		c := s.nodes[k].kind
		if len(s.kids[k]) == 1 && (s.table.Single[syntax.Edge{Parent: kind, Child: c}] || s.table.Single[syntax.Edge{Child: c}]) {
			s.kids[i][j] = s.kids[k][0]
			if only := &s.nodes[s.kids[k][0]]; s.nodes[k].field != "" {
				only.field = s.nodes[k].field
			}
		}
	}
	s.adopt(i)
	for j, k := range s.kids[i] {
		if in := s.table.Wrap[syntax.Edge{Parent: kind, Child: s.nodes[k].kind}]; in != "" {
			s.kids[i][j] = s.wrap(k, in)
		}
	}
	for _, g := range s.table.Groups {
		if g.In == kind {
			s.group(i, g)
		}
	}
	s.name(i)
}

func (s *rebuilder) adopt(i int) {
	adopts := s.table.Adopt
	if adopts == nil {
		return
	}
	kids := s.kids[i]
	out := kids[:0:0]
	for k := 0; k < len(kids); k++ {
		c := kids[k]
		if len(out) > 0 {
			if a := out[len(out)-1]; adopts[syntax.Edge{Parent: s.nodes[a].kind, Child: s.nodes[c].kind}] {
				s.take(a, c)
				if !s.nodes[c].named && k+1 < len(kids) {
					k++
					s.take(a, kids[k])
				}
				s.name(a)
				continue
			}
		}
		out = append(out, c)
	}
	s.kids[i] = out
}

// take puts a node behind the children of another, or its children where both
// are lists of the same kind.
func (s *rebuilder) take(a, c int) {
	if s.nodes[a].kind == s.nodes[c].kind {
		s.kids[a] = append(s.kids[a], s.kids[c]...)
	} else {
		s.kids[a] = append(s.kids[a], c)
	}
	s.nodes[a].end = max(s.nodes[a].end, s.nodes[c].end)
}

// group puts a run of children into a node of its own.
func (s *rebuilder) group(i int, g syntax.Group) {
	kids := s.kids[i]
	from := slices.IndexFunc(kids, func(k int) bool { return s.nodes[k].kind == g.From })
	if from < 0 {
		return
	}
	n := slices.IndexFunc(kids[from+1:], func(k int) bool { return s.nodes[k].kind == g.To })
	if n < 1 {
		return
	}
	run := kids[from+1 : from+1+n]
	// Parts between commas, with the commas left where they are.
	var parts []int
	for len(run) > 0 {
		k := slices.IndexFunc(run, func(k int) bool { return s.nodes[k].kind == "," })
		end := k
		if k < 0 {
			end = len(run)
		}
		if end == 1 {
			parts = append(parts, run[0])
		} else if end > 1 {
			parts = append(parts, s.made(syntax.KindBinding, syntax.Variable, run[:end]))
			s.name(parts[len(parts)-1])
		}
		if k < 0 {
			break
		}
		parts = append(parts, run[k])
		run = run[k+1:]
	}
	if len(parts) == 0 {
		return
	}
	one := parts[0]
	if len(parts) > 1 {
		for _, p := range parts {
			s.nodes[p].field = ""
		}
		one = s.made(syntax.KindConditions, syntax.Binary, parts)
	}
	s.nodes[one].field = g.Field
	s.kids[i] = slices.Concat(kids[:from+1], []int{one}, kids[from+1+n:])
}

// wrap puts a node around another. What has a function and nothing else in its
// braces is that function.
func (s *rebuilder) wrap(k int, kind string) int {
	var only []int
	for _, c := range s.kids[k] {
		if s.nodes[c].named {
			only = append(only, c)
		}
	}
	inner := k
	if len(only) == 1 && s.nodes[only[0]].role == syntax.Lambda {
		inner = only[0]
	}
	out := s.made(kind, s.table.Role(kind), []int{inner})
	s.nodes[out].start, s.nodes[out].end, s.nodes[out].field = s.nodes[k].start, s.nodes[k].end, s.nodes[k].field
	return out
}

// made adds a node around others.
func (s *rebuilder) made(kind string, role syntax.Role, kids []int) int {
	s.nodes = append(s.nodes, node{kind: kind, role: role, named: true, start: s.nodes[kids[0]].start, end: s.nodes[kids[len(kids)-1]].end})
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
			n.field = s.table.Field(kind, n.kind)
		}
		if after = ""; !n.named {
			after = s.table.After[syntax.Edge{Parent: kind, Child: n.kind}]
		}
	}
}

// emit writes the nodes anew, in the order of the shaped tree.
func (s *rebuilder) emit() {
	out := make([]node, 0, len(s.nodes))
	type frame struct{ node, next, at int } // at: its index in out
	stack := []frame{{node: 0, at: 0}}
	out = append(out, s.nodes[0])
	out[0].parent = -1
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(s.kids[f.node]) {
			out[f.at].last = len(out)
			stack = stack[:len(stack)-1]
			continue
		}
		k := s.kids[f.node][f.next]
		f.next++
		n := s.nodes[k]
		n.parent = f.at
		out = append(out, n)
		stack = append(stack, frame{node: k, at: len(out) - 1})
	}
	s.Tree.nodes = out
}
