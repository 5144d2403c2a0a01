package change

import (
	"strings"
	"testing"

	"crscore/internal/limits"
)

// pathsOf makes Paths of files with these names on both sides, or with "OLD > NEW".
func pathsOf(names string, texts ...string) *Paths {
	c := &Change{}
	for _, name := range strings.Split(names, ", ") {
		was, now, renamed := strings.Cut(name, " > ")
		if !renamed {
			now = was
		}
		c.Files = append(c.Files, File{OldPath: was, NewPath: now})
	}
	return NewPaths(c, texts...)
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		names, text string
		want        int // -1: no file
	}{
		{"src/x.py", "src/x.py", 0}, {"src/x.py", "a/src/x.py", 0}, {"src/x.py", "b/src/x.py", 0}, {"src/x.py", "./src/x.py", 0},
		{"src/x.py", "a/./src//x.py", 0}, {"src/x.py", "./a/src/x.py", 0}, {"src/x.py", "/src/x.py", 0}, {"src/x.py", `src\x.py`, 0},
		{"src/x.py", `.\src\x.py`, 0}, {"src/x.py", " src/x.py\n", 0}, {"src/x.py", "src/lib/../x.py", 0},
		{"src/x.py", "file:src/x.py", 0}, {"src/x.py", "FILE:./src/x.py", 0}, {"src/x.py", "file:/ci/src/x.py", 0}, {"src/x.py", "file:///ci/src/x.py", 0},
		{"src/x.py", "file://localhost/ci/src/x.py", 0}, {"src/x.py", "file://src/x.py", 0}, {"src/x.py", "file:///src/x.py", 0},
		{"src/x.py", `C:\ci\src\x.py`, 0}, {"src/x.py", "c:/ci/src/x.py", 0}, {"src/x.py", "/C:/ci/src/x.py", 0}, {"src/x.py", "file:///c%3A/ci/src/x.py", 0},
		{"src/x.py", `file:\\\C:\ci\src\x.py`, 0}, {"src/x.py", `\\host\share\src\x.py`, 0}, {"src/x.py", "../repo/src/x.py", 0}, {"src/x.py", `..\..\repo\src\x.py`, 0},
		{"my src/ü.py", "my%20src/%C3%BC.py", 0}, {"my src/ü.py", "file:///ci/my%20src/%c3%bc.py", 0}, {"my src/ü.py", `"my src/\303\274.py"`, 0},
		{"my src/ü.py", "my src/u\u0308.py", 0}, {"u\u0308.py", "ü.py", 0}, {"C#/100%.cs", "file:///ci/C#/100%.cs", 0}, {`it's "x".py`, `./it's "x".py`, 0},
		// Names that look like this themselves.
		{"a/x.py, x.py", "a/x.py", 0}, {"b/x.py, x.py", "a/x.py", 1}, {"a/x.py, x.py", "a/a/x.py", 0}, {"x y.py, x%20y.py", "x%20y.py", 1}, {"x y.py, x%20y.py", "x y.py", 0},
		{"x%20y.py", "x y.py", 0}, {"x y.py, x%20y.py", "./x%20y.py", 1}, {`a\x.py, a/x.py`, `a\x.py`, 0}, {"file:/x.py, x.py", "file:/x.py", 0}, {"x%2Fy.py", "x%2Fy.py", 0},
		// Of several names the longest that fits.
		{"x.py, src/x.py", "/ci/src/x.py", 1}, {"x.py, src/x.py", "/ci/lib/x.py", 0},
		// Other files.
		{"src/x.py", "x.py", -1}, {"src/x.py", "lib/src/x.py", -1}, {"src/x.py", "/ci/xsrc/x.py", -1}, {"src/x.py", "c/src/x.py", -1}, {"src/x.py", "a/b/src/x.py", -1},
		{"src/x.py", "https://example.org/src/x.py", -1}, {"src/x.py", "", -1}, {"src/x.py", "/", -1}, {"src/x.py", ".", -1}, {"src/x.py", "file:", -1}, {"src/x.py", "file://", -1},
		{"src/x.py", "C:", -1}, {"src/x.py", "src/x.py/", 0}, {"src/x.py", "%zz", -1}, {"src/x.py", `"src/x.py`, -1}, {"", "", -1}, {"", ".", -1},
		{"x.py", strings.Repeat("/ci", limits.PathBytes) + "/x.py", -1},
		// Sides.
		{"was.py > now.py", "was.py", 0}, {"x.py > y.py, y.py > x.py", "b/x.py", 1}, {" > new.py, gone.py > ", "/ci/gone.py", 1},
	} {
		for _, p := range []*Paths{pathsOf(c.names), pathsOf(c.names, c.text)} {
			got, err := p.Find(c.text, New, Old)
			if got != c.want || (err != nil) != (c.want < 0) {
				t.Errorf("%.60q in %q: file %d, want %d: %.80v", c.text, c.names, got, c.want, err)
			}
		}
	}
	if got, err := pathsOf("x.py > y.py, y.py > x.py").Find("x.py", Old, New); got != 0 {
		t.Errorf("the old side is preferred: file %d, %v", got, err)
	}
	if got, err := pathsOf("was.py > now.py").Find("was.py", New); err == nil {
		t.Errorf("only the new side: file %d", got)
	}
}

// TestPathsTogether: the other paths show in which folder the change is.
func TestPathsTogether(t *testing.T) {
	for _, c := range []struct {
		names, texts string
		want         string // an x a file, a - none
	}{
		{"x.py", "/ci/x.py, /ci/lib/x.py", "x-"},
		{"x.py", "/ci/lib/x.py, /ci/x.py", "-x"},
		{"x.py", "/usr/lib/x.py, /ci/x.py, /ci/y.py", "-x-"},
		{"x.py", `D:\ci\lib\x.py, D:\ci\x.py`, "-x"},
		{"x.py, src/y.py", "/ci/src/y.py, /ci/vendor/x.py, /ci/x.py", "x-x"},
		// One file in every form, as tools on several machines write it.
		{"x.py, y.py", "x.py, /x.py, a/x.py, /ci/x.py, file:///ci/x.py, /ci/y.py, ../repo/x.py, C:/repo/x.py, file:///c:/repo/x.py", "xxxxxxxxx"},
		{"x.py, y.py", "/home/ci/x.py, /builds/1/y.py", "xx"},
	} {
		texts := strings.Split(c.texts, ", ")
		p := pathsOf(c.names, texts...)
		got := ""
		for _, text := range texts {
			if _, err := p.Find(text, New, Old); err == nil {
				got += "x"
			} else {
				got += "-"
			}
		}
		if got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.texts, c.names, got, c.want)
		}
	}
	if _, err := pathsOf("x.py", "/usr/lib/x.py", "/ci/x.py", "/ci/y.py").Find("/usr/lib/x.py", New); err == nil || !strings.Contains(err.Error(), "more paths are in another folder") {
		t.Error(err)
	}
}

func FuzzPaths(f *testing.F) {
	for _, s := range []string{"x.py", "./a/x.py", "file:///C:/ci/src/x.py", `..\x.py`, "%2e%2e/x.py", `"\303\274.py"`, "/ci/x.py"} {
		f.Add(s, "/ci/lib/x.py")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		p := pathsOf("src/x.py, x.py", text, other)
		i, err := p.Find(text, New, Old)
		switch again, _ := pathsOf("src/x.py, x.py", other, text, text).Find(text, New, Old); {
		case again != i:
			t.Errorf("%q is file %d and file %d", text, i, again)
		case (err == nil) != (i >= 0):
			t.Errorf("%q: %d, %v", text, i, err)
		}
		own := NewPaths(&Change{Files: []File{{NewPath: "x.py"}, {NewPath: text}}}, text, other)
		if got, err := own.Find(text, New); text != "" && text != "x.py" && got != 1 {
			t.Errorf("%q is not its own name: %d, %v", text, got, err)
		}
	})
}
