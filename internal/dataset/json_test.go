package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// objectSeeds are lines with what a decoder may read otherwise than encoding/json.
var objectSeeds = []string{
	`{"id":"7","diff":"@@","reviews":[{"id":"s","text":"t","human":{"con":1,"comp":1,"rel":1}}]}`, `{"a":1}x`, `{"a":1}{}`, `null`, `[1]`, `{`, `{"a":1,"a":2}`,
	`{"a":{"b":1,"b":2}}`, `{"a":1,"\u0061":2}`, `{"A":1,"a":2}`, "{\"\xff\":1,\"\\ufffd\":2}", "{\"a\":\"\xc3\x28 \xf0\x9f\"}", `{"a":"\ud800A \ud83d\ude00 \udc00\n\/\u212a"}`,
	"{\"a\":\"\x01\"}", `{"a":"\x"}`, `{"a":01}`, `{"a":-0.0e+400}`, `{"a":[null,{},{"b":[]},null]}`, `{"a":[{"b":1},2]}`, ` {"a" : tru} `, `{"a":null,}`,
}

// sameObject compares the quick ways to read an object with encoding/json.
func sameObject(t *testing.T, b []byte) {
	t.Helper()
	said := func(err error) string { return fmt.Sprint(err) }
	var want object
	wantErr := parse(b, &want)
	got, err := readObject(b)
	if said(err) != said(wantErr) {
		t.Fatalf("%.200q: %v, want %v", b, err, wantErr)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%.200q: %s", b, diff)
	}
	for name, raw := range want {
		for _, dst := range []func() any{
			func() any { return new(string) }, func() any { return new(*string) }, func() any { return new(text) }, func() any { return new([]object) },
		} {
			want, got := dst(), dst()
			wantErr := json.Unmarshal(raw, want)
			if string(raw) == "null" {
				wantErr = nil
			} else if wantErr != nil {
				wantErr = describe(name, wantErr)
			}
			if _, err := object.take(object{name: raw}, name, got); said(err) != said(wantErr) {
				t.Fatalf("%T of %.200q: %v, want %v", want, raw, err, wantErr)
			}
			if diff := cmp.Diff(want, got); wantErr == nil && diff != "" {
				t.Fatalf("%T of %.200q: %s", want, raw, diff)
			}
		}
	}
}

// TestObject holds both decoders to each other, at the greatest depth, too.
func TestObject(t *testing.T) {
	for _, seed := range objectSeeds {
		sameObject(t, []byte(seed))
	}
	for n := 9997; n <= 10_002; n++ {
		sameObject(t, []byte(`{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}`))
		sameObject(t, []byte(`{"a":[{"b":`+strings.Repeat(`{"c":`, n)+"1"+strings.Repeat("}", n)+`}]}`))
	}
}

func FuzzObject(f *testing.F) {
	for _, seed := range objectSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameObject(t, b) })
}

// TestWithout: texts that are not wanted are left out, and all else and all errors stay.
func TestWithout(t *testing.T) {
	in := strings.Join([]string{
		`{"id":1,"diff":"d","old":"a","new":"b","reviews":[{"id":"s","text":"t"}]}`, `{"idx":2,"patch":"p","oldf":"o","msg":"m"}`,
		`{"id":3,"diff":"d","old":5}`, `{"id":4,"diff":["d"]}`, `{"id":5,"diff":null}`, `{"id":6,"diff":"d","new":"a\x"}`, `{"id":7,"diff":"d","new":"a","new":"b"}`,
	}, "\n")
	read := func(in string, without ...string) (recs []Record, errs []string) {
		r, err := Open(Source{Text: strings.NewReader(in)}, Options{Without: without})
		for err == nil {
			var rec Record
			if rec, err = r.Next(); err == nil {
				recs = append(recs, rec)
			} else if _, ok := err.(*LineError); ok {
				errs, err = append(errs, err.Error()), nil
			}
		}
		return recs, append(errs, err.Error())
	}
	want, wantErrs := read(in)
	got, errs := read(in, "diff", "old", "new")
	for i := range want {
		want[i].Diff, want[i].Old, want[i].New = "", nil, nil
	}
	if diff := cmp.Diff(want, got) + cmp.Diff(wantErrs, errs); len(want) != 2 || len(errs) != 6 || diff != "" {
		t.Error(diff, errs)
	}
	if got, _ := read("["+in[:strings.Index(in, "\n")]+"]", "diff", "old", "new"); len(got) != 1 || got[0].Diff != "d" || *got[0].Old != "a" {
		t.Errorf("an element of an array: %+v", got)
	}
}

// TestBytesOfTexts: texts that are not wanted are never copied, beside the line itself.
func TestBytesOfTexts(t *testing.T) {
	const size = 1 << 20
	line := []byte(`{"id":7,"diff":"d","old":"` + strings.Repeat(`x\n`, size/3) + `","new":"` + strings.Repeat("y", size) + `"}`)
	form := Options{Without: []string{"old", "new"}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := decode(bytes.Clone(line), 1, &form); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(len(line))+size/4 {
		t.Errorf("%d bytes were allocated for a line of %d", n, len(line))
	}
}
