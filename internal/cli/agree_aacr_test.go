package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"crscore/eval/bench"
)

// TestValidComments scores the judged comments of AACR-Bench whose diffs are beside the labelled
// changes, a file each. Con does not tell valid from invalid comments, and tells the own change
// from another; docs/bench.md has both figures.
func TestValidComments(t *testing.T) {
	dir := filepath.Join(filepath.Dir(filepath.Dir(labelled(t))), "aacr")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the judged comments are not here: %v", err)
	}
	data := filepath.Join(t.TempDir(), "comments.jsonl")
	if err := os.WriteFile(data, judgedComments(t, dir), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := mustRun(t, build(t), "agree", "--data", data, "--format", "json")
	type area struct {
		Value    float64
		Interval [2]float64
	}
	var rep struct {
		Validity []struct {
			Valid, Invalid int
			Scores         []struct {
				Score string
				Valid area `json:"valid_or_invalid_roc_auc"`
				Own   area `json:"own_or_other_change_roc_auc"`
			}
		}
	}
	if err := json.Unmarshal(out, &rep); err != nil || len(rep.Validity) != 1 || len(rep.Validity[0].Scores) != 3 {
		t.Fatalf("%v: %s", err, out)
	}
	v := rep.Validity[0]
	if v.Valid != 191 || v.Invalid != 85 {
		t.Errorf("%d valid and %d invalid comments, want 191 and 85", v.Valid, v.Invalid)
	}
	if con := v.Scores[0]; math.Abs(con.Valid.Value-0.465) > 0.03 || con.Valid.Interval[1] < 0.5 || math.Abs(con.Own.Value-0.949) > 0.02 {
		t.Errorf("con: %+v", con)
	}
	page, err := os.ReadFile("../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	show := func(a area) string { return fmt.Sprintf("%.3f [%.3f, %.3f]", a.Value, a.Interval[0], a.Interval[1]) }
	for _, s := range v.Scores {
		if want := fmt.Sprintf("| %s | %s | %s |\n", s.Score, show(s.Valid), show(s.Own)); !bytes.Contains(page, []byte(want)) {
			t.Errorf("docs/bench.md lacks this line:\n%s", want)
		}
	}
}

// judgedComments makes a dataset with a row a file of the pull requests that have a diff.
func judgedComments(t *testing.T, dir string) []byte {
	t.Helper()
	unpacked := func(name string) []byte {
		packed, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := bench.Unpack(packed)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	judged := func(name string) *bench.File {
		f, err := bench.ReadTruth(unpacked(name))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	diffs := map[string]string{} // by address
	for line := range bytes.Lines(unpacked("changes.jsonl.gz")) {
		var pull struct{ URL, Diff string }
		if err := json.Unmarshal(line, &pull); err != nil {
			t.Fatal(err)
		}
		diffs[pull.URL] = pull.Diff
	}
	var out bytes.Buffer
	w := json.NewEncoder(&out)
	for _, p := range bench.Join(judged("positive_samples.json.gz"), judged("negative_samples.json.gz")) {
		rows, _ := p.FileRows("", diffs[p.URL], nil)
		for _, row := range rows {
			if err := w.Encode(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.Bytes()
}
