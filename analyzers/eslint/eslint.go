// Package eslint is the adapter for ESLint: messages about JavaScript and JSX.
package eslint

import (
	_ "embed"

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
		Parse: adapter.JSON(adapter.Table{
			Must: "filePath",
			Rows: ".messages", Path: "filePath", Line: "line", Column: "column", EndLine: "endLine", Rule: "ruleId", Message: "message", Level: "severity",
			Levels:    map[string]findings.Severity{"": findings.Warning, "1": findings.Warning, "2": findings.Error},
			WholeFile: true,
			Judge: func(_ *adapter.Row, f *findings.Finding) {
				if f.Rule == "" { // of ESLint itself
					f.Severity = adapter.Broken
				}
			},
		}),
	}
}
