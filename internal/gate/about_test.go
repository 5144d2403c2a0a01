package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"crscore"
	"crscore/change"
	"crscore/internal/comments"
)

// risks are comments on hunks that name a risk, an exception, a library or a better name, none of
// which the hunk has, and how many of them are dropped. The rules were made with the first files at
// hand. The last one was judged once, after the rules were fixed.
var risks = []struct {
	file    string
	dropped int
}{{"risks.jsonl", 0}, {"risks_apart.jsonl", 0}, {"risks_fresh.jsonl", 0}, {"risks_last.jsonl", 4}, {"risks_final.jsonl", 1}}

// TestRisks: such comments are not taken for comments on other code.
func TestRisks(t *testing.T) {
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, r := range risks {
		text, err := os.ReadFile("testdata/" + r.file)
		if err != nil {
			t.Fatal(err)
		}
		n, langs, dropped := 0, map[string]bool{}, []string{}
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
				dropped = append(dropped, fmt.Sprintf("%s: %s, z %.2f, %s: %s", c.Path, v.Topic, *v.Z, v.Why, c.Comment))
			}
		}
		if n < 25 || len(langs) != 10 {
			t.Errorf("%s has %d comments in %d languages", r.file, n, len(langs))
		}
		if len(dropped) != r.dropped {
			t.Errorf("%s: %d dropped, want %d:\n%s", r.file, len(dropped), r.dropped, strings.Join(dropped, "\n"))
		}
	}
}
