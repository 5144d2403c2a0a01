package config

import (
	"strings"
	"testing"
	"time"
)

func TestIgnore(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.pb.go", "a.pb.go", true},
		{"*.pb.go", "api/v1/a.pb.go", true},
		{"*.pb.go", "a.pb.go.txt", false},
		{"vendor", "vendor/x/y.go", true},
		{"vendor", "src/vendor/y.go", true},
		{"vendor/", "src/vendor/y.go", true},
		{"vendor", "vendors/y.go", false},
		{"/vendor", "vendor/y.go", true},
		{"/vendor", "src/vendor/y.go", false},
		{"src/*.py", "src/a.py", true},
		{"src/*.py", "src/b/a.py", false},
		{"src/*.py", "lib/src/a.py", false},
		{"src/**/a.py", "src/a.py", true},
		{"src/**/a.py", "src/b/c/a.py", true},
		{"src/**", "src/b/c/a.py", true},
		{"**/test_*.py", "b/c/test_a.py", true},
		{"?.py", "a.py", true},
		{"?.py", "ab.py", false},
		{"a.b", "acb", false},
		{"a b+c", "a b+c", true},
		{"*", "a/b", true},
	} {
		i, err := newIgnore(c.pattern, []string{"long-method"})
		if err != nil {
			t.Fatal(c.pattern, err)
		}
		if got := i.Matches(c.path, "long-method"); got != c.want {
			t.Errorf("%s of %s: %t", c.pattern, c.path, got)
		}
		if i.Matches(c.path, "deep-nesting") {
			t.Errorf("%s silences a rule that it does not name", c.pattern)
		}
	}
	if i, err := newIgnore("*", []string{"all"}); err != nil || !i.Matches("a", "deep-nesting") {
		t.Error("all does not stand for every rule", err)
	}
}

// TestIgnoreHostile shows that no pattern and path take long together.
func TestIgnoreHostile(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("*a", 200), strings.Repeat("**/", 133), strings.Repeat("**a/", 100), strings.Repeat("?", 400)} {
		start := time.Now()
		i, err := newIgnore(pattern, []string{"all"})
		if err != nil {
			t.Fatal(err)
		}
		i.Matches(strings.Repeat("a/", 2000)+"b", "long-method")
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%.20s took %s", pattern, took)
		}
	}
}
