package join

import (
	"strings"
	"testing"

	"crscore"
	"crscore/change/changetest"
	"crscore/eval/agreement"
	"crscore/internal/dataset"
)

// TestReferenceBeyondLimit refuses an annotator's reference that cannot be compared: it is no point
// that the references miss. A review beyond a limit has no score against another change either.
func TestReferenceBeyondLimit(t *testing.T) {
	ctx := t.Context()
	e, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	in := crscore.Input{Change: changetest.Parse(t, "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n def f(x):\n+    return x + 1\n")}
	set, err := e.Refs(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	rec := dataset.Record{ID: "7", RefsEdited: []dataset.EditedRef{{Text: "f returns x plus 1.", Kind: "claim", Necessary: true}}}
	points, err := Points(ctx, e, &rec, set)
	if err != nil || len(points) != 1 || points[0].Similarity <= 0 {
		t.Errorf("%+v, %v", points, err)
	}
	long := strings.Repeat("x", crscore.MaxReviewBytes+1)
	rec.RefsEdited = append(rec.RefsEdited, dataset.EditedRef{Text: long, Kind: "claim", Necessary: true})
	if points, err := Points(ctx, e, &rec, set); err == nil || !strings.Contains(err.Error(), "change 7: ") {
		t.Errorf("%+v, %v", points, err)
	}
	var s Strangers
	rows := make([]agreement.Row, 2)
	valid := true
	for i, text := range []string{"f returns x plus 1.", long} {
		id := []string{"a", "b"}[i]
		rec := dataset.Record{ID: id, Repo: id, Reviews: []dataset.Review{{ID: "bot", Text: text, Valid: &valid}}}
		s.Add(&rec, crscore.Outcome{RefSet: set, Results: []crscore.Result{{Status: crscore.Scored}}}, i)
	}
	if err := s.Score(ctx, e, rows); err != nil || rows[0].Other == nil || rows[1].Other != nil {
		t.Errorf("%+v, %v", rows, err)
	}
}
