package report

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"crscore/internal/dataset"
)

func metricRows() ([]string, []dataset.Row) {
	return []string{"chrf", "bleu:tok=intl", `odd:a="b\`}, []dataset.Row{
		{ID: "1", Review: "bot", System: "bot", Status: "scored", Lang: "go", Human: &dataset.Human{Con: 5, Comp: 4, Rel: 3}, Signature: "crscore/0 references=msg", Kind: "metrics", LowerIsBetter: []string{"chrf"},
			Metrics:         dataset.Members[float64]{{Name: "chrf", Value: 100.0 / 3}, {Name: `odd:a="b\`, Value: 0}},
			UnscoredMetrics: dataset.Members[string]{{Name: "bleu:tok=intl", Value: "too <long>"}}},
		{ID: "2", Review: "bot", System: "bot", Status: "unscored", Reason: "the change has no reference msg", Signature: "crscore/0 references=msg", Kind: "metrics", LowerIsBetter: []string{"chrf"}},
	}
}

// TestMetricRows: rows of reference-based metrics have them in the order of the run and have
// no numbers of CRScore, in every format.
func TestMetricRows(t *testing.T) {
	names, rows := metricRows()
	write := func(format string) string {
		t.Helper()
		var b strings.Builder
		w, err := NewMetricsWriter(&b, format, names, TextOptions{Changes: true, Width: 60})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	lines := `{"id":"1","review":"bot","status":"scored","metrics":{"chrf":33.333333333333336,"odd:a=\"b\\":0},"unscored_metrics":{"bleu:tok=intl":"too \u003clong\u003e"},"signature":"crscore/0 references=msg","human":{"con":5,"comp":4,"rel":3},"lang":"go","system":"bot","kind":"metrics","lower_is_better":["chrf"]}
{"id":"2","review":"bot","status":"unscored","reason":"the change has no reference msg","signature":"crscore/0 references=msg","system":"bot","kind":"metrics","lower_is_better":["chrf"]}
`
	if d := cmp.Diff(lines, write("jsonl")); d != "" {
		t.Error(d)
	}
	cells, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := []string{"id", "review", "status", "reason", "signature", "note", "lang", "human_con", "human_comp", "human_rel", "system", "warnings", "kind", "protocol",
		"metrics.chrf", "metrics.bleu:tok=intl", `metrics.odd:a="b\`, "unscored_metrics", "lower_is_better"}
	sig := "crscore/0 references=msg"
	reason := `{"bleu:tok=intl":"too \u003clong\u003e"}`
	want := [][]string{head,
		{"1", "bot", "scored", "", sig, "", "go", "5", "4", "3", "bot", "", "metrics", "", "33.333333333333336", "", "0", reason, `["chrf"]`},
		{"2", "bot", "unscored", "the change has no reference msg", sig, "", "", "", "", "", "bot", "", "metrics", "", "", "", "", "", `["chrf"]`}}
	if d := cmp.Diff(want, cells); d != "" {
		t.Error(d)
	}

	file := write("parquet")
	f, err := parquet.OpenFile(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range f.Root().Columns() {
		columns = append(columns, c.Name())
	}
	if d := cmp.Diff(head, columns); d != "" {
		t.Error(d)
	}
	type row struct {
		Chrf   *float64 `parquet:"metrics.chrf,optional"`
		Bleu   *float64 `parquet:"metrics.bleu:tok=intl,optional"`
		Reason string   `parquet:"unscored_metrics,optional"`
		Rel    *float64 `parquet:"human_rel,optional"`
	}
	got, err := parquet.Read[row](strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]row{{Chrf: ptr(100.0 / 3), Reason: reason, Rel: ptr(3.0)}, {}}, got); d != "" {
		t.Error(d)
	}

	text := `Change 1, review bot
  chrf 33.3333, odd:a="b\ 0.0000
  No bleu:tok=intl: too <long>

Change 2, review bot  unscored
  No score: the change has no reference msg

signature crscore/0 references=msg
short signature ` + ShortSignature(sig) + "\n"
	if d := cmp.Diff(text, write("text")); d != "" {
		t.Error(d)
	}
}

// TestMembers: an object has its members in their order, and may be empty.
func TestMembers(t *testing.T) {
	for want, m := range map[string]dataset.Members[int]{`{}`: nil, `{"b":1}`: {{Name: "b", Value: 1}}, `{"b":1,"a":2}`: {{Name: "b", Value: 1}, {Name: "a", Value: 2}}} {
		if got, err := json.Marshal(m); err != nil || string(got) != want {
			t.Error(string(got), err, want)
		}
	}
}

// TestReadMembers: members keep their order, and what is no object is an error.
func TestReadMembers(t *testing.T) {
	was := dataset.Members[float64]{{Name: "was", Value: 9}}
	for _, tt := range []struct {
		text string
		want dataset.Members[float64]
	}{
		{`{"c9":1.5,"c1":2,"a\u00e9":-3}`, dataset.Members[float64]{{Name: "c9", Value: 1.5}, {Name: "c1", Value: 2}, {Name: "aé", Value: -3}}},
		{` { "z" : 1 , "a" : 0 } `, dataset.Members[float64]{{Name: "z", Value: 1}, {Name: "a", Value: 0}}},
		{`{}`, nil},
		{`null`, was}, // as in encoding/json, null changes nothing
	} {
		got := slices.Clone(was)
		if err := json.Unmarshal([]byte(tt.text), &got); err != nil {
			t.Errorf("%s: %v", tt.text, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.text, d)
		}
	}
	for text, want := range map[string]string{
		`[1]`: "[ where an object should be", `"c1"`: "c1 where an object should be", `1`: "1 where an object should be",
		`true`: "true where an object should be", `{"c1":"2"}`: "cannot unmarshal string", `{"c1":{}}`: "cannot unmarshal object",
	} {
		var got dataset.Members[float64]
		if err := json.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	var got dataset.Members[float64] // without encoding/json's check before
	for _, text := range []string{"", `{`, `{"a"`, `{"a":`, `{"a":1,`, `{"a":1 2`} {
		if err := got.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: no error, %v", text, got)
		}
	}
}

// TestJudgeRows: rows of judges are the same after writing and reading.
func TestJudgeRows(t *testing.T) {
	rows := []dataset.Row{
		{ID: "1", Review: "bot", System: "bot", Status: "scored", Grades: &dataset.Human{Con: 5, Comp: 3, Rel: 4}, Con: ptr(1.0), Comp: ptr(0.5), Rel: ptr(0.75), Signature: "judge=rel",
			Judge: &dataset.Judge{Votes: [][]int{{5, 3, 4}, nil, {5, 2, 4}}, Reasons: []string{"a <b>", ""}}},
		{ID: "1", Review: "knn", Status: "scored", Grade: ptr(1), Score: ptr(0.0), Signature: "judge=grade", Note: "the review is empty"},
		{ID: "2", Review: "bot", System: "bot", Status: "scored", Criteria: dataset.Members[float64]{{Name: "c9", Value: 1}, {Name: "c1", Value: 9.5}}, Rank: ptr(1.5), Score: ptr(1.0 / 3),
			Judge: &dataset.Judge{Orders: []dataset.Place{{Place: 1, Rank: 2}, {Place: 2, Rank: 1}}}, Signature: "judge=criteria", Human: &dataset.Human{Con: 1, Comp: 2, Rel: 3}},
		{ID: "3", Review: "bot", System: "bot", Status: "unscored", Reason: "no usable answer", Judge: &dataset.Judge{Votes: [][]int{nil, nil, {2}}}, Signature: "judge=grade"},
	}
	var b strings.Builder
	w, err := NewWriter(&b, "jsonl", TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := `"criteria":{"c9":1,"c1":9.5}`; !strings.Contains(b.String(), want) {
		t.Errorf("%s lacks %s", b.String(), want)
	}
	var got []dataset.Row
	for line := range strings.Lines(b.String()) {
		var r dataset.Row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if d := cmp.Diff(rows, got); d != "" {
		t.Error(d)
	}
}
