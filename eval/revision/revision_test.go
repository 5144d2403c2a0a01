package revision

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"crscore/internal/dataset"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

func scorer(t testing.TB, compat bool) *Scorer {
	t.Helper()
	s, err := New(compat)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func scoreOf(t testing.TB, compat bool, lang, source, target string, answers ...string) Scores {
	t.Helper()
	got, err := scorer(t, compat).Score(context.Background(),
		&dataset.Revision{Lang: lang, Source: source, Target: target, Predictions: answers})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// body puts statements into a method of Java.
func body(statements string) string { return "int f(int a) { " + statements + " }" }

func TestExact(t *testing.T) {
	for _, tt := range []struct {
		name, lang, source, target, answer string
		want, compat                       bool
	}{
		{"the same", "java", body("return a;"), body("return a + 1;"), body("return a + 1;"), true, true},
		// Theirs reads the comments.
		{"space and comments", "java", body("return a;"), body("return a + 1;"), "int f(int a)\n{ // one more\n\treturn a+1; /* or so */ }", true, false},
		{"tags", "java", body("<START>return a;<END>"), body("return a + 1;"), body("<START>return a + 1;<END>"), true, true},
		// Theirs sees int, f, int, a, return, a in both.
		{"a number and an operator", "java", body("return b;"), body("return a + 1;"), body("return a - 2;"), false, true},
		{"case", "java", body("return b;"), body("return a;"), body("return A;"), false, true},
		{"space in a text", "java", body(`return g("");`), body(`return g("a b");`), body(`return g("a  b");`), false, true},
		{"a text of Go", "go", `func f() {}`, `func f() { g("1") }`, `func f() { g("2") }`, false, true},
		{"an outer indentation", "python", "def f():\n  g()\n", "def f():\n  h()\n", "    def f():\n        h()\n", true, true},
		{"an inner indentation", "python", "if a:\n  b()\n", "if a:\n  b()\nc()\n", "if a:\n  b()\n  c()\n", false, true},
		{"the end of a statement", "javascript", "f()", "function f() { return\nx }", "function f() { return x }", false, true},
		{"no code", "go", "func f() {}", "func f() { g() }", "I am sorry.", false, false},
	} {
		for _, compat := range []bool{false, true} {
			want := map[bool]bool{false: tt.want, true: tt.compat}[compat]
			if got := scoreOf(t, compat, tt.lang, tt.source, tt.target, tt.answer); got.EXM != want {
				t.Errorf("%s, compat %v: %v", tt.name, compat, got.EXM)
			}
		}
	}
}

// TestEdits has cases with EM and REE by hand.
func TestEdits(t *testing.T) {
	none := math.NaN()
	for _, tt := range []struct {
		name, source, target string
		answers              []string
		want, compat         float64 // REE; NaN without EM
	}{
		// "+ 1" is added.
		{"the target", "return a;", "return a + 1;", []string{"return a + 1;"}, 0, 0},
		{"nothing", "return a;", "return a + 1;", []string{"return a;"}, none, none},
		// "+ 1 + 2" are 4 tokens for 2, and 2 words for 1.
		{"more", "return a;", "return a + 1;", []string{"return a + 1 + 2;"}, 1, 1},
		// "1 +" is added in front.
		{"in another order", "return a;", "return a + 1;", []string{"return 1 + a;"}, none, none},
		// "+ 10" is "+ 1" and more as a text, and another token.
		{"a part of a token", "return a;", "return a + 1;", []string{"return a + 10;"}, none, 0},
		{"another case", "return a;", "return b;", []string{"return B;"}, none, 0},
		// The target deletes "+ b", the answer adds it.
		{"the other way", "return a + b;", "return a;", []string{"return a + b + b;"}, none, 0},
		// The target adds "x++ ;" and "x++ ; y++ ;": 9 tokens, 3 words. The answer adds the second: 6 and 2.
		{"fewer", "g();", "x++; g(); x++; y++;", []string{"g(); x++; y++;"}, -1. / 3, -1. / 3},
		// The words of the target's edits are none, of the answer's 1; 4 tokens for 2.
		{"no words", "return a < b;", "return a <= b;", []string{"return a <= b + 1;"}, 1, math.Inf(1)},
		// 1 and 3 times more: the nearest to 0 counts.
		{"the best of three", "return a;", "return a + 1;", []string{"return a + 1 + 2 + 3 + 4;", "return a;", "return a + 1 + 2;"}, 1, 1},
	} {
		for i := range tt.answers {
			tt.answers[i] = body(tt.answers[i])
		}
		for _, compat := range []bool{false, true} {
			want := map[bool]float64{false: tt.want, true: tt.compat}[compat]
			got := scoreOf(t, compat, "java", body(tt.source), body(tt.target), tt.answers...)
			switch {
			case got.EM == math.IsNaN(want), got.InfiniteREE != math.IsInf(want, 1), (got.REE == nil) != (math.IsNaN(want) || math.IsInf(want, 1)),
				got.REE != nil && !near(*got.REE, want):
				t.Errorf("%s, compat %v: %+v, want %v", tt.name, compat, got, want)
			}
		}
	}
}

// TestBLEU4 has sentence BLEU-4 by hand, as NLTK has it.
func TestBLEU4(t *testing.T) {
	for _, tt := range []struct {
		answer, target string
		want           float64
	}{
		{"a b c d", "a b c d", 1},
		{"a b c d", "a b c e", math.Pow(3./4*2/3*1/2*.1/1, .25)},
		// No run of 3 or 4: 0.1 of 1 for each.
		{"a b", "a b", math.Pow(1*1*.1*.1, .25)},
		{"a b c d", "a b c d e f", math.Exp(1 - 6./4)},
		{"x", "a b", 0},
		{"", "a", 0},
	} {
		if got, err := scorer(t, false).bleu4(tt.answer, tt.target); err != nil || !near(got, tt.want) {
			t.Errorf("%q for %q: %v, %v, want %v", tt.answer, tt.target, got, err, tt.want)
		}
	}
}

func TestCodeBLEU(t *testing.T) {
	// The tokens are return, x and return, y. Precisions: 1/2, then 0.1 of 1 pair, 0.1 of 1, 0.1 of 1.
	ngram := math.Pow(1./2*.1*.1*.1, .25)
	// return weighs 1, x 0.2.
	weighted := math.Pow(1/1.2*.1*.1*.1, .25)
	for compat, parts := range map[bool]float64{false: 3, true: 4} { // there is no data flow
		got := scoreOf(t, compat, "python", "pass", "return x", "return y").CodeBLEU
		if !near(got.NGram, ngram) || !near(got.Weighted, weighted) || *got.Syntax != 1 || got.DataFlow != nil ||
			!near(got.Score, (ngram+weighted+1)/parts) {
			t.Errorf("compat %v: %+v", compat, got)
		}
	}
	// The subtrees of the target are module, return_statement and call with its argument_list. The answer has a
	// list in the place of the call: argument_list, call, return_statement and module are not found.
	if got := scoreOf(t, false, "python", "pass", "return f(x)", "return [x]").CodeBLEU; *got.Syntax != 0 {
		t.Errorf("%v of the subtrees", *got.Syntax)
	}
	// An answer with two of three statements has call, argument_list and expression_statement three times, and no
	// module of the same form: 9 of 10.
	if got := scoreOf(t, false, "python", "pass", "f(x)\ng(y)\nh(z)", "f(x)\ng(y)").CodeBLEU; !near(*got.Syntax, .9) {
		t.Errorf("%v of the subtrees", *got.Syntax)
	}
	// Operators are no subtrees.
	if got := scoreOf(t, false, "python", "pass", "x + y", "x - y").CodeBLEU; *got.Syntax != 1 {
		t.Errorf("%v of the subtrees", *got.Syntax)
	}
	// The data flow of the target: a read, b from a, b read. The answer, with other names: a read, b from a, a read.
	got := scoreOf(t, false, "python", "pass", "def f(a):\n  b = a\n  return b", "def f(x):\n  y = x\n  return x").CodeBLEU
	if !near(*got.DataFlow, 2./3) {
		t.Errorf("%v of the data flow", *got.DataFlow)
	}
}

// TestDataFlow has the same function in each language.
func TestDataFlow(t *testing.T) {
	// a is read, b set from a, c set from b (read) in a loop, c read and set from c and b, c read.
	want := []string{"false 0 0", "true 1 0", "false 1 1", "true 2 1", "false 3 3", "false 2 2", "true 3 3 2", "false 3 3"}
	for _, tt := range []struct{ lang, text string }{
		{"java", "int f(List<Integer> a, int s) { List<Integer> b = a; for (int c : b) { s = s + c; } return s; }"},
		{"java", "int f(List<Integer> a, int s) { var b = a; for (int c : b) { s += this.w(c).a; } return s; }"},
		{"python", "def f(a, s=0):\n  b = a\n  for c in b:\n    s += c\n  return s"},
		{"python", "f = lambda: 1\ndef f(a, *, s: int = 0) -> int:\n  b: int = a\n  for c in b:\n    s = s + c\n  return s"},
		{"javascript", "function f(a, s = 0) { const b = a; for (const c of b) { s += c } return s }"},
		{"javascript", "(a, s) => { let b = a; for (let c in b) s = s + g(c); return s }"},
		{"typescript", "f(a: number[], s: number = 0): number { const b: number[] = a; for (const c of b) s += c; return s }"},
		{"tsx", "f(a, s) { const b = a; for (const c of b) s += c; return s }"},
		{"go", "func f(a []int, s int) int { b := a; for c := range b { s += c }; return s }"},
		{"go", "func (t *T) f(a, s int) int { var b int = a; for c := range b { s = s + g(c) }; return s }"},
	} {
		l, _ := lang.Lookup(tt.lang)
		c, err := parse(context.Background(), l, tt.text)
		if err != nil || c.broken {
			t.Fatal(tt, err)
		}
		if got := c.flow; !slices.Equal(got, want) {
			t.Errorf("%s\n%q, want\n%q", tt.text, got, want)
		}
	}
	for text, want := range map[string][]string{
		"x = y + y":                            {"true 0 1"},
		"x = 1\nreturn y":                      nil,
		"x = 1\nprint(x)\nx.y = x":             {"false 0 0", "false 0 0", "false 0 0"},
		"with open(p) as g:\n  g()":            {"true 0 1", "false 0 0"},
		"a, (b, c) = d\nreturn [b for b in c]": {"true 0 1", "true 2 1", "true 3 1", "false 2 2", "false 3 3", "true 2 3"},
	} {
		c, err := parse(context.Background(), lang.Python, text)
		if err != nil || c.broken {
			t.Fatal(text, err)
		}
		if got := c.flow; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestKeywords(t *testing.T) {
	for text, want := range map[string]string{
		"void f() { this.x = null; boolean b = true; int identifier = 1; return; }": "void this null boolean true int return",
	} {
		c, err := parse(context.Background(), lang.Java, text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, token := range c.tokens {
			if c.keywords[i] {
				got = append(got, token)
			}
		}
		if strings.Join(got, " ") != want {
			t.Error(got)
		}
	}
}

// TestUnscored has rows without scores, with the reasons.
func TestUnscored(t *testing.T) {
	a, b := "def f():\n  a()\n", "def f():\n  b()\n"
	deep := "x = " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for want, rev := range map[string]dataset.Revision{
		"there is no prediction":                     {Lang: "python", Source: a, Target: b},
		`the language is "cobol", not one of [java `: {Lang: "cobol", Source: a, Target: b, Predictions: []string{b}},
		"the target is no valid python":              {Lang: "python", Source: a, Target: "x = = 1", Predictions: []string{b}},
		"the target has the tokens of the source":    {Lang: "python", Source: a, Target: a + "# b", Predictions: []string{b}},
		"of the source: there is no edit":            {Lang: "python", Source: "if a:\n  b()\nc()", Target: "if a:\n  b()\n  c()", Predictions: []string{b}},
		"the target has no code":                     {Lang: "python", Source: a, Target: "# b", Predictions: []string{b}},
		"the prediction 2 has 262145 bytes, more ":   {Lang: "python", Source: a, Target: b, Predictions: []string{b, strings.Repeat(" ", limits.RevisionBytes+1)}},
		"the source: nested too deeply to be parsed": {Lang: "python", Source: deep, Target: b, Predictions: []string{b}},
	} {
		if _, err := scorer(t, false).Score(context.Background(), &rev); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scorer(t, false).Score(ctx, &dataset.Revision{Lang: "go", Source: a, Target: b, Predictions: []string{b}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzScore scores any texts: numbers stay in their ranges, and the target is the best answer.
func FuzzScore(f *testing.F) {
	f.Add(body("return a;"), body("return a + 1;"), body("return 'a';"), uint8(0))
	f.Add("def f():\n\tx", "if a:\n  b\n", "\xff\x00", uint8(1))
	f.Add("f(`a${b}`)", "<div>{a}</div>", "class A { b = 1 }", uint8(4))
	f.Fuzz(func(t *testing.T, source, target, answer string, kind uint8) {
		l := Languages()[int(kind)%len(Languages())]
		for _, compat := range []bool{false, true} {
			rev := dataset.Revision{Lang: string(l), Source: source, Target: target, Predictions: []string{answer, target}}
			got, err := scorer(t, compat).Score(context.Background(), &rev)
			if err != nil {
				continue
			}
			if !got.EXM || !got.EM && !compat || got.CodeBLEU.Score < 0 || got.CodeBLEU.Score > 1.000001 || got.BLEU4 < 0 || got.BLEU4 > 1.000001 {
				t.Errorf("compat %v: %+v", compat, got)
			}
		}
	})
}
