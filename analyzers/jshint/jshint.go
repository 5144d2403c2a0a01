// Package jshint is the adapter for JSHint: warnings about JavaScript.
package jshint

import (
	"cmp"
	_ "embed"
	"slices"

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
		Parse:   parse,
	}
}

// order matches the beginning of a comment with options for JSHint.
var order = regexp.MustCompile(`(/[/*][\s\p{Z}\x{feff}]*)js([hl])int`)

// read reads what reporter.js writes. With two codes JSHint stops reading a file.
var read = adapter.JSON(adapter.Table{
	Path: "file", Line: "line", Column: "column", Rule: "code", Message: "reason",
	Rules: map[string]findings.Severity{
		"E": findings.Error, "I": findings.Info, "": findings.Warning,
		"E041": adapter.Broken, "E043": adapter.Broken,
	},
	WholeFile: true,
})

// parse gives the first error of a file as the reason why JSHint stopped reading it.
func parse(stdout []byte) (adapter.Report, error) {
	r, err := read(stdout)
	first := map[string]string{}
	for _, f := range slices.Backward(r.Findings) {
		if f.Severity == findings.Error {
			first[f.Path] = adapter.AtLine(f)
		}
	}
	for i, u := range r.Unread {
		r.Unread[i].Reason = cmp.Or(first[u.Path], u.Reason)
	}
	return r, err
}
