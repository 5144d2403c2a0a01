package evidence

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/score"
)

// fails is a metric that refuses some texts, and observes others' references.
type fails struct{ refmetrics.Metric }

func (fails) Score(_ context.Context, hypothesis string, _ []string) (float64, error) {
	if len(hypothesis) > 15 {
		return 0, errors.New("too long")
	}
	return 1, nil
}

type observes struct{ fails }

func (observes) Observe([]string) {}

func TestContenders(t *testing.T) {
	tau := 0.45
	e := engine(t, crscore.Options{Mode: score.Hard, Tau: &tau})
	metrics, err := refmetrics.Parse("length,edit-distance", refmetrics.Needs{})
	if err != nil {
		t.Fatal(err)
	}
	metrics = append(metrics, refmetrics.Named{Metric: fails{}, Spec: "fails", Signature: "fails"})
	c, warnings, err := NewContenders(e, metrics)
	if err != nil {
		t.Fatal(err)
	}
	left := "CRScore in mode calibrated is left out: "
	if c.Own() != "CRScore, hard" || len(warnings) != 2 || !strings.HasPrefix(warnings[1], left) {
		t.Errorf("own %q, warnings %q", c.Own(), warnings)
	}
	label := &dataset.Human{Con: 5, Comp: 4, Rel: 3}
	one, two := record(), record()
	one.Reviews = []dataset.Review{
		{ID: "a", Text: "Ten bytes?", Human: label}, {ID: "b", Text: "Twenty bytes of it ?", Human: label},
		{ID: "none", Text: "Ten bytes?"}, {ID: dataset.HumanReference, Text: "Ten bytes.", Human: label},
	}
	two.ID, two.Reviews = "8", append(one.Reviews[:2:2], dataset.Review{ID: dataset.HumanReference, Text: " \n"})
	var why []string
	for _, rec := range []*dataset.Record{one, two} {
		said, err := c.Add(t.Context(), rec, judge(t, e, rec))
		if err != nil {
			t.Fatal(err)
		}
		why = append(why, said...)
	}
	want := []string{
		"change 7, review b: no fails: too long",
		"change 8: it has no human reference (a review called msg, not empty), which metrics need",
	}
	if d := cmp.Diff(want, why); d != "" || c.Unscored() != 3 {
		t.Errorf("%d are unscored; %s", c.Unscored(), d)
	}

	// A review of ten bytes beside references of 10, 20 and 5: similarities 1, 0.5, 0.5. All
	// are above τ. In mode soft the credits are the similarities. That of twenty: 0.5, 1, 0.25.
	human := &agreement.Scores{Con: 5, Comp: 4, Rel: 3}
	row := func(change, review string, con, comp, rel float64) agreement.Row {
		metric := &agreement.Scores{Con: con, Comp: comp, Rel: rel}
		return agreement.Row{Change: change, Review: review, Human: human, Metric: metric}
	}
	of := func(v float64) float64 { return 2 * v / (1 + v) } // rel with con 1
	nan := math.NaN()
	var got []agreement.Contender
	for _, one := range c.All() {
		if one.Signature == "" {
			t.Errorf("%s has no signature", one.Name)
		}
		one.Signature = ""
		got = append(got, one)
	}
	if d := cmp.Diff([]agreement.Contender{
		{Name: "CRScore, hard", Own: true, Rows: []agreement.Row{
			row("7", "a", 1, 1, 1), row("7", "b", 1, 2./3, of(2./3)),
			row("8", "a", 1, 1, 1), row("8", "b", 1, 2./3, of(2./3)),
		}},
		{Name: "CRScore, soft", Own: true, Rows: []agreement.Row{
			row("7", "a", 1, 2./3, of(2./3)), row("7", "b", 1, 1.75/3, of(1.75/3)),
			row("8", "a", 1, 2./3, of(2./3)), row("8", "b", 1, 1.75/3, of(1.75/3)),
		}},
		{Name: "length", Control: true, Rows: []agreement.Row{row("7", "a", nan, nan, 10), row("7", "b", nan, nan, 20)}},
		// One of ten characters is another. Of twenty, w, t, y and seven behind bytes go, and one
		// is another.
		{Name: "edit-distance", Turned: true, Rows: []agreement.Row{
			row("7", "a", nan, nan, -0.1), row("7", "b", nan, nan, -11./20),
		}},
		{Name: "fails", Rows: []agreement.Row{row("7", "a", nan, nan, 1)}},
	}, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("-want +got: %s", d)
	}
}

func TestContendersErrors(t *testing.T) {
	e := engine(t, crscore.Options{Mode: score.Soft})
	_, _, err := NewContenders(e, []refmetrics.Named{{Metric: observes{}, Spec: "seen:idf=yes"}})
	if err == nil || !strings.Contains(err.Error(), "the metric seen:idf=yes must see all references") {
		t.Errorf("a metric that observes: %v", err)
	}
	c, _, err := NewContenders(e, []refmetrics.Named{{Metric: fails{}}})
	if err != nil {
		t.Fatal(err)
	}
	rec := record()
	label := &dataset.Human{Con: 1, Comp: 1, Rel: 1}
	rec.Reviews = []dataset.Review{{ID: "a", Text: "x", Human: label}, {ID: "msg", Text: "y"}}
	o := judge(t, e, rec)
	o.Results[0].Match = nil // unscored
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Add(ctx, rec, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if slices.ContainsFunc(c.All()[0].Rows, func(r agreement.Row) bool { return r.Metric != nil }) {
		t.Error("a review without a match has a score")
	}
}
