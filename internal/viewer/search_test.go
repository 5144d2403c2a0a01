package viewer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// speak writes a dataset whose reviews say random things in several scripts, and rows of it. An array
// is copied by the viewer.
func speak(t testing.TB, changes int, array bool) Options {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	// Letters whose lower case has another length, or is ASCII; what is no UTF-8 in JSON.
	words := []string{"straße", "İstanbul", "300\u212a", "ſ", "ǅ", "naïve", "变量", "名前", "🙂", "\u0301", "NULL", "Foo.Bar()", "a", "", "x\ty", `"q"`, "\\", "\x00", "<b>", "/", "ΣΑΣ", "ﬁ"}
	say := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "w%d ", r.IntN(5000))
				continue
			}
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", "", "\n"}[r.IntN(3)])
		}
		return b.String()
	}
	var data, rows bytes.Buffer
	for i := range changes {
		id := fmt.Sprintf("Change %d %s", i, words[i%len(words)])
		path := fmt.Sprintf("src/%s%d.go", words[i%7], i)
		rec := dataset.Record{ID: id, Path: path, Diff: "diff --git a/" + path + " b/Ünder" + path + "\n--- " + path + "\n@@ -1 +1 @@\n-hidden\n+--- not hidden\n"}
		for k := range r.IntN(4) {
			rec.Reviews = append(rec.Reviews, dataset.Review{ID: fmt.Sprint("s", k), Text: say()})
		}
		if i == 0 {
			rec.Reviews = []dataset.Review{{ID: "s0", Text: "the first"}}
		}
		line(t, &data, rec.Written(nil))
		if i%10 == 9 { // no UTF-8, half of a pair, other spellings
			fmt.Fprintf(&data, `{"id":"raw %d","diff":"","old":"hidden","reviews":[{"id":"s0","text":"br\xffken \ud800 \u212A\u0130 \/ end"},{"id":"s1","text":5}]}`+"\n", i)
		}
	}
	line(t, &rows, map[string]any{"id": "Change 0 straße", "review": "s0", "con": 1, "comp": 1, "rel": 1, "signature": "x"})
	if array {
		lines := bytes.Split(bytes.TrimSpace(data.Bytes()), []byte("\n"))
		data = *bytes.NewBufferString("[" + string(bytes.Join(lines, []byte(","))) + "]")
	}
	dir := t.TempDir()
	o := Options{Data: filepath.Join(dir, "data.jsonl"), Runs: []string{filepath.Join(dir, "rows.jsonl")}, Open: osOpen, IsDir: func(string) bool { return false }}
	for name, b := range map[string]*bytes.Buffer{o.Data: &data, o.Runs[0]: &rows} {
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// scan is the search without an index: the changes whose id, path, reviews or paths of the diff have
// the text.
func scan(records []*dataset.Record, keys []string, text string) []bool {
	out := make([]bool, len(records))
	for i, rec := range records {
		parts := []string{keys[i], rec.ID, rec.Path}
		for _, review := range rec.Reviews {
			parts = append(parts, review.Text)
		}
		for line := range strings.Lines(rec.Diff) {
			for _, head := range []string{"diff --git ", "--- ", "+++ ", "rename "} {
				if strings.HasPrefix(line, head) {
					parts = append(parts, line[len(head):])
				}
			}
		}
		out[i] = slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(strings.ToLower(part), text) })
	}
	return out
}

// TestSearchAsScan: a search finds what a scan of all texts finds, whatever is looked for.
func TestSearchAsScan(t *testing.T) {
	for _, array := range []bool{false, true} {
		t.Run(fmt.Sprintf("array=%v", array), func(t *testing.T) { searchAsScan(t, view(t, speak(t, 100, array))) })
	}
}

func searchAsScan(t *testing.T, v *Viewer) {
	var records []*dataset.Record
	var keys []string
	for i := range v.changes {
		rec, err := v.record(&v.changes[i])
		if err != nil {
			t.Fatal(err)
		}
		records, keys = append(records, rec), append(keys, v.changes[i].key)
	}
	texts := []string{"hidden", "not hidden", "ünder", "300k", "k", "i", "i̇", "\ufffd", "br\ufffdken", "ken \ufffd ki", "/ end", "end5", "σασ", "变", "变量", "名", "\x00", "w", "w1", "\n", "zzzz", "🙂", "go\nb"}
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 { // parts of texts, also over the end of one into the next
		rec := records[r.IntN(len(records))]
		all := rec.ID + rec.Path
		for _, review := range rec.Reviews {
			all += review.Text
		}
		runes := []rune(all)
		from := r.IntN(len(runes))
		text := string(runes[from:min(from+1+r.IntN(8), len(runes))])
		if r.IntN(3) == 0 {
			text = strings.ToUpper(text)
		}
		texts = append(texts, text)
	}
	some := 0
	for _, text := range texts {
		q := query{text: strings.ToLower(strings.TrimSpace(text))}
		if q.text == "" {
			continue
		}
		var hits []bool
		var search *Search
		for hits, search = v.seek.find(v, q.text); !search.Ended; hits, search = v.seek.find(v, q.text) {
		}
		want := scan(records, keys, q.text)
		n := 0
		for i := range want {
			n += btoi(want[i])
		}
		some += btoi(n > 0)
		if !slices.Equal(hits, want) || search.Found != n || search.Searched != len(want) || search.Problem != "" {
			t.Errorf("%q: %+v, want %d", q.text, search, n)
		}
	}
	if some < len(texts)/2 {
		t.Errorf("only %d of %d texts are anywhere", some, len(texts))
	}
}

// TestSearchReads: a text that one change has is looked for in few, and the sets take a part of the
// texts' bytes.
func TestSearchReads(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 2000, systems: 10}).options())
	read := 0
	for i := range v.changes {
		read += btoi(v.grams.may(i, "value of change 1234 is said by 4"))
	}
	if read < 1 || read > 100 {
		t.Errorf("%d changes are read", read)
	}
	if size := 8 * len(v.grams.bits); size > 2000*10*45/2 {
		t.Errorf("the sets take %d bytes", size)
	}
}

// TestGramsFull: a change beyond the limit has no set, and may have any text.
func TestGramsFull(t *testing.T) {
	g := grams{bits: make([]uint64, limits.Grams-1), ends: []int32{limits.Grams - 1}}
	g.add(&dataset.Record{ID: "one"})
	g.add(&dataset.Record{ID: "two"})
	if !g.may(1, "one") || g.may(1, "two") || !g.may(2, "two") || !g.may(2, "one") || len(g.bits) != limits.Grams {
		t.Errorf("%v", g.ends)
	}
}

// FuzzGrams: what a text has is never missed.
func FuzzGrams(f *testing.F) {
	f.Add("The K\u212aİ is\xff here", 3, 9)
	f.Fuzz(func(t *testing.T, text string, from, to int) {
		var g grams
		rec := dataset.Record{Reviews: []dataset.Review{{Text: text}}}
		g.add(&rec)
		lower := strings.ToLower(text)
		if from < 0 || to > len(lower) || from > to {
			return
		}
		if part := lower[from:to]; !holds(&rec, part) || !g.may(0, part) {
			t.Errorf("%q is missed in %q", part, text)
		}
	})
}
