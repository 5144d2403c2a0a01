package refmetrics

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"crscore/sts"
)

// TestPageOfMetrics computes the scores of docs/metrics.md again: of each metric one pair of
// texts on which it fails. Only BERTScore has none, because its encoder is not built in.
func TestPageOfMetrics(t *testing.T) {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	shown := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		name := strings.Trim(cells[0], "`")
		metric, err := New(name, Needs{Encoder: encoder})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		shown[name] = true
		v, err := metric.Score(t.Context(), cells[1], []string{cells[2]})
		if got := fmt.Sprintf("%.2f", v); err != nil || got != cells[3] {
			t.Errorf("%s of %q and %q: %s, %v; the page has %s", name, cells[1], cells[2], got, err, cells[3])
		}
	}
	for _, name := range Names() {
		if !shown[name] && name != "bertscore" {
			t.Errorf("docs/metrics.md shows no pair on which %s fails", name)
		}
	}
}
