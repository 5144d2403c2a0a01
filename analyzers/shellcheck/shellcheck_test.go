package shellcheck

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: shellcheck ARGS clean.sh finding.sh broken.sh
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "broken.sh", Line: 3, Column: 2, EndLine: 3, Rule: "SC1009", Message: "The mentioned syntax error was in this simple command.", Severity: findings.Info},
			{Path: "finding.sh", Line: 4, Column: 13, EndLine: 4, Rule: "SC2045", Message: "Iterating over ls output is fragile. Use globs.", Severity: findings.Error},
			{Path: "finding.sh", Line: 4, Column: 18, EndLine: 4, Rule: "SC2035", Message: "Use ./*glob* or -- *glob* so names with dashes won't become options.", Severity: findings.Info},
			{Path: "finding.sh", Line: 5, Column: 5, EndLine: 5, Rule: "SC2086", Message: "Double quote to prevent globbing and word splitting.", Severity: findings.Info},
		},
		Unread: []adapter.Unread{
			{Path: "broken.sh", Reason: "line 3: Couldn't parse this double quoted string. Fix to allow more checks."},
			{Path: "broken.sh", Reason: "line 5: Expected end of double quoted string. Fix any mentioned problems and try again."},
		},
	})
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "[]", "No files specified.", `{"comments":null}`, `{"comments":[{}]}`,
		`{"comments":[{"file":"f0.sh","line":1,"level":"error","code":2045}]}`,
		`{"comments":[{"file":"f0.sh","line":1,"level":"error","message":"x"}]}`,
		`{"comments":[{"file":"f0.sh","level":"error","code":2045,"message":"x"}]}`,
		`{"comments":[{"line":1,"level":"error","code":2045,"message":"x"}]}`,
		`{"comments":[{"file":"f0.sh","line":1,"level":"opinion","code":2045,"message":"x"}]}`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), `{"comments":[{"file":"f0.sh","line":1,"level":"style","code":1,"message":"x"},{"file":"f0.sh","line":1,"code":1071,"message":"x"}]}`)
}

func TestPrepare(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"# shellcheck disable=all\r\nshellcheck a":     "# ShellCheck disable=all\r\nshellcheck a",
		"#shellcheck shell=dash disable=SC1,SC2\n":     "#ShellCheck shell=dash disable=SC1,SC2\n",
		"# shellcheck shell=dash\nx=1 # disable=all\n": "# shellcheck shell=dash\nx=1 # disable=all\n",
	} {
		if got := Tool().Prepare(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
