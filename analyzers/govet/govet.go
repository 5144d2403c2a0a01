// Package govet is the adapter for go vet: findings in Go code.
package govet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/gotool"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for go vet.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "govet",
		Languages: []lang.Name{lang.Go},
		Program:   "go",
		Install:   "install Go 1.26 or newer: https://go.dev/doc/install",
		Version: adapter.Version{
			Args:    []string{"version"},
			Pattern: regexp.MustCompile(`^go version go(\d+\.\d+(?:\.\d+)?)`),
			// Older versions print their JSON on standard error, with other text.
			From: "1.26", Before: "2",
		},
		Project: gotool.Project(),
		Keep:    gotool.Keep(),
		Env:     gotool.Env(),
		Hints:   gotool.Hints(),
		Args:    []string{"vet", "-json"}, // all analyzers
		Exits:   []int{0},                 // 1 if a package does not compile
		Parse:   parse,
	}
}

// place matches the start of a finding: /dir/file.go:3:14.
var place = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?$`)

// parse reads one or more objects for each package, with the findings by package and
// analyzer. {} is a package without findings.
func parse(stdout []byte) (adapter.Report, error) {
	var r adapter.Report
	seen := map[string]bool{}
	objects := 0
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; objects++ {
		var packages map[string]map[string]json.RawMessage
		err := dec.Decode(&packages)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && packages == nil {
			err = errors.New("null instead of packages")
		}
		if err != nil {
			return adapter.Report{}, err
		}
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			if seen[name] {
				return adapter.Report{}, fmt.Errorf("the package %s is there twice", name)
			}
			seen[name] = true
			for _, analyzer := range slices.Sorted(maps.Keys(packages[name])) {
				if err := diagnostics(&r, analyzer, packages[name][analyzer]); err != nil {
					return adapter.Report{}, fmt.Errorf("%s, %s: %w", name, analyzer, err)
				}
			}
		}
	}
	if objects == 0 {
		return adapter.Report{}, errors.New("nothing was printed")
	}
	if r.Failed != "" {
		return adapter.Report{Failed: r.Failed}, nil
	}
	return r, nil
}

// diagnostics reads the result of an analyzer for a package: a list of findings, or an
// object with an error.
func diagnostics(r *adapter.Report, analyzer string, text json.RawMessage) error {
	var failed struct{ Error *string }
	if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
		r.Failed = fmt.Sprintf("%s: %s", analyzer, gotool.Reason(*failed.Error))
		return nil
	}
	var list []struct{ Posn, End, Message string }
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, d := range list {
		m := place.FindStringSubmatch(d.Posn)
		if m == nil || d.Message == "" || analyzer == "" {
			return fmt.Errorf("a finding without a place or a message: %q", d.Posn)
		}
		line, err := strconv.Atoi(m[2])
		if err != nil {
			return err
		}
		column, _ := strconv.Atoi(m[3]) // may be missing
		f := findings.Finding{Path: m[1], Line: line, Column: column, Rule: analyzer, Message: d.Message, Severity: findings.Warning}
		if e := place.FindStringSubmatch(d.End); e != nil && e[1] == m[1] {
			f.EndLine, _ = strconv.Atoi(e[2]) // may be missing
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}
