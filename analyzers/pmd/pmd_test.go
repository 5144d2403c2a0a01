package pmd

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: pmd ARGS clean.java finding.java broken.java
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.java", Line: 3, Column: 1, EndLine: 3, Rule: "UnnecessaryImport", Message: "Unused import 'java.util.List'", Severity: findings.Info},
			{Path: "finding.java", Line: 7, Column: 17, EndLine: 7, Rule: "UnusedPrivateField", Message: "Avoid unused private fields such as 'unused'.", Severity: findings.Warning},
			{Path: "finding.java", Line: 15, Column: 11, EndLine: 16, Rule: "EmptyCatchBlock", Message: "Avoid empty catch blocks", Severity: findings.Warning},
			{Path: "finding.java", Line: 17, Column: 16, EndLine: 17, Rule: "UselessParentheses", Message: "Useless parentheses around `sum`.", Severity: findings.Info},
		},
		Unread: []adapter.Unread{{Path: "broken.java", Reason: "ParseException: Parse exception in file 'broken.java' at line 4, column 20: " +
			"Encountered \"{\".\nWas expecting one of:\n    \")\" ...\n    \"[\" ...\n    \",\" ...\n    \"@\" ..."}},
	})
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "[]", "Error: Could not find or load main class", `{"pmdVersion":"7.28.0"}`, `{"files":[]}`,
		`{"pmdVersion":"7.28.0","files":[{"filename":"f0.java","violations":[{"beginline":0,"rule":"X","description":"x"}]}]}`,
		`{"pmdVersion":"7.28.0","files":[{"filename":"f0.java","violations":[{"beginline":1,"description":"x"}]}]}`,
		`{"pmdVersion":"7.28.0","files":[{"filename":"f0.java","violations":[{"beginline":1,"rule":"X"}]}]}`,
		`{"pmdVersion":"7.28.0","files":[{"violations":[{"beginline":1,"rule":"X","description":"x"}]}]}`,
		`{"pmdVersion":"7.28.0","files":[],"processingErrors":[{"message":"x"}]}`,
		`{"pmdVersion":"7.28.0","files":[],"configurationErrors":[{"rule":"X","message":"is gone"}]}`,
	)
}

func FuzzParse(f *testing.F) { adaptertest.Fuzz(f, Tool()) }

func TestPrepare(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"int all = 1; // NOPMD\r\n": "int all = 1; // NoPMD\r\n",
		"@SuppressWarnings(\"PMD.X\") f(\"PMD\");":                                            "@SuppressWarnings(\"pmd.x\") f(\"PMD\");",
		"@java.lang.SuppressWarnings ( {\"all\",\n\"PMD\"} )\nclass A { @Override int f(); }": "@java.lang.SuppressWarnings ( {\"ALL\",\n\"pmd\"} )\nclass A { @Override int f(); }",
		"@SuppressWarnings(value = \"unused\")":                                               "@SuppressWarnings(value = \"UNUSED\")",
	} {
		if got := prepare(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
