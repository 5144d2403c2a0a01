package dataset

import (
	"math"
	"strings"
	"testing"
)

func ratingsOf(text string) (*Ratings, error) {
	return ReadRatings(Source{Name: "a.csv", Text: strings.NewReader(text)})
}

func TestReadRatings(t *testing.T) {
	for name, text := range map[string]string{
		"csv":   "id,change,anna,bob\n1,x,4,5\n2,x,,3.5\n",
		"tab":   "change\tanna\tid\tbob\nx\t4\t1\t5\nx\t\t2\t3.5\n",
		"jsonl": `{"id":1,"change":"x","ratings":{"bob":5,"anna":4}}` + "\n\n" + `{"id":"2","change":"x","ratings":{"anna":null,"bob":3.5}}`,
	} {
		got, err := ratingsOf(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Join(got.Raters, " ") != "anna bob" || len(got.Items) != 2 || len(got.Bad) > 0 {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		a, b := got.Items[0], got.Items[1]
		if a.ID != "1" || a.Change != "x" || a.Ratings[0] != 4 || a.Ratings[1] != 5 || b.ID != "2" || !math.IsNaN(b.Ratings[0]) || b.Ratings[1] != 3.5 {
			t.Errorf("%s: %+v", name, got.Items)
		}
	}
}

func TestReadRatingsOfLaterRaters(t *testing.T) {
	got, err := ratingsOf(`{"id":"1","ratings":{"anna":4}}` + "\n" + `{"id":"2","ratings":{"bob":3}}`)
	if err != nil || len(got.Items[0].Ratings) != 2 || !math.IsNaN(got.Items[0].Ratings[1]) || got.Items[0].Change != "1" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadRatingsOfBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "empty",
		"item,anna\n1,2\n":      `no column id (columns: "item", "anna"`,
		"id,anna,anna\n1,2,3\n": `two columns "anna"`,
		"id,anna,\n1,2,3\n":     "a rater has no name",
		"id,anna\n1,2\n1,3\n":   `line 3: the item "1" is on line 2 too`,
	} {
		_, err := ratingsOf(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"id,anna\n1,x\n2,3\n":                           `line 2: anna is "x", not a number`,
		"id,anna\n1,NaN\n2,3\n":                         "line 2: a rating is NaN",
		"id,anna\n,1\n2,3\n":                            `line 2: "id" is missing`,
		`{"id":"1"}` + "\n" + `{"id":"2","ratings":{}}`: `line 1: "ratings" is missing`,
	} {
		got, err := ratingsOf(text)
		if err != nil || len(got.Bad) != 1 || !strings.Contains(got.Bad[0].Error(), want) || len(got.Items) != 1 {
			t.Errorf("%q: %+v, %v; want %s", text, got, err, want)
		}
	}
}

// FuzzRatings: a file is an error or a table in which every item has a number or NaN of each
// rater, and no id twice.
func FuzzRatings(f *testing.F) {
	f.Add("id,change,anna,bob\n1,x,4,5\n2,x,,3.5\n")
	f.Add(`{"id":"1","ratings":{"anna":4}}` + "\n" + `{"id":"2","ratings":{"bob":3}}`)
	f.Add("\x1f\x8b")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ratingsOf(text)
		if err != nil {
			return
		}
		used := map[string]bool{}
		for _, item := range got.Items {
			if len(item.Ratings) != len(got.Raters) || item.ID == "" || item.Change == "" || used[item.ID] {
				t.Fatalf("%+v of %d raters", item, len(got.Raters))
			}
			used[item.ID] = true
			for _, v := range item.Ratings {
				if math.IsInf(v, 0) {
					t.Fatalf("%+v", item)
				}
			}
		}
	})
}
