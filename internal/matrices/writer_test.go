package matrices

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/dataset"
)

// memory is a File.
type memory struct {
	b  []byte
	at int
}

func (m *memory) Read(p []byte) (int, error) {
	if m.at >= len(m.b) {
		return 0, io.EOF
	}
	n := copy(p, m.b[m.at:])
	m.at += n
	return n, nil
}

func (m *memory) Write(p []byte) (int, error) {
	m.b = append(m.b[:m.at], p...) // never in the middle: Continue cuts first
	m.at = len(m.b)
	return len(p), nil
}

func (m *memory) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekEnd:
		offset += int64(len(m.b))
	case io.SeekCurrent:
		offset += int64(m.at)
	}
	m.at = int(offset)
	return offset, nil
}

func (m *memory) Truncate(size int64) error {
	m.b = m.b[:size]
	return nil
}

// TestContinue stops a run after every byte it has written and continues it: the
// file becomes the one of a run that was not stopped.
func TestContinue(t *testing.T) {
	whole, starts := file(t, sample()...)
	for n := range len(whole) + 1 {
		f := &memory{b: bytes.Clone(whole[:n])}
		var kept []*Block
		w, lost, err := resume(f, stem, func(b *Block) error { kept = append(kept, b); return nil })
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		good, end := 0, 0 // what is kept
		for i, s := range starts {
			if s <= n {
				good, end = i, s
			}
		}
		if n == len(whole) {
			n = end // an end mark is not lost
		}
		if len(kept) != good || lost != int64(n-end) || len(f.b) != max(end, starts[0]) {
			t.Fatalf("%d bytes: %d blocks kept, %d bytes lost, %d left", n, len(kept), lost, len(f.b))
		}
		if d := cmp.Diff(sample()[:good], kept); good > 0 && d != "" {
			t.Fatalf("%d bytes: %s", n, d)
		}
		for _, b := range sample()[good:] {
			err = errors.Join(err, w.Write(b))
		}
		if err := errors.Join(err, w.Close()); err != nil || !bytes.Equal(f.b, whole) {
			t.Fatalf("%d bytes: the continued file is another: %v", n, err)
		}
	}
}

// TestContinueRefuses leaves files alone that it must not cut.
func TestContinueRefuses(t *testing.T) {
	whole, starts := file(t, sample()...)
	flip := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 1
		return b
	}
	tests := []struct {
		name, stem string
		in         []byte
		want       string
	}{
		{"another stem", "other", whole, fmt.Sprintf("it was made with %q, not with %q", stem, "other")},
		{"another stem's start", strings.Repeat("long", 100), whole[:20], ErrTruncated.Error()},
		{"short text", stem, []byte("notes"), "this is not a matrix file of crscore"},
		{"long text", stem, bytes.Repeat([]byte("notes"), 100), "this is not a matrix file of crscore"},
		{"damaged block", stem, flip(starts[1] + frameBytes), fmt.Sprintf("block 2 (byte %d): damaged", starts[1])},
		{"last block damaged, file finished", stem, flip(starts[5] - 1), fmt.Sprintf("block 5 (byte %d): damaged", starts[4])},
		{"damaged frame", stem, flip(starts[1] + 5), fmt.Sprintf("block 2 (byte %d): its frame is damaged", starts[1])},
	}
	for _, tt := range tests {
		f := &memory{b: bytes.Clone(tt.in)}
		_, _, err := resume(f, tt.stem, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if !bytes.Equal(f.b, tt.in) {
			t.Errorf("%s: the file was changed", tt.name)
		}
	}
	stop := errors.New("stop")
	f := &memory{b: bytes.Clone(whole)}
	if _, _, err := resume(f, stem, func(*Block) error { return stop }); !errors.Is(err, stop) || !bytes.Equal(f.b, whole) {
		t.Error("an error of kept did not leave the file alone:", err)
	}
}

// TestContinueDamagedEnd cuts a last block that has its length but not its bytes,
// as a crash of the machine may leave it.
func TestContinueDamagedEnd(t *testing.T) {
	whole, starts := file(t, sample()...)
	b := bytes.Clone(whole[:starts[2]])
	clear(b[starts[1]+frameBytes+4:])
	f := &memory{b: b}
	w, lost, err := resume(f, stem, nil)
	if err != nil || lost != int64(starts[2]-starts[1]) || len(f.b) != starts[1] {
		t.Fatal(err, lost, len(f.b))
	}
	for _, b := range sample()[1:] {
		err = errors.Join(err, w.Write(b))
	}
	if err := errors.Join(err, w.Close()); err != nil || !bytes.Equal(f.b, whole) {
		t.Error("the continued file is another:", err)
	}
}

func TestContinueOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.matrices")
	for _, b := range sample() {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		w, lost, err := resume(f, stem, nil)
		if err != nil || lost != 0 {
			t.Fatal(err, lost)
		}
		if err := errors.Join(w.Write(b), w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := file(t, sample()...)
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Error("the continued file is another:", err)
	}
}

// TestWriteRefuses finds what may not stand in a file, and goes on after it.
func TestWriteRefuses(t *testing.T) {
	ref := []Ref{{}}
	one := func(r Review) *Block { return &Block{ID: "7", Refs: ref, Points: ref, Reviews: []Review{{}, r}} }
	long := strings.Repeat("x", MaxTextBytes+1)
	tests := []struct {
		name string
		b    *Block
		want string
	}{
		{"id", &Block{ID: long}, "1048577 bytes in a text, more than the limit of 1048576"},
		{"kind", &Block{Points: []Ref{{Kind: long}}}, "point 1: 1048577 bytes in a text"},
		{"reason", one(Review{Unscored: long}), "bytes in a text"},
		{"references", &Block{Refs: make([]Ref, MaxRefs+1)}, "65537 references, more than the limit of 65536"},
		{"points", &Block{Points: make([]Ref, MaxRefs+1)}, "65537 points, more than the limit of 65536"},
		{"reviews", &Block{Reviews: make([]Review, MaxReviews+1)}, "65537 reviews, more than the limit of 65536"},
		{"sentences", one(Review{Sentences: MaxSentences + 1}), "1048577 sentences, more than the limit of 1048576"},
		{"fewer than none", one(Review{Sentences: -1}), "-1 sentences"},
		{"description", &Block{Reviews: []Review{{Unscored: long[1:]}, {Unscored: long[1:]}, {Unscored: long[1:]}, {Unscored: long[1:]}, {Unscored: long[1:]}, {Unscored: long[1:]}, {Unscored: long[1:]}, {Unscored: long[1:]}}}, "the description has more than the limit of 8388608 bytes"},
		{"necessity", &Block{Refs: []Ref{{Necessity: 3}}}, "reference 1: the necessity is 3, not 0, 1 or 2"},
		{"label", one(Review{Human: &dataset.Human{Rel: math.Inf(1)}}), "a label is +Inf, not a finite number"},
		{"link", one(Review{Addressed: []int{2}}), "addressed points must ascend from 1 to 1, but 2 follows 0"},
		{"length", one(Review{ID: "r", Sentences: 1, Sim: []float32{1}}), `writing the matrices of change "7": review 2 ("r"): 1 values for 1 sentences, 1 references and 1 points`},
		{"similarity", one(Review{Sentences: 1, Sim: []float32{1, float32(math.NaN())}}), "sentence 1, point 1: the similarity is NaN, not in [0,1]"},
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, stem)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		if err := w.Write(tt.b); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %.200v, want %q", tt.name, err, tt.want)
		}
	}
	for _, b := range sample() {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want, _ := file(t, sample()...); !bytes.Equal(out.Bytes(), want) {
		t.Error("refused blocks left something in the file")
	}
	if w.Write(sample()[0]) == nil || w.Close() == nil {
		t.Error("a closed writer writes")
	}
	if _, err := NewWriter(&out, long); err == nil {
		t.Error("a stem above the limit was written")
	}
}

// TestLargeBlock is larger than the buffers that are kept, and between small ones.
func TestLargeBlock(t *testing.T) {
	large := &Block{ID: "large", Refs: make([]Ref, 1<<10), Reviews: []Review{{Sentences: 1 << 10, Sim: make([]float32, 1<<20)}}}
	for i := range large.Reviews[0].Sim {
		large.Reviews[0].Sim[i] = float32(i) / (1 << 20)
	}
	want := []*Block{sample()[0], large, sample()[1]}
	whole, _ := file(t, want...)
	got, bad, err := readAll(bytes.NewReader(whole))
	if len(got) != 3 || bad != nil || err != nil {
		t.Fatal(len(got), bad, err)
	}
	if !slices.Equal(got[1].Reviews[0].Sim, large.Reviews[0].Sim) {
		t.Error("the large block came back with other values")
	}
	if d := cmp.Diff([]*Block{want[0], want[2]}, []*Block{got[0], got[2]}); d != "" {
		t.Error(d)
	}
}

func TestTooManyValues(t *testing.T) {
	w, err := NewWriter(io.Discard, stem)
	if err != nil {
		t.Fatal(err)
	}
	half := Review{Sentences: 1 << 14, Sim: make([]float32, MaxValues/2)}
	b := &Block{Refs: make([]Ref, 1<<10), Reviews: []Review{half, half, {Sentences: 1, Sim: make([]float32, 1<<10)}}}
	if err := w.Write(b); err == nil || !strings.Contains(err.Error(), "33555456 values, more than the limit of 33554432") {
		t.Error(err)
	}
}

// TestWriteError is final: half a block may stand in the file.
func TestWriteError(t *testing.T) {
	full := errors.New("no space left")
	if _, err := NewWriter(failing{full}, stem); !errors.Is(err, full) {
		t.Error(err)
	}
	w := &Writer{out: failing{full}}
	if err := w.Write(sample()[0]); !errors.Is(err, full) {
		t.Error(err)
	}
	w.out = io.Discard
	if err := w.Write(sample()[0]); !errors.Is(err, full) {
		t.Error("a block was written behind half a one:", err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Error("a file with half a block was ended:", err)
	}
}

// TestNegativeZero writes 0 for -0, so that equal values give equal bytes.
func TestNegativeZero(t *testing.T) {
	with := func(v float32) []byte {
		b, _ := file(t, &Block{Refs: []Ref{{}}, Reviews: []Review{{Sentences: 1, Sim: []float32{v}}}})
		return b
	}
	if !bytes.Equal(with(0), with(float32(math.Copysign(0, -1)))) {
		t.Error("-0 and 0 give different bytes")
	}
}

// resume has a file of any length get more blocks.
func resume(f File, stem string, kept func(*Block) error) (*Writer, int64, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	k, lost, err := Inspect(f, size, stem, kept)
	if err != nil {
		return nil, 0, err
	}
	w, err := k.Continue()
	return w, lost, err
}

// TestInspect changes nothing, and reads no further than it is told to.
func TestInspect(t *testing.T) {
	whole, starts := file(t, sample()...)
	for i, size := range append(starts, 0, starts[1]+5, len(whole)) {
		f := &memory{b: bytes.Clone(whole)}
		blocks := 0
		k, _, err := Inspect(f, int64(size), stem, func(*Block) error { blocks++; return nil })
		if err != nil || !bytes.Equal(f.b, whole) {
			t.Fatalf("%d bytes: changed, or %v", size, err)
		}
		if i < len(starts) && blocks != i {
			t.Errorf("%d bytes: %d blocks of %d", size, blocks, i)
		}
		w, err := k.Continue()
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range sample()[blocks:] {
			err = errors.Join(err, w.Write(b))
		}
		if err := errors.Join(err, w.Close()); err != nil || !bytes.Equal(f.b, whole) {
			t.Errorf("%d bytes: the continued file is another: %v", size, err)
		}
	}
}
