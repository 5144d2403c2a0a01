package symbolic

import (
	"slices"
	"testing"

	udiff "github.com/rogpeppe/go-internal/diff"

	"crscore/change"
	"crscore/internal/syntax"
)

// saidOf are the texts of the claims about a change from one text to another.
func saidOf(t *testing.T, path string, texts [2]string) (out []string) {
	t.Helper()
	diff := string(udiff.Diff("a/"+path, []byte(texts[0]), "b/"+path, []byte(texts[1])))
	c, err := change.Parse([]byte(diff), change.Options{Path: path, Old: &texts[0], New: &texts[1]})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := syntax.Parse(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Claims(t.Context(), parsed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range result.Refs {
		out = append(out, r.Text)
	}
	return out
}

// TestForms: a form without a meaning of its own changes no claim, and a form that looks
// like it does.
func TestForms(t *testing.T) {
	const py, js = "def old():\n    pass\n", "function old() {}\n"
	for _, c := range []struct {
		name, path    string
		plain, formed [2]string
		same          bool
	}{
		{"a try that raises again", "a.py",
			[2]string{py, py + "\ndef area(shape):\n    if shape is None:\n        log(shape)\n    return shape.width * 2\n"},
			[2]string{py, py + "\ndef area(shape):\n    try:\n        if shape is None:\n            log(shape)\n        return shape.width * 2\n    except Exception:\n        raise\n"}, true},
		{"a try around a changed call", "a.js",
			[2]string{"function f(a) {\n  log(a);\n  send(a);\n}\n", "function f(a) {\n  log(a);\n  send(a, 1);\n}\n"},
			[2]string{"function f(a) {\n  try {\n  log(a);\n  send(a);\n  } catch (e) { throw e; }\n}\n", "function f(a) {\n  try {\n  log(a);\n  send(a, 1);\n  } catch (e) { throw e; }\n}\n"}, true},
		{"a try that raises another error", "a.py",
			[2]string{py, py + "\ndef area(shape):\n    if shape is None:\n        log(shape)\n    return shape.width * 2\n"},
			[2]string{py, py + "\ndef area(shape):\n    try:\n        if shape is None:\n            log(shape)\n        return shape.width * 2\n    except Exception:\n        raise other\n"}, false},
		{"a result in a variable", "a.js",
			[2]string{js, js + "function area(shape) {\n  log(shape);\n  note(shape);\n  return shape.width * shape.height;\n}\n"},
			[2]string{js, js + "function area(shape) {\n  log(shape);\n  note(shape);\n  const r = shape.width * shape.height;\n  return r;\n}\n"}, true},
		{"another variable is returned", "a.js",
			[2]string{js, js + "function area(shape) {\n  log(shape);\n  note(shape);\n  return shape.width * shape.height;\n}\n"},
			[2]string{js, js + "function area(shape) {\n  log(shape);\n  note(shape);\n  const r = shape.width * shape.height;\n  return shape;\n}\n"}, false},
		{"a second name", "a.js",
			[2]string{js, js + "function area(shape) {\n  const all = find(shape);\n  return measure(1);\n}\n"},
			[2]string{js, js + "function area(shape) {\n  const all = find(shape);\n  const them = all;\n  return measure(1);\n}\n"}, true},
		{"a variable that takes over", "a.js",
			[2]string{"function f(a) {\n  const all = find(a);\n  send(all.length, { all: all });\n}\n", "function f(a) {\n  const all = find(a);\n  send(all.length, { all: all }, 1);\n  log('them', all, a.them);\n}\n"},
			[2]string{"function f(a) {\n  const all = find(a);\n  const them = all;\n  send(them.length, { all: them });\n}\n", "function f(a) {\n  const all = find(a);\n  const them = all;\n  send(them.length, { all: them }, 1);\n  log('them', them, a.them);\n}\n"}, true},
		{"new variables of which one takes over", "a.py",
			[2]string{py, py + "\ndef area(shape):\n    width = shape.width\n    if width > 2:\n        log(wide=width)\n    return scale(width)\n"},
			[2]string{py, py + "\ndef area(shape):\n    width = shape.width\n    wide = width\n    if wide > 2:\n        log(wide=wide)\n    return scale(wide)\n"}, true},
		{"a new variable that takes over an old one", "a.js",
			[2]string{"function f(a) {\n  const all = find(a);\n  send(all);\n}\n", "function f(a) {\n  const all = find(a);\n  send(all, 1);\n}\n"},
			[2]string{"function f(a) {\n  const all = find(a);\n  send(all);\n}\n", "function f(a) {\n  const all = find(a);\n  const them = all;\n  send(them, 1);\n}\n"}, false},
		{"a variable that is used again", "a.js",
			[2]string{"function f(a) {\n  let n = a.n;\n  send(n);\n}\n", "function f(a) {\n  let n = a.n;\n  send(n);\n  log(n);\n}\n"},
			[2]string{"function f(a) {\n  let n = a.n;\n  let m = n;\n  send(m, { n });\n}\n", "function f(a) {\n  let n = a.n;\n  let m = n;\n  send(m, { n });\n  log(m);\n}\n"}, false},
		{"variables of one name in each other", "a.js",
			[2]string{"function f(n) {\n  g(() => {\n    send(n);\n  });\n}\n", "function f(n) {\n  g(() => {\n    send(n, 1);\n    log(n);\n  });\n}\n"},
			[2]string{"function f(a) {\n  let n = a.n;\n  let m = n;\n  g(() => {\n    let o = h();\n    let m = o;\n    send(m);\n  });\n}\n", "function f(a) {\n  let n = a.n;\n  let m = n;\n  g(() => {\n    let o = h();\n    let m = o;\n    send(m, 1);\n    log(m);\n  });\n}\n"}, false},
		{"variables of the file", "a.py",
			[2]string{"def f(a):\n    n = a.n\n    send(n)\n", "def f(a):\n    n = a.n\n    send(n)\n    log(n)\n"},
			[2]string{"m = 1\n\ndef f(a):\n    global m\n    n = a.n\n    m = n\n    send(m)\n", "m = 1\n\ndef f(a):\n    global m\n    n = a.n\n    m = n\n    send(m)\n    log(m)\n"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain, formed := saidOf(t, c.path, c.plain), saidOf(t, c.path, c.formed)
			if len(plain) == 0 || slices.Equal(plain, formed) != c.same {
				t.Errorf("plain: %q\nformed: %q", plain, formed)
			}
		})
	}
}
