package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

// readScores reads to the end and keeps scores and line errors apart.
func readScores(src Source) (scores, bad []string, final error) {
	r := NewScoreReader(src)
	for {
		s, err := r.Next()
		var le *LineError
		switch {
		case err == nil:
			scores = append(scores, showScore(s))
		case errors.As(err, &le):
			bad = append(bad, err.Error())
		case errors.Is(err, io.EOF):
			return scores, bad, nil
		default:
			return scores, bad, err
		}
	}
}

func showScore(s Score) string {
	text := fmt.Sprintf("%d %s/%s", s.Line, s.ID, s.Review)
	for _, v := range s.numbers() {
		if *v == nil {
			text += " -"
		} else {
			text += fmt.Sprintf(" %g", **v)
		}
	}
	if s.Human != nil {
		text += fmt.Sprintf(" human %v", *s.Human)
	}
	if s.Evidence != nil {
		text += " explained"
	}
	return text
}

func TestScores(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "id,review,score\n1,s,0.5\n")
	z.Close()
	tests := []struct {
		name, in    string
		scores, bad []string
		final       string
	}{
		{name: "nothing", in: ""},
		{name: "Parquet", in: "PAR1", final: "this is Parquet, whose table of contents is at its end: give the name of a file"},
		{name: "blank", in: "\n \n"},
		{
			name: "lines of crscore score",
			in: "\ufeff\n" + `{"id":"7","review":"s","status":"scored","con":0.5,"comp":0.25,"rel":1,"human":{"con":5,"comp":4,"rel":3},"signature":"x","explain":{"refs":[]}}` + "\n" +
				`{"id":"7","review":"t","status":"unscored","reason":"no refs"}` + "\n\n" + `{"id":8,"review":"t","con":null,"comp":null,"rel":null,"human":null}`,
			scores: []string{"2 7/s 0.5 0.25 1 human {5 4 3} explained", "3 7/t - - -", "5 8/t - - -"},
		},
		{
			name:   "one score for all",
			in:     `{"id":"7","review":"s","score":0.5}` + "\n" + `{"id":"7","review":"t","score":null}`,
			scores: []string{"1 7/s 0.5 0.5 0.5", "2 7/t - - -"},
		},
		{
			name:   "what a spreadsheet would compute, and labels",
			in:     "id,review,status,con,comp,rel,human_con,human_comp,human_rel\n'=1+1,'@bot,scored,1,1,1,5,4,3\n''=1,-2,unscored,,,,1,1,1\n'quoted',-x,scored,0,0,0,,,\na,b,scored,0,0,0,1,,\n",
			scores: []string{"2 =1+1/@bot 1 1 1 human {5 4 3}", "3 '=1/-2 - - - human {1 1 1}", "4 'quoted'/-x 0 0 0"},
			bad:    []string{"line 5: human labels: a label needs con, comp and rel"},
		},
		{
			name:   "cells with semicolons and control characters",
			in:     "id,review,con\n;'=1,\"a;'\"\"-2\",1\n\"\"\"\\t=1\"\"\",' =1,1\n\"\"\"a\"\"\",b,1\n",
			scores: []string{"2 ;=1/a;\"-2 1 - -", "3 \t=1/ =1 1 - -", "4 \"a\"/b 1 - -"},
		},
		{
			name: "a dimension missing",
			in: `{"id":"7","review":"s","rel":-2}` + "\n" + `{"id":"7","review":"t","rel":1,"con":2}` + "\n" + `{"id":"7","review":"u","con":1}` + "\n" +
				`{"id":"7","review":"v"}` + "\n" + `{"id":"7","review":"w","rel":1,"score":1}` + "\n" + `{"id":"7","rel":1}` + "\n" + `{"review":"s","rel":1}` + "\n" +
				`{"id":"7","review":"x","rel":"high"}` + "\n" + `{"id":"7","reviews":[]}` + "\n" + `{"id":"7","review":"y","rel":1e999}` + "\n" + `{"id":"7","review":"z","rel":3,"human":{"con":2}}` + "\n{",
			scores: []string{"1 7/s - - -2"},
			bad: []string{
				"line 2: there is a value for con, but none on line 1", "line 3: there is a value for con, but none on line 1", "line 4: there is no con, comp, rel, score or metrics",
				"line 5: score stands for con, comp and rel, and there are both", `line 6: "review" is missing (fields: "id", "rel")`, `line 7: "id" is missing (fields: "rel", "review")`,
				`line 8: "rel": a JSON string may not stand here`, "line 9: this is a line of a dataset, not a score", `line 10: "rel": a JSON number 1e999 may not stand here`,
				`line 11: "human" needs con, comp and rel`, "line 12: not JSON: the line ends in the middle of a value",
			},
		},
		{
			name: "CSV",
			in: "\n review,id,rel,con,text\ns,7,0.5,1,\"two\nlines\"\nt,7,,,\nu,7,NaN,1,\nv,7,x,1,\nw,7,1,,\nx,7,1\ny,7,+Inf,2,\n" +
				"z,,1,1,\na,7,-1e-3,2, \n",
			scores: []string{"3 7/s 1 - 0.5", "5 7/t - - -", "12 7/a 2 - -0.001"},
			bad: []string{
				"line 6: rel is NaN, not a finite number", `line 7: rel is "x", not a number`, "line 8: there is no value for con, but one on line 3",
				"line 9: the row has 3 cells, and the header 5", "line 10: rel is +Inf, not a finite number", `line 11: "id" is missing`,
			},
		},
		{name: "a quote that stays open", in: "id,review,rel\n1,s,0.5\n2,\"s,0.5\n", scores: []string{"2 1/s - - 0.5"}, bad: []string{"line 3: a quote is not closed"}},
		{name: "gzipped CSV", in: zipped.String(), scores: []string{"2 1/s 0.5 0.5 0.5"}},
		{name: "crscore's CSV", in: "id,review,status,reason,con,comp,rel\n1,s,scored,,1,0,0\n1,t,unscored,no refs,,,\n", scores: []string{"2 1/s 1 0 0", "3 1/t - - -"}},
		{name: "twice", in: "id,review,rel\n1,s,1\n1,t,1\n1,s,0.5\n", scores: []string{"2 1/s - - 1", "3 1/t - - 1"}, final: `line 4: review "s" of change "1" has a score on line 2 too`},
		{name: "no ids", in: "rel,con\n1,1\n", final: `the table has no column id (columns: "rel", "con"); needed are: id (of the change), review`},
		{name: "semicolons", in: "id;review;rel\n1;s;0.5\n1;t;0,5\n", scores: []string{"2 1/s - - 0.5"}, bad: []string{`line 3: rel is "0,5", not a number`}},
		{name: "tabs", in: "\n\nid\treview\trel\n1\ts\t1\n", scores: []string{"4 1/s - - 1"}},
		{name: "a letter too many", in: "id,reviews,rel\n", final: `the table has no column review (columns: "id", "reviews", "rel"; is "reviews" meant as "review"?); needed`},
		{name: "capitals", in: "id,review,Rel\n", final: `no column con, comp, rel, score or metrics.NAME (columns: "id", "review", "Rel"; is "Rel" meant as "rel"?); needed`},
		{name: "an array", in: ` [{"id":"7","review":"s","rel":1}]`, scores: []string{"1 7/s - - 1"}},
		{name: "UTF-16", in: "\xff\xfei\x00d\x00", final: "this is not text in UTF-8"},
		{name: "no review", in: "id,rel\n1,1\n", final: "no column review"},
		{name: "no numbers", in: "id,review,bleu\n1,s,1\n", final: "no column con, comp, rel, score or metrics.NAME"},
		{name: "both", in: "id,review,rel,score\n", final: "a column score beside con, comp or rel"},
		{name: "two columns", in: "id,review,rel, rel\n", final: "the table has two columns rel"},
		{name: "no CSV either", in: "id,\"review\n", final: "this is not JSON Lines, and reading it as CSV failed: the header: line 1: a quote is not closed"},
		{name: "an endless record", in: "id,review,rel\n1,\"" + strings.Repeat("s\n", limits.LineBytes/2+1<<12), bad: []string{"line 2: the row is longer than the limit of 64 MiB (or a quote is not closed) (the row goes to line 33558529)"}},
		{name: "an endless line", in: `{"id":"1","review":"s","score":1}` + "\n{" + strings.Repeat(" ", limits.LineBytes) + "\n" + `{"id":"2","review":"s","score":1}`, scores: []string{"1 1/s 1 1 1", "3 2/s 1 1 1"}, bad: []string{"line 2: longer than the limit of 64 MiB"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			scores, bad, final := readScores(Source{Text: strings.NewReader(tt.in)})
			if d := cmp.Diff(tt.scores, scores); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.bad, bad); d != "" {
				t.Error(d)
			}
			if (final == nil) != (tt.final == "") || final != nil && !strings.Contains(final.Error(), tt.final) {
				t.Errorf("ends with %v, want %q", final, tt.final)
			}
		})
	}
}

// scoreRow is a row of what score --format parquet writes, and of what others do.
type scoreRow struct {
	ID     int64    `parquet:"id"`
	Review string   `parquet:"review"`
	Status string   `parquet:"status"`
	Con    *float64 `parquet:"con,optional"`
	Rel    *float64 `parquet:"rel,optional"`
	Human  *float64 `parquet:"human_con,optional"`
	Other  []string `parquet:"other,list"`
}

func TestScoresParquet(t *testing.T) {
	nan := math.NaN()
	b := writeParquet(t, []scoreRow{
		{ID: 1, Review: "'=s", Status: "scored", Con: of(0.5), Rel: of(0.1)},
		{ID: 1, Review: "t", Status: "unscored", Con: of(1.0)},
		{ID: 2, Review: "t", Con: of(1.0), Rel: &nan},
		{ID: 2, Review: ""},
		{ID: 1, Review: "'=s", Con: of(0.5), Rel: of(0.1)},
	})
	source := func(b []byte) Source {
		return Source{Name: "scores", Text: bytes.NewReader(b), File: bytes.NewReader(b), Size: int64(len(b))}
	}
	scores, bad, err := readScores(source(b))
	if d := cmp.Diff([]string{"1 1/'=s 0.5 - 0.1", "2 1/t - - -"}, scores); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"row 3: there is no value for rel, but one on row 1", `row 4: "review" is missing`}, bad); d != "" {
		t.Error(d)
	}
	if err == nil || err.Error() != `row 5: review "'=s" of change "1" has a score on row 1 too` {
		t.Error(err)
	}
	if _, _, err := readScores(source(b[:len(b)-1])); err == nil || !strings.Contains(err.Error(), "a broken Parquet file") {
		t.Error(err)
	}
	if _, _, err := readScores(source(writeParquet(t, []EditedRow{{}}))); err == nil || !strings.Contains(err.Error(), "needed are") {
		t.Error(err)
	}
}

func FuzzScores(f *testing.F) {
	f.Add([]byte(`{"id":"7","review":"s","con":0.5,"comp":0.25,"rel":1,"human":{"con":5,"comp":4,"rel":3},"explain":{}}` + "\n" + `{"id":1,"review":"t","score":null}`))
	f.Add([]byte("id,review,con,comp,rel\n1,s,0.5,NaN,\n\"1\n\",t,1,1,1\n"))
	f.Add([]byte("id,review,score,status\n1,s,1e400,unscored\n\n1,\"\"\"\",-0x1p-2,\n"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Add([]byte(metricLines))
	f.Add([]byte("id,review,metrics.bleu,metrics.bleu:tok=intl,signature\n1,s,1,2,bleu=a bleu:tok=intl=b\n1,t,,Inf,\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewScoreReader(Source{Text: bytes.NewReader(b)})
		line, seen := 0, map[[2]string]bool{}
		choices := []*Choice{{}, {Metric: "bleu"}, {Metric: "rel"}}
		for {
			s, err := r.Next()
			var le *LineError
			if errors.As(err, &le) {
				if le.Line < 1 {
					t.Fatalf("error without its line: %v", err)
				}
				continue
			}
			if err != nil {
				return
			}
			ids := [2]string{s.ID, s.Review}
			if s.Line <= line || s.ID == "" || s.Review == "" || seen[ids] {
				t.Fatalf("score %+v behind line %d", s, line)
			}
			line, seen[ids] = s.Line, true
			for _, v := range s.numbers() {
				if *v != nil && (math.IsNaN(**v) || math.IsInf(**v, 0)) {
					t.Fatalf("line %d: a score of %g", s.Line, **v)
				}
			}
			for _, c := range choices {
				checkTaken(t, c, s)
			}
		}
	})
}
