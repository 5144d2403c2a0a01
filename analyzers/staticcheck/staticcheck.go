// Package staticcheck is the adapter for staticcheck: findings in Go code.
package staticcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/gotool"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for staticcheck.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "staticcheck",
		Languages: []lang.Name{lang.Go},
		Install:   "go install honnef.co/go/tools/cmd/staticcheck@latest",
		Version: adapter.Version{
			Args:    []string{"-version"},
			Pattern: regexp.MustCompile(`^staticcheck .*\(v?(\d+\.\d+\.\d+)\)`),
			From:    "0.5", Before: "1",
		},
		Project: gotool.Project(),
		// Its own cache uses the checksums and paths of files, as Go's does.
		Keep:  append(gotool.Keep(), adapter.Variable{Name: "STATICCHECK_CACHE", Home: ".cache/staticcheck"}),
		Env:   gotool.Env(),
		Hints: gotool.Hints(),
		// A change must not switch off the checks of its own code.
		Prepare: gotool.Prepare,
		// Bugs, simplifications, unused code, and style checks for errors, receivers and
		// order. Missing comments are left out.
		Args:  []string{"-f", "json", "-checks", "SA*,S1*,U1000,ST1005,ST1008,ST1012,ST1013,ST1015,ST1016,ST1017"},
		Exits: []int{0, 1}, // nothing, problems
		Parse: parse,
	}
}

// problem is the part of a line of the output that is needed.
type problem struct {
	Code, Severity, Message string
	Location, End           struct {
		File         string
		Line, Column int
	}
}

// parse reads an object for each problem. Without problems the output is empty. SARIF
// would be one document, but is mostly descriptions of rules.
func parse(stdout []byte) (adapter.Report, error) {
	if len(stdout) > 0 && !bytes.HasSuffix(stdout, []byte("\n")) {
		return adapter.Report{}, errors.New("the last line has no end")
	}
	var r adapter.Report
	for line := range bytes.Lines(stdout) {
		var p problem
		if err := json.Unmarshal(line, &p); err != nil {
			return adapter.Report{}, err
		}
		switch {
		case p.Code == "" || p.Message == "":
			return adapter.Report{}, errors.New("a problem without a code or a message")
		case p.Code == "compile" || p.Code == "config":
			// Packages that import this package may be missing, too, without a message.
			return adapter.Report{Failed: gotool.Reason(p.Message)}, nil
		case p.Location.File == "" || p.Location.Line < 1:
			return adapter.Report{}, fmt.Errorf("%s: a problem without a place", p.Code)
		}
		f := findings.Finding{
			Path: p.Location.File, Line: p.Location.Line, Column: p.Location.Column, Rule: p.Code, Message: p.Message, Severity: severity(p.Code),
		}
		if p.End.File == p.Location.File {
			f.EndLine = p.End.Line
		}
		r.Findings = append(r.Findings, f)
	}
	return r, nil
}

// severity returns the severity of a group of checks. Staticcheck's own severity says only
// whether the exit status is affected.
func severity(code string) findings.Severity {
	if strings.HasPrefix(code, "SA") {
		return findings.Warning
	}
	return findings.Info
}
