package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"crscore"
	"crscore/change"
	"crscore/change/changetest"
	"crscore/internal/comments"
	"crscore/pseudoref"
	"crscore/sts/aboutness"
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

// TestSpared: a finding of a tool at a comment's lines keeps it from being elsewhere or vague.
func TestSpared(t *testing.T) {
	away := on("a.go", 2, "The `quux_handler` writes each `zorp_table` to the printer whenever the outer scheduler is stopped early.")
	for _, c := range []struct {
		name   string
		at     int
		source string
		want   []Topic
	}{
		{"a tool's", 2, "semgrep", []Topic{TopicUndecided, TopicUndecided}},
		{"the built-in rules'", 2, "builtin", []Topic{TopicElsewhere, TopicVague}},
		{"at another line", 1, "semgrep", []Topic{TopicElsewhere, TopicVague}},
	} {
		list := append(refs(), pseudoref.Ref{Kind: pseudoref.Smell, Text: "found", Path: "a.go", Side: "new", StartLine: c.at, EndLine: c.at, Source: c.source})
		e := engine(t, words{}, source{refs: list}, crscore.Options{})
		d, err := Judge(t.Context(), e, crscore.Input{Change: changetest.Parse(t, twoFiles)}, []comments.Comment{away, on("a.go", 2, "Kettle.")}, Policy{})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if got := d.Comments[i].Topic; got != want {
				t.Errorf("%s, comment %d: %s, want %s", c.name, i+1, got, want)
			}
		}
	}
}

// TestWrappings: what bots add to a finding does not change its verdict.
func TestWrappings(t *testing.T) {
	e := engine(t, words{}, source{refs: refs()}, crscore.Options{})
	for _, finding := range []string{
		"The `quux_handler` writes each `zorp_table` to the printer whenever the outer scheduler is stopped early.",
		"Kettle.", "Thanks for this, really nice work everyone!",
	} {
		var list []comments.Comment
		for _, form := range []string{
			"%s", "_⚠️ Potential issue_ | _🟠 Major_\n\n%s\n\n<!-- fingerprinting:phantom -->", "![P2 Badge](https://img.shields.io/badge/P2-yellow)\n%s\n\nUseful? React with 👍 / 👎.",
			"%s [possible bug, importance: 8]", "%s\n\n---\n*Review by bot*",
			"%s\n\n<details>\n<summary>🤖 Prompt for AI Agents</summary>\n\n```\nIn `store.py` around line 3, check `alpha`.\n```\n\n</details>",
			"%s\n\n<details>\n<summary>📝 Committable suggestion</summary>\n\n```suggestion\nalpha = beta\n```\n\n</details>",
		} {
			list = append(list, on("a.go", 2, fmt.Sprintf(form, finding)))
		}
		d, err := Judge(t.Context(), e, crscore.Input{Change: changetest.Parse(t, twoFiles)}, list, Policy{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range d.Comments {
			if first := d.Comments[0]; v.Topic != first.Topic || *v.Z != *first.Z {
				t.Errorf("%q: %s, z %v, want %s, %v", list[i].Body, v.Topic, *v.Z, first.Topic, *first.Z)
			}
		}
	}
}

// TestCancelled: no further comment is read when the context ends.
func TestCancelled(t *testing.T) {
	model, err := aboutness.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j := &judge{list: []comments.Comment{{Body: "It fails."}}, d: Decision{Comments: []Verdict{{Body: "It fails."}}}}
	if err := j.check(ctx, &change.Change{}); !errors.Is(err, context.Canceled) {
		t.Errorf("check: %v", err)
	}
	if err := j.about(ctx, model, model.Hunk(), []int{0}); !errors.Is(err, context.Canceled) {
		t.Errorf("about: %v", err)
	}
}
