package onnxcheck

import (
	"math"

	"crscore/sts/internal/limits"
)

// settle returns v as a value of an element type. Values that backends may hold in another way,
// rounded or wrapped around, are unknown: NaN.
func settle(elem int, v float64) float64 {
	switch elem {
	case Float:
		v = float64(float32(v))
	case Double:
	case Bool:
		if v != 0 {
			v = 1
		}
	case Int32, Int64:
		most := float64(mostExact)
		if elem == Int32 {
			most = mostInt32
		}
		if v != math.Trunc(v) || math.Abs(v) > most {
			return math.NaN()
		}
	default:
		return math.NaN()
	}
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// unary are the operations on one value that shapes are computed with.
var unary = map[string]func(v float64) float64{
	"Identity": func(v float64) float64 { return v },
	"Neg":      func(v float64) float64 { return -v },
	"Abs":      math.Abs,
	"Floor":    math.Floor,
	"Ceil":     math.Ceil,
	"Sqrt":     math.Sqrt,
	"Not":      func(v float64) float64 { return truth(v == 0) },
}

// binary are the operations on two values that shapes are computed with; whole says that they
// are integers. Backends do not agree on how negative integers are divided.
var binary = map[string]func(a, b float64, whole bool) float64{
	"Add": func(a, b float64, _ bool) float64 { return a + b },
	"Sub": func(a, b float64, _ bool) float64 { return a - b },
	"Mul": func(a, b float64, _ bool) float64 { return a * b },
	"Div": func(a, b float64, whole bool) float64 {
		if !whole {
			return a / b
		}
		if a < 0 || b <= 0 {
			return math.NaN()
		}
		return float64(int64(a) / int64(b))
	},
	"Mod": func(a, b float64, whole bool) float64 {
		if !whole || a < 0 || b <= 0 {
			return math.NaN()
		}
		return float64(int64(a) % int64(b))
	},
	"Min":            func(a, b float64, _ bool) float64 { return min(a, b) },
	"Max":            func(a, b float64, _ bool) float64 { return max(a, b) },
	"And":            func(a, b float64, _ bool) float64 { return truth(a != 0 && b != 0) },
	"Or":             func(a, b float64, _ bool) float64 { return truth(a != 0 || b != 0) },
	"Equal":          func(a, b float64, _ bool) float64 { return truth(a == b) },
	"Less":           func(a, b float64, _ bool) float64 { return truth(a < b) },
	"LessOrEqual":    func(a, b float64, _ bool) float64 { return truth(a <= b) },
	"Greater":        func(a, b float64, _ bool) float64 { return truth(a > b) },
	"GreaterOrEqual": func(a, b float64, _ bool) float64 { return truth(a >= b) },
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// give sets the values of t, unless they are too many or not as many as the shape says.
func (c *call) give(t Tensor, values []float64) Tensor {
	t.Values, t.folds = nil, 0
	if len(values) > limits.KeptValues || int64(len(values)) != t.size() {
		return t
	}
	t.Values, t.folds = values, 1
	for _, in := range c.in {
		if in != nil {
			t.folds = plus(t.folds, in.folds)
		}
	}
	return t
}

// compute sets the values of t to what f makes of the values at the same place of the inputs
// from the first on. An input with one value has it at each place.
func (c *call) compute(t Tensor, first int, f func(v []float64) float64) Tensor {
	t.Values = nil
	if t.size() > limits.KeptValues {
		return t
	}
	values := make([]float64, t.size())
	v := make([]float64, len(c.in))
	for at := range values {
		for i, in := range c.in {
			if in == nil || len(in.Values) != len(values) && len(in.Values) != 1 {
				return t
			}
			v[i] = in.Values[at%len(in.Values)]
			if i >= first && math.IsNaN(settle(in.Elem, v[i])) {
				return t
			}
		}
		if values[at] = settle(t.Elem, f(v)); math.IsNaN(values[at]) {
			return t
		}
	}
	return c.give(t, values)
}

// pass gives t the type and values of the first input, in the same order.
func (c *call) pass(t Tensor) Tensor {
	t.Elem = c.in[0].Elem
	if c.in[0].Values == nil {
		return t
	}
	return c.give(t, c.in[0].Values)
}
