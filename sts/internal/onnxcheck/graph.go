// Package onnxcheck tells, from an ONNX graph alone, how much an encoder would make of a text
// of some length: a file of a few bytes can ask for more memory than there is.
package onnxcheck

import (
	"fmt"
	"math"
	"slices"

	"crscore/sts/internal/limits"
)

// Limits. Those of values and work grow with the weights, which are bytes that the file really
// has, and with the text. A transformer makes some 60 values a layer and dimension for a token,
// and 10 a layer and head for a pair of tokens: BERT-large (24 layers, 1,024 dimensions, 16
// heads, 335 million weights) 2.3 million a token and 4 thousand a pair. Models that share
// weights between layers need the fixed parts.
const (
	baseValues      = 1 << 26 // constants, masks and tables of positions
	valuesPerWeight = 4       // weights that are turned, cast and unpacked
	valuesPerToken  = 1 << 20 // BERT-large may make 43 million, its weights counted
	weightsPerToken = 8
	valuesPerPair   = 1 << 12 // BERT-large may make 86 thousand, its weights counted
	weightsPerPair  = 1 << 12
	workPerValue    = 256     // multiply-adds: ALBERT uses a weight 24 times for a token
	mostExact       = 1 << 53 // the integers that a float64 has
	mostInt32       = 1<<31 - 1
)

// Element types (TensorProto.DataType) of tensors whose values are followed.
const (
	Float  = 1
	Int32  = 6
	Int64  = 7
	Bool   = 9
	Double = 11
)

// Graph is a graph without its weights.
type Graph struct {
	Nodes   []Node            // in any order
	Weights map[string]Tensor // by name
	Inputs  []Port            // without weights
	Outputs []Port            // that the file declares
	Size    int64             // the values of all weights, those in nodes and their graphs included
}

// Port is an input or output of a graph.
type Port struct {
	Name string  // of the value
	Elem int     // TensorProto.DataType
	Dims []int64 // -1 for those that vary
}

// Node is an operation.
type Node struct {
	Name, Op        string          // Op is the kind
	Inputs, Outputs []string        // empty for those that are left out
	Attrs           map[string]Attr // by name
}

// Attr is an attribute of a node. It has the one kind of value that its file gives.
type Attr struct {
	Numbers []float64 // one or a list
	Text    string    // a string
	Tensor  *Tensor   // a constant
	Graph   *Graph    // a branch
}

// Tensor is what is known of a tensor before a model runs.
type Tensor struct {
	Elem   int       // TensorProto.DataType, 0 when unknown
	Dims   []int64   // the shape
	Values []float64 // row by row; nil when unknown
	atMost bool      // Dims are bounds from above
	folds  int64     // nodes that a backend evaluates for Values
}

// size is the number of values, with room for what a dimension of 0 hides.
func (t Tensor) size() int64 {
	n := int64(1)
	for _, d := range t.Dims {
		n = times(n, max(d, 1))
	}
	return n
}

// times and plus stay at the largest number, which is over every limit.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Limit is the most values that a model with so many weights may make of rows texts of length
// tokens.
func Limit(rows, length int, weights int64) int64 {
	tokens, pairs, w := int64(rows*length), int64(rows*length*length), min(weights, limits.Weights)
	return baseValues + valuesPerWeight*w + tokens*(valuesPerToken+w/weightsPerToken) + pairs*(valuesPerPair+w/weightsPerPair)
}

// Check returns an error for a graph that must not run with inputs of rows texts of length tokens:
// one that waits for itself, has operations that nobody knows, or makes more than the limits. steps
// is how many names, dimensions and values it looked at.
func (g *Graph) Check(rows, length int) (steps int64, err error) {
	c := &checker{ops: ops, rows: rows, length: length, limit: Limit(rows, length, g.Size)}
	known := scope{values: map[string]*Tensor{}}
	for _, in := range g.Inputs {
		t := &Tensor{Elem: in.Elem, Dims: slices.Clone(in.Dims)}
		for i := range t.Dims {
			// Backends refuse a shape that a file does not declare.
			if t.Dims[i] = int64(length); i == 0 {
				t.Dims[i] = int64(rows)
			}
		}
		if err := c.count(*t); err != nil {
			return c.steps, fmt.Errorf("input %.80q %w", in.Name, err)
		}
		known.values[in.Name] = t
	}
	if err := c.graph(g, &known); err != nil {
		return c.steps, err
	}
	for _, out := range g.Outputs {
		made := known.find(out.Name)
		if made == nil {
			return c.steps, fmt.Errorf("no node makes the output %.80q", out.Name)
		}
		if n := len(out.Dims); n > 0 && out.Dims[n-1] >= 0 && (n != len(made.Dims) ||
			out.Dims[n-1] != made.Dims[n-1] && (!made.atMost || out.Dims[n-1] > made.Dims[n-1])) {
			return c.steps, fmt.Errorf("output %.80q is declared as %v and made as %v", out.Name, out.Dims, made.Dims)
		}
	}
	return c.steps, nil
}

// checker adds up what a graph makes.
type checker struct {
	ops                 map[string]group // not the variable, which the rules would then depend on in a circle
	rows, length        int
	limit               int64
	values, work, folds int64
	steps               int64
}

// scope is what a graph, and the graphs that it stands in, know.
type scope struct {
	outer  *scope
	values map[string]*Tensor
}

func (s *scope) find(name string) *Tensor {
	for ; s != nil; s = s.outer {
		if t := s.values[name]; t != nil {
			return t
		}
	}
	return nil
}

// graph walks the nodes of g, each behind those that it needs.
func (c *checker) graph(g *Graph, known *scope) error {
	for name, t := range g.Weights {
		if len(t.Dims) > limits.Rank {
			return fmt.Errorf("tensor %.80q has %d dimensions, over the limit of %d", name, len(t.Dims), limits.Rank)
		}
		known.values[name] = &t
	}
	makers := map[string]int{}
	for i, n := range g.Nodes {
		for _, out := range n.Outputs {
			if out == "" {
				continue
			}
			if _, ok := makers[out]; ok || known.find(out) != nil {
				return n.errorf("makes %.80q, which is there already", out)
			}
			makers[out] = i
		}
	}
	waits := make([]int, len(g.Nodes)) // for so many values
	users := make([][]int, len(g.Nodes))
	var ready []int
	for i, n := range g.Nodes {
		n.needs(func(name string) {
			if maker, ok := makers[name]; ok {
				waits[i]++
				users[maker] = append(users[maker], i)
			}
			c.steps++
		})
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		i := ready[done]
		if err := c.node(&g.Nodes[i], known); err != nil {
			return err
		}
		for _, user := range users[i] {
			if waits[user]--; waits[user] == 0 {
				ready = append(ready, user)
			}
		}
	}
	if done < len(g.Nodes) {
		// Whoever waits, waits for a node that waits: back along them, one comes again.
		at, seen := slices.IndexFunc(waits, func(n int) bool { return n > 0 }), map[int]bool{}
		for !seen[at] {
			seen[at] = true
			next := at
			g.Nodes[at].needs(func(name string) {
				if maker, ok := makers[name]; ok && waits[maker] > 0 {
					next = maker
				}
			})
			at = next
		}
		return g.Nodes[at].errorf("needs its own output")
	}
	return nil
}

// needs calls visit for every value that n or a graph within it names.
func (n *Node) needs(visit func(name string)) {
	for _, in := range n.Inputs {
		visit(in)
	}
	for _, a := range n.Attrs {
		if a.Graph == nil {
			continue
		}
		for i := range a.Graph.Nodes {
			a.Graph.Nodes[i].needs(visit)
		}
		for _, out := range a.Graph.Outputs {
			visit(out.Name)
		}
	}
}

func (n *Node) errorf(format string, args ...any) error {
	return fmt.Errorf("node %.80q (%.40s) %w", n.Name, n.Op, fmt.Errorf(format, args...))
}

// node finds what n makes of what is known.
func (c *checker) node(n *Node, known *scope) error {
	op, ok := c.ops[n.Op]
	if !ok {
		return n.errorf("is of a kind that is not known, so that nothing tells what it makes")
	}
	call := call{Node: n, checker: c, known: known}
	for _, name := range n.Inputs {
		t := known.find(name)
		if t == nil && name != "" {
			return n.errorf("needs %.80q, which nothing makes", name)
		}
		call.in = append(call.in, t)
	}
	for i := range op.inputs {
		if call.input(i) == nil {
			return n.errorf("has no input %d", i)
		}
	}
	made, err := op.rule(&call)
	if err != nil {
		return n.errorf("%w", err)
	}
	var read int64
	for _, in := range call.in {
		if in != nil {
			read = plus(read, in.size())
			for i := range made { // The rank is exact.
				made[i].atMost = made[i].atMost || in.atMost && n.Op != "Shape" && n.Op != "Size"
			}
		}
	}
	c.work = plus(c.work, plus(read, call.work))
	for i, name := range n.Outputs {
		// What else an operation makes (a mask, the mean) is at most as large as its first output.
		t := made[min(i, len(made)-1)]
		if i >= len(made) {
			t.Values, t.atMost = nil, true
		}
		if err := c.count(t); err != nil {
			return n.errorf("%w", err)
		}
		if name != "" {
			known.values[name] = &t
		}
	}
	if c.values = plus(c.values, call.hidden); c.values > c.limit {
		return n.errorf("makes %d values inside, and may make %d%s", call.hidden, c.limit, c.text())
	}
	if most := times(c.limit, workPerValue); c.work > most {
		return n.errorf("brings the multiplications to %d, over the limit of %d%s", c.work, most, c.text())
	}
	if c.folds > limits.FoldedNodes {
		return n.errorf("brings the steps that compute shapes to %d, over the limit of %d", c.folds, limits.FoldedNodes)
	}
	return nil
}

// count adds a tensor to what is made.
func (c *checker) count(t Tensor) error {
	c.steps += int64(1 + len(t.Dims) + len(t.Values))
	if len(t.Dims) > limits.Rank {
		return fmt.Errorf("makes %d dimensions, over the limit of %d", len(t.Dims), limits.Rank)
	}
	for _, d := range t.Dims {
		if d < 0 {
			return fmt.Errorf("makes the shape %v", t.Dims)
		}
	}
	size := t.size()
	if c.values, c.work = plus(c.values, size), plus(c.work, size); size > c.limit {
		return fmt.Errorf("makes the shape %v, over the limit of %d values%s", t.Dims, c.limit, c.text())
	} else if c.values > c.limit {
		return fmt.Errorf("makes the shape %v and brings all values to %d, over the limit of %d%s", t.Dims, c.values, c.limit, c.text())
	}
	return nil
}

// text says for what the limits are.
func (c *checker) text() string { return fmt.Sprintf(" for %d × %d tokens", c.rows, c.length) }
