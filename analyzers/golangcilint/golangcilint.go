// Package golangcilint is the adapter for golangci-lint: findings in Go code.
package golangcilint

import (
	"strings"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/gotool"
	"crscore/internal/findings"
	regexp "crscore/internal/lazyregexp"
)

// linters are the linters for faults and leftovers. Linters for style are left out,
// because every team has its own settings.
var linters = []string{
	"bidichk", "bodyclose", "durationcheck", "errcheck", "errorlint", "gocritic", "gosec", "govet", "ineffassign",
	"makezero", "nilerr", "nilnesserr", "rowserrcheck", "sqlclosecheck", "staticcheck", "unconvert", "unparam", "unused", "wastedassign",
}

// Tool returns the adapter for golangci-lint.
func Tool() adapter.Tool {
	// With its own cache it does not analyse the standard library again.
	return gotool.Tool(adapter.Tool{
		Name:    "golangci-lint",
		Install: "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
		Version: adapter.Version{
			Args:    []string{"version", "--short"},
			Pattern: regexp.MustCompile(`^v?(\d+\.\d+\.\d+)`),
			From:    "2.1", Before: "3",
		},
		// A change must not switch off the checks of its own code.
		Prepare: gotool.Prepare,
		Args: []string{
			"run", "--no-config", "--default=none", "--enable=" + strings.Join(linters, ","), "--max-issues-per-linter=0", "--max-same-issues=0",
			"--path-mode=abs", "--show-stats=false", "--output.json.path=stdout",
		},
		Exits: []int{0, 1}, // nothing, issues
		Parse: adapter.JSON(
			adapter.Table{Rows: "Report", Message: "Error", Rules: map[string]findings.Severity{"": adapter.Fatal}, Reason: adapter.Message}, // or ""
			adapter.Table{
				Rows: "Issues", Path: "Pos.Filename", Line: "Pos.Line", Column: "Pos.Column", Rule: "FromLinter", Message: "Text",
				// A package that does not compile hides findings, even in other packages.
				// Staticcheck's quick fixes are for editors.
				Rules:  map[string]findings.Severity{"typecheck": adapter.Fatal, "staticcheck/QF": adapter.Skip},
				Judge:  name,
				Reason: gotool.Reason,
			},
		),
	}, adapter.Variable{Name: "GOLANGCI_LINT_CACHE", Home: ".cache/golangci-lint"})
}

// name puts the check in the rule. Some linters have many checks and name the check:
// "SA4000: identical ...".
func name(_ *adapter.Row, f *findings.Finding) {
	if m := check.FindStringSubmatch(f.Message); m != nil && f.Rule != "" && f.Rule != "typecheck" {
		f.Rule, f.Message = f.Rule+"/"+m[1], m[2]
	}
}

var check = regexp.MustCompile(`^([A-Za-z]\w+): (.+)$`)
