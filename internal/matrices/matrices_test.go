package matrices

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

var update = flag.Bool("update", false, "write testdata/v1.matrices anew")

const stem = "crscore/9 similarity=test splitter=lines"

// sample holds one of everything, and the empty cases.
func sample() []*Block {
	return []*Block{
		{
			ID:   "7",
			Refs: []Ref{{"claim", "symbolic", Unjudged}, {"smell", "builtin", Necessary}, {"smell", "builtin", Unnecessary}},
			Reviews: []Review{
				{ID: "a", Human: &dataset.Human{Con: 4, Comp: 3.5, Rel: 3}, Sentences: 2, Sim: []float32{0, 0.25, 1, 0.5, 1e-9, 0.3}},
				{ID: "b", Sentences: 0},
				{ID: "msg", Unscored: `the review has no "text"`},
			},
		},
		{
			ID: "8", Sources: "claims=none smells=builtin",
			Points: []Ref{{"claim", "annotators", Necessary}, {"issue", "annotators", Unnecessary}},
			Reviews: []Review{
				{ID: "a", Addressed: []int{1, 2}, Sentences: 1, Sim: []float32{0.75, 0.125}},
				{ID: "b", Addressed: []int{}, Sentences: 1, Sim: []float32{0, 0}},
				{ID: "c", Unscored: "the change has no pseudo-references"},
			},
		},
		{ID: "", Reviews: []Review{{ID: "a", Sentences: 3}}},
		{ID: "9", Refs: []Ref{{"claim", "symbolic", Unjudged}}, Points: []Ref{{"claim", "", Unjudged}}},
		{ID: "10", Refs: []Ref{{}}, Points: []Ref{{}}, Reviews: []Review{{ID: "a", Addressed: []int{1}, Sentences: 1, Sim: []float32{0.5, 1}}}},
	}
}

// file writes blocks, and says where each starts and where the end mark does.
func file(t testing.TB, blocks ...*Block) (b []byte, starts []int) {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, stem)
	for _, b := range blocks {
		starts = append(starts, out.Len())
		err = errors.Join(err, w.Write(b))
	}
	starts = append(starts, out.Len())
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), starts
}

// readAll reads to the end and keeps the errors of blocks apart.
func readAll(in io.Reader) (blocks []*Block, bad []string, final error) {
	r, err := NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	for {
		b, err := r.Next()
		switch {
		case err == nil:
			blocks = append(blocks, b)
		case errors.As(err, new(*BlockError)):
			bad = append(bad, err.Error())
		case errors.Is(err, io.EOF):
			return blocks, bad, nil
		default:
			if _, again := r.Next(); again != err {
				return blocks, bad, errors.New("a final error was not final")
			}
			return blocks, bad, err
		}
	}
}

func TestRoundTrip(t *testing.T) {
	b, _ := file(t, sample()...)
	got, bad, err := readAll(bytes.NewReader(b))
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	if d := cmp.Diff(sample(), got); d != "" {
		t.Error(d)
	}
	r, err := NewReader(bytes.NewReader(b))
	if err != nil || r.Stem() != stem {
		t.Error(err, r.Stem())
	}
	if empty, _ := file(t); len(empty) != 8+4+4+len(stem)+4+20 {
		t.Errorf("a file without blocks has %d bytes", len(empty))
	} else if got, bad, err := readAll(bytes.NewReader(empty)); got != nil || bad != nil || err != nil {
		t.Error(got, bad, err)
	}
}

// TestFormat holds the bytes against a file that was written once: a format
// that changes needs another version.
// TestReadAt reads the blocks of a file again by their places, one of them damaged.
func TestReadAt(t *testing.T) {
	b, starts := file(t, sample()...)
	b[starts[1]+30] ^= 1
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		want, err := r.Next()
		if errors.Is(err, io.EOF) {
			if n != len(sample())+1 {
				t.Errorf("%d blocks", n-1)
			}
			break
		}
		number, offset := r.Place()
		if number != n || offset != int64(starts[n-1]) {
			t.Errorf("block %d is number %d at byte %d, not %d", n, number, offset, starts[n-1])
		}
		got, again := ReadAt(bytes.NewReader(b), number, offset)
		if d := cmp.Diff(want, got); d != "" || fmt.Sprint(again) != fmt.Sprint(err) {
			t.Errorf("block %d: %v, %v: %s", n, again, err, d)
		}
	}
	for _, bad := range []struct {
		number int
		offset int64
	}{{0, 0}, {1, -1}, {1, 0}, {2, int64(starts[0])}, {1, int64(len(b))}} {
		if _, err := ReadAt(bytes.NewReader(b), bad.number, bad.offset); err == nil {
			t.Errorf("there is a block %d at byte %d", bad.number, bad.offset)
		}
	}
}

func TestFormat(t *testing.T) {
	path := filepath.Join("testdata", "v1.matrices")
	b, _ := file(t, sample()...)
	if *update {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Errorf("the same blocks give other bytes than in version %d:\n%q\nwant\n%q", Version, b, want)
	}
}

func TestRows(t *testing.T) {
	b := &Block{Refs: make([]Ref, 2), Points: make([]Ref, 1), Reviews: []Review{{}, {Sentences: 2, Sim: []float32{1, 2, 3, 4, 5, 6}}}}
	refs, points := b.Rows(1)
	if d := cmp.Diff([][]float32{{1, 2}, {4, 5}}, refs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]float32{{3}, {6}}, points); d != "" {
		t.Error(d)
	}
	if refs, points := b.Rows(0); len(refs)+len(points) > 0 {
		t.Error(refs, points)
	}
}

// TestTruncated cuts a file at every byte.
func TestTruncated(t *testing.T) {
	whole, starts := file(t, sample()...)
	for n := range whole {
		got, bad, err := readAll(bytes.NewReader(whole[:n]))
		good := 0
		for good+1 < len(starts) && starts[good+1] <= n {
			good++
		}
		if n < starts[0] {
			if err == nil || len(got) > 0 {
				t.Errorf("%d bytes: %v, %d blocks", n, err, len(got))
			}
			continue
		}
		if !errors.Is(err, ErrTruncated) || bad != nil {
			t.Fatalf("%d bytes: %v, %q", n, err, bad)
		}
		if d := cmp.Diff(sample()[:good], got); good > 0 && d != "" || len(got) != good {
			t.Fatalf("%d bytes: %s", n, d)
		}
	}
}

// TestFlipped flips every bit of a file: each is found, and costs one block
// where that block's end is known.
func TestFlipped(t *testing.T) {
	whole, starts := file(t, sample()...)
	for i := range whole {
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[i] ^= 1 << bit
			got, bad, err := readAll(bytes.NewReader(b))
			block := 0 // that byte i is in, from 1; one more is the end mark
			for block < len(starts) && starts[block] <= i {
				block++
			}
			switch {
			case block == 0 || block == len(starts) || i < starts[block-1]+frameBytes: // header, end mark, frame
				if err == nil || len(got) != max(block-1, 0) || bad != nil {
					t.Fatalf("byte %d, bit %d: %v, %d blocks, %q", i, bit, err, len(got), bad)
				}
			default:
				if err != nil || len(got) != len(sample())-1 || len(bad) != 1 || !strings.Contains(bad[0], "damaged") {
					t.Fatalf("byte %d, bit %d: %v, %d blocks, %q", i, bit, err, len(got), bad)
				}
			}
		}
	}
}

// TestMoved exchanges what stands in blocks of the same size, and whole blocks.
func TestMoved(t *testing.T) {
	a := &Block{ID: "a", Refs: []Ref{{}}, Reviews: []Review{{ID: "r", Sentences: 1, Sim: []float32{1}}}}
	b := &Block{ID: "b", Refs: []Ref{{}}, Reviews: []Review{{ID: "r", Sentences: 1, Sim: []float32{0}}}}
	whole, starts := file(t, a, b)
	first, second := whole[starts[0]:starts[1]], whole[starts[1]:starts[2]]
	swap := func(from int) []byte {
		return bytes.Join([][]byte{whole[:starts[0]], first[:from], second[from:], second[:from], first[from:], whole[starts[2]:]}, nil)
	}
	if got, bad, err := readAll(bytes.NewReader(swap(frameBytes))); len(got) != 0 || len(bad) != 2 || err != nil {
		t.Errorf("bodies: %d blocks, %q, %v", len(got), bad, err)
	}
	if got, _, err := readAll(bytes.NewReader(swap(0))); len(got) != 0 || err == nil || !strings.Contains(err.Error(), "it says that it is block 2") {
		t.Errorf("blocks: %d blocks, %v", len(got), err)
	}
}

// framed makes a file with one block of any description and values.
func framed(t testing.TB, description, values []byte) []byte {
	t.Helper()
	b := frame(blockMark, 1, len(description), len(values)/4)
	b = append(append(b, description...), values...)
	b = binary.LittleEndian.AppendUint32(b, blockSum(b))
	return join(header(stem), b, frame(endMark, 1, 0, 0))
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func floats(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// TestRefused reads files whose checksums are right and whose contents are not.
func TestRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	oneRef := "\x011\x00" + "\x01\x01" + "\x01c\x00\x00" + "\x01p\x00\x00" // change 1: one reference, one point
	review := oneRef + "\x01" + "\x01r\x00\x01\x00"                        // with a review of one sentence
	block := func(description string, values ...float32) []byte {
		return framed(t, []byte(description), floats(values...))
	}
	head := header(stem)
	version2 := bytes.Clone(head)
	version2[8] = 2
	hugeStem := binary.LittleEndian.AppendUint32(append([]byte(magic), 1, 0, 0, 0), limits.MatrixText+1)
	whole, _ := file(t, sample()...)
	tests := []struct {
		name string
		in   []byte
		want string
	}{
		{"nothing", nil, "this is not a matrix file of crscore"},
		{"JSON", []byte(`{"id":"1","diff":"@@"}`), "this is not a matrix file of crscore"},
		{"version", version2, "version 2 of the format, but this program reads version 1"},
		{"stem", hugeStem, "the stem has 1048577 bytes, more than the limit of 1048576"},
		{"twice", join(whole, whole), "block 6 (byte 527): there are bytes behind the end mark"},
		{"mark", join(head, frame("BLOB", 1, 0, 0)), `block 1 (byte 60): the mark "BLOB" is not that of a block`},
		{"number", join(head, frame(blockMark, 0, 0, 0)), "block 1 (byte 60): it says that it is block 0"},
		{"description", join(head, frame(blockMark, 1, limits.MatrixDescription+1, 0)), "the description has 8388609 bytes, more than the limit of 8388608"},
		{"values", join(head, frame(blockMark, 1, 0, limits.MatrixValues+1)), "33554433 values, more than the limit of 33554432"},
		{"not there", join(head, frame(blockMark, 1, limits.MatrixDescription, limits.MatrixValues), make([]byte, 100)), ErrTruncated.Error()},
		{"end counts", join(head, frame(endMark, 1, 0, 0)), "the end mark counts 1 blocks, but there are 0"},
		{"end length", join(head, frame(endMark, 0, 1, 0)), "the end mark has a length"},

		{"NaN", block(review, 0, nan), `block 1 (byte 60): change "1": review 1 ("r"): sentence 1, point 1: the similarity is NaN, not in [0,1]`},
		{"Inf", block(review, inf, 0), `sentence 1, reference 1: the similarity is +Inf, not in [0,1]`},
		{"above 1", block(review, math.Nextafter32(1, 2), 0), `the similarity is 1.0000001, not in [0,1]`},
		{"below 0", block(review, 0, -1e-9), `the similarity is -1e-09, not in [0,1]`},
		{"too few values", block(review, 0), "1 values, but the description counts 2"},
		{"too many values", block(review, 0, 0, 0), "3 values, but the description counts 2"},
		{"empty description", block(""), "byte 0 of the description: it ends in the middle of a number"},
		{"long text", block("\x05abc"), "byte 0 of the description: 5 bytes in a text in 3 bytes"},
		{"huge text", block("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "18446744073709551615 bytes in a text, more than the limit of 1048576"},
		{"padded number", block("\x81\x00a"), "byte 0 of the description: a number is longer than it has to be"},
		{"references", block("\x00\x00\x80\x80\x04\x00\x00"), "byte 2 of the description: 65536 references in 2 bytes"},
		{"reviews", block("\x00\x00\x00\x00\x80\x80\x04"), "byte 4 of the description: 65536 reviews in 0 bytes"},
		{"sentences", block("\x00\x00\x00\x00\x01\x00\x00\x81\x80\x40\x00"), "1048577 sentences, more than the limit of 1048576"},
		{"sentences without values", block(oneRef + "\x01\x00\x00\x80\x80\x40\x00"), "0 values, but the description counts 2097152"},
		{"necessity", block("\x00\x00\x01\x00\x00\x00\x03\x00"), "reference 1: the necessity is 3, not 0, 1 or 2"},
		{"flags", block("\x00\x00\x00\x00\x01\x00\x00\x00\x04"), "unknown flags 0x4"},
		{"labels", block("\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00"), "byte 9 of the description: it ends in the middle of a value"},
		{"label", block("\x00\x00\x00\x00\x01\x00\x00\x00\x01" + strings.Repeat("\xff", 24)), "a label is NaN, not a finite number"},
		{"links", block(oneRef + "\x01\x00\x00\x00\x02\x03\x01"), "3 links in 1 bytes"},
		{"link", block(oneRef + "\x01\x00\x00\x00\x02\x01\x02"), "addressed points must ascend from 1 to 1, but 2 follows 0"},
		{"link 0", block(oneRef + "\x01\x00\x00\x00\x02\x01\x00"), "addressed points must ascend from 1 to 1, but 0 follows 0"},
		{"behind", block("\x00\x00\x00\x00\x00\x00"), "byte 5 of the description: it should have ended here"},
	}
	for _, tt := range tests {
		_, bad, err := readAll(bytes.NewReader(tt.in))
		got := strings.Join(bad, "\n")
		if err != nil {
			got += err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestHostileMemory claims as much as the limits allow with nothing behind it.
func TestHostileMemory(t *testing.T) {
	claims := frame(blockMark, 1, limits.MatrixDescription, limits.MatrixValues)
	for _, in := range [][]byte{
		join(header(stem), claims, make([]byte, 1000)),
		join(header(stem)[:12], []byte{0, 0, 16, 0}),
		framed(t, []byte("\x00\x00\x80\x80\x04\x80\x80\x04"), nil),
		framed(t, []byte("\x00\x00\x00\x00\x80\x80\x04\x00\x00\x00\x00"), nil),
		framed(t, []byte("\x00\x00\x00\x00\x01\x00\x00\x00\x02\x80\x80\x04"), nil),
		framed(t, []byte("\x00\x00\x01\x00\x00\x00\x00\x01\x00\x00\x80\x80\x40\x00"), nil),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, bad, err := readAll(bytes.NewReader(in))
		runtime.ReadMemStats(&after)
		if err == nil && bad == nil {
			t.Errorf("%.80q: no error", in)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%.80q: %d bytes were allocated for a file of %d", in, n, len(in))
		}
	}
}

// TestReadError does not take an error of reading for the end of the file.
func TestReadError(t *testing.T) {
	whole, starts := file(t, sample()...)
	broken := errors.New("the disk is gone")
	for _, n := range []int{3, 20, starts[1], starts[1] + 3, starts[1] + frameBytes + 3, len(whole)} {
		_, _, err := readAll(io.MultiReader(bytes.NewReader(whole[:n]), failing{broken}))
		if !errors.Is(err, broken) || errors.Is(err, ErrTruncated) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzReader(f *testing.F) {
	whole, starts := file(f, sample()...)
	f.Add(whole)
	f.Add(whole[:starts[2]])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		blocks, bad, final := readAll(bytes.NewReader(b))
		if r, err := NewReader(bytes.NewReader(b)); err == nil && errors.Is(final, ErrTruncated) && bad == nil {
			for err == nil {
				_, err = r.Next()
			}
			n, end := r.Place() // of what is no block
			whole := bytes.NewBuffer(bytes.Clone(b[:end]))
			if err := Continue(whole, n).Close(); err != nil {
				t.Error(err)
			}
			if again, bad, err := readAll(whole); len(again) != len(blocks) || bad != nil || err != nil {
				t.Errorf("continued and ended: %d blocks instead of %d, %q, %v", len(again), len(blocks), bad, err)
			}
		}
		for _, m := range bad {
			if !strings.HasPrefix(m, "block ") {
				t.Errorf("an error without its block: %q", m)
			}
		}
		file(t, blocks...) // what was read can be written
	})
}

// FuzzBlock puts right checksums around what the fuzzer finds.
func FuzzBlock(f *testing.F) {
	for _, b := range sample() {
		buf, err := appendBlock(nil, 1, b)
		if err != nil {
			f.Fatal(err)
		}
		n := binary.LittleEndian.Uint32(buf[8:])
		f.Add(buf[frameBytes:frameBytes+n], buf[frameBytes+n:len(buf)-sumBytes])
	}
	f.Fuzz(func(t *testing.T, description, values []byte) {
		values = values[:len(values)/4*4]
		in := framed(t, description, values)
		blocks, bad, err := readAll(bytes.NewReader(in))
		if err != nil {
			t.Fatal(err) // the frame is right
		}
		if len(bad)+len(blocks) != 1 {
			t.Fatalf("%d blocks, %q", len(blocks), bad)
		}
		if bad != nil {
			return
		}
		out, _ := file(t, blocks[0])
		if n := len(header(stem)) + frameBytes + len(description); !bytes.Equal(out[:n], in[:n]) {
			t.Errorf("%q became %q", in[:n], out[:n])
		}
		again, bad, err := readAll(bytes.NewReader(out))
		if d := cmp.Diff(blocks, again); d != "" || bad != nil || err != nil {
			t.Error(bad, err, d)
		}
	})
}

// typical is a change of a dataset of machine reviews: ten reviews of five
// sentences, a dozen references, labels and links.
func typical() *Block {
	b := &Block{ID: "4711", Refs: make([]Ref, 12), Points: make([]Ref, 5)}
	for i := range b.Refs {
		b.Refs[i] = Ref{"claim", "symbolic", Unjudged}
	}
	for i := range b.Points {
		b.Points[i] = Ref{"claim", "annotators", Necessary}
	}
	for range 10 {
		r := Review{ID: "system-name", Human: &dataset.Human{Con: 4, Comp: 3, Rel: 3}, Addressed: []int{1, 4}, Sentences: 5}
		for i := range 5 * 17 {
			r.Sim = append(r.Sim, float32(i)/85)
		}
		b.Reviews = append(b.Reviews, r)
	}
	return b
}

func BenchmarkWrite(b *testing.B) {
	block := typical()
	one, err := appendBlock(nil, 1, block)
	if err != nil {
		b.Fatal(err)
	}
	w, err := NewWriter(io.Discard, stem)
	b.SetBytes(int64(len(one)))
	b.ReportAllocs()
	for b.Loop() {
		if err = errors.Join(err, w.Write(block)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNext reads blocks; bytes and allocations are those of one block.
func BenchmarkNext(b *testing.B) {
	blocks := make([]*Block, 1000)
	for i := range blocks {
		blocks[i] = typical()
	}
	whole, starts := file(b, blocks...)
	b.SetBytes(int64(starts[1] - starts[0]))
	b.ReportAllocs()
	var r *Reader
	for i := 0; b.Loop(); i++ {
		if i%len(blocks) == 0 {
			r, _ = NewReader(bytes.NewReader(whole))
		}
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
