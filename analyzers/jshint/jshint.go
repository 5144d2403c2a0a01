// Package jshint is the adapter for JSHint: warnings about JavaScript.
package jshint

import (
	_ "embed"
	"errors"
	"fmt"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

//go:embed reporter.js
var reporter string

// Tool returns the adapter for JSHint.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:       "jshint",
		Languages:  []lang.Name{lang.JavaScript},
		NodeModule: ".bin/jshint",
		Install:    "npm install --global --ignore-scripts jshint",
		Version:    adapter.Version{Pattern: regexp.MustCompile(`jshint v(\d+\.\d+\.\d+)`), From: "2.11", Before: "3"}, // 2.11 knows esversion 11
		// JSHint's own defaults, with the newest version of the language.
		Config: []adapter.ConfigFile{
			{Name: "jshint.json", Text: `{"esversion": 11, "maxerr": 10000}`},
			{Name: "reporter.js", Text: reporter},
			{Name: ".jshintignore"}, // without it JSHint searches the folders above
		},
		// A change must not switch off the checks of its own code.
		Prepare: func(text string) string { return order.ReplaceAllString(text, "${1}JS${2}int") },
		Args:    []string{"--config", "jshint.json", "--reporter", "reporter.js"},
		Exits:   []int{0, 2},
		Parse:   adapter.JSON(parse),
	}
}

// order matches the beginning of a comment with options for JSHint.
var order = regexp.MustCompile(`(/[/*][\s\p{Z}\x{feff}]*)js([hl])int`)

// warning is a result, as reporter.js writes it.
type warning struct {
	File, Code, Reason string
	Line, Column       int
}

// Codes with which JSHint stops reading a file.
const (
	unrecoverable = "E041"
	tooMany       = "E043"
)

func parse(all []warning, r *adapter.Report) error {
	if all == nil {
		return errors.New("null instead of a list")
	}
	// Warnings about a file that JSHint stopped reading come from misreading it.
	first, unread := map[string]warning{}, map[string]bool{}
	for _, w := range all {
		if w.File == "" || w.Code == "" || w.Reason == "" || w.Line < 0 {
			return errors.New("a warning without a file, a code, a reason or a line")
		}
		if _, ok := first[w.File]; !ok && w.Code[0] == 'E' {
			first[w.File] = w
		}
		unread[w.File] = unread[w.File] || w.Code == unrecoverable || w.Code == tooMany
	}
	for _, w := range all {
		if unread[w.File] {
			if w.Code == unrecoverable || w.Code == tooMany {
				f := first[w.File]
				r.Unread = append(r.Unread, adapter.Unread{Path: w.File, Reason: fmt.Sprintf("line %d: %s", f.Line, f.Reason)})
			}
			continue
		}
		r.Findings = append(r.Findings, findings.Finding{
			Path: w.File, Line: w.Line, Column: w.Column, Rule: w.Code, Message: w.Reason, Severity: severity(w.Code),
		})
	}
	return nil
}

func severity(code string) findings.Severity {
	switch code[0] {
	case 'E':
		return findings.Error
	case 'I':
		return findings.Info
	}
	return findings.Warning
}
