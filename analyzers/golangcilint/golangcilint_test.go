package golangcilint

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of the adapter's arguments and: ./clean ./finding
func TestRecorded(t *testing.T) {
	const path = "/example/finding/finding.go"
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: path, Line: 14, Column: 15, Rule: "errcheck", Severity: findings.Warning, Message: "Error return value of `f.Close` is not checked"},
			{Path: path, Line: 15, Column: 15, Rule: "errcheck", Severity: findings.Warning,
				Message: "Error return value of `f.WriteString` is not checked"},
			{Path: path, Line: 16, Column: 5, Rule: "gocritic/dupSubExpr", Severity: findings.Warning,
				Message: "suspicious identical LHS and RHS for `==` operator"},
		},
	})
}

func TestFailed(t *testing.T) {
	for out, want := range map[string]string{
		`{"Issues":[{"FromLinter":"errcheck","Text":"t","Pos":{"Filename":"a.go","Line":1}},{"FromLinter":"typecheck","Text":": # example.com/shop\n./a.go:3:1: missing return","Pos":{"Filename":"a.go","Line":1}}],"Report":{}}`: "./a.go:3:1: missing return",
		`{"Issues":[{"FromLinter":"typecheck","Text":"could not import example.com/b (-: # example.com/b\nb/b.go:3:1: missing return)","Pos":{"Filename":"a.go","Line":1}}],"Report":{}}`:                                          "b/b.go:3:1: missing return)",
		`{"Issues":[],"Report":{"Error":"context deadline exceeded"}}`: "context deadline exceeded",
	} {
		if r, err := Tool().Parse([]byte(out)); err != nil || r.Failed != want || r.Findings != nil {
			t.Errorf("%+v, %v; want %s", r, err, want)
		}
	}
}

func TestQuickFixesAreLeftOut(t *testing.T) {
	r, err := Tool().Parse([]byte(`{"Issues":[{"FromLinter":"staticcheck","Text":"QF1003: could use tagged switch on n","Pos":{"Filename":"a.go","Line":1}},{"FromLinter":"staticcheck","Text":"SA4000: m","Pos":{"Filename":"a.go","Line":1}}],"Report":{}}`))
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != "staticcheck/SA4000" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefuses(t *testing.T) {
	adaptertest.Refuses(t, Tool(), "null", "{}", "[]", `{"Issues":null,"Report":{}}`, `{"Issues":[]}`, `{"Issues":[{}],"Report":{}}`,
		`{"Issues":[{"FromLinter":"x","Text":"t","Pos":{"Filename":"a.go","Line":0}}],"Report":{}}`,
		`{"Issues":[{"FromLinter":"x","Text":"t","Pos":{"Line":1}}],"Report":{}}`)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), `{"Issues":[{"FromLinter":"typecheck","Text":"\n"}],"Report":{}}`, `{"Issues":[],"Report":{}}`)
}
