// Package rubocop is the adapter for RuboCop: offenses in Ruby code.
package rubocop

import (
	_ "embed"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

//go:embed rubocop.yml
var config string

// Tool returns the adapter for RuboCop.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "rubocop",
		Languages: []lang.Name{lang.Ruby},
		Install:   "apt-get install rubocop",
		InstallOn: map[string]string{"darwin": "gem install rubocop"},
		NotOn:     map[string]string{"windows": adapter.Batch},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`^(\d+\.\d+(?:\.\d+)?)`), From: "1.31", Before: "2"},
		// For gems in the home directory.
		Keep: []adapter.Variable{{Name: "GEM_HOME"}, {Name: "GEM_PATH"}, {Name: "RBENV_ROOT", Home: ".rbenv"}},
		Config: []adapter.ConfigFile{
			// Without the first two, RuboCop searches the folders above, even with
			// --config, and runs the code in the first. The third may name code to load.
			{Name: ".rubocop.yml", Text: config}, {Name: "Gemfile"}, {Name: ".rubocop"},
		},
		// A change must not switch off the checks of its own code.
		Args:  []string{"--config", ".rubocop.yml", "--ignore-disable-comments", "--no-server", "--cache", "false", "--format", "json"},
		Exits: []int{0, 1, 2}, // nothing, offenses, a cop that failed on a file
		Batch: 100,
		Parse: adapter.JSON(adapter.Table{
			Rows: "files.offenses", Path: "path", Rule: "cop_name", Message: "message", Level: "severity",
			Line: "location.start_line", Column: "location.start_column", EndLine: "location.last_line",
			Rules:     map[string]findings.Severity{"Lint/Syntax": adapter.Broken, "Security/": findings.Warning}, // RuboCop calls the latter conventions
			WholeFile: true,
			Reason: func(f findings.Finding) string {
				f.Message, _, _ = strings.Cut(f.Message, "\n")
				return adapter.AtLine(f)
			},
		}),
	}
}
