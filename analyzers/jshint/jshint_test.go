package jshint

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
)

// The output is of: jshint --config jshint.json --reporter reporter.js clean.js finding.js broken.js
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
			{Path: "finding.js", Line: 3, Column: 14, Rule: "W033", Message: "Missing semicolon.", Severity: findings.Warning},
			{Path: "finding.js", Line: 5, Column: 10, Rule: "W061", Message: "eval can be harmful.", Severity: findings.Warning},
		},
		Unread: []adapter.Unread{{Path: "broken.js", Reason: "line 2: Expected ',' and instead saw 'a'."}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, out := range []string{
		"", "null", "{}", "[{}]", "RangeError: Maximum call stack size exceeded", `[{"file":"f0.js"`, `[] []`,
		`[{"file":"f0.js","line":1,"code":"","reason":"x"}]`, `[{"file":"f0.js","line":1,"code":"W1"}]`, `[{"file":"f0.js","line":"1","code":"W1","reason":"x"}]`,
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
	f.Add([]byte(`[{"file":"a","code":"I001","reason":"x"},{"file":"a","code":"E043","reason":"Too many errors."}]`))
	f.Fuzz(func(t *testing.T, out []byte) {
		r, err := parse(out)
		if err != nil && (r.Findings != nil || r.Unread != nil) {
			t.Errorf("half a report: %v", r)
		}
		unread := map[string]bool{}
		for _, u := range r.Unread {
			unread[u.Path] = true
		}
		for _, f := range r.Findings {
			if unread[f.Path] || f.Rule == "" || f.Message == "" || f.Severity == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}
