// Package phpcs is the adapter for PHP_CodeSniffer: messages about PHP code.
package phpcs

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"

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
		Parse: adapter.XML(parse),
	}
}

type report struct {
	XMLName xml.Name `xml:"phpcs"`
	Version string   `xml:"version,attr"`
	Files   []struct {
		Name     string    `xml:"name,attr"`
		Messages []message `xml:",any"`
	} `xml:"file"`
}

type message struct {
	XMLName xml.Name // error or warning
	Line    int      `xml:"line,attr"`
	Column  int      `xml:"column,attr"`
	Source  string   `xml:"source,attr"`
	Text    string   `xml:",chardata"`
}

// unread reports whether a message says that the file could not be read. The sniff asks PHP
// to parse the file, without running it. PHP_CodeSniffer alone accepts any text.
func (m message) unread() bool {
	return m.Source == "Generic.PHP.Syntax.PHPSyntax" || strings.HasPrefix(m.Source, "Internal.") && !m.aside()
}

// aside reports whether a message is not about a fault.
func (m message) aside() bool { return strings.HasPrefix(m.Source, "Internal.LineEndings.") }

func parse(in report, r *adapter.Report) error {
	if in.Version == "" {
		return errors.New("<phpcs> does not say its version")
	}
files:
	for _, file := range in.Files {
		var found []findings.Finding
		for _, m := range file.Messages {
			if file.Name == "" || m.Source == "" || m.Text == "" || m.Line < 1 || m.Column < 0 {
				return errors.New("a message without a file, a source, a text or a line")
			}
			if m.unread() {
				r.Unread = append(r.Unread, adapter.Unread{Path: file.Name, Reason: fmt.Sprintf("line %d: %s", m.Line, m.Text)})
				continue files
			}
			if m.aside() {
				continue
			}
			f := findings.Finding{Path: file.Name, Line: m.Line, Column: m.Column, Rule: m.Source, Message: m.Text, Severity: findings.Warning}
			if m.XMLName.Local == "error" {
				f.Severity = findings.Error
			}
			found = append(found, f)
		}
		r.Findings = append(r.Findings, found...)
	}
	return nil
}
