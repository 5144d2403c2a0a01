// Package pylint is the adapter for pylint: messages about Python code.
package pylint

import (
	_ "embed"
	"errors"
	"fmt"
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
		Parse: adapter.JSON(parse),
	}
}

// prepare changes the comments with options for pylint. They keep their length.
func prepare(text string) string {
	return comment.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "pylint:", "pylint;") })
}

// comment finds a possible comment, to the end of the line.
var comment = regexp.MustCompile(`#.*`)

// message is a message of pylint.
type message struct {
	Type, Path, Symbol, Message string
	Line, Column                int
	EndLine                     int // null if it is not known
}

// broken is the message for a file that Python cannot parse.
const broken = "syntax-error"

func parse(all []message, r *adapter.Report) error {
	if all == nil {
		return errors.New("null instead of a list")
	}
	for _, m := range all {
		if m.Path == "" || m.Symbol == "" || m.Message == "" || m.Line < 0 {
			return errors.New("a message without a path, a symbol, a text or a line")
		}
		f := findings.Finding{Path: m.Path, Line: m.Line, Column: m.Column + 1, EndLine: m.EndLine, Rule: m.Symbol, Message: m.Message}
		switch m.Type {
		case "fatal":
			r.Unread = append(r.Unread, adapter.Unread{Path: m.Path, Reason: m.Message})
			continue
		case "error":
			if m.Symbol == broken {
				r.Unread = append(r.Unread, adapter.Unread{Path: m.Path, Reason: m.Message})
				continue
			}
			f.Severity = findings.Error
		case "warning":
			f.Severity = findings.Warning
		case "refactor", "convention", "info":
			f.Severity = findings.Info
		default:
			return fmt.Errorf("%s: a message of the type %q", m.Path, m.Type)
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}
