// Package cppcheck is the adapter for Cppcheck: findings in C and C++ code.
package cppcheck

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Tool returns the adapter for Cppcheck.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "cppcheck",
		Languages: []lang.Name{lang.C, lang.Cpp},
		Install:   "apt-get install cppcheck",
		InstallOn: map[string]string{"darwin": "brew install cppcheck"},
		NotOn:     map[string]string{"windows": "it writes its report to /dev/stdout, which is not there"},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`Cppcheck (\d+\.\d+(?:\.\d+)?)`), From: "2.3", Before: "3"},
		Prepare:   prepare,
		Args: []string{
			"--quiet", "--xml", "--output-file=/dev/stdout", // instead of standard error
			"--enable=warning,style,performance,portability",
			// In a single file most members of a struct are unused.
			"--suppress=unusedStructMember",
			"--library=posix", "--platform=unix64",
		},
		Exits: []int{0},
		Batch: 100,
		Parse: adapter.XML(parse),
	}
}

// reads finds the words that can make Cppcheck read any file of the machine, at any place:
// only Cppcheck knows which of them are directives.
var reads = func() *regexp.Regexp {
	const splice = `(?:\\[ \t]*(?:\r\n?|\n))*`
	letters := func(s string) string { return strings.Join(strings.Split(s, ""), splice) }
	return regexp.MustCompile(`\b(` + letters("include") + `|` + letters("import") + `|` + letters("embed") + `)(` + splice + letters("_next") + `)?\b`)
}()

// lies finds directives that assign lines to another file, or that make Cppcheck skip a
// file without a message (#error).
var lies = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:(?:line|file|endfile|error)\b|[0-9])`)

// prepare turns the directives that Cppcheck must not follow into comments, or into
// directives that it does not know and skips. The lines keep their numbers.
func prepare(text string) string {
	text = strings.ToValidUTF8(text, "?") // Cppcheck may read other bytes as UTF-16
	return lies.ReplaceAllString(reads.ReplaceAllString(text, "${1}__${2}"), "//$0")
}

type result struct {
	ID       string `xml:"id,attr"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"msg,attr"`
	File     string `xml:"file0,attr"`
	Places   []struct {
		File   string `xml:"file,attr"`
		Line   int    `xml:"line,attr"`
		Column int    `xml:"column,attr"`
	} `xml:"location"`
}

// unread are the ids that say that a file, or one of its configurations, was not
// analysed.
var unread = []string{"syntaxError", "unknownMacro", "internalAstError", "internalError", "cppcheckError", "preprocessorErrorDirective"}

// wholeProgram is the prefix of ids for conclusions from all files together, such as two
// definitions of a class. The files need not belong together: one may be the old text of
// another.
const wholeProgram = "ctu"

// report is the part of the output that is needed.
type report struct {
	XMLName xml.Name `xml:"results"`
	Program *struct {
		Version string `xml:"version,attr"`
	} `xml:"cppcheck"`
	Results []result `xml:"errors>error"`
}

func parse(in report, r *adapter.Report) error {
	if in.Program == nil {
		return errors.New("<results> does not say of which program")
	}
	for _, e := range in.Results {
		if strings.HasPrefix(e.ID, wholeProgram) {
			continue
		}
		f := findings.Finding{Path: e.File, Rule: e.ID, Message: e.Message}
		if len(e.Places) > 0 {
			// The other locations explain the first.
			p := e.Places[0]
			f.Path, f.Line, f.Column = cmp.Or(p.File, f.Path), p.Line, p.Column
		}
		switch e.Severity {
		case "error":
			f.Severity = findings.Error
		case "warning":
			f.Severity = findings.Warning
		case "style", "performance", "portability":
			f.Severity = findings.Info
		case "information", "none": // about the run
			continue
		default:
			return fmt.Errorf("a result of the severity %q", e.Severity)
		}
		if f.Path == "" || f.Rule == "" || f.Message == "" || f.Line < 0 {
			return errors.New("a result without a file, an id, a text or a line")
		}
		if slices.Contains(unread, e.ID) {
			r.Unread = append(r.Unread, adapter.Unread{Path: f.Path, Reason: fmt.Sprintf("line %d: %s", f.Line, f.Message)})
			continue
		}
		r.Findings = append(r.Findings, f)
	}
	return nil
}
