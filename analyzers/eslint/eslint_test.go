package eslint

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: eslint ARGS clean.js finding.js broken.js
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.js", Line: 2, Column: 5, EndLine: 2, Rule: "no-unused-vars", Message: "'fs' is assigned a value but never used.", Severity: findings.Error},
			{Path: "finding.js", Line: 5, Column: 12, EndLine: 5, Rule: "eqeqeq", Message: "Expected '===' and instead saw '=='.", Severity: findings.Warning},
			{Path: "finding.js", Line: 6, Column: 12, EndLine: 6, Rule: "no-eval", Message: "eval can be harmful.", Severity: findings.Warning},
			{Path: "finding.js", Line: 10, Column: 12, EndLine: 10, Rule: "no-unused-vars", Message: "'e' is defined but never used.", Severity: findings.Error},
			{Path: "finding.js", Line: 10, Column: 15, EndLine: 11, Rule: "no-empty", Message: "Empty block statement.", Severity: findings.Error},
		},
		Unread: []adapter.Unread{{Path: "broken.js", Reason: "line 2: Parsing error: Unexpected token const"}},
	})
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "[{}]", "[] []", `[{"filePath":"f0.js"}]`, `[{"messages":[]}]`, "Oops! Something went wrong! :(",
		`[{"filePath":"f0.js","messages":[{"ruleId":"x","line":1}]}]`, `[{"filePath":"f0.js","messages":[{"ruleId":"x","message":"m","line":-1}]}]`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), `[{"filePath":"a","messages":[{"ruleId":null,"message":"File ignored by default.","severity":1}]}]`)
}
