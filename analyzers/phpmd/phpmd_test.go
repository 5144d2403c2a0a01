package phpmd

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: phpmd clean.php,finding.php,broken.php xml ruleset.xml --strict
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.php", Line: 6, EndLine: 6, Rule: "UnusedPrivateField", Message: "Avoid unused private fields such as '$unused'.", Severity: findings.Warning},
			{Path: "finding.php", Line: 8, EndLine: 8, Rule: "UnusedFormalParameter", Message: "Avoid unused parameters such as '$mode'.", Severity: findings.Warning},
			{Path: "finding.php", Line: 15, EndLine: 15, Rule: "ErrorControlOperator", Message: "Remove error control operator '@' on line 15.", Severity: findings.Error},
			{Path: "finding.php", Line: 8, EndLine: 16, Rule: "Superglobals", Message: "load accesses the super-global variable $_GET.", Severity: findings.Error},
			{Path: "finding.php", Line: 10, EndLine: 10, Rule: "UnusedLocalVariable", Message: "Avoid unused local variables such as '$start'.", Severity: findings.Warning},
			{Path: "finding.php", Line: 12, EndLine: 12, Rule: "EvalExpression", Message: "The method load() contains an eval expression.", Severity: findings.Error},
			{Path: "finding.php", Line: 13, EndLine: 14, Rule: "EmptyCatchBlock", Message: "Avoid using empty try-catch blocks in load.", Severity: findings.Error},
		},
		Unread: []adapter.Unread{{Path: "broken.php", Reason: "Unexpected token: ;, line: 5, col: 29"}},
	})
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"<pmd/>", `<pmd tool="pmd"/>`, "<checkstyle></checkstyle>", `<pmd tool="phpmd"><error filename="" msg="no file"/></pmd>`, `PHP Deprecated: x`,
		`<pmd tool="phpmd"><file name="a"><violation beginline="0" endline="1" rule="R">m</violation></file></pmd>`,
		`<pmd tool="phpmd"><file name="a"><violation beginline="1" endline="1" rule="R"></violation></file></pmd>`,
		`<pmd tool="phpmd"><file name="a"><violation beginline="x" endline="1" rule="R">m</violation></file></pmd>`,
		`<pmd tool="phpmd"><file><violation beginline="1" endline="1" rule="R">m</violation></file></pmd>`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), `<pmd tool="phpmd"><error filename="f0.php" msg="x"/></pmd>`)
}
