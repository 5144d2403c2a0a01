package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"crscore/internal/limits"
)

// scalar is a value of a column. quoted says that JSON writes it in quotes.
type scalar struct {
	text   string
	quoted bool
	null   bool
}

// decode returns the n values in a page that are not null, or those of a dictionary.
func (c *column) decode(e format.Encoding, b []byte, n int) (v encoding.Values, err error) {
	kind := c.typ.Kind()
	v = c.typ.NewValues(nil, nil)
	switch e {
	case format.Plain:
		if kind == parquet.ByteArray {
			v = c.typ.NewValues(make([]byte, 0, len(b)), make([]uint32, 0, min(n, len(b)/4)+1))
		}
	case format.ByteStreamSplit:
	case format.RLE: // the library takes eight booleans for one
		if kind != parquet.Boolean || len(b) < 4 {
			return v, errors.New("values have the encoding RLE, which is for booleans")
		}
		bits := make([]byte, (n+7)/8)
		runs, err := decodeRuns[byte](b[4:], 1, n)
		for i, bit := range runs {
			bits[i/8] |= bit << (i % 8)
		}
		return encoding.BooleanValues(bits), err
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		if (e == format.DeltaBinaryPacked) == (kind == parquet.ByteArray) {
			return v, fmt.Errorf("the encoding %s is not for values of its type", e)
		}
		// Numbers and their ends are larger than what they are packed into.
		if err := c.hold(&c.page, c.page+16*int64(n)); err != nil {
			return v, err
		}
		if err := c.checkDeltas(e, b, n); err != nil {
			return v, err
		}
	default:
		return v, fmt.Errorf("the encoding %s is not read: write the column plain or with a dictionary, as pandas, Polars and DuckDB do", e)
	}
	if v, err = c.typ.Decode(v, b, parquet.LookupEncoding(e)); err != nil {
		return v, err
	}
	data, ends := v.Data()
	size := map[parquet.Kind]int{parquet.Boolean: 1, parquet.Int32: 32, parquet.Float: 32, parquet.Int64: 64, parquet.Double: 64}[kind]
	if size*n > 8*len(data) || kind == parquet.ByteArray && len(ends) < n+1 || e == format.ByteStreamSplit && size*n != 8*len(data) {
		return v, errShort
	}
	return v, nil
}

// checkDeltas returns an error if a page in a delta encoding is larger than it says: the
// library allocates what the page needs.
func (c *column) checkDeltas(e format.Encoding, b []byte, n int) error {
	width := 32
	if c.typ.Kind() == parquet.Int64 {
		width = 64
	}
	end, err := deltasEnd(b, n, width)
	if err != nil || e != format.DeltaByteArray {
		return err
	}
	if _, err := deltasEnd(b[end:], n, width); err != nil { // of the rest of each text
		return err
	}
	shared, err := encoding.DecodeInt32(encoding.Int32Values(nil), b[:end:end], &parquet.DeltaBinaryPacked)
	if err != nil {
		return err
	}
	size := int64(len(b))
	for _, n := range shared.Int32() {
		size += int64(max(n, 0))
	}
	if size > limits.ParquetPage {
		return fmt.Errorf("a page unpacks to more than the limit of %d MiB", limits.ParquetPage>>20)
	}
	return c.hold(&c.page, c.page+size)
}

// deltasEnd returns where n numbers of the encoding DELTA_BINARY_PACKED end.
func deltasEnd(b []byte, n, most int) (at int, err error) {
	uvarint := func() uint64 {
		v, size := binary.Uvarint(b[at:])
		if size <= 0 {
			err, size = errShort, 0
		}
		at += size
		return v
	}
	block, parts, total := uvarint(), uvarint(), uvarint()
	uvarint() // the first number
	switch {
	case err != nil:
		return 0, err
	case total != uint64(n):
		return 0, fmt.Errorf("%d numbers, where %d are needed", total, n)
	case parts == 0 || block == 0 || block > 1<<20 || block%parts != 0 || block/parts%8 != 0:
		return 0, fmt.Errorf("blocks of %d numbers in %d parts", block, parts)
	}
	size := int(block / parts)
	for left := n - 1; left > 0; {
		uvarint() // the least difference
		if err != nil || len(b)-at < int(parts) {
			return 0, errShort
		}
		widths := b[at : at+int(parts)]
		at += len(widths)
		for _, width := range widths {
			if left <= 0 {
				break
			}
			at += size / 8 * int(width)
			if int(width) > most || at > len(b) {
				return 0, errShort
			}
			left -= size
		}
	}
	return at, nil
}

// scalarAt returns a value by its index.
func (c *column) scalarAt(v *encoding.Values, i int) scalar {
	switch kind := c.typ.Kind(); {
	case kind == parquet.Boolean:
		return scalar{text: strconv.FormatBool(v.Boolean()[i/8]>>(i%8)&1 == 1)}
	case kind == parquet.Int32 && c.unsigned:
		return scalar{text: strconv.FormatUint(uint64(v.Uint32()[i]), 10)}
	case kind == parquet.Int32:
		return scalar{text: strconv.FormatInt(int64(v.Int32()[i]), 10)}
	case kind == parquet.Int64 && c.unsigned:
		return scalar{text: strconv.FormatUint(v.Uint64()[i], 10)}
	case kind == parquet.Int64:
		return scalar{text: strconv.FormatInt(v.Int64()[i], 10)}
	case kind == parquet.Float:
		return floating(float64(v.Float()[i]), 32)
	case kind == parquet.Double:
		return floating(v.Double()[i], 64)
	}
	b, ends := v.ByteArray()
	return scalar{text: string(b[ends[i]:ends[i+1]]), quoted: true}
}

// floating returns a number. NaN is null, as pandas writes missing numbers.
func floating(f float64, bits int) scalar {
	if math.IsNaN(f) {
		return scalar{null: true}
	}
	// Infinity is not JSON: as a text it is refused by name.
	return scalar{text: strconv.FormatFloat(f, 'f', -1, bits), quoted: math.IsInf(f, 0)}
}
