package findings

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

// rec reads what a real tool has written.
func rec(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRead(t *testing.T) {
	till := Finding{Tool: "PMD", Path: "file:///home/someone/shop/My%20Till.java"}
	at := func(f Finding, line, column, end int, rule, message string, s Severity) Finding {
		f.Line, f.Column, f.EndLine, f.Rule, f.Message, f.Severity = line, column, end, rule, message, s
		return f
	}
	for _, c := range []struct {
		name, text string
		want       []Finding
	}{
		{"JSHint's checkstyle", rec(t, "jshint.xml"), []Finding{
			{Path: "finding.js", Line: 3, Column: 14, Rule: "jshint.W033", Message: "Missing semicolon.", Severity: Warning},
			{Path: "finding.js", Line: 5, Column: 10, Rule: "jshint.W061", Message: "eval can be harmful.", Severity: Warning},
		}},
		{"PMD's SARIF", rec(t, "pmd.sarif"), []Finding{
			at(till, 3, 1, 3, "UnnecessaryImport", "Unused import 'java.util.List'", Info),
			at(till, 7, 17, 7, "UnusedPrivateField", "Avoid unused private fields such as 'unused'.", Warning),
			at(till, 15, 11, 16, "EmptyCatchBlock", "Avoid empty catch blocks", Warning),
			at(till, 17, 16, 17, "UselessParentheses", "Useless parentheses around `sum`.", Info),
		}},
		{"checkstyle", `<?xml version="1.0"?><checkstyle><file name="./a//b.c"><error line="2" severity="error" message="a &lt; b &#10; c" source="x"/>` +
			`<error severity="info" message="m"/><error severity="ignore" message="no"/></file><file name="c"/></checkstyle>`,
			[]Finding{{Path: "./a//b.c", Line: 2, Rule: "x", Message: "a < b c", Severity: Error}, {Path: "./a//b.c", Message: "m", Severity: Info}}},
		{"nothing in checkstyle", "\ufeff \n<checkstyle version=\"4.3\">\n</checkstyle>\n", nil},
		{"rdjson", `{"source":{"name":"lint"},"severity":"INFO","diagnostics":[
			{"message":"m1","location":{"path":"a.go","range":{"start":{"line":3,"column":4},"end":{"line":5}}},"severity":"ERROR","code":{"value":"R1","url":"x"}},
			{"message":"m2","location":{"path":"a.go"},"source":{"name":"other"}},{"message":"m3","severity":2}]}`,
			[]Finding{
				{Tool: "lint", Path: "a.go", Line: 3, Column: 4, EndLine: 5, Rule: "R1", Message: "m1", Severity: Error},
				{Tool: "other", Path: "a.go", Message: "m2", Severity: Info}, {Tool: "lint", Message: "m3", Severity: Warning},
			}},
		{"rdjson with bare names and numbers", `{"source":"lint","diagnostics":[{"message":"m1","location":{"path":"a.go"},"code":12},{"message":"m2","location":{"path":"a.go"},"code":"R","source":{"name":"other"}}]}`,
			[]Finding{{Tool: "lint", Path: "a.go", Rule: "12", Message: "m1", Severity: Warning}, {Tool: "other", Path: "a.go", Rule: "R", Message: "m2", Severity: Warning}}},
		{"rdjsonl over several lines", "{\n\"message\":\"m1\",\n\"location\":{\"path\":\"a.go\"}}\n\n{\"message\":\"m2\",\"location\":{\n}}\n",
			[]Finding{{Path: "a.go", Message: "m1", Severity: Warning}, {Message: "m2", Severity: Warning}}},
		{"checkstyle with numbers of Java", `<checkstyle><file name="a"><error line="2.0" column="" message="m"/></file></checkstyle>`, []Finding{{Path: "a", Line: 2, Message: "m", Severity: Warning}}},
		{"rdjson as protocol buffers may write it", `{"severity":1,"diagnostics":[
			{"message":"m1","location":{"path":"a.go","range":{"start":{"line":"3","column":"4"},"end":{"line":"5.0","column":null}}},"severity":"2","code":{"value":"7"},"later":{}},
			{"message":"m2","location":{"path":"a.go","range":null},"severity":"FATAL"},{"message":"m3","location":null,"severity":9,"source":null,"code":{"value":"R"}},
			{"message":"m4","location":{"path":"a.go","range":{"end":{"line":2}}},"severity":"UNKNOWN_SEVERITY","code":{"value":"8"}}]}`,
			[]Finding{
				{Path: "a.go", Line: 3, Column: 4, EndLine: 5, Rule: "7", Message: "m1", Severity: Warning},
				{Path: "a.go", Message: "m2", Severity: Error}, {Rule: "R", Message: "m3", Severity: Error},
				{Path: "a.go", EndLine: 2, Rule: "8", Message: "m4", Severity: Error},
			}},
		{"nothing in rdjson", `{"diagnostics":[]}`, nil},
		{"rdjsonl", `{"message":"m","location":{"path":"a.go","range":{"start":{"line":3}}},"severity":"WARNING"}` + "\n\n" + `{"location":{"path":"b.go"},"message":"n"}`,
			[]Finding{{Path: "a.go", Line: 3, Message: "m", Severity: Warning}, {Path: "b.go", Message: "n", Severity: Warning}}},
		{"SARIF's rules and levels", `{"version":"2.1.0","runs":[{"tool":{
			"driver":{"name":"T","rules":[{"id":"A","defaultConfiguration":{"level":"error"},"messageStrings":{"one":{"text":"{0} is {1}, {2}"}}}]},
			"extensions":[{"rules":[{"id":"B","defaultConfiguration":{"level":"note"}}]}]},
			"artifacts":[{"location":{"uri":"src/x%20y.c","uriBaseId":"ROOT"}}],"originalUriBaseIds":{"ROOT":{"uri":"file:///r/"}},
			"results":[
			{"ruleIndex":0,"message":{"id":"one","arguments":["x","{0}"]},"locations":[{"physicalLocation":{"artifactLocation":{"index":0},"region":{"startLine":4}}}]},
			{"rule":{"index":0,"toolComponent":{"index":0}},"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"100%.c"}}}]},
			{"ruleId":"A","message":{"text":"m"},"level":"none"},
			{"ruleId":"C","ruleIndex":9,"message":{"text":"m"}},
			{"message":{"text":"m"},"kind":"informational"},
			{"message":{"text":"m"},"kind":"pass"},{"message":{"text":"m"},"baselineState":"absent"},{"message":{"text":"m"},"suppressions":[{"kind":"inSource"}]},
			{"message":{"text":"kept"},"suppressions":[{"status":"rejected"}]}]}]}`,
			[]Finding{
				{Tool: "T", Path: "file:///r/src/x%20y.c", Line: 4, EndLine: 4, Rule: "A", Message: "x is {0}, {2}", Severity: Error},
				{Tool: "T", Path: "100%.c", Rule: "B", Message: "m", Severity: Info},
				{Tool: "T", Rule: "A", Message: "m", Severity: Info}, {Tool: "T", Rule: "C", Message: "m", Severity: Warning},
				{Tool: "T", Message: "m", Severity: Info}, {Tool: "T", Message: "kept", Severity: Warning},
			}},
		{"SARIF's rules by name", `{"version":"2.1.0","runs":[{"tool":{
			"driver":{"rules":[{"id":"","defaultConfiguration":{"level":"note"}},{"id":"A","defaultConfiguration":{"level":"error"}},{"id":"A","defaultConfiguration":{"level":"note"}}]},
			"extensions":[{"rules":[{"id":"A","defaultConfiguration":{"level":"note"}}]}]},
			"results":[{"ruleId":"A","message":{"text":"1"}},{"rule":{"id":"A"},"message":{"text":"2"}},{"rule":{"id":"A","toolComponent":{"index":0}},"message":{"text":"3"}},
			{"rule":{"id":"A","toolComponent":{"index":1}},"message":{"text":"4"}},{"message":{"text":"5"}}]}]}`,
			[]Finding{{Rule: "A", Message: "1", Severity: Error}, {Rule: "A", Message: "2", Severity: Error}, {Rule: "A", Message: "3", Severity: Info}, {Rule: "A", Message: "4", Severity: Error},
				{Message: "5", Severity: Warning}}},
		{"URIs of files", `{"version":"2.1.0","runs":[{"originalUriBaseIds":{"HERE":{"uri":"my%20dir/"},"SRC":{"uri":"src/","uriBaseId":"ROOT"},"LOOP":{"uriBaseId":"LOOP"},"ROOT":{"uri":"file:///r%20s"}},"results":[` +
			sarifAt(`"uri":"file:///home/ci/my%20file.py"`) + "," + sarifAt(`"uri":"file:a.py"`) + "," + sarifAt(`"uri":"C:/a%20b.cs"`) + "," +
			sarifAt(`"uri":"a%20b.c","uriBaseId":"HERE"`) + "," + sarifAt(`"uri":"a%20b.c","uriBaseId":"ROOT"`) + "," +
			sarifAt(`"uri":"a.c","uriBaseId":"SRC"`) + "," + sarifAt(`"uri":"a.c","uriBaseId":"LOOP"`) + "," +
			sarifAt(`"uri":"https://example.org/a%20b.c"`) + `]}]}`,
			[]Finding{
				{Path: "file:///home/ci/my%20file.py", Message: "m", Severity: Warning}, {Path: "file:a.py", Message: "m", Severity: Warning},
				{Path: "C:/a b.cs", Message: "m", Severity: Warning},
				{Path: "my dir/a b.c", Message: "m", Severity: Warning}, {Path: "file:///r%20s/a%20b.c", Message: "m", Severity: Warning},
				{Path: "file:///r%20s/src/a.c", Message: "m", Severity: Warning}, {Path: "a.c", Message: "m", Severity: Warning},
				{Path: "https://example.org/a%20b.c", Message: "m", Severity: Warning},
			}},
		{"SARIF's arguments and links", sarifSays(`{"text":"{0} is {1}, {2}","arguments":["a","b"]}`, `{"text":"{0}"}`,
			`{"text":"A [user's value](1) reaches [a \\[x\\] sink](2), see ([here](https://example.org/a)), not f[0](1) or \\[0\\]."}`),
			[]Finding{{Message: "a is b, {2}", Severity: Warning}, {Message: "{0}", Severity: Warning},
				{Message: "A user's value reaches a [x] sink, see (here), not f[0](1) or [0].", Severity: Warning}}},
		{"UTF-16", "\xff\xfe" + utf16le(sarifSays(`{"text":"é"}`)), []Finding{{Message: "é", Severity: Warning}}},
		{"UTF-16 in XML", "\xff\xfe" + utf16le(`<?xml version="1.0" encoding="UTF-16"?><checkstyle><file name="a"><error message="é"/></file></checkstyle>`),
			[]Finding{{Path: "a", Message: "é", Severity: Warning}}},
		{"ISO-8859-1", "<?xml version='1.0' encoding='ISO-8859-1'?><checkstyle><file name='a'><error message='\xe9'/></file></checkstyle>",
			[]Finding{{Path: "a", Message: "é", Severity: Warning}}},
		{"nothing in SARIF", `{"version":"2.1.0","runs":[{"results":[]}]}`, nil},
		{"controls and negative numbers", `{"message":"\u001b[31mred\n","location":{"path":"a","range":{"start":{"line":-3}}}}`,
			[]Finding{{Path: "a", Message: "[31mred", Severity: Warning}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// sarifSays are results with the messages.
func sarifSays(messages ...string) string {
	return `{"version":"2.1.0","runs":[{"results":[{"message":` + strings.Join(messages, `},{"message":`) + `}]}]}`
}

// utf16le is a text of the first 256 characters as UTF-16.
func utf16le(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(string([]byte{byte(r), 0}))
	}
	return b.String()
}

// sarifAt is a result at an artifact.
func sarifAt(artifact string) string {
	return `{"message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{` + artifact + `}}}]}`
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the file is empty"},
		{" \n", "the file is empty"},
		{"no findings", "this is not SARIF"},
		{"{}", "this is not SARIF"},
		{"[]", "this is not SARIF"},
		{"{\n\"runs\": [\n", "line 3: unexpected end"},
		{"{\"runs\":\n7}", "reading SARIF: line 2: "},
		{`{"runs":[]}`, `the version is ""`},
		{`{"version":"1.0.0","runs":[]}`, `the version is "1.0.0"`},
		{`{"version":"2.1.0","runs":[{"results":[]},{"results":[{}]}]}`, "run 2, result 1 has no message"},
		{`{"version":"2.1.0","runs":[{}]}`, "run 1: it has no list of results"},
		{`{"version":"2.1.0","runs":[{"results":[],"invocations":[{"executionSuccessful":false}]}]}`, "run 1: the tool says that it did not succeed"},
		{"<html></html>", "line 1: <html> instead of <checkstyle>"},
		{"<!-- -->", "there is no <checkstyle>"},
		{"<checkstyle>\n<file name='a'>\n<error line='1'", "line 3"},
		{"<checkstyle>\n<error/></checkstyle>", "line 2: <error> outside of <file>"},
		{"<checkstyle><file name='a'>\n<error line='x'/></file></checkstyle>", `line 2: the line is "x"`},
		{"<checkstyle><file name='a'>\n<exception>boom</exception></file></checkstyle>", "line 2: the tool says that it failed on a"},
		{"<checkstyle/>\ngarbage", "line 2: a text outside of <checkstyle>"},
		{"<?xml version='1.0' encoding='EBCDIC'?><checkstyle/>", "UTF-8, UTF-16"},
		{"\x1f\x8b\x08", "the file is compressed"},
		{"<!DOCTYPE a [<!ENTITY b \"c\">]><checkstyle><file name='&b;'/></checkstyle>", "invalid character entity"},
		{`{"diagnostics":[{"message":"a"},{}]}`, "diagnostic 2: a diagnostic without a message"},
		{`{"diagnostics":[{"message":"a","location":{"range":{"start":{"line":"2x"}}}}]}`, `diagnostic 1: "2x" is not a line number`},
		{`{"diagnostics":[{"message":"a","location":{"range":{"start":{"line":1.5}}}}]}`, `1.5 is not a line number`},
		{"{\"message\":\"a\",\"location\":{}}\n{\"message\":\n", "line 2: unexpected end"},
		{"{\"message\":\"a\",\"location\":{}}\n{\"location\":{}}\n", "line 2: a diagnostic without a message"},
		// What an API answers that fails, and lists that could not be had.
		{`{"message":"Not Found","status":"404"}`, "this is not SARIF"},
		{"{\"message\":\"a\",\"location\":{}}\n{\"message\":\"Not Found\"}\n", "reading rdjsonl: line 2: a diagnostic without a location"},
		{`{"message":"a","location":null}`, "line 1: a diagnostic without a location"},
		{`{"version":"2.1.0","runs":null}`, "reading SARIF: it has no list of runs"},
		{`{"version":"2.1.0","runs":[null]}`, "run 1: it has no list of results"},
		{`{"version":"2.1.0","runs":[{"results":null}]}`, "run 1: it has no list of results"},
		{`{"diagnostics":null}`, "reading rdjson: it has no list of diagnostics"},
		{`{"diagnostics":[null]}`, "diagnostic 1: a diagnostic without a message"},
		{`{"version":"2.1.0","runs":[{"artifacts":[{"location":{"uri":"` + strings.Repeat("a", 1<<20) + `"}}],"results":[` + strings.Repeat(`{"message":{"text":"b"},"locations":[{"physicalLocation":{"artifactLocation":{"index":0}}}]},`, 64) + `{}]}]}`,
			"run 1, result 64: with their messages and paths written out, the results are larger than the limit of 64 MiB"},
		{`{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":[{"messageStrings":{"m":{"text":"` + strings.Repeat("{0}", 500) + `"}}}]}},"results":[` + strings.Repeat(`{"ruleIndex":0,"message":{"id":"m","arguments":["`+strings.Repeat("a", limits.FindingText)+`"]}},`, 1000) + `{}]}]}`,
			"written out, the results are larger"},
		{strings.Repeat(" ", limits.FindingsBytes+1), "larger than the limit of 64 MiB"},
	} {
		found, err := Read([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "findings: ") || found != nil {
			t.Errorf("%.60q: %v, %v; want %s", c.text, found, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		rec(f, "jshint.xml"), rec(f, "pmd.sarif"), `{"diagnostics":[{"message":"a","location":{"path":"x"},"severity":1}]}`,
		"{\"message\":\"a\",\"location\":{}}\n{\"message\":\"b\"}", `{"version":"2","runs":[{"results":[{"message":{"id":"a","arguments":["{0}"]},"ruleIndex":-1}]}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := Read(text)
		if err != nil && found != nil {
			t.Errorf("findings with the error %v", err)
		}
		for _, f := range found {
			if f.Line < 0 || f.Column < 0 || f.EndLine < 0 || f.Severity == "" || strings.ContainsAny(f.Message+f.Rule+f.Tool, "\x1b\n\x00") {
				t.Errorf("%+v", f)
			}
		}
	})
}
