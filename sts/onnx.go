package sts

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"crscore/sts/internal/onnxcheck"

	"google.golang.org/protobuf/encoding/protowire"
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

// externalPart is a tensor in another file.
type externalPart struct {
	location       string // relative to the folder of the ONNX file
	offset, length int64  // -1 when the file does not say
	values         int64  // the tensor's size
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
	if o.nodes++; o.nodes > onnxcheck.MaxNodes {
		return n, fmt.Errorf("it has more than %d nodes", onnxcheck.MaxNodes)
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
			if m.left <= maxWireText {
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
		if o.external = append(o.external, *part); len(o.external) > maxExternal {
			return "", t, fmt.Errorf("more than %d tensors are in other files", maxExternal)
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
			if len(t.Dims) > onnxcheck.MaxNumbers {
				err = errors.New("a tensor has too many dimensions")
			}
		case 2:
			var elem int64
			elem, err = m.integer()
			t.Elem = int(elem)
		case 8:
			name, err = m.text()
		case 9: // raw_data
			if raw = nil; m.left <= 8*onnxcheck.MaxValues {
				raw = make([]byte, m.left)
				m.left = 0
				_, err = io.ReadFull(m.r, raw)
				err = noEOF(err)
			}
		case 13: // external_data
			part, err = readExternal(m, part)
		default:
			// Long lists stay unread, and so unknown.
			if read != nil && m.left <= 10*onnxcheck.MaxValues && len(t.Values) <= onnxcheck.MaxValues {
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

// reader reads lists of numbers.
type reader struct {
	kind protowire.Type // of a number alone
	size int            // bytes, 0 for those that vary
	read func(bits uint64) float64
}

var (
	floats   = &reader{protowire.Fixed32Type, 4, func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }}
	doubles  = &reader{protowire.Fixed64Type, 8, math.Float64frombits}
	integers = &reader{protowire.VarintType, 0, func(v uint64) float64 { return float64(int64(v)) }}
)

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

// readExternal reads a pair of key and value of a tensor in another file.
func readExternal(m *wireMessage, part *externalPart) (*externalPart, error) {
	var pair [2]string
	err := m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		if field == 1 || field == 2 {
			pair[field-1], err = m.text()
		}
		return err
	})
	if part == nil {
		part = &externalPart{offset: 0, length: -1}
	}
	var parse error
	switch pair[0] {
	case "location":
		part.location = pair[1]
	case "offset":
		part.offset, parse = strconv.ParseInt(pair[1], 10, 64)
	case "length":
		part.length, parse = strconv.ParseInt(pair[1], 10, 64)
	}
	if err == nil && (parse != nil || part.offset < 0 || part.length < -1) {
		err = fmt.Errorf("external data with %s %q", pair[0], pair[1])
	}
	return part, err
}

// valuesPerByte is for the smallest type, of 4 bits.
const valuesPerByte = 2

// maxExternal bounds the tensors in other files.
const maxExternal = 1 << 20

// path is the path, in the model's folder, of the file with the tensor of the ONNX file at path file.
func (p externalPart) path(file string) (string, error) {
	name := path.Join(path.Dir(file), p.location)
	if p.location == "" || path.IsAbs(p.location) || strings.Contains(p.location, "\\") || !fs.ValidPath(name) || name == "." {
		return "", fmt.Errorf("external data %.100q is not in the model directory", p.location)
	}
	return name, nil
}

// ExternalData returns the sorted paths, in the model's folder, of the files in which the ONNX file
// at path file keeps tensors. r reads the ONNX file, of any size; nothing else is read. An error says
// what is wrong with the file.
func ExternalData(r io.Reader, file string) ([]string, error) {
	g, err := readONNX(r)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, part := range g.external {
		name, err := part.path(file)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// checkExternal returns the names of the files in dir with the external data of the model
// in file, and an error if one is missing or too short.
func (g onnxGraph) checkExternal(dir fs.FS, file string) ([]string, error) {
	sizes, values := map[string]int64{}, map[string]int64{}
	var names []string
	for _, part := range g.external {
		name, err := part.path(file)
		if err != nil {
			return nil, err
		}
		size, ok := sizes[name]
		if !ok {
			info, err := fs.Stat(dir, name)
			if err != nil {
				return nil, fmt.Errorf("external data %q: %w", part.location, err)
			}
			if !info.Mode().IsRegular() {
				return nil, fmt.Errorf("external data %q is not a file", part.location)
			}
			size = info.Size()
			sizes[name] = size
			names = append(names, name)
		}
		if part.offset > size || part.length > size-part.offset {
			return nil, fmt.Errorf("external data %q is cut short: it has %d bytes, and %d are wanted from %d on", part.location, size, part.length, part.offset)
		}
		// Together: each gets memory of its own, also where they share their bytes.
		if values[name] += min(part.values, math.MaxInt64-values[name]); values[name]/valuesPerByte > size {
			return nil, fmt.Errorf("external data %q has %d bytes for tensors of %d values", part.location, size, values[name])
		}
	}
	return names, nil
}

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
		if p.Dims = append(p.Dims, -1); len(p.Dims) > onnxcheck.MaxNumbers {
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

// wireMessage is a protobuf field's value as it is read from a file: a number,
// or bytes, of which left are still to come.
type wireMessage struct {
	r      *bufio.Reader
	number uint64
	left   int64
	kind   protowire.Type
	open   bool // the whole file, which ends where it ends
	depth  int  // how many messages it is in
}

// maxNesting bounds the depth of messages, because the stack grows with it. The body of a
// loop or condition, which may contain others, takes 3.
const maxNesting = 64

// maxWireText bounds a name in a file that may hold anything.
const maxWireText = 1 << 16

// errKind is for a field that another reader would not know as the one that its number says.
var errKind = errors.New("a field has a value of another kind")

// integer is the value of m.
func (m *wireMessage) integer() (int64, error) {
	if m.kind != protowire.VarintType {
		return 0, errKind
	}
	return int64(m.number), nil
}

// text reads the rest of m.
func (m *wireMessage) text() (string, error) {
	if m.kind != protowire.BytesType {
		return "", errKind
	}
	if m.left > maxWireText {
		return "", fmt.Errorf("a name of %d bytes", m.left)
	}
	b := make([]byte, m.left)
	m.left = 0
	_, err := io.ReadFull(m.r, b)
	return string(b), noEOF(err)
}

// fields calls visit for every field of m, and skips the bytes that visit does not read.
func (m *wireMessage) fields(visit func(protowire.Number, *wireMessage) error) error {
	if m.kind != protowire.BytesType {
		return errKind
	}
	if m.depth > maxNesting {
		return fmt.Errorf("parts are nested more than %d deep", maxNesting)
	}
	for m.left > 0 {
		tag, err := m.varint()
		if m.open && err == io.EOF {
			return nil
		}
		if err != nil {
			return noEOF(err)
		}
		number, kind := protowire.DecodeTag(tag)
		if number < protowire.MinValidNumber {
			return errors.New("a field without a number")
		}
		v := &wireMessage{r: m.r, kind: kind, depth: m.depth + 1}
		switch kind {
		case protowire.VarintType:
			v.number, err = m.varint()
		case protowire.Fixed32Type:
			v.left = 4
		case protowire.Fixed64Type:
			v.left = 8
		case protowire.BytesType:
			v.number, err = m.varint()
			v.left = int64(min(v.number, math.MaxInt64))
		default:
			return fmt.Errorf("a field of type %d", kind)
		}
		if err != nil {
			return noEOF(err)
		}
		if v.left > m.left {
			return errors.New("a part is longer than the whole")
		}
		m.left -= v.left
		if err := visit(number, v); err != nil {
			return err
		}
		for v.left > 0 {
			n, err := v.r.Discard(int(min(v.left, 1<<30)))
			v.left -= int64(n)
			if err != nil {
				return noEOF(err)
			}
		}
	}
	return nil
}

// varint reads a number; io.EOF means that nothing is left.
func (m *wireMessage) varint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b, err := m.r.ReadByte()
		if err == io.EOF && shift > 0 {
			return 0, io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		if m.left--; m.left < 0 {
			return 0, errors.New("a part is longer than the whole")
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, errors.New("a number is too long")
}

// numbers adds what m has, one number or a list of them, to list.
func (m *wireMessage) numbers(list []float64, as *reader) ([]float64, error) {
	if m.kind != protowire.BytesType && m.kind != as.kind {
		return nil, errKind
	}
	one := m.kind == protowire.VarintType // and is read already
	for m.left > 0 || one {
		v, err := m.number, error(nil)
		switch {
		case one:
			one = false
		case as.size == 0:
			v, err = m.varint()
		default:
			var b [8]byte
			if m.left -= int64(as.size); m.left < 0 {
				return nil, errors.New("a part is longer than the whole")
			}
			_, err = io.ReadFull(m.r, b[:as.size])
			v = binary.LittleEndian.Uint64(b[:])
		}
		if err != nil {
			return nil, noEOF(err)
		}
		if list = append(list, as.read(v)); len(list) > onnxcheck.MaxNumbers {
			return nil, fmt.Errorf("more than %d numbers", onnxcheck.MaxNumbers)
		}
	}
	return list, nil
}

// noEOF turns io.EOF within a value into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
