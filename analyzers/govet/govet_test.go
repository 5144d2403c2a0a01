package govet

import (
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: go vet -json ./clean ./finding
func TestRecorded(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "/example/finding/finding.go", Line: 19, Column: 11, EndLine: 19, Rule: "copylocks", Severity: findings.Warning,
				Message: "assignment copies lock value to other: example.com/shop/finding.Stock contains sync.Mutex"},
			{Path: "/example/finding/finding.go", Line: 18, Column: 24, EndLine: 18, Rule: "printf", Severity: findings.Warning,
				Message: "fmt.Printf format %s reads arg #2, but call has 1 arg"},
		},
	})
}

// An analyzer that did not do its work is not one that found nothing.
func TestFailedAnalyzer(t *testing.T) {
	r, err := Tool().Parse([]byte(`{"p": {"printf": [{"posn": "/a.go:1:2", "message": "m"}]}} {"q": {"printf": {"error": "# q\nno types"}}}`))
	if err != nil || r.Failed != "printf: no types" || r.Findings != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefuses(t *testing.T) {
	adaptertest.Refuses(t, Tool(), "null", "[]", `{"p": 3}`, `{"p": {"printf": null}} x`, `{"p": {"printf": {}}}`, `{"p": {"printf": [{}]}}`,
		`{"p": {"printf": [{"posn": "a.go", "message": "m"}]}}`, `{"p": {"printf": [{"posn": "a.go:3:1", "message": ""}]}}`,
		`{"p": {"printf": [{"posn": "a.go:99999999999999999999:1", "message": "m"}]}}`)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), "{}\n{}\n", `{"p": {"x": [{"posn": "a:b.go:3", "end": ":1", "message": "\u0000"}], "": null}}`)
}
