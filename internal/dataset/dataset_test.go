package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr(s string) *string { return &s }

// readAll reads to the end and keeps records and line errors apart.
func readAll(t testing.TB, in io.Reader) (recs []Record, bad []string, final error) {
	t.Helper()
	r, err := NewReader(in)
	if err != nil {
		return nil, nil, err
	}
	for {
		rec, err := r.Next()
		var le *LineError
		switch {
		case err == nil:
			recs = append(recs, rec)
		case errors.As(err, &le):
			bad = append(bad, err.Error())
		case errors.Is(err, io.EOF):
			return recs, bad, nil
		default:
			return recs, bad, err
		}
	}
}

func TestNext(t *testing.T) {
	in := "\ufeff" + `{"id":"7","lang":"py","path":"a.py","diff":"@@","old":"o","claims":{"m":["c"]},"smells":[],"unknown":{"x":[1]},"reviews":[{"id":"s","text":"Why?","human":{"con":4,"comp":3,"rel":3},"addressed":[2,9],"published":{"0.7":{}}}],"refs_edited":[{"text":"r","kind":"claim","necessary":true}]}

{"idx":12,"patch":"@@ -1 +1 @@","oldf":"whole","msg":"Please fix","lang":".cs","y":1}
`
	recs, bad, err := readAll(t, strings.NewReader(in))
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	want := []Record{
		{
			Line: 1, ID: "7", Lang: "py", Path: "a.py", Diff: "@@", Old: ptr("o"), Claims: map[string][]string{"m": {"c"}}, Smells: []string{},
			Reviews:    []Review{{ID: "s", Text: "Why?", Human: &Human{4, 3, 3}, Addressed: []int{2, 9}}},
			RefsEdited: []EditedRef{{"r", "claim", true}},
		},
		{Line: 3, ID: "12", Lang: ".cs", Diff: "@@ -1 +1 @@", Old: ptr("whole"), Reviews: []Review{{ID: "msg", Text: "Please fix"}}},
	}
	if d := cmp.Diff(want, recs); d != "" {
		t.Error(d)
	}
}

func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, `{"id":"7","diff":"@@"}`)
	z.Close()
	if recs, bad, err := readAll(t, bytes.NewReader(b.Bytes())); len(recs) != 1 || bad != nil || err != nil {
		t.Error(recs, bad, err)
	}
	if _, _, err := readAll(t, bytes.NewReader(b.Bytes()[:b.Len()-12])); err == nil {
		t.Error("a truncated gzip file was read without an error")
	}
}

func TestMalformedLines(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"id":"x"`, "line 2: not JSON"},
		{`nonsense`, "line 2: not JSON"},
		{`[1]`, "line 2: not a JSON object but a array"},
		{`{"diff":"@@"}`, `line 2: "id" is missing`},
		{`{"id":"x"}`, `line 2: "diff" (or CodeReviewer's "patch") is missing`},
		{`{"id":true,"diff":""}`, "line 2: an id must be a string or a number"},
		{`{"id":"x","diff":5}`, `line 2: "diff" is a JSON number`},
		{`{"id":"x","diff":"","reviews":[{"text":"t"}]}`, `line 2: review 1: "id" is missing`},
		{`{"id":"x","diff":"","reviews":[{"id":"s"}]}`, `line 2: review 1: "s" has no "text"`},
		{`{"id":"x","diff":"","reviews":[{"id":"s","text":"","human":{"con":1}}]}`, `line 2: review 1: "s": "human" needs`},
		{`{"id":"x","diff":""} {"id":"y","diff":""}`, "line 2: more than one JSON value"},
		{`{"id":"x","diff":"` + strings.Repeat("a", MaxLineBytes) + `"}`, "line 2: longer than the limit of 64 MiB"},
	}
	for _, tt := range tests {
		recs, bad, err := readAll(t, strings.NewReader(`{"id":"1","diff":"@@"}`+"\n"+tt.line+"\n"+`{"id":"3","diff":"@@"}`))
		if err != nil {
			t.Errorf("%.60s: %v", tt.line, err)
			continue
		}
		if len(recs) != 2 || recs[1].ID != "3" || recs[1].Line != 3 {
			t.Errorf("%.60s: the other lines were not read: %d records", tt.line, len(recs))
		}
		if len(bad) != 1 || !strings.HasPrefix(bad[0], tt.want) {
			t.Errorf("%.60s: %q, want %q", tt.line, bad, tt.want)
		}
	}
}

func TestFirstUse(t *testing.T) {
	r, err := NewReader(strings.NewReader(`{"id":"1","diff":""}` + "\n" + `{"id":"2","diff":""}` + "\n" + `{"id":1,"diff":""}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, true} {
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		line, dup := r.FirstUse(&rec)
		if dup != want || dup && line != 1 {
			t.Errorf("record %d: duplicate %v of line %d", i, dup, line)
		}
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte(`{"id":"7","diff":"@@","reviews":[{"id":"s","text":"t","human":{"con":1,"comp":1,"rel":1}}]}` + "\n" + `{"idx":1,"patch":"x","msg":"y"}`))
	f.Add([]byte("{\n}\n[]\n\x00\xff\n"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		recs, bad, _ := readAll(t, bytes.NewReader(b))
		for _, m := range bad {
			if !strings.HasPrefix(m, "line ") {
				t.Errorf("error without its line: %q", m)
			}
		}
		for _, r := range recs {
			if r.Line < 1 {
				t.Errorf("record without a line: %+v", r)
			}
		}
	})
}

// BenchmarkNext reads records of some kilobytes, as the labelled changes are.
func BenchmarkNext(b *testing.B) {
	line := `{"id":"7","lang":"py","diff":"@@ -1 +1 @@\n-a\n+b\n","old":"` + strings.Repeat(`x = 1\n`, 2000) + `","reviews":[{"id":"s","text":"Why?"}]}` + "\n"
	data := strings.Repeat(line, 100)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if recs, bad, err := readAll(b, strings.NewReader(data)); len(recs) != 100 || bad != nil || err != nil {
			b.Fatal(len(recs), bad, err)
		}
	}
}
