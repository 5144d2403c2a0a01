package smells

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
	"crscore/internal/system"
)

// hostile are programs that break recursion, or what costs more than linear
// time; each grows with n, its size. They stay in one language because the
// parser itself takes more than linear time over code that is not of its own.
var hostile = []struct {
	name    string
	lang    lang.Name
	program func(n int) string
}{
	{"brackets", lang.Python, func(n int) string { return strings.Repeat("(", n/2) + strings.Repeat(")", n/2) }},
	{"brackets", lang.Java, func(n int) string { return strings.Repeat("(", n/2) + strings.Repeat(")", n/2) }},
	{"brackets", lang.JavaScript, func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) }},
	{"open", lang.JavaScript, func(n int) string { return strings.Repeat("{[(", n/3) }},
	{"functions", lang.JavaScript, func(n int) string { return strings.Repeat("function f(){", n/14) + strings.Repeat("}", n/14) }},
	{"lambdas", lang.JavaScript, func(n int) string { return strings.Repeat("a=>", n/3) + "b" }},
	{"ifs", lang.JavaScript, func(n int) string { return "function f(){" + strings.Repeat("if(a)", n/5) + "b()}" }},
	{"else ifs", lang.Java, func(n int) string { return "class A{void f(){if(a);" + strings.Repeat("else if(a);", n/11) + "}}" }},
	{"ands", lang.Java, func(n int) string { return "class A{void f(){if(a" + strings.Repeat("&&a", n/3) + ")b();}}" }},
	{"ors", lang.Python, func(n int) string { return "def f(): return a" + strings.Repeat(" or a", n/5) }},
	{"conditions", lang.Java, func(n int) string { return "class A{void f(){if(a" + strings.Repeat("?a:a", n/4) + ")b();}}" }},
	{"parameters", lang.Python, func(n int) string { return "def f(a" + strings.Repeat(",a", n/2) + "): pass\n" }},
	{"one name", lang.Java, func(n int) string { return "class A{void " + strings.Repeat("a", n) + "(){}}" }},
	{"same names", lang.Python, func(n int) string { return strings.Repeat("def f(): pass\n", n/14) }},
	{"comprehensions", lang.Python, func(n int) string { return "def f(): pass\nx = " + strings.Repeat("[a or b for a in ", n/17) }},
	{"comprehensions in each other", lang.Python, func(n int) string {
		return "x = " + strings.Repeat("[a or b for a in ", n/18) + "c" + strings.Repeat("]", n/18)
	}},
	{"lambdas in each other", lang.Python, func(n int) string {
		return "x = " + strings.Repeat("(lambda a: b and ", n/18) + "c" + strings.Repeat(")", n/18)
	}},
	{"classes", lang.JavaScript, func(n int) string { return strings.Repeat("class A{f(){", n/12) }},
	{"methods", lang.Java, func(n int) string { return "class A{int a;" + strings.Repeat("void f(){a=b;B.c();}", n/20) + "}" }},
	{"small classes", lang.Java, func(n int) string { return strings.Repeat("class A{void f(){B.c();}}", n/25) }},
	{"callbacks", lang.JavaScript, func(n int) string { return strings.Repeat("f(function(err,a){", n/18) + strings.Repeat("})", n/18) }},
	{"returns", lang.JavaScript, func(n int) string { return strings.Repeat("{return 1;", n/10) + strings.Repeat("}", n/10) }},
	{"comments", lang.JavaScript, func(n int) string { return "function f(){}" + strings.Repeat("//\n", n/3) }},
	{"blocks with a name", lang.Go, func(n int) string {
		return "package p\nfunc f(){x:=1\n" + strings.Repeat("{x:=x\n", n/12) + strings.Repeat("g(x)}\n", n/12) + "}"
	}},
	{"scopes with a name", lang.C, func(n int) string { return "void f(){int x;" + strings.Repeat("{int x;}", n/8) + "}" }},
	{"uses of a name", lang.Python, func(n int) string { return "def f(a):\n" + strings.Repeat("  b = a\n", n/8) }},
	{"idle parameters", lang.Go, func(n int) string { return "package p\n" + strings.Repeat("func f(a,b int){g(b)}\n", n/24) }},
	{"methods with a name", lang.Python, func(n int) string { return "class A:\n" + strings.Repeat("  def _f(a,b):\n    g(a)\n", n/25) }},
	{"idle imports", lang.Python, func(n int) string { return "def f(): pass\n" + strings.Repeat("from .a import b1\n", n/18) }},
	{"idle imports", lang.PHP, func(n int) string { return "<?php\n" + strings.Repeat("use A\\B;\n", n/9) }},
	{"idle variables", lang.C, func(n int) string {
		return "void f(){" + strings.Repeat("int x;{", n/8) + strings.Repeat("}", n/8) + "}"
	}},
	{"things to do", lang.C, func(n int) string { return strings.Repeat("/* TODO */\n", n/11) }},
	{"things to do in one comment", lang.C, func(n int) string { return "/*" + strings.Repeat(" 'TODO'\n", n/8) + "*/" }},
	{"numbers", lang.JavaScript, func(n int) string { return "function f(){x=" + strings.Repeat("a*37\n+", n/6) + "b}" }},
	{"comments in a line", lang.JavaScript, func(n int) string { return strings.Repeat("/*a=b();*/", n/10) }},
	{"lambdas in calls", lang.JavaScript, func(n int) string { return strings.Repeat("f(a=>b&&", n/9) + strings.Repeat(")", n/9) }},
	{"switches", lang.JavaScript, func(n int) string {
		return strings.Repeat("switch(a){case 1:", n/30) + strings.Repeat("b();case 2:}", n/30)
	}},
	{"blocks of a type", lang.Rust, func(n int) string { return strings.Repeat("impl A{fn f(&self){self.a}}\n", n/28) }},
	{"a long type", lang.Rust, func(n int) string { return "impl A<" + strings.Repeat("B,", n/2) + "B>{fn f(&self){self.a}}\n" }},
	{"imports", lang.PHP, func(n int) string { return "<?php\n" + strings.Repeat("use A\\Bc;\n", n/10) }},
	{"a function type that nothing stands around", lang.Go, func(int) string {
		return "\t\tf.walk(&n.Elt, c\tcase *ast.StructType:\n\tcase *ast.FuncType:\t\tif n.Ty\t\t\tf.walk(n.TypeParams, ctxParam, visit)\n}\n" +
			"// If x is of the form (T), unparen returns unparen(T), otherwise it returns x.\nfunc unparen(x ast.Expr) ast.Expr {\n}\n"
	}},
	{"a long field", lang.Ruby, func(n int) string {
		return "class A\n  def f\n    @" + strings.Repeat("a", n) + "\n  end\n  def g\n    @b\n  end\nend\n"
	}},
	{"labels", lang.Java, func(n int) string { return "class A{void f(){switch(a){" + strings.Repeat("case 1:", n/7) + "}}}" }},
}

// TestHostile checks that the cost of the detectors stays linear where every line
// is changed and the old side is known, too.
func TestHostile(t *testing.T) {
	const small, large = 6_000, 60_000
	for _, h := range hostile {
		cost := func(n int) time.Duration {
			code := h.program(n)
			before := strings.ReplaceAll(code, "\n", " \n") + " \n" // every line is another
			trees, err := syntax.Parse(context.Background(), parsed(t, replacement(before, code+"\n"), change.Options{Lang: h.lang,
				Texts: func(_ *change.File, side change.Side) (string, bool) {
					return []string{before, code + "\n"}[side], true
				}}))
			if err != nil {
				t.Fatal(err)
			}
			best := time.Hour // of several, for the collector works too
			for range 3 {
				start := cpuTime(t)
				if _, err := Detect(context.Background(), trees, Options{Thresholds: map[string]int{"deep-nesting": 0}, Rules: []string{AllRules}}); err != nil {
					t.Fatal(err)
				}
				best = min(best, cpuTime(t)-start)
			}
			return best
		}
		// A quadratic cost would be a hundred times as much.
		a, b := max(cost(small), 3*time.Millisecond), cost(large)
		if b > 40*a {
			t.Errorf("%s in %s: %v for %d bytes, %v for %d", h.name, h.lang, a, small, b, large)
		}
	}
}

// cpuTime is what the process has worked so far, however busy the machine is.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	used, err := system.CPUTime()
	if err != nil {
		t.Fatal(err)
	}
	return used
}

func FuzzDetect(f *testing.F) {
	for _, c := range cases {
		f.Add(string(c.lang), c.old, c.code)
	}
	for _, h := range hostile {
		f.Add(string(h.lang), "", h.program(100))
	}
	f.Add("python", "def f(:\n \xff\x00", "class\n\tdef f(self,,):\n  \treturn")
	f.Fuzz(func(t *testing.T, l, old, code string) {
		if len(old)+len(code) > 1<<12 { // the parser is slow on some nonsense
			return
		}
		for _, bare := range []bool{false, true} {
			opts := change.Options{Lang: lang.Name(l)}
			d := replacement(old, code)
			if bare {
				d = d[strings.Index(d, "@@ "):]
			} else {
				opts.Texts = func(_ *change.File, side change.Side) (string, bool) { return []string{old, code}[side], true }
			}
			c, err := change.Parse([]byte(d), opts)
			if err != nil {
				return
			}
			trees, err := syntax.Parse(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			limits := Options{Thresholds: map[string]int{"cyclomatic-complexity": 1, "long-method": 1, "long-parameter-list": 1, "deep-nesting": 1, "long-branch": 1,
				"long-comprehension": 1, "many-attributes": 1, "many-methods": 1, "low-cohesion": 1, "shotgun-surgery": 0}, Rules: []string{AllRules}}
			found, err := Detect(context.Background(), trees, limits)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range found {
				if s.Value <= s.Threshold && s.Threshold > 0 || s.HasOld && s.OldValue >= s.Value || s.Text == "" || s.StartLine < 1 || s.EndLine < s.StartLine || len(s.Text) > 500 {
					t.Errorf("bad smell: %+v", s)
				}
			}
			again, err := Detect(context.Background(), trees, limits)
			if err != nil || !reflect.DeepEqual(found, again) {
				t.Errorf("the second time: %v, %v", again, err)
			}
			for _, fr := range trees.Files[0].New {
				blocks, err := Complexity(context.Background(), fr)
				if err != nil {
					t.Fatal(err)
				}
				for i, b := range blocks {
					if b.Complexity < 1 || b.Parent >= i || b.Parent < -1 || b.StartLine < 1 || b.EndLine < b.StartLine {
						t.Errorf("bad block %d: %+v", i, b)
					}
				}
			}
		}
	})
}

// replacement is the diff from one text to another that has nothing in common.
func replacement(old, code string) string {
	d := additionOf(code)
	if old == "" {
		return d
	}
	o := strings.Split(strings.ReplaceAll(additionOf(old), "+", "-"), "\n")
	head, added, _ := strings.Cut(d, "@@\n")
	var oldCount, newCount string
	_, newCount, _ = strings.Cut(strings.TrimSpace(head), "+1,")
	_, oldCount, _ = strings.Cut(strings.TrimSpace(o[2]), "-1,")
	oldCount = strings.TrimSuffix(oldCount, " @@")
	return "--- a/file\n+++ b/file\n@@ -1," + oldCount + " +1," + strings.TrimSpace(newCount) + " @@\n" + strings.Join(o[3:len(o)-1], "\n") + "\n" + added
}

// BenchmarkDetect compares the detectors with the parse of the same changes, by
// the time that the process has worked: those of dev.jsonl where it is there
// ("changes"), their new files as added ones, in which everything is changed
// ("added"), and programs of our own as added files, the worst cases: one that is
// dense with short tokens ("dense"), and the cases of all rules ("cases"), where every
// other line is a finding. CRSCORE_SOURCES names a folder with files of any language,
// which are added, too, by size ("1KB" to "1000KB").
func BenchmarkDetect(b *testing.B) {
	changes, added := map[lang.Name][]*change.Change{}, map[lang.Name][]*change.Change{}
	if dir := os.Getenv("CRSCORE_DATA"); dir != "" {
		for _, r := range devRows(b, dir) {
			l := lang.FromPath(r.Path)
			texts := func(_ *change.File, side change.Side) (string, bool) { return []string{r.Old, r.New}[side], true }
			changes[l] = append(changes[l], parsed(b, r.Diff, change.Options{Path: r.Path, Texts: texts}))
			added[l] = append(added[l], parsed(b, additionOf(r.New), change.Options{Lang: l}))
		}
	}
	cases := map[lang.Name]string{}
	for _, c := range siteCases(b) {
		l := c.lang
		if l == lang.TSX {
			l = lang.TypeScript
		}
		if !strings.Contains(c.name, "many") {
			cases[l] += strings.TrimPrefix(strings.TrimPrefix(c.code, "<?php "), "package p\n")
		}
	}
	files := sources(b)
	for _, l := range Languages() {
		of := map[string][]*change.Change{"changes": changes[l], "added": added[l], "dense": {parsed(b, additionOf(dense(l, 500)), change.Options{Lang: l})}}
		if code := strings.Repeat(cases[l], 20); l == lang.PHP {
			of["cases"] = []*change.Change{parsed(b, additionOf("<?php "+code), change.Options{Lang: l})}
		} else if code != "" {
			of["cases"] = []*change.Change{parsed(b, additionOf(code), change.Options{Lang: l})}
		}
		for _, size := range []int{1, 10, 100, 1000} {
			for _, text := range joined(l, files[l], size<<10) {
				name := fmt.Sprintf("%dKB", size)
				of[name] = append(of[name], parsed(b, additionOf(text), change.Options{Lang: l}))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if len(of[name]) == 0 {
				continue // neither CRSCORE_DATA nor CRSCORE_SOURCES names a folder with such files
			}
			b.Run(string(l)+"/"+name+"/default", func(b *testing.B) { benchmarkDetect(b, of[name], Options{}) })
			b.Run(string(l)+"/"+name+"/all", func(b *testing.B) { benchmarkDetect(b, of[name], Options{Rules: []string{AllRules}}) })
		}
	}
}

// dense writes 3n functions with up to 20 of what a rule counts.
func dense(l lang.Name, n int) string {
	var text strings.Builder
	for i := range n {
		for _, id := range []string{"cyclomatic-complexity", "long-method", "deep-nesting"} {
			code := programs[l].of(id, 1+i%20, "")
			if text.Len() > 0 {
				code = strings.TrimPrefix(strings.TrimPrefix(code, "<?php\n"), "package p\n")
			}
			text.WriteString(code)
		}
	}
	return text.String()
}

// sources reads the files under CRSCORE_SOURCES.
func sources(b *testing.B) map[lang.Name][]string {
	out := map[lang.Name][]string{}
	dir := os.Getenv("CRSCORE_SOURCES")
	if dir == "" {
		return out
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		l := lang.FromPath(path)
		if !slices.Contains(Languages(), l) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && utf8.Valid(text) {
			out[l] = append(out[l], string(text))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// joined makes up to a hundred texts of about a size, of up to half a megabyte
// together or one: files of that size or, joined, smaller ones.
func joined(l lang.Name, files []string, size int) (out []string) {
	text := ""
	for _, f := range files {
		if len(text)+len(f) > size {
			continue
		}
		if l == lang.PHP && !strings.HasSuffix(strings.TrimSpace(f), "?>") {
			f += "\n?>\n"
		}
		if text += f; len(text) > size/2 {
			out, text = append(out, text), ""
		}
		if len(out) == 100 || len(out)*size > 1<<19 {
			break
		}
	}
	return out
}

func parsed(b testing.TB, diff string, opts change.Options) *change.Change {
	b.Helper()
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func benchmarkDetect(b *testing.B, changes []*change.Change, opts Options) {
	var parse, detect time.Duration
	for b.Loop() {
		for _, c := range changes {
			start := cpuTime(b)
			trees, err := syntax.Parse(context.Background(), c)
			if err != nil {
				b.Fatal(err)
			}
			now := cpuTime(b)
			parse, start = parse+now-start, now
			if _, err := Detect(context.Background(), trees, opts); err != nil {
				b.Fatal(err)
			}
			detect += cpuTime(b) - start
		}
	}
	b.ReportMetric(float64(parse.Microseconds())/float64(b.N), "parse-µs/op")
	b.ReportMetric(float64(detect.Microseconds())/float64(b.N), "detect-µs/op")
	b.ReportMetric(float64(detect)/float64(parse), "detect/parse")
}
