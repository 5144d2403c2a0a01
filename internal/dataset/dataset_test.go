package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

func ptr(s string) *string { return &s }

// readAll reads to the end and keeps records and line errors apart.
func readAll(t testing.TB, in io.Reader) (recs []Record, bad []string, final error) {
	t.Helper()
	r := NewReader(in)
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
	in := "\ufeff" + `{"id":"7","lang":"py","path":"a.py","diff":"@@","old":"o","claims":{"m":["c"]},"smells":[],"unknown":{"x":[1]},"reviews":[{"id":"s","text":"Why?","human":{"con":4,"comp":3,"rel":3},"addressed":[2,9],"published":{"0.7":{}}}],"refs_edited":[{"text":"r","kind":"claim","necessary":true},{"text":"s","necessary":false},{"text":"t"}]}

{"idx":12,"patch":"@@ -1 +1 @@","oldf":"whole","msg":"Please fix","lang":".cs","y":1}
`
	recs, bad, err := readAll(t, strings.NewReader(in))
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	want := []Record{
		{
			Line: 1, Number: 1, ID: "7", Lang: "py", Path: "a.py", Diff: "@@", Old: ptr("o"), Claims: map[string][]string{"m": {"c"}}, Smells: []string{},
			Reviews:    []Review{{ID: "s", Text: "Why?", Human: &Human{4, 3, 3}, Addressed: []int{2, 9}}},
			RefsEdited: []EditedRef{{Text: "r", Kind: "claim", Necessary: true}, {Text: "s"}, {Text: "t", Unjudged: true}},
		},
		{Line: 3, Number: 3, ID: "12", Lang: ".cs", Diff: "@@ -1 +1 @@", Old: ptr("whole"), Reviews: []Review{{ID: "msg", Text: "Please fix"}}},
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
		{`[1]`, "line 2: not a JSON object but of type array"},
		{`{"diff":"@@"}`, `line 2: "id" is missing`},
		{`{"id":"x"}`, `line 2: "diff" (or CodeReviewer's "patch") is missing`},
		{`null`, "line 2: not a JSON object but null"},
		{`{"id":"x","diff":""}]`, "line 2: not JSON"},
		{`{"id":true,"diff":""}`, `line 2: "id": an id must be a string or a number`},
		{`{"id":"x","diff":5}`, `line 2: "diff": a JSON number may not stand here`},
		{`{"id":"x","diff":"","reviews":[{"text":"t"}]}`, `line 2: review 1: "id" is missing`},
		{`{"id":"x","diff":""} {"id":"y","diff":""}`, "line 2: not JSON"},
		{`{"id":"x","diff":"` + strings.Repeat("a", limits.LineBytes) + `"}`, "line 2: longer than the limit of 64 MiB"},
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

// TestOneBadReview keeps what is wrong with a review in it: the others of the
// change are not lost.
func TestOneBadReview(t *testing.T) {
	in := `{"id":"1","diff":"@@","Diff":"x","OLD":3,"claims":{"m":["c"],"n":null},"reviews":[{"id":"a","text":null},{"id":"b","text":"t","human":{"con":null,"comp":null,"rel":null},"ID":"shadow"},` +
		`{"id":"c","text":"t","human":{"con":1}},{"id":"d","text":7},{"id":"e","text":"t","human":{"con":"x"}},{"id":"f","text":"t","addressed":[1.5]},{"id":"g","text":"t","addressed":null,"human":null}]}`
	recs, bad, err := readAll(t, strings.NewReader(in))
	if err != nil || len(bad) > 0 || len(recs) != 1 {
		t.Fatal(err, bad, len(recs))
	}
	var errs []string
	for _, r := range recs[0].Reviews {
		errs = append(errs, fmt.Sprintf("%s: %v", r.ID, r.Err))
	}
	want := []string{
		`a: the review has no "text"`, "b: <nil>", `c: "human" needs con, comp and rel`, `d: "text": a JSON number may not stand here`,
		`e: "human": a label is "x", not a number`, `f: "addressed": a JSON number 1.5 may not stand here`, "g: <nil>",
	}
	if d := cmp.Diff(want, errs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string][]string{"m": {"c"}}, recs[0].Claims); d != "" || recs[0].Diff != "@@" || recs[0].Old != nil {
		t.Error(d, recs[0].Diff, recs[0].Old)
	}
}

func TestFirstUse(t *testing.T) {
	r := NewReader(strings.NewReader(`{"id":"1","diff":""}` + "\n" + `{"id":"2","diff":""}` + "\n" + `{"id":1,"diff":""}`))
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
	f.Add([]byte("[0"))
	f.Add([]byte(`{"diff": "0", "review": []}`))
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
		sameAsLines(t, b)
	})
}

// sameAsLines compares what Lines and Decode read with what a Reader reads.
func sameAsLines(t *testing.T, b []byte) {
	t.Helper()
	reader, err := Open(Source{Text: bytes.NewReader(b)}, Options{Format: "jsonl"})
	lines, lineErr := NewLines("", bytes.NewReader(b))
	if lineErr != nil && err == nil { // only a Reader reads arrays, objects over lines, and a review a row
		if !strings.Contains(lineErr.Error(), ", not JSON Lines") {
			t.Error(lineErr)
		}
		return
	}
	for err == nil && lineErr == nil {
		var want, got Record
		var line []byte
		var number int
		want, err = reader.Next()
		if line, number, lineErr = lines.Next(); lineErr == nil {
			got, lineErr = Decode(line, number)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
			t.Fatal(diff)
		}
		if errors.As(err, new(*LineError)) && fmt.Sprint(err) == fmt.Sprint(lineErr) {
			err, lineErr = nil, nil
		}
	}
	if fmt.Sprint(err) != fmt.Sprint(lineErr) {
		t.Errorf("lines end with %v, and records with %v", lineErr, err)
	}
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

func TestSplit(t *testing.T) {
	rec := Record{Reviews: []Review{{ID: "a", Text: ""}, {ID: HumanReference, Text: " \n"}, {ID: "b", Text: "B."}, {ID: HumanReference, Text: "One."}}}
	refs, others := rec.Split(IsHumanReference)
	if len(refs) != 1 || refs[0] != "One." || len(others) != 2 || others[0] != 0 || others[1] != 2 {
		t.Errorf("references %q, others %v", refs, others)
	}
}
