package dataset

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"crscore/internal/limits"
)

// headerBytes are read at once: most headers of pages have no more.
const headerBytes = 1 << 16

// errShort is the error of bytes that end in the middle of a structure.
var errShort = errors.New("it ends too early")

// metaReader reads metadata for the library, which allocates what a list says that it has,
// and recurses as deep as the structures go: neither can be recovered.
type metaReader struct {
	thrift.BytesReader
	size, items, open int
}

// decodeMeta reads a structure and returns its size.
func decodeMeta(b []byte, to any) (int, error) {
	r := &metaReader{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(b), size: len(b)}
	err := thrift.NewDecoder(r).Decode(to)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errShort
	}
	for errors.Unwrap(err) != nil { // the library adds the way to it, which may be long
		err = errors.Unwrap(err)
	}
	return r.BytesRead(), err
}

// Discard lets the library skip fields, as it does with its own reader.
func (r *metaReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}

func (r *metaReader) ReadField() (thrift.Field, error) {
	f, err := r.BytesReader.ReadField()
	switch f.Type {
	case thrift.STRUCT:
		r.open++
	case thrift.STOP:
		r.open--
	}
	if err != nil {
		return f, err
	}
	return f, r.check()
}

func (r *metaReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	if err != nil {
		return l, err
	}
	r.items += int(l.Size)
	switch l.Type {
	case thrift.LIST, thrift.SET, thrift.MAP:
		return l, errors.New("there is a list of lists")
	case thrift.STRUCT:
		r.open += int(l.Size)
	}
	if int(l.Size) > r.size-r.BytesRead() { // each takes a byte at least
		return l, errShort
	}
	return l, r.check()
}

func (r *metaReader) check() error {
	switch {
	case r.items > limits.ParquetItems:
		return fmt.Errorf("lists have more than %d items", limits.ParquetItems)
	case r.open > limits.ParquetOpen:
		return fmt.Errorf("more than %d structures are in each other", limits.ParquetOpen)
	}
	return nil
}

// ReadSet refuses a set: the metadata have none.
func (r *metaReader) ReadSet() (thrift.Set, error) {
	return thrift.Set{}, errors.New("there is a set")
}

// ReadMap refuses a map: the metadata have none.
func (r *metaReader) ReadMap() (thrift.Map, error) {
	return thrift.Map{}, errors.New("there is a map")
}

// checkFooter returns an error if the metadata of a file are not safe for the library.
func checkFooter(footer []byte) error {
	var m struct { // only counted
		Schema []struct{} `thrift:"2"`
		Groups []struct{} `thrift:"4"`
	}
	if _, err := decodeMeta(footer, &m); err != nil {
		return err
	}
	switch columns, groups := len(m.Schema), len(m.Groups); {
	case columns > limits.ParquetSchema:
		return fmt.Errorf("%d columns are more than the limit of %d", columns, limits.ParquetSchema)
	case groups > limits.ParquetGroups:
		return fmt.Errorf("%d row groups are more than the limit of %d", groups, limits.ParquetGroups)
	case columns*groups > limits.ParquetColumns:
		return fmt.Errorf("%d columns in %d row groups are too many", columns, groups)
	}
	return nil
}
