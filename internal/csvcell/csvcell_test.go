package csvcell

import (
	"strings"
	"testing"
)

// TestText: what a spreadsheet would compute, or a terminal obey, is written as text, and
// numbers as they are.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "text": "text", "7": "7", "-5": "-5", "+1.5e3": "+1.5e3", "'quoted'": "'quoted'", "a=b": "a=b", "a; b=c": "a; b=c", `say "=1"`: `say "=1"`,
		"=1+1": "'=1+1", "+cmd": "'+cmd", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)", "'=1": "''=1", "''-x": "'''-x", "-": "'-", "＝1": "'＝1", " =1": "' =1", `"=1`: `'"=1`,
		"::set-output": "'::set-output", "##[error]": "'##[error]",
		";=1": ";'=1", "a;=1;b;-2": "a;'=1;b;'-2", ";'=1": ";''=1", `x;"=1`: `x;'"=1`, "; \u00a0=1": ";' \u00a0=1", "=1;=1": "'=1;'=1",
		"\t=1": `"\t=1"`, "a\n=1": `"a\n=1"`, "\x1b[31m": `"\x1b[31m"`, "\u202e;=1": `"\u202e;'=1"`, "\xff": `"\xff"`, `"\t=1"`: `"\"\\t=1\""`, `"a"`: `"\"a\""`, `"a`: `"a`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if back := Read(want); back != in {
			t.Errorf("%q is read as %q", want, back)
		}
	}
	// Cells of other programs.
	for in, want := range map[string]string{`"a"`: `"a"`, "'a": "'a", "'=1": "=1"} {
		if got := Read(in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"\t=1", ";=1", `"a"`, "'=", "\xff;-", "-1", `"\t;''=1"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := Text(s)
		if got := Read(c); got != s {
			t.Errorf("%q is written as %q and read as %q", s, c, got)
		}
		if strings.ContainsAny(c, "\n\r\t\x1b") {
			t.Errorf("%q is written as %q", s, c)
		}
	})
}
