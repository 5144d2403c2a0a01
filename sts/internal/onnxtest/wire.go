package onnxtest

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// ONNX element types (onnx.proto, TensorProto.DataType).
const (
	elemFloat   = 1
	elemInt8    = 3
	elemInt32   = 6
	elemInt64   = 7
	elemFloat16 = 10
)

// The protobuf wire format: a message is its fields, one after the other.
func msg(fields ...[]byte) []byte { return bytes.Join(fields, nil) }

func sub(field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), m)
}

func text(field protowire.Number, s string) []byte { return sub(field, []byte(s)) }

func number(field protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}

// Attributes of nodes (AttributeProto).
func intAttr(name string, v int) []byte {
	return msg(text(1, name), number(3, v), number(20, 2))
}

func floatAttr(name string, v float32) []byte {
	value := protowire.AppendFixed32(protowire.AppendTag(nil, 2, protowire.Fixed32Type), math.Float32bits(v))
	return msg(text(1, name), value, number(20, 1))
}

func intsAttr(name string, v ...int) []byte {
	m := text(1, name)
	for _, n := range v {
		m = append(m, number(8, n)...)
	}
	return append(m, number(20, 7)...)
}

// value is a ValueInfoProto; a dimension is a number or a name.
func value(name string, elem int, dims ...string) []byte {
	var shape []byte
	for _, d := range dims {
		if n, err := strconv.Atoi(d); err == nil {
			shape = append(shape, sub(1, number(1, n))...)
		} else {
			shape = append(shape, sub(1, text(2, d))...)
		}
	}
	return msg(text(1, name), sub(2, sub(1, msg(number(1, elem), sub(2, shape)))))
}

// tensorHead is a TensorProto without its data.
func tensorHead(name string, elem int, dims []int) []byte {
	var m []byte
	for _, d := range dims {
		m = append(m, number(1, d)...)
	}
	return append(m, msg(number(2, elem), text(8, name))...)
}

// external says where in a file the data of a tensor stands.
func external(file string, offset, length int64) []byte {
	entry := func(key, value string) []byte { return sub(13, msg(text(1, key), text(2, value))) }
	return msg(
		entry("location", file),
		entry("offset", strconv.FormatInt(offset, 10)),
		entry("length", strconv.FormatInt(length, 10)),
		number(14, 1),
	)
}

func floats(v ...float32) []byte {
	var raw []byte
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	return raw
}

func ints(v ...int) []byte {
	var raw []byte
	for _, n := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(n))
	}
	return raw
}
