package sts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"crscore/sts/internal/limits"
	"crscore/sts/internal/onnxcheck"
)

// Element types of tensors (onnx.proto, TensorProto.DataType).
const (
	onnxFloat   = 1
	onnxInt32   = 6
	onnxInt64   = 7
	onnxFloat16 = 10
)

// onnxGraph is the content of an ONNX file without the weights.
type onnxGraph struct {
	inputs, outputs []modelPort
	elems           map[string]int  // element types of inputs and outputs (TensorProto.DataType)
	ops             map[string]bool // the types of the nodes
	external        []externalPart  // weights that stand in other files
	vocab, types    int             // rows of the tables that input_ids and token_type_ids look up, 0 when not found
	shapes          *shapeCheck     // what the model makes
}

// quantised reports whether the model rounds activations to integers by the range of the
// whole batch, so that a text's numbers depend on the texts beside it.
func (g onnxGraph) quantised() bool {
	for op := range g.ops {
		if strings.Contains(op, "Quant") || strings.Contains(op, "Integer") ||
			strings.HasPrefix(op, "QLinear") || op == "QAttention" || op == "QGemm" || op == "MatMulNBits" {
			return true
		}
	}
	return false
}

// readONNX reads the graph of an ONNX file (onnx.proto, ModelProto) and skips the weights,
// so that a file of gigabytes costs no memory.
func readONNX(r io.Reader) (onnxGraph, error) {
	o := onnxReader{onnxGraph: onnxGraph{elems: map[string]int{}, ops: map[string]bool{}}}
	top := newGraph()
	file := &wireMessage{r: bufio.NewReaderSize(r, 1<<16), kind: protowire.BytesType, left: math.MaxInt64, open: true}
	err := file.fields(func(field protowire.Number, m *wireMessage) error {
		switch field {
		case 7: // graph
			if o.found {
				return errors.New("there are two graphs")
			}
			o.found = true
			return m.fields(func(field protowire.Number, m *wireMessage) error { return o.graph(top, field, m) })
		case 25:
			return errors.New("it has functions of its own, which are not supported")
		}
		return nil
	})
	if err == nil && !o.found {
		err = errors.New("the file has no graph")
	}
	if err != nil {
		return onnxGraph{}, fmt.Errorf("not an ONNX model: %w", err)
	}
	for _, n := range top.Nodes {
		if n.Op != "Gather" || len(n.Inputs) != 2 {
			continue
		}
		if table, ok := top.Weights[n.Inputs[0]]; ok && len(table.Dims) > 0 {
			switch n.Inputs[1] {
			case "input_ids":
				o.vocab = int(table.Dims[0])
			case "token_type_ids":
				o.types = int(table.Dims[0])
			}
		}
	}
	// Old exporters list the weights among the inputs.
	top.Inputs = slices.DeleteFunc(top.Inputs, func(in onnxcheck.Port) bool {
		_, ok := top.Weights[in.Name]
		return ok
	})
	top.Size = o.size
	for _, in := range top.Inputs {
		o.inputs, o.elems[in.Name] = append(o.inputs, modelPort{in.Name, in.Dims}), in.Elem
	}
	for _, out := range top.Outputs {
		o.outputs, o.elems[out.Name] = append(o.outputs, modelPort{out.Name, out.Dims}), out.Elem
	}
	o.shapes = &shapeCheck{graph: top}
	return o.onnxGraph, nil
}

func newGraph() *onnxcheck.Graph {
	return &onnxcheck.Graph{Weights: map[string]onnxcheck.Tensor{}}
}

// onnxReader gathers what a model's graph says. Its methods read the fields of messages.
type onnxReader struct {
	onnxGraph
	found bool  // there is a graph
	nodes int   // so far, those in nodes included
	size  int64 // the values of all tensors
}

// graph reads a field of the model's graph, or of one that a node has for a branch.
func (o *onnxReader) graph(g *onnxcheck.Graph, field protowire.Number, m *wireMessage) error {
	port := func(to *[]onnxcheck.Port) error {
		p, err := readPort(m)
		*to = append(*to, p)
		return err
	}
	switch field {
	case 1: // node
		n, err := o.node(m)
		g.Nodes = append(g.Nodes, n)
		return err
	case 5: // initializer
		name, t, err := o.tensor(m)
		if _, ok := g.Weights[name]; ok && err == nil {
			err = fmt.Errorf("two tensors have the name %.80q", name)
		}
		g.Weights[name] = t
		return err
	case 15:
		return errors.New("it has sparse tensors, which are not supported")
	case 11:
		return port(&g.Inputs)
	case 12:
		return port(&g.Outputs)
	}
	return nil
}

func (o *onnxReader) node(m *wireMessage) (onnxcheck.Node, error) {
	n := onnxcheck.Node{Attrs: map[string]onnxcheck.Attr{}}
	if o.nodes++; o.nodes > limits.Nodes {
		return n, fmt.Errorf("it has more than %d nodes", limits.Nodes)
	}
	err := m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		var name string
		switch field {
		case 1:
			name, err = m.text()
			n.Inputs = append(n.Inputs, name)
		case 2:
			name, err = m.text()
			n.Outputs = append(n.Outputs, name)
		case 3:
			n.Name, err = m.text()
		case 4:
			n.Op, err = m.text()
			o.ops[n.Op] = true
		case 5:
			var a onnxcheck.Attr
			name, a, err = o.attribute(m)
			if _, ok := n.Attrs[name]; ok && err == nil {
				err = fmt.Errorf("two attributes of a node have the name %.80q", name)
			}
			n.Attrs[name] = a
		}
		return err
	})
	return n, err
}

// attribute reads an AttributeProto. What it may have once stands there once: readers do not
// agree on which of two counts.
func (o *onnxReader) attribute(m *wireMessage) (name string, a onnxcheck.Attr, err error) {
	var kind protowire.Number
	err = m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		if field >= 2 && field <= 11 || field >= 14 && field != 20 && field != 13 {
			if list := field >= 7; kind != 0 && (kind != field || !list) {
				return fmt.Errorf("an attribute %.80q has two values", name)
			}
			kind = field
		}
		switch field {
		case 1:
			name, err = m.text()
		case 2:
			a.Numbers, err = m.numbers(a.Numbers, floats)
		case 3:
			a.Numbers, err = m.numbers(a.Numbers, integers)
		case 4:
			if m.left <= limits.WireText {
				a.Text, err = m.text()
			}
		case 5:
			_, t, tensorErr := o.tensor(m)
			a.Tensor, err = &t, tensorErr
		case 6: // the body of a branch
			a.Graph = newGraph()
			err = m.fields(func(field protowire.Number, m *wireMessage) error { return o.graph(a.Graph, field, m) })
		case 7:
			a.Numbers, err = m.numbers(a.Numbers, floats)
		case 8:
			a.Numbers, err = m.numbers(a.Numbers, integers)
		case 10, 11, 21, 22, 23:
			return fmt.Errorf("an attribute %.80q has a value that is not supported", name)
		}
		if err != nil {
			return fmt.Errorf("attribute %.80q: %w", name, err)
		}
		return nil
	})
	return name, a, err
}

func (o *onnxReader) tensor(m *wireMessage) (name string, t onnxcheck.Tensor, err error) {
	name, t, part, err := readTensor(m)
	if part != nil {
		if o.external = append(o.external, *part); len(o.external) > limits.ExternalTensors {
			return "", t, fmt.Errorf("more than %d tensors are in other files", limits.ExternalTensors)
		}
	}
	o.size += min(product(t.Dims), math.MaxInt64-o.size)
	return name, t, err
}

// product is the number of values of a tensor.
func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt64/d {
			return math.MaxInt64
		}
		n *= d
	}
	return n
}

// readTensor reads a TensorProto, with its values only if they are few. A tensor that claims more
// values than its bytes can hold is an error, because backends allocate what it claims.
func readTensor(m *wireMessage) (name string, t onnxcheck.Tensor, part *externalPart, err error) {
	size := m.left
	var source protowire.Number // the field that has the values, -1 for several
	var raw []byte
	err = m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		read := valueFields[field]
		if read != nil || field == 9 {
			if source != 0 && source != field {
				source = -1
			} else {
				source = field
			}
		}
		switch field {
		case 1: // dims
			var dims []float64
			dims, err = m.numbers(nil, integers)
			for _, d := range dims {
				t.Dims = append(t.Dims, int64(max(-1, min(d, 1<<53))))
			}
			if len(t.Dims) > limits.AttributeNumbers {
				err = errors.New("a tensor has too many dimensions")
			}
		case 2:
			var elem int64
			elem, err = m.integer()
			t.Elem = int(elem)
		case 8:
			name, err = m.text()
		case 9: // raw_data
			if raw = nil; m.left <= 8*limits.KeptValues {
				raw = make([]byte, m.left)
				m.left = 0
				_, err = io.ReadFull(m.r, raw)
				err = noEOF(err)
			}
		case 13: // external_data
			part, err = readExternal(m, part)
		default:
			// Long lists stay unread, and so unknown.
			if read != nil && m.left <= 10*limits.KeptValues && len(t.Values) <= limits.KeptValues {
				t.Values, err = m.numbers(t.Values, read)
			}
		}
		return err
	})
	values := product(t.Dims)
	if part != nil {
		part.values = values
	} else if err == nil && values > valuesPerByte*size {
		err = fmt.Errorf("tensor %.80q has %d values in %d bytes", name, values, size)
	}
	if read := rawReaders[t.Elem]; source == 9 && read != nil && err == nil {
		m := &wireMessage{r: bufio.NewReader(bytes.NewReader(raw)), kind: protowire.BytesType, left: int64(len(raw))}
		t.Values, err = m.numbers(nil, read)
	} else if source != elemFields[t.Elem] {
		t.Values = nil
	}
	odd := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	if part != nil || int64(len(t.Values)) != values || slices.ContainsFunc(t.Values, odd) {
		t.Values = nil
	}
	return name, t, part, err
}

// valueFields are the fields of a tensor that may have its values, but for raw_data.
var valueFields = map[protowire.Number]*reader{4: floats, 5: integers, 7: integers, 10: doubles, 11: integers}

// elemFields are the fields that have the values of the types that are followed, if raw_data has not.
var elemFields = map[int]protowire.Number{
	onnxcheck.Float: 4, onnxcheck.Int32: 5, onnxcheck.Bool: 5, onnxcheck.Int64: 7, onnxcheck.Double: 10,
}

// rawReaders read the values of types in raw_data.
var rawReaders = map[int]*reader{
	onnxcheck.Float: floats, onnxcheck.Double: doubles,
	onnxcheck.Int32: {size: 4, read: func(v uint64) float64 { return float64(int32(v)) }},
	onnxcheck.Int64: {size: 8, read: integers.read},
	onnxcheck.Bool:  {size: 1, read: func(v uint64) float64 { return float64(v) }},
}

// valuesPerByte is for the smallest type, of 4 bits.
const valuesPerByte = 2

// readPort reads a ValueInfoProto.
func readPort(m *wireMessage) (p onnxcheck.Port, err error) {
	dim := func(field protowire.Number, m *wireMessage) error {
		if field == 1 { // dim_value, else dim_param
			n, err := m.integer()
			p.Dims[len(p.Dims)-1] = n
			return err
		}
		return nil
	}
	shape := func(field protowire.Number, m *wireMessage) error {
		if field != 1 { // dim
			return nil
		}
		if p.Dims = append(p.Dims, -1); len(p.Dims) > limits.AttributeNumbers {
			return errors.New("an input or output has too many dimensions")
		}
		return m.fields(dim)
	}
	tensor := func(field protowire.Number, m *wireMessage) error {
		switch field {
		case 1:
			n, err := m.integer()
			p.Elem = int(n)
			return err
		case 2:
			return m.fields(shape)
		}
		return nil
	}
	err = m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		switch field {
		case 1:
			p.Name, err = m.text()
		case 2: // type
			err = m.fields(func(field protowire.Number, m *wireMessage) error {
				if field != 1 { // tensor_type
					return nil
				}
				return m.fields(tensor)
			})
		}
		return err
	})
	return p, err
}
