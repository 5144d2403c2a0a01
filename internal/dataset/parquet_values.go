package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// scalar is a value of a column. quoted says that JSON writes it in quotes.
type scalar struct {
	text   string
	quoted bool
	null   bool
}

// values are the values of a page (without nulls) or of a dictionary.
type values struct {
	kind     parquet.Kind
	unsigned bool
	n        int
	b        []byte
	// ends are the ends of texts in b. Each text follows as many bytes of its length as
	// before says.
	ends   []uint32
	before uint32
	ints   []int64 // numbers in delta encodings, instead of b
	// separate: each boolean has a byte of its own.
	separate bool
}

// plainValues finds the values in a page of the encoding PLAIN.
func plainValues(kind parquet.Kind, unsigned bool, b []byte, n int) (v values, err error) {
	v = values{kind: kind, unsigned: unsigned, n: n, b: b, before: 4}
	size := 0
	switch kind {
	case parquet.Boolean:
		size = (n + 7) / 8
	case parquet.Int32, parquet.Float:
		size = 4 * n
	case parquet.Int64, parquet.Double:
		size = 8 * n
	case parquet.ByteArray:
		v.ends = make([]uint32, 0, min(n, len(b)/4))
		for range n {
			if len(b)-size < 4 {
				return v, errShort
			}
			length := int64(binary.LittleEndian.Uint32(b[size:]))
			if length > int64(len(b)-size-4) {
				return v, errShort
			}
			size += 4 + int(length)
			v.ends = append(v.ends, uint32(size))
		}
	}
	if size > len(b) {
		return v, errShort
	}
	return v, nil
}

// joinStreams undoes the encoding BYTE_STREAM_SPLIT: first the first byte of each of n
// values, then the second ones, and so on.
func joinStreams(kind parquet.Kind, b []byte, n int) ([]byte, error) {
	size := map[parquet.Kind]int{parquet.Int32: 4, parquet.Float: 4, parquet.Int64: 8, parquet.Double: 8}[kind]
	if size == 0 || n*size != len(b) {
		return nil, errors.New("values have the encoding BYTE_STREAM_SPLIT, and another size than it needs")
	}
	out := make([]byte, len(b))
	for i, v := range b {
		out[i%n*size+i/n] = v
	}
	return out, nil
}

// deltaValues finds the values in a page of one of the delta encodings.
func deltaValues(encoding format.Encoding, kind parquet.Kind, unsigned bool, b []byte, n int) (v values, err error) {
	v = values{kind: kind, unsigned: unsigned, n: n}
	numbers, text := kind == parquet.Int32 || kind == parquet.Int64, kind == parquet.ByteArray
	switch {
	case encoding == format.DeltaBinaryPacked && numbers:
		v.ints, _, err = decodeDeltas(b, n)
		return v, err
	case !text || encoding == format.DeltaBinaryPacked:
		return v, fmt.Errorf("the encoding %s is not for values of its type", encoding)
	}
	var prefixes []int64
	if encoding == format.DeltaByteArray {
		if prefixes, b, err = decodeDeltas(b, n); err != nil {
			return v, err
		}
	}
	lengths, b, err := decodeDeltas(b, n)
	if err != nil {
		return v, err
	}
	v.b, v.ends = b, make([]uint32, n)
	if prefixes != nil {
		v.b = nil
	}
	at, last := 0, 0 // where the next text begins in b, and the last one in v.b
	for i, length := range lengths {
		if length < 0 || length > int64(len(b)-at) {
			return v, errShort
		}
		if prefixes != nil {
			shared := prefixes[i]
			if shared < 0 || shared > int64(len(v.b)-last) {
				return v, errors.New("a text begins with more of the one before than that has")
			}
			if int64(len(v.b))+shared+length > maxPageBytes {
				return v, fmt.Errorf("a page unpacks to more than the limit of %d MiB", maxPageBytes>>20)
			}
			from := len(v.b)
			v.b = append(v.b, v.b[last:last+int(shared)]...)
			v.b = append(v.b, b[at:at+int(length)]...)
			last, v.ends[i] = from, uint32(len(v.b))
		} else {
			v.ends[i] = uint32(at + int(length))
		}
		at += int(length)
	}
	return v, nil
}

// decodeDeltas reads n numbers of the encoding DELTA_BINARY_PACKED, and returns the bytes
// behind them.
func decodeDeltas(b []byte, n int) (out []int64, rest []byte, err error) {
	uvarint := func() uint64 {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			err, size = errShort, 0
		}
		b = b[size:]
		return v
	}
	varint := func() int64 {
		v := uvarint()
		return int64(v>>1) ^ -int64(v&1)
	}
	block, parts, total, value := uvarint(), uvarint(), uvarint(), varint()
	switch {
	case err != nil:
		return nil, nil, err
	case total != uint64(n):
		return nil, nil, fmt.Errorf("%d numbers, where %d are needed", total, n)
	case parts == 0 || block == 0 || block > 1<<20 || block%parts != 0 || block/parts%8 != 0:
		return nil, nil, fmt.Errorf("blocks of %d numbers in %d parts", block, parts)
	}
	out = make([]int64, 0, n)
	if n > 0 {
		out = append(out, value)
	}
	size := int(block / parts)
	for len(out) < n {
		least := varint()
		if err != nil || uint64(len(b)) < parts {
			return nil, nil, errShort
		}
		widths := b[:parts]
		b = b[parts:]
		for _, width := range widths {
			if len(out) == n {
				break
			}
			bytes := size / 8 * int(width)
			if width > 64 || bytes > len(b) {
				return nil, nil, errShort
			}
			for i := 0; i < size && len(out) < n; i++ {
				value += least + int64(bitsAt(b[:bytes], i*int(width), int(width)))
				out = append(out, value)
			}
			b = b[bytes:]
		}
	}
	return out, b, nil
}

// bitsAt reads a number of width bits, the lowest bit first.
func bitsAt(b []byte, at, width int) (v uint64) {
	for got := 0; got < width; {
		n := min(8-at%8, width-got)
		v |= uint64(b[at/8]>>(at%8)&(1<<n-1)) << got
		got += n
		at += n
	}
	return v
}

// at returns a value by its index.
func (v *values) at(i int) (scalar, error) {
	if i < 0 || i >= v.n {
		return scalar{}, errors.New("a value is not in the dictionary")
	}
	switch v.kind {
	case parquet.Boolean:
		if v.separate {
			return scalar{text: strconv.FormatBool(v.b[i] == 1)}, nil
		}
		return scalar{text: strconv.FormatBool(v.b[i/8]>>(i%8)&1 == 1)}, nil
	case parquet.Int32:
		n := int32(v.integer(i))
		if v.unsigned {
			return scalar{text: strconv.FormatUint(uint64(uint32(n)), 10)}, nil
		}
		return scalar{text: strconv.FormatInt(int64(n), 10)}, nil
	case parquet.Int64:
		n := v.integer(i)
		if v.unsigned {
			return scalar{text: strconv.FormatUint(uint64(n), 10)}, nil
		}
		return scalar{text: strconv.FormatInt(n, 10)}, nil
	case parquet.Float:
		return floating(float64(math.Float32frombits(binary.LittleEndian.Uint32(v.b[4*i:]))), 32), nil
	case parquet.Double:
		return floating(math.Float64frombits(binary.LittleEndian.Uint64(v.b[8*i:])), 64), nil
	}
	from := uint32(0)
	if i > 0 {
		from = v.ends[i-1]
	}
	return scalar{text: string(v.b[from+v.before : v.ends[i]]), quoted: true}, nil
}

func (v *values) integer(i int) int64 {
	switch {
	case v.ints != nil:
		return v.ints[i]
	case v.kind == parquet.Int32:
		return int64(binary.LittleEndian.Uint32(v.b[4*i:]))
	}
	return int64(binary.LittleEndian.Uint64(v.b[8*i:]))
}

// floating returns a number. NaN is null, as pandas writes missing numbers.
func floating(f float64, bits int) scalar {
	if math.IsNaN(f) {
		return scalar{null: true}
	}
	// Infinity is not JSON: as a text it is refused by name.
	return scalar{text: strconv.FormatFloat(f, 'f', -1, bits), quoted: math.IsInf(f, 0)}
}
