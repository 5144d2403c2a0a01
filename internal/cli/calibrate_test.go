package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crscore/score"
	"crscore/sts/builtin"
)

// withInput is crscoreRun with standard input.
func withInput(stdin string, args ...string) (code int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	code = Main(args, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// withoutData leaves out the name and the checksum of the data.
func withoutData(report string) string {
	return regexp.MustCompile(`(?m)^ *"data": .*$`).ReplaceAllString(report, "")
}

// keptMatrices is a new file of the matrices of agree.jsonl, in a folder of its own.
func keptMatrices(t *testing.T) string {
	t.Helper()
	kept := filepath.Join(t.TempDir(), "kept.matrices")
	if code, _, complaints := crscoreRun("score", "--data", "testdata/agree.jsonl", "--matrices", kept); code != 0 {
		t.Fatal(complaints)
	}
	return kept
}

// TestCalibrateInputs: a dataset, the same in another order or from standard input,
// and its matrices give the same report.
func TestCalibrateInputs(t *testing.T) {
	data, kept := "testdata/agree.jsonl", keptMatrices(t)
	text, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	slices.Reverse(lines)
	for _, mode := range []string{"hard", "ramp", "calibrated"} {
		args := []string{"calibrate", "--format", "json", "--resamples", "100", "--mode", mode}
		code, want, complaints := crscoreRun(append(args, "--data", data)...)
		if code != 0 || !strings.Contains(want, `"data": "agree.jsonl sha256:`) {
			t.Fatalf("%s\n%s", complaints, want)
		}
		for _, other := range []struct {
			name, stdin string
			args        []string
		}{
			{"matrices", "", []string{"--matrices", kept}},
			{"other order", strings.Join(lines, ""), []string{"--data", "-"}},
		} {
			code, got, complaints := withInput(other.stdin, append(args, other.args...)...)
			if code != 0 || withoutData(got) != withoutData(want) {
				t.Errorf("%s, %s: %s\n%s\nfrom data:\n%s", mode, other.name, complaints, got, want)
			}
		}
	}
}

// TestCalibrateDamagedMatrices: what is wrong with a file is said with its place, and
// no threshold comes of a part of the data.
func TestCalibrateDamagedMatrices(t *testing.T) {
	dir, kept := t.TempDir(), keptMatrices(t)
	good, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	starts := places(good, "BLCK")
	if len(starts) != 5 {
		t.Fatalf("%d blocks, want 5", len(starts))
	}
	flipped := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 1
		return b
	}
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"no end mark", good[:len(good)-20], `block 6 \(byte \d+\): the file ends without its end mark: .* not finished; the 5 changes before are good`},
		{"cut in the third block", good[:starts[2]+50], `block 3 \(byte \d+\): .*; the 2 changes before are good`},
		{"cut in the header", good[:10], `reading the header of a matrix file: .*end`},
		{"empty", nil, `this is not a matrix file`},
		{"damaged values", flipped(starts[1] - 10), `block 1 \(byte \d+\): damaged`},
		{"damaged frame", flipped(starts[3] + 5), `block 4 \(byte \d+\): its frame is damaged`},
		{"bytes behind the end", append(bytes.Clone(good), 0), `bytes behind the end mark`},
		{"twice the same change", slices.Concat(good[:starts[1]], good[starts[0]:]), `blocks are missing or doubled`},
	} {
		name := filepath.Join(dir, "bad.matrices")
		if err := os.WriteFile(name, tt.file, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, complaints := crscoreRun("calibrate", "--matrices", name)
		if code != 2 || out != "" || !regexp.MustCompile(tt.want).MatchString(complaints) {
			t.Errorf("%s: exit code %d, %q, %q; want %s", tt.name, code, out, complaints, tt.want)
		}
	}
}

// places are the places of a mark.
func places(text []byte, mark string) (out []int) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(mark))
		if i < 0 {
			return out
		}
		out = append(out, at+i)
		at += i + len(mark)
	}
}

// TestCalibrateRandomDamage: a file of matrices that lacks bytes, has more or has others is
// refused by its name, wherever that befell it, or has no effect on the figures.
func TestCalibrateRandomDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing of it runs side by side, for the race detector")
	}
	damages := 80
	if os.Getenv("CRSCORE_DAMAGES") != "" {
		damages = 2000
	}
	kept := keptMatrices(t)
	good, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	calibrate := func() (code int, out, complaints string) {
		return crscoreRun("calibrate", "--format", "json", "--resamples", "100", "--matrices", kept)
	}
	code, want, complaints := calibrate()
	if code != 0 {
		t.Fatal(complaints)
	}
	// The header, each block and the end mark; where each ends is its checksum.
	ends := append(places(good, "BLCK"), places(good, "DONE")...)
	ends = append(ends, len(good))
	parts := make([][]byte, len(ends)) // the first is the header, the last the end mark
	for i, end := range ends {
		parts[i] = good[:end]
		if i > 0 {
			parts[i] = good[ends[i-1]:end]
		}
	}
	rnd := rand.New(rand.NewPCG(41, 80))
	refused := 0
	for i := range damages {
		one, two := i%len(parts), rnd.IntN(len(parts)) // each part has its share
		what, list := fmt.Sprintf("part %d: ", one), slices.Clone(parts)
		switch rnd.IntN(6) {
		case 0:
			what += fmt.Sprint("changed places with part ", two)
			list = swapped(list, one, two)
		case 1:
			what += "is there twice"
			list = slices.Insert(list, one, list[one])
		case 2:
			what += "is missing"
			list = slices.Delete(list, one, one+1)
		case 3:
			bit := 1 + rnd.IntN(8*4)
			what += fmt.Sprintf("bit %d before its end, in its checksum", bit)
			list[one] = bytes.Clone(list[one])
			list[one][len(list[one])-1-(bit-1)/8] ^= 1 << ((bit - 1) % 8)
		default:
			var how string
			how, list[one] = damaged(rnd, list[one])
			what += how
		}
		text := bytes.Join(list, nil)
		if err := os.WriteFile(kept, text, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, complaints := calibrate()
		switch {
		case code == exitUsage && out == "" && strings.Contains(complaints, kept):
			refused++
		case code != exitDone || withoutData(out) != withoutData(want):
			t.Errorf("%s: exit code %d: %s\n%s", what, code, complaints, out)
		case !bytes.Equal(text, good):
			t.Errorf("%s: nobody sees it: %s", what, complaints)
		}
	}
	t.Logf("%d damages, %d refused", damages, refused)
	if refused < damages/2 {
		t.Error("too few do harm")
	}
}

// TestCalibrateLabelled calibrates on all labelled changes: the paper's rule finds the τ of
// mode hard of the hybrid similarity, and every mode of the default is measured on held-out
// changes.
func TestCalibrateLabelled(t *testing.T) {
	data, bin, kept := labelled(t), build(t), filepath.Join(t.TempDir(), "dev.matrices")
	mustRun(t, bin, "score", "--data", data, "--matrices", kept)
	calibrate := func(args ...string) (rep struct {
		Chosen    struct{ Tau float64 }
		Intervals struct{ Tau [2]float64 }
		Modes     struct {
			Reviews int
			Results []struct {
				Mode, Rule string
				HeldOut    struct{ Mean, Pooled float64 } `json:"held_out"`
			}
		}
	}) {
		t.Helper()
		out, _ := mustRun(t, bin, append([]string{"calibrate", "--format", "json"}, args...)...)
		if err := json.Unmarshal(out, &rep); err != nil {
			t.Fatal(err)
		}
		return rep
	}
	paper := calibrate("--data", data, "--similarity", "hybrid", "--rule", "paper")
	profiles, err := score.ParseProfiles(builtin.HybridProfiles())
	if err != nil {
		t.Fatal(err)
	}
	hard := slices.IndexFunc(profiles, func(p score.Profile) bool { return p.Mode == score.Hard })
	if want := profiles[hard].Tau; math.Abs(paper.Chosen.Tau-want) > 5e-4 {
		t.Errorf("τ by the paper's rule is %v, want %v", paper.Chosen.Tau, want)
	}
	if in := paper.Intervals.Tau; !(in[0] < paper.Chosen.Tau && paper.Chosen.Tau < in[1]) {
		t.Errorf("interval %v", in)
	}
	modes := calibrate("--matrices", kept, "--mode", string(score.Calibrated)).Modes
	if modes.Reviews != 1395 || len(modes.Results) != 9 {
		t.Errorf("%d reviews, %d modes, want 1395 and 9", modes.Reviews, len(modes.Results))
	}
	for _, m := range modes.Results {
		t.Logf("%s by %s: held out %.4f, all folds together %.4f", m.Mode, m.Rule, m.HeldOut.Mean, m.HeldOut.Pooled)
		if m.HeldOut.Mean < 0.5 {
			t.Errorf("%s by %s: held-out ρ %.4f, want at least 0.5", m.Mode, m.Rule, m.HeldOut.Mean)
		}
	}
}

// damaged is a random damage to a text: bytes that are lost, changed or doubled.
func damaged(rnd *rand.Rand, text []byte) (name string, out []byte) {
	at := rnd.IntN(len(text))
	lines := bytes.SplitAfter(text, []byte("\n"))
	one, two := rnd.IntN(len(lines)), rnd.IntN(len(lines))
	switch rnd.IntN(8) {
	case 0:
		return fmt.Sprintf("cut at %d", at), text[:at]
	case 1:
		return fmt.Sprintf("no bytes before %d", at), text[at:]
	case 2:
		out := bytes.Clone(text)
		clear(out[at:])
		return fmt.Sprintf("zeros from %d", at), out
	case 3:
		return fmt.Sprintf("lines %d and %d swapped", one, two), bytes.Join(swapped(lines, one, two), nil)
	case 4:
		return fmt.Sprintf("line %d doubled", one), bytes.Join(slices.Insert(slices.Clone(lines), one, lines[one]), nil)
	case 5:
		return fmt.Sprintf("line %d removed", one), bytes.Join(slices.Delete(slices.Clone(lines), one, one+1), nil)
	}
	bit := byte(1) << rnd.IntN(8)
	out = bytes.Clone(text)
	out[at] ^= bit
	return fmt.Sprintf("bit %#x of byte %d flipped", bit, at), out
}

func swapped[T any](list []T, i, j int) []T {
	list = slices.Clone(list)
	list[i], list[j] = list[j], list[i]
	return list
}
