package score

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestScore(t *testing.T) {
	// Two sentences, three references. Best of the sentences: .9 (ref 0), .4
	// (ref 2). Best of the references: .9, .3, .4.
	sim := [][]float32{{0.9, 0.2, 0.1}, {0.3, 0.3, 0.4}}
	tests := []struct {
		name           string
		sim            [][]float32
		refs           int
		mode           Mode
		tau            float64
		con, comp, rel float64
	}{
		{"hard", sim, 3, Hard, 0.5, 0.5, 1.0 / 3, 0.4},
		{"hard, low tau", sim, 3, Hard, 0.35, 1, 2.0 / 3, 0.8},
		{"strictly greater", [][]float32{{0.5}}, 1, Hard, 0.5, 0, 0, 0},
		{"strictly greater, as float32", [][]float32{{0.3}}, 1, Hard, 0.3, 0, 0, 0},
		{"just greater", [][]float32{{0.5}}, 1, Hard, 0.4999, 1, 1, 1},
		{"tau 1 matches nothing", [][]float32{{1}}, 1, Hard, 1, 0, 0, 0},
		{"rounding above 1", [][]float32{{1.000001}}, 1, Soft, 0, 1, 1, 1},
		{"tau 0 needs more than 0", [][]float32{{0, -0.3}}, 2, Hard, 0, 0, 0, 0},
		{"soft", sim, 3, Soft, 0, 0.65, (0.9 + 0.3 + 0.4) / 3, 2 * 0.65 * (1.6 / 3) / (0.65 + 1.6/3)},
		{"negative is clamped, not rescaled", [][]float32{{-1, -1}, {-1, 0.5}}, 2, Soft, 0, 0.25, 0.25, 0.25},
		{"empty review", nil, 3, Hard, 0.5, 0, 0, 0},
		{"empty review, soft", nil, 3, Soft, 0, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Score(tt.sim, tt.refs, Rule{Mode: tt.mode, Tau: tt.tau})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range []struct {
				name      string
				got, want float64
			}{{"con", r.Con, tt.con}, {"comp", r.Comp, tt.comp}, {"rel", r.Rel, tt.rel}} {
				if math.Abs(v.got-v.want) > 1e-7 {
					t.Errorf("%s = %v, want %v", v.name, v.got, v.want)
				}
			}
			if r.Empty != (len(tt.sim) == 0) {
				t.Errorf("Empty = %v", r.Empty)
			}
			if len(r.Sentences) != len(tt.sim) || len(r.Refs) != tt.refs {
				t.Errorf("evidence for %d sentences and %d references", len(r.Sentences), len(r.Refs))
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	r, err := Score([][]float32{{0.9, 0.2}, {0.9, 0.1}}, 2, Rule{Mode: Hard, Tau: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Sentences[1]; b.Index != 0 || !b.Matched || math.Abs(b.Similarity-0.9) > 1e-7 {
		t.Errorf("sentence 1: %+v", b)
	}
	if b := r.Refs[0]; b.Index != 0 { // the first of two equals
		t.Errorf("reference 0: %+v", b)
	}
	if b := r.Refs[1]; b.Matched || b.Index != 0 {
		t.Errorf("reference 1: %+v", b)
	}
	empty, _ := Score(nil, 2, Rule{Mode: Hard, Tau: 0.5})
	if b := empty.Refs[0]; b.Index != -1 || b.Matched {
		t.Errorf("reference without sentences: %+v", b)
	}
}

func TestScoreErrors(t *testing.T) {
	nan := float32(math.NaN())
	if _, err := Score(nil, 0, Rule{Mode: Hard, Tau: 0.5}); !errors.Is(err, ErrNoRefs) {
		t.Errorf("no references: %v", err)
	}
	for name, f := range map[string]func() (Result, error){
		"NaN similarity":  func() (Result, error) { return Score([][]float32{{nan}}, 1, Rule{Mode: Soft}) },
		"above 1":         func() (Result, error) { return Score([][]float32{{1.1}}, 1, Rule{Mode: Soft}) },
		"+Inf similarity": func() (Result, error) { return Score([][]float32{{float32(math.Inf(1))}}, 1, Rule{Mode: Soft}) },
		"-Inf similarity": func() (Result, error) { return Score([][]float32{{float32(math.Inf(-1))}}, 1, Rule{Mode: Soft}) },
		"ragged":          func() (Result, error) { return Score([][]float32{{0.1}, {0.1, 0.2}}, 1, Rule{Mode: Soft}) },
		"tau NaN":         func() (Result, error) { return Score([][]float32{{0.1}}, 1, Rule{Mode: Hard, Tau: math.NaN()}) },
		"tau -0.1":        func() (Result, error) { return Score([][]float32{{0.1}}, 1, Rule{Mode: Hard, Tau: -0.1}) },
		"tau 1.1":         func() (Result, error) { return Score([][]float32{{0.1}}, 1, Rule{Mode: Hard, Tau: 1.1}) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, err := Score([][]float32{{0.1, 0.2}, {0.3, nan}}, 2, Rule{Mode: Soft})
	if err == nil || !strings.Contains(err.Error(), "sentence 1 and reference 1") {
		t.Errorf("the error has no place: %v", err)
	}
}

func TestAggregate(t *testing.T) {
	var a Aggregate
	if _, ok := a.PaperTau(); ok {
		t.Error("tau of nothing")
	}
	if b, err := json.Marshal(a.Summary()); err != nil || string(b) != `{"scored":0,"unscored":0,"empty":0}` {
		t.Errorf("summary of nothing: %s, %v", b, err)
	}
	for _, sim := range [][][]float32{{{0.8}, {0.4}}, nil} {
		r, err := Score(sim, 1, Rule{Mode: Hard, Tau: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		a.Add(r)
	}
	a.AddUnscored()
	s := a.Summary()
	if s.Scored != 2 || s.Unscored != 1 || s.Empty != 1 {
		t.Errorf("counts %+v", s)
	}
	// Of the means, 2·¼·½ / (¼+½) = ⅓: the other review is empty.
	if m := s.Means; m == nil || m.Con != 0.25 || m.Comp != 0.5 || math.Abs(m.Rel-1.0/3) > 1e-12 || math.Abs(m.RelOfMeans-1.0/3) > 1e-12 {
		t.Errorf("means %+v", m)
	}
	if tau, _ := a.PaperTau(); math.Abs(tau-0.6) > 1e-7 {
		t.Errorf("tau by the paper's rule = %v, want 0.6", tau)
	}
	more, err := Score([][]float32{{0.9}, {0.1}, {0.1}}, 1, Rule{Mode: Hard, Tau: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	a.Add(more)
	if tau, _ := a.PaperTau(); math.Abs(tau-0.46) > 1e-7 { // of sentences, not of reviews
		t.Errorf("tau by the paper's rule = %v, want 0.46", tau)
	}
}

// TestMeansDiffer has two reviews that are each good at one thing: their means are
// as good as those of two middling reviews, and the mean of rel tells them apart.
func TestMeansDiffer(t *testing.T) {
	var a Aggregate
	a.Add(Result{Con: 1, Comp: 0.2, Rel: HarmonicMean(1, 0.2)}) // 1/3
	a.Add(Result{Con: 0.2, Comp: 1, Rel: HarmonicMean(0.2, 1)}) // 1/3
	m := a.Summary().Means
	if math.Abs(m.Rel-1.0/3) > 1e-12 || math.Abs(m.RelOfMeans-0.6) > 1e-12 {
		t.Errorf("rel %v and %v, want 1/3 and 0.6", m.Rel, m.RelOfMeans)
	}
}

// BenchmarkScore scores a review of 20 sentences against 30 references.
func BenchmarkScore(b *testing.B) {
	sim := make([][]float32, 20)
	for i := range sim {
		sim[i] = make([]float32, 30)
		for j := range sim[i] {
			sim[i][j] = float32((i*31+j*17)%100) / 100
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Score(sim, 30, Rule{Mode: Hard, Tau: 0.5}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRescore sweeps a threshold over a review of 5 sentences and 8 references.
func BenchmarkRescore(b *testing.B) {
	sim, refs := make([][]float32, 5), make([]Ref, 8)
	for i := range sim {
		sim[i] = make([]float32, len(refs))
		for j := range sim[i] {
			sim[i][j] = float32((i*31+j*17)%100) / 100
		}
	}
	r, err := ScoreRefs(sim, refs, Rule{Mode: Soft})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := r.Rescore(refs, Rule{Mode: Ramp, Tau: float64(i%200) / 200}); err != nil {
			b.Fatal(err)
		}
	}
}
