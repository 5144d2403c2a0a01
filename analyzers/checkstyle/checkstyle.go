// Package checkstyle is the adapter for Checkstyle: violations in Java code.
package checkstyle

import (
	_ "embed"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

//go:embed checkstyle.xml
var config string

// Tool returns the adapter for Checkstyle.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "checkstyle",
		Languages: []lang.Name{lang.Java},
		Install:   "apt-get install checkstyle",
		InstallOn: map[string]string{"darwin": "brew install checkstyle"},
		NotOn:     map[string]string{"windows": adapter.Batch},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`Checkstyle version: (\d+\.\d+(?:\.\d+)?)`), From: "8.36", Before: "11"},
		// Without this flag Java writes into the machine's temporary directory.
		Env:    []string{"JAVA_ARGS=-XX:-UsePerfData"},
		Config: []adapter.ConfigFile{{Name: "checkstyle.xml", Text: config}},
		// Checkstyle reads a byte order mark as code.
		Prepare: func(text string) string { return strings.TrimPrefix(text, "\ufeff") },
		Args:    []string{"-c", "checkstyle.xml", "-f", "xml"},
		Exits:   adapter.Through(253), // the number of files that it could not read; 254 and 255 are failures
		Parse: adapter.XML(adapter.Table{
			Must: "checkstyle.version",
			Rows: "checkstyle.file.error", Path: "name", Line: "line", Column: "column", Rule: "source", Message: "message", Level: "severity",
			Rules:     map[string]findings.Severity{"Checker": adapter.Broken}, // it cannot be parsed
			WholeFile: true,
			Judge: func(_ *adapter.Row, f *findings.Finding) {
				f.Rule = strings.TrimSuffix(f.Rule[strings.LastIndex(f.Rule, ".")+1:], "Check")
			},
			Reason: cause,
		}),
	}
}

// cause finds the first cause in the stack trace of an exception.
func cause(f findings.Finding) string {
	const by = "Caused by: "
	trace := f.Message
	if i := strings.LastIndex(trace, by); i >= 0 {
		trace = trace[i+len(by):]
	}
	first, _, _ := strings.Cut(trace, "\n")
	return first
}
