package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

// readPairs reads to the end: "ID: TEXT / TEXT" a record, with errors of lines among them.
func readPairs(texts ...string) (got []string, final error) {
	var in []Text
	for i, text := range texts {
		name := string(rune('a' + i))
		in = append(in, Text{ID: name, Name: name + ".txt", Lines: strings.NewReader(text)})
	}
	r := NewPairs(in...)
	for {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return got, nil
		case errors.As(err, new(*LineError)):
			got = append(got, err.Error())
			continue
		case err != nil:
			return got, err
		}
		line := rec.ID + ":"
		for _, v := range rec.Reviews {
			line += " " + v.ID + "=" + v.Text
		}
		got = append(got, line)
	}
}

func TestPairs(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := io.WriteString(w, "eins\nzwei\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", limits.LineBytes+1)
	for _, tt := range []struct {
		name  string
		in    []string
		want  []string
		final string
	}{
		{"pairs", []string{"one\ntwo", "eins\r\nzwei\r\n"}, []string{"1: a=one b=eins", "2: a=two b=zwei"}, ""},
		{"mark and gzip", []string{"\ufeffone\ntwo", z.String()}, []string{"1: a=one b=eins", "2: a=two b=zwei"}, ""},
		{"empty lines are reviews", []string{"\n \n", "x\n\n"}, []string{"1: a= b=x", "2: a=  b="}, ""},
		{"three", []string{"1\n", "2\n", "3"}, []string{"1: a=1 b=2 c=3"}, ""},
		{"a short one", []string{"1\n2\n3\n4", "1\n2\n", "1\n2\n3\n"}, []string{"1: a=1 b=1 c=1", "2: a=2 b=2 c=2"},
			"the numbers of lines differ: a.txt has 4, b.txt has 2, c.txt has 3; each line of one file belongs to the same line of the others"},
		{"none", []string{"", ""}, nil, ""},
		{"one without any", []string{"", "x"}, nil, "the numbers of lines differ: a.txt has 0, b.txt has 1; each line of one file belongs to the same line of the others"},
		{"too long", []string{"x\n" + long + "\nz", "1\n2\n3"}, []string{"1: a=x b=1", "line 2: a.txt: longer than the limit of 64 MiB", "3: a=z b=3"}, ""},
		{"damaged", []string{"x", "\x1f\x8bno"}, nil, "b.txt: reading gzip: unexpected EOF"},
	} {
		got, err := readPairs(tt.in...)
		final := ""
		if err != nil {
			final = err.Error()
		}
		if d := cmp.Diff(tt.want, got); d != "" || final != tt.final {
			t.Errorf("%s: %s%s", tt.name, d, final)
		}
	}
}

// FuzzPairs: each line is read once, in its pair, and the numbers in an error are right.
func FuzzPairs(f *testing.F) {
	f.Add("one\ntwo\n", "eins\nzwei")
	f.Add("\ufeff\r\n\r", "\x1f\x8b")
	f.Add("", "\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1<<16 || strings.HasPrefix(a, "\x1f\x8b") || strings.HasPrefix(b, "\x1f\x8b") {
			return
		}
		split := func(s string) []string {
			var out []string
			for line := range strings.Lines(strings.TrimPrefix(s, "\ufeff")) {
				out = append(out, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
			}
			return out
		}
		as, bs := split(a), split(b)
		r := NewPairs(Text{ID: "a", Lines: strings.NewReader(a)}, Text{ID: "b", Lines: strings.NewReader(b)})
		n := 0
		for ; ; n++ {
			rec, err := r.Next()
			if err != nil {
				if n != min(len(as), len(bs)) || errors.Is(err, io.EOF) != (len(as) == len(bs)) {
					t.Fatalf("%d pairs of %d and %d lines: %v", n, len(as), len(bs), err)
				}
				return
			}
			if rec.Reviews[0].Text != as[n] || rec.Reviews[1].Text != bs[n] {
				t.Fatalf("pair %d is %+v", n+1, rec.Reviews)
			}
		}
	})
}

// TestNoDiff: where reviews are compared with each other, changes need no diff.
func TestNoDiff(t *testing.T) {
	for name, text := range map[string]string{
		"a.jsonl": `{"id":"7","reviews":[{"id":"msg","text":"Why?"}]}` + "\n",
		"b.csv":   "id,msg\n7,Why?\n",
		"c.csv":   "id,diff,msg\n7,,Why?\n",
		"-":       "id,msg\n7,Why?\n",
	} {
		src := Source{Name: name, Text: strings.NewReader(text)}
		_, recs, bad, err := openAll(src, Options{NoDiff: true})
		if len(recs) != 1 || recs[0].ID != "7" || len(recs[0].Reviews) != 1 || recs[0].Reviews[0].Text != "Why?" || bad != nil || err != nil {
			t.Errorf("%s: %+v %q %v", name, recs, bad, err)
		}
		src.Text = strings.NewReader(text)
		if _, recs, bad, err := openAll(src, Options{}); len(recs) > 0 || bad == nil && err == nil {
			t.Errorf("%s: %+v is read without a diff", name, recs)
		}
	}
}
