package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
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
