package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// words scores the number of words; "bad" has no score.
type words struct{}

func (words) Score(_ context.Context, hypothesis string, _ []string) (float64, error) {
	if hypothesis == "bad" {
		return 0, errors.New("too long")
	}
	return float64(len(strings.Fields(hypothesis))), nil
}

// counted is words with a score of corpora: the words of all pairs.
type counted struct{ words }

func (counted) NewCorpus() refmetrics.Corpus { return new(corpus) }

type corpus struct{ n float64 }

func (c *corpus) Add(hypothesis string, _ []string) error {
	v, err := words{}.Score(context.Background(), hypothesis, nil)
	c.n += v
	return err
}

func (c *corpus) Score() float64 { return c.n }

// TestMetricsTotals: means of the reviews that have a score, or the score of whole corpora.
func TestMetricsTotals(t *testing.T) {
	for _, corpus := range []bool{false, true} {
		m := Metrics{IDs: []string{"msg"}, Set: refmetrics.Set{Corpus: corpus, Metrics: []refmetrics.Named{
			{Metric: words{}, Spec: "words", Signature: "words"}, {Metric: counted{}, Spec: "sum", Signature: "sum"},
		}}}
		totals := m.Totals()
		d := Dataset{Reference: func(_ int, id string) bool { return id == "msg" }}
		for id, reviews := range [][]dataset.Review{
			{{ID: "msg", Text: "x"}, {ID: "a", Text: "one two"}, {ID: "b", Text: "bad"}},
			{{ID: "msg", Text: "x"}, {ID: "a", Text: "one two three"}, {ID: "b", Text: "one"}},
			{{ID: "a", Text: "no reference"}},
		} {
			c, err := m.change(t.Context(), &d, &dataset.Record{ID: fmt.Sprint(id), Reviews: reviews}, "")
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Rows {
				m.fill(&c.Rows[i], &c.pairs[i])
				if err := totals.Add(&c.Rows[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		for _, row := range totals.Table().Rows {
			got = append(got, strings.Join(row.Cells, " "))
		}
		want := []string{"a 2 1 2.5000 2.5000", "b 1 1 1.0000 1.0000"}
		if corpus {
			want = []string{"a 2 1 2.5000* 5.0000", "b 1 1 1.0000* 1.0000"}
		}
		if strings.Join(got, ";") != strings.Join(want, ";") || totals.Scored != 3 || totals.Unscored != 2 {
			t.Errorf("corpus %t: %q, want %q; %d scored, %d unscored", corpus, got, want, totals.Scored, totals.Unscored)
		}
	}
}

// TestManySystems: a table has so many systems at most, and the reviews of others count.
func TestManySystems(t *testing.T) {
	totals := KeptTotals((&Metrics{}).Manifest())
	for i := range limits.TableSystems + 2 {
		for _, status := range []string{"scored", "unscored"} {
			if err := totals.Add(&dataset.Row{ID: "1", Review: fmt.Sprint(i), Status: status}); err != nil {
				t.Fatal(err)
			}
		}
	}
	table := totals.Table()
	if len(table.Rows) != limits.TableSystems || totals.Scored != limits.TableSystems+2 || totals.Unscored != limits.TableSystems+2 || totals.beyond != 4 {
		t.Errorf("%d rows, %d scored, %d unscored, %d beyond", len(table.Rows), totals.Scored, totals.Unscored, totals.beyond)
	}
	if notes := strings.Join(table.Footnotes, " "); !strings.Contains(notes, "The table has the first 1000 systems; reviews of others: 4.") {
		t.Error(notes)
	}
}
