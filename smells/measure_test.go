package smells

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// measures says for programs what each of their blocks that can be called has:
// complexity, statements, parameters and levels of nesting.
var measures = []struct {
	lang       lang.Name
	code, want string
}{
	{lang.TypeScript, "class A<T> {\n constructor(private a: string, public b?: number) { super(); }\n f(this: A, @D() x: number, ...y: T[]): number { let q: T = 1; for (let i = 0; i < 2; i++) { } for (const k of y) { } if (a) { } else if (b) { while (c) { } } return a ?? 2; }\n get h() { return 1 }\n k = (a, b) => { if (a) b() };\n}",
		"A.constructor 1 1 2 0, A.f 7 7 2 2, A.h 1 1 0 0, A.k 2 2 2 1"},
	{lang.TypeScript, "function o(a: string, b: any): void;\nfunction o(a: any, { b, c }: D = {}) { type Z = 1; ; switch (a) { case 1: case 2: break; default: } throw a }\ninterface I { m(a: string, b?: number): void; n: (a: number) => void; (b: number): void }",
		"o 1 0 2 0, o 3 3 2 1, I.m 1 0 2 0"},
	{lang.TSX, "const V = (p: P, q: Q) => { const o = p.on && q; try { a() } catch (e) { } return o ? <b>{p.a || 1}</b> : <i/>; };", "V 5 4 2 1"},

	{lang.Go, "package a\nfunc (c *C[K]) f(a, b int, _ ...string) (x, y int) {\n\tif x := g(); x > 0 {\n\t\treturn\n\t} else if y {\n\t\tfor i := 0; i < 3; i++ {\n\t\t\tdefer h()\n\t\t}\n\t}\n\tvar t int\n\tt++\n\treturn\n}", "C.f 4 8 3 2"},
	{lang.Go, "package a\nfunc f(int, string) {\n\tselect {\n\tcase x := <-c:\n\t\tg()\n\tcase c <- 1:\n\tdefault:\n\t}\n\tswitch z := q.(type) {\n\tcase int:\n\t\tif z && p || r {\n\t\t}\n\t}\n\tgo func(a int) { a = 1; for range 3 { } }(2)\n}\nfunc g(a func(b, c int) (d, e int)) { { } }",
		"f 8 7 2 2, g 1 0 1 0"},

	{lang.C, "int *(*f(int a, char *b))(void) {\n ;\n int x;\n for (int i = 0; i < 1; i++) ;\n if (a) ; else if (b) { do { x(); } while (y); }\n#ifdef X\n switch (a) { case 1: y(); break; default: ; }\n#endif\n lbl: goto lbl;\n}\nstatic void g(void) { return; }\n#define F(a, b, c) do { if (a) b; } while (0)\nint h(a, ...) int a; {}\nint p(int a);",
		"f 6 10 2 2, g 1 1 0 0, h 1 0 2 0"},
	{lang.C, "void f(int (*cb)(int a, int b), struct s v[]) { return a ? b && c : d; }\n", "f 3 1 2 0"},
	{lang.Cpp, "struct A {\n A(int x, int y = 1) : z(x) {}\n ~A() { }\n operator int() const { return 1; }\n int& f(const std::vector<int>& v, int&& b) noexcept { if (int q = z(); q) { r(); } for (int i = 0; auto x : v) { try { } catch (const E& e) { throw; } } return z; }\n void g(int a);\n};",
		"A.A 1 0 2 0, A.~A 1 0 0 0, A.operator int 1 1 0 0, A.f 4 6 2 2"},
	{lang.Cpp, "template <class T> T* A<T>::h(int a, ...) { auto l = [&](int x, int y) { return x ? 1 : 2; }; return l(a); }\nbool operator==(const A& a, const A& b) { return a.x == b.x and a.y == b.y; }\nauto k(int a) -> int { }",
		"A<T>::h 2 3 2 0, operator== 2 1 2 0, k 1 0 1 0"},

	{lang.CSharp, "class A {\n A(int x) : base(x) { }\n int P { get { if (a) return 1; return x; } set => y = value; }\n int Q { get; set; }\n static int F(this string s, int a = 1, params object[] z) { if (a) ; else if (b) { c(); } foreach (var x in y) { using (var q = r()) { } } for (int i = 0; i < 2; i++) { } var w = v(); return 1; }\n ~A() { }\n}",
		"A.A 1 0 1 0, A.P 2 3 0 1, A.P 1 0 0 0, A.F 5 8 2 2, A.A 1 0 0 0"},
	{lang.CSharp, "class A { int F(int? a) { switch (a) { case 1: case 2: break; default: d(); break; } Func<int, int> g = x => { e(); return 1; }; try { } catch (E e) when (e.x) { } finally { } return a switch { 1 => 2, 2 when b || c => 3, _ => 4 }; int L(int p, int q) => p ?? 1; }\n public static A operator +(A a, A b) { lock (x) { return a; } } }",
		"A.F 8 9 1 1, A.F.L 2 0 2 0, A. 1 2 2 1"},

	{lang.PHP, "<?php\nclass A {\n function __construct(private int $a, #[B] $b = 1, ...$c) { if ($a) { } elseif ($b) { } else if ($c) { x(); } for ($i = 0; $i < 2; $i++) { } foreach ($a as $k => $v): while (1) { continue 2; } endforeach; }\n function m() { global $g; static $s = 1; switch ($a) { case 1: b(); break; default: c(); } try { throw new E(); } catch (E $e) { } unset($a); echo 1; ?> html <?php\n return match($a) { 1, 2 => 3, default => 4 }; }\n}",
		"A.__construct 7 7 3 2, A.m 4 11 0 1"},
	{lang.PHP, "<?php\nfunction g($a) { $f = function ($x, $y) use ($a) { if ($x && $y) { return 1; } }; $h = fn($x) => $x ?: 2; exit; }\ninterface I { function m($a, $b); }", "g 4 5 1 1, I.m 1 0 2 0"},

	{lang.Ruby, "class A\n  def f(a, b = 1, *c, d:, e: 2, **g, &h)\n    return 1 if a && b\n    x = <<~E\n      text\n    E\n    case a\n    when 1 then y\n    else z\n    end\n    begin\n      x\n    rescue E => e\n      y\n      w\n    ensure\n      k\n    end\n    each do |i, j|\n      puts i; puts j\n      until a\n        b\n      end\n    end\n    unless a\n      c\n    elsif b\n      d\n    else\n      e\n    end\n  rescue Q\n    # nothing\n    n\n  end\n  def self.g a, b\n  end\n  def h() = 1\nend",
		"A.f 9 20 6 1, A.g 1 0 2 0, A.h 1 0 0 0"},
	{lang.Ruby, "def f\n  while a\n    begin\n      if b then c end\n    end while d\n    for x in y do z end\n  end\n  t = a ? b : c\n  (l; m)\nend", "f 6 8 0 3"},

	{lang.Rust, "impl<T> A<T> {\n fn f(&mut self, #[x] a: u8, (b, c): (u8, u8)) -> u8 { let x = 1; if a > 1 { return 1; } else if let Some(y) = z { w(); } match a { 1 | 2 if q => { v(); } _ => 3 }; unsafe { u() } loop { break; } let c = |x: u8, y| { x; y }; fn inner(k: u8) { } println!(\"{}\", a && b); if a { 1 } else { 2 } }\n}",
		"A.f 8 17 2 1, A.f.inner 1 0 1 0"},
	{lang.Rust, "macro_rules! m { ($x:expr) => { if $x && 1 { } } }\ntrait Q { fn r(&self, a: u8); }\nfn g(a: u8) { // one\n #[cfg(x)]\n let Some(k) = m else { return };\n while a { for x in y { if x { while let Some(t) = s.pop() { t?; } } } }\n match a { _ if b => 1, x => 2 } }",
		"Q.r 1 0 1 0, g 7 8 1 4"},
}

func TestMeasures(t *testing.T) {
	for _, c := range measures {
		trees := parseNew(t, c.lang, c.code)
		blocks, err := measure(context.Background(), trees.Files[0].New[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range blocks {
			if b.function() {
				name := b.qualified
				if b.Class != "" && !strings.Contains(name, b.Class+".") {
					name = b.Class + "." + name
				}
				got = append(got, fmt.Sprintf("%s %d %d %d %d", name, b.Complexity, b.statements, b.params, b.depth))
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: name, complexity, statements, parameters, levels\n got %s\nwant %s\n%s", c.lang, s, c.want, c.code)
		}
	}
}

// TestBlockLines checks that what stands above a function and belongs to it is not
// where it begins.
func TestBlockLines(t *testing.T) {
	for l, code := range map[lang.Name]string{
		lang.Python:     "@a\n@b(1)\ndef f():\n  pass\n",
		lang.Java:       "class A { @X\n @Y(1)\n public void f() { } }\n",
		lang.TypeScript: "class A { @X()\n @Y(1)\n f() { } }\n",
		lang.CSharp:     "class A { [X]\n [Y(1)]\n public void f() { } }\n",
		lang.PHP:        "<?php\n#[X]\nfunction f() { }\n",
		lang.Rust:       "#[x]\n#[y(1)]\nfn f() { }\n",
		lang.Cpp:        "template <class T>\n[[nodiscard]]\nint f() { }\n",
	} {
		blocks := complexityOf(t, l, code)
		if i := slices.IndexFunc(blocks, func(b Block) bool { return b.Name == "f" }); i < 0 || blocks[i].StartLine != 3 {
			t.Errorf("%s: got %+v, want f in line 3 of\n%s", l, blocks, code)
		}
	}
}
