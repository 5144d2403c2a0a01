package onnxcheck

import (
	"errors"
	"slices"
)

func gather(c *call) ([]Tensor, error) {
	in, places := *c.in[0], *c.in[1]
	at, err := axis(c.number("axis", 0), len(in.Dims))
	if err != nil {
		return nil, err
	}
	t := Tensor{Elem: in.Elem, Dims: slices.Concat(in.Dims[:at], places.Dims, in.Dims[at+1:])}
	if in.Values == nil || places.Values == nil || len(in.Dims) != 1 {
		return one(t)
	}
	var values []float64
	for _, v := range places.Values {
		place, err := axis(whole(v), len(in.Values))
		if err != nil {
			return nil, err
		}
		values = append(values, in.Values[place])
	}
	return one(c.give(t, values))
}

func gatherElements(c *call) ([]Tensor, error) {
	return one(Tensor{Elem: c.in[0].Elem, Dims: c.in[1].Dims})
}

func gatherND(c *call) ([]Tensor, error) {
	in, places, batch := *c.in[0], *c.in[1], c.number("batch_dims", 0)
	if len(places.Dims) == 0 {
		return nil, errors.New("looks up nothing")
	}
	last := places.Dims[len(places.Dims)-1]
	if batch < 0 || last < 0 || plus(batch, last) > int64(len(in.Dims)) {
		return nil, errors.New("looks up dimensions that are not there")
	}
	return one(Tensor{Elem: in.Elem, Dims: slices.Concat(places.Dims[:len(places.Dims)-1], in.Dims[batch+last:])})
}

func nonZero(c *call) ([]Tensor, error) {
	in := *c.in[0]
	t := Tensor{Elem: Int64, Dims: []int64{int64(len(in.Dims)), product(in.Dims)}, atMost: true}
	if in.Values == nil {
		return one(t) // There are not more places than values.
	}
	var values []float64
	n := int64(0)
	for i, v := range in.Values {
		if v != 0 {
			n++
			values = append(values, float64(i))
		}
	}
	t.Dims[1], t.atMost = n, false
	if len(in.Dims) == 1 {
		t = c.give(t, values)
	}
	return one(t)
}
