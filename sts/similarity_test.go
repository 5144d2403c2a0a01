package sts

import (
	"context"
	"errors"
	"math"
	"testing"
)

// fixed encodes a text as the vector that it is told.
type fixed map[string][]float32

func (f fixed) Encode(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v, ok := f[t]
		if !ok {
			return nil, errors.New("no vector for " + t)
		}
		out[i] = v
	}
	return out, nil
}

func (f fixed) Dim() int             { return 2 }
func (f fixed) Signature() Signature { return Signature{{Name: "encoder", Value: "fixed"}} }

func TestCosine(t *testing.T) {
	s := float32(math.Sqrt(0.5))
	enc := fixed{"east": {1, 0}, "north": {0, 1}, "northeast": {s, s}, "west": {-1, 0}, "nothing": {0, 0}}
	c := Cosine{Encoder: enc}
	got, err := c.Matrix(context.Background(), []string{"east", "nothing", "east"}, []string{"east", "northeast", "north", "west"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float32{{1, s, 0, 0}, {0, 0, 0, 0}, {1, s, 0, 0}} // west is opposite: clamped at 0
	for i := range want {
		for j := range want[i] {
			if math.Abs(float64(got[i][j]-want[i][j])) > 1e-6 {
				t.Errorf("[%d][%d] = %v, want %v", i, j, got[i][j], want[i][j])
			}
		}
	}
	if empty, err := c.Matrix(context.Background(), nil, []string{"east"}); err != nil || len(empty) != 0 {
		t.Errorf("no sentences: %v, %v", empty, err)
	}
	if _, err := c.Matrix(context.Background(), []string{"up"}, nil); err == nil {
		t.Error("the encoder's error is lost")
	}
	if c.Signature().String() != "similarity=cosine encoder=fixed" {
		t.Error(c.Signature().String())
	}
}

// BenchmarkCosine compares 20 sentences with 30 references of 256 dimensions,
// without the encoding.
func BenchmarkCosine(b *testing.B) {
	enc := fixed{}
	var names []string
	for i := range 50 {
		v := make([]float32, 256)
		for j := range v {
			v[j] = float32(math.Sin(float64(i*256+j))) / 16
		}
		name := string(rune('a' + i))
		enc[name] = v
		names = append(names, name)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Cosine{enc}).Matrix(context.Background(), names[:20], names[20:]); err != nil {
			b.Fatal(err)
		}
	}
}
