package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/eval/agreement"
	"crscore/eval/refmetrics"
	"crscore/eval/resample"
	"crscore/sts"
)

// TestReferenceMetrics holds the agreement of the metrics that need a reference against
// values of the programs that the literature uses (sacrebleu 2.6.0, rouge_score, nltk 3.8,
// CodeReviewer's evaluator), which were run on the same reviews: ρ, τ-b and the systems' ρ.
func TestReferenceMetrics(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("NOT REPRODUCED: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	set, err := readData(filepath.Join(dir, "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	o := agreement.Options{Bootstrap: agreement.Bootstrap{Resamples: resample.MinResamples}}
	for _, want := range []struct {
		referenceMetric
		rho, tau, systems float64 // NaN where no value is known
	}{
		{referenceMetric{spec: "codereviewer-bleu", compat: true}, .0821, .0651, -.05},
		{referenceMetric{spec: "edit-distance", compat: true}, -.1203, -.0913, -.15},
		{referenceMetric{spec: "rouge-l"}, .1739, .134, .267},
		{referenceMetric{spec: "chrf"}, .3462, .2636, .833},
		{referenceMetric{spec: "chrf++"}, .3396, .2583, .783},
		{referenceMetric{spec: "meteor-exact-stem"}, .2541, .194, .80},
		{referenceMetric{spec: "embedding-similarity"}, .350, math.NaN(), math.NaN()},
		{referenceMetric{spec: "length"}, .387, math.NaN(), math.NaN()},
	} {
		metric, err := refmetrics.New(want.spec, refmetrics.Needs{Encoder: encoder, Compat: want.compat})
		if err != nil {
			t.Fatal(err)
		}
		c := compared{referenceMetric: want.referenceMetric}
		if c.rows, err = referenceRows(t.Context(), &set, metric); err != nil {
			t.Fatal(err)
		}
		if err := c.measure(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		for _, n := range []struct {
			what string
			got  agreement.Estimate
			want float64
		}{{"ρ", c.all.Spearman, want.rho}, {"τ-b", c.all.KendallTauB, want.tau}, {"the systems' ρ", c.systems.Spearman, want.systems}} {
			if math.Abs(*n.got.Value-n.want) > 0.002 {
				t.Errorf("%s of %s: %.4f, want %.4f", n.what, want.spec, *n.got.Value, n.want)
			}
		}
	}
}

// TestReferenceRows: the reference is not scored against itself, a review without a reference
// has no score, and a distance is turned.
func TestReferenceRows(t *testing.T) {
	file := write(t, strings.Replace(small(6), `"id":"msg"`, `"id":"other"`, 1))
	set, err := readData(file)
	if err != nil {
		t.Fatal(err)
	}
	metric, err := refmetrics.New("edit-distance", refmetrics.Needs{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := referenceRows(t.Context(), &set, metric)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		switch scored := r.Metric != nil; {
		case scored == (r.Change == "0" || r.Review == "msg"):
			t.Errorf("change %s, review %s: scored is %v", r.Change, r.Review, scored)
		case scored && !(r.Metric.Rel <= 0 && math.IsNaN(r.Metric.Con)):
			t.Errorf("change %s, review %s: %+v", r.Change, r.Review, *r.Metric)
		}
	}
}
