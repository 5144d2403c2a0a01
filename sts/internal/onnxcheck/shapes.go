package onnxcheck

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"crscore/sts/internal/limits"
)

func constant(c *call) ([]Tensor, error) {
	for name, a := range c.Attrs {
		switch {
		case name == "value" && a.Tensor != nil:
			return one(*a.Tensor)
		case name == "value_float" || name == "value_int":
			return one(Tensor{Elem: constantElem[name], Values: a.Numbers})
		case name == "value_floats" || name == "value_ints":
			t := Tensor{Elem: constantElem[name], Dims: []int64{int64(len(a.Numbers))}}
			if len(a.Numbers) <= limits.KeptValues {
				t.Values = a.Numbers
			}
			return one(t)
		}
	}
	return nil, errors.New("has no value that is followed")
}

var constantElem = map[string]int{"value_float": Float, "value_floats": Float, "value_int": Int64, "value_ints": Int64}

func shape(c *call) ([]Tensor, error) {
	in := *c.in[0]
	var values []float64
	t := Tensor{Elem: Int64}
	if c.Op == "Size" {
		values = []float64{float64(product(in.Dims))}
	} else {
		rank := int64(len(in.Dims))
		clamp := func(at int64) int64 {
			if at < 0 {
				at += rank
			}
			return max(0, min(at, rank))
		}
		start, end := clamp(c.number("start", 0)), clamp(c.number("end", rank))
		for _, d := range in.Dims[start:max(start, end)] {
			values = append(values, float64(d))
		}
		t.Dims = []int64{int64(len(values))}
	}
	if in.atMost {
		return one(t)
	}
	t = c.give(t, values)
	t.folds = min(t.folds, 1) // The shape is known without the tensor.
	return one(t)
}

func constantOfShape(c *call) ([]Tensor, error) {
	dims, err := c.integers("", 0)
	if err != nil {
		return nil, err
	}
	t := Tensor{Elem: Float, Dims: dims}
	value := []float64{0}
	if a := c.Attrs["value"].Tensor; a != nil {
		t.Elem, value = a.Elem, a.Values
	}
	if n := t.size(); n <= limits.KeptValues && len(value) == 1 {
		return one(c.give(t, slices.Repeat(value, int(n))))
	}
	return one(t)
}

func arange(c *call) ([]Tensor, error) {
	var v [3]float64
	for i := range v {
		numbers, err := c.given("", i)
		if err != nil {
			return nil, err
		}
		if len(numbers) != 1 || math.IsNaN(settle(c.in[i].Elem, numbers[0])) {
			return nil, fmt.Errorf("counts with %v, which is not followed", numbers)
		}
		v[i] = numbers[0]
	}
	n := math.Ceil((v[1] - v[0]) / v[2])
	if v[2] == 0 || math.IsNaN(n) {
		return nil, errors.New("counts by 0")
	}
	t := Tensor{Elem: c.in[0].Elem, Dims: []int64{max(0, whole(n))}}
	if n > limits.KeptValues || t.Elem != Int64 && t.Elem != Int32 {
		return one(t)
	}
	values := make([]float64, t.Dims[0])
	for i := range values {
		values[i] = v[0] + float64(i)*v[2]
	}
	return one(c.give(t, values))
}

func reshape(c *call) ([]Tensor, error) {
	in := *c.in[0]
	dims, err := c.integers("shape", 1)
	if err != nil {
		return nil, err
	}
	var t Tensor
	dims, free := slices.Clone(dims), -1
	for i, d := range dims {
		switch {
		case d == 0 && i < len(in.Dims):
			dims[i] = in.Dims[i]
			t.atMost = c.number("allowzero", 0) != 0
		case d == -1 && free < 0:
			free = i
		case d < 0:
			return nil, fmt.Errorf("wants the shape %v", dims)
		}
	}
	if free >= 0 {
		dims[free] = 1
		dims[free] = product(in.Dims) / max(1, product(dims))
	}
	t.Dims = dims
	return one(c.pass(t))
}

func flatten(c *call) ([]Tensor, error) {
	in := *c.in[0]
	at := c.number("axis", 1)
	if at < 0 {
		at += int64(len(in.Dims))
	}
	if at < 0 || at > int64(len(in.Dims)) {
		return nil, fmt.Errorf("names dimension %d of %d", at, len(in.Dims))
	}
	return one(c.pass(Tensor{Dims: []int64{product(in.Dims[:at]), product(in.Dims[at:])}}))
}

// axes tells for each dimension of rank whether the node names it, and whether it names any. A
// node that adds dimensions counts those that it names as well: add.
func (c *call) axes(rank int) (out []bool, named bool, err error) {
	list, err := c.integers("axes", 1)
	if err != nil {
		return nil, false, err
	}
	if len(list) > limits.Rank {
		return nil, false, fmt.Errorf("names %d dimensions", len(list))
	}
	if c.Op == "Unsqueeze" {
		rank += len(list)
	}
	out = make([]bool, rank)
	for _, a := range list {
		at, err := axis(a, rank)
		if err != nil {
			return nil, false, err
		}
		out[at] = true
	}
	return out, len(list) > 0, nil
}

func squeeze(c *call) ([]Tensor, error) {
	in := *c.in[0]
	gone, named, err := c.axes(len(in.Dims))
	if err != nil {
		return nil, err
	}
	if !named && in.atMost {
		return nil, errors.New("drops dimensions of 1, and nothing tells which these are")
	}
	var t Tensor
	for i, d := range in.Dims {
		if named && !gone[i] || !named && d != 1 {
			t.Dims = append(t.Dims, d)
		}
	}
	return one(c.pass(t))
}

func unsqueeze(c *call) ([]Tensor, error) {
	added, _, err := c.axes(len(c.in[0].Dims))
	if err != nil {
		return nil, err
	}
	rest := c.in[0].Dims
	var t Tensor
	for _, new := range added {
		if new || len(rest) == 0 {
			t.Dims = append(t.Dims, 1)
		} else {
			t.Dims, rest = append(t.Dims, rest[0]), rest[1:]
		}
	}
	return one(c.pass(t))
}

func transpose(c *call) ([]Tensor, error) {
	in := *c.in[0]
	order := c.Attrs["perm"].Numbers
	if order == nil {
		for i := len(in.Dims) - 1; i >= 0; i-- {
			order = append(order, float64(i))
		}
	}
	if len(order) != len(in.Dims) {
		return nil, fmt.Errorf("turns %d dimensions of %d", len(order), len(in.Dims))
	}
	t, long := Tensor{Elem: in.Elem}, 0
	for _, a := range order {
		at, err := axis(whole(a), len(in.Dims))
		if err != nil {
			return nil, err
		}
		if t.Dims = append(t.Dims, in.Dims[at]); in.Dims[at] > 1 {
			long++
		}
	}
	if long <= 1 {
		t = c.pass(t)
	}
	return one(t)
}

func expand(c *call) ([]Tensor, error) {
	in := *c.in[0]
	dims, err := c.integers("", 1)
	if err != nil {
		return nil, err
	}
	t := Tensor{Elem: in.Elem, Dims: spread(in.Dims, dims)}
	if n := t.size(); len(in.Values) == 1 && n <= limits.KeptValues {
		t = c.give(t, slices.Repeat(in.Values, int(n)))
	}
	return one(t)
}

func tile(c *call) ([]Tensor, error) {
	in := *c.in[0]
	repeats, err := c.integers("", 1)
	if err != nil {
		return nil, err
	}
	if len(repeats) != len(in.Dims) {
		return nil, fmt.Errorf("repeats %d dimensions of %d", len(repeats), len(in.Dims))
	}
	t := Tensor{Elem: in.Elem}
	for i, d := range in.Dims {
		t.Dims = append(t.Dims, times(d, max(0, repeats[i])))
	}
	return one(t)
}

func concat(c *call) ([]Tensor, error) {
	t := Tensor{Elem: c.in[0].Elem, Dims: slices.Clone(c.in[0].Dims)}
	at, err := axis(c.number("axis", 0), len(t.Dims))
	if err != nil {
		return nil, err
	}
	var values []float64
	t.Dims[at] = 0
	known := len(t.Dims) == 1
	for _, in := range c.in {
		if in == nil || len(in.Dims) != len(t.Dims) {
			return nil, errors.New("joins tensors of other ranks")
		}
		for i, d := range in.Dims {
			if i == at {
				t.Dims[i] = plus(t.Dims[i], d)
			} else {
				t.Dims[i] = max(t.Dims[i], d)
			}
		}
		known = known && (in.Values != nil || in.Dims[0] == 0) && len(values) <= limits.KeptValues
		if known {
			values = append(values, in.Values...)
		}
	}
	if known {
		t = c.give(t, values)
	}
	return one(t)
}

func split(c *call) ([]Tensor, error) {
	in := *c.in[0]
	at, err := axis(c.number("axis", 0), len(in.Dims))
	if err != nil {
		return nil, err
	}
	sizes, err := c.integers("split", 1)
	if err != nil {
		return nil, err
	}
	n := int64(len(c.Outputs))
	if n == 0 || sizes != nil && int64(len(sizes)) != n {
		return nil, fmt.Errorf("has %d outputs for %d parts", n, len(sizes))
	}
	var out []Tensor
	var from int64
	for i := range n {
		t := Tensor{Elem: in.Elem, Dims: slices.Clone(in.Dims)}
		if t.Dims[at] = (in.Dims[at] + n - 1) / n; sizes != nil {
			t.Dims[at] = sizes[i]
		} else if i == n-1 {
			t.Dims[at] = max(0, in.Dims[at]-from)
		}
		size := t.Dims[at]
		if len(in.Dims) == 1 && in.Values != nil && size >= 0 && size <= int64(len(in.Values))-from {
			t = c.give(t, in.Values[from:from+size])
		}
		from = plus(from, max(0, size))
		out = append(out, t)
	}
	return out, nil
}

func slice(c *call) ([]Tensor, error) {
	in := *c.in[0]
	t := Tensor{Elem: in.Elem, Dims: slices.Clone(in.Dims), atMost: true}
	starts, err := c.integers("starts", 1)
	ends, err2 := c.integers("ends", 2)
	axes, err3 := c.integers("axes", 3)
	steps, err4 := c.integers("steps", 4)
	if errors.Join(err, err2, err3, err4) != nil {
		return one(t) // A part is not larger than the whole.
	}
	if axes == nil {
		for i := range starts {
			axes = append(axes, int64(i))
		}
	}
	if len(starts) != len(ends) || len(starts) != len(axes) || steps != nil && len(steps) != len(axes) || len(axes) > limits.Rank {
		return nil, errors.New("has starts and ends that do not go together")
	}
	t.atMost = false
	values := in.Values
	for i, a := range axes {
		at, err := axis(a, len(in.Dims))
		if err != nil {
			return nil, err
		}
		step := int64(1)
		if steps != nil {
			step = steps[i]
		}
		d := in.Dims[at]
		if step < 1 || in.atMost && (starts[i] != 0 || ends[i] < 0) {
			values, t.atMost = nil, true
			continue
		}
		clamp := func(v int64) int64 {
			if v < 0 {
				v += d
			}
			return max(0, min(v, d))
		}
		from, to := clamp(starts[i]), clamp(ends[i])
		t.Dims[at] = (max(0, to-from) + step - 1) / step
		if values == nil || len(in.Dims) > 1 {
			values = nil
			continue
		}
		var taken []float64
		for k := from; k < to; k += step {
			taken = append(taken, values[k])
		}
		values = taken
	}
	if values != nil {
		t = c.give(t, values)
	}
	return one(t)
}

func pad(c *call) ([]Tensor, error) {
	in := *c.in[0]
	pads, err := c.integers("pads", 1)
	if err != nil {
		return nil, err
	}
	t := Tensor{Elem: in.Elem, Dims: slices.Clone(in.Dims)}
	axes, err := c.integers("axes", 3)
	if err != nil {
		return nil, err
	}
	if axes == nil {
		for i := range in.Dims {
			axes = append(axes, int64(i))
		}
	}
	if len(pads) == 0 {
		return one(t)
	}
	if len(pads) != 2*len(axes) || len(axes) > limits.Rank {
		return nil, fmt.Errorf("pads %d sides of %d dimensions", len(pads), len(axes))
	}
	for i, a := range axes {
		at, err := axis(a, len(in.Dims))
		if err != nil {
			return nil, err
		}
		// Without the pads below 0: what is cut may be cut after it was made.
		t.Dims[at] = plus(t.Dims[at], plus(max(0, pads[i]), max(0, pads[i+len(axes)])))
		t.atMost = t.atMost || pads[i] < 0 || pads[i+len(axes)] < 0
	}
	return one(t)
}
