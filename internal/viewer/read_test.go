package viewer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/internal/matrices"
	"crscore/internal/rundir"
	"crscore/score"
)

// write writes a file into a folder of the test.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func zip(t testing.TB, text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const twoChanges = `{"id":"1","lang":"py","diff":"@@ -1 +1 @@\n-a\n+b\n","reviews":[{"id":"s","text":"one"},{"id":"t","text":"two","human":{"con":1,"comp":2,"rel":3}}]}
{"id":"2","lang":"go","diff":"@@ -1 +1 @@\n-a\n+c\n","reviews":[{"id":"s","text":"three"}]}
`

// open1 opens a dataset with rows.
func open1(t *testing.T, data, rows string, more ...string) (*Viewer, error) {
	t.Helper()
	dir := t.TempDir()
	o := Options{Data: write(t, dir, "data.jsonl", data), Runs: []string{write(t, dir, "rows.jsonl", rows)}, Open: osOpen, IsDir: func(string) bool { return false }}
	for i, text := range more {
		o.Runs = append(o.Runs, write(t, dir, fmt.Sprintf("more%d.jsonl", i), text))
	}
	v, err := Open(t.Context(), o)
	if err == nil {
		t.Cleanup(func() { v.Close() })
	}
	return v, err
}

// TestProblems counts everything that could not be read or joined.
func TestProblems(t *testing.T) {
	data := twoChanges + "{broken\n[]\n\n" + `{"id":"1","diff":"again"}` + "\n" +
		`{"id":"3","diff":"d","reviews":[{"id":"s","text":"a"},{"id":"s","text":"b"},{"id":"t","text":"c","human":{"con":1}},{"id":"u","text":7}]}`
	rows := `{"id":"1","review":"s","status":"scored","con":1,"comp":0.5,"rel":0.6,"signature":"x mode=soft claims=c"}
{"id":"1","review":"s","status":"scored","con":0,"comp":0,"rel":0}
{"id":"9","review":"s","status":"scored","con":0,"comp":0,"rel":0}
{"id":"1","review":"nobody","status":"scored","con":0,"comp":0,"rel":0}
{"id":"2","review":"s","status":"unscored","reason":"no references","signature":"x mode=soft claims=c"}
{"id":"3","review":"u","con":1,"comp":1,"rel":1`
	v, err := open1(t, data, rows)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range v.Problems() {
		got[p.What] = fmt.Sprint(p.Count, " ", strings.Join(p.Examples, " | "))
	}
	for what, want := range map[string]string{
		badLines: "2 line 3: not JSON: invalid", usedIDs: `1 line 6: "1"`, twiceReviews: `1 line 7: change "3", system "s"`, badLabels: `1 line 7: change "3", system "t"`,
		badRows: "rows.jsonl: line 6: not JSON", noChange: `line 3: change "9"`, noReview: `line 4: change "1", system "nobody"`, twiceRows: `1 `,
	} {
		if !strings.Contains(got[what], want) {
			t.Errorf("%s: %q, want %q", what, got[what], want)
		}
		delete(got, what)
	}
	if len(got) > 0 {
		t.Errorf("more problems: %v", got)
	}
	s := v.given()
	var states []string
	for i := range v.reviews {
		states = append(states, statuses[s.states[i]])
	}
	if want := []string{"scored", "no row", "unscored", "no row", "no row", "no row"}; !slices.Equal(states, want) {
		t.Errorf("the states are %v, not %v", states, want)
	}
	if v.reason(&v.reviews[2]) != "no references" || v.reviews[0].numbers != (numbers{1, 0.5, 0.6}) {
		t.Errorf("%+v", v.reviews[:3])
	}
}

// TestRefused are files with nothing to show.
func TestRefused(t *testing.T) {
	row := `{"id":"1","review":"s","con":1,"comp":1,"rel":1}`
	for _, tt := range []struct{ data, rows, want string }{
		{"", row, "there is no change in it"},
		{"nothing\n{}\n", row, "there is no change in it (lines of the dataset that are no change: 2, such as: line 1: "},
		{twoChanges, "", "no row of "},
		{twoChanges, `{"id":"7","review":"s","con":1,"comp":1,"rel":1}`, `(rows of changes that the dataset does not have: 1, such as: `},
		{twoChanges, "[1,2]", "row 1: not a JSON object but of type number"},
		{twoChanges, twoChanges, "this is a line of a dataset, not a score"},
		{twoChanges, "PK\x03\x04", "zip archive"},
		{zip(t, twoChanges)[:60], row, "unexpected EOF"},
		{twoChanges, "\x1f\x8b broken", "unpacking it to"},
	} {
		_, err := open1(t, tt.data, tt.rows)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.30q, %.30q: %v, want %s", tt.data, tt.rows, err, tt.want)
		}
	}
	o := Options{Data: "/nowhere", Open: osOpen, IsDir: func(string) bool { return false }}
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("no file: %v", err)
	}
	o.Data = t.TempDir()
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// TestMetrics are rows of other metrics and of judges beside the scores.
func TestMetrics(t *testing.T) {
	rows := `{"id":"1","review":"s","con":1,"comp":0.5,"rel":0.6}`
	metrics := `{"id":"1","review":"s","status":"scored","metrics":{"ter":80,"chrf":33.5},"signature":"ter=ter|better:lower chrf=chrf|x"}
{"id":"1","review":"t","status":"scored","metrics":{"ter":20},"unscored_metrics":{"chrf":"too long"},"signature":"ter=ter|better:lower chrf=chrf|x"}
{"id":"1","review":"t","status":"scored","metrics":{"ter":21,"chrf":-1e300},"signature":"ter=ter|better:lower"}
{"id":"2","review":"s","status":"unscored","reason":"no reference","signature":"crscore/1 references=msg ter=ter|better:lower"}
`
	judged := `{"id":"1","review":"s","status":"scored","con":0.5,"comp":0.25,"rel":1,"signature":"crscore/1 judge=labels/2 model=m votes=1"}
{"id":"2","review":"s","status":"scored","score":0.75,"signature":"crscore/1 judge=grade/2 model=m votes=1"}
`
	v, err := open1(t, twoChanges, rows, metrics, judged)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"chrf", "ter", "judge labels comp", "judge labels con", "judge labels rel", "judge grade"}; !slices.Equal(v.metrics.names, want) {
		t.Fatalf("the metrics are %q", v.metrics.names)
	}
	if fmt.Sprint(v.values) != "[[33.5 NaN NaN] [80 20 NaN] [0.25 NaN NaN] [0.5 NaN NaN] [1 NaN NaN] [NaN NaN 0.75]]" || fmt.Sprint(v.lower) != "[false true false false false false]" {
		t.Errorf("%v, %v", v.values, v.lower)
	}
	if len(v.problems) != 2 || v.problems[0].What != hugeNumbers || v.problems[1].What != twiceRows || v.problems[1].Count != 1 || v.reviews[2].state != noRow {
		t.Errorf("problems: %+v, %+v", v.problems, v.reviews[2])
	}
	// Of a distance the lower is the better: by ter, t ranks above s, and by the other below.
	if gaps := v.gaps(v.values[1], []float64{2, 1, 3}, v.lower[1], false); gaps[0] != -0.5 || gaps[1] != 0.5 {
		t.Errorf("gaps %v", gaps)
	}
}

// TestForms reads one dataset in several forms, and its records again.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	rows := write(t, dir, "rows.csv", "id,review,status,reason,con,comp,rel\n1,s,scored,,1,0.5,0.6\n2,s,unscored,no model,,,\n")
	csv := "id,lang,diff,system,review,con,comp,rel\n1,py,\"@@ -1 +1 @@\n-a\n+b\n\",s,one,,,\n1,,,t,two,1,2,3\n2,go,\"@@ -1 +1 @@\n-a\n+c\n\",s,three,,,\n"
	for name, text := range map[string]string{
		"plain.jsonl": twoChanges, "bom.jsonl": "\ufeff\n" + twoChanges, "packed.jsonl.gz": zip(t, twoChanges), "table.csv": csv, "packed.csv.gz": zip(t, csv),
	} {
		t.Run(name, func(t *testing.T) {
			v := view(t, Options{Data: write(t, dir, name, text), Runs: []string{rows}, Open: osOpen, IsDir: func(string) bool { return false }})
			if len(v.changes) != 2 || len(v.reviews) != 3 || v.reviews[1].human != (numbers{1, 2, 3}) || v.reason(&v.reviews[2]) != "no model" {
				t.Fatalf("%+v %+v", v.changes, v.reviews)
			}
			for i, want := range []string{"+b", "+c"} {
				rec, err := v.record(&v.changes[i])
				if err != nil || !strings.Contains(rec.Diff, want) || rec.Reviews[0].Text == "" {
					t.Errorf("%+v, %v", rec, err)
				}
			}
		})
	}
	// A pipe is copied.
	o := Options{Data: "-", Runs: []string{rows}, IsDir: func(string) bool { return false }, Open: func(name string) (io.ReadCloser, error) {
		if name == "-" {
			return io.NopCloser(strings.NewReader(twoChanges)), nil
		}
		return os.Open(name)
	}}
	v := view(t, o)
	if rec, err := v.record(&v.changes[1]); err != nil || rec.ID != "2" {
		t.Errorf("%+v, %v", rec, err)
	}
}

// TestChangedFiles: a file that changes behind the viewer's back gives an error, and no wrong
// text.
func TestChangedFiles(t *testing.T) {
	dir := t.TempDir()
	data := write(t, dir, "data.jsonl", twoChanges)
	rows := write(t, dir, "rows.jsonl", `{"id":"2","review":"s","status":"unscored","reason":"no references"}`)
	v := view(t, Options{Data: data, Runs: []string{rows}, Open: osOpen, IsDir: func(string) bool { return false }})
	write(t, dir, "data.jsonl", strings.Replace(twoChanges, `"id":"2"`, `"id":"8"`, 1))
	for text, want := range map[string]string{strings.Replace(twoChanges, `"id":"2"`, `"id":"8"`, 1): `it is of the change "8" now`, twoChanges[:150]: "byte", strings.Repeat("x", len(twoChanges)): "not JSON"} {
		write(t, dir, "data.jsonl", text)
		if _, err := v.record(&v.changes[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// TestKept are similarities that do not fit.
func TestKept(t *testing.T) {
	m := make1(t, sizes{changes: 30, systems: 3})
	text, err := os.ReadFile(m.rows)
	if err != nil {
		t.Fatal(err)
	}
	// A row whose numbers are not those of its similarities.
	at := bytes.Index(text, []byte(`"comp":0.`))
	copy(text[at+7:], "1.")
	if err := os.WriteFile(m.rows, text, 0o644); err != nil {
		t.Fatal(err)
	}
	v := view(t, m.options())
	if len(v.problems) != 1 || v.problems[0].What != wrongScores || v.problems[0].Count != 1 {
		t.Errorf("%+v", v.problems)
	}
	// Blocks of other changes, of other reviews, twice, damaged, and a file that is cut off.
	dir := t.TempDir()
	var b bytes.Buffer
	w, err := matrices.NewWriter(&b, "stem")
	if err != nil {
		t.Fatal(err)
	}
	refs := []matrices.Ref{{Kind: "claim", Source: "c"}}
	for _, block := range []*matrices.Block{
		{ID: "1", Refs: refs, Reviews: []matrices.Review{{ID: "s", Sentences: 1, Sim: []float32{0.5}}, {ID: "nobody"}}},
		{ID: "1"}, {ID: "77"}, {ID: "2", Refs: refs, Reviews: []matrices.Review{{ID: "s", Sentences: 1, Sim: []float32{0.25}}}},
	} {
		if err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{
		Data: write(t, dir, "data.jsonl", twoChanges), Runs: []string{write(t, dir, "rows.jsonl", `{"id":"1","review":"s","con":1,"comp":1,"rel":1}`)},
		Matrices: []string{write(t, dir, "m.crsm", b.String())}, Open: osOpen, IsDir: func(string) bool { return false },
	}
	v = view(t, o)
	var whats []string
	for _, p := range v.problems {
		whats = append(whats, p.What)
	}
	if want := []string{otherBlock, twiceBlocks, noBlock}; !slices.Equal(whats, want) || len(v.warnings) != 1 || !strings.Contains(v.warnings[0], "not finished") {
		t.Errorf("problems %v, warnings %v", whats, v.warnings)
	}
	s, err := v.rescore(score.Rule{Mode: score.Soft})
	if err != nil || s.numbers[0][0] != 0.5 || s.numbers[2][0] != 0.25 || s.states[1] != notKept {
		t.Errorf("%+v, %v", s, err)
	}
	o.Matrices = []string{o.Data}
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "not a matrix file") {
		t.Errorf("another file: %v", err)
	}
}

// TestLongIDs: ids without end are cut, and stay apart.
func TestLongIDs(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	data := fmt.Sprintf(`{"id":%q,"diff":"d","reviews":[{"id":%q,"text":"a"}]}`+"\n"+`{"id":%q,"diff":"d","reviews":[{"id":%q,"text":"a"}]}`+"\n", long+"1", long+"a", long+"2", long+"b")
	v, err := open1(t, data, fmt.Sprintf(`{"id":%q,"review":%q,"con":1,"comp":1,"rel":1}`, long+"2", long+"b"))
	if err != nil {
		t.Fatal(err)
	}
	if len(v.changes) != 2 || len(v.systems.names) != 2 || v.scored != 1 || len(v.changes[0].key) > 250 || len(v.problems) > 0 {
		t.Errorf("%.300v %+v", v.systems.names, v.problems)
	}
	if _, err := v.record(&v.changes[1]); err != nil {
		t.Error(err)
	}
	if got := key("a\xffb"); got == "a\xffb" || got == key("a\xfeb") {
		t.Errorf("a broken id is %q", got)
	}
}

// FuzzRows reads any rows over a dataset. Whatever they are, nothing is lost: each row is
// joined, or counted.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"id":"1","review":"s","con":1,"comp":1,"rel":1}`))
	f.Add([]byte(`{"id":"2","review":"s","status":"unscored","reason":"x"}` + "\n{\n" + `{"id":1,"review":"t","metrics":{"a":1}}`))
	f.Add([]byte("id,review,rel\n1,s,0.5\n1,t,\n"))
	f.Add([]byte(`{"id":"1","review":"s","con":1,"comp":1,"rel":1,"signature":"mode=hard tau=0.3 judge=x/1"}`))
	dir := f.TempDir()
	data := write(f, dir, "data.jsonl", twoChanges)
	f.Fuzz(func(t *testing.T, rows []byte) {
		v, err := Open(t.Context(), Options{
			Data: data, Runs: []string{"rows"}, IsDir: func(string) bool { return false },
			Open: func(name string) (io.ReadCloser, error) {
				if name == "rows" {
					return io.NopCloser(bytes.NewReader(rows)), nil
				}
				return os.Open(name)
			},
		})
		if err != nil {
			return
		}
		defer v.Close()
		counted := v.rows
		for _, p := range v.problems {
			counted += p.Count
		}
		if bytes.HasPrefix(bytes.TrimSpace(rows), []byte("{")) {
			lines := 0
			for l := range bytes.Lines(rows) {
				if len(bytes.TrimSpace(l)) > 0 {
					lines++
				}
			}
			if counted < lines {
				t.Fatalf("%d rows of %d are accounted for: %+v", counted, lines, v.problems)
			}
		}
		if _, err := v.apiRows(t.Context(), "sort=mean"); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRuns reads run directories, whole and not.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	data := write(t, dir, "data.jsonl", twoChanges)
	row := `{"id":"1","review":"s","status":"scored","con":1,"comp":1,"rel":1,"signature":"x"}` + "\n"
	make1 := func(name string, shard rundir.Shard, sum string, finish bool) string {
		t.Helper()
		name = filepath.Join(dir, name)
		r, err := rundir.Open(name, rundir.Manifest{Signature: score.ReadSignature("x"), Shard: shard}, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Add(rundir.Change{Place: rundir.Place{Line: 1, Text: strings.Repeat("0", 64)}, Rows: []byte(row)})
		if finish {
			err = errors.Join(err, r.Finish(rundir.End{Lines: 2, Text: sum}))
		}
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		return name
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(twoChanges)))
	for _, tt := range []struct {
		name   string
		shard  rundir.Shard
		sum    string
		finish bool
		want   string
	}{
		{"whole", rundir.Shard{}, sum, true, ""}, {"open", rundir.Shard{}, sum, false, "is not finished"},
		{"other", rundir.Shard{}, strings.Repeat("0", 64), true, "read another dataset than"}, {"part", rundir.Shard{Number: 1, Of: 2}, sum, true, "Parts of the run are missing: shards 2/2."},
	} {
		name := make1(tt.name, tt.shard, tt.sum, tt.finish)
		before := tree(t, name)
		v := view(t, Options{Data: data, Runs: []string{name}, Open: osOpen, IsDir: func(string) bool { return true }})
		if v.scored != 1 || (tt.want == "") != (len(v.warnings) == 0) || tt.want != "" && !strings.Contains(v.warnings[0], tt.want) {
			t.Errorf("%s: scored %d, warnings %q", tt.name, v.scored, v.warnings)
		}
		if after := tree(t, name); after != before {
			t.Errorf("%s: the directory was\n%s\nand is\n%s", tt.name, before, after)
		}
	}
}

// TestShards joins the parts of a run.
func TestShards(t *testing.T) {
	v := &Viewer{index: newIndex("x")}
	v.checkShards([]rundir.Shard{{Number: 2, Of: 2}, {Number: 1, Of: 2}})
	v.checkShards([]rundir.Shard{{}})
	v.checkShards(nil)
	if len(v.warnings) > 0 {
		t.Errorf("whole runs: %q", v.warnings)
	}
	v.checkShards([]rundir.Shard{{Number: 2, Of: 3}})
	if len(v.warnings) != 1 || !strings.Contains(v.warnings[0], "shards 1/3, 3/3.") {
		t.Errorf("a part: %q", v.warnings)
	}
}

// tree lists the files of a folder with their sizes and times.
func tree(t *testing.T, dir string) (list string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		st, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintln(e.Name(), st.Size(), st.ModTime())
	}
	return list
}
