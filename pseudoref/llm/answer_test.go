package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"crscore/chat"
	"crscore/pseudoref"
)

func show(refs []pseudoref.Ref) string {
	var b strings.Builder
	for _, r := range refs {
		b.WriteString(string(r.Kind) + ": " + r.Text + "\n")
	}
	return b.String()
}

func TestReadAnswer(t *testing.T) {
	two := "claim: A was added.\nimplication: B must change.\n"
	for name, tt := range map[string]struct {
		format Format
		text   string
		want   string
	}{
		"json":             {JSON, `{"summary":["A was added."],"implications":["B must change."]}`, two},
		"json, fenced":     {JSON, "Here it is:\n```json\n{\"summary\":[\"A was\\n added.\"],\"implications\":[\" B must change. \",\"\"], \"note\":{}}\n```\n", two},
		"json, no claims":  {JSON, ` {"implications":[],"summary":[]} `, ""},
		"numbered":         {Prose, "Summary:\n1. A was added.\n\nImplications:\n1) B must\n   change.\n", two},
		"numbered, marked": {Prose, "## **Summary of changes**\n- A was added.\n### High-level implications:\n* B must change.\n\nI hope this helps!", two},
		"without headings": {Prose, "1. A was added.\n2. B must change, which could break callers.", "claim: A was added.\nimplication: B must change, which could break callers.\n"},
		"paragraphs":       {Prose, "A was added.\n\nThis implies that B must change.\n", "claim: A was added.\nimplication: This implies that B must change.\n"},
		"names of code":    {Prose, "1. __init__ was added.\n2. *args was removed.", "claim: __init__ was added.\nclaim: *args was removed.\n"},
		"nested":           {Prose, "1. A was added:\n   1.1 `B` is new.\n   1.2. so is\n   1.2 of C.\n   a) D, too.\n2. E was removed.", "claim: A was added:\nclaim: `B` is new.\nclaim: so is 1.2 of C.\nclaim: D, too.\nclaim: E was removed.\n"},
		"thoughts":         {Prose, "<think>\n1. Hm.\n</think>\n1. A was added.\n2. B must change, which could break callers.", "claim: A was added.\nimplication: B must change, which could break callers.\n"},
		"thoughts, begun":  {JSON, "So {this}?\n</think>\n\n{\"summary\":[\"A was added.\"],\"implications\":[\"B must change.\"]}", two},
		"about thoughts":   {JSON, `{"summary":["The mark </think> is read."],"implications":[]}`, "claim: The mark </think> is read.\n"},
		"empty prose":      {Prose, " \n", ""},
	} {
		refs, err := readAnswer(tt.text, tt.format)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(tt.want, show(refs)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestReadAnswerErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		format Format
		text   string
		whole  bool // an answer to the end, but no good one
		says   string
	}{
		"breaks off in a text":  {JSON, `{"summary":["A was`, false, "breaks off"},
		"breaks off in a list":  {JSON, `{"summary":["A was added."],"implications":["B"`, false, "breaks off"},
		"breaks off before {":   {JSON, "", false, "empty"},
		"json for prose":        {Prose, " {\"summary\":[\"A was added.\"],\"implications\":[]}\n", true, "is JSON, not prose"},
		"only thoughts":         {Prose, "<think>\n1. Hm, it may", false, "thoughts"},
		"one list":              {JSON, `{"summary":["A"]}`, true, "lacks the list"},
		"null":                  {JSON, `{"summary":null,"implications":[]}`, true, "lacks the list"},
		"other keys":            {JSON, `{"Summary":["A"],"Implications":[]}`, true, "lacks the list"},
		"objects":               {JSON, `{"summary":[{"text":"A"}],"implications":[]}`, true, "not JSON after the schema"},
		"prose":                 {JSON, "1. A was added.", true, "not JSON"},
		"two objects":           {JSON, `{"summary":[],"implications":[]} {"summary":["A"]}`, true, "more than one"},
		"too long":              {JSON, strings.Repeat("x", 256<<10+1), true, "limit of 256 KiB"},
		"too many":              {Prose, strings.Repeat("- a b\n", 201), true, "limit of 200"},
		"prose without letters": {Prose, "```\n123\n```", true, "no list"},
	} {
		refs, err := readAnswer(tt.text, tt.format)
		if err == nil {
			t.Errorf("%s: %v", name, refs)
			continue
		}
		if errors.Is(err, chat.ErrIncomplete) == tt.whole || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add(`{"summary":["A was added."],"implications":["B"]}`)
	f.Add("Summary:\n1. A\n b\n\nImplications\n- c")
	f.Add(`{"summary":[],"implications":["0"]}}`)
	f.Add("```json\n{\"summary\":[\"\\ud800\"],\"implications\":[\"\x00\"]}```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{JSON, Prose} {
			refs, err := readAnswer(text, format)
			if err != nil && refs != nil {
				t.Error("claims beside an error")
			}
			for _, r := range refs {
				if r.Kind != pseudoref.Claim && r.Kind != pseudoref.Implication || strings.TrimSpace(r.Text) == "" ||
					strings.ContainsAny(r.Text, "\n\r") || !utf8.ValidString(r.Text) {
					t.Errorf("%+v", r)
				}
			}
		}
		// What was cut is incomplete or not readable, never a shorter list.
		whole, err := readAnswer(text, JSON)
		if err != nil || len(whole) == 0 {
			return
		}
		if text, err = chat.Said(text); err != nil {
			t.Fatal(err)
		}
		start := strings.IndexByte(text, '{')
		dec := json.NewDecoder(strings.NewReader(text[start:]))
		if err := dec.Decode(&json.RawMessage{}); err != nil {
			t.Fatal(err)
		}
		end := start + int(dec.InputOffset()) - 1 // words behind it may have braces, too
		for _, n := range []int{end, (start + end) / 2} {
			if refs, err := readJSON(text[:n]); err == nil {
				t.Errorf("%q gives %v", text[:n], refs)
			}
		}
	})
}
