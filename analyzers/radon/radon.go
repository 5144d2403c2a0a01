// Package radon is the adapter for radon: cyclomatic complexity of Python code.
package radon

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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
		Parse:   adapter.JSON(parse),
	}
}

// least is the smallest complexity that is a finding: rank C.
const least = 11

// block is a function, method or class in radon's output. The lists of methods and
// closures inside blocks are not read, because methods are in the outer list, too.
type block struct {
	Type, Name, Rank string
	Line             int `json:"lineno"`
	EndLine          int `json:"endline"`
	Column           int `json:"col_offset"`
	Complexity       int
	Class            string `json:"classname"`
}

func parse(files map[string]json.RawMessage, r *adapter.Report) error {
	if files == nil {
		return errors.New("null instead of a list of files")
	}
	if _, ok := files[""]; ok {
		return errors.New("a file without a name")
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		var broken struct{ Error *string }
		if json.Unmarshal(files[path], &broken) == nil && broken.Error != nil {
			r.Unread = append(r.Unread, adapter.Unread{Path: path, Reason: *broken.Error})
			continue
		}
		var blocks []block
		if err := json.Unmarshal(files[path], &blocks); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, b := range blocks {
			if b.Line < 1 || b.Complexity < 1 || b.Name == "" {
				return fmt.Errorf("%s: a block without a name, a line or a complexity", path)
			}
			if b.Complexity < least {
				continue
			}
			if b.Class != "" {
				b.Name = b.Class + "." + b.Name
			}
			r.Findings = append(r.Findings, findings.Finding{
				Path: path, Line: b.Line, Column: b.Column + 1, EndLine: b.EndLine, Rule: "cyclomatic-complexity", Severity: findings.Warning,
				Message: fmt.Sprintf("The cyclomatic complexity of the %s `%s` is %d (rank %s).", b.Type, b.Name, b.Complexity, b.Rank),
			})
		}
	}
	return nil
}
