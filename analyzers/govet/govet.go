// Package govet is the adapter for go vet: findings in Go code.
package govet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/gotool"
	"crscore/internal/findings"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for go vet.
func Tool() adapter.Tool {
	return gotool.Tool(adapter.Tool{
		Name:    "govet",
		Program: "go",
		Install: "install Go 1.26 or newer: https://go.dev/doc/install",
		Version: adapter.Version{
			Args:    []string{"version"},
			Pattern: regexp.MustCompile(`^go version go(\d+\.\d+(?:\.\d+)?)`),
			// Older versions print their JSON on standard error, with other text.
			From: "1.26", Before: "2",
		},
		Args:  []string{"vet", "-json"}, // all analyzers
		Exits: []int{0},                 // 1 if a package does not compile
		Parse: adapter.Read(packages, adapter.Table{
			Rows: "*.*", Path: "posn", Rule: "*", Message: "message",
			Judge:  judge,
			Reason: adapter.Message,
		}),
	})
}

// place matches the start of a finding: /dir/file.go:3:14.
var place = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?$`)

// packages reads one or more objects for each package, with the findings by package and
// analyzer. {} is a package without findings.
func packages(stdout []byte) (any, error) {
	all := map[string]any{}
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var some map[string]any
		err := dec.Decode(&some)
		switch {
		case errors.Is(err, io.EOF) && dec.InputOffset() > 0:
			return all, nil
		case err == nil && some == nil:
			err = errors.New("null instead of packages")
		}
		if err != nil {
			return nil, err
		}
		for name, found := range some {
			if all[name] != nil {
				return nil, fmt.Errorf("the package %s is there twice", name)
			}
			all[name] = found
		}
	}
}

// judge reads the place of a finding, or the error of an analyzer.
func judge(row *adapter.Row, f *findings.Finding) {
	if failed := row.Text("error"); failed != "" {
		f.Severity, f.Message = adapter.Fatal, f.Rule+": "+gotool.Reason(findings.Finding{Message: failed})
		return
	}
	m := place.FindStringSubmatch(f.Path)
	if m == nil {
		row.Refuse("a finding without a place: %q", f.Path)
		return
	}
	var err error
	if f.Line, err = strconv.Atoi(m[2]); err != nil {
		row.Refuse("%w", err)
	}
	f.Path = m[1]
	f.Column, _ = strconv.Atoi(m[3]) // may be missing
	if e := place.FindStringSubmatch(row.Text("end")); e != nil && e[1] == m[1] {
		f.EndLine, _ = strconv.Atoi(e[2]) // may be missing
	}
}
