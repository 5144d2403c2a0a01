// Package golangcilint is the adapter for golangci-lint: findings in Go code.
package golangcilint

import (
	"errors"
	"fmt"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/gotool"
	"crscore/internal/findings"
	"crscore/internal/lang"
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
	return adapter.Tool{
		Name:      "golangci-lint",
		Languages: []lang.Name{lang.Go},
		Install:   "go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@latest",
		Version: adapter.Version{
			Args:    []string{"version", "--short"},
			Pattern: regexp.MustCompile(`^v?(\d+\.\d+\.\d+)`),
			From:    "2.1", Before: "3",
		},
		Project: gotool.Project(),
		// With its own cache it does not analyse the standard library again.
		Keep:  append(gotool.Keep(), adapter.Variable{Name: "GOLANGCI_LINT_CACHE", Home: ".cache/golangci-lint"}),
		Env:   gotool.Env(),
		Hints: gotool.Hints(),
		// A change must not switch off the checks of its own code.
		Prepare: gotool.Prepare,
		Args: []string{
			"run", "--no-config", "--default=none", "--enable=" + strings.Join(linters, ","), "--max-issues-per-linter=0", "--max-same-issues=0",
			"--path-mode=abs", "--show-stats=false", "--output.json.path=stdout",
		},
		Exits: []int{0, 1}, // nothing, issues
		Parse: adapter.JSON(parse),
	}
}

// report is the part of golangci-lint's JSON that is needed.
type report struct {
	Issues []struct {
		FromLinter, Text string
		Pos              struct {
			Filename     string
			Line, Column int
		}
	}
	Report *struct{ Error string }
}

func parse(in report, r *adapter.Report) error {
	if in.Issues == nil || in.Report == nil {
		return errors.New("no list of issues or no report")
	}
	if in.Report.Error != "" {
		*r = adapter.Report{Failed: in.Report.Error}
		return nil
	}
	for _, i := range in.Issues {
		// A package that does not compile hides findings, even in other packages.
		if i.FromLinter == "typecheck" {
			*r = adapter.Report{Failed: gotool.Reason(i.Text)}
			return nil
		}
		if i.FromLinter == "" || i.Text == "" || i.Pos.Filename == "" || i.Pos.Line < 1 {
			return fmt.Errorf("%s: an issue without a linter, a text or a place", i.Pos.Filename)
		}
		f := findings.Finding{
			Path: i.Pos.Filename, Line: i.Pos.Line, Column: i.Pos.Column, Rule: i.FromLinter, Message: i.Text, Severity: findings.Warning,
		}
		// Some linters have many checks and name the check: "SA4000: identical ...".
		if m := check.FindStringSubmatch(i.Text); m != nil {
			f.Rule, f.Message = i.FromLinter+"/"+m[1], m[2]
		}
		// Staticcheck's quick fixes are for editors.
		if strings.HasPrefix(f.Rule, "staticcheck/QF") {
			continue
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}

var check = regexp.MustCompile(`^([A-Za-z]\w+): (.+)$`)
