// Package shellcheck is the adapter for ShellCheck: comments on shell scripts.
package shellcheck

import (
	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
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
		Parse: adapter.JSON(adapter.Table{
			Rows: "comments", Path: "file", Line: "line", Column: "column", EndLine: "endLine", Rule: "code", Message: "message", Level: "level",
			// With these ShellCheck stops: the script is not sh, bash, dash or ksh, or it cannot
			// be parsed. Of the last two, one names the construct.
			Rules: map[string]findings.Severity{"SC1071": adapter.Broken, "SC1072": adapter.Broken, "SC1073": adapter.Broken},
			Judge: func(row *adapter.Row, f *findings.Finding) {
				if row.Number("code") < 1 {
					row.Refuse("a comment without a code")
				}
				f.Rule = "SC" + f.Rule
			},
		}),
	}
}

// disable matches a comment that switches checks off.
var disable = regexp.MustCompile(`(#[ \t]*)shellcheck([ \t].*\bdisable=)`)
