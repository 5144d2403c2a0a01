package main

import (
	"math"
	"testing"

	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/score"
)

// TestShareOf: scores that are whole numbers of nths for one n are none for most others.
func TestShareOf(t *testing.T) {
	rec := dataset.Record{ID: "1", Reviews: []dataset.Review{{ID: "a"}, {ID: "b"}, {ID: "c"}}}
	comps := map[agreement.ReviewID]agreement.Scores{{Change: "1", Review: "a"}: {Comp: 0.75}, {Change: "1", Review: "b"}: {Comp: float64(float32(1) / 4)}}
	set := labelled{released: map[string]map[agreement.ReviewID]agreement.Scores{"0.7": comps}}
	for n, want := range []bool{false, false, false, false, true, false, false, false, true} {
		if got := set.shareOf(&rec, n); got != want {
			t.Errorf("%d: %v", n, got)
		}
	}
	if (&labelled{}).shareOf(&rec, 4) {
		t.Error("of no scores it is not known")
	}
}

// TestEdits counts claims only: smells were not the model's.
func TestEdits(t *testing.T) {
	set := labelled{records: []dataset.Record{
		{Lang: "py", Claims: map[string][]string{"magicoder": {"A.", "B.", "C."}}, RefsEdited: []dataset.EditedRef{
			{Text: "A.", Kind: "claim"}, {Text: "B, or so.", Kind: "claim"}, {Text: "D.", Kind: "smell"}, {Text: "C.", Kind: "implication"}}},
		{Lang: "js", Claims: map[string][]string{"magicoder": {"E."}}},
	}}
	if got, want := set.edits("py"), (edits{changes: 1, claims: 3, kept: 2, other: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPaperTau: every sentence of the system counts alike, whichever change it is of,
// and of other systems none.
func TestPaperTau(t *testing.T) {
	result := func(sim ...[]float32) *matched {
		r, err := score.Score(sim, len(sim[0]), score.Rule{Mode: score.Soft})
		if err != nil {
			t.Fatal(err)
		}
		return &matched{result: r}
	}
	set := labelled{records: []dataset.Record{{ID: "1"}, {ID: "2"}, {ID: "3"}}}
	m := measured{matched: map[agreement.ReviewID]*matched{
		{Change: "1", Review: "a"}: result([]float32{0.5, 0.25}, []float32{0, 0.25}),
		{Change: "2", Review: "a"}: result([]float32{0.75}),
		{Change: "1", Review: "b"}: result([]float32{1, 1}),
	}}
	if tau, err := m.paperTau(&set, "a"); err != nil || math.Abs(tau-0.5) > 1e-9 {
		t.Errorf("%v, %v", tau, err)
	}
	if _, err := m.paperTau(&set, "c"); err == nil {
		t.Error("of no sentences there is no threshold")
	}
}
