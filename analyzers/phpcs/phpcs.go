// Package phpcs is the adapter for PHP_CodeSniffer: messages about PHP code.
package phpcs

import (
	_ "embed"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

//go:embed ruleset.xml
var ruleset string

// Tool returns the adapter for PHP_CodeSniffer.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "phpcs",
		Languages: []lang.Name{lang.PHP},
		Install:   "apt-get install php-codesniffer",
		InstallOn: map[string]string{"darwin": "brew install php-code-sniffer"},
		NotOn:     map[string]string{"windows": adapter.Batch},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`PHP_CodeSniffer version (\d+\.\d+\.\d+)`), From: "3.5", Before: "4"}, // 4 has other exit statuses
		Config:    []adapter.ConfigFile{{Name: "ruleset.xml", Text: ruleset}},
		// XML, because its JSON is broken if the code is not UTF-8. No annotations: a
		// change must not switch off the checks of its own code.
		Args:  []string{"--standard=ruleset.xml", "--report=xml", "-q", "--no-cache", "--ignore-annotations", "--encoding=utf-8", "--extensions=php", "-d", "memory_limit=1G"},
		Exits: []int{0, 1, 2},
		Parse: adapter.XML(adapter.Table{
			Must: "phpcs.version",
			Rows: "phpcs.file.*", Path: "name", Line: "line", Column: "column", Rule: "source", Message: "text", Level: "*",
			// The sniff asks PHP to parse the file, without running it. PHP_CodeSniffer alone
			// accepts any text.
			Rules: map[string]findings.Severity{
				"Generic.PHP.Syntax.PHPSyntax": adapter.Broken, "Internal.": adapter.Broken, "Internal.LineEndings.": adapter.Skip,
			},
		}),
	}
}
