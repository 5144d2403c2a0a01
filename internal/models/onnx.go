package models

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
)

// An ONNX file is one protocol buffer. Tensors may have their data in other files, without
// which the model cannot run. externalData walks through the messages that may have tensors,
// and skips everything else. It keeps only names in memory, so a file may have any size.

// message is a kind of message of onnx.proto.
type message int

const (
	other message = iota
	onnxModel
	onnxGraph
	onnxNode
	onnxAttribute
	onnxTensor
	onnxSparse
	onnxEntry // a key and a value of a tensor's external_data
	onnxFunction
)

// inside are the fields of a message that may have tensors inside.
var inside = [...]map[uint64]message{
	onnxModel:     {7: onnxGraph, 25: onnxFunction},
	onnxFunction:  {7: onnxNode},
	onnxGraph:     {1: onnxNode, 5: onnxTensor, 15: onnxSparse},
	onnxNode:      {5: onnxAttribute},
	onnxAttribute: {5: onnxTensor, 6: onnxGraph, 10: onnxTensor, 11: onnxGraph, 22: onnxSparse, 23: onnxSparse},
	onnxSparse:    {1: onnxTensor, 2: onnxTensor},
	onnxTensor:    {13: onnxEntry},
	onnxEntry:     {},
}

const (
	maxNesting   = 64   // of messages
	maxLocation  = 4096 // bytes of the name of an external file
	maxLocations = maxFiles
)

var errONNX = errors.New("not a whole ONNX file")

// externalData returns the sorted paths, in the model's folder, of the files with the tensors
// of an ONNX file. The file has size bytes and the path name. The error wraps errONNX where
// the file is cut off or no ONNX file.
func externalData(r io.Reader, size int64, name string) ([]string, error) {
	s := onnxScan{r: bufio.NewReaderSize(r, 1<<16)}
	if err := s.message(onnxModel, size, 0); err != nil {
		return nil, fmt.Errorf("%s is %w", name, err)
	}
	if !s.graph {
		return nil, fmt.Errorf("%s is %w: there is no graph in it", name, errONNX)
	}
	var files []string
	for _, loc := range s.locations {
		file := path.Join(path.Dir(name), loc)
		if err := checkPath(file); err != nil || path.IsAbs(loc) {
			return nil, fmt.Errorf("%s keeps data in %.100q, which is outside of the model's folder", name, loc)
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

type onnxScan struct {
	r         *bufio.Reader
	locations []string
	graph     bool
}

// message walks through a message of n bytes.
func (s *onnxScan) message(kind message, n int64, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("%w: nested more than %d deep", errONNX, maxNesting)
	}
	var key, value string
	for n > 0 {
		tag, k, err := s.varint()
		if err != nil {
			return err
		}
		n -= k
		field, skip := tag>>3, int64(0)
		switch tag & 7 {
		case 0:
			_, k, err := s.varint()
			if err != nil {
				return err
			}
			n -= k
		case 1:
			skip = 8
		case 5:
			skip = 4
		case 2:
			size, k, err := s.varint()
			if err != nil {
				return err
			}
			n -= k
			if n < 0 || size > uint64(n) {
				return fmt.Errorf("%w: a field is longer than what holds it", errONNX)
			}
			next := inside[kind][field]
			switch {
			case kind == onnxEntry && (field == 1 || field == 2) && size <= maxLocation:
				b := make([]byte, size)
				if _, err := io.ReadFull(s.r, b); err != nil {
					return fmt.Errorf("%w: it ends too early", errONNX)
				}
				n -= int64(size)
				if field == 1 {
					key = string(b)
				} else {
					value = string(b)
				}
			case next != other:
				s.graph = s.graph || next == onnxGraph
				if err := s.message(next, int64(size), depth+1); err != nil {
					return err
				}
				n -= int64(size)
			default:
				skip = int64(size)
			}
		default:
			return fmt.Errorf("%w: a field has the wire type %d", errONNX, tag&7)
		}
		if n -= skip; n < 0 {
			return fmt.Errorf("%w: a field is longer than what holds it", errONNX)
		}
		if err := s.skip(skip); err != nil {
			return err
		}
	}
	if kind == onnxEntry && key == "location" && !slices.Contains(s.locations, value) {
		if s.locations = append(s.locations, value); len(s.locations) > maxLocations {
			return fmt.Errorf("%w: it keeps data in more than %d files", errONNX, maxLocations)
		}
	}
	return nil
}

func (s *onnxScan) skip(n int64) error {
	for n > 0 {
		k, err := s.r.Discard(int(min(n, 1<<30)))
		if err != nil {
			return fmt.Errorf("%w: it ends too early", errONNX)
		}
		n -= int64(k)
	}
	return nil
}

// varint reads a number and returns its length in bytes.
func (s *onnxScan) varint() (v uint64, n int64, err error) {
	for shift := 0; shift < 64; shift += 7 {
		b, err := s.r.ReadByte()
		if err != nil {
			return 0, n, fmt.Errorf("%w: it ends too early", errONNX)
		}
		n++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, n, nil
		}
	}
	return 0, n, fmt.Errorf("%w: a number is too long", errONNX)
}
