package cppcheck

import (
	"strings"
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
)

// The output is of: cppcheck ARGS clean.c finding.c broken.c
func TestParse(t *testing.T) {
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: "finding.c", Line: 11, Column: 2, Rule: "memleak", Message: "Memory leak: all", Severity: findings.Error},
			{Path: "finding.c", Line: 8, Column: 8, Rule: "duplicateExpression", Message: "Same expression on both sides of '=='.", Severity: findings.Info},
		},
		Unread: []adapter.Unread{{Path: "broken.c", Reason: "line 1: Unmatched '('. Configuration: ''."}},
	})
}

func results(s string) string {
	return `<results version="2"><cppcheck version="2.10"/><errors>` + s + `</errors></results>`
}

// TestWholeProgram holds that what is found in a file does not depend on which
// others are analysed with it.
func TestWholeProgram(t *testing.T) {
	r, err := Tool().Parse([]byte(results(`<error id="ctuOneDefinitionRuleViolation" severity="error" msg="x" file0="f0.c"><location file="f0.c" line="1"/></error>`)))
	if err != nil || r.Findings != nil || r.Unread != nil {
		t.Errorf("%v, %v", r, err)
	}
}

func TestParseErrors(t *testing.T) {
	adaptertest.Refuses(t, Tool(),
		"null", "{}", "cppcheck: error: unrecognized command line option", "<results/>", `<checkstyle version="4.3"/>`,
		results("")+"x", results("")+"<x/>",
		results(`<error id="x" severity="error"/>`),
		results(`<error id="x" severity="error" msg="x"/>`),
		results(`<error severity="error" msg="x" file0="f0.c"/>`),
		results(`<error id="x" severity="error" file0="f0.c"/>`),
		results(`<error id="x" severity="opinion" msg="x" file0="f0.c"/>`),
		results(`<error id="x" severity="error" msg="x"><location file="f0.c" line="-1"/></error>`),
		results(`<error id="x" severity="error" msg="x"><location file="f0.c" line="one"/></error>`),
	)
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(),
		results(`<error id="x" severity="style" msg="x" file0="f0.c"/><error id="y" severity="information" msg="x"/>`),
		results(`<error id="unknownMacro" severity="error" msg="x" file0="f0.c"><location line="1"/><location file="f0.c" line="2"/></error>`))
}

func TestPrepare(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"#define X 1\nint includes;\n", "#define X 1\nint includes;\n"},
		{"#include <a.h>\r\n# \tinclude_next \"b.h\"\r\n", "#include__ <a.h>\r\n# \tinclude___next \"b.h\"\r\n"},
		{"#import X\n%:embed X\n#\x02include X", "#import__ X\n%:embed__ X\n#\x02include__ X"},
		{"# /*\n*/ include \"a\"\n#\\\ninclude \"a\"\n", "# /*\n*/ include__ \"a\"\n#\\\ninclude__ \"a\"\n"},
		{"#inc\\\r\nlude \"a\"", "#inc\\\r\nlude__ \"a\""},
		{"#line 3 \"a.y\"\n# 12 \"b.y\"\n#file \"c\"\n#endfile", "//#line 3 \"a.y\"\n//# 12 \"b.y\"\n//#file \"c\"\n//#endfile"},
		{"#ifndef A\n\t#error don't\n#endif", "#ifndef A\n//\t#error don't\n#endif"},
		{"#define S(line, errors) #line", "#define S(line, errors) #line"},
		{"#inc\\\n\\\nlude <a.h>", "#inc\\\n\\\nlude__ <a.h>"},
		// One underscore would make include_next of it.
		{"#include\\\rnext <a.h>", "#include__\\\rnext <a.h>"},
		{"#include\\\r_next <a.h>", "#include__\\\r_next <a.h>"},
		{"\xff\xfe#\x00i", "?#\x00i"},
	} {
		if got := prepare(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	f.Add("/*\n*/#\\\ninc\\\r\nlude \"a\"\n#include_next#include\r#line\n# 3")
	f.Fuzz(func(t *testing.T, text string) {
		got := prepare(text)
		if a, b := strings.Count(text, "\n"), strings.Count(got, "\n"); a != b {
			t.Errorf("%q has %d line ends, %q %d", text, a, got, b)
		}
		if reads.MatchString(got) || lies.MatchString(got) {
			t.Errorf("%q: %q", text, got)
		}
	})
}
