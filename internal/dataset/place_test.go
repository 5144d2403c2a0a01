package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPlaces cuts the lines of records and scores out of the text by their places.
func TestPlaces(t *testing.T) {
	long := `{"id":"3","review":"r","con":1,"msg":"","diff":"` + strings.Repeat("x", 200_000) + `"}`
	lines := []string{`{"id":"1","review":"r","con":1,"msg":"","diff":"d"}`, `{"id":"2","review":"r","con":1,"msg":"","diff":"d"}` + "  \r", long, `{"id":"4","review":"é","con":1,"msg":"","diff":"d"}`}
	text := "\ufeff\n \t\n" + lines[0] + "\n\n{broken\n" + lines[1] + "\n" + lines[2] + "\n \n" + lines[3]
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, text)
	z.Close()
	for _, in := range []string{text, zipped.String()} {
		records := NewReader(strings.NewReader(in))
		scores := NewScoreReader(Source{Text: strings.NewReader(in)})
		for name, next := range map[string]func() (string, error){
			"records": func() (string, error) { _, err := records.Next(); return cut(text, records.Place), err },
			"scores":  func() (string, error) { _, err := scores.Next(); return cut(text, scores.Place), err },
		} {
			var got []string
			for {
				line, err := next()
				if errors.Is(err, io.EOF) {
					break
				}
				if errors.As(err, new(*LineError)) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
			if strings.Join(got, "\n") != strings.Join(lines, "\n") {
				t.Errorf("%s: %.500q", name, got)
			}
		}
	}
	table := NewScoreReader(Source{Text: strings.NewReader("id,review,status,reason,rel\n1,r,unscored,no model,\n")})
	s, err := table.Next()
	if _, size := table.Place(); err != nil || size != 0 || s.Reason != "no model" {
		t.Errorf("a table: %+v, %v, size %d", s, err, size)
	}
}

func cut(text string, place func() (offset, size int64)) string {
	offset, size := place()
	return text[offset : offset+size]
}
