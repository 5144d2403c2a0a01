package score

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs holds the table of docs/modes.md against the code.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/modes.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, rule := range []Rule{
		{Mode: Hard, Tau: 0.35},
		{Mode: Soft},
		{Mode: Soft, Comp: CoverNoisyOr},
		{Mode: Ramp, Tau: 0.6, Low: 0.2},
		{Mode: Ramp, Tau: 0.5, Low: 0.1, Comp: CoverNoisyOr},
		{Mode: Calibrated, Tau: 0.4, Slope: 10},
		{Mode: Hard, Tau: 0.35, Weights: Weights{"smell": 0.5}},
	} {
		r := mustScore(t, exampleSim, exampleRefs, rule)
		want = append(want, fmt.Sprintf("| `%s` | %.3f | %.3f | %.3f |", rule.Signature(), r.Con, r.Comp, r.Rel))
	}
	var got []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `mode=") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table of docs/modes.md is\n%s\nthe code says\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDocsExamples: the weights and the profile of docs/modes.md are what they say.
func TestDocsExamples(t *testing.T) {
	page, err := os.ReadFile("../docs/modes.md")
	if err != nil {
		t.Fatal(err)
	}
	weights := regexp.MustCompile("`--weights ([^`]*)`").FindAllSubmatch(page, -1)
	if len(weights) < 2 {
		t.Errorf("%d examples of weights", len(weights))
	}
	for _, m := range weights {
		if w, err := ParseWeights(string(m[1])); err != nil || w.String() != string(m[1]) {
			t.Errorf("%s: %q, %v", m[1], w.String(), err)
		}
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d profiles", len(blocks))
	}
	p, err := ParseProfile(blocks[0][1])
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.MarshalIndent(p, "", "  "); err != nil || string(again)+"\n" != string(blocks[0][1]) {
		t.Errorf("the profile has other fields than the code:\n%s", again)
	}
}
