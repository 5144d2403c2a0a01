package sts

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

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
	o := onnxReader{onnxGraph{elems: map[string]int{}, ops: map[string]bool{}}, map[string]int64{}, map[string]string{}, false}
	file := &wireMessage{r: bufio.NewReaderSize(r, 1<<16), left: math.MaxInt64, open: true}
	err := file.fields(o.model)
	if err == nil && !o.found {
		err = errors.New("the file has no graph")
	}
	if err != nil {
		return onnxGraph{}, fmt.Errorf("not an ONNX model: %w", err)
	}
	// Old exporters list the weights among the inputs.
	o.inputs = slices.DeleteFunc(o.inputs, func(in modelPort) bool {
		_, ok := o.weights[in.name]
		return ok
	})
	o.vocab, o.types = int(o.weights[o.lookups["input_ids"]]), int(o.weights[o.lookups["token_type_ids"]])
	return o.onnxGraph, nil
}

// onnxReader gathers what a model's graph says. Its methods read the fields of messages.
type onnxReader struct {
	onnxGraph
	weights map[string]int64  // their first dimensions
	lookups map[string]string // tables of Gather nodes by what they look up
	found   bool              // there is a graph
}

func (o *onnxReader) model(field protowire.Number, m *wireMessage) error {
	switch field {
	case 7: // graph
		o.found = true
		return m.fields(o.graph)
	case 25: // functions, whose nodes are field 7
		return m.fields(func(field protowire.Number, m *wireMessage) error {
			if field != 7 {
				return nil
			}
			return o.node(m)
		})
	}
	return nil
}

func (o *onnxReader) graph(field protowire.Number, m *wireMessage) error {
	switch field {
	case 1: // node
		return o.node(m)
	case 5: // initializer
		name, rows, err := o.tensor(m)
		o.weights[name] = rows
		return err
	case 15:
		return m.fields(o.sparse)
	case 11:
		return o.port(m, &o.inputs)
	case 12:
		return o.port(m, &o.outputs)
	}
	return nil
}

func (o *onnxReader) node(m *wireMessage) error {
	var op string
	var inputs []string
	err := m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		switch field {
		case 1: // input
			var name string
			name, err = m.text()
			inputs = append(inputs, name)
		case 4: // op_type
			op, err = m.text()
			o.ops[op] = true
		case 5:
			err = m.fields(o.attribute)
		}
		return err
	})
	if op == "Gather" && len(inputs) == 2 {
		o.lookups[inputs[1]] = inputs[0]
	}
	return err
}

func (o *onnxReader) attribute(field protowire.Number, m *wireMessage) error {
	switch field {
	case 5, 10: // tensors
		_, _, err := o.tensor(m)
		return err
	case 22, 23:
		return m.fields(o.sparse)
	case 6, 11: // the bodies of loops and conditions
		return m.fields(func(field protowire.Number, m *wireMessage) error {
			if field == 11 || field == 12 {
				return nil // Their inputs and outputs are not the model's.
			}
			return o.graph(field, m)
		})
	}
	return nil
}

func (o *onnxReader) tensor(m *wireMessage) (name string, rows int64, err error) {
	name, rows, part, err := readTensor(m)
	if part != nil {
		if o.external = append(o.external, *part); len(o.external) > maxExternal {
			return "", 0, fmt.Errorf("more than %d tensors are in other files", maxExternal)
		}
	}
	return name, rows, err
}

func (o *onnxReader) sparse(field protowire.Number, m *wireMessage) (err error) {
	if field == 1 || field == 2 { // values and indices
		_, _, err = o.tensor(m)
	}
	return err
}

func (o *onnxReader) port(m *wireMessage, to *[]modelPort) error {
	p, elem, err := readPort(m)
	*to = append(*to, p)
	o.elems[p.name] = elem
	return err
}

// readTensor reads a TensorProto without its values. A tensor that claims more values than
// its bytes can hold is an error, because backends allocate what it claims.
func readTensor(m *wireMessage) (name string, rows int64, part *externalPart, err error) {
	size, values := m.left, int64(1)
	rows = -1
	dim := func(n int64) {
		if rows < 0 {
			rows = n
		}
		if values = max(values, 0); n < 0 || n > 0 && values > math.MaxInt64/n {
			values = math.MaxInt64
		} else {
			values *= n
		}
	}
	err = m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		switch field {
		case 1: // dims, one by one or packed
			if m.left == 0 {
				dim(int64(m.number))
			}
			for m.left > 0 {
				n, err := m.varint()
				if err != nil {
					return noEOF(err)
				}
				dim(int64(n))
			}
		case 8:
			name, err = m.text()
		case 13: // external_data: pairs of key and value
			var pair [2]string
			err = m.fields(func(field protowire.Number, m *wireMessage) (err error) {
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
			if parse != nil || part.offset < 0 || part.length < -1 {
				return fmt.Errorf("external data with %s %q", pair[0], pair[1])
			}
		}
		return err
	})
	if part != nil {
		part.values = values
	} else if err == nil && values > valuesPerByte*size {
		err = fmt.Errorf("tensor %.80q has %d values in %d bytes", name, values, size)
	}
	return name, max(rows, 0), part, err
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
	sizes := map[string]int64{}
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
		if part.values/valuesPerByte > size {
			return nil, fmt.Errorf("external data %q has %d bytes for a tensor of %d values", part.location, size, part.values)
		}
	}
	return names, nil
}

// readPort reads a ValueInfoProto.
func readPort(m *wireMessage) (p modelPort, elem int, err error) {
	dim := func(field protowire.Number, m *wireMessage) error {
		if field == 1 { // dim_value, else dim_param
			p.dims[len(p.dims)-1] = int64(m.number)
		}
		return nil
	}
	shape := func(field protowire.Number, m *wireMessage) error {
		if field != 1 { // dim
			return nil
		}
		p.dims = append(p.dims, -1)
		return m.fields(dim)
	}
	tensor := func(field protowire.Number, m *wireMessage) error {
		switch field {
		case 1:
			elem = int(m.number)
		case 2:
			return m.fields(shape)
		}
		return nil
	}
	err = m.fields(func(field protowire.Number, m *wireMessage) (err error) {
		switch field {
		case 1:
			p.name, err = m.text()
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
	return p, elem, err
}

// wireMessage is a protobuf field's value as it is read from a file: a number,
// or bytes, of which left are still to come.
type wireMessage struct {
	r      *bufio.Reader
	number uint64
	left   int64
	open   bool // the whole file, which ends where it ends
	depth  int  // how many messages it is in
}

// maxNesting bounds the depth of messages, because the stack grows with it. The body of a
// loop or condition, which may contain others, takes 3.
const maxNesting = 64

// maxWireText bounds a name in a file that may hold anything.
const maxWireText = 1 << 16

// text reads the rest of m.
func (m *wireMessage) text() (string, error) {
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
		v := &wireMessage{r: m.r, depth: m.depth + 1}
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

// noEOF turns io.EOF within a value into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
