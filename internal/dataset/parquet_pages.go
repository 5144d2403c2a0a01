package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// The library's reader trusts the sizes in pages: for a run of 2²⁸ levels in five bytes it
// allocates 625 MiB, and running out of memory cannot be recovered. This file therefore
// reads pages with a limit for every size.
const (
	maxPageBytes  = 128 << 20
	maxHeldBytes  = 512 << 20 // in the pages and dictionaries of all columns at a time
	maxPageValues = 1 << 24
)

// plainDictionary is the older code for the encodings of dictionaries and of indexes into
// them. Spark writes it.
const plainDictionary = format.Encoding(2)

// column reads the values of a column of a row group, with their levels.
type column struct {
	name           string
	kind           parquet.Kind
	unsigned       bool
	maxRep, maxDef int
	held           *int64 // bytes, of all columns
	pack           *unpacker

	section *io.SectionReader
	in      *bufio.Reader // of section
	left    int64         // bytes of the chunk
	codec   format.CompressionCodec
	dict    *values
	mine    int64  // bytes that are held for the dictionary
	page    int64  // bytes that are held for the page
	reps    []byte // nil where there are none
	defs    []byte
	at, n   int // levels
	val     values
	indexes []int32 // into dict, nil without one
	used    int     // values
}

// start goes to the column chunk of a row group.
func (c *column) start(r io.ReaderAt, size int64, m *format.ColumnMetaData) error {
	from := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < from {
		from = d
	}
	if from < 4 || m.TotalCompressedSize < 0 || from > size-8 || m.TotalCompressedSize > size-8-from {
		return fmt.Errorf("column %s is said to be where the file is not", short(c.name))
	}
	switch m.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd, format.Brotli, format.Lz4Raw:
	default:
		return fmt.Errorf("column %s is compressed with %s: write the file with snappy, zstd, gzip, lz4_raw or brotli", short(c.name), m.Codec)
	}
	c.section = io.NewSectionReader(r, from, m.TotalCompressedSize)
	if c.in == nil {
		c.in = bufio.NewReaderSize(c.section, headerBytes)
	} else {
		c.in.Reset(c.section)
	}
	c.left, c.codec = m.TotalCompressedSize, m.Codec
	*c.held -= c.mine + c.page
	c.mine, c.page = 0, 0
	c.dict, c.at, c.n = nil, 0, 0
	return nil
}

// peek returns the levels of the next value; ok is false at the end.
func (c *column) peek() (rep, def int, ok bool, err error) {
	for c.at >= c.n {
		if c.left == 0 {
			return 0, 0, false, nil
		}
		if err := c.nextPage(); err != nil {
			return 0, 0, false, fmt.Errorf("column %s: %w", short(c.name), err)
		}
	}
	def = c.maxDef
	if c.reps != nil {
		rep = int(c.reps[c.at])
	}
	if c.defs != nil {
		def = int(c.defs[c.at])
	}
	return rep, def, true, nil
}

// take returns the next value, which peek has seen.
func (c *column) take() (scalar, error) {
	null := c.defs != nil && int(c.defs[c.at]) != c.maxDef
	c.at++
	if null {
		return scalar{null: true}, nil
	}
	i, from := c.used, &c.val
	c.used++
	if c.indexes != nil {
		if i >= len(c.indexes) {
			return scalar{}, fmt.Errorf("column %s: a page has fewer values than it says", short(c.name))
		}
		i, from = int(c.indexes[i]), c.dict
	}
	v, err := from.at(i)
	if err != nil {
		return v, fmt.Errorf("column %s: %w", short(c.name), err)
	}
	return v, nil
}

// hold updates the number of bytes in memory, which is limited.
func (c *column) hold(what *int64, n int64) error {
	*c.held += n - *what
	*what = n
	if *c.held > maxHeldBytes {
		return fmt.Errorf("the pages that are read at a time are larger than the limit of %d MiB", maxHeldBytes>>20)
	}
	return nil
}

// nextPage reads a page.
func (c *column) nextPage() error {
	head, err := c.in.Peek(headerBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	h, size, err2 := readPageHeader(head)
	if errors.Is(err2, errShort) && c.left > headerBytes {
		// A header with long texts in its statistics.
		head = make([]byte, min(c.left, maxHeaderBytes))
		if _, err := c.section.ReadAt(head, c.section.Size()-c.left); err != nil {
			return err
		}
		h, size, err2 = readPageHeader(head)
	}
	if err2 != nil {
		return fmt.Errorf("a page's header: %w", err2)
	}
	if _, err := c.in.Discard(size); err != nil {
		return err
	}
	c.left -= int64(size)
	switch {
	case h.packed < 0 || h.packed > c.left:
		return fmt.Errorf("a page is said to have %d bytes, and there are %d", h.packed, c.left)
	case h.size < 0 || h.size > maxPageBytes || h.packed > maxPageBytes:
		return fmt.Errorf("a page of %d bytes, unpacked %d, is larger than the limit of %d MiB", h.packed, h.size, maxPageBytes>>20)
	case h.values < 0 || h.values > maxPageValues:
		return fmt.Errorf("a page of %d values has more than the limit of %d", h.values, maxPageValues)
	}
	c.left -= h.packed
	if h.kind != dataPage && h.kind != dataPageV2 && h.kind != dictionaryPage { // an index
		_, err := c.in.Discard(int(h.packed))
		return err
	}
	holds := &c.page
	if h.kind == dictionaryPage {
		holds = &c.mine
	}
	// Levels and indexes take one byte and four, and ends of texts four.
	if err := c.hold(holds, h.size+6*h.values); err != nil {
		return err
	}
	b := make([]byte, h.packed)
	if _, err := io.ReadFull(c.in, b); err != nil {
		return err
	}
	if h.sum != nil && crc32.ChecksumIEEE(b) != uint32(*h.sum) {
		return errors.New("a page has another checksum than it says")
	}
	switch h.kind {
	case dictionaryPage:
		return c.readDictionary(h, b)
	case dataPage:
		if b, err = c.pack.unpack(c.codec, b, int(h.size)); err != nil {
			return err
		}
		return c.readPage(h, b)
	}
	return c.readPageV2(h, b)
}

func (c *column) readDictionary(h pageHeader, b []byte) error {
	if c.dict != nil {
		return errors.New("there is a second dictionary")
	}
	if e := format.Encoding(h.encoding); e != format.Plain && e != plainDictionary {
		return fmt.Errorf("the dictionary has the encoding %s", e)
	}
	b, err := c.pack.unpack(c.codec, b, int(h.size))
	if err != nil {
		return err
	}
	v, err := plainValues(c.kind, c.unsigned, b, int(h.values))
	if err != nil {
		return fmt.Errorf("the dictionary: %w", err)
	}
	c.dict = &v
	return nil
}

// readPage reads a data page of version 1.
func (c *column) readPage(h pageHeader, b []byte) error {
	var levels [2][]byte // repetition and definition
	for i, most := range []int{c.maxRep, c.maxDef} {
		if most == 0 {
			continue
		}
		if e := format.Encoding(h.levelEncodings[1-i]); e != format.RLE {
			return fmt.Errorf("levels have the encoding %s", e)
		}
		if len(b) < 4 {
			return errShort
		}
		size := binary.LittleEndian.Uint32(b)
		if uint64(size) > uint64(len(b)-4) {
			return errShort
		}
		var err error
		if levels[i], err = decodeLevels(b[4:4+size], int(h.values), most); err != nil {
			return err
		}
		b = b[4+size:]
	}
	return c.readValues(h, levels[0], levels[1], b)
}

// readPageV2 reads a data page of version 2, whose levels are not packed.
func (c *column) readPageV2(h pageHeader, b []byte) error {
	if h.repBytes < 0 || h.defBytes < 0 || h.repBytes > int64(len(b)) || h.defBytes > int64(len(b))-h.repBytes || h.size < h.repBytes+h.defBytes {
		return errShort
	}
	reps, defs, b := b[:h.repBytes], b[h.repBytes:h.repBytes+h.defBytes], b[h.repBytes+h.defBytes:]
	var levels [2][]byte
	for i, l := range []struct {
		b    []byte
		most int
	}{{reps, c.maxRep}, {defs, c.maxDef}} {
		if l.most == 0 {
			continue
		}
		var err error
		if levels[i], err = decodeLevels(l.b, int(h.values), l.most); err != nil {
			return err
		}
	}
	if !h.plain {
		var err error
		if b, err = c.pack.unpack(c.codec, b, int(h.size-h.repBytes-h.defBytes)); err != nil {
			return err
		}
	}
	return c.readValues(h, levels[0], levels[1], b)
}

// readValues reads the values of a page, which follow its levels.
func (c *column) readValues(h pageHeader, reps, defs, b []byte) (err error) {
	n := int(h.values)
	for _, d := range defs {
		if int(d) != c.maxDef {
			n--
		}
	}
	c.reps, c.defs, c.at, c.n, c.used, c.indexes = reps, defs, 0, int(h.values), 0, nil
	switch e := format.Encoding(h.encoding); e {
	case format.Plain:
		c.val, err = plainValues(c.kind, c.unsigned, b, n)
	case plainDictionary, format.RLEDictionary:
		if c.dict == nil {
			return errors.New("there is no dictionary")
		}
		if n == 0 {
			c.indexes = []int32{}
			return nil
		}
		if len(b) == 0 {
			return errShort
		}
		width := int(b[0])
		if width > 32 {
			return fmt.Errorf("the indexes of the dictionary have %d bits", width)
		}
		c.indexes, err = decodeRuns[int32](b[1:], width, n)
	case format.RLE:
		if c.kind != parquet.Boolean || len(b) < 4 {
			return errors.New("values have the encoding RLE, which is for booleans")
		}
		c.val = values{kind: c.kind, n: n, separate: true}
		c.val.b, err = decodeRuns[byte](b[4:], 1, n)
	case format.ByteStreamSplit:
		if b, err = joinStreams(c.kind, b, n); err == nil {
			c.val, err = plainValues(c.kind, c.unsigned, b, n)
		}
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray, format.DeltaByteArray:
		// Numbers and their ends are larger than what they are packed into.
		if err := c.hold(&c.page, h.size+22*h.values+map[bool]int64{true: maxPageBytes}[e == format.DeltaByteArray]); err != nil {
			return err
		}
		c.val, err = deltaValues(e, c.kind, c.unsigned, b, n)
	default:
		return fmt.Errorf("the encoding %s is not read: write the column plain or with a dictionary, as pandas, Polars and DuckDB do", e)
	}
	return err
}

// decodeLevels reads n levels from 0 to most.
func decodeLevels(b []byte, n, most int) ([]byte, error) {
	out, err := decodeRuns[byte](b, bits.Len(uint(most)), n)
	if err != nil {
		return nil, fmt.Errorf("levels: %w", err)
	}
	for _, level := range out {
		if int(level) > most {
			return nil, fmt.Errorf("a level is %d, and the highest is %d", level, most)
		}
	}
	return out, nil
}

// decodeRuns reads n numbers of the encoding RLE. It ignores what follows: writers pad the
// last group of bits, DuckDB with up to 255 numbers.
func decodeRuns[T byte | int32](b []byte, width, n int) ([]T, error) {
	out := make([]T, 0, n)
	for len(out) < n {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, errShort
		}
		b = b[size:]
		count, left := head>>1, n-len(out)
		if head&1 == 0 { // one number, count times
			bytes := (width + 7) / 8
			if bytes > len(b) {
				return nil, errShort
			}
			v := T(bitsAt(b, 0, width))
			b = b[bytes:]
			for range min(count, uint64(left)) {
				out = append(out, v)
			}
			continue
		}
		if count < uint64(left+7)/8 { // groups of eight numbers
			left = 8 * int(count)
		}
		if (left*width+7)/8 > len(b) {
			return nil, errShort
		}
		for i := range left {
			out = append(out, T(bitsAt(b, i*width, width)))
		}
		count = min(count, uint64(len(b))) // the product cannot overflow
		b = b[min(count*uint64(width), uint64(len(b))):]
	}
	return out, nil
}

// unpacker decompresses pages.
type unpacker struct{ zstd *zstd.Decoder }

// unpack decompresses a page. A size other than the header says is an error.
func (u *unpacker) unpack(codec format.CompressionCodec, b []byte, size int) (out []byte, err error) {
	switch codec {
	case format.Uncompressed:
		out = b
	case format.Snappy:
		var n int
		if n, err = snappy.DecodedLen(b); err == nil && n == size {
			out, err = snappy.Decode(make([]byte, n), b)
		}
	case format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			to := bytes.NewBuffer(make([]byte, 0, size))
			_, err = io.Copy(to, io.LimitReader(z, int64(size)+1))
			out = to.Bytes()
		}
	case format.Brotli:
		out, err = io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(b)), int64(size)+1))
	case format.Lz4Raw:
		out = make([]byte, size)
		var n int
		n, err = lz4.UncompressBlock(b, out)
		out = out[:max(0, n)]
	case format.Zstd:
		if u.zstd == nil {
			u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPageBytes))
			if err != nil {
				return nil, err
			}
		}
		out, err = u.zstd.DecodeAll(b, make([]byte, 0, size))
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpacking a page: %w", err)
	case len(out) != size:
		return nil, fmt.Errorf("a page unpacks to other than the %d bytes that it says", size)
	}
	return out, nil
}
