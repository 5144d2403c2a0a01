package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// flat is a row a review, as pandas writes columns that may be missing.
type flat struct {
	ID     *int64   `parquet:"id,optional"`
	Patch  *string  `parquet:"patch,optional"`
	System string   `parquet:"system,dict"`
	Review *string  `parquet:"review,optional"`
	Con    *float64 `parquet:"con,optional"`
	Comp   *float64 `parquet:"comp,optional"`
	Rel    *float64 `parquet:"rel,optional"`
	Smells []string `parquet:"smells,list,optional"`
	Other  int32    `parquet:"other,delta"`
}

type nestedReview struct {
	ID    string `parquet:"id"`
	Text  string `parquet:"text"`
	Human *struct {
		Con  float64 `parquet:"con"`
		Comp float64 `parquet:"comp"`
		Rel  float64 `parquet:"rel"`
	} `parquet:"human,optional"`
	Addressed []int64 `parquet:"addressed,list,optional"`
}

// nested is a change a row, as JSON Lines have it.
type nested struct {
	ID      string              `parquet:"id"`
	Diff    string              `parquet:"diff"`
	Old     *string             `parquet:"old,optional"`
	Claims  map[string][]string `parquet:"claims"`
	Reviews []nestedReview      `parquet:"reviews,list"`
	Edited  []EditedRow         `parquet:"refs_edited,list"`
}

// EditedRow is an EditedRef in a table.
type EditedRow struct {
	Text      string `parquet:"text"`
	Necessary *bool  `parquet:"necessary,optional"`
}

func writeParquet[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func of[T any](v T) *T { return &v }

func flatRows() []flat {
	nan := []*float64{of(4.0), of(3.5), of(1.0)}
	return []flat{
		{ID: of(int64(7)), Patch: of("@@"), System: "a", Review: of("One."), Con: nan[0], Comp: nan[1], Rel: nan[2], Smells: []string{"long", "[dead"}},
		{ID: of(int64(7)), System: "b", Review: of("")},
		{ID: of(int64(7)), System: "c"},
		{ID: of(int64(8)), Patch: of("\xff"), System: "a", Review: of("One.")},
		{ID: of(int64(9)), Patch: of("@@"), System: "a", Review: of("One."), Con: nan[0]},
		{Patch: of("@@"), System: "a"},
	}
}

func nestedRows() []nested {
	return []nested{
		{ID: "x", Diff: "@@ \"q\"\n", Old: of("o"), Claims: map[string][]string{"m": {"c", "d"}, "n": {}}, Edited: []EditedRow{{Text: "e", Necessary: of(true)}, {Text: "f"}}, Reviews: []nestedReview{
			{ID: "a", Text: "One.", Human: &struct {
				Con  float64 `parquet:"con"`
				Comp float64 `parquet:"comp"`
				Rel  float64 `parquet:"rel"`
			}{1, 2, 3}, Addressed: []int64{2, 9}},
			{ID: "b", Text: "Two."},
		}},
		{ID: "x", Diff: "@@"},
	}
}

func openParquetBytes(b []byte, o Options) (about string, recs []Record, bad []string, final error) {
	return openAll(Source{Name: "a.parquet", Text: bytes.NewReader(b), File: bytes.NewReader(b), Size: int64(len(b))}, o)
}

var (
	flatWant = []string{
		`row 1 #1 7   "@@" smells=["long" "[dead"]; a: "One." {4 3.5 1}; b: ""; c: "" (the review is missing: the cell of "review" is empty (a review that says nothing is written ""))`,
		`row 5 #2 9   "@@"; a: "One." (a label needs con, comp and rel)`,
	}
	nestedWant = []string{
		`row 1 #1 x   "@@ \"q\"\n" old="o" claims=map["m":["c" "d"] "n":[]]; a: "One." {1 2 3}; b: "Two."`,
		`row 2 #2 x   "@@" claims=map[]`,
	}
)

func TestParquet(t *testing.T) {
	for name, options := range map[string][]parquet.WriterOption{
		"plain":          {parquet.Compression(&parquet.Uncompressed)},
		"snappy":         {parquet.Compression(&parquet.Snappy)},
		"gzip":           {parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)},
		"zstd":           {parquet.Compression(&parquet.Zstd)},
		"brotli":         {parquet.Compression(&parquet.Brotli)},
		"lz4":            {parquet.Compression(&parquet.Lz4Raw)},
		"a page a value": {parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(1), parquet.DataPageVersion(1)},
		"a group a row":  {parquet.MaxRowsPerRowGroup(1), parquet.Compression(&parquet.Zstd)},
	} {
		t.Run(name, func(t *testing.T) {
			about, recs, bad, err := openParquetBytes(writeParquet(t, flatRows(), options...), Options{})
			if d := cmp.Diff(flatWant, showAll(recs)); d != "" || err != nil {
				t.Error(d, err)
			}
			if want := `Parquet, 6 rows, columns: id, diff=patch, review, system, con, comp, rel, smells; not used: "other"`; about != want {
				t.Error(about)
			}
			if d := cmp.Diff([]string{`row 4: column "patch": the text is not UTF-8`, `row 6: "id" is missing`}, bad); d != "" {
				t.Error(d)
			}
			_, recs, bad, err = openParquetBytes(writeParquet(t, nestedRows(), options...), Options{})
			if d := cmp.Diff(nestedWant, showAll(recs)); d != "" || bad != nil || err != nil {
				t.Error(d, bad, err)
			}
			if d := cmp.Diff([]int{2, 9}, recs[0].Reviews[0].Addressed); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]EditedRef{{Text: "e", Necessary: true}, {Text: "f", Unjudged: true}}, recs[0].RefsEdited); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestParquetSums has one checksum for the same values.
func TestParquetSums(t *testing.T) {
	sum := func(options ...parquet.WriterOption) string {
		b := writeParquet(t, nestedRows(), options...)
		r, err := Open(Source{File: bytes.NewReader(b), Size: int64(len(b))}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.KeepSum()
		for err == nil {
			_, err = r.Next()
		}
		return r.Sum()
	}
	if a, b := sum(), sum(parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(1)); a != b || len(a) != 64 {
		t.Error(a, b)
	}
}

func TestParquetRefused(t *testing.T) {
	type times struct {
		Diff [16]byte `parquet:"diff"`
	}
	good := writeParquet(t, flatRows())
	with := func(at int, b ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at:], b)
		return out
	}
	for _, tt := range []struct {
		name, want string
		b          []byte
	}{
		{"fixed", `column "diff": values of the type FIXED_LEN_BYTE_ARRAY(16) are not read: cast them to DOUBLE or to text`, writeParquet(t, []times{{}})},
		{"short", "a broken Parquet file: it ends too early", good[:8]},
		{"no end", "a broken Parquet file: its end, with the table of contents, is missing", good[:len(good)-1]},
		{"encrypted", "this Parquet file is encrypted", with(len(good)-4, []byte("PARE")...)},
		{"large contents", "a broken Parquet file: its table of contents is said to be larger than the file", with(len(good)-8, 0xff, 0xff, 0xff, 0xff)},
		{"odd contents", "a broken Parquet file: reading parquet file metadata: missing required field: 1:FIELD<I32>", with(len(good)-8, 1, 0, 0, 0)},
		{"other columns", `there is no column diff or patch (columns: "text"): say which one holds the diff, as in --map diff=COLUMN`, writeParquet(t, []struct {
			Text string `parquet:"text"`
		}{{"x"}})},
	} {
		_, recs, bad, err := openParquetBytes(tt.b, Options{})
		if err == nil || err.Error() != tt.want || len(recs) > 0 || bad != nil {
			t.Errorf("%s: %v\nwant %s (%d records, %q)", tt.name, err, tt.want, len(recs), bad)
		}
	}
}

func TestParquetCodecs(t *testing.T) {
	c := column{name: "c", common: new(common)}
	m := format.ColumnMetaData{DataPageOffset: 4, Codec: format.LZO}
	want := `column "c" is compressed with LZO: write the file with snappy, zstd, gzip, lz4_raw or brotli`
	if err := c.start(bytes.NewReader(nil), 100, &m); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TestSplitStreams reads the encoding BYTE_STREAM_SPLIT, and booleans in version 2.
func TestSplitStreams(t *testing.T) {
	type row struct {
		ID     string      `parquet:"id"`
		Diff   string      `parquet:"diff"`
		Review string      `parquet:"review"`
		Con    float64     `parquet:"con,split"`
		Comp   float32     `parquet:"comp,split"`
		Rel    int64       `parquet:"rel,split"`
		Edited []EditedRow `parquet:"refs_edited,list"`
	}
	b := writeParquet(t, []row{
		{"1", "@@", "a", 1.5, 2.5, 3, []EditedRow{{"x", of(true)}, {"y", nil}, {"z", of(false)}}},
		{"2", "@@", "b", 4, 1e-3, -1 << 40, nil},
	})
	_, recs, bad, err := openParquetBytes(b, Options{})
	if d := cmp.Diff([]string{`row 1 #1 1   "@@"; review: "a" {1.5 2.5 3}`, `row 2 #2 2   "@@"; review: "b" {4 0.001 -1.099511627776e+12}`}, showAll(recs)); d != "" || bad != nil || err != nil {
		t.Fatal(d, bad, err)
	}
	if d := cmp.Diff([]EditedRef{{Text: "x", Necessary: true}, {Text: "y", Unjudged: true}, {Text: "z"}}, recs[0].RefsEdited); d != "" {
		t.Error(d)
	}
}

// allocated is what reading the first rows of a file takes from the heap, in all.
func allocated(b []byte) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Open(Source{Name: "a.parquet", Text: bytes.NewReader(b), File: bytes.NewReader(b), Size: int64(len(b))}, Options{})
	for i := 0; i < 1000 && (err == nil || errors.As(err, new(*LineError))); i++ {
		_, err = r.Next()
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// TestParquetBombs reads files whose pages say that they are large: none takes more
// than a little memory.
func TestParquetBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("many files")
	}
	for k, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw} {
		large := strings.Repeat("x", 1<<14)
		b := writeParquet(t, []flat{{ID: of(int64(1)), Patch: &large, System: "s"}}, parquet.Compression(codec), parquet.DataPageStatistics(false), parquet.WriteBufferSize(0))
		if _, _, bad, err := openParquetBytes(b, Options{}); err != nil || bad != nil {
			t.Fatal(codec, bad, err)
		}
		// Sizes are varints: each is made the largest of as many bytes.
		failed := 0
		for i := 4; i < len(b)-8; i++ {
			if i > 512 && i < len(b)-2048 || i%24 != 4*k { // FuzzParquet looks for more
				continue
			}
			for _, value := range [][]byte{{0xff, 0xff, 0xff, 0xff, 0x0f}, {0xfe, 0xff, 0xff, 0x7f}, {0xff, 0x7f}} {
				if i+len(value) > len(b)-8 {
					continue
				}
				hostile := bytes.Clone(b)
				copy(hostile[i:], value)
				n, err := allocated(hostile)
				if err != nil && !errors.Is(err, io.EOF) {
					failed++
				}
				if n > 400<<20 {
					t.Fatalf("%s: %x at %d: %d MiB were allocated (%v)", codec, value, i, n>>20, err)
				}
			}
		}
		if failed < 25 {
			t.Errorf("%s: only %d files were refused", codec, failed)
		}
	}
}

// TestParquetDamage reads files that are cut off or have a wrong byte: an error, or
// other values, and never a panic.
func TestParquetDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("many files")
	}
	for _, b := range [][]byte{
		writeParquet(t, flatRows(), parquet.Compression(&parquet.Snappy)),
		writeParquet(t, nestedRows(), parquet.DataPageVersion(1)),
	} {
		for i := range b {
			if _, _, _, err := openParquetBytes(b[:i], Options{}); err == nil {
				t.Fatalf("a file cut off at %d of %d bytes was read", i, len(b))
			}
			if i%3 > 0 { // FuzzParquet looks for more
				continue
			}
			damaged := bytes.Clone(b)
			damaged[i] ^= 1 << (i % 8)
			_, _ = allocated(damaged)
		}
	}
}

func TestDecodeRuns(t *testing.T) {
	for _, tt := range []struct {
		name     string
		b        []byte
		width, n int
		want     []int32 // nil: an error
	}{
		{"a run", []byte{6, 5}, 3, 3, []int32{5, 5, 5}},
		{"a run of more than is needed", []byte{20, 1}, 1, 2, []int32{1, 1}},
		{"a run of 2³¹", append(binary.AppendUvarint(nil, 1<<32), 1), 1, 2, []int32{1, 1}},
		{"a run without its value", []byte{20}, 1, 10, nil},
		{"a group of eight", []byte{3, 0xaa}, 1, 8, []int32{0, 1, 0, 1, 0, 1, 0, 1}},
		{"a group of eight for three", []byte{3, 0xaa}, 1, 3, []int32{0, 1, 0}},
		{"groups that are padding", append([]byte{65, 0xaa}, make([]byte, 31)...), 1, 3, []int32{0, 1, 0}},
		{"groups that end early, behind the values", []byte{65, 0xaa}, 1, 3, []int32{0, 1, 0}},
		{"groups that end early", []byte{5, 0xaa}, 1, 16, nil},
		{"too few", []byte{3, 0xaa}, 1, 9, nil},
		{"groups, then a run", []byte{3, 0xff, 4, 0}, 1, 10, []int32{1, 1, 1, 1, 1, 1, 1, 1, 0, 0}},
		{"2³² groups", binary.AppendUvarint(nil, 1<<33|1), 1, 16, nil},
		{"2⁶² groups of 32 bits", binary.AppendUvarint(nil, 1<<63|1), 32, 16, nil},
		{"runs of none", make([]byte, 9), 1, 1, nil},
		{"a length without an end", bytes.Repeat([]byte{0xff}, 11), 1, 16, nil},
		{"no bits", []byte{4}, 0, 2, []int32{0, 0}},
		{"12 bits", []byte{3, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 12, 2, []int32{0x234, 1}},
		{"no values", nil, 1, 0, []int32{}},
	} {
		got, err := decodeRuns[int32](tt.b, tt.width, tt.n)
		if (err != nil) != (tt.want == nil) || err == nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

func FuzzParquet(f *testing.F) {
	f.Add(writeParquet(f, flatRows()[:3], parquet.Compression(&parquet.Snappy)))
	f.Add(writeParquet(f, nestedRows(), parquet.DataPageVersion(1)))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := allocated(b)
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.HeapSys > 3<<30 {
			t.Errorf("the heap has grown to %d MiB for %d bytes", m.HeapSys>>20, len(b))
		}
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("an error without words")
		}
	})
}

// BenchmarkParquet reads what BenchmarkCSV does.
func BenchmarkParquet(b *testing.B) {
	type row struct {
		ID     string `parquet:"id"`
		Lang   string `parquet:"lang,dict"`
		Diff   string `parquet:"diff"`
		Old    string `parquet:"old"`
		System string `parquet:"system,dict"`
		Review string `parquet:"review"`
	}
	var rows []row
	for i := range 100 {
		rows = append(rows, row{fmt.Sprint(i, 7), "py", "@@ -1 +1 @@\n-a\n+b\n", strings.Repeat("x = 1\n", 2000), "s", "Why?"})
	}
	for _, codec := range []compress.Codec{&parquet.Snappy, &parquet.Zstd} {
		b.Run(codec.String(), func(b *testing.B) {
			data := writeParquet(b, rows, parquet.Compression(codec))
			b.ReportAllocs()
			for b.Loop() {
				if _, recs, bad, err := openParquetBytes(data, Options{}); len(recs) != 100 || bad != nil || err != nil {
					b.Fatal(len(recs), bad, err)
				}
			}
			b.ReportMetric(float64(100*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
