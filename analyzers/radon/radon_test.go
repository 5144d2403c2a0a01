package radon

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: radon cc -j clean.py finding.py broken.py
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.py", Line: 1, Column: 1, EndLine: 20, Rule: "cyclomatic-complexity", Severity: findings.Warning,
				Message: "The cyclomatic complexity of the class `Shop` is 14 (rank C)."},
			{Path: "finding.py", Line: 2, Column: 5, EndLine: 20, Rule: "cyclomatic-complexity", Severity: findings.Warning,
				Message: "The cyclomatic complexity of the method `Shop.price` is 13 (rank C)."},
		},
		Unread: []adapter.Unread{{Path: "broken.py", Reason: "'(' was never closed (<unknown>, line 1)"}},
	})
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "[]", `{"f0.py": [`, `{"f0.py": 3}`, `{"f0.py": [{}]}`, `{"f0.py": {}}`, `{"f0.py": []} more`, `{"": []}`,
		`{"f0.py": [{"type": "function", "name": "f", "lineno": 0, "complexity": 12}]}`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), `{"f0.py": {"error": null}, "f1.py": [{"lineno": 1e3, "complexity": 11, "name": "\u0000"}]}`)
}
