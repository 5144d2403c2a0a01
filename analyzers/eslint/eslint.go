// Package eslint is the adapter for ESLint: messages about JavaScript and JSX.
package eslint

import (
	_ "embed"
	"errors"
	"fmt"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

var (
	//go:embed config.mjs
	config string
	//go:embed formatter.cjs
	formatter string
)

// Tool returns the adapter for ESLint.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:       "eslint",
		Languages:  []lang.Name{lang.JavaScript}, // its own parser does not read types
		NodeModule: ".bin/eslint",
		Install:    "npm install --global --ignore-scripts eslint",
		Version:    adapter.Version{Pattern: regexp.MustCompile(`(?m)^v(\d+\.\d+\.\d+)`), From: "9", Before: "11"}, // before 9 the configuration has another form
		Config:     []adapter.ConfigFile{{Name: "eslint.config.mjs", Text: config}, {Name: "formatter.cjs", Text: formatter}},
		// No inline configuration: a change must not switch off the checks of its own code.
		Args:  []string{"--config", "eslint.config.mjs", "--no-inline-config", "--format", "./formatter.cjs"},
		Exits: []int{0, 1},
		Parse: adapter.JSON(parse),
	}
}

// result is the result for a file, as formatter.cjs writes it.
type result struct {
	Path     string `json:"filePath"`
	Messages []struct {
		Rule                            string `json:"ruleId"` // null for messages of ESLint itself
		Message                         string
		Severity, Line, Column, EndLine int
	}
}

func parse(all []result, r *adapter.Report) error {
	if all == nil {
		return errors.New("null instead of a list")
	}
	for _, file := range all {
		if file.Path == "" || file.Messages == nil {
			return errors.New("a result without a file or its messages")
		}
		for _, m := range file.Messages {
			switch {
			case m.Message == "" || m.Line < 0 || m.Column < 0 || m.EndLine < 0:
				return errors.New("a message without a text or a line")
			case m.Rule == "":
				r.Unread = append(r.Unread, adapter.Unread{Path: file.Path, Reason: fmt.Sprintf("line %d: %s", m.Line, m.Message)})
				continue
			}
			f := findings.Finding{Path: file.Path, Line: m.Line, Column: m.Column, EndLine: m.EndLine, Rule: m.Rule, Message: m.Message, Severity: findings.Warning}
			if m.Severity == 2 {
				f.Severity = findings.Error
			}
			r.Findings = append(r.Findings, f)
		}
	}
	return nil
}
