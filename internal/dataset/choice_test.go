package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// metricLines are rows as crscore metrics writes them.
const metricLines = `{"id":"0","review":"s","status":"unscored","reason":"the change has no reference","signature":"v ref=msg bleu=B|x bleu:tok=intl=I ter=T|better:lower"}
{"id":"1","review":"s","status":"scored","metrics":{"bleu":12.5,"bleu:tok=intl":13,"ter":85.7},"human":{"con":4,"comp":3,"rel":3},"signature":"v ref=msg bleu=B|x bleu:tok=intl=I ter=T|better:lower"}
{"id":"2","review":"s","status":"scored","metrics":{"bleu":0,"bleu:tok=intl":0},"unscored_metrics":{"ter":"too long"},"signature":"v ref=msg bleu=B|x bleu:tok=intl=I ter=T|better:lower"}
{"id":"3","review":"s","status":"unscored","metrics":{"bleu":1,"bleu:tok=intl":1,"ter":1}}
`

type metricRow struct {
	ID        string   `parquet:"id"`
	Review    string   `parquet:"review"`
	Status    string   `parquet:"status"`
	BLEU      *float64 `parquet:"metrics.bleu,optional"`
	Intl      *float64 `parquet:"metrics.bleu:tok=intl,optional"`
	TER       *float64 `parquet:"metrics.ter,optional"`
	Signature string   `parquet:"signature"`
}

// taken lists what a choice takes from a file, and its errors.
func taken(src Source, metric string) (out []string) {
	r, c := NewScoreReader(src), &Choice{Metric: metric}
	for {
		s, err := r.Next()
		if err == nil {
			s, err = c.Take(s)
		}
		switch {
		case errors.Is(err, io.EOF):
			return out
		case errors.As(err, new(*LineError)):
			out = append(out, err.Error())
		case err != nil:
			return append(out, "end: "+err.Error())
		default:
			out = append(out, strings.TrimSpace(fmt.Sprint(strings.TrimSuffix(showScore(s), " human {4 3 3}"), " ", s.Metric, " ", s.Signature)))
		}
	}
}

func TestChoice(t *testing.T) {
	const signature = "v ref=msg bleu=B|x bleu:tok=intl=I ter=T|better:lower"
	table := "id,review,status,metrics.bleu,metrics.bleu:tok=intl, metrics.ter ,signature\n" +
		"0,s,unscored,,,," + signature + "\n1,s,scored,12.5,13,85.7," + signature + "\n2,s,scored,0,0,," + signature + "\n3,s,unscored,1,1,1,\n"
	b := writeParquet(t, []metricRow{
		{ID: "0", Review: "s", Status: "unscored", Signature: signature},
		{ID: "1", Review: "s", Status: "scored", BLEU: of(12.5), Intl: of(13.0), TER: of(85.7), Signature: signature},
		{ID: "2", Review: "s", Status: "scored", BLEU: of(0.0), Intl: of(0.0), Signature: signature},
		{ID: "3", Review: "s", Status: "unscored", BLEU: of(1.0)},
	})
	for _, form := range []struct {
		name  string
		first int // number of the first row
		src   func() Source
	}{
		{"JSON Lines", 1, func() Source { return Source{Text: strings.NewReader(metricLines)} }},
		{"CSV", 2, func() Source { return Source{Text: strings.NewReader(table)} }},
		{"Parquet", 1, func() Source {
			return Source{Name: "m", Text: bytes.NewReader(b), File: bytes.NewReader(b), Size: int64(len(b))}
		}},
	} {
		n := form.first
		for metric, want := range map[string][]string{
			"bleu":          {"12.5 12.5 12.5 bleu v ref=msg bleu=B|x", "0 0 0 bleu v ref=msg bleu=B|x"},
			"bleu:tok=intl": {"13 13 13 bleu:tok=intl v ref=msg bleu:tok=intl=I", "0 0 0 bleu:tok=intl v ref=msg bleu:tok=intl=I"},
			"ter":           {"85.7 85.7 85.7 ter v ref=msg ter=T|better:lower", "- - - ter v ref=msg ter=T|better:lower"},
		} {
			var got []string
			for i, line := range taken(form.src(), metric) {
				rest, ok := strings.CutPrefix(line, fmt.Sprintf("%d %d/s ", n+i, i))
				if !ok {
					t.Errorf("%s, %s: %s", form.name, metric, line)
				}
				got = append(got, rest)
			}
			if d := cmp.Diff(want, got[1:3]); d != "" || len(got) != 4 || !strings.HasPrefix(got[0], "- - -") || !strings.HasPrefix(got[3], "- - -") {
				t.Errorf("%s, %s: %q", form.name, metric, got)
			}
		}
		for metric, want := range map[string]string{
			"":      `there are several metrics, and no con, comp, rel or score: choose with --metric (metrics: "bleu", "bleu:tok=intl", "ter")`,
			"bleuu": `there is no "bleuu", but "bleu", "bleu:tok=intl", "ter"; did you mean "bleu"?`,
			"rel":   `there is no "rel", but "bleu", "bleu:tok=intl", "ter"`,
		} {
			got := taken(form.src(), metric)
			if last := got[len(got)-1]; !strings.HasPrefix(last, "end: ") || !strings.HasSuffix(last, want) {
				t.Errorf("%s, %q: %q", form.name, metric, got)
			}
		}
	}
}

func TestChoiceOfOther(t *testing.T) {
	own := `{"id":"1","review":"s","con":1,"comp":2,"rel":3,"signature":"v x=1"}` + "\n"
	one := `{"id":"2","review":"s","metrics":{"bleu":1},"signature":"v bleu=B"}` + "\n"
	both := `{"id":"3","review":"s","rel":3,"metrics":{"bleu":1},"signature":"v bleu=B"}` + "\n"
	for _, tt := range []struct {
		name, in, metric string
		want             []string
	}{
		{"own numbers", own, "", []string{"1 1/s 1 2 3  v x=1"}},
		{"a number of three", own, "con", []string{"1 1/s 1 1 1 con v x=1"}},
		{"none of three", own, "score", []string{`end: line 1: there is no "score", but "con", "comp", "rel"`}},
		{"the only metric", one, "", []string{"1 2/s 1 1 1 bleu v bleu=B"}},
		{"the only metric is another", one, "chrf", []string{`end: line 1: there is no "chrf", but "bleu"`}},
		{"own numbers beside a metric", both, "", []string{"1 3/s - - 3  v bleu=B"}},
		{"a metric beside own numbers", both, "bleu", []string{"1 3/s 1 1 1 bleu v bleu=B"}},
		{"a number beside a metric", both, "rel", []string{"1 3/s 3 3 3 rel v"}},
		{"a score", `{"id":"1","review":"s","score":2}`, "score", []string{"1 1/s 2 2 2 score"}},
		{"other rows later", own + one, "", []string{"1 1/s 1 2 3  v x=1", "line 2: there is no con, comp, rel or score, but there is on line 1"}},
		{"another metric later", one + own, "", []string{"1 2/s 1 1 1 bleu v bleu=B", `line 2: there is no "bleu", but there is on line 1`}},
		{"nothing but unscored", `{"id":"1","review":"s","status":"unscored"}`, "bleu", []string{"1 1/s - - -"}},
		{"unscored, and own columns", "id,review,rel,metrics.a,metrics.b\n1,s,,,\n2,s,1,,\n", "", []string{"2 1/s - - -", "3 2/s - - 1"}},
		{"not finite", "id,review,metrics.ter\n1,s,NaN\n2,s,-Inf\n3,s,x\n4,s,1\n", "ter", []string{
			"line 2: metrics.ter is NaN, not a finite number", "line 3: metrics.ter is -Inf, not a finite number", `line 4: metrics.ter is "x", not a number`, "5 4/s 1 1 1 ter",
		}},
		{"no number", `{"id":"1","review":"s","metrics":{"ter":"high"}}` + "\n" + `{"id":"1","review":"s","metrics":{"ter":1e999}}` + "\n" + `{"id":"1","review":"s","metrics":[1]}` + "\n" + `{"id":"1","review":"s","metrics":{"ter":NaN}}`, "ter", []string{
			`line 1: metrics: "ter": a JSON string may not stand here`, `line 2: metrics: "ter": a JSON number 1e999 may not stand here`, `line 3: "metrics": a JSON array may not stand here`,
			"line 4: not JSON: invalid character 'N' looking for beginning of value (byte 41 of the line)",
		}},
		{"a number and none", `{"id":"1","review":"s","metrics":{"ter":1},"unscored_metrics":{"ter":"why"}}`, "ter", []string{`line 1: the metric "ter" has a number, and unscored_metrics says that it has none`}},
		{"no name", `{"id":"1","review":"s","metrics":{"":1}}`, "", []string{"line 1: metrics: a metric has no name"}},
		{"two columns", "id,review,metrics.a,metrics.a\n", "a", []string{"end: the table has two columns metrics.a"}},
		{"a column without a name", "id,review,metrics.\n", "a", []string{`end: the table has no column con, comp, rel, score or metrics.NAME (columns: "id", "review", "metrics."); needed are: ` + ScoreColumns}},
		{"a null", `{"id":"1","review":"s","metrics":{"ter":null}}`, "ter", []string{"1 1/s - - - ter"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, taken(Source{Text: strings.NewReader(tt.in)}, tt.metric)); d != "" {
				t.Error(d)
			}
		})
	}
}

// checkTaken checks what a choice makes of a score.
func checkTaken(t *testing.T, c *Choice, s Score) {
	t.Helper()
	was := *c
	one, err := c.Take(s)
	switch {
	case errors.As(err, new(*ChoiceError)) == was.Found() && err != nil:
		t.Fatalf("%s: %v, and before it was found: %v", s.Where(), err, was.Found())
	case err != nil:
		return
	case was.Found() && *c != was:
		t.Fatalf("%s: the choice went from %+v to %+v", s.Where(), was, *c)
	case len(one.Signature) > len(s.Signature):
		t.Fatalf("%s: the signature grew to %q", s.Where(), one.Signature)
	case c.Metric != "" && (one.Con != one.Rel || one.Comp != one.Rel) && one.Metric == c.Metric:
		t.Fatalf("%s: several numbers for %s", s.Where(), c.Metric)
	}
	for name, v := range s.Metrics {
		if name == "" || v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			t.Fatalf("%s: the metric %q has %g", s.Where(), name, *v)
		}
	}
}
