// Package pylint is the adapter for pylint: messages about Python code.
package pylint

import (
	_ "embed"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

var (
	//go:embed pylintrc
	config string
	//go:embed forks.txt
	forks string
)

// Tool returns the adapter for pylint.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "pylint",
		Languages: []lang.Name{lang.Python},
		Install:   "apt-get install pylint",
		InstallOn: map[string]string{"darwin": "brew install pylint", "windows": "pipx install pylint"},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`pylint (\d+\.\d+\.\d+)`), From: "2.14", Before: "4"},
		// For a pylint that pip or pyenv installed into the home directory.
		Keep: []adapter.Variable{{Name: "PYTHONUSERBASE", Home: ".local"}, {Name: "PYENV_ROOT", Home: ".pyenv"}},
		// The file has no name of a module, so that code cannot import it.
		Config: []adapter.ConfigFile{{Name: "pylintrc", Text: config}, {Name: "forks.txt", Text: forks}},
		// A change must not switch off the checks of its own code.
		Prepare: prepare,
		// A setting that a version does not know is not a finding.
		Args:  []string{"--init-hook=exec(open('forks.txt', encoding='utf-8').read(), {})", "--rcfile=pylintrc", "--disable=unknown-option-value,useless-option-value,unrecognized-option", "--output-format=json", "--jobs=1"},
		Exits: adapter.Through(31), // a bit for each kind of message; 32 is wrong usage
		// pylint reads one file at a time, and a file may take seconds.
		Batch: 10,
		Parse: adapter.JSON(adapter.Table{
			Path: "path", Line: "line", Column: "column", EndLine: "endLine", Rule: "symbol", Message: "message", Level: "type",
			Levels:    map[string]findings.Severity{"fatal": adapter.Broken},
			Rules:     map[string]findings.Severity{"syntax-error": adapter.Broken},
			WholeFile: true,
			Judge:     func(_ *adapter.Row, f *findings.Finding) { f.Column++ },
			Reason:    adapter.Message,
		}),
	}
}

// prepare changes the comments with options for pylint. They keep their length.
func prepare(text string) string {
	return comment.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "pylint:", "pylint;") })
}

// comment finds a possible comment, to the end of the line.
var comment = regexp.MustCompile(`#.*`)
