package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/system"
	"crscore/score"
	"crscore/sts/builtin"
)

var update = flag.Bool("update", false, "write the default profile anew from the labelled data")

// labelled returns the path of the labelled changes, which are not part of the
// repository; CRSCORE_DATA names their folder.
func labelled(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set: the labelled changes are not here")
	}
	file := filepath.Join(dir, "dev.jsonl")
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("CRSCORE_DATA is set, but %v", err)
	}
	return file
}

// build returns the real binary, which is made once, without what the tests are built
// with: the race detector would find nothing in it, so that -short leaves it out.
func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the real binary is for the whole tests")
	}
	bin, err := binary.made()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// binary is made by the first test that wants it, and removed by TestMain.
var binary built

type built struct {
	once sync.Once
	dir  string
	err  error
}

func (b *built) made() (string, error) {
	b.once.Do(func() {
		if b.dir, b.err = os.MkdirTemp("", "crscore-test"); b.err != nil {
			return
		}
		if out, err := exec.Command("go", "build", "-o", b.dir, "crscore/cmd/crscore").CombinedOutput(); err != nil {
			b.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	return filepath.Join(b.dir, "crscore"), b.err
}

func (b *built) remove() {
	if b.dir != "" {
		_ = os.RemoveAll(b.dir)
	}
}

// mustRun returns what the binary prints, and its largest memory in bytes.
func mustRun(t *testing.T, bin string, args ...string) ([]byte, int64) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("crscore %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	rss := system.PeakMemory(cmd.ProcessState)
	t.Logf("crscore %s: %v of processor time, %d MB at most", strings.Join(args, " "),
		cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), rss>>20)
	return out, rss
}

// TestScoreLabelled runs the main job over all labelled changes: every review
// gets a score, in bounded memory, and the number of workers changes no byte.
func TestScoreLabelled(t *testing.T) {
	data := labelled(t)
	bin := build(t)
	var first [32]byte
	for _, workers := range []string{"1", "2", "5"} {
		out, rss := mustRun(t, bin, "score", "--data", data, "--explain", "--workers", workers)
		if n := bytes.Count(out, []byte(`"status":"scored"`)); n != 1549 || bytes.Count(out, []byte("\n")) != n {
			t.Errorf("%s workers: %d reviews scored in %d lines, want 1549", workers, n, bytes.Count(out, []byte("\n")))
		}
		if limit := int64(500 << 20); rss > limit {
			t.Errorf("%s workers: %d MB of memory, want at most 500", workers, rss>>20)
		}
		sum := sha256.Sum256(out)
		if workers == "1" {
			first = sum
		}
		if sum != first {
			t.Errorf("%s workers give other bytes than 1", workers)
		}
	}
}

// measured is what agree --format json prints, as far as it is looked at.
type measured struct {
	Agreement struct {
		All struct {
			Reviews        int
			Con, Comp, Rel struct{ Spearman struct{ Value float64 } }
		}
	}
	Ranking struct {
		Rel struct{ Spearman struct{ Value float64 } }
	}
	Matching struct {
		ROCAUC struct{ Value float64 } `json:"roc_auc"`
	}
	PaperTau  float64 `json:"paper_tau"`
	Signature string
}

func agree(t *testing.T, bin string, args ...string) measured {
	t.Helper()
	out, _ := mustRun(t, bin, append([]string{"agree", "--format", "json", "--resamples", "100"}, args...)...)
	var rep struct{ Studies []measured }
	if err := json.Unmarshal(out, &rep); err != nil || len(rep.Studies) != 1 {
		t.Fatalf("%d studies: %v", len(rep.Studies), err)
	}
	return rep.Studies[0]
}

// TestAgreement compares the table of docs/numbers.md with what agree prints, and what was
// reached: with the paper's claims and smells the default similarity agrees with people
// better than the paper's own 0.5431 and than GPT-4o as a judge, 0.605, and finds what
// annotators linked.
func TestAgreement(t *testing.T) {
	data, bin := labelled(t), build(t)
	page, err := os.ReadFile("../../docs/numbers.md")
	if err != nil {
		t.Fatal(err)
	}
	paper := []string{"--claims", "data:magicoder", "--smells", "data"}
	for _, row := range []struct {
		name  string // in docs/numbers.md, if it has it
		args  []string
		floor float64 // of rel's correlation
	}{
		{"this program alone (the default) | ramp", nil, 0.61},
		{"this program alone | hard", []string{"--mode", "hard"}, 0.58},
		{"the paper's model and tools (`--claims data:magicoder --smells data`) | ramp", paper, 0.66},
		{"the same | hard", append([]string{"--mode", "hard"}, paper...), 0.62},
		{"", append([]string{"--mode", "soft"}, paper...), 0.66},
		{"this program alone, similarity hybrid | ramp", []string{"--similarity", "hybrid"}, 0.59},
	} {
		a := agree(t, bin, append([]string{"--data", data}, row.args...)...)
		all, auc := a.Agreement.All, a.Matching.ROCAUC.Value
		t.Logf("%s %v: rel Spearman %.4f, ROC-AUC %.4f", row.name, row.args, all.Rel.Spearman.Value, auc)
		want := fmt.Sprintf("| %s | %.3f | %.3f | %.3f |\n", row.name, all.Con.Spearman.Value, all.Comp.Spearman.Value, all.Rel.Spearman.Value)
		if row.name != "" && !strings.Contains(string(page), want) {
			t.Errorf("docs/numbers.md lacks this line:\n%s", want)
		}
		if all.Reviews != 1395 || all.Rel.Spearman.Value < row.floor {
			t.Errorf("%v: rel Spearman %.4f on %d reviews, want at least %v on 1395", row.args, all.Rel.Spearman.Value, all.Reviews, row.floor)
		}
		if auc < 0.85 && slices.Contains(row.args, "data:magicoder") {
			t.Errorf("%v: ROC-AUC of links %.4f, want at least 0.85", row.args, auc)
		}
	}
}

// TestDefaultProfile calibrates the modes of the default engine again, and those of the
// hybrid similarity, and compares what comes out with the profiles in the binary. eval/pairs
// has the other modes of the default similarity. With -update the test writes the profiles; do that after every change of model,
// splitter, claims or smells, behind that of eval/pairs.
func TestDefaultProfile(t *testing.T) {
	for _, list := range []struct {
		similarity, file string
		profiles         []byte
		calibrated       []score.Mode
	}{
		{"pair", "profile.json", builtin.Profiles(), []score.Mode{score.Calibrated}},
		{"hybrid", "profile-hybrid.json", builtin.HybridProfiles(), []score.Mode{score.Ramp, score.Hard, score.Calibrated}},
	} {
		t.Run(list.similarity, func(t *testing.T) {
			got, err := score.ParseProfiles(list.profiles)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(got)
			for i := range want {
				if slices.Contains(list.calibrated, want[i].Mode) {
					want[i] = calibrated(t, list.similarity, want[i].Mode)
				}
			}
			compareProfiles(t, list.file, want, got)
		})
	}
}

// calibrated is the profile that crscore calibrate finds for a mode.
func calibrated(t *testing.T, similarity string, mode score.Mode) score.Profile {
	t.Helper()
	out := filepath.Join(t.TempDir(), "profile.json")
	mustRun(t, build(t), "calibrate", "--data", labelled(t), "--similarity", similarity, "--mode", string(mode), "--resamples", "100", "--out", out)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	p, err := score.ParseProfile(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compareProfiles compares a list with the file in the binary, or writes it with -update.
func compareProfiles(t *testing.T, file string, want, got []score.Profile) {
	t.Helper()
	if *update {
		b, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../../sts/builtin/"+file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 5e-4*max(1, math.Abs(a)) }) // a rounding error elsewhere is not another τ
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("the default profiles are not what is measured (-), but (+):\n%s(go test ./internal/cli -run TestDefaultProfile -update writes them)", diff)
	}
}
