package crscore

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/syntax"
	"crscore/score"
)

// TestMade: what matrices were made with is the signature without the rule, and can
// be taken apart again.
func TestMade(t *testing.T) {
	var stems []string
	for _, opts := range []Options{{Mode: score.Soft}, {Mode: score.Hard, Tau: ptr(0.25)}} {
		opts.Similarity, opts.Claims, opts.Smells = words{}, []Source{DataClaims("a b"), DataClaims("c")}, []Source{}
		e := newEngine(t, opts)
		stems = append(stems, e.Provenance().String())
		got, err := ParseProvenance(e.Provenance().String())
		if d := cmp.Diff(e.Provenance(), got); d != "" || err != nil {
			t.Error(d, err)
		}
	}
	want := "crscore/" + Version + " similarity=words splitter=markdown/3 claims=data:a b,data:c smells=none"
	if stems[0] != want || stems[1] != want {
		t.Errorf("%q, want %q", stems, want)
	}
	for _, bad := range []string{"", "crscore/0.1", "crscore/0.1 similarity=x splitter=m claims=y smells=", "crscore/0.1 similarity=x claims=y smells=z", "crscore/0.1 similarity=x splitter= claims=y smells=z", "other/0.1 similarity=x splitter=m claims=y smells=z"} {
		if m, err := ParseProvenance(bad); err == nil {
			t.Errorf("%q: %+v", bad, m)
		}
	}
}

// TestGrammars: a build without some grammars says so in the signature of its references.
func TestGrammars(t *testing.T) {
	want := regexp.MustCompile(`^claims=symbolic/\d+` + syntax.Grammars + ` smells=builtin/\d+` + syntax.Grammars + `$`)
	if got := newEngine(t, Options{}).Provenance().Sources.String(); !want.MatchString(got) {
		t.Errorf("%s, want %s", got, want)
	}
}

// FuzzParseMade: the stem of a file is not trusted, and what is read of it says it
// again.
func FuzzParseMade(f *testing.F) {
	f.Add("crscore/0.1 similarity=a encoder=b splitter=c claims=d,e smells=f")
	f.Add("crscore/ splitter= claims= smells=")
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := ParseProvenance(s); err == nil && m.String() != s {
			t.Fatalf("%q became %q", s, m.String())
		}
	})
}
