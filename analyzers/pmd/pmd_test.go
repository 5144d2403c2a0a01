package pmd

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/findings"
)

// The output is of: pmd ARGS clean.java finding.java broken.java
func TestParse(t *testing.T) {
	out, err := os.ReadFile("testdata/output.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(out)
	if err != nil {
		t.Fatal(err)
	}
	want := []findings.Finding{
		{Path: "finding.java", Line: 3, Column: 1, EndLine: 3, Rule: "UnnecessaryImport", Message: "Unused import 'java.util.List'", Severity: findings.Info},
		{Path: "finding.java", Line: 7, Column: 17, EndLine: 7, Rule: "UnusedPrivateField", Message: "Avoid unused private fields such as 'unused'.", Severity: findings.Warning},
		{Path: "finding.java", Line: 15, Column: 11, EndLine: 16, Rule: "EmptyCatchBlock", Message: "Avoid empty catch blocks", Severity: findings.Warning},
		{Path: "finding.java", Line: 17, Column: 16, EndLine: 17, Rule: "UselessParentheses", Message: "Useless parentheses around `sum`.", Severity: findings.Info},
	}
	if diff := cmp.Diff(want, got.Findings); diff != "" {
		t.Error(diff)
	}
	if u := got.Unread; len(u) != 1 || u[0].Path != "broken.java" || !strings.HasPrefix(u[0].Reason, "ParseException: ") {
		t.Errorf("%q", u)
	}
}

func TestParseErrors(t *testing.T) {
	for _, out := range []string{
		"", "null", "{}", "[]", "Error: Could not find or load main class", `{"pmdVersion":"7.28.0"}`, `{"pmdVersion":"7.28.0","files":[`, `{"files":[]}`,
		`{"pmdVersion":"7.28.0","files":[{"filename":"f0.java","violations":[{"beginline":0,"rule":"X"}]}]}`,
		`{"pmdVersion":"7.28.0","files":[{"filename":"f0.java","violations":[{"beginline":1}]}]}`,
		`{"pmdVersion":"7.28.0","files":[],"configurationErrors":[{"rule":"X","message":"is gone"}]}`,
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
	f.Fuzz(func(t *testing.T, out []byte) {
		r, err := parse(out)
		if err != nil && (r.Findings != nil || r.Unread != nil) {
			t.Errorf("half a report: %v", r)
		}
		for _, f := range r.Findings {
			if f.Line < 1 || f.Rule == "" || f.Severity == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
