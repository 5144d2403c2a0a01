package checkstyle

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: checkstyle ARGS clean.java finding.java broken.java, in /
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "/finding.java", Line: 1, Column: 8, Rule: "UnusedImports", Message: "Unused import - java.util.List.", Severity: findings.Info},
			{Path: "/finding.java", Line: 4, Column: 16, Rule: "VisibilityModifier", Message: "Variable 'total' must be private and have accessor methods.", Severity: findings.Warning},
			{Path: "/finding.java", Line: 9, Column: 11, Rule: "IllegalCatch", Message: "Catching 'Exception' is not allowed.", Severity: findings.Warning},
			{Path: "/finding.java", Line: 9, Column: 31, Rule: "EmptyCatchBlock", Message: "Empty catch block.", Severity: findings.Warning},
		},
		Unread: []adapter.Unread{{Path: "/broken.java", Reason: "/broken.java:2:17: unexpected token: price"}},
	})
}

func results(s string) string {
	return `<checkstyle version="8.36.1"><file name="f0.java">` + s + `</file></checkstyle>`
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "Could not find or load main class", "<checkstyle/>", `<results version="4.3"/>`, results("")+"x", results("<error/>"),
		results(`<error line="1" severity="error" message="x"/>`),
		results(`<error line="1" severity="error" message="x" source="."/>`),
		results(`<error line="1" severity="error" source="a.XCheck"/>`),
		results(`<error line="1" severity="opinion" message="x" source="a.XCheck"/>`),
		results(`<error line="-1" severity="error" message="x" source="a.XCheck"/>`),
		`<checkstyle version="10"><file><error line="1" severity="error" message="x" source="a.XCheck"/></file></checkstyle>`,
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), results(`<error severity="info" message="x" source="XCheck"/><error message="Caused by: " source="com.puppycrawl.tools.checkstyle.Checker"/>`))
}
