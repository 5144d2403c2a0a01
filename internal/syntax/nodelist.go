package syntax

// The functions below are tree-sitter's own, which are linked in by its Go
// binding. They are declared here, weakly, because cgo links each package by
// itself first and the binding does not hand out its header.

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include <stdbool.h>
#include <stdint.h>

typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct { uint32_t row, column; } TSPoint;

#define TS __attribute__((weak)) extern
TS TSTreeCursor ts_tree_cursor_new(TSNode);
TS void ts_tree_cursor_delete(TSTreeCursor *);
TS TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
TS uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
TS bool ts_tree_cursor_goto_parent(TSTreeCursor *);
TS bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
TS bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
TS uint16_t ts_node_symbol(TSNode);
TS bool ts_node_is_named(TSNode);
TS bool ts_node_has_error(TSNode);
TS uint32_t ts_node_end_byte(TSNode);
TS TSPoint ts_node_end_point(TSNode);
TS uint32_t ts_node_descendant_count(TSNode);

typedef struct {
	uint32_t start, row, column; // where it starts
	uint32_t end, end_row, end_column;
	uint32_t parent, next;
	uint16_t symbol, field;
	bool named, wrong; // wrong tells that there is an error in it
} Listed;

typedef struct { TSTreeCursor cursor; uint32_t at, count; bool begun, done; } Walk;

static void begin(Walk *w, TSNode root) { w->cursor = ts_tree_cursor_new(root); }
static void finish(Walk *w) { ts_tree_cursor_delete(&w->cursor); }

static void put(Walk *w, Listed *out, uint32_t parent) {
	Listed *l = &out[w->count];
	TSNode n = ts_tree_cursor_current_node(&w->cursor);
	l->start = n.context[0], l->row = n.context[1], l->column = n.context[2];
	l->end = ts_node_end_byte(n);
	TSPoint p = ts_node_end_point(n);
	l->end_row = p.row, l->end_column = p.column;
	l->named = ts_node_is_named(n), l->wrong = ts_node_has_error(n);
	l->parent = parent;
	l->next = w->count + 1;
	l->symbol = ts_node_symbol(n);
	l->field = ts_tree_cursor_current_field_id(&w->cursor);
	w->at = w->count++;
}

// fill goes on with the list until it has limit nodes or all.
static void fill(Walk *w, Listed *out, uint32_t limit) {
	if (!w->begun) {
		w->begun = true;
		put(w, out, 0);
	}
	while (w->count < limit) {
		if (ts_tree_cursor_goto_first_child(&w->cursor)) {
			put(w, out, w->at);
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&w->cursor)) {
			out[w->at].next = w->count;
			if (!ts_tree_cursor_goto_parent(&w->cursor)) {
				w->done = true;
				return;
			}
			w->at = out[w->at].parent;
		}
		out[w->at].next = w->count;
		put(w, out, out[w->at].parent);
	}
}
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// NodeList is a tree as a list: the nodes in the order of the text, each before
// those inside it. It costs less than half of the parse, once. A walk over
// tree-sitter's own nodes costs as much as the parse each time, for every step and
// every question is a call into C and every node an entry in a map.
type NodeList struct {
	f      *Fragment
	nodes  []C.Listed
	handed []Node   // by number
	fields []string // the names of the fields by number, of which 0 is none
}

// listEvery is how many nodes are listed between two looks at the context.
const listEvery = 1 << 16

// Nodes lists the nodes of the tree, the first time that it is asked. The error
// is ctx's own.
func (f *Fragment) Nodes(ctx context.Context) (*NodeList, error) {
	if f.nodes != nil {
		return f.nodes, nil
	}
	l := &NodeList{f: f, fields: []string{""}}
	for g, i := f.Table.grammar(), 1; ; i++ {
		name := g.FieldName(i)
		if name == "" {
			break
		}
		l.fields = append(l.fields, name)
	}
	root := *(*C.TSNode)(unsafe.Pointer(f.Root()))                 // the first thing in a Node
	l.nodes = make([]C.Listed, C.ts_node_descendant_count(root)+1) // fill must see that there are no more
	w := new(C.Walk)
	C.begin(w, root)
	defer C.finish(w)
	for {
		C.fill(w, &l.nodes[0], C.uint32_t(min(int(w.count)+listEvery, len(l.nodes))))
		if w.done {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("listing nodes: %w", err)
		}
		if int(w.count) == len(l.nodes) { // only if tree-sitter counted wrongly
			l.nodes = append(l.nodes, make([]C.Listed, len(l.nodes))...)
		}
	}
	l.nodes = l.nodes[:w.count]
	l.handed = make([]Node, len(l.nodes))
	for i := range l.handed {
		l.handed[i] = Node{l, i}
	}
	f.nodes = l
	return l, nil
}

// Root returns the root of the tree.
func (l *NodeList) Root() *Node { return &l.handed[0] }

// Field returns the child of a node that is in a field, or nil. Of a node that is in
// two fields, as in Swift, it knows one.
func (l *NodeList) Field(n *Node, name string) *Node { return n.ChildByFieldName(name) }

// Node is a node of a NodeList, one for each of the tree's, so that they can be
// compared. Its methods are those of tree-sitter's nodes.
type Node struct {
	list *NodeList
	at   int
}

// Symbol is the number of a kind of node.
type Symbol = sitter.Symbol

// errorSymbol is the kind of what the grammar did not understand.
const errorSymbol = 1<<16 - 1

func (n *Node) listed() *C.Listed { return &n.list.nodes[n.at] }

// StartByte is where the node starts in the source.
func (n *Node) StartByte() uint32 { return uint32(n.listed().start) }

// EndByte is the byte behind the node.
func (n *Node) EndByte() uint32 { return uint32(n.listed().end) }

// StartPoint is StartByte as a row and a column in it.
func (n *Node) StartPoint() sitter.Point {
	return sitter.Point{Row: uint32(n.listed().row), Column: uint32(n.listed().column)}
}

// EndPoint is EndByte as a row and a column in it.
func (n *Node) EndPoint() sitter.Point {
	return sitter.Point{Row: uint32(n.listed().end_row), Column: uint32(n.listed().end_column)}
}

// Symbol is the number of the node's kind.
func (n *Node) Symbol() Symbol { return Symbol(n.listed().symbol) }

// Type is the name of the node's kind, for which C is called.
func (n *Node) Type() string {
	if n.Symbol() == errorSymbol {
		return "ERROR"
	}
	return n.list.f.Table.grammar().SymbolName(n.Symbol())
}

// IsNamed tells whether the node is more than a token.
func (n *Node) IsNamed() bool { return bool(n.listed().named) }

// HasError tells whether there is something in the node that the grammar did not
// understand, or missed.
func (n *Node) HasError() bool { return bool(n.listed().wrong) }

// Child returns a child by number, or nil.
func (n *Node) Child(i int) *Node { return n.child(i, false) }

// NamedChild returns a named child by number, or nil.
func (n *Node) NamedChild(i int) *Node { return n.child(i, true) }

// ChildCount returns the number of children.
func (n *Node) ChildCount() uint32 { return n.count(false) }

// NamedChildCount returns the number of named children.
func (n *Node) NamedChildCount() uint32 { return n.count(true) }

func (n *Node) child(i int, named bool) *Node {
	nodes := n.list.nodes
	for c := n.at + 1; c < int(nodes[n.at].next); c = int(nodes[c].next) {
		if named && !bool(nodes[c].named) {
			continue
		}
		if i == 0 {
			return &n.list.handed[c]
		}
		i--
	}
	return nil
}

func (n *Node) count(named bool) (count uint32) {
	nodes := n.list.nodes
	for c := n.at + 1; c < int(nodes[n.at].next); c = int(nodes[c].next) {
		if !named || bool(nodes[c].named) {
			count++
		}
	}
	return count
}

// ChildByFieldName returns the child that is in a field, or nil. Of a node that is in
// two fields, as in Swift, it knows one.
func (n *Node) ChildByFieldName(name string) *Node {
	nodes := n.list.nodes
	if nodes[n.at].symbol == errorSymbol {
		return nil
	}
	field := n.list.fieldID(name)
	for c := n.at + 1; c < int(nodes[n.at].next); c = int(nodes[c].next) {
		if nodes[c].field == field {
			return &n.list.handed[c]
		}
	}
	return nil
}

// fieldID returns the number of a field, one that no node has if the grammar does
// not have it.
func (l *NodeList) fieldID(name string) C.uint16_t {
	for i := 1; i < len(l.fields); i++ {
		if l.fields[i] == name {
			return C.uint16_t(i)
		}
	}
	return 1<<16 - 1
}

// Cursor walks over a NodeList as tree-sitter's cursor walks over a tree.
type Cursor struct {
	list *NodeList
	top  int // where it began
	at   int
}

// Cursor returns a cursor at a node of the tree.
func (l *NodeList) Cursor(n *Node) *Cursor { return &Cursor{list: l, top: n.at, at: n.at} }

// Reset puts the cursor to a node of the tree, which it does not leave.
func (c *Cursor) Reset(n *Node) { c.top, c.at = n.at, n.at }

// CurrentNode returns the node that the cursor is at.
func (c *Cursor) CurrentNode() *Node { return &c.list.handed[c.at] }

// CurrentSymbol is CurrentNode().Symbol().
func (c *Cursor) CurrentSymbol() Symbol { return Symbol(c.list.nodes[c.at].symbol) }

// CurrentBytes is where the current node starts and ends in the source.
func (c *Cursor) CurrentBytes() (start, end uint32) {
	n := &c.list.nodes[c.at]
	return uint32(n.start), uint32(n.end)
}

// CurrentLines is what Fragment.Lines says of the current node.
func (c *Cursor) CurrentLines() (first, last int) { return c.list.f.Lines(c.CurrentNode()) }

// CurrentFieldName returns the name of the field that the current node is in, ""
// of one that is in none and of the one where the cursor began.
func (c *Cursor) CurrentFieldName() string {
	if c.at == c.top {
		return ""
	}
	return c.list.fields[c.list.nodes[c.at].field]
}

// GoToFirstChild goes to the first child, if there is one.
func (c *Cursor) GoToFirstChild() bool {
	if int(c.list.nodes[c.at].next) == c.at+1 {
		return false
	}
	c.at++
	return true
}

// GoToNextSibling goes to the next sibling, if there is one.
func (c *Cursor) GoToNextSibling() bool {
	n := &c.list.nodes[c.at]
	next := int(n.next)
	if c.at == c.top || next >= int(c.list.nodes[n.parent].next) {
		return false
	}
	c.at = next
	return true
}

// GoToParent goes to the parent, unless the cursor is where it began.
func (c *Cursor) GoToParent() bool {
	if c.at == c.top {
		return false
	}
	c.at = int(c.list.nodes[c.at].parent)
	return true
}
