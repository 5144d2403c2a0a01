package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The library allocates what the metadata of a Parquet file say, and recurses as deep as
// their structures go. This file checks them first.
const (
	maxFooterBytes   = 64 << 20
	maxMetaStructs   = 1 << 20
	maxMetaDepth     = 32
	maxSchema        = 10_000  // elements
	maxRowGroups     = 1 << 15 // as the format has it
	maxSchemaInGroup = 1 << 22 // schema elements times row groups
	maxHeaderBytes   = 1 << 20 // of a page
	headerBytes      = 1 << 16 // that most have
)

// errShort is the error of bytes that end in the middle of a structure.
var errShort = errors.New("it ends too early")

// thrift walks a structure of Thrift's compact protocol.
type thrift struct {
	b       []byte
	at      int
	structs int
	path    []int16
	// number is called for numbers and booleans, and size for lists. The path has the ids
	// of the fields that lead to them.
	number func(path []int16, v int64)
	size   func(path []int16, n int) error
}

func (t *thrift) byte() (byte, error) {
	if t.at >= len(t.b) {
		return 0, errShort
	}
	t.at++
	return t.b[t.at-1], nil
}

func (t *thrift) uvarint() (uint64, error) {
	v, n := binary.Uvarint(t.b[t.at:])
	switch {
	case n == 0:
		return 0, errShort
	case n < 0:
		return 0, errors.New("a number is too long")
	}
	t.at += n
	return v, nil
}

func (t *thrift) varint() (int64, error) {
	v, err := t.uvarint()
	return int64(v>>1) ^ -int64(v&1), err
}

func (t *thrift) skip(n uint64) error {
	if n > uint64(len(t.b)-t.at) {
		return errShort
	}
	t.at += int(n)
	return nil
}

// structure walks a struct.
func (t *thrift) structure() error {
	if t.structs++; t.structs > maxMetaStructs {
		return fmt.Errorf("more than %d structures", maxMetaStructs)
	}
	if len(t.path) >= maxMetaDepth {
		return fmt.Errorf("structures go deeper than %d", maxMetaDepth)
	}
	depth := len(t.path)
	defer func() { t.path = t.path[:depth] }()
	for id := int16(0); ; {
		head, err := t.byte()
		if err != nil || head == 0 {
			return err
		}
		if delta := head >> 4; delta != 0 {
			id += int16(delta)
		} else {
			v, err := t.varint()
			if err != nil {
				return err
			}
			id = int16(v)
		}
		t.path = append(t.path[:depth], id)
		kind := head & 0xf
		if kind == 1 || kind == 2 { // true and false are their own values
			if t.number != nil {
				t.number(t.path, int64(2-kind))
			}
			continue
		}
		if err := t.value(kind); err != nil {
			return err
		}
	}
}

func (t *thrift) value(kind byte) error {
	switch kind {
	case 1, 2, 3:
		_, err := t.byte()
		return err
	case 4, 5, 6:
		v, err := t.varint()
		if err == nil && t.number != nil {
			t.number(t.path, v)
		}
		return err
	case 7:
		return t.skip(8)
	case 8:
		n, err := t.uvarint()
		if err != nil {
			return err
		}
		return t.skip(n)
	case 9, 10:
		return t.list()
	case 11:
		return t.dictionary()
	case 12:
		return t.structure()
	case 13:
		return t.skip(16)
	}
	return fmt.Errorf("there is no type %d", kind)
}

func (t *thrift) list() error {
	head, err := t.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = t.uvarint(); err != nil {
			return err
		}
	}
	if n > uint64(len(t.b)-t.at) { // each takes a byte at least
		return errShort
	}
	if t.size != nil {
		if err := t.size(t.path, int(n)); err != nil {
			return err
		}
	}
	return t.nested(func() error {
		for range n {
			if err := t.value(head & 0xf); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *thrift) dictionary() error {
	n, err := t.uvarint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := t.byte()
	if err != nil {
		return err
	}
	if n > uint64(len(t.b)-t.at) {
		return errShort
	}
	return t.nested(func() error {
		for range n {
			if err := errors.Join(t.value(kinds>>4), t.value(kinds&0xf)); err != nil {
				return err
			}
		}
		return nil
	})
}

// nested bounds the depth of lists in lists.
func (t *thrift) nested(walk func() error) error {
	if len(t.path) >= maxMetaDepth {
		return fmt.Errorf("structures go deeper than %d", maxMetaDepth)
	}
	depth := len(t.path)
	t.path = append(t.path, 0)
	err := walk()
	t.path = t.path[:depth]
	return err
}

// checkFooter returns an error if the metadata of a file are not safe for the library.
func checkFooter(footer []byte) error {
	schema, groups := 0, 0
	t := thrift{b: footer, size: func(path []int16, n int) error {
		if len(path) != 1 {
			return nil
		}
		switch path[0] {
		case 2:
			schema = n
		case 4:
			groups = n
		}
		switch {
		case schema > maxSchema:
			return fmt.Errorf("%d columns are more than the limit of %d", schema, maxSchema)
		case groups > maxRowGroups:
			return fmt.Errorf("%d row groups are more than the limit of %d", groups, maxRowGroups)
		case schema*groups > maxSchemaInGroup:
			return fmt.Errorf("%d columns in %d row groups are too many", schema, groups)
		}
		return nil
	}}
	if err := t.structure(); err != nil {
		return err
	}
	return nil
}

// The kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// pageHeader is the header of a page.
type pageHeader struct {
	kind, size, packed int64 // bytes, unpacked and packed
	values             int64
	encoding           int64
	levelEncodings     [2]int64 // of data pages of version 1
	repBytes, defBytes int64    // of version 2
	plain              bool     // not compressed, in version 2
	sum                *int64
}

// readPageHeader reads a header and returns its size.
func readPageHeader(b []byte) (h pageHeader, size int, err error) {
	t := thrift{b: b, number: func(path []int16, v int64) {
		switch {
		case len(path) == 1:
			switch path[0] {
			case 1:
				h.kind = v
			case 2:
				h.size = v
			case 3:
				h.packed = v
			case 4:
				h.sum = &v
			}
		case len(path) != 2:
		case path[0] == 5 && (path[1] == 3 || path[1] == 4):
			h.levelEncodings[path[1]-3] = v
		case path[1] == 1:
			h.values = v
		case path[0] != 8 && path[1] == 2, path[0] == 8 && path[1] == 4:
			h.encoding = v
		case path[0] == 8 && path[1] == 5:
			h.defBytes = v
		case path[0] == 8 && path[1] == 6:
			h.repBytes = v
		case path[0] == 8 && path[1] == 7:
			h.plain = v == 0
		}
	}}
	err = t.structure()
	return h, t.at, err
}
