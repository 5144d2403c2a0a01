package sts

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"crscore/sts/internal/limits"

	"google.golang.org/protobuf/encoding/protowire"
)

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
	if m.left > limits.WireText {
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
	if m.depth > limits.Nesting {
		return fmt.Errorf("parts are nested more than %d deep", limits.Nesting)
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
		if list = append(list, as.read(v)); len(list) > limits.AttributeNumbers {
			return nil, fmt.Errorf("more than %d numbers", limits.AttributeNumbers)
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
