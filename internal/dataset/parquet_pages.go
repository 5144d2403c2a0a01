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
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"crscore/internal/limits"
)

// The library's reader of pages trusts the sizes in them: for a run of 2²⁸ levels in five
// bytes it allocates 625 MiB, and running out of memory cannot be recovered. It also fills a
// page that is short with what the memory held. This file therefore reads the pages, with a
// limit for every size, and leaves to the library the metadata and the encodings of values.

// plainDictionary is the older code for the encodings of dictionaries and of indexes into
// them. Spark writes it.
const plainDictionary = format.Encoding(2)

// common is what the columns of a file share.
type common struct {
	held int64 // bytes
	zstd *zstd.Decoder
}

// column reads the values of a column of a row group, with their levels.
type column struct {
	name           string
	typ            parquet.Type
	unsigned       bool
	maxRep, maxDef int
	common         *common

	// The levels of the next value, unless the chunk has ended.
	rep, def int
	ended    bool

	section *io.SectionReader
	in      *bufio.Reader // of section
	left    int64         // bytes of the chunk
	codec   format.CompressionCodec
	dict    *encoding.Values
	words   int       // in dict
	mine    int64     // bytes that are held for the dictionary
	page    int64     // bytes that are held for the page
	levels  [2][]byte // repetition and definition; nil where there are none
	at, n   int       // levels
	val     encoding.Values
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
	c.common.held -= c.mine + c.page
	c.mine, c.page = 0, 0
	c.dict, c.at, c.n, c.ended = nil, 0, 0, false
	return c.peek()
}

// peek finds the levels of the next value.
func (c *column) peek() error {
	for c.at >= c.n {
		if c.left == 0 {
			c.ended = true
			return nil
		}
		if err := c.nextPage(); err != nil {
			return fmt.Errorf("column %s: %w", short(c.name), err)
		}
	}
	c.rep, c.def = 0, c.maxDef
	if c.levels[0] != nil {
		c.rep = int(c.levels[0][c.at])
	}
	if c.levels[1] != nil {
		c.def = int(c.levels[1][c.at])
	}
	return nil
}

// take returns the next value.
func (c *column) take() (v scalar, err error) {
	switch {
	case c.ended:
		return v, fmt.Errorf("column %s ends too early", short(c.name))
	case c.def != c.maxDef:
		v.null = true
	case c.indexes == nil:
		v = c.scalarAt(&c.val, c.used)
		c.used++
	default:
		i := int(c.indexes[c.used])
		if i < 0 || i >= c.words {
			return v, fmt.Errorf("column %s: a value is not in the dictionary", short(c.name))
		}
		v = c.scalarAt(c.dict, i)
		c.used++
	}
	c.at++
	return v, c.peek()
}

// hold updates the number of bytes in memory, which is limited.
func (c *column) hold(what *int64, n int64) error {
	c.common.held += n - *what
	*what = n
	if c.common.held > limits.ParquetHeld {
		return fmt.Errorf("the pages that are read at a time are larger than the limit of %d MiB", limits.ParquetHeld>>20)
	}
	return nil
}

// nextPage reads a page.
func (c *column) nextPage() error {
	head, err := c.in.Peek(headerBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var h format.PageHeader
	header, err := decodeMeta(head, &h)
	if errors.Is(err, errShort) && c.left > headerBytes {
		// A header with long texts in its statistics.
		head = make([]byte, min(c.left, limits.ParquetHeader))
		if _, err := c.section.ReadAt(head, c.section.Size()-c.left); err != nil {
			return err
		}
		h = format.PageHeader{}
		header, err = decodeMeta(head, &h)
	}
	if err != nil {
		return fmt.Errorf("a page's header: %w", err)
	}
	if _, err := c.in.Discard(header); err != nil {
		return err
	}
	c.left -= int64(header)
	packed, size, n := int64(h.CompressedPageSize), int64(h.UncompressedPageSize), int64(0)
	switch {
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		n = int64(h.DataPageHeader.V.NumValues)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		n = int64(h.DataPageHeaderV2.V.NumValues)
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		n = int64(h.DictionaryPageHeader.V.NumValues)
	case h.Type != format.IndexPage:
		return fmt.Errorf("a page's header is not that of a page of the type %s", h.Type)
	}
	switch {
	case packed < 0 || packed > c.left:
		return fmt.Errorf("a page is said to have %d bytes, and there are %d", packed, c.left)
	case size < 0 || size > limits.ParquetPage || packed > limits.ParquetPage:
		return fmt.Errorf("a page of %d bytes, unpacked %d, is larger than the limit of %d MiB", packed, size, limits.ParquetPage>>20)
	case n < 0 || n > limits.ParquetValues:
		return fmt.Errorf("a page of %d values has more than the limit of %d", n, limits.ParquetValues)
	}
	c.left -= packed
	holds := &c.page
	if h.Type == format.DictionaryPage {
		holds = &c.mine
	}
	// Levels and indexes take one byte and four, and ends of texts four.
	if err := c.hold(holds, size+6*n); err != nil {
		return err
	}
	b := make([]byte, packed)
	if _, err := io.ReadFull(c.in, b); err != nil {
		return err
	}
	switch {
	case h.CRC != 0 && crc32.ChecksumIEEE(b) != uint32(h.CRC):
		return errors.New("a page has another checksum than it says")
	case h.Type == format.IndexPage:
		return nil
	case h.Type == format.DictionaryPage:
		return c.readDictionary(h.DictionaryPageHeader.V.Encoding, b, int(size), int(n))
	}
	return c.readPage(&h, b, int(size), int(n))
}

func (c *column) readDictionary(e format.Encoding, b []byte, size, n int) error {
	if c.dict != nil {
		return errors.New("there is a second dictionary")
	}
	if e != format.Plain && e != plainDictionary {
		return fmt.Errorf("the dictionary has the encoding %s", e)
	}
	b, err := c.common.unpack(c.codec, b, size)
	if err != nil {
		return err
	}
	v, err := c.decode(format.Plain, b, n)
	if err != nil {
		return fmt.Errorf("the dictionary: %w", err)
	}
	c.dict, c.words = &v, n
	return nil
}

// readPage reads a data page. In version 2 the levels are not packed, and the header has
// their sizes.
func (c *column) readPage(h *format.PageHeader, b []byte, size, n int) (err error) {
	v1, v2 := &h.DataPageHeader.V, &h.DataPageHeaderV2.V
	old := h.Type == format.DataPage
	sizes := []int{int(v2.RepetitionLevelsByteLength), int(v2.DefinitionLevelsByteLength)}
	encodings, e := []format.Encoding{v1.RepetitionLevelEncoding, v1.DefinitionLevelEncoding}, v2.Encoding
	if old {
		e = v1.Encoding
		if b, err = c.common.unpack(c.codec, b, size); err != nil {
			return err
		}
	}
	c.levels, c.at, c.n, c.used, c.indexes = [2][]byte{}, 0, n, 0, nil
	for i, most := range []int{c.maxRep, c.maxDef} {
		switch {
		case old && most == 0:
			sizes[i] = 0
		case old && encodings[i] != format.RLE:
			return fmt.Errorf("levels have the encoding %s", encodings[i])
		case old && len(b) < 4:
			return errShort
		case old:
			sizes[i], b = int(binary.LittleEndian.Uint32(b)), b[4:]
		}
		if sizes[i] < 0 || sizes[i] > len(b) {
			return errShort
		}
		if most > 0 {
			if c.levels[i], err = decodeLevels(b[:sizes[i]], n, most); err != nil {
				return err
			}
		}
		b, size = b[sizes[i]:], size-sizes[i]
	}
	if !old && (!v2.IsCompressed.Valid || v2.IsCompressed.V) {
		if b, err = c.common.unpack(c.codec, b, size); err != nil {
			return err
		}
	}
	for _, def := range c.levels[1] {
		if int(def) != c.maxDef {
			n--
		}
	}
	if e != plainDictionary && e != format.RLEDictionary {
		c.val, err = c.decode(e, b, n)
		return err
	}
	switch {
	case c.dict == nil:
		return errors.New("there is no dictionary")
	case n == 0:
		return nil
	case len(b) == 0:
		return errShort
	case b[0] > 32:
		return fmt.Errorf("the indexes of the dictionary have %d bits", b[0])
	}
	c.indexes, err = decodeRuns[int32](b[1:], int(b[0]), n)
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

// unpack decompresses a page. A size other than the header says is an error.
func (c *common) unpack(codec format.CompressionCodec, b []byte, size int) (out []byte, err error) {
	var r io.Reader
	n := size
	switch codec {
	case format.Uncompressed:
		out, n = b, len(b)
	case format.Snappy:
		if n, err = snappy.DecodedLen(b); err == nil && n == size {
			out, err = snappy.Decode(make([]byte, n), b)
		}
	case format.Lz4Raw:
		out = make([]byte, size)
		n, err = lz4.UncompressBlock(b, out)
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(b))
	case format.Gzip:
		r, err = gzip.NewReader(bytes.NewReader(b))
	case format.Zstd:
		if c.zstd == nil {
			c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(limits.ParquetPage))
		}
		if err == nil {
			out, err = c.zstd.DecodeAll(b, make([]byte, 0, size))
			n = len(out)
		}
	}
	if r != nil && err == nil {
		out = make([]byte, size)
		if n, err = io.ReadFull(r, out); err == nil {
			var more int
			more, err = io.ReadFull(r, make([]byte, 1))
			n += more
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil // n is other than size, or all has been read
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpacking a page: %w", err)
	case n != size:
		return nil, fmt.Errorf("a page unpacks to other than the %d bytes that it says", size)
	}
	return out, nil
}
