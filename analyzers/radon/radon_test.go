package radon

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
)

// The output is of: radon cc -j clean.py finding.py broken.py
func TestParse(t *testing.T) {
	out, err := os.ReadFile("testdata/output.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(out)
	if err != nil {
		t.Fatal(err)
	}
	want := adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.py", Line: 1, Column: 1, EndLine: 20, Rule: "cyclomatic-complexity", Severity: findings.Warning,
				Message: "The cyclomatic complexity of the class `Shop` is 14 (rank C)."},
			{Path: "finding.py", Line: 2, Column: 5, EndLine: 20, Rule: "cyclomatic-complexity", Severity: findings.Warning,
				Message: "The cyclomatic complexity of the method `Shop.price` is 13 (rank C)."},
		},
		Unread: []adapter.Unread{{Path: "broken.py", Reason: "'(' was never closed (<unknown>, line 1)"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, out := range []string{
		"", "null", "[]", "Segmentation fault", `{"f0.py": [`, `{"f0.py": 3}`, `{"f0.py": [{}]}`, `{"f0.py": {}}`, `{"f0.py": []} more`,
		`{"f0.py": [{"type": "function", "name": "f", "lineno": 0, "complexity": 12}]}`,
	} {
		if r, err := parse([]byte(out)); err == nil {
			t.Errorf("%q was read as %v", out, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	out, err := os.ReadFile("testdata/output.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(out)
	f.Add([]byte(`{"f0.py": {"error": null}, "f1.py": [{"lineno": 1e3, "complexity": 11, "name": "\u0000"}]}`))
	f.Fuzz(func(t *testing.T, out []byte) {
		r, err := parse(out)
		if err != nil && (r.Findings != nil || r.Unread != nil) {
			t.Errorf("half a report: %v", r)
		}
		for _, f := range r.Findings {
			if f.Line < 1 || f.Message == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
