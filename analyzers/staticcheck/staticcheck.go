// Package staticcheck is the adapter for staticcheck: findings in Go code.
package staticcheck

import (
	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/gotool"
	"crscore/internal/findings"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for staticcheck.
func Tool() adapter.Tool {
	// Its own cache uses the checksums and paths of files, as Go's does.
	return gotool.Tool(adapter.Tool{
		Name:    "staticcheck",
		Install: "go install honnef.co/go/tools/cmd/staticcheck@latest",
		Version: adapter.Version{
			Args:    []string{"-version"},
			Pattern: regexp.MustCompile(`^staticcheck .*\(v?(\d+\.\d+\.\d+)\)`),
			From:    "0.5", Before: "1",
		},
		// A change must not switch off the checks of its own code.
		Prepare: gotool.Prepare,
		// Bugs, simplifications, unused code, and style checks for errors, receivers and
		// order. Missing comments are left out.
		Args:  []string{"-f", "json", "-checks", "SA*,S1*,U1000,ST1005,ST1008,ST1012,ST1013,ST1015,ST1016,ST1017"},
		Exits: []int{0, 1}, // nothing, problems
		// SARIF would be one document, but is mostly descriptions of rules.
		Parse: adapter.JSONLines(adapter.Table{
			Path: "location.file", Line: "location.line", Column: "location.column", EndLine: "end.line", Rule: "code", Message: "message",
			// Staticcheck's own severity says only whether the exit status is affected. Packages
			// that import one that does not compile may be missing, too, without a message.
			Rules:  map[string]findings.Severity{"SA": findings.Warning, "": findings.Info, "compile": adapter.Fatal, "config": adapter.Fatal},
			Judge:  ends,
			Reason: gotool.Reason,
		}),
	}, adapter.Variable{Name: "STATICCHECK_CACHE", Home: ".cache/staticcheck"})
}

// ends leaves out an end in another file.
func ends(row *adapter.Row, f *findings.Finding) {
	if row.Text("end.file") != f.Path {
		f.EndLine = 0
	}
}
