package rubocop

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: rubocop ARGS clean.rb finding.rb broken.rb
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.rb", Line: 1, Column: 5, EndLine: 1, Rule: "Naming/MethodName", Message: "Use snake_case for method names.", Severity: findings.Info},
			{Path: "finding.rb", Line: 2, Column: 3, EndLine: 2, Rule: "Lint/UselessAssignment", Message: "Useless assignment to variable - `count`.", Severity: findings.Warning},
			{Path: "finding.rb", Line: 3, Column: 3, EndLine: 3, Rule: "Security/Eval", Message: "The use of `eval` is a serious security risk.", Severity: findings.Warning},
			{Path: "finding.rb", Line: 4, Column: 1, EndLine: 5, Rule: "Lint/RescueException",
				Message: "Avoid rescuing the `Exception` class. Perhaps you meant to rescue `StandardError`?", Severity: findings.Warning},
		},
		Unread: []adapter.Unread{
			{Path: "broken.rb", Reason: "line 2: unexpected token tIDENTIFIER"},
			{Path: "broken.rb", Reason: "line 3: unexpected token kEND"},
		},
	})
}

func offense(s string) string { return `{"files":[{"path":"f0.rb","offenses":[{` + s + `}]}]}` }

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "[]", "Error: RuboCop found unknown Ruby version", `{"files":null}`, offense(""),
		offense(`"severity":"warning","message":"x"`),
		offense(`"severity":"warning","cop_name":"Lint/Void"`),
		offense(`"severity":"opinion","cop_name":"Lint/Void","message":"x"`),
		offense(`"severity":"warning","cop_name":"Lint/Void","message":"x","location":{"start_line":-1}`),
		`{"files":[{"offenses":[{"severity":"warning","cop_name":"Lint/Void","message":"x"}]}]}`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), offense(`"severity":"fatal","cop_name":"Security/","message":"x"},{"severity":"info","cop_name":"Lint/Syntax","message":"\n"`))
}
