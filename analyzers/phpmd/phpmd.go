// Package phpmd is the adapter for PHPMD: violations in PHP code.
package phpmd

import (
	_ "embed"
	"strconv"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

//go:embed ruleset.xml
var ruleset string

// Tool returns the adapter for PHPMD.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "phpmd",
		Languages: []lang.Name{lang.PHP},
		Install:   "apt-get install phpmd",
		InstallOn: map[string]string{"darwin": "brew install phpmd"},
		NotOn:     map[string]string{"windows": adapter.Batch},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`PHPMD (\d+\.\d+(?:\.\d+)?)`), From: "2.10", Before: "3"},
		Config:    []adapter.ConfigFile{{Name: "ruleset.xml", Text: ruleset}},
		// XML, because its JSON is empty if the code is not UTF-8. Strict: a change must
		// not switch off the checks of its own code.
		Args:  []string{adapter.Names, "xml", "ruleset.xml", "--strict"},
		Exits: []int{0, 2, 3}, // nothing, violations, files that could not be read
		// Its findings in a class depend on the other classes that it reads.
		Batch: 1,
		Parse: adapter.XML(
			adapter.Table{
				Must: "pmd.tool=phpmd",
				Rows: "pmd.file.violation", Path: "name", Line: "beginline", EndLine: "endline", Rule: "rule", Message: "text", Level: "priority",
				Judge: exactly,
			},
			adapter.Table{
				Rows: "pmd.error", Path: "filename", Message: "msg",
				Rules:  map[string]findings.Severity{"": adapter.Broken},
				Judge:  named,
				Reason: adapter.Message,
			},
		),
	}
}

var (
	// onLine finds the line in the messages about a whole function.
	onLine = regexp.MustCompile(`on line (\d+)\.$`)
	// inFile finds the file in errors that name it only in their text. The stack trace of
	// PHPMD follows.
	inFile = regexp.MustCompile(`^(.*), file: (.+)\.(?:\n|$)`)
)

// exactly puts a finding on its line in a function.
func exactly(row *adapter.Row, f *findings.Finding) {
	if f.EndLine < f.Line {
		row.Refuse("a violation that ends before it begins")
	}
	if m := onLine.FindStringSubmatch(f.Message); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && f.Line <= n && n <= f.EndLine {
			f.Line, f.EndLine = n, n
		}
	}
}

// named takes the file from the text of an error.
func named(_ *adapter.Row, f *findings.Finding) {
	if m := inFile.FindStringSubmatch(f.Message); m != nil {
		f.Message, f.Path = m[1], m[2]
	}
}
