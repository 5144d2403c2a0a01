package aboutness

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"crscore/sts/internal/limits"
)

func model(t testing.TB) *Model {
	t.Helper()
	m, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cache is a hunk of a cache that gets an expiry.
func cache(m *Model) *Hunk {
	return m.Hunk(Code{
		Path: "store/cache.py", Heading: "class Cache:",
		Changed: []string{"    def put(self, key, value):", "    def put(self, key, value, ttl):", "        self._items[key] = (value, time.monotonic() + ttl)"},
		Kept:    []string{"        log.debug(key)", "        i = 0"},
	})
}

func TestCompare(t *testing.T) {
	m := model(t)
	h := cache(m)
	for _, c := range []struct {
		text                    string
		found, missing, foreign []string
		words                   int
		about                   bool
	}{
		{"`put` now requires a `ttl` argument, so every existing caller breaks.", []string{"put", "ttl"}, nil, nil, 0, true},
		{"The key is logged with `log.debug`.", []string{"log.debug"}, nil, nil, 1, true},
		{"Items of `_items` never expire when the clock is monotonic.", []string{"_items"}, nil, nil, 1, true},
		{"The `RetryPolicy` of `HttpTransport` ignores the status.", nil, []string{"RetryPolicy", "HttpTransport"}, nil, 0, false},
		{"This will throw IndexOutOfBoundsException on the last iteration.", nil, nil, []string{"IndexOutOfBoundsException"}, 0, false},
		{"Use a PreparedStatement.", nil, nil, []string{"PreparedStatement"}, 0, false},
		{"Rename this to `isExpired`.", nil, nil, []string{"isExpired"}, 0, false},
		{"@sofie could you look?", nil, nil, []string{"@sofie"}, 0, false},
		{"The operator should be `<=`.", nil, nil, nil, 0, false},
		{"", nil, nil, nil, 0, false},
	} {
		e := m.Compare(m.Text(c.text), h, 0)
		if !slices.Equal(e.Found, c.found) || !slices.Equal(e.Missing, c.missing) || !slices.Equal(e.Foreign, c.foreign) || len(e.Words) != c.words || (e.Z >= 0) != c.about {
			t.Errorf("%q: %+v", c.text, e)
		}
		if e.P <= 0 || e.P >= 1 || (e.P >= .5) != (e.Z >= 0) {
			t.Errorf("%q: P is %v", c.text, e.P)
		}
	}
	if a, b := m.Compare(m.Text("Fine."), h, -1), m.Compare(m.Text("Fine."), h, 0); a.Z != b.Z {
		t.Error("a negative cosine speaks against a comment")
	}
}

// TestStripped: what is pasted is no evidence.
func TestStripped(t *testing.T) {
	m := model(t)
	for _, text := range []string{
		"```\nself._items[key] = ttl\n```", "~~~py\nput(key, value, ttl)\n~~~", "`put(key, value, ttl, items, log, debug, monotonic)`",
		"`put`, `ttl`, `key`.", "See `put`, `ttl`.", "https://example.org/put/ttl/_items",
	} {
		if e := m.Compare(m.Text(text), cache(m), 0); e.L != 0 || len(e.Found) > 0 {
			t.Errorf("%q: %+v", text, e)
		}
	}
}

func TestWhy(t *testing.T) {
	m := model(t)
	for text, want := range map[string]string{
		"`put` needs a `ttl` for each key.":                                   "names `put`, `ttl` of this hunk; 1 word in common",
		"The `aaa_bbb`, `ccc_ddd`, `eee_fff`, `ggg_hhh` handles are evicted.": "names `aaa_bbb`, `ccc_ddd`, `eee_fff` and 1 more that this hunk lacks; no word in common",
		"Why is `i` never used?":                                              "name `i` of this hunk",
		"Hm.":                                                                 "no word in common",
	} {
		e := m.Compare(m.Text(text), cache(m), 0)
		if got := e.Why(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestRemark(t *testing.T) {
	m := model(t)
	for text, want := range map[string]bool{
		"Thanks so much for taking the time, this is great work!":                     true,
		"Please rebase this branch and squash the commits.":                           true,
		"Please make sure this is tested properly before merging":                     true,
		"Thanks, but `put` breaks all callers.":                                       false,
		"SQL injection.":                                                              false,
		"The lock leaks when this panics.":                                            false,
		"Great work!\n```go\nreturn nil\n```":                                         false,
		"Great work everyone!\n```suggestion\nreturn nil\n```":                        false,
		"Great work everyone!\n<details>\n```suggestion\nreturn nil\n```\n</details>": true,
		"Zorp quux frobs.":                                                            false,
		"":                                                                            false,
	} {
		if got, err := m.Remark(m.Text(text)); err != nil || got != want {
			t.Errorf("%q: %t, %v", text, got, err)
		}
	}
}

func TestNew(t *testing.T) {
	good := Parameters{Names: .7, Words: .2, Stems: 30, Hunks: 10}
	if _, err := New(good, []byte("\t1\nnice\t2.5\n")); err != nil {
		t.Error(err)
	}
	for _, bad := range []Parameters{{}, {Names: 1, Words: .2, Stems: 30, Hunks: 10}, {Names: .7, Words: .2, Stems: 30, Hunks: 0}} {
		if _, err := New(bad, nil); err == nil {
			t.Errorf("%+v", bad)
		}
	}
	for _, table := range []string{"nice\t1\n", "\tx\n", "\t1\nnice\n", "\t1\n\t1\n"} {
		m, err := New(good, []byte(table))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Remark(m.Text("Nice work everyone.")); err == nil {
			t.Errorf("%q is a table", table)
		}
	}
}

// TestLarge: no more than the limits is read, and the cost does not grow with the rest.
func TestLarge(t *testing.T) {
	m := model(t)
	text := m.Text(strings.Repeat("The `put` of this. ", 1<<20))
	if len(text.Plain) > limits.CommentBytes {
		t.Errorf("%d bytes are read", len(text.Plain))
	}
	h := m.Hunk(Code{Changed: slices.Repeat([]string{strings.Repeat("key é ", 1000)}, 10_000)})
	if n := len(strings.Join(h.Changed, "")); n > limits.ChangedBytes {
		t.Errorf("%d bytes for the encoder", n)
	}
}

// FuzzText: any text is read, and has finite evidence.
func FuzzText(f *testing.F) {
	for _, s := range []string{"`put` needs a ttl, e.g. `x`.", "```\n`a", "\"“`\xff", "a.b::c->d(", strings.Repeat("`", 40), "@a @b `@c`", "См. `put`"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, comment, code string) {
		m := model(t)
		text := m.Text(comment)
		h := m.Hunk(Code{Path: code, Changed: strings.Split(code, "\n")})
		e := m.Compare(text, h, .5)
		if !(e.P >= 0 && e.P <= 1) || e.Z != e.Z {
			t.Errorf("%+v", e)
		}
		if _, err := m.Remark(text); err != nil {
			t.Error(err)
		}
		if utf8.ValidString(comment) && !utf8.ValidString(e.Why()) {
			t.Errorf("%q", e.Why())
		}
	})
}

// TestLongText: of a long comment and of a long name no more than a bound is read.
func TestLongText(t *testing.T) {
	m, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Text(strings.Repeat("<!-- -->", limits.CommentWhole/8) + "`parse_header` fails here."); len(got.names) > 0 {
		t.Errorf("the text behind %d bytes is read: %v", limits.CommentWhole, got.names)
	}
	var name strings.Builder
	for i := range 10 * mostStems {
		fmt.Fprintf(&name, "%c%c_", 'a'+i%26, 'a'+i/26%26)
	}
	if got := len(m.stemsOf(name.String())); got != mostStems {
		t.Errorf("a name has %d stems", got)
	}
}
