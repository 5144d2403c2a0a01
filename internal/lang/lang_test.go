package lang

import "testing"

func TestLookup(t *testing.T) {
	for in, want := range map[string]Name{
		"py": Python, "Python": Python, ".cs": CSharp, "c++": Cpp, "rb": Ruby, "js": JavaScript,
		"JAVA": Java, " ts ": TypeScript, ".go": Go, "golang": Go, "c": C, "h": C, "": Unknown, "klingon": Unknown,
	} {
		got, ok := Lookup(in)
		if got != want || ok != (want != Unknown) {
			t.Errorf("Lookup(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestFromPath(t *testing.T) {
	for in, want := range map[string]Name{
		"a/b/push.py": Python, "X.JAVA": Java, "lib/index.mjs": JavaScript, "Dockerfile": Dockerfile, "Dockerfile.alpine": Dockerfile, "dockerfile.dev": Dockerfile, "dockerfile.go": Go,
		"prod.dockerfile": Dockerfile, `src\win\main.cpp`: Cpp, "README": Unknown, "a.b/c": Unknown, "": Unknown,
		"Gemfile": Ruby, "x.tsx": TSX,
	} {
		if got := FromPath(in); got != want {
			t.Errorf("FromPath(%q) = %q; want %q", in, got, want)
		}
	}
}

func TestExt(t *testing.T) {
	for _, n := range Names() {
		if got := FromPath("x" + n.Ext()); got != n {
			t.Errorf("a file of %s is called x%s, which is %q", n, n.Ext(), got)
		}
	}
	if ext := Unknown.Ext(); ext != "" {
		t.Error(ext)
	}
}

// TestTableIsUnambiguous keeps an alias or extension from naming two languages.
func TestTableIsUnambiguous(t *testing.T) {
	alias, ext := map[string]Name{}, map[string]Name{}
	for _, e := range table {
		for _, a := range append([]string{string(e.name)}, e.aliases...) {
			if o, dup := alias[a]; dup {
				t.Errorf("alias %q names %s and %s", a, o, e.name)
			}
			alias[a] = e.name
		}
		for _, x := range e.exts {
			if o, dup := ext[x]; dup {
				t.Errorf("extension %q names %s and %s", x, o, e.name)
			}
			ext[x] = e.name
			if o, ok := alias[x]; ok && o != e.name {
				t.Errorf("extension %q of %s is an alias of %s", x, e.name, o)
			}
		}
	}
}
