package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/eval/agreement"
)

// TestMetricsSideBySide: each metric of agree --metrics has the numbers that agree has of its
// scores alone, digit by digit, and rows of crscore metrics and crscore score give the same.
func TestMetricsSideBySide(t *testing.T) {
	const data = "testdata/agree.jsonl"
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir) // nobody's settings
	run := func(args ...string) []byte {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := Main(args, strings.NewReader(""), &out, &stderr); code != exitDone {
			t.Fatalf("crscore %s: exit %d\n%s", strings.Join(args, " "), code, &stderr)
		}
		return out.Bytes()
	}
	agree := func(args ...string) (r agreement.Results) {
		t.Helper()
		args = append([]string{"agree", "--format", "json", "--resamples", "200", "--worst", "0"}, args...)
		if err := json.Unmarshal(run(args...), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	save := func(name string, rows []byte) string {
		file := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(file, rows, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const list = "chrf,edit-distance,length,bleu:tok=none"
	side := agree("--data", data, "--metrics", list).Metrics
	rows := save("metrics", run("metrics", "--data", data, "--metrics", list))
	files := []string{"--metrics", "all", "--scores", rows}
	for _, m := range side.Metrics {
		var alone agreement.Group
		if mode, own := strings.CutPrefix(m.Name, "CRScore, "); own {
			file := save(mode, run("score", "--data", data, "--mode", mode))
			files = append(files, "--scores", file)
			alone = agree("--scores", file).Studies[0].Agreement.All
			if d := cmp.Diff(alone.ByDimension, m.ByDimension); d != "" || !m.Own {
				t.Errorf("%s: -alone +side by side: %s", m.Name, d)
			}
			continue
		}
		study := agree("--scores", rows, "--metric", m.Name).Studies[0]
		if d := cmp.Diff(study.Agreement.All.Rel, m.Rel); d != "" || m.Own || m.Turned != study.Turned {
			t.Errorf("%s: -alone +side by side: %s", m.Name, d)
		}
	}
	if len(side.Metrics) != 8 || side.Against != "CRScore, ramp" {
		t.Errorf("%d metrics against %s", len(side.Metrics), side.Against)
	}
	again := agree(files...).Metrics
	for _, s := range []*agreement.Standings{side, again} {
		for i := range s.Metrics { // those of rows name the references, too
			s.Metrics[i].Signature = ""
			s.Metrics[i].Difference, s.Metrics[i].Corrected = nil, nil // against another mode
		}
		s.Against = ""
	}
	if d := cmp.Diff(side, again); d != "" {
		t.Errorf("-dataset +files: %s", d)
	}
}
