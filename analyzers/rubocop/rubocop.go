// Package rubocop is the adapter for RuboCop: offenses in Ruby code.
package rubocop

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
		Parse: adapter.JSON(parse),
	}
}

// broken is the cop for a file that cannot be parsed.
const broken = "Lint/Syntax"

// report is the part of the output that is needed.
type report struct {
	Files []struct {
		Path     string
		Offenses []struct {
			Severity, Message string
			Cop               string `json:"cop_name"`
			Location          struct {
				Line    int `json:"start_line"`
				Column  int `json:"start_column"`
				EndLine int `json:"last_line"`
			}
		}
	}
}

func parse(in report, r *adapter.Report) error {
	if in.Files == nil {
		return errors.New("no list of files")
	}
	for _, file := range in.Files {
		for _, o := range file.Offenses {
			if file.Path == "" || o.Cop == "" || o.Message == "" || o.Location.Line < 0 {
				return errors.New("an offense without a file, a cop, a text or a line")
			}
			if o.Cop == broken {
				reason, _, _ := strings.Cut(o.Message, "\n")
				r.Unread = append(r.Unread, adapter.Unread{Path: file.Path, Reason: fmt.Sprintf("line %d: %s", o.Location.Line, reason)})
				continue
			}
			f := findings.Finding{
				Path: file.Path, Line: o.Location.Line, Column: o.Location.Column, EndLine: o.Location.EndLine, Rule: o.Cop, Message: o.Message,
			}
			switch o.Severity {
			case "error", "fatal":
				f.Severity = findings.Error
			case "warning":
				f.Severity = findings.Warning
			case "convention", "refactor", "info":
				f.Severity = findings.Info
			default:
				return fmt.Errorf("%s: an offense of the severity %q", file.Path, o.Severity)
			}
			if strings.HasPrefix(o.Cop, "Security/") { // RuboCop calls them conventions
				f.Severity = findings.Warning
			}
			r.Findings = append(r.Findings, f)
		}
	}
	return nil
}
