package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"crscore/internal/limits"
)

// madePage returns a file of one page, which is in all columns: id, diff and review, where
// review is what is tested.
func madePage(t *testing.T, kind format.Type, repetition format.FieldRepetitionType, e format.Encoding, n int, page []byte) []byte {
	t.Helper()
	texts := func(text string) []byte {
		return bytes.Repeat(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...), n)
	}
	var m format.FileMetaData
	m.Version, m.NumRows = 1, int64(n)
	m.Schema = make([]format.SchemaElement, 4)
	m.Schema[0].Name = "root"
	m.Schema[0].NumChildren = thrift.Null[int32]{V: 3, Valid: true}
	out := []byte("PAR1")
	group := format.RowGroup{NumRows: int64(n)}
	for i, c := range []struct {
		name string
		kind format.Type
		rep  format.FieldRepetitionType
		e    format.Encoding
		page []byte
	}{
		{"id", format.ByteArray, format.Required, format.Plain, texts("i")},
		{"diff", format.ByteArray, format.Required, format.Plain, texts("@@")},
		{"review", kind, repetition, e, page},
	} {
		s := &m.Schema[i+1]
		s.Name, s.Type, s.RepetitionType = c.name, thrift.Null[format.Type]{V: c.kind, Valid: true}, thrift.Null[format.FieldRepetitionType]{V: c.rep, Valid: true}
		h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(c.page)), CompressedPageSize: int32(len(c.page))}
		h.DataPageHeader.Valid = true
		h.DataPageHeader.V = format.DataPageHeader{NumValues: int32(n), Encoding: c.e, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
		head, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
		if err != nil {
			t.Fatal(err)
		}
		chunk := format.ColumnMetaData{Type: c.kind, Encoding: []format.Encoding{c.e}, PathInSchema: []string{c.name}, NumValues: int64(n)}
		chunk.DataPageOffset, chunk.TotalCompressedSize = int64(len(out)), int64(len(head)+len(c.page))
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: chunk})
		out = append(append(out, head...), c.page...)
	}
	m.RowGroups = []format.RowGroup{group}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &m)
	if err != nil {
		t.Fatal(err)
	}
	return endParquet(out, footer)
}

// endParquet appends the metadata to the pages.
func endParquet(pages, footer []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(append(pages, footer...), uint32(len(footer))), "PAR1"...)
}

// TestParquetPages reads pages that the library reads with other values, invents values for
// or takes much memory for.
func TestParquetPages(t *testing.T) {
	sized := func(b ...byte) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...) }
	run := func(n uint64, value byte) []byte { return append(binary.AppendUvarint(nil, n<<1), value) }
	deltas := func(total uint64) []byte {
		b := binary.AppendUvarint([]byte{0x80, 1, 4}, total)
		return append(b, 0, 0, 0, 0, 0, 0)
	}
	prefixes := func() []byte { // 0, 50, 100, 150, …, and rests of 50 bytes
		n := 4096
		b := binary.AppendUvarint([]byte{0x80, 1, 4}, uint64(n))
		c := append(bytes.Clone(b), 100)
		b = append(b, 0)
		for range n / 128 {
			b = append(b, 100, 0, 0, 0, 0)
			c = append(c, 0, 0, 0, 0, 0)
		}
		return append(append(b, c...), bytes.Repeat([]byte("x"), 50*n)...)
	}()
	for _, tt := range []struct {
		name string
		kind format.Type
		rep  format.FieldRepetitionType
		e    format.Encoding
		n    int
		page []byte
		want string // the reviews, or the error
	}{
		{"booleans in runs", format.Boolean, 0, format.RLE, 6, sized(append(run(3, 1), run(3, 0)...)...), "true true true false false false"},
		{"two numbers for six", format.Int64, 0, format.Plain, 6, bytes.Repeat([]byte{9, 0, 0, 0, 0, 0, 0, 0}, 2), `row 1: a broken Parquet file: column "review": it ends too early`},
		{"a text for four", format.ByteArray, 0, format.Plain, 4, sized('x'), `row 1: a broken Parquet file: column "review": it ends too early`},
		{"a text behind the end", format.ByteArray, 0, format.Plain, 2, append(sized('x'), 4, 0, 0, 0, 'y'), `row 1: a broken Parquet file: a broken Parquet file: runtime error: slice bounds out of range [:13] with capacity 10`},
		{"a run of 2³⁰ levels", format.Int64, format.Optional, format.Plain, 1, sized(run(1<<30, 0)...), "null"},
		{"a run of 2³⁰ booleans", format.Boolean, 0, format.RLE, 1, sized(run(1<<30, 1)...), "true"},
		{"2³⁰ deltas", format.Int64, 0, format.DeltaBinaryPacked, 1, deltas(1 << 30), `row 1: a broken Parquet file: column "review": 1073741824 numbers, where 1 are needed`},
		{"2³⁰ lengths", format.ByteArray, 0, format.DeltaLengthByteArray, 1, deltas(1 << 30), `row 1: a broken Parquet file: column "review": 1073741824 numbers, where 1 are needed`},
		{"2³⁰ rests", format.ByteArray, 0, format.DeltaByteArray, 1, append(deltas(1)[:5], deltas(1<<30)...), `row 1: a broken Parquet file: column "review": 1073741824 numbers, where 1 are needed`},
		{"texts that begin with the one before", format.ByteArray, 0, format.DeltaByteArray, 4096, prefixes, `row 1: a broken Parquet file: column "review": a page unpacks to more than the limit of 128 MiB`},
	} {
		b := madePage(t, tt.kind, tt.rep, tt.e, tt.n, tt.page)
		_, recs, bad, err := openParquetBytes(b, Options{})
		got := fmt.Sprint(err)
		if err == nil {
			var texts []string
			for _, rec := range recs {
				for _, v := range rec.Reviews {
					if v.Err != nil {
						v.Text = "null"
					}
					texts = append(texts, v.Text)
				}
			}
			got = strings.Join(append(texts, bad...), " ")
		}
		if got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
		if n, _ := allocated(b); n > 32<<20 {
			t.Errorf("%s: %d MiB for %d bytes", tt.name, n>>20, len(b))
		}
	}
}

// TestParquetFooters reads metadata that say that they are large or deep.
func TestParquetFooters(t *testing.T) {
	for name, tt := range map[string]struct {
		footer []byte
		want   string
	}{
		"a list of 2³⁰":            {append(binary.AppendUvarint([]byte{0x29, 0xfc}, 1<<30), 0), "it ends too early"},
		"lists of lists":           {append([]byte{0xf9}, bytes.Repeat([]byte{0x19}, 1<<20)...), "there is a list of lists"},
		"structures in each other": {append([]byte{0xfc}, bytes.Repeat([]byte{0x1c}, 1<<20)...), "more than 65536 structures are in each other"},
		"a map":                    {[]byte{0xfb, 1, 0x55, 0, 0}, "there is a map"},
		"a set":                    {[]byte{0xfa, 0x15, 0, 0}, "there is a set"},
		"many columns":             {append(append([]byte{0x29}, binary.AppendUvarint([]byte{0xfc}, limits.ParquetSchema+1)...), make([]byte, limits.ParquetSchema+2)...), "10001 columns are more than the limit of 10000"},
		"many row groups":          {append(append([]byte{0x49}, binary.AppendUvarint([]byte{0xfc}, limits.ParquetGroups+1)...), make([]byte, limits.ParquetGroups+2)...), "32769 row groups are more than the limit of 32768"},
		"many items":               {append(append([]byte{0xf9}, binary.AppendUvarint([]byte{0xf5}, limits.ParquetItems+1)...), make([]byte, limits.ParquetItems+2)...), "lists have more than 1048576 items"},
	} {
		b := endParquet([]byte("PAR1"), tt.footer)
		_, _, _, err := openParquetBytes(b, Options{})
		if want := "a broken Parquet file: its table of contents: "; err == nil || err.Error() != want+tt.want {
			t.Errorf("%s: %.300v", name, err)
		}
		if n, _ := allocated(b); n > 64<<20 {
			t.Errorf("%s: %d MiB for %d bytes", name, n>>20, len(b))
		}
	}
}
