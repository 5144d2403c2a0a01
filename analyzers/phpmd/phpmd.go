// Package phpmd is the adapter for PHPMD: violations in PHP code.
package phpmd

import (
	_ "embed"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

//go:embed ruleset.xml
var ruleset string

// Tool returns the adapter for PHPMD.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "phpmd",
		Languages: []lang.Name{lang.PHP},
		Install:   "apt-get install phpmd",
		InstallOn: map[string]string{"darwin": "brew install phpmd"},
		NotOn:     map[string]string{"windows": adapter.Batch},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`PHPMD (\d+\.\d+(?:\.\d+)?)`), From: "2.10", Before: "3"},
		Config:    []adapter.ConfigFile{{Name: "ruleset.xml", Text: ruleset}},
		// XML, because its JSON is empty if the code is not UTF-8. Strict: a change must
		// not switch off the checks of its own code.
		Args:  []string{adapter.Names, "xml", "ruleset.xml", "--strict"},
		Exits: []int{0, 2, 3}, // nothing, violations, files that could not be read
		// Its findings in a class depend on the other classes that it reads.
		Batch: 1,
		Parse: adapter.XML(parse),
	}
}

type report struct {
	XMLName xml.Name `xml:"pmd"`
	Tool    string   `xml:"tool,attr"`
	Files   []struct {
		Name       string `xml:"name,attr"`
		Violations []struct {
			Line     int    `xml:"beginline,attr"`
			EndLine  int    `xml:"endline,attr"`
			Rule     string `xml:"rule,attr"`
			Priority int    `xml:"priority,attr"`
			Text     string `xml:",chardata"`
		} `xml:"violation"`
	} `xml:"file"`
	Errors []struct {
		Name    string `xml:"filename,attr"`
		Message string `xml:"msg,attr"`
	} `xml:"error"`
}

var (
	// onLine finds the line in the messages about a whole function.
	onLine = regexp.MustCompile(`on line (\d+)\.$`)
	// inFile finds the file in errors that name it only in their text. The stack trace of
	// PHPMD follows.
	inFile = regexp.MustCompile(`^(.*), file: (.+)\.(?:\n|$)`)
)

func parse(in report, r *adapter.Report) error {
	if in.Tool != "phpmd" {
		return errors.New("<pmd> is not of PHPMD")
	}
	for _, file := range in.Files {
		for _, v := range file.Violations {
			v.Text = strings.TrimSpace(v.Text)
			if file.Name == "" || v.Rule == "" || v.Text == "" || v.Line < 1 || v.EndLine < v.Line {
				return errors.New("a violation without a file, a rule, a text or a line")
			}
			f := findings.Finding{Path: file.Name, Line: v.Line, EndLine: v.EndLine, Rule: v.Rule, Message: v.Text, Severity: adapter.Priority(v.Priority)}
			if m := onLine.FindStringSubmatch(v.Text); m != nil {
				if n, err := strconv.Atoi(m[1]); err == nil && v.Line <= n && n <= v.EndLine {
					f.Line, f.EndLine = n, n
				}
			}
			r.Findings = append(r.Findings, f)
		}
	}
	for _, e := range in.Errors {
		if m := inFile.FindStringSubmatch(e.Message); m != nil {
			e.Message, e.Name = m[1], m[2]
		}
		if e.Name == "" {
			return fmt.Errorf("an error without a file: %s", e.Message)
		}
		r.Unread = append(r.Unread, adapter.Unread{Path: e.Name, Reason: e.Message})
	}
	return nil
}
