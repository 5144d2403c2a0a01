package compile

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"crscore/analyzers"
	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// Kinds of diagnostics that do not have the name that a compiler gives them.
const (
	syntaxError = "syntax"  // the compiler saw nothing else of the text
	unknownName = "unknown" // a name of elsewhere: it may be used once more
	crashed     = "failed"  // the compiler failed on the text
	withoutCode = "error"   // the compiler gives it no name
)

var (
	//go:embed Check.java
	checkJava string
	//go:embed check.py
	checkPython string
	//go:embed check.js
	checkJavaScript string
	//go:embed check_ts.js
	checkTypeScript string
)

// java compiles many texts in one start. The version is that of the compiler, which a machine that
// only runs Java lacks.
func java() adapter.Tool {
	return adapter.Tool{
		Name: "javac", Languages: []lang.Name{lang.Java}, Program: "java", Install: "apt-get install default-jdk-headless",
		Version: adapter.Version{
			Args: []string{"--describe-module", "jdk.compiler"}, Pattern: regexp.MustCompile(`^jdk\.compiler@(\d+[\d.]*)`), From: "11", Before: "100",
		},
		Config: []adapter.ConfigFile{{Name: "Check.java", Text: checkJava}},
		Args:   []string{"-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", "none", "Check.java", "none"},
		Exits:  []int{0},
		Parse:  lines,
	}
}

// python compiles and never imports: -I and -S leave out all that is not its own.
func python() adapter.Tool {
	return adapter.Tool{
		Name: "python3", Languages: []lang.Name{lang.Python}, Program: "python3", Install: "apt-get install python3",
		Version: adapter.Version{Args: []string{"--version"}, Pattern: regexp.MustCompile(`^Python (3\.\d+\.\d+)`), From: "3.8", Before: "4"},
		Keep:    []adapter.Variable{{Name: "PYENV_ROOT", Home: ".pyenv"}},
		Config:  []adapter.ConfigFile{{Name: "check.py", Text: checkPython}},
		Args:    []string{"-I", "-S", "-B", "check.py"},
		Exits:   []int{0},
		Parse:   lines,
	}
}

func node() adapter.Tool {
	return adapter.Tool{
		Name: "node", Languages: []lang.Name{lang.JavaScript}, Program: "node", Install: "apt-get install nodejs",
		Version: adapter.Version{Args: []string{"--version"}, Pattern: regexp.MustCompile(`^v(\d+\.\d+\.\d+)`), From: "16", Before: "100"},
		Config:  []adapter.ConfigFile{{Name: "check.js", Text: checkJavaScript}},
		Args:    []string{"--max-old-space-size=1024", "--experimental-vm-modules", "--no-warnings", "check.js"},
		Exits:   []int{0},
		Parse:   lines,
	}
}

// typescript finds tsc, whose module node runs: tsc itself tells nothing of types where one of its
// files has an error of syntax.
func typescript(ctx context.Context, o analyzers.Options) (*analyzers.Analyzer, error) {
	tsc, err := analyzers.Find(ctx, adapter.Tool{
		Name: "tsc", Program: "tsc", NodeModule: "typescript/bin/tsc", Install: "npm install typescript",
		Version: adapter.Version{Args: []string{"--version"}, Pattern: regexp.MustCompile(`^Version (\d+\.\d+\.\d+)`), From: "4", Before: "7"},
	}, o)
	if err != nil || tsc.State != analyzers.Clean {
		return tsc, err
	}
	program, err := filepath.EvalSymlinks(tsc.Path)
	if err != nil {
		return nil, fmt.Errorf("looking for the module of tsc: %w", err)
	}
	tool := node()
	tool.Name, tool.Languages = "tsc", []lang.Name{lang.TypeScript, lang.TSX}
	tool.Config = []adapter.ConfigFile{{Name: "check_ts.js", Text: checkTypeScript}}
	tool.Args = []string{"--max-old-space-size=1024", "check_ts.js", filepath.Join(filepath.Dir(program), "..", "lib", "typescript.js")}
	a, err := analyzers.Find(ctx, tool, o)
	if err == nil && a.State == analyzers.Clean {
		a.Version = tsc.Version
	}
	return a, err
}

// golang compiles one text at a start. No import is resolved.
func golang() adapter.Tool {
	return adapter.Tool{
		Name: "go", Languages: []lang.Name{lang.Go}, Program: "go", Install: "https://go.dev/dl/",
		Version: adapter.Version{Args: []string{"version"}, Pattern: regexp.MustCompile(`^go version go(1\.\d+(?:\.\d+)?)`), From: "1.20", Before: "2"},
		Env:     []string{"GOENV=off", "GOTOOLCHAIN=local", "GO111MODULE=off", "XDG_CONFIG_HOME=/dev/null"},
		Config:  []adapter.ConfigFile{{Name: "importcfg"}},
		Args:    []string{"tool", "compile", "-e", "-p", "x", "-importcfg", "importcfg", "-o", "x.o"},
		Exits:   []int{0, 1, 2},
		Batch:   1,
		Parse:   goErrors,
	}
}

// lines reads what the programs beside this file print.
func lines(stdout []byte) (r adapter.Report, err error) {
	for line := range bytes.Lines(stdout) {
		part := strings.SplitN(strings.TrimRight(string(line), "\r\n"), "\t", 3)
		if len(part) < 3 {
			return adapter.Report{}, errors.New("a line without a file, a kind and a message")
		}
		r.Findings = append(r.Findings, findings.Finding{Path: part[0], Rule: part[1], Message: part[2], Severity: findings.Error})
	}
	return r, nil
}

var goError = regexp.MustCompile(`^([^\s:]+):(\d+):(?:\d+:)? (.*)$`)

// goErrors reads what the compiler of Go prints. Lines behind a tab go with the line before.
func goErrors(stdout []byte) (r adapter.Report, err error) {
	for line := range bytes.Lines(stdout) {
		text := strings.TrimRight(string(line), "\r\n")
		if strings.HasPrefix(text, "\t") && len(r.Findings) > 0 {
			continue
		}
		m := goError.FindStringSubmatch(text)
		if m == nil {
			return adapter.Report{}, fmt.Errorf("%q is no error with its place", text)
		}
		f := findings.Finding{Path: m[1], Rule: withoutCode, Message: m[3], Severity: findings.Error}
		f.Line, _ = strconv.Atoi(m[2])
		switch {
		case strings.HasPrefix(m[3], "syntax error"):
			f.Rule = syntaxError
		case strings.HasPrefix(m[3], "undefined: "), strings.HasPrefix(m[3], "could not import "):
			f.Rule = unknownName
		}
		r.Findings = append(r.Findings, f)
	}
	return r, nil
}
