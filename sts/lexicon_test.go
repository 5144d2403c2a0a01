package sts_test

import (
	"math"
	"strings"
	"testing"

	"crscore/sts"
	"crscore/sts/builtin"
)

func TestLexicon(t *testing.T) {
	l, err := sts.ParseLexicon([]byte("99\nfix\t49\nparser\t3\nall\t99\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		word string
		want float64
	}{
		{"fix", math.Log(2)},
		{"parser", math.Log(25)},
		{"all", 0.1},
		{"never", math.Log(100)},
	} {
		if got := l.IDF(tt.word); math.Abs(float64(got)-tt.want) > 1e-6 {
			t.Errorf("IDF(%q) = %v, want %v", tt.word, got, tt.want)
		}
	}
	other, err := sts.ParseLexicon([]byte("99\nfix\t48\nparser\t3\nall\t99\n"))
	if err != nil {
		t.Fatal(err)
	}
	if l.Signature() == other.Signature() {
		t.Errorf("two tables have the signature %s", l.Signature())
	}
}

func TestLexiconBroken(t *testing.T) {
	for _, tt := range []struct{ table, want string }{
		{"", `line 1: "" is not the number of sentences`},
		{"many\n", `line 1: "many"`},
		{"-3\n", `line 1: "-3"`},
		{"10\n", "no word"},
		{"10\nfix\n", `line 2: "fix" is not a word, a tab and a number from 1 to 10`},
		{"10\nfix\t3\nparse\t11\n", `line 3: "parse\t11"`},
		{"10\nfix\t0\n", `line 2: "fix\t0"`},
		{"10\n\t3\n", `line 2: "\t3"`},
		{"10\nfix\t3\nfix\t3\n", `line 3: the word "fix" occurs twice`},
		{"10\n" + strings.Repeat("\n", 1<<20+1), "more than the limit of 1048576"},
	} {
		_, err := sts.ParseLexicon([]byte(tt.table))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20q: error %v, want %q", tt.table, err, tt.want)
		}
	}
}

// TestBuiltinLexicon looks up words as they stand in reviews: frequent ones are
// worth less than rare ones.
func TestBuiltinLexicon(t *testing.T) {
	l, err := sts.ParseLexicon(builtin.Words())
	if err != nil {
		t.Fatal(err)
	}
	last := float32(0)
	for _, word := range []string{"fix", "parser", "deadlock", "zqxj"} {
		v := l.IDF(sts.CodeWords(word, true))
		if v <= last {
			t.Errorf("IDF(%q) = %v, want more than %v", word, v, last)
		}
		last = v
	}
}

func FuzzLexicon(f *testing.F) {
	f.Add([]byte("99\nfix\t49\nparser\t3\n"), "fix")
	f.Add([]byte("1\na\t1"), "b")
	f.Add([]byte("9999999999999999999\n"), "")
	f.Fuzz(func(t *testing.T, table []byte, word string) {
		l, err := sts.ParseLexicon(table)
		if err != nil {
			return
		}
		if v := l.IDF(word); !(v >= 0.1) || math.IsInf(float64(v), 0) {
			t.Errorf("IDF(%q) = %v", word, v)
		}
	})
}
