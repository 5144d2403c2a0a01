package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/report/figures/browsertest"
)

// TestComparePages opens the page of compare in Chromium: of systems and languages whose
// names are an attack, and of more of them than there is room for.
func TestComparePages(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started for each page")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // nobody's settings
	command := func(t *testing.T, in string, args ...string) string {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := Main(args, strings.NewReader(in), &out, &stderr); code != exitDone {
			t.Fatalf("crscore %s: exit %d\n%s", strings.Join(args, " "), code, &stderr)
		}
		return out.String()
	}
	scores := command(t, "", "score", "--data", "testdata/agree.jsonl")
	name := "</style><script>fetch('https://example.invalid/')</script><img src=x onerror=alert(1)> \u202e\x1b[31m " + strings.Repeat("a_name_without_end", 10)
	attack, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	wide := "id,review,lang,score\n"
	for c := range 40 {
		for s := range 16 {
			wide += fmt.Sprintf("%d,system-%d-of-some-length,language-%d,%g\n", c, s, c%5, float64(s+(c*s+7*c)%23)/70)
		}
	}
	for page, in := range map[string]string{
		"compare-attack": strings.ReplaceAll(strings.ReplaceAll(scores, `"yak"`, string(attack)), `"lang":"python"`, `"lang":`+string(attack)),
		"compare-wide":   wide,
	} {
		t.Run(page, func(t *testing.T) {
			html := command(t, in, "compare", "--changes", "own", "--format", "html", "-")
			if strings.Contains(page, "attack") && !strings.Contains(html, "&lt;script&gt;fetch") {
				t.Error("the attack is not on the page")
			}
			file := filepath.Join(t.TempDir(), page+".html")
			if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
				t.Fatal(err)
			}
			browsertest.Look(t, file)
		})
	}
}

// TestOneInterval: score and compare have the same interval for the same mean.
func TestOneInterval(t *testing.T) {
	scores := filepath.Join(t.TempDir(), "scores.jsonl")
	var said, out, errs bytes.Buffer
	if code := Main([]string{"score", "--data", "../../testdata/reviewers.jsonl", "-o", scores, "--log-format", "json"}, strings.NewReader(""), &out, &said); code != exitDone || out.Len() > 0 {
		t.Fatalf("exit code %d, on standard output %q: %s", code, out.String(), said.String())
	}
	if code := Main([]string{"compare", scores, "--format", "json"}, strings.NewReader(""), &out, &errs); code != exitDone {
		t.Fatal(errs.String())
	}
	var compared struct {
		Systems []struct {
			Name string
			Rel  struct{ Interval [2]float64 }
			Con  struct{ Interval [2]float64 }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &compared); err != nil {
		t.Fatal(err)
	}
	intervals := map[string][4]float64{}
	for _, s := range compared.Systems {
		intervals[s.Name] = [4]float64{s.Con.Interval[0], s.Con.Interval[1], s.Rel.Interval[0], s.Rel.Interval[1]}
	}
	found := 0
	for line := range bytes.Lines(said.Bytes()) {
		var r struct {
			System  string
			ConLow  float64 `json:"con_low"`
			ConHigh float64 `json:"con_high"`
			RelLow  float64 `json:"rel_low"`
			RelHigh float64 `json:"rel_high"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.System == "" {
			continue
		}
		found++
		for i, v := range [4]float64{r.ConLow, r.ConHigh, r.RelLow, r.RelHigh} {
			if want := intervals[r.System][i]; math.Abs(v-want) > 1e-12 {
				t.Errorf("%s: score says %v, compare %v", r.System, v, want)
			}
		}
	}
	if found != 3 {
		t.Errorf("systems: %d", found)
	}
}
