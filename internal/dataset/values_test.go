package dataset

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIDs(t *testing.T) {
	for in, want := range map[string]string{
		"1": "1", "1.0": "1", "-3.00": "-3", "0.0": "0", "01": "01", "01.0": "01.0", "1.": "1.", "1.5": "1.5", ".0": ".0", "v1.0": "v1.0",
		"1.0.0": "1.0.0", "+1.0": "+1.0", "": "", "12345678901234567890": "12345678901234567890", "-0.0": "-0.0",
	} {
		if got := idOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{`1`: "1", `1.0`: "1", `"1.0"`: "1", `12e2`: "1200", `1E+2`: "100", `1.5`: "1.5", `12345678901234567890`: "12345678901234567890"} {
		var id text
		if err := id.UnmarshalJSON([]byte(in)); err != nil || string(id) != want {
			t.Errorf("%s: %q, %v, want %q", in, id, err, want)
		}
	}
}

// TestLabels reads labels that a program wrote as texts, in a dataset, in scores and in ratings.
func TestLabels(t *testing.T) {
	for label, want := range map[string]string{
		`"4"`: "4", `"4.0"`: "4", `" 4 "`: "4", `3.5`: "3.5", `"4,5"`: "not a number", `"NaN"`: "not a finite number",
		`"inf"`: "not a finite number", `""`: "not a finite number", `"good"`: "not a number", `true`: "a JSON bool may not stand here",
	} {
		human := `"human":{"con":` + label + `,"comp":"2","rel":1}`
		rec, err := Decode([]byte(`{"id":1,"diff":"@@","reviews":[{"id":"a","text":"x",`+human+`}]}`), 1)
		if err != nil {
			t.Fatal(err)
		}
		s := NewScoreReader(Source{Text: strings.NewReader(`{"id":1,"review":"a","rel":1,` + human + `}`)})
		score, err := s.Next()
		ratings, _ := ReadRatings(Source{Text: strings.NewReader(`{"id":1,"ratings":{"anna":` + label + `}}`)})
		got := []string{shown(rec.Reviews[0].Human, rec.Reviews[0].Err), shown(score.Human, err), ""}
		if len(ratings.Bad) > 0 {
			got[2] = ratings.Bad[0].Error()
		} else {
			got[2] = fmt.Sprint(ratings.Items[0].Ratings[0])
		}
		for i, got := range got {
			if !strings.Contains(got, want) {
				t.Errorf("%s, reader %d: %s, want %s", label, i, got, want)
			}
		}
	}
}

func shown(h *Human, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(h.Con)
}

// TestKeysTwice names a key that stands twice in an object, with its line, in every reader of
// JSON Lines.
func TestKeysTwice(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":1,"diff":"@@","id":2}`: `line 2: the key "id" stands twice`,
		`{"id":1,"diff":"@@","reviews":[{"id":"a","text":"x"},{"id":"b","text":"y","t\u0065xt":"z"}]}`: `line 2: the key "text" stands twice in "/reviews/1"`,
		`{"id":1,"diff":"@@","claims":{"a":["x"],"a":[]}}`:                                             `line 2: the key "a" stands twice in "/claims"`,
	} {
		_, _, bad, _ := openAll(Source{Text: strings.NewReader("{\"id\":0,\"diff\":\"\",\"reviews\":[]}\n" + in)}, Options{})
		if d := cmp.Diff([]string{want}, bad); d != "" {
			t.Errorf("%s: %s", in, d)
		}
	}
	_, recs, bad, _ := openAll(Source{Name: "a.csv", Text: strings.NewReader("diff,reviews\n@@,\"[{\"\"id\"\":1,\"\"id\"\":2}]\"\n")}, Options{})
	if len(recs) > 0 || len(bad) != 1 || !strings.Contains(bad[0], `the key "id" stands twice in "/0"`) {
		t.Errorf("a cell: %v, %q", recs, bad)
	}
	_, err := NewScoreReader(Source{Text: strings.NewReader(`{"id":1,"review":"a","rel":1,"rel":0}`)}).Next()
	if !errors.As(err, new(*LineError)) {
		t.Errorf("scores: %v", err)
	}
}

// TestWordsForNothing reads words for "not known" as missing reviews, where a table is text.
func TestWordsForNothing(t *testing.T) {
	in := "id,diff,review,con,comp,rel\n1,@@,nan,,,\n2,@@, None ,nan,nan,nan\n3,@@,\"<NA>\",4,4,4\n4,@@,null and void,NaN,NaN,NaN\n5,@@,\"\",,,\n6,@@,NONE,,,\n7,@@,\\N,,,\n"
	_, recs, bad, err := openAll(Source{Name: "a.csv", Text: strings.NewReader(in)}, Options{})
	if err != nil || len(bad) > 0 || len(recs) != 7 {
		t.Fatalf("%v, %q, %d records", err, bad, len(recs))
	}
	for i, want := range []string{"is nan", "is None", "is <NA>", "", "", "is NONE", `is \N`} {
		got := recs[i].Reviews[0].Err
		if want == "" && got != nil || want != "" && (got == nil || !strings.Contains(got.Error(), want) || errors.As(got, new(LabelError))) {
			t.Errorf("row %d: %v, want %q", i+1, got, want)
		}
	}
}

// TestIndexColumns ignores the column with which pandas numbers rows.
func TestIndexColumns(t *testing.T) {
	for in, want := range map[string]string{
		",id,anna,bob\n0,1,4,2\n":                    "[anna bob]",
		",Unnamed: 0,id,anna\n0,0,1,4\n":             "[anna]",
		"id,anna,__index_level_0__\n1,4,0\n":         "[anna]",
		"\ufeff\"\",id,Unnamed: 0.1,anna\n0,1,0,4\n": "[anna]",
		"id,anna,\n1,4,2\n":                          "a rater has no name",
	} {
		got := ""
		if r, err := ReadRatings(Source{Text: strings.NewReader(in)}); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(r.Raters)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got, _, _, _ := openAll(Source{Name: "a.csv", Text: strings.NewReader(",id,diff,review\n0,1,@@,x\n")}, Options{}); got != "CSV, columns: id, diff, review" {
		t.Error(got)
	}
}
