package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"crscore/internal/dataset"
)

func TestInert(t *testing.T) {
	const a = apart
	for in, want := range map[string]string{
		"":                          "",
		"a::b ##c":                  "a::b ##c",
		"::error::x":                ":" + a + ":error::x",
		"a\n  ::add-mask::x\n":      "a\n  :" + a + ":add-mask::x\n",
		"a\r\t::error::x":           "a\r\t:" + a + ":error::x",
		"\u00a0\u2003::error::x":    "\u00a0\u2003:" + a + ":error::x",
		"\u200b\ufeff\x1b::error::": "\u200b\ufeff\x1b:" + a + ":error::",
		"\x00::error::x":            "\x00:" + a + ":error::x",
		"\xff::error::x":            "\xff::error::x",
		":: error":                  ":: error",
		":::error":                  ":::error",
		"crscore: ::error::x":       "crscore: ::error::x",
		"say ##[add-mask]x":         "say #" + a + "#[add-mask]x",
		"##vso[task.setvariable]":   "#" + a + "#vso[task.setvariable]",
		"###[x]":                    "##" + a + "#[x]",
		"## A [title]":              "## A [title]",
		"####":                      "####",
	} {
		got := Inert([]byte(in))
		if string(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if again := Inert(got); !bytes.Equal(again, got) {
			t.Errorf("%q: a second time it is %q", in, again)
		}
	}
}

// TestInertOutput has hostile texts in every place of the text formats, at many widths, so
// that words stand at the start of some lines.
func TestInertOutput(t *testing.T) {
	const hostile = "::error file=a::b \u2003::add-mask::s ##[warning]x"
	number, one := 0.5, 1
	row := dataset.Row{ID: hostile, Review: hostile, Status: "scored", Con: &number, Comp: &number, Rel: &number, Sentences: &one, Refs: &one, Note: hostile, Signature: hostile,
		Explain: &dataset.Explain{Sentences: []dataset.Sentence{{Text: strings.Repeat("x", 39) + hostile}}, Refs: []dataset.Ref{{Text: hostile, Path: hostile}}}}
	for width := 40; width < 100; width++ {
		for _, changes := range []bool{false, true} {
			check(t, print(t, "text", TextOptions{Width: width, Changes: changes}, []dataset.Row{row, row}))
		}
	}
	check(t, print(t, "csv", TextOptions{}, []dataset.Row{row}))
	text := print(t, "jsonl", TextOptions{}, []dataset.Row{row})
	if check(t, text); strings.Contains(text, "##[") {
		t.Errorf("%s", text)
	}
	var back dataset.Row
	if err := json.Unmarshal([]byte(text), &back); err != nil || back.ID != hostile {
		t.Errorf("%q is not what was written: %v", back.ID, err)
	}
}

// check finds lines that are commands.
func check(t *testing.T, text string) {
	t.Helper()
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##[") {
			t.Errorf("a line is a command: %q", line)
		}
	}
}

// TestFinish holds that crscore's own signs become ASCII where the screen cannot show them,
// and that users' texts do not.
func TestFinish(t *testing.T) {
	text := []byte(legend + " · τ 0.7\u00a0… größe\n::error::x")
	if got := string(TextOptions{}.Finish(text)); got != legend+" · τ 0.7\u00a0… größe\n:"+apart+":error::x" {
		t.Error(got)
	}
	if got := string(TextOptions{ASCII: true}.Finish(text)); got != "+ matched  ~ matched in part  x not matched . tau 0.7 ... größe\n::error::x" {
		t.Error(got)
	}
}
