package pylint

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: pylint ARGS clean.py finding.py broken.py
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.py", Line: 4, Column: 1, EndLine: 4, Rule: "dangerous-default-value", Message: "Dangerous default value [] as argument", Severity: findings.Warning},
			{Path: "finding.py", Line: 9, Column: 9, EndLine: 10, Rule: "bare-except", Message: "No exception type(s) specified", Severity: findings.Warning},
			{Path: "finding.py", Line: 1, Column: 1, EndLine: 1, Rule: "unused-import", Message: "Unused import os", Severity: findings.Warning},
		},
		Unread: []adapter.Unread{{Path: "broken.py", Reason: "Parsing failed: ''(' was never closed (<unknown>, line 1)'"}},
	})
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "[{}]", "usage: pylint [options]",
		`[{"type":"error","line":1,"path":"f0.py","symbol":"x"}]`,
		`[{"type":"error","line":1,"path":"f0.py","message":"x"}]`,
		`[{"type":"error","line":1,"symbol":"x","message":"x"}]`,
		`[{"type":"error","line":-1,"path":"f0.py","symbol":"x","message":"x"}]`,
		`[{"type":"opinion","line":1,"path":"f0.py","symbol":"x","message":"x"}]`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(),
		`[{"type":"fatal","line":1,"path":"f0.py","symbol":"astroid-error","message":"x"},{"type":"refactor","line":0,"column":-1,"path":"f0.py","symbol":"x","message":"x"}]`)
}

func TestPrepare(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"x = 1  # pylint: disable=all\n":    "x = 1  # pylint; disable=all\n",
		"# a # pylint:skip-file\nnamed = 1": "# a # pylint;skip-file\nnamed = 1",
		"pylint: str = \"pylint: x\"\n":     "pylint: str = \"pylint: x\"\n",
	} {
		if got := prepare(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
