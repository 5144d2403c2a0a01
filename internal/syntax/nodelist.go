package syntax

// The functions below are tree-sitter's own, which are linked in by its Go
// binding. They are declared here, weakly, because cgo links each package by
// itself first and the binding does not hand out its header.

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
TS uint32_t ts_node_end_byte(TSNode);
TS TSPoint ts_node_end_point(TSNode);

typedef struct {
	uint32_t context[4]; // of the TSNode; begins with the start's byte and row
	const void *id;      // likewise
	uint32_t end, last;  // the byte behind it and its last row
	uint32_t parent, next;
	uint16_t symbol, field;
} Listed;

typedef struct { TSTreeCursor cursor; uint32_t at, count; bool begun, done; } Walk;

static void begin(Walk *w, TSNode root) { w->cursor = ts_tree_cursor_new(root); }
static void finish(Walk *w) { ts_tree_cursor_delete(&w->cursor); }

static void put(Walk *w, Listed *out, uint32_t parent) {
	Listed *l = &out[w->count];
	TSNode n = ts_tree_cursor_current_node(&w->cursor);
	memcpy(l->context, n.context, sizeof n.context);
	l->id = n.id;
	l->end = ts_node_end_byte(n);
	TSPoint p = ts_node_end_point(n);
	l->last = p.column == 0 && p.row > n.context[1] ? p.row - 1 : p.row; // it may end with a newline
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
	"sort"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// NodeList is a tree as a list: the nodes in the order of the text, each before
// those inside it. It costs less than half of the parse, once. A walk with
// tree-sitter's own cursor costs as much as the parse each time, for every step is
// a call into C and every node an entry in a map.
type NodeList struct {
	f      *Fragment
	nodes  []C.Listed
	root   sitter.Node
	spare  []sitter.Node // to be handed out
	fields []string      // the names of the fields by number, of which 0 is none
}

// Node and Symbol are tree-sitter's.
type (
	Node   = sitter.Node
	Symbol = sitter.Symbol
)

// listEvery is how many nodes are listed between two looks at the context.
const listEvery = 1 << 16

// Nodes lists the nodes of the tree, the first time that it is asked. The error
// is ctx's own.
func (f *Fragment) Nodes(ctx context.Context) (*NodeList, error) {
	if f.nodes != nil {
		return f.nodes, nil
	}
	root := f.Root()
	l := &NodeList{f: f, root: *root, fields: []string{""}, nodes: make([]C.Listed, min(listEvery, len(f.Source)/2+64))}
	for g, i := f.Table.grammar(), 1; ; i++ {
		name := g.FieldName(i)
		if name == "" {
			break
		}
		l.fields = append(l.fields, name)
	}
	w := new(C.Walk)
	C.begin(w, *(*C.TSNode)(unsafe.Pointer(root)))
	defer C.finish(w)
	for {
		C.fill(w, &l.nodes[0], C.uint32_t(len(l.nodes)))
		if w.done {
			l.nodes = l.nodes[:w.count]
			f.nodes = l
			return l, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("listing nodes: %w", err)
		}
		more := make([]C.Listed, 2*len(l.nodes))
		copy(more, l.nodes)
		l.nodes = more
	}
}

// node returns the node with a number.
func (l *NodeList) node(i int) *sitter.Node {
	if len(l.spare) == 0 {
		l.spare = make([]sitter.Node, 128)
	}
	n := &l.spare[0]
	l.spare = l.spare[1:]
	*n = l.root
	c := (*C.TSNode)(unsafe.Pointer(n)) // the first thing in a Node
	c.context, c.id = l.nodes[i].context, l.nodes[i].id
	return n
}

// errorSymbol is the kind of what the grammar did not understand.
const errorSymbol = 1<<16 - 1

// near is how many nodes are looked at before find searches for one.
const near = 8

// find returns the number of a node, -1 of one that is not in the tree.
func (l *NodeList) find(n *sitter.Node) int {
	want := (*C.TSNode)(unsafe.Pointer(n))
	start := want.context[0]
	// By where they start, and of those that start at one place the longest first.
	from := sort.Search(len(l.nodes), func(i int) bool { return l.nodes[i].context[0] >= start })
	for i := from; i < min(from+near, len(l.nodes)); i++ {
		if l.nodes[i].id == want.id {
			return i
		}
	}
	to := from + sort.Search(len(l.nodes)-from, func(i int) bool { return l.nodes[from+i].context[0] > start })
	end := C.uint32_t(n.EndByte())
	at := from + sort.Search(to-from, func(i int) bool { return l.nodes[from+i].end <= end })
	for i := at; i < to; i++ {
		if l.nodes[i].id == want.id {
			return i
		}
	}
	for i := from; i < at; i++ { // a missing token has no length
		if l.nodes[i].id == want.id {
			return i
		}
	}
	return -1
}

// Field returns the child of a node that is in a field, or nil, as the node's
// ChildByFieldName does at many times the cost. Of a node that is in two fields, as
// in Swift, it knows one.
func (l *NodeList) Field(n *sitter.Node, name string) *sitter.Node {
	at := l.find(n)
	if l.nodes[at].symbol == errorSymbol {
		return nil
	}
	field := l.fieldID(name)
	for i := at + 1; i < int(l.nodes[at].next); i = int(l.nodes[i].next) {
		if l.nodes[i].field == field {
			return l.node(i)
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
func (l *NodeList) Cursor(n *sitter.Node) *Cursor {
	c := &Cursor{list: l}
	c.Reset(n)
	return c
}

// Reset puts the cursor to a node, which it does not leave. It is an error of the
// program if the node is of another tree.
func (c *Cursor) Reset(n *sitter.Node) {
	c.top = c.list.find(n)
	c.at = c.top
}

// CurrentNode returns the node that the cursor is at.
func (c *Cursor) CurrentNode() *sitter.Node { return c.list.node(c.at) }

// CurrentSymbol is CurrentNode().Symbol().
func (c *Cursor) CurrentSymbol() sitter.Symbol { return sitter.Symbol(c.list.nodes[c.at].symbol) }

// CurrentBytes is where the current node starts and ends in the source.
func (c *Cursor) CurrentBytes() (start, end uint32) {
	n := &c.list.nodes[c.at]
	return uint32(n.context[0]), uint32(n.end)
}

// CurrentLines is what Fragment.Lines says of the current node.
func (c *Cursor) CurrentLines() (first, last int) {
	n := &c.list.nodes[c.at]
	return c.list.f.LinesOfRows(int(n.context[1]), int(n.last))
}

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
