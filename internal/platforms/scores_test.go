package platforms

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

// fused is how far numbers may be from the reference's where a processor multiplies and adds in
// one operation, and rounds once, and the reference does not, or the other way round.
const fused = 1e-12

// TestScores runs one command after the other, and compares its output with the output of the reference.
func TestScores(t *testing.T) {
	one := "--diff change.diff --old before.py --review @thorough.md --review @vague.md --review @off-topic.md"
	commands := []string{
		"score " + one, // the README's
		"score --data reviewers.jsonl --explain",
		"score --format json --similarity hybrid " + one,
		"gate --diff change.diff --comments comments.json --drop-off-topic --format json",
		"refs --diff change.diff --old before.py --format json",
		"smells complexity --format json before.py",
		"agree --data labelled.jsonl --format json",
		"metrics --data labelled.jsonl --metrics all",
	}
	dir := folder(t, "cache-expiry/change.diff", "cache-expiry/before.py", "cache-expiry/thorough.md", "cache-expiry/vague.md",
		"cache-expiry/off-topic.md", "cache-expiry/comments.json", "reviewers.jsonl")
	labelled, err := os.ReadFile("../cli/testdata/agree.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/labelled.jsonl", labelled)
	want := map[string]string{}
	for _, c := range commands {
		want[c] = reference.must(t, dir, strings.Fields(c)...)
	}
	for _, p := range emulated() {
		t.Run(p.name, func(t *testing.T) {
			for _, c := range commands {
				got := p.must(t, dir, strings.Fields(c)...)
				if got == want[c] {
					continue
				}
				// Go promises Windows the same bits.
				if p.windows() {
					t.Errorf("%s: not the bytes of %s:\n%s", c, reference.name, differs(want[c], got))
					continue
				}
				a, b := signed.ReplaceAllString(want[c], ""), signed.ReplaceAllString(got, "")
				if a == b {
					continue
				}
				far, err := distance(a, b)
				if err != nil || far > fused {
					t.Errorf("%s: %v, %g away:\n%s", c, err, far, differs(a, b))
				}
				if agree := strings.HasPrefix(c, "agree"); far > 0 && !agree && !strings.Contains(got, "arch=arm64") {
					t.Errorf("%s: numbers differ, and no signature names the architecture: %s", c, differs(want[c], got))
				}
				t.Logf("%s: numbers are up to %.2g away", c, far)
			}
		})
	}
}

// signed finds the texts that name the architecture: signatures, and checksums of them.
var signed = regexp.MustCompile(`\+avx\w+|[ |]arch[=:][\w-]+|(?m)^short signature +\w+$`)

// differs is the first line in which two texts differ, in both.
func differs(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d\n%.2000s\n%.2000s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// distance is the largest difference between the numbers of two texts in JSON, and an error
// where anything else differs.
func distance(a, b string) (float64, error) {
	x, y := json.NewDecoder(strings.NewReader(a)), json.NewDecoder(strings.NewReader(b))
	far := 0.0
	for {
		var v, w any
		err := x.Decode(&v)
		if other := y.Decode(&w); err != nil || other != nil {
			if err == io.EOF && other == io.EOF {
				return far, nil
			}
			return far, errors.Join(err, other)
		}
		d, err := apart(v, w)
		if err != nil {
			return far, err
		}
		far = max(far, d)
	}
}

// apart is distance for two values.
func apart(a, b any) (float64, error) {
	far := 0.0
	switch a := a.(type) {
	case float64:
		if b, ok := b.(float64); ok {
			return math.Abs(a - b), nil
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				d, err := apart(a[i], b[i])
				if err != nil {
					return far, err
				}
				far = max(far, d)
			}
			return far, nil
		}
	case map[string]any:
		if b, ok := b.(map[string]any); ok && len(a) == len(b) {
			for k := range a {
				d, err := apart(a[k], b[k])
				if err != nil {
					return far, fmt.Errorf("%s: %w", k, err)
				}
				far = max(far, d)
			}
			return far, nil
		}
	default:
		if a == b {
			return far, nil
		}
	}
	return far, fmt.Errorf("%v is not %v", b, a)
}

// TestVersion reads the output of crscore version.
func TestVersion(t *testing.T) {
	for _, p := range append(emulated(), reference) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var v struct {
				OS, Arch, Signature string
				SIMD                bool
			}
			if err := json.Unmarshal([]byte(p.must(t, t.TempDir(), "version", "--format", "json")), &v); err != nil {
				t.Fatal(err)
			}
			if v.OS+"-"+v.Arch != p.name || !strings.Contains(v.Signature, " arch="+v.Arch+" ") || v.SIMD != (v.Arch == "amd64") {
				t.Errorf("it says %+v", v)
			}
		})
	}
}
