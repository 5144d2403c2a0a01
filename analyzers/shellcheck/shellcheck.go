// Package shellcheck is the adapter for ShellCheck: comments on shell scripts.
package shellcheck

import (
	"errors"
	"fmt"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Codes with which ShellCheck stops: the script is not sh, bash, dash or ksh, or it cannot
// be parsed. Of the two codes for a script that cannot be parsed, one names the construct.
const (
	foreign = 1071
	broken  = 1072
	within  = 1073
)

// Tool returns the adapter for ShellCheck.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "shellcheck",
		Languages: []lang.Name{lang.Bash},
		Install:   "apt-get install shellcheck",
		InstallOn: map[string]string{"darwin": "brew install shellcheck", "windows": "winget install koalaman.shellcheck"},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`version: (\d+\.\d+(?:\.\d+)?)`), From: "0.7", Before: "1"},
		// A change must not switch off the checks of its own code. It may name its shell.
		Prepare: func(text string) string { return disable.ReplaceAllString(text, "${1}ShellCheck$2") },
		Args: []string{
			"--norc", "--format=json1",
			// Sourced scripts are missing (1090, 1091); without --external-sources none is
			// read. 1017 is on every line with an end of line of Windows.
			"--exclude=SC1017,SC1090,SC1091",
		},
		Exits: []int{0, 1},
		Batch: 100,
		Parse: adapter.JSON(parse),
	}
}

// disable matches a comment that switches checks off.
var disable = regexp.MustCompile(`(#[ \t]*)shellcheck([ \t].*\bdisable=)`)

// report is the part of the output that is needed.
type report struct {
	Comments []struct {
		File, Level, Message string
		Line, Column         int
		EndLine              int
		Code                 int
	}
}

func parse(in report, r *adapter.Report) error {
	if in.Comments == nil {
		return errors.New("no list of comments")
	}
	for _, c := range in.Comments {
		if c.File == "" || c.Message == "" || c.Code < 1 || c.Line < 1 {
			return errors.New("a comment without a file, a text, a code or a line")
		}
		if c.Code == foreign || c.Code == broken || c.Code == within {
			r.Unread = append(r.Unread, adapter.Unread{Path: c.File, Reason: fmt.Sprintf("line %d: %s", c.Line, c.Message)})
			continue
		}
		f := findings.Finding{Path: c.File, Line: c.Line, Column: c.Column, EndLine: c.EndLine, Rule: fmt.Sprintf("SC%d", c.Code), Message: c.Message}
		switch c.Level {
		case "error":
			f.Severity = findings.Error
		case "warning":
			f.Severity = findings.Warning
		case "info", "style":
			f.Severity = findings.Info
		default:
			return fmt.Errorf("%s: a comment of the level %q", c.File, c.Level)
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}
