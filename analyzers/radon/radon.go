// Package radon is the adapter for radon: cyclomatic complexity of Python code.
package radon

import (
	"fmt"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for radon.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "radon",
		Languages: []lang.Name{lang.Python},
		Install:   "apt-get install radon",
		InstallOn: map[string]string{"darwin": "pipx install radon", "windows": "pipx install radon"},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`^(\d+\.\d+(?:\.\d+)?)`), From: "5.0", Before: "7"},
		// For a radon that pip or pyenv installed into the home directory.
		Keep: []adapter.Variable{{Name: "PYTHONUSERBASE", Home: ".local"}, {Name: "PYENV_ROOT", Home: ".pyenv"}},
		Env:  []string{"RADONFILESENCODING=UTF-8"},
		// radon reads a byte order mark as code.
		Prepare: func(text string) string { return strings.TrimPrefix(text, "\ufeff") },
		Args:    []string{"cc", "-j"},
		Exits:   []int{0}, // syntax errors are in the output
		Parse: adapter.JSON(adapter.Table{
			// The lists of methods and closures inside blocks are not read, because methods are
			// in the outer list, too.
			Rows: "*", Path: "*", Line: "lineno", Column: "col_offset", EndLine: "endline", Message: "error",
			Judge:  judge,
			Reason: adapter.Message,
		}),
	}
}

// least is the smallest complexity that is a finding: rank C.
const least = 11

// judge makes a finding of a block: a function, a method or a class.
func judge(row *adapter.Row, f *findings.Finding) {
	name, complexity := row.Text("name"), row.Number("complexity")
	switch {
	case f.Message != "":
		f.Severity = adapter.Broken
		return
	case f.Line < 1 || complexity < 1 || name == "":
		row.Refuse("%s: a block without a name, a line or a complexity", f.Path)
	case complexity < least:
		f.Severity = adapter.Skip
	}
	if class := row.Text("classname"); class != "" {
		name = class + "." + name
	}
	f.Column++
	f.Rule = "cyclomatic-complexity"
	f.Message = fmt.Sprintf("The cyclomatic complexity of the %s `%s` is %d (rank %s).", row.Text("type"), name, complexity, row.Text("rank"))
}
