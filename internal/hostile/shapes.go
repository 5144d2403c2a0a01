package hostile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"crscore/internal/dataset"
	"crscore/internal/lang"
)

// Shape is a kind of text that programs do not expect.
type Shape struct {
	// Name identifies the shape.
	Name string
	make func(t *Language, size int, r *rand.Rand) string
}

// Text makes a text of about size bytes, the same for the same seed.
func (s Shape) Text(t *Language, size int, seed uint64) string {
	return s.make(t, size, rand.New(rand.NewPCG(seed, uint64(size))))
}

// runs are texts to repeat, beside each sign of punctuation.
var runs = strings.Split("{ }§a<§a<b>(§a::<§{([§})]§<div>§</div>§<a b=\"§<!--§\"\"\"§'''§//§/*§*/§${§#{§\\(§$(§$((§`${§\"${§\"#{§\"\\(§f\"{§"+
	"#if a\n§#else\n§#if a\n{\n§<<EOF\n§<<EOF §<<~A §=>§->§a=>§()=>§a->a§a?b:§a?§a ? §?.a§a??§a+§a + §a-§a*§a&&§a || §a and §a=§a == §a.§a\n.§a()§a().§.a(b)§a(§a(b, §a[§[a,§[[§]]§(a,§"+
	"a,§a, b\n§a:§a: §a:b,§a;§a;\n§@a §@a\n§@a(§#[a]\n§#[a(§[a]\n§'a'+§\"a\" + §\"a\" \"a\" §'a' §`a` §\"\\§\\\n§a\n§\n§\r§\t§ §\r\n§{\n§}\n§(\n§)\n§<T extends §Map<§a<b,§"+
	"a as §a is §not §!a §await §new §new a(§throw §typeof §return §return\n§yield §async §static §public §if §if (a) §if a §if a {\n§if (a) {\n§if a then\n§else §else if (a) §for §for (§for a in §while §while (a) §do §do\n§do { §try {\n§try:\n§case §case a:\n§switch (a) {\n§match a {\n§when a\n§begin\n§end\n§fi\n§"+
	"function §function a() {\n§() => {\n§lambda: §lambda a: §fn a() {§|a| §->a{§def a\n§def a():\n§class A §class A {\n§class A:\n§struct §enum §template<§typename §namespace a {\n§import §import a\n§import a.§from a import §using §let §let a = §var a\n§const §type A = §where A: §val a by §"+
	"&a;§&&§**§&*§::a§a::§::§...§..§:=§a := §<-§<<§>>§>>=§|>§/a/§/§%w(§%w[a §?>§<?php §<?§$a§$$§$a->§%d§0x§0.§1e§1_§0§\\u§\\x§'§a'§a\"§é§🏳️‍🌈§\u200f§\ufeff§\x00§\x1b[§--§-- §~§a b §a b\n§ a\n§- a\n§a: |\n§  - §!(§!!§-(§-a§*a§&mut §dyn §impl §unsafe {§r#\"§#\"§'a: §a!(§macro_rules! a {§"+
	"${a:-§${a[§`§`a §[ §[[ §a | §a & §a && §a |\n§a) §a) b;;\n§case a in\n§$'§<(§co_await §operator §[](§[&]{§a<=>§u8\"§R\"(§alignas(§A::A::§A<A<§static_cast<§sizeof §* const §(*§(*a)(§(int)§((a)§__attribute__((§asm(§goto a;§a: b: §#define a \\\n§#define a(§#include <§##§#", "§")

// nests are texts to nest: the opening and the closing part.
var nests = [][2]string{{"{", "}"}, {"(", ")"}, {"[", "]"}, {"<", ">"}, {"{([", "])}"}, {"a(", ")"}, {"a[", "]"}, {"a{", "}"}, {"a<", ">"}, {"{a:", "}"}, {"[a,", "]"}, {"(a,", ")"}, {"(a+", ")"}, {"a?(", "):b"}, {"a(b,", ")"},
	{"if(a){", "}"}, {"if a {", "}"}, {"if a\n", "end\n"}, {"if a; then ", "; fi"}, {"while(a){", "}"}, {"a(function(){", "})"}, {"a(()=>{", "})"}, {"{ |a| ", "}"}, {"a do\n", "end\n"}, {"class A{", "}"}, {"class A\n", "end\n"}, {"def f\n", "end\n"}, {"f(){", "}"}, {"fn f(){", "}"}, {"func(){", "}()"}, {"lambda:(", ")"},
	{"<div>", "</div>"}, {"<a>{", "}</a>"}, {"`${", "}`"}, {"\"${", "}\""}, {"\"#{", "}\""}, {"\"\\(", ")\""}, {"f\"{", "}\""}, {"$(", ")"}, {"${a:-", "}"}, {"/*", "*/"}, {"begin\n", "end\n"}, {"case a in b) ", ";; esac"}, {"try{", "}catch(e){}"}, {"switch(a){case 1:", "}"}, {"match a {_=>", "}"}, {"#if a\n", "#endif\n"}, {"namespace a{", "}"}, {"!(", ")"}, {"a=(", ")"}, {"a.b(", ")"}}

// Shapes returns all shapes. Random shapes have another text for each seed.
func Shapes() []Shape {
	var out []Shape
	add := func(name string, make func(t *Language, size int, r *rand.Rand) string) {
		out = append(out, Shape{name, make})
	}
	seen := map[string]bool{}
	for _, unit := range append(strings.Split("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~a", ""), runs...) {
		if !seen[unit] {
			seen[unit] = true
			add(fmt.Sprintf("run %q", unit), func(_ *Language, size int, _ *rand.Rand) string { return repeat(unit, size) })
		}
	}
	for _, n := range nests {
		for _, gap := range []string{"", "\n"} {
			add(fmt.Sprintf("nest %q", n[0]+gap+n[1]), func(_ *Language, size int, _ *rand.Rand) string {
				half := size * (len(n[0]) + len(gap)) / (len(n[0]) + len(n[1]) + 2*len(gap))
				return repeat(n[0]+gap, half) + "a" + gap + repeat(n[1]+gap, size-half)
			})
		}
	}
	for _, l := range lists {
		add(l.name, func(t *Language, size int, _ *rand.Rand) string {
			return many(size, func(i int) string { return l.item(t, i) })
		})
	}
	for _, s := range huge {
		add("huge "+s.name, func(t *Language, size int, _ *rand.Rand) string {
			return strings.ReplaceAll(s.before, "//", t.Comment) + repeat(s.unit, size) + s.after
		})
	}
	add("soup of keywords", func(t *Language, size int, r *rand.Rand) string { return soup(r, size, strings.Fields(t.Words), " ") })
	add("soup of keywords in lines", func(t *Language, size int, r *rand.Rand) string {
		return soup(r, size, append(strings.Fields(t.Words), "a", "b", "1"), " ", " ", "\n", "\n  ")
	})
	add("soup of signs", func(_ *Language, size int, r *rand.Rand) string {
		return soup(r, size, strings.Split("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~a1", ""), "", "", "", " ", "\n")
	})
	add("soup of code", func(t *Language, size int, r *rand.Rand) string {
		all := token.FindAllString(t.Function+t.Class+t.If+t.Case+t.Import, -1)
		return soup(r, size, append(all, "\n"), "", " ")
	})
	add("soup of runs", func(t *Language, size int, r *rand.Rand) string { return soup(r, size, runs, "") })
	for i := range 8 { // a few tokens in a random order, again and again
		add(fmt.Sprintf("pattern %d", i), func(t *Language, size int, r *rand.Rand) string {
			r = rand.New(rand.NewPCG(r.Uint64(), uint64(i)))
			all := append(strings.Fields(t.Words), "a", "1", "\"a\"", "\n", "{", "(", "[", "<")
			return repeat(soup(r, 1+r.IntN(24), all, " ", "", "\n"), size)
		})
	}
	ladder := func(step, text string, back bool) func(*Language, int, *rand.Rand) string {
		return func(_ *Language, size int, _ *rand.Rand) string {
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				b.WriteString(strings.Repeat(step, i))
				b.WriteString(text)
				if back {
					b.WriteString("a\n")
				}
			}
			return b.String()
		}
	}
	add("ladder of blanks", ladder(" ", "a\n", false))
	add("ladder of blocks", ladder(" ", "if a:\n", false))
	add("ladder of tabs and blocks", ladder("\t", "if a {\n", false))
	add("ladder of keys", ladder(" ", "a:\n", false))
	add("ladder with steps down", ladder(" ", "while a:\n", true))
	return out
}

// lists are long lists of one kind.
var lists = []struct {
	name string
	item func(t *Language, i int) string
}{
	{"functions", func(t *Language, i int) string { return around(t.Function, i, "") }},
	{"equal functions", func(t *Language, i int) string { return around(t.Function, 0, "") }},
	{"functions on a line", func(t *Language, i int) string { return strings.ReplaceAll(around(t.Function, i, ""), "\n", " ") }},
	{"classes", func(t *Language, i int) string { return around(t.Class, i, around(t.Function, i, "")) }},
	{"nested functions", func(t *Language, i int) string { h, _, _ := strings.Cut(t.Function, "%s"); return numbered(h, i) }},
	{"nested classes", func(t *Language, i int) string { h, _, _ := strings.Cut(t.Class, "%s"); return numbered(h, i) }},
	{"branches", func(t *Language, i int) string { return first(i, "if (a) { b = 1 }\n") + numbered(t.If, i) }},
	{"branches on a line", func(t *Language, i int) string {
		return first(i, "if (a) { b = 1 } ") + strings.TrimSpace(numbered(t.If, i)) + " "
	}},
	{"cases", func(t *Language, i int) string { return first(i, "switch (a) {\n") + numbered(t.Case, i) }},
	{"imports", func(t *Language, i int) string { return numbered(t.Import, i) }},
	{"parameters", func(t *Language, i int) string {
		head, _, _ := strings.Cut(t.Function, ")")
		return first(i, numbered(head, 0)+", ") + numbered(t.Param, i) + ", "
	}},
	{"arguments", func(t *Language, i int) string { return first(i, "f(") + fmt.Sprintf("a%d, ", i) }},
	{"assignments", func(t *Language, i int) string { return fmt.Sprintf("a%d = %d;\n", i, i) }},
	{"calls", func(t *Language, i int) string { return fmt.Sprintf("f%d(a, %d);\n", i, i) }},
	{"comments", func(t *Language, i int) string { return fmt.Sprintf("%s the value %d is a limit\n", t.Comment, i) }},
	{"strings", func(t *Language, i int) string { return fmt.Sprintf("\"value %d\",\n", i) }},
	{"sum of strings", func(t *Language, i int) string { return first(i, "x = ") + fmt.Sprintf("\"value %d\" +\n", i) }},
	{"keys", func(t *Language, i int) string { return first(i, "x = {\n") + fmt.Sprintf("  \"key%d\": %d,\n", i, i) }},
	{"words", func(t *Language, i int) string { return fmt.Sprintf("word%d\n", i) }},
	{"conditions", func(t *Language, i int) string { return first(i, "if (") + fmt.Sprintf("a%d == %d && ", i, i) }},
}

func first(i int, text string) string {
	if i == 0 {
		return text
	}
	return ""
}

// huge are long single tokens.
var huge = []struct{ name, before, unit, after string }{
	{"word", "", "ab", "\n"}, {"number", "x = ", "12", ";\n"}, {"string", "x = \"", "ab ", "\";\n"}, {"string of marks", "x = \"", "a. ", "\";\n"},
	{"quoted", "x = '", "ab ", "';\n"}, {"template", "x = `", "ab ", "`;\n"}, {"comment", "// ", "ab ", "\n"}, {"comment block", "/* ", "ab\n", "*/\n"},
	{"open string", "x = \"", "a\n", ""}, {"open text", "x = \"\"\"", "a\n", ""}, {"open comment", "/* ", "a\n", ""}, {"regex", "x = /", "(a+)+", "/;\n"},
	{"path", "import \"", "a/", "\"\n"}, {"name of words", "", "a_", " = 1\n"}, {"camel", "", "aB", " = 1\n"}, {"escapes", "x = \"", "\\n", "\";\n"},
	{"heredoc's word", "x = <<~", "A", "\nb\n"}, {"field", "class A\n  def f(a)\n    @", "ab", " = a\n  end\nend\n"},
	{"call of a word", "f(", "ab", ")\n"}, {"function name", "function ", "ab", "() {}\ndef ab(): pass\n"}, {"heredoc", "x = <<EOF\n", "a $b ${c}\n", "EOF\n"},
}

// repeat repeats a text up to a size.
func repeat(s string, size int) string { return strings.Repeat(s, max(1, size/len(s))) }

// soup is random words with random signs between them.
func soup(r *rand.Rand, size int, words []string, between ...string) string {
	return many(size, func(int) string { return words[r.IntN(len(words))] + between[r.IntN(len(between))] })
}

// Forms are the kinds of changes that a shape can be part of.
var Forms = []string{"added", "inside", "context", "changed", "every", "removed", "line"}

// known are shapes that once took minutes or gigabytes, or crashed the program.
var known = []struct {
	lang lang.Name
	name string
	size int
}{
	{lang.Cpp, `nest "{}"`, 200_000}, {lang.Cpp, `run "{ }"`, 200_000}, {lang.Java, `run "a<"`, 100_000}, {lang.Swift, `run "#"`, 250_000},
	{lang.TSX, `nest "()"`, 100_000}, {lang.TSX, `run "("`, 100_000}, {lang.Rust, `run "a::<"`, 400_000}, {lang.Go, "soup of keywords", 300_000},
	{lang.Scala, `run "{(["`, 200_000}, {lang.Python, `run "<div>"`, 200_000}, {lang.Python, `run "<a b=\""`, 200_000}, {lang.Swift, `run "\""`, 200_000},
	{lang.Swift, `run "\"\"\""`, 200_000}, {lang.TSX, "functions", 2_000_000}, {lang.Java, `run "%w("`, 500_000}, {lang.Bash, `run "#else\n"`, 20_000},
	{lang.C, "arguments", 500_000}, {lang.Scala, "cases", 500_000}, {lang.CSharp, "comments", 500_000}, {lang.Kotlin, "comments", 500_000}, {lang.Python, `run "a<"`, 1_000_000},
}

// Known returns rows that once were too slow or too large, or crashed the program: shapes in
// every form, and a hunk.
func Known() []Row {
	rows := []Row{{Record: dataset.Record{ID: "typescript/condition of three lines/hunk", Lang: string(lang.TypeScript), Reviews: reviews,
		Diff: "@@ -1,8 +1,6 @@\n function f(a: A) {\n-  if (a.b &&\n-      a.c &&\n-      !a.d) {\n+  if (a.b && a.c && !a.d) {{\n     return a.e;\n   }\n   return null;\n }\n"}}}
	shapes := Shapes()
	for _, k := range known {
		s := shapes[slices.IndexFunc(shapes, func(s Shape) bool { return s.Name == k.name })]
		t := &Languages[slices.IndexFunc(Languages, func(t Language) bool { return t.Lang == k.lang })]
		for _, form := range Forms {
			rows = append(rows, s.Row(t, form, k.size, 1))
		}
	}
	return rows
}

// ID returns the name of a row.
func (s Shape) ID(t *Language, form string, size int, seed uint64) string {
	return fmt.Sprintf("%s/%s/%s/%d/%d", t.Lang, s.Name, form, size, seed)
}

// Row returns a change with the shape in one of the Forms.
func (s Shape) Row(t *Language, form string, size int, seed uint64) Row {
	text := s.Text(t, size, seed)
	id := s.ID(t, form, size, seed)
	x := file{path: "src/a" + t.Lang.Ext(), lang: t.Lang, new: text}
	f := diffForm{context: 3, oneHunkOnly: -1}
	switch form {
	case "inside": // a function that is there already, with the whole texts
		x.old, x.new = around(t.Function, 1, ""), around(t.Function, 1, text)
		f.texts = true
	case "context": // beside a changed line, without the whole texts
		x.old, x.new, f.context = text+"\na = 1\n", text+"\na = 2\n", 1<<30
	case "changed": // an element of it goes
		x.old, x.new, f.texts = text, text[:len(text)/2]+text[min(len(text), len(text)/2+len(text)/100+1):], true
	case "every": // every second line changes
		var all []op
		for i, l := range lines(text) {
			if i%2 == 0 {
				all = append(all, op{'-', strings.TrimSuffix(l, "\n") + " x\n"})
			}
			all = append(all, op{"+ "[i%2], l})
		}
		return Row{Record: dataset.Record{ID: id, Path: x.path, Diff: f.write(all), Reviews: reviews}}
	case "removed":
		x.old, x.new = text, ""
	case "line": // of a function in a hunk
		x.old, x.new = around(t.Function, 1, "a = 1;"), around(t.Function, 1, strings.ReplaceAll(text, "\n", " "))
	}
	return f.row(id, x)
}
