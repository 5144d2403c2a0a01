package gate

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"crscore"
	"crscore/change"
	"crscore/internal/comments"
)

// TestRisks: comments that name a risk, an exception, a library or a better name are never taken
// for comments on other code, though the hunk has none of these names. Those apart were written
// before the rules and not looked at for them.
func TestRisks(t *testing.T) {
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, file := range []string{"risks.jsonl", "risks_apart.jsonl", "risks_fresh.jsonl"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		n, langs := 0, map[string]bool{}
		for line := range bytes.Lines(text) {
			var c struct {
				Lang, Path, Diff, Comment string
				Line                      int
			}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			in, err := change.Parse([]byte(c.Diff), change.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d, err := Judge(t.Context(), e, crscore.Input{Change: in}, []comments.Comment{{Path: c.Path, Side: comments.New, StartLine: c.Line, EndLine: c.Line, Body: c.Comment}}, Policy{DropOffTopic: true})
			if err != nil {
				t.Fatal(err)
			}
			n++
			langs[c.Lang] = true
			if v := d.Comments[0]; !v.Kept {
				t.Errorf("%s %s: %s, z %.2f, %s: %s", file, c.Path, v.Topic, *v.Z, v.Why, c.Comment)
			}
		}
		if n < 25 || len(langs) != 10 {
			t.Errorf("%s has %d comments in %d languages", file, n, len(langs))
		}
	}
}
