package matrices

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// TestContinue stops a run after every block and continues it: the file becomes the one of a run
// that was not stopped.
func TestContinue(t *testing.T) {
	whole, starts := file(t, sample()...)
	for n, end := range starts {
		var f bytes.Buffer
		f.Write(whole[:end])
		w := Continue(&f, n)
		var err error
		for _, b := range sample()[n:] {
			err = errors.Join(err, w.Write(b))
		}
		if err := errors.Join(err, w.Close()); err != nil || !bytes.Equal(f.Bytes(), whole) {
			t.Fatalf("%d blocks: the continued file is another: %v", n, err)
		}
	}
}

// TestWriteRefuses finds what may not stand in a file, and goes on after it.
func TestWriteRefuses(t *testing.T) {
	ref := []Ref{{}}
	one := func(r Review) *Block { return &Block{ID: "7", Refs: ref, Points: ref, Reviews: []Review{{}, r}} }
	long := strings.Repeat("x", limits.MatrixText+1)
	tests := []struct {
		name string
		b    *Block
		want string
	}{
		{"id", &Block{ID: long}, "1048577 bytes in a text, more than the limit of 1048576"},
		{"kind", &Block{Points: []Ref{{Kind: long}}}, "point 1: 1048577 bytes in a text"},
		{"reason", one(Review{Unscored: long}), "bytes in a text"},
		{"references", &Block{Refs: make([]Ref, limits.MatrixRefs+1)}, "65537 references, more than the limit of 65536"},
		{"points", &Block{Points: make([]Ref, limits.MatrixRefs+1)}, "65537 points, more than the limit of 65536"},
		{"reviews", &Block{Reviews: make([]Review, limits.MatrixReviews+1)}, "65537 reviews, more than the limit of 65536"},
		{"sentences", one(Review{Sentences: limits.MatrixSentences + 1}), "1048577 sentences, more than the limit of 1048576"},
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
	half := Review{Sentences: 1 << 14, Sim: make([]float32, limits.MatrixValues/2)}
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
