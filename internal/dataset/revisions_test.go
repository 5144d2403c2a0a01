package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"crscore/internal/limits"
)

func TestRevisionReader(t *testing.T) {
	text := "\ufeff" + `{"id":1,"lang":"java","source":"a","target":"b","predictions":["b",""],"more":[]}` + "\n\n" +
		`{"id":"1#p8","of":1,"perturbation":"p8","tool":"T5","lang":"py","source":"","target":"","predictions":[]}` + "\n" +
		`{"id":"2","of":"2","perturbation":"","lang":"go","source":"a","target":"b"}`
	want := []Revision{
		{Line: 1, ID: "1", Of: "1", Lang: "java", Source: "a", Target: "b", Predictions: []string{"b", ""}},
		{Line: 3, ID: "1#p8", Of: "1", Perturbation: "p8", Tool: "T5", Lang: "py", Predictions: []string{}},
		{Line: 4, ID: "2", Of: "2", Lang: "go", Source: "a", Target: "b"},
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, in := range []string{text, packed.String()} {
		r := NewRevisionReader(strings.NewReader(in))
		for _, w := range want {
			if got, err := r.Next(); err != nil || !reflect.DeepEqual(got, w) {
				t.Errorf("%+v, %v, want %+v", got, err, w)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}
}

func TestRevisionReaderOfBadLines(t *testing.T) {
	const rest = `"lang":"go","source":"a","target":"b","predictions":["b"]}`
	for line, want := range map[string]string{
		`[]`:                         "array",
		`null`:                       `"id" is missing`,
		`{"id":"1"`:                  "ends in the middle of a value",
		`{` + rest:                   `"id" is missing (fields: "lang", "predictions", "source", "target"`,
		`{"id":"",` + rest:           `"id" is empty`,
		`{"id":true,` + rest:         "must be a string or a number",
		`{"id":"1","tool":1,` + rest: "tool",
		`{"id":"1","lang":"go","target":"b","predictions":["b"]}`:                                               `"source" is missing`,
		`{"id":"1","lang":"go","source":"a","target":"b","predictions":"b"}`:                                    "predictions",
		`{"id":"1","lang":"go","source":"a","target":2}`:                                                        "target",
		`{"id":"1","perturbation":"p10","of":"1",` + rest:                                                       `"perturbation" is "p10": it must be p1 to p9`,
		`{"id":"1#p1","perturbation":"p1",` + rest:                                                              `"of" is missing`,
		`{"id":"1#p1","of":"1",` + rest:                                                                         `"of" is "1", and there is no "perturbation"`,
		`{"id":"` + strings.Repeat("i", 501) + `",` + rest:                                                      "is no name: it is longer than 500 bytes",
		`{"id":"1","lang":"go","source":"a","target":"b","predictions":[""` + strings.Repeat(`,""`, 100) + `]}`: "101 predictions, more than 100",
		strings.Repeat("x", limits.LineBytes+1):                                                                 "longer than the limit of 64 MiB",
	} {
		r := NewRevisionReader(strings.NewReader(line + "\n" + `{"id":"1",` + rest))
		var bad *LineError
		if _, err := r.Next(); !errors.As(err, &bad) || bad.Line != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s: error %v, want %s", line, err, want)
		}
		if rev, err := r.Next(); err != nil || rev.Line != 2 {
			t.Errorf("behind %.200s: %+v, %v", line, rev, err)
		}
	}
}

// FuzzRevisionReader: any text ends, and a row that is read has its ids.
func FuzzRevisionReader(f *testing.F) {
	f.Add([]byte(`{"id":1,"lang":"java","source":"a","target":"b","predictions":["b",""],"perturbation":"p1","of":"2"}`))
	f.Add([]byte("{}\n\nnull\n\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewRevisionReader(bytes.NewReader(text))
		for {
			rev, err := r.Next()
			switch {
			case errors.As(err, new(*LineError)):
			case err != nil:
				return
			case rev.ID == "" || rev.Of == "" || rev.Line == 0 || rev.Perturbation == "" && rev.Of != rev.ID:
				t.Errorf("%+v", rev)
			}
		}
	})
}
