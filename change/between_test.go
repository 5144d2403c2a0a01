package change

import (
	"errors"
	"strings"
	"testing"
)

func TestBetween(t *testing.T) {
	text := func(s string) *string { return &s }
	c, err := Between([]Texts{
		{"a.py", text("one\ntwo\nthree\n"), text("one\n2\r\nthree")}, {"same.py", text("x"), text("x")}, {"new.go", nil, text("package a\n")}, {"gone.rb", text("puts 1\n"), nil},
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range c.Files {
		f := &c.Files[i]
		old, ok1 := f.Whole(Old)
		new, ok2 := f.Whole(New)
		if !ok1 || !ok2 {
			t.Errorf("%s has not both texts", f.Path())
		}
		got = append(got, strings.Join([]string{f.Path(), string(f.Status), string(f.Lang), old, new}, "|"))
	}
	if want := "a.py|modified|python|one\ntwo\nthree\n|one\n2\nthree, new.go|added|go||package a\n, gone.rb|deleted|ruby|puts 1\n|"; strings.Join(got, ", ") != want || len(c.Warnings) > 0 {
		t.Errorf("got %q, warnings %q", strings.Join(got, ", "), c.Warnings)
	}
	for _, tt := range []struct {
		files []Texts
		want  string
	}{
		{[]Texts{{"a", text("x"), text("x")}}, ErrSame.Error()}, {nil, ErrSame.Error()}, {[]Texts{{"a\n+b", nil, text("x")}}, `file 1: "a\n+b" is not a path`},
		{[]Texts{{"", nil, text("x")}}, `file 1: "" is not a path`}, {[]Texts{{"a", nil, nil}}, "file 1: a has neither"},
		{[]Texts{{"a", nil, text("x")}, {"a", nil, text("y")}}, "file 2: a is given twice"},
	} {
		if _, err := Between(tt.files, ""); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v: %v", tt.files, err)
		}
	}
	large := strings.Repeat("x\n", DefaultMaxBytes/2+1)
	if _, err := Between([]Texts{{"a", nil, &large}}, ""); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	// Names that a diff quotes.
	if c, err := Between([]Texts{{`a "b"	c`, nil, text("x")}}, ""); err == nil {
		t.Errorf("a path with a tab is %q", c.Files[0].Path())
	}
	if c, err := Between([]Texts{{`dir/a "b" ü.py`, text("y"), text("x")}}, ""); err != nil || c.Files[0].Path() != `dir/a "b" ü.py` {
		t.Errorf("a path with quotes: %v, %v", c, err)
	}
}

// FuzzBetween: the two texts of a file come back.
func FuzzBetween(f *testing.F) {
	f.Add("a.py", "one\ntwo\n", "one\n2")
	f.Add(`"a\" b`, "", "\n\n")
	f.Fuzz(func(t *testing.T, path, old, new string) {
		c, err := Between([]Texts{{path, &old, &new}}, "")
		if err != nil {
			return
		}
		wantOld, wantNew := settled(old), settled(new)
		gotOld, ok1 := c.Files[0].Whole(Old)
		gotNew, ok2 := c.Files[0].Whole(New)
		if !ok1 || !ok2 || gotOld != wantOld || gotNew != wantNew {
			t.Errorf("%q became %q (%v), %q became %q (%v)", wantOld, gotOld, ok1, wantNew, gotNew, ok2)
		}
	})
}
