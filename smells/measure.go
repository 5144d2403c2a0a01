package smells

import (
	"context"
	"fmt"
	"strings"

	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// measured is a block with all measures that the rules use.
type measured struct {
	Block
	// qualified is the name qualified by the names of the blocks around it.
	qualified string
	// statements is the number of statements of the block, without blocks inside it.
	statements int
	// branches is the number of branches as in pylint's too-many-branches; see
	// walker.branches.
	branches int
	// params is the number of arguments that a caller may pass.
	params int
	// paramsLines are the lines of the parameter list.
	paramsLines span
	// depth is the depth of nested statements with blocks (if, loop, try, with, switch).
	// deepest are the lines of the innermost statement.
	depth   int
	deepest span
	// whole reports whether the whole text of the block is visible and has no syntax
	// errors. paramsWhole reports it for the parameter list. The numbers of other blocks
	// are at best lower bounds.
	whole, paramsWhole bool

	methods, methodSum int // of a class: its methods, their complexities
	endByte            uint32
}

// span is a range of lines, inclusive and counted from 1.
type span struct{ first, last int }

// level is the state of the walk inside a node.
type level struct {
	node  *syntax.Node
	kind  *kind
	block int // index of the innermost block around the node's children
	depth int // nesting inside that block
	// conds is the number of conditions of the block around the node. direct is the number
	// of these conditions that consist of the node, apart from parentheses and ?: around
	// it.
	conds, direct int
	params        bool // the node is the parameter list of its block
	header        bool // the node is a declarator around that list
	group         bool // the node is a try with a clause for groups of exceptions
}

// ctxEvery is the number of nodes between two checks of the context.
const ctxEvery = 4096

// measure walks the tree once, with a cursor and without recursion, so that hostile code
// cannot overflow the stack. The first block is the Module.
//
// If near is not nil, functions and code outside of functions are left out if near is
// false for their lines; the measures of classes are then not correct.
func measure(ctx context.Context, f *syntax.Fragment, near func(first, last int) bool) ([]measured, error) {
	g := grammars[f.Table.Lang] // a header of C may hold C++
	if g == nil {
		return nil, nil
	}
	nodes := f.Nodes
	root := nodes.Root()
	w := &walker{f: f, root: root, g: g, near: near, kinds: kindTable{lang: f.Table.Lang, g: g}}
	w.blocks = []measured{{Block: Block{Kind: Module, Parent: -1}, whole: f.Whole, endByte: root.EndByte()}}
	w.blocks[0].StartLine, w.blocks[0].EndLine = f.Lines(root)
	w.nodes, w.cur = nodes, nodes.Cursor(root)

	w.stack = []level{{node: root, kind: w.kinds.get(root)}}
	if w.cur.GoToFirstChild() {
		for visited := 0; ; visited++ {
			if visited%ctxEvery == 0 && ctx.Err() != nil {
				return nil, fmt.Errorf("measuring code: %w", ctx.Err())
			}
			l, inside := w.enter(&w.stack[len(w.stack)-1])
			if inside && w.cur.GoToFirstChild() {
				w.stack = append(w.stack, l)
				continue
			}
			for len(w.stack) > 0 && !w.cur.GoToNextSibling() {
				w.cur.GoToParent()
				w.stack = w.stack[:len(w.stack)-1]
			}
			if len(w.stack) == 0 {
				break
			}
		}
	}
	w.finish()
	return w.blocks, nil
}

type walker struct {
	f      *syntax.Fragment
	root   *syntax.Node
	g      *grammar
	kinds  kindTable
	near   func(first, last int) bool
	nodes  *syntax.NodeList
	cur    *syntax.Cursor
	stack  []level // the nodes around the cursor's node, the root first
	blocks []measured
	// codeEnd is the end of the last node that is not a comment.
	codeEnd uint32
}

// enter adds the cursor's node, a child of p. It returns the level for the node's children,
// and whether they are measured.
func (w *walker) enter(p *level) (l level, inside bool) {
	n, k := (*syntax.Node)(nil), w.kinds.at(w.cur)
	if k.named {
		n = w.cur.CurrentNode()
	}
	l = level{node: n, kind: k, block: p.block, depth: p.depth, conds: p.conds}
	if !k.named {
		switch b := &w.blocks[p.block]; {
		case p.params && k.name == "...": // in C++ it has no node
			b.params++
		case k.variant:
			b.Complexity += w.g.under[parentChild{p.kind.name, k.name}]
		case k.decision:
			b.Complexity++
		case k.weighed:
			b.Complexity += p.conds
		}
		return l, false
	}
	if k.role == syntax.Comment {
		return l, false
	}
	if p.node == w.root {
		w.codeEnd = n.EndByte()
	}
	if !w.f.Whole && w.f.Framed(int(n.StartByte())) {
		l.kind = &frameKind
		return l, true
	}
	switch {
	case p.params:
		w.param(p, n, k)
		if !w.g.headers {
			return l, false
		}
	case p.header, p.kind.role.IsFunction(), p.kind.role == syntax.Lambda, p.kind.role.IsClass():
		if done := w.header(p, &l); done {
			return l, false
		}
	}

	opens := k.opens && (!k.accessor || w.nodes.Field(n, "body") != nil) ||
		k.name == "class_body" && p.kind.role == syntax.New || // Java's anonymous class
		k.name == "func_literal" && p.block == 0 && len(w.stack) > 1 && w.stack[len(w.stack)-2].kind.name == "var_spec" // Go's var f = func...
	if opens && len(w.g.declarators) > 0 && k.role.IsFunction() {
		// The code between #if and #endif may begin with "else if (a) {", which the
		// grammar takes for a function.
		switch w.declared(n) {
		case "if", "for", "while":
			w.blocks[p.block].Complexity++
			opens = false
		case "switch", "else", "do":
			opens = false
		}
	}
	if w.near != nil && !k.sealed && (opens || !w.blocks[p.block].function()) {
		if first, last := w.cur.CurrentLines(); !w.near(first, last) {
			return l, false
		}
	}
	if opens {
		l.block = w.open(p, n, k)
		l.depth, l.conds = 0, 0
		return l, true
	}
	w.count(p, &l)
	return l, !k.sealed
}

// header measures a child of a function or class. done reports whether the inside of the
// child is not measured.
func (w *walker) header(p, l *level) (done bool) {
	if p.kind.role == syntax.Lambda && !w.g.lambdas && w.blocks[p.block].Kind != Lambda {
		return false
	}
	field := w.cur.CurrentFieldName()
	if field == "body" {
		return false
	}
	b := &w.blocks[p.block]
	switch {
	case b.Kind == Class: // the parameter list of a record belongs to its constructor
	case l.kind.declarator:
		l.header = true
		return false
	case b.paramsLines.first > 0: // a function may return a function
	case field == "parameters", field == "parameter":
		b.paramsLines = w.lines(l.node)
		b.paramsWhole = !l.node.HasError() && !w.f.Cut(l.node)
		if l.kind.role == syntax.Identifier { // x => x
			b.params = 1
			return true
		}
		l.params = true
		return false
	}
	return !w.g.headers
}

// param adds a child of a parameter list.
func (w *walker) param(p *level, n *syntax.Node, k *kind) {
	b := &w.blocks[p.block]
	if k == &errorKind || k.separator || w.g.void && n.EndByte()-n.StartByte() == 4 && w.f.Text(n) == "void" {
		return
	}
	if b.params == 0 && len(w.g.receivers) > 0 {
		if name := w.paramName(n); w.g.receivers[name] && (b.Kind == Method || name == "this") {
			return
		}
	}
	b.params++
	if k.grouped {
		b.params += max(0, int(n.NamedChildCount())-2)
	}
}

func (w *walker) lines(n *syntax.Node) span {
	first, last := w.f.Lines(n)
	return span{first, last}
}

// paramName returns the name of a parameter without a default value, which may be a
// receiver.
func (w *walker) paramName(n *syntax.Node) string {
	if n.EndByte()-n.StartByte() > limits.NameBytes {
		return ""
	}
	text := w.f.Text(n)
	if i := strings.IndexAny(text, ": "); i >= 0 {
		return text[:i]
	}
	return text
}

// open starts a new block at a function or class and returns its index.
func (w *walker) open(p *level, n *syntax.Node, k *kind) int {
	parent := &w.blocks[p.block]
	first, last := w.f.Lines(n)
	b := measured{endByte: n.EndByte(), paramsWhole: true}
	b.Block = Block{Kind: Function, Name: w.name(p, n, k), Parent: p.block, StartLine: first, EndLine: last, Complexity: 1}
	head := w.undecorated(n)
	if head != n {
		b.StartLine, _ = w.f.Lines(head)
	}
	if name := w.nodes.Field(n, "name"); name != nil && w.f.Lang == lang.Java {
		// The node begins at its annotations; the line of the name is reported.
		head = name
		b.StartLine, _ = w.f.Lines(name)
	}
	b.Column = w.f.Column(head)
	b.whole = w.f.Whole || !n.HasError() && !w.f.Cut(n)
	switch {
	case k.role.IsClass(), k.role == syntax.Block:
		b.Kind = Class
	case k.role == syntax.Lambda:
		b.Kind = Lambda
	case parent.Kind == Class || strings.HasPrefix(k.name, "method") || w.f.Lang == lang.Java:
		b.Kind = Method
	}
	if parent.Kind == Class {
		b.Class = parent.Name
	} else if r := w.nodes.Field(n, "receiver"); r != nil && w.g.typesApart && r.EndByte()-r.StartByte() <= limits.NameBytes {
		// (c *Cache[K]): the type is the last word before its parameters.
		before, _, _ := strings.Cut(strings.Trim(w.f.Text(r), "()"), "[")
		if words := strings.FieldsFunc(before, func(c rune) bool { return c == ' ' || c == '*' }); len(words) > 0 {
			b.Class = words[len(words)-1]
		}
	}
	b.qualified = b.Name
	if parent.qualified != "" && len(parent.qualified) < limits.QualifiedBytes {
		b.qualified = parent.qualified + "." + b.Name
	}
	w.blocks = append(w.blocks, b)
	return len(w.blocks) - 1
}

// undecorated returns the first part of the cursor's node after the attributes and decorators
// inside it; the node itself if there are none.
func (w *walker) undecorated(n *syntax.Node) *syntax.Node {
	if !w.cur.GoToFirstChild() {
		return n
	}
	defer w.cur.GoToParent()
	head := n
	for w.kinds.at(w.cur).role == syntax.Decorator && w.cur.GoToNextSibling() {
		head = w.cur.CurrentNode()
	}
	return head
}

// name returns the name of a function or class. A function expression is named after the
// variable that it is assigned to.
func (w *walker) name(p *level, n *syntax.Node, k *kind) string {
	if len(w.g.declarators) > 0 && k.role.IsFunction() {
		return w.declared(n)
	}
	id := w.nodes.Field(n, "name")
	if k.accessor && len(w.stack) > 1 {
		id = w.nodes.Field(w.stack[len(w.stack)-2].node, "name")
	}
	if id == nil && k.role.IsClass() {
		id = w.nodes.Field(n, "type") // of an impl block
		if id != nil && id.ChildCount() > 0 {
			id = w.nodes.Field(id, "type") // with parameters
		}
	}
	if id == nil && (k.role == syntax.Lambda || k.role.IsClass()) {
		switch p.kind.name {
		case "variable_declarator":
			id = w.nodes.Field(p.node, "name")
		case "assignment_expression":
			id = w.nodes.Field(p.node, "left")
			if id != nil && id.Type() == "member_expression" {
				id = w.nodes.Field(id, "property")
			}
		case "pair":
			id = w.nodes.Field(p.node, "key")
		case "field_definition":
			id = w.nodes.Field(p.node, "property")
		case "public_field_definition":
			id = w.nodes.Field(p.node, "name")
		case "expression_list": // of Go
			if p.node.NamedChildCount() == 1 && len(w.stack) > 1 {
				id = w.nodes.Field(w.stack[len(w.stack)-2].node, "name")
			}
		}
	}
	if id == nil || id.EndByte()-id.StartByte() > limits.NameBytes {
		return ""
	}
	switch k := w.kinds.get(id); {
	case k.role == syntax.String:
		return strings.Trim(w.f.Text(id), `"'`)
	case k.name == "setter", k.name == "operator": // of Ruby: def a=(b), def <=>(other)
	case id.ChildCount() > 0:
		return ""
	}
	return w.f.Text(id)
}

// declared returns the name of a function of C, which is inside declarators: *f(void).
func (w *walker) declared(n *syntax.Node) string {
	d := w.nodes.Field(n, "declarator")
	for i := 0; d != nil && i < limits.Declarators; i++ {
		switch k := w.kinds.get(d); {
		case k.name == "operator_cast":
			name, _, _ := strings.Cut(string(w.f.Source[d.StartByte():min(d.EndByte(), d.StartByte()+limits.NameBytes)]), "(")
			return strings.TrimSpace(name)
		case !k.declarator:
			if d.EndByte()-d.StartByte() > limits.NameBytes {
				return ""
			}
			return w.f.Text(d)
		}
		inner := w.nodes.Field(d, "declarator")
		if inner == nil {
			inner = d.NamedChild(0) // of a reference, and of parentheses
		}
		d = inner
	}
	return ""
}

// count adds a node that does not open a block.
func (w *walker) count(p, l *level) {
	k := l.kind
	b := &w.blocks[p.block]
	decision := 0
	if k.decision {
		decision = 1
	}
	if k.variant {
		if n, ok := w.g.under[parentChild{p.kind.name, k.name}]; ok && !p.group {
			decision = n
		}
	}
	p.group = p.group || k.group
	b.Complexity += decision
	b.branches += w.branches(p, l)

	if (k.statement || p.kind.body && k.loose) && !w.heads(p, l.node) {
		b.statements++
	}
	if k.role == syntax.String && p.kind.role == syntax.ExpressionStatement {
		b.statements-- // a docstring or a directive such as 'use strict'
	}
	// An "else if" is not a level of its own.
	if k.level && !(k.role == syntax.If && (p.kind.role == syntax.Else || p.kind.role == syntax.If && w.cur.CurrentFieldName() == "alternative")) {
		l.depth++
		if l.depth > b.depth {
			b.depth = l.depth
			b.deepest = w.lines(l.node)
		}
	}
	w.weigh(p, l)
}

// branches returns the number of branches that a node adds. As in pylint an if, an elif, an
// else, a loop and an except add one, finally adds two, and an else with nothing but an if is
// an elif. Unlike in pylint 2.16 a case adds one, unless it falls through to the next case or
// only gives a value.
func (w *walker) branches(p, l *level) int {
	switch l.kind.role {
	case syntax.If, syntax.ElseIf, syntax.Loop, syntax.Catch:
		return 1
	case syntax.Finally:
		return 2
	case syntax.Case:
		if end := w.f.Source[l.node.EndByte()-1]; end != ':' && (end == '}' || !rows[l.kind.name]) {
			return 1
		}
	case syntax.Else:
		inside := l.node
		if inside.NamedChildCount() == 1 && w.g.indented {
			inside = inside.NamedChild(0)
		}
		if inside.NamedChildCount() != 1 || w.kinds.get(inside.NamedChild(0)).role != syntax.If {
			return 1
		}
	default:
		// If the grammar has no node for an else, its content is the node.
		if p.kind.role == syntax.If && w.cur.CurrentFieldName() == "alternative" {
			return 1
		}
	}
	return 0
}

// rows are the kinds of cases that are expressions or blocks.
var rows = kinds("match_arm", "switch_rule", "switch_expression_arm", "match_conditional_expression", "match_default_expression")

// heads reports whether a node that looks like a statement is a part of the statement
// around it, as in the head of a loop, or is only a semicolon.
func (w *walker) heads(p *level, n *syntax.Node) bool {
	if n.EndByte()-n.StartByte() == 1 && w.f.Source[n.StartByte()] == ';' {
		return true
	}
	switch p.kind.role {
	case syntax.Loop:
		return w.cur.CurrentFieldName() != "body"
	case syntax.If, syntax.Switch:
		return w.cur.CurrentFieldName() == "initializer"
	case syntax.Case:
		return w.cur.CurrentFieldName() == "communication"
	}
	return p.kind.head
}

// weigh measures conditions of Java as PMD does. For every condition PMD adds the number of
// && and || in it, so an operator inside a nested ?: is added again. A condition that
// consists of a ?: adds two. PMD also adds the alternatives of a case label, without
// patterns.
func (w *walker) weigh(p, l *level) {
	if len(w.g.conditions) == 0 {
		return
	}
	k := l.kind
	if p.kind.role.Is(syntax.Parens, syntax.Conditional) {
		l.direct = p.direct
	}
	if p.kind.condition && w.cur.CurrentFieldName() == "condition" {
		l.conds++
		l.direct++
	}
	switch b := &w.blocks[p.block]; {
	case k.role == syntax.Conditional:
		b.Complexity += 2 * l.direct
	case k.name == "switch_label":
		b.Complexity += w.alternatives(l.node)
	}
}

// alternatives returns the number of constants in a case label, 0 for default.
func (w *walker) alternatives(label *syntax.Node) int {
	cur := w.nodes.Cursor(label)
	n := 0
	for ok := cur.GoToFirstChild(); ok; ok = cur.GoToNextSibling() {
		c := cur.CurrentNode()
		switch k := w.kinds.get(c); {
		case k.name == "default", k.role == syntax.Identifier && c.EndByte()-c.StartByte() == 7 && w.f.Text(c) == "default":
			return 0
		case k.named && k.role != syntax.Comment && k.name != "pattern" && k.name != "guard":
			n++
		}
	}
	return n
}

// finish computes the measures that are known only at the end of the text.
func (w *walker) finish() {
	for i := range w.blocks {
		b := &w.blocks[i]
		if !w.f.Whole && w.g.indented && b.endByte >= w.codeEnd {
			b.whole = false
		}
		if b.Kind == Method && w.blocks[b.Parent].Kind == Class {
			c := &w.blocks[b.Parent]
			c.methods++
			c.methodSum += b.Complexity
		}
	}
	for i := range w.blocks {
		if b := &w.blocks[i]; b.methods > 0 {
			b.Complexity = (b.Complexity + b.methodSum) / b.methods
			if b.methods > 1 {
				b.Complexity++
			}
		}
	}
}
