package stability

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/analyzers"
	"crscore/eval/perturb"
	"crscore/eval/perturb/compile"
	"crscore/internal/dataset"
)

// TestCheck breaks variants on purpose: the compiler's word takes them out.
func TestCheck(t *testing.T) {
	old, broken, python2 := "package a\n", "package a\n\nfunc f() int { b := 1; return 2 }\n", "print 1\n"
	new := "package a\n\nfunc f() int {\n\treturn 1\n}\n"
	make := func(lang string, old, new *string) []*Made {
		made, err := Make(t.Context(), &dataset.Record{ID: "a", Lang: lang, Old: old, New: new}, perturb.All(), 1)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	c := compile.New(analyzers.Options{})
	sound, spoiled := make("go", &old, &new), make("go", &old, &new)
	spoiled[3].Record.New = &broken
	if err := Check(t.Context(), c, [][]*Made{sound, spoiled, make("python", &python2, &python2)}); err != nil {
		t.Fatal(err)
	}
	if err := spoiled[3].Err; err == nil || err.Error() != "a new diagnostic of go: declared and not used: b" {
		t.Error(err)
	}
	var got Checked
	for _, m := range append(sound, spoiled...) {
		got.Add(m)
	}
	// Of p2, p3 and p6 there are variants.
	if d := cmp.Diff(Checked{Checked: 5, Broken: 1}, got); d != "" {
		t.Error(d)
	}

	t.Setenv("PATH", t.TempDir())
	sound = make("go", &old, &new)
	if err := Check(t.Context(), compile.New(analyzers.Options{}), [][]*Made{sound}); err != nil {
		t.Fatal(err)
	}
	got = Checked{}
	for _, m := range sound {
		got.Add(m)
	}
	if got.Failed != 3 || len(got.Unchecked) != 1 || !strings.Contains(got.Unchecked[0].Reason, "go is not on PATH") || got.Unchecked[0].Changes != 3 {
		t.Errorf("%+v", got)
	}
}
