package jshint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: jshint --config jshint.json --reporter reporter.js clean.js finding.js broken.js
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.js", Line: 3, Column: 14, Rule: "W033", Message: "Missing semicolon.", Severity: findings.Warning},
			{Path: "finding.js", Line: 5, Column: 10, Rule: "W061", Message: "eval can be harmful.", Severity: findings.Warning},
			{Path: "broken.js", Line: 2, Column: 3, Rule: "W024", Message: "Expected an identifier and instead saw 'return' (a reserved word).", Severity: findings.Warning},
			{Path: "broken.js", Line: 2, Column: 10, Rule: "E021", Message: "Expected ',' and instead saw 'a'.", Severity: findings.Error},
			{Path: "broken.js", Line: 2, Column: 11, Rule: "E030", Message: "Expected an identifier and instead saw ';'.", Severity: findings.Error},
			{Path: "broken.js", Line: 2, Column: 11, Rule: "E021", Message: "Expected ',' and instead saw ';'.", Severity: findings.Error},
			{Path: "broken.js", Line: 3, Column: 1, Rule: "E030", Message: "Expected an identifier and instead saw ''.", Severity: findings.Error},
		},
		Unread: []adapter.Unread{{Path: "broken.js", Reason: "line 2: Expected ',' and instead saw 'a'."}},
	})
}

const tooManyErrors = `[{"file":"a","line":1,"code":"I001","reason":"x"},{"file":"a","line":3,"code":"E043","reason":"Too many errors."}]`

// TestGivenUp holds that a file that JSHint gives up is not read. The runner leaves out what is found in it.
func TestGivenUp(t *testing.T) {
	got, err := Tool().Parse([]byte(tooManyErrors))
	if diff := cmp.Diff(adapter.Report{
		Findings: []findings.Finding{{Path: "a", Line: 1, Rule: "I001", Message: "x", Severity: findings.Info}},
		Unread:   []adapter.Unread{{Path: "a", Reason: "line 3: Too many errors."}},
	}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "[{}]", "RangeError: Maximum call stack size exceeded", `[] []`,
		`[{"file":"f0.js","line":1,"code":"","reason":"x"}]`, `[{"file":"f0.js","line":1,"code":"W1"}]`, `[{"file":"f0.js","line":"1","code":"W1","reason":"x"}]`,
		`[{"file":"f0.js","line":-1,"code":"W1","reason":"x"}]`,
	)
}

func FuzzParse(f *testing.F) { adaptertest.Fuzz(f, Tool(), tooManyErrors) }

func TestPrepare(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       "",
		"eval(x); // jshint ignore:line\r\n":     "eval(x); // JShint ignore:line\r\n",
		"/*jshint evil:true */ /*\n\ufeffjslint": "/*JShint evil:true */ /*\n\ufeffJSlint",
		"// see jshint.com\njshint();":           "// see jshint.com\njshint();",
	} {
		if got := Tool().Prepare(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
