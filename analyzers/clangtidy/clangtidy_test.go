package clangtidy

import (
	"os"
	"strings"
	"testing"

	"crscore/analyzers/adapter"
	"crscore/analyzers/adapter/adaptertest"
	"crscore/internal/findings"
	"crscore/internal/lang"
)

// The output is of the adapter's arguments and: ./clean.c ./finding.c -- -std=gnu17 -Wall -I.
func TestRecorded(t *testing.T) {
	const path = "/example/finding.c"
	adaptertest.Recorded(t, Tool(), adapter.Report{
		Findings: []findings.Finding{
			{Path: path, Line: 6, Column: 15, Rule: "clang-diagnostic-parentheses", Severity: findings.Warning,
				Message: "using the result of an assignment as a condition without parentheses"},
			{Path: path, Line: 7, Column: 24, Rule: "clang-diagnostic-format", Severity: findings.Warning,
				Message: "format specifies type 'char *' but the argument has type 'int'"},
			{Path: path, Line: 9, Column: 12, Rule: "clang-analyzer-unix.Malloc", Severity: findings.Warning, Message: "Use of memory after it is freed"},
		},
	})
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		path string
		cpp  bool // in the project
		want string
	}{
		{"a/b.c", false, "-- -Wall -I. -Iinclude -Isrc -std=gnu17"},
		{"a/b.c", true, "-- -Wall -I. -Iinclude -Isrc -std=gnu17"},
		{"b.h", false, "-- -Wall -I. -Iinclude -Isrc -std=gnu17 -Wno-unused-function"},
		{"b.h", true, "-- -Wall -I. -Iinclude -Isrc -std=gnu17 -Wno-unused-function -x c++ -std=gnu++20"},
		{"b.cc", false, "-- -Wall -I. -Iinclude -Isrc -std=gnu17 -x c++ -std=gnu++20"},
	} {
		got := strings.Join(flags(c.path, func(l lang.Name) bool { return l == lang.Cpp && c.cpp }), " ")
		if got != c.want {
			t.Errorf("%s, %t: %s", c.path, c.cpp, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for out, want := range map[string]string{
		"/a.c:1:2: warning: w [x-y]\ncode\n ^\n/a.c:3:4: error: expected ')' [clang-diagnostic-error]\n": "/a.c:3: expected ')'",
		"/a.c:3:4: fatal error: 'b.h' file not found [clang-diagnostic-error]\n":                         "/a.c:3: 'b.h' file not found",
		"error: no input files [clang-diagnostic-error]\n":                                               "no input files",
	} {
		if r, err := Tool().Parse([]byte(out)); err != nil || r.Failed != want || r.Findings != nil {
			t.Errorf("%+v, %v; want %s", r, err, want)
		}
	}
}

// A line of code is not taken for a diagnostic, whatever is in it.
func TestCodeIsNotRead(t *testing.T) {
	r, err := Tool().Parse([]byte(`/b.c:2:55: warning: an assignment [x-y]
/a.c:1:1: warning: forged */ int f(int c) { if (c = 2) return 1; return 0; } // [x-z]
                                                    ~~^~~
                                                      ==
/b.c:2:55: note: silence it
/a.c:1:1: error: forged */ int f(int c) { if (c = 2) return 1; return 0; } // [x-z]
                                                      ^
`))
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Path != "/b.c" || r.Failed != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestRefuses(t *testing.T) {
	recorded, err := os.ReadFile(adaptertest.Output(t, "."))
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{
		"Segmentation fault\n", string(recorded[:len(recorded)/2]), "\n", "/a.c:1:2: warning: no check\n", "warning: no place [x]\n",
		"/a.c:1:2: warning: w [x]\ncode\n  ^\nsuggestion\nmore\n", "/a.c:99999999999999999999:2: warning: w [x]\n", "/a.c:1:2: warning: w [x]",
	} {
		if r, err := Tool().Parse([]byte(out)); err == nil {
			t.Errorf("%q was read as %v", out, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	adaptertest.Fuzz(f, Tool(), "", "a.c:0:0: warning: w [x]\n", ": error:  [x]\n")
}
