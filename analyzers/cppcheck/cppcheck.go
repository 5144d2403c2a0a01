// Package cppcheck is the adapter for Cppcheck: findings in C and C++ code.
package cppcheck

import (
	"cmp"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for Cppcheck.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "cppcheck",
		Languages: []lang.Name{lang.C, lang.Cpp},
		Install:   "apt-get install cppcheck",
		InstallOn: map[string]string{"darwin": "brew install cppcheck"},
		NotOn:     map[string]string{"windows": "it writes its report to /dev/stdout, which is not there"},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`Cppcheck (\d+\.\d+(?:\.\d+)?)`), From: "2.3", Before: "3"},
		Prepare:   prepare,
		Args: []string{
			"--quiet", "--xml", "--output-file=/dev/stdout", // instead of standard error
			"--enable=warning,style,performance,portability",
			// In a single file most members of a struct are unused.
			"--suppress=unusedStructMember",
			"--library=posix", "--platform=unix64",
		},
		Exits: []int{0},
		Batch: 100,
		Parse: adapter.XML(adapter.Table{
			Must: "results.cppcheck",
			// The other locations explain the first.
			Rows: "results.errors.error", Path: "location.file", Line: "location.line", Column: "location.column",
			Rule: "id", Message: "msg", Level: "severity",
			Levels: map[string]findings.Severity{"information": adapter.Skip, "none": adapter.Skip}, // about the run
			Rules:  rules, WholeFile: true,
			Judge: func(row *adapter.Row, f *findings.Finding) { f.Path = cmp.Or(f.Path, row.Text("file0")) },
		}),
	}
}

// reads finds the words that can make Cppcheck read any file of the machine, at any place:
// only Cppcheck knows which of them are directives.
var reads = func() *regexp.Regexp {
	const splice = `(?:\\[ \t]*(?:\r\n?|\n))*`
	letters := func(s string) string { return strings.Join(strings.Split(s, ""), splice) }
	return regexp.MustCompile(`\b(` + letters("include") + `|` + letters("import") + `|` + letters("embed") + `)(` + splice + letters("_next") + `)?\b`)
}()

// lies finds directives that assign lines to another file, or that make Cppcheck skip a
// file without a message (#error).
var lies = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:(?:line|file|endfile|error)\b|[0-9])`)

// prepare turns the directives that Cppcheck must not follow into comments, or into
// directives that it does not know and skips. The lines keep their numbers.
func prepare(text string) string {
	text = strings.ToValidUTF8(text, "?") // Cppcheck may read other bytes as UTF-16
	return lies.ReplaceAllString(reads.ReplaceAllString(text, "${1}__${2}"), "//$0")
}

var rules = map[string]findings.Severity{
	// A file, or one of its configurations, was not analysed.
	"syntaxError": adapter.Broken, "unknownMacro": adapter.Broken, "internalAstError": adapter.Broken,
	"internalError": adapter.Broken, "cppcheckError": adapter.Broken, "preprocessorErrorDirective": adapter.Broken,
	// Conclusions from all files together, such as two definitions of a class. The files need
	// not belong together: one may be the old text of another.
	"ctu": adapter.Skip,
}
