// Package checkstyle is the adapter for Checkstyle: violations in Java code.
package checkstyle

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

//go:embed checkstyle.xml
var config string

// Tool returns the adapter for Checkstyle.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "checkstyle",
		Languages: []lang.Name{lang.Java},
		Install:   "apt-get install checkstyle",
		InstallOn: map[string]string{"darwin": "brew install checkstyle"},
		NotOn:     map[string]string{"windows": adapter.Batch},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`Checkstyle version: (\d+\.\d+(?:\.\d+)?)`), From: "8.36", Before: "11"},
		// Without this flag Java writes into the machine's temporary directory.
		Env:    []string{"JAVA_ARGS=-XX:-UsePerfData"},
		Config: []adapter.ConfigFile{{Name: "checkstyle.xml", Text: config}},
		// Checkstyle reads a byte order mark as code.
		Prepare: func(text string) string { return strings.TrimPrefix(text, "\ufeff") },
		Args:    []string{"-c", "checkstyle.xml", "-f", "xml"},
		Exits:   adapter.Through(253), // the number of files that it could not read; 254 and 255 are failures
		Parse:   adapter.XML(parse),
	}
}

// checker is the source of the message for a file that cannot be parsed.
const checker = "com.puppycrawl.tools.checkstyle.Checker"

// report is the part of the output that is needed.
type report struct {
	XMLName xml.Name `xml:"checkstyle"`
	Version string   `xml:"version,attr"`
	Files   []struct {
		Name   string `xml:"name,attr"`
		Errors []struct {
			Line     int    `xml:"line,attr"`
			Column   int    `xml:"column,attr"`
			Severity string `xml:"severity,attr"`
			Message  string `xml:"message,attr"`
			Source   string `xml:"source,attr"`
		} `xml:"error"`
	} `xml:"file"`
}

func parse(in report, r *adapter.Report) error {
	if in.Version == "" {
		return errors.New("<checkstyle> has no version")
	}
	for _, file := range in.Files {
		for _, e := range file.Errors {
			rule := strings.TrimSuffix(e.Source[strings.LastIndex(e.Source, ".")+1:], "Check")
			if file.Name == "" || rule == "" || e.Message == "" || e.Line < 0 {
				return errors.New("a violation without a file, a source, a text or a line")
			}
			if e.Source == checker {
				r.Unread = append(r.Unread, adapter.Unread{Path: file.Name, Reason: cause(e.Message)})
				continue
			}
			f := findings.Finding{Path: file.Name, Line: e.Line, Column: e.Column, Rule: rule, Message: e.Message}
			switch e.Severity {
			case "error":
				f.Severity = findings.Error
			case "warning":
				f.Severity = findings.Warning
			case "info":
				f.Severity = findings.Info
			default:
				return fmt.Errorf("%s: a violation of the severity %q", file.Name, e.Severity)
			}
			r.Findings = append(r.Findings, f)
		}
	}
	return nil
}

// cause finds the first cause in the stack trace of an exception.
func cause(trace string) string {
	const by = "Caused by: "
	if i := strings.LastIndex(trace, by); i >= 0 {
		trace = trace[i+len(by):]
	}
	first, _, _ := strings.Cut(trace, "\n")
	return first
}
