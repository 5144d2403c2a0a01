package onnxcheck

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/sts/internal/limits"
)

// call is a node with what is known of its inputs. Rules are for nodes that work: of one that a
// backend refuses or fails at they may say anything, since nothing runs behind it.
type call struct {
	*Node
	*checker
	known  *scope
	in     []*Tensor // nil for those that are left out
	work   int64     // multiply-adds
	hidden int64     // values that are made inside
}

// input is nil when it is left out.
func (c *call) input(i int) *Tensor {
	if i < len(c.in) {
		return c.in[i]
	}
	return nil
}

// number is an attribute, or what it is when left out.
func (c *call) number(name string, otherwise int64) int64 {
	if a, ok := c.Attrs[name]; ok && len(a.Numbers) == 1 {
		return whole(a.Numbers[0])
	}
	return otherwise
}

// whole is v as an integer; beyond what a float64 has exactly, the sign is what counts.
func whole(v float64) int64 { return int64(max(-mostExact, min(v, mostExact))) }

// given are numbers that the shape depends on, from an attribute, as old exports have them, or an
// input; nil when there are none.
func (c *call) given(name string, input int) ([]float64, error) {
	in := c.input(input)
	if a, ok := c.Attrs[name]; ok {
		if in != nil {
			return nil, fmt.Errorf("has %s twice", name)
		}
		return a.Numbers, nil
	}
	if in == nil || in.size() == 1 && len(in.Dims) == 1 && in.Dims[0] == 0 {
		return nil, nil
	}
	if in.Values == nil {
		return nil, fmt.Errorf("needs the values of %.80q, which nothing tells before it runs", c.Inputs[input])
	}
	c.folds = plus(c.folds, in.folds)
	return in.Values, nil
}

func (c *call) integers(name string, input int) ([]int64, error) {
	numbers, err := c.given(name, input)
	var out []int64
	for _, v := range numbers {
		out = append(out, whole(v))
	}
	return out, err
}

// axis is the dimension that an attribute or value names, from the end when negative.
func axis(a int64, rank int) (int, error) {
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		return 0, fmt.Errorf("names dimension %d of %d", a, rank)
	}
	return int(a), nil
}

// product saturates, and is 0 where a dimension is.
func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n = times(n, d)
	}
	return n
}

func one(t Tensor) ([]Tensor, error) { return []Tensor{t}, nil }

func same(c *call) ([]Tensor, error) {
	in := *c.in[0]
	t := Tensor{Elem: c.result(in), Dims: in.Dims}
	if c.Op == "Identity" {
		return one(c.give(t, in.Values))
	}
	if f := unary[c.Op]; f != nil {
		t = c.compute(t, 0, func(v []float64) float64 { return f(v[0]) })
	}
	if strings.HasPrefix(c.Op, "Skip") {
		return []Tensor{t, {Dims: t.Dims, atMost: true}, {Dims: t.Dims, atMost: true}, t}, nil // the last is the sum
	}
	return one(t)
}

func cast(c *call) ([]Tensor, error) {
	in := *c.in[0]
	t := Tensor{Elem: int(c.number("to", 0)), Dims: in.Dims}
	if t.Elem == Int64 && (in.Elem == Int64 || in.Elem == Int32) {
		return one(c.give(t, in.Values))
	}
	return one(c.compute(t, 0, func(v []float64) float64 {
		if t.Elem == Int32 || t.Elem == Int64 {
			return math.Trunc(v[0])
		}
		return v[0]
	}))
}

func quantize(c *call) ([]Tensor, error) {
	return []Tensor{{Dims: c.in[0].Dims}, {}, {}}, nil
}

func dequantize(c *call) ([]Tensor, error) {
	return one(Tensor{Elem: c.in[1].Elem, Dims: c.in[0].Dims})
}

// spread is the shape that two shapes have together, each repeated along dimensions of 1.
func spread(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, d := range b {
		at := i + len(a) - len(b)
		if out[at] == 1 || out[at] != 0 && d > out[at] {
			out[at] = d
		}
	}
	return out
}

func broadcast(c *call) ([]Tensor, error) {
	tensors := c.in
	if _, ok := quantizedInputs[c.Op]; ok {
		tensors = c.operands()
	}
	var t Tensor
	for i, in := range tensors {
		if in == nil {
			return nil, fmt.Errorf("has no input %d", i)
		}
		t.Dims = spread(in.Dims, t.Dims)
		if len(t.Dims) > limits.Rank {
			break
		}
	}
	if c.Op == "Where" {
		t.Elem = c.in[1].Elem
		// What is chosen is passed on, as large as it likes.
		return one(c.compute(t, 3, func(v []float64) float64 {
			if v[0] != 0 {
				return v[1]
			}
			return v[2]
		}))
	}
	t.Elem = c.result(*tensors[0])
	f := binary[c.Op]
	if f == nil {
		return one(t)
	}
	elem := tensors[0].Elem
	return one(c.compute(t, 0, func(v []float64) float64 {
		out := v[0]
		for _, next := range v[1:] {
			out = settle(t.Elem, f(out, next, elem == Int32 || elem == Int64))
		}
		return out
	}))
}

func reduce(c *call) ([]Tensor, error) {
	in := *c.in[0]
	t := Tensor{Elem: in.Elem}
	gone, named, err := c.axes(len(in.Dims))
	if strings.HasPrefix(c.Op, "Arg") {
		var at int
		at, err = axis(c.number("axis", 0), len(in.Dims))
		gone, named, t.Elem = make([]bool, len(in.Dims)), true, Int64
		if err == nil {
			gone[at] = true
		}
	}
	if err != nil {
		return nil, err
	}
	if !named && c.number("noop_with_empty_axes", 0) != 0 {
		return one(Tensor{Elem: in.Elem, Dims: in.Dims})
	}
	for i, d := range in.Dims {
		if named && !gone[i] {
			t.Dims = append(t.Dims, d)
		} else if c.number("keepdims", 1) != 0 {
			t.Dims = append(t.Dims, 1)
		}
	}
	f := binary[map[string]string{"ReduceProd": "Mul", "ReduceSum": "Add", "ReduceMax": "Max", "ReduceMin": "Min"}[c.Op]]
	if f == nil || len(in.Values) == 0 || t.size() != 1 || in.Elem != Int64 {
		return one(t)
	}
	v := in.Values[0]
	for _, next := range in.Values[1:] {
		v = settle(in.Elem, f(v, next, true))
	}
	if math.IsNaN(settle(in.Elem, v)) {
		return one(t)
	}
	return one(c.give(t, []float64{v}))
}

func matmul(c *call) ([]Tensor, error) {
	of := c.operands()
	if of[0] == nil || of[1] == nil {
		return nil, errors.New("has no second matrix")
	}
	turn := func(t *Tensor, name string) []int64 {
		dims := slices.Clone(t.Dims)
		if n := len(dims); n >= 2 && c.number(name, 0) != 0 {
			dims[n-1], dims[n-2] = dims[n-2], dims[n-1]
		}
		return dims
	}
	a, b := turn(of[0], "transA"), turn(of[1], "transB")
	if len(a) == 0 || len(b) == 0 {
		return nil, errors.New("multiplies a number as a matrix")
	}
	var tail []int64
	inner := a[len(a)-1]
	if len(a) > 1 {
		tail = append(tail, a[len(a)-2])
	}
	if len(b) > 1 {
		tail = append(tail, b[len(b)-1])
	}
	t := Tensor{Elem: of[0].Elem, Dims: append(spread(a[:max(0, len(a)-2)], b[:max(0, len(b)-2)]), tail...)}
	switch c.Op {
	case "MatMulInteger":
		t.Elem = Int32
	case "DynamicQuantizeMatMul", "MatMulIntegerToFloat":
		t.Elem = Float
	}
	c.work = times(product(t.Dims), inner)
	return one(t)
}

// packed is a product with a matrix whose sizes are attributes, since several values share a byte.
func packed(c *call) ([]Tensor, error) {
	a, k, n := c.in[0].Dims, c.number("K", -1), c.number("N", -1)
	if len(a) == 0 || n < 0 || k != a[len(a)-1] {
		return nil, errors.New("multiplies matrices that do not go together")
	}
	t := Tensor{Elem: c.in[0].Elem, Dims: append(slices.Clone(a[:len(a)-1]), n)}
	c.work, c.hidden = times(t.size(), k), times(k, n)
	return one(t)
}

func gemm(c *call) ([]Tensor, error) {
	of := c.operands()
	if of[0] == nil || of[1] == nil {
		return nil, errors.New("has no second matrix")
	}
	if c.Op == "GemmFastGelu" {
		return matmul(c)
	}
	if len(of[0].Dims) != 2 || len(of[1].Dims) != 2 {
		return nil, errors.New("multiplies what are no matrices")
	}
	return matmul(c)
}

func einsum(c *call) ([]Tensor, error) {
	equation := strings.ReplaceAll(c.Attrs["equation"].Text, " ", "")
	left, right, ok := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	if !ok || len(terms) != len(c.in) || strings.Contains(equation, ".") {
		return nil, fmt.Errorf("has the equation %.80q, which is not followed", equation)
	}
	sizes := map[rune]int64{}
	for i, in := range c.in {
		if in == nil || len(terms[i]) != len(in.Dims) {
			return nil, fmt.Errorf("has the equation %.80q for other shapes", equation)
		}
		for k, letter := range terms[i] {
			sizes[letter] = max(sizes[letter], in.Dims[k])
		}
	}
	t := Tensor{Elem: c.in[0].Elem}
	for _, letter := range right {
		t.Dims = append(t.Dims, sizes[letter])
		if len(t.Dims) > limits.Rank {
			break
		}
	}
	c.work = 1
	for _, n := range sizes {
		c.work = times(c.work, n)
	}
	return one(t)
}

// conv slides weights over all dimensions but the first two.
func conv(c *call) ([]Tensor, error) {
	in, weights := c.in[0].Dims, c.in[1].Dims
	spatial := len(in) - 2
	if spatial < 1 || len(weights) != len(in) || c.Attrs["auto_pad"].Text != "" && c.Attrs["auto_pad"].Text != "NOTSET" {
		return nil, errors.New("slides in a way that is not followed")
	}
	t := Tensor{Elem: c.in[0].Elem, Dims: []int64{in[0], weights[0]}}
	at := func(name string, i int, least int64) int64 {
		if v := c.Attrs[name].Numbers; i < len(v) {
			return max(least, whole(v[i]))
		}
		return least
	}
	for i, d := range in[2:] {
		room := plus(d, plus(at("pads", i, 0), at("pads", i+spatial, 0))) - times(max(0, weights[i+2]-1), at("dilations", i, 1))
		t.Dims = append(t.Dims, max(0, room-1)/at("strides", i, 1)+1)
	}
	c.work = times(t.size(), product(weights[1:]))
	return one(t)
}

// attention covers ONNX's operation of this name, with queries, keys and values, and ONNX
// Runtime's, with one matrix for all three.
func attention(c *call) ([]Tensor, error) {
	query, key := *c.in[0], c.input(1)
	t := Tensor{Elem: query.Elem, Dims: slices.Clone(query.Dims)}
	rank := len(query.Dims)
	if rank < 3 || rank > 5 || key != nil && len(key.Dims) == 0 {
		return nil, errors.New("has queries of another rank")
	}
	heads := max(1, c.number("num_heads", c.number("q_num_heads", 1)))
	queries, keys := query.Dims[1], query.Dims[1]
	switch {
	case rank == 5: // batch, token, head, three of them, dimension
		t.Dims = []int64{query.Dims[0], query.Dims[1], times(query.Dims[2], query.Dims[4])}
	case key == nil:
	case len(key.Dims) == 2: // the matrix
		width := key.Dims[1] / 3
		if sizes := c.Attrs["qkv_hidden_sizes"].Numbers; len(sizes) == 3 {
			width = min(whole(sizes[2]), key.Dims[1])
		}
		t.Dims[2], t.Elem = width, Float
		c.work = times(times(query.Dims[0], query.Dims[1]), product(key.Dims))
	default: // batch, token, dimension; or batch, head, token, dimension
		queries, keys = query.Dims[rank-2], key.Dims[len(key.Dims)-2]
		if rank == 4 {
			heads = query.Dims[1]
		}
		if v := c.input(2); v != nil && len(v.Dims) == rank {
			t.Dims[rank-1] = v.Dims[rank-1]
		}
	}
	width := t.Dims[len(t.Dims)-1]
	if rank != 4 && heads > max(width, 1) {
		return nil, fmt.Errorf("has %d heads for %d dimensions", heads, width)
	} else if rank == 4 {
		width = times(width, heads)
	}
	pairs := times(times(query.Dims[0], queries), keys)
	c.hidden = plus(times(3, t.size()), times(pairs, times(2, heads)))
	c.work = plus(c.work, times(pairs, times(2, width)))
	return one(t)
}

func embed(c *call) ([]Tensor, error) {
	ids, words := c.in[0], c.in[2]
	if len(ids.Dims) != 2 || len(words.Dims) != 2 {
		return nil, errors.New("looks up no rows")
	}
	t := Tensor{Elem: words.Elem, Dims: []int64{ids.Dims[0], ids.Dims[1], words.Dims[1]}}
	return []Tensor{t, {Elem: Int32, Dims: ids.Dims[:1]}, t}, nil
}

func branch(c *call) ([]Tensor, error) {
	var both [][]Tensor
	for _, name := range []string{"then_branch", "else_branch"} {
		g := c.Attrs[name].Graph
		if g == nil {
			return nil, fmt.Errorf("has no %s", name)
		}
		// Backends compile both, and may compute what is constant in them.
		inner := scope{c.known, map[string]*Tensor{}}
		if err := c.graph(g, &inner); err != nil {
			return nil, err
		}
		var made []Tensor
		for _, out := range g.Outputs {
			t := inner.find(out.Name)
			if t == nil {
				return nil, fmt.Errorf("has no %q in %s", out.Name, name)
			}
			made = append(made, *t)
		}
		both = append(both, made)
	}
	then, other := both[0], both[1]
	if len(then) == 0 || len(then) != len(other) {
		return nil, errors.New("has branches with other outputs")
	}
	if known := c.in[0].Values; len(known) == 1 {
		c.folds = plus(c.folds, c.in[0].folds)
		if known[0] != 0 {
			return then, nil
		}
		return other, nil
	}
	for i, t := range then {
		then[i] = Tensor{Elem: t.Elem, Dims: t.Dims, atMost: true}
		if o := other[i]; len(o.Dims) != len(t.Dims) {
			return nil, errors.New("has branches that make other ranks, and nothing tells which is taken")
		} else if then[i].Dims = slices.Clone(t.Dims); o.Elem == t.Elem {
			for k, d := range o.Dims {
				then[i].Dims[k] = max(d, t.Dims[k])
			}
		}
	}
	return then, nil
}
