package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/internal/report/figures/browsertest"
)

// TestPages opens the pages of agree, calibrate, bench and perturb in Chromium: of small
// sets of our own, of one whose reviews are an attack, and of the labelled changes where
// they are.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started for each page")
	}
	own, err := os.ReadFile("testdata/agree.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir) // nobody's settings
	attack, err := json.Marshal("</style><script>fetch('https://example.invalid/')</script><img src=x onerror=alert(1)> \u202e\x1b[31m " +
		strings.Repeat("a_name_without_end", 40) + ". {{.}} `code` and more words, so that this is a sentence.")
	if err != nil {
		t.Fatal(err)
	}
	// People rated it 5 and the metric does not: it is shown as a worst case.
	text := []byte(`"Callers of load have to check for None now, since a missing key is no error any more."`)
	if !bytes.Contains(own, text) {
		t.Fatal("the review that is to become an attack is not there")
	}
	bad := filepath.Join(dir, "attack.jsonl")
	if err := os.WriteFile(bad, bytes.ReplaceAll(own, text, attack), 0o644); err != nil {
		t.Fatal(err)
	}
	command := func(t *testing.T, args ...string) []byte {
		t.Helper()
		var out, stderr bytes.Buffer
		if code := Main(args, strings.NewReader(""), &out, &stderr); code != exitDone {
			t.Fatalf("crscore %s: exit %d\n%s", strings.Join(args, " "), code, &stderr)
		}
		return out.Bytes()
	}
	var scores []string
	for _, mode := range []string{"soft", "hard"} {
		file := filepath.Join(dir, mode+".jsonl")
		if err := os.WriteFile(file, command(t, "score", "--data", "testdata/agree.jsonl", "--explain", "--mode", mode), 0o644); err != nil {
			t.Fatal(err)
		}
		scores = append(scores, "--scores", file)
	}
	look := func(name string, args ...string) {
		t.Run(name, func(t *testing.T) {
			page := filepath.Join(t.TempDir(), name+".html")
			args := append(args, "--resamples", "100")
			if slices.Contains(args, "--format") {
				if err := os.WriteFile(page, command(t, args...), 0o644); err != nil {
					t.Fatal(err)
				}
			} else {
				command(t, append(args, "--html", page)...)
			}
			if b, err := os.ReadFile(page); err != nil || slices.Contains(args, bad) && args[0] == "agree" && !bytes.Contains(b, []byte("&lt;script&gt;fetch")) {
				t.Fatal("the attack is not on the page", err)
			}
			browsertest.Look(t, page)
		})
	}
	look("agree", "agree", "--data", "testdata/agree.jsonl")
	look("agree-soft", "agree", "--data", "testdata/agree.jsonl", "--mode", "soft")
	look("agree-two", slices.Concat([]string{"agree"}, scores)...)
	look("agree-metrics", "agree", "--data", "testdata/agree.jsonl", "--metrics", "all")
	look("agree-attack", "agree", "--data", bad)
	look("calibrate-paper", "calibrate", "--data", "testdata/agree.jsonl", "--rule", "paper")
	look("calibrate-f1", "calibrate", "--data", bad, "--rule", "f1")
	look("calibrate-calibrated", "calibrate", "--data", "testdata/agree.jsonl", "--mode", "calibrated")
	bench := "../../testdata/bench/"
	look("bench", "bench", "--truth", bench+"truth.json", "--invalid", bench+"invalid.json", "--comments", "careful="+bench+"careful", "--comments", "noisy="+bench+"noisy",
		"--data", bench+"changes.jsonl", "--format", "html")
	look("stability", "perturb", "--data", "../../testdata/forms.jsonl", "--only", "p1,p8", "--worst", "3", "--format", "html")
	if folder := os.Getenv("CRSCORE_DATA"); folder != "" {
		all := filepath.Join(folder, "dev.jsonl")
		look("agree-labelled", "agree", "--data", all)
		look("calibrate-labelled", "calibrate", "--data", all, "--rule", "spearman")
	}
}

// TestClaimsPage: the commands of these pages print what the pages show.
func TestClaimsPage(t *testing.T) {
	for _, page := range []string{"docs/claims.md", "docs/comment-checks.md"} {
		showsOutput(t, page)
	}
}

// showsOutput runs the first command of a page.
func showsOutput(t *testing.T, page string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", blocksOf(t, page, "sh")[0])
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(build(t))+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	holds(t, page, strings.Join(blocksOf(t, page, "text")[:1], "\n"), string(out))
}

// TestRevisionPage: the first command of docs/revision.md prints the tables that the page shows.
func TestRevisionPage(t *testing.T) {
	const page = "docs/revision.md"
	out, _ := mustRun(t, build(t), "perturb", "revise", "--data", "../../testdata/revisions.jsonl")
	holds(t, page, blocksOf(t, page, "text")[0], string(out))
}

// TestStabilityPage: the first command of docs/stability.md prints the lines that the page shows.
func TestStabilityPage(t *testing.T) {
	const page = "docs/stability.md"
	out, _ := mustRun(t, build(t), "perturb", "--data", "../../testdata/forms.jsonl", "--only", "p1,p8", "--worst", "1")
	holds(t, page, blocksOf(t, page, "text")[0], string(out))
}
