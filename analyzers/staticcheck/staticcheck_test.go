package staticcheck

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
			{Path: path, Line: 7, Column: 13, EndLine: 7, Rule: "SA5009", Severity: findings.Warning,
				Message: "Printf format %s reads arg #2, but call has only 1 args"},
			{Path: path, Line: 8, Column: 5, EndLine: 8, Rule: "S1002", Severity: findings.Info,
				Message: "should omit comparison to bool constant, can be simplified to open"},
			{Path: path, Line: 9, Column: 10, EndLine: 9, Rule: "ST1005", Severity: findings.Info, Message: "error strings should not be capitalized"},
			{Path: path, Line: 14, Column: 6, Rule: "U1000", Severity: findings.Info, Message: "func unused is unused"},
		},
	})
}

// A package that does not compile takes the answer from all.
func TestCompileError(t *testing.T) {
	r, err := Tool().Parse([]byte(`{"code":"SA1000","location":{"file":"/a.go","line":1},"message":"m"}
{"code":"compile","severity":"error","location":{"file":"","line":0},"message":"# example.com/shop\n./a.go:3:1: missing return\nmore"}
`))
	if err != nil || r.Failed != "./a.go:3:1: missing return" || r.Findings != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefuses(t *testing.T) {
	for _, out := range []string{
		"Segmentation fault\n", "\n", "null\n", "{}\n", "[]\n", `{"code":"SA1000","location":{"file":"/a.go","line":1},"message":"m"}`,
		`{"code":"SA1000","location":{"file":"/a.go","line":0},"message":"m"}` + "\n", `{"code":"SA1000","location":{"line":1},"message":"m"}` + "\n",
		`{"code":"SA1000","location":{"file":"/a.go","line":1}}` + "\n", `{"code":"SA1000"` + "\n",
	} {
		if r, err := Tool().Parse([]byte(out)); err == nil {
			t.Errorf("%q was read as %v", out, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), "", `{"code":"compile","message":"# x\n\n: \n"}`+"\n")
}
