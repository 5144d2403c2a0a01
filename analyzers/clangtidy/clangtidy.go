// Package clangtidy is the adapter for clang-tidy: findings in C and C++ code.
package clangtidy

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// checks are the checks for faults and cost, without the checks that fire on most correct
// code.
var checks = []string{
	"-*", "bugprone-*", "clang-analyzer-*", "clang-diagnostic-*", "concurrency-*", "misc-*", "performance-*",
	"-bugprone-easily-swappable-parameters", "-bugprone-implicit-widening-of-multiplication-result", "-bugprone-narrowing-conversions",
	"-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling", "-clang-diagnostic-pragma-once-outside-header", "-concurrency-mt-unsafe",
	"-misc-const-correctness", "-misc-include-cleaner", "-misc-no-recursion", "-misc-non-private-member-variables-in-classes",
	"-misc-use-anonymous-namespace", "-misc-use-internal-linkage",
}

// Tool returns the adapter for clang-tidy. It does not use a compile database, because
// the change's database could make the compiler load programs. So a file whose headers
// are in unusual places cannot be analysed.
func Tool() adapter.Tool {
	return adapter.Tool{
		Name:      "clang-tidy",
		Languages: []lang.Name{lang.C, lang.Cpp},
		Install:   "apt-get install clang-tidy",
		InstallOn: map[string]string{"darwin": "brew install llvm", "windows": "winget install LLVM.LLVM"},
		Version:   adapter.Version{Pattern: regexp.MustCompile(`LLVM version (\d+\.\d+\.\d+)`), From: "11", Before: "30"},
		Project:   &adapter.Project{After: flags},
		Hints: []adapter.Hint{
			{Says: "file not found", Do: "headers are looked for beside the file, in the project's root, include and src, and where the system has them"},
		},
		// A change must not switch off the checks of its own code.
		Prepare: prepare,
		// With --config, clang-tidy does not look for a .clang-tidy.
		Args:  []string{"--quiet", "--config={}", "--checks=" + strings.Join(checks, ",")},
		Exits: []int{0, 1}, // 1 if a file does not compile
		Parse: parse,
	}
}

// flags are the flags of the compiler. "--" puts them in place of a compile database. A
// header is C++ if the project has C++ files.
func flags(name string, has func(lang.Name) bool) []string {
	out := []string{"--", "-Wall", "-I.", "-Iinclude", "-Isrc", "-std=gnu17"}
	l, header := lang.FromPath(name), strings.HasPrefix(strings.ToLower(path.Ext(name)), ".h")
	if header {
		out = append(out, "-Wno-unused-function") // another file may use it
	}
	if l == lang.Cpp || header && has(lang.Cpp) {
		out = append(out, "-x", "c++", "-std=gnu++20") // the last flag has effect
	}
	return out
}

// prepare changes the word NOLINT, with which comments switch checks off.
func prepare(text string) string {
	return comment.ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "NOLINT", "NoLint") })
}

// comment finds a possible comment, to the end of the line.
var comment = regexp.MustCompile(`(?://|/\*).*`)

// diagnostic matches a line such as: /dir/a.c:3:14: warning: this is odd [bugprone-odd]
// Errors of the command line have no place.
var diagnostic = regexp.MustCompile(`^(?:(.+?):(\d+):(\d+): )?(warning|error|note|remark|fatal error): (.*)$`)

// checkName finds the check at the end of the first line of a diagnostic.
var checkName = regexp.MustCompile(`^(.*\S) \[([\w.,+-]+)\]$`)

// mark matches the line that points into the line of code above it.
var mark = regexp.MustCompile(`^[ ~]*\^[ ~]*$`)

// parse reads diagnostics. Below most of them stand a line of code, a mark, and a
// suggestion. Without findings the output is empty.
func parse(stdout []byte) (adapter.Report, error) {
	if len(stdout) > 0 && !bytes.HasSuffix(stdout, []byte("\n")) {
		return adapter.Report{}, errors.New("the last line has no end")
	}
	var r adapter.Report
	seen := map[findings.Finding]bool{} // clang-tidy reads a header more than once
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(string(stdout), "\n"), "\r", ""), "\n")
	if len(stdout) == 0 {
		lines = nil
	}
	for len(lines) > 0 {
		line := lines[0]
		m := diagnostic.FindStringSubmatch(line)
		if m == nil {
			return adapter.Report{}, fmt.Errorf("this is no diagnostic: %q", findings.Text(line, 100))
		}
		lines = belowCode(lines[1:])
		if m[4] == "note" || m[4] == "remark" {
			continue // belongs to the diagnostic before it
		}
		named := checkName.FindStringSubmatch(m[5])
		if named == nil {
			return adapter.Report{}, fmt.Errorf("a diagnostic without a check: %q", findings.Text(line, 100))
		}
		if m[4] != "warning" {
			// Other findings are about code that was not fully parsed.
			return adapter.Report{Failed: strings.TrimPrefix(fmt.Sprintf("%s:%s: %s", m[1], m[2], named[1]), ":: ")}, nil
		}
		if m[1] == "" {
			return adapter.Report{}, fmt.Errorf("a warning without a place: %q", findings.Text(line, 100))
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return adapter.Report{}, err
		}
		column, err := strconv.Atoi(m[3])
		if err != nil {
			return adapter.Report{}, err
		}
		f := findings.Finding{Path: m[1], Line: n, Column: column, Rule: named[2], Message: named[1], Severity: findings.Warning}
		if !seen[f] {
			seen[f] = true
			r.Findings = append(r.Findings, f)
		}
	}
	return r, nil
}

// belowCode returns the lines after the code below a diagnostic. Only the mark below it
// shows that a line is code: the line itself may look like a diagnostic.
func belowCode(lines []string) []string {
	if len(lines) < 2 || !mark.MatchString(lines[1]) {
		return lines
	}
	lines = lines[2:]
	if len(lines) > 0 && !diagnostic.MatchString(lines[0]) {
		return lines[1:] // the suggestion
	}
	return lines
}
