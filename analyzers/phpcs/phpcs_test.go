package phpcs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: phpcs ARGS clean.php finding.php broken.php
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.php", Line: 4, Column: 1, Rule: "Generic.CodeAnalysis.UnusedFunctionParameter.FoundAfterLastUsed", Message: "The method parameter $mode is never used", Severity: findings.Warning},
			{Path: "finding.php", Line: 6, Column: 15, Rule: "Generic.CodeAnalysis.AssignmentInCondition.Found", Message: "Variable assignment found within a condition. Did you mean to do a comparison ?", Severity: findings.Warning},
			{Path: "finding.php", Line: 6, Column: 17, Rule: "Generic.PHP.NoSilencedErrors.Discouraged", Message: "Silencing errors is discouraged; found: @file_get_contents($name...", Severity: findings.Warning},
			{Path: "finding.php", Line: 7, Column: 16, Rule: "Squiz.PHP.Eval.Discouraged", Message: "Use of eval() is discouraged", Severity: findings.Warning},
			{Path: "finding.php", Line: 11, Column: 13, Rule: "Squiz.PHP.DiscouragedFunctions.Discouraged", Message: "The use of function var_dump() is discouraged", Severity: findings.Warning},
		},
		Unread: []adapter.Unread{{Path: "broken.php", Reason: `line 5: PHP syntax error: syntax error, unexpected token ";", expecting ")"`}},
	})
}

const internals = `<phpcs version="3.7.1"><file name="a"><error line="1" column="1" source="S">s</error><error line="2" source="Internal.Exception">it failed</error></file>
<file name="b"><warning line="1" source="Internal.LineEndings.Mixed">mixed</warning><error line="3" source="S">s</error></file></phpcs>`

// TestInternals holds that what it says of itself is not taken for a fault.
func TestInternals(t *testing.T) {
	got, err := Tool().Parse([]byte(internals))
	want := adapter.Report{
		Findings: []findings.Finding{
			{Path: "a", Line: 1, Column: 1, Rule: "S", Message: "s", Severity: findings.Error}, // which the runner leaves out
			{Path: "b", Line: 3, Rule: "S", Message: "s", Severity: findings.Error},
		},
		Unread: []adapter.Unread{{Path: "a", Reason: "line 2: it failed"}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"<phpcs/>", "<checkstyle></checkstyle>", "ERROR: the \"x\" coding standard is not installed.",
		`<phpcs version="3"><file name="a"><error line="0" source="S">m</error></file></phpcs>`,
		`<phpcs version="3"><file name="a"><error line="1">m</error></file></phpcs>`,
		`<phpcs version="3"><file name="a"><error line="1" source="S"/></file></phpcs>`,
		`<phpcs version="3"><file><error line="1" source="S">m</error></file></phpcs>`,
	)
}

func FuzzParse(f *testing.F) { adaptertest.Fuzz(f, Tool(), internals) }
