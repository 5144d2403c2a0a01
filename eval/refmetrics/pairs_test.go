package refmetrics

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"crscore/sts"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

// TestTotals: means of the reviews that have a score, or the score of whole corpora; at most
// so many systems.
func TestTotals(t *testing.T) {
	for _, corpus := range []bool{false, true} {
		set := fakes(corpus)
		totals := NewTotals(set, 2)
		for _, change := range [][]Pair{
			{{System: "a", Hypothesis: "one two"}, {System: "b", Hypothesis: "bad"}, {System: "c", Hypothesis: "x"}},
			{{System: "a", Hypothesis: "one two three"}, {System: "b", Hypothesis: "one"}, {System: "a", Hypothesis: "no reference"}},
		} {
			for i := range change {
				if p := &change[i]; p.Hypothesis != "no reference" {
					if err := set.Score(t.Context(), p); err != nil {
						t.Fatal(err)
					}
				}
			}
			totals.Add(change)
		}
		type row struct {
			Name             string
			Scored, Unscored int
			Words, Sum       Total
		}
		var got []row
		for _, s := range totals.Systems() {
			got = append(got, row{s.Name, s.Scored, s.Unscored, s.Total(0), s.Total(1)})
		}
		v := func(f float64) *float64 { return &f }
		want := []row{{"a", 2, 1, Total{v(2.5), 2, false}, Total{v(2.5), 2, false}}, {"b", 1, 1, Total{v(1), 1, false}, Total{v(1), 1, false}}}
		if corpus {
			want[0].Sum, want[1].Sum = Total{v(5), 2, true}, Total{v(1), 1, true}
		}
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0)); d != "" || totals.Left() != 1 {
			t.Errorf("corpus %t, left %d: %s", corpus, totals.Left(), d)
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
