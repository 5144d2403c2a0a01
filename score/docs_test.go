package score

import (
	"fmt"
	"os"
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
		{Mode: Ramp, Tau: 0.6, Low: 0.2},
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
