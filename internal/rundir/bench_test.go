package rundir

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/matrices"
)

// BenchmarkAdd adds changes of ten reviews, with matrices, on the real disk.
func BenchmarkAdd(b *testing.B) {
	r, err := Open(filepath.Join(b.TempDir(), "run"), withMatrices(), nil)
	if err != nil {
		b.Fatal(err)
	}
	c := typical()
	b.SetBytes(int64(len(c.Rows)))
	b.ReportAllocs()
	for b.Loop() {
		c.Line++
		if err := r.Add(c); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpen opens a run of so many finished changes and goes through them: time
// grows with their number, memory does not.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "run")
			r, err := Open(dir, withMatrices(), nil)
			if err != nil {
				b.Fatal(err)
			}
			c := typical()
			for range n {
				c.Line++
				if err := r.Add(c); err != nil {
					b.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r, err := Open(dir, withMatrices(), nil)
				if err != nil || r.Changes() != n {
					b.Fatal(err)
				}
				for line := range n {
					if done, err := r.Done(Place{line + 1, c.Text}); err != nil || !done {
						b.Fatal(done, err)
					}
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func typical() Change {
	c := Change{Place: Place{Text: strings.Repeat("0", sumDigits)}, Block: &matrices.Block{ID: "4711", Refs: make([]matrices.Ref, 12)}}
	for range 10 {
		c.Rows = append(c.Rows, strings.Repeat("x", 400)+"\n"...)
		c.Block.Reviews = append(c.Block.Reviews, matrices.Review{ID: "system", Sentences: 5, Sim: make([]float32, 60)})
	}
	return c
}
