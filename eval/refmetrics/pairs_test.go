package refmetrics

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"crscore/score"
	"crscore/sts"
)

// fake scores the number of words; "nan" is no number and "bad" has no score.
type fake struct{}

func (fake) Score(ctx context.Context, hypothesis string, _ []string) (float64, error) {
	switch hypothesis {
	case "nan":
		return math.NaN(), nil
	case "bad":
		return 0, errors.New("too long")
	}
	return float64(len(strings.Fields(hypothesis))), ctx.Err()
}

// counted is fake with a score of corpora: the words of all pairs.
type counted struct{ fake }

func (counted) NewCorpus() Corpus { return new(words) }

type words struct{ n float64 }

func (w *words) Add(hypothesis string, _ []string) error {
	v, err := fake{}.Score(context.Background(), hypothesis, nil)
	w.n += v
	return err
}

func (w *words) Score() float64 { return w.n }

func fakes(corpus bool) Set {
	return Set{Corpus: corpus, Metrics: []Named{
		{Metric: fake{}, Spec: "words", Signature: "words"},
		{Metric: counted{}, Spec: "sum:a=b", Signature: "sum|a:b|better:lower"},
	}}
}

func TestSignatureOfSet(t *testing.T) {
	for _, tt := range []struct {
		compat, raw bool
		want        string
	}{{true, true, "compat=yes"}, {false, true, "written=raw"}, {false, false, "written=" + sts.WrittenSignature(false)}} {
		got := fakes(false).Signature([]string{"msg", "a b"}, tt.compat, tt.raw).String()
		if want := "references=msg,a%20b " + tt.want + " words=words sum:a=b=sum|a:b|better:lower"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestNoNumber: NaN is no score, and a run that ends is no missing score.
func TestNoNumber(t *testing.T) {
	p := Pair{Hypothesis: "nan"}
	if err := fakes(false).Score(t.Context(), &p); err != nil || p.Values[0].Err == nil || p.Values[1].Err == nil {
		t.Error(err, p.Values)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := fakes(false).Score(ctx, &p); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSetOf: the metrics of a signature are those that it was made of, also where its text alone is known.
func TestSetOf(t *testing.T) {
	set := fakes(false)
	set.Metrics = append(set.Metrics, Named{Spec: "bleu:tok=intl:case=lower", Signature: "bleu|tok:intl|case:lower"}, Named{Spec: "length", Signature: "length"})
	for _, compat := range []bool{false, true} {
		s := append(score.Signature{{Name: "crscore", Value: "1.0"}}, set.Signature([]string{"msg"}, compat, false)...)
		for _, s := range []score.Signature{s, append(score.Signature{}, append(s, score.Field{Name: "arch", Value: "arm64"})...)} {
			var got string
			for _, m := range SetOf(s).Metrics {
				got += m.Spec + " " + m.Signature + "\n"
			}
			if want := "words words\nsum:a=b sum|a:b|better:lower\nbleu:tok=intl:case=lower bleu|tok:intl|case:lower\nlength length\n"; got != want {
				t.Errorf("%s:\n%s", s, got)
			}
			got = ""
			for _, m := range SetOf(score.ReadSignature(s.String())).Metrics {
				got += m.Spec + "\n"
			}
			if want := "words\nsum:a=b\nbleu:tok=intl:case=lower\nlength\n"; got != want {
				t.Errorf("the text %s:\n%s", s, got)
			}
		}
	}
}
