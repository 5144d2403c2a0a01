package smells

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/internal/lang"
)

var blank = regexp.MustCompile(` ?\{([^{}]*)\}`)

// blanks returns the names that a sentence wants to be filled with.
func (s Sentence) blanks() []string {
	names := map[string]bool{}
	for _, m := range blank.FindAllStringSubmatch(s.Text, -1) {
		names[m[1]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// said returns which of the rule's sentences a text is. It fails the test if it is
// none, or was not filled as a whole.
func (r *Rule) said(t testing.TB, text string) string {
	t.Helper()
	if strings.Contains(text, "  ") {
		t.Errorf("%s: two spaces: %s", r.ID, text)
	}
	var when []string
	for _, s := range r.Says {
		parts := blank.Split(s.Text, -1)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		if !regexp.MustCompile("(?is)^" + strings.Join(parts, ".*") + "$").MatchString(text) {
			continue
		}
		when = append(when, s.When)
		for _, name := range s.blanks() {
			if strings.Contains(text, "{"+name+"}") {
				t.Errorf("%s: nothing for {%s}: %s", r.ID, name, text)
			}
		}
	}
	if len(when) != 1 {
		t.Errorf("%s: %q could be the sentences %q", r.ID, text, when)
		return ""
	}
	return when[0]
}

// worsened are changes that make worse what a rule measures at a place.
var worsened = []struct {
	rule      string
	threshold int
	lang      lang.Name
	old, code string
	want      string
}{
	{"long-comprehension", 10, lang.Python, "a = [x for z in y for x in z]\n", "a = [x for z in y for x in z if x]\n",
		"This comprehension grew from 25 to 30 characters, more than 10; it is hard to read; use a loop or split it."},
	{"many-attributes", 1, lang.Java, "class A {\n  int a;\n  int b;\n  void f() { a(); b(); c(); }\n}\n", "class A {\n  int a;\n  int b;\n  int c;\n  void f() { a(); b(); c(); }\n}\n",
		"The class `A` grew from 2 to 3 attributes, more than 1; it does too much and should be split."},
	{"many-methods", 1, lang.Ruby, "class A\n  def a; end\n  def b; end\nend\n", "class A\n  def a; end\n  def b; end\n  def c; end\nend\n",
		"The class `A` grew from 2 to 3 public methods, more than 1; it does too much and should be split."},
	{"low-cohesion", 10, lang.PHP, cohesion("$this->e = $this->a;"), cohesion("f();"),
		"The class `A` has low cohesion, which fell: on average a method uses 20% of its attributes, before 24%; it could be split."},
	{"shotgun-surgery", 1, lang.Python, "class A:\n    def f(self):\n        Cart()\n        Order()\n        g()\n", "class A:\n    def f(self):\n        Cart()\n        Order()\n        Stock()\n",
		"The class `A` now depends on 3 other classes instead of 2; one change may have to touch many of them (shotgun surgery)."},
}

// cohesion is a class of PHP with five attributes, of which each method uses one.
func cohesion(more string) string {
	code := "<?php\nclass A {\n"
	for _, name := range strings.Split("abcde", "") {
		code += "  private $" + name + ";\n  function do_" + name + "() {\n    $this->" + name + " = 1;\n    $this->" + name + " += f();\n"
		if name == "e" {
			code += "    " + more + "\n"
		} else {
			code += "    g();\n"
		}
		code += "    return 1;\n  }\n"
	}
	return code + "}\n"
}

// TestSentences makes sure that the cases of testdata/sites and those in worsened
// between them say all that the rules which look for places can say.
func TestSentences(t *testing.T) {
	type key struct{ rule, when string }
	have := map[key]bool{}
	for _, c := range siteCases(t) {
		r := &rules[ruleIndex(c.rule)]
		for _, s := range detect(t, c.lang, "", c.code, false, Options{Rules: []string{c.rule}}) {
			if s.Rule == c.rule {
				have[key{r.ID, r.said(t, s.Text)}] = true
			}
		}
	}
	for _, c := range worsened {
		r := &rules[ruleIndex(c.rule)]
		found := detect(t, c.lang, c.old, c.code, false, Options{Rules: []string{c.rule}, Off: []string{AllRules}, Thresholds: map[string]int{c.rule: c.threshold}})
		if len(found) != 1 || found[0].Text != c.want {
			t.Errorf("%s: got %+v, want %q", c.rule, found, c.want)
			continue
		}
		have[key{r.ID, r.said(t, found[0].Text)}] = true
	}
	for _, r := range Rules() {
		if len(r.Says) == 0 {
			t.Errorf("%s says nothing", r.ID)
		}
		all := map[string]bool{}
		for _, s := range r.Says {
			if all[s.When] {
				t.Errorf("%s: two sentences for %q", r.ID, s.When)
			}
			all[s.When] = true
			if rest := blank.ReplaceAllString(s.Text, ""); strings.ContainsAny(rest, "{}") || !strings.HasSuffix(rest, ".") && !strings.HasSuffix(rest, "?") {
				t.Errorf("%s: %q is no sentence", r.ID, s.Text)
			}
			if r.places() && !have[key{r.ID, s.When}] {
				t.Errorf("%s: no case for the sentence %q: %s", r.ID, s.When, s.Text)
			}
		}
		if counts := r.Unit != ""; counts != all[worse] {
			t.Errorf("%s: measures %v, but can say that something is worse: %v", r.ID, counts, all[worse])
		}
	}
}

// TestSayings reads what the detectors say off their source: each sentence that
// they name is one in the catalogue, with the same blanks.
func TestSayings(t *testing.T) {
	sentences := map[string][]string{} // by when, the blanks that are known
	for _, r := range Rules() {
		for _, s := range r.Says {
			sentences[s.When] = append(sentences[s.When], strings.Join(s.blanks(), ","))
		}
	}
	at := map[string]int{"say": 1, "sayFrom": 2, "sayLines": 2, "sayName": 2}
	paths, err := filepath.Glob("sites_*.go")
	if err != nil {
		t.Fatal(err)
	}
	calls, files := 0, token.NewFileSet()
	for _, path := range paths {
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || at[f.Sel.Name] == 0 {
				return true
			}
			calls++
			where := files.Position(call.Pos())
			literal, ok := call.Args[at[f.Sel.Name]].(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: the sentence is not written there", where)
				return true
			}
			when, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if sentences[when] == nil {
				t.Errorf("%s: no rule has a sentence %q", where, when)
			}
			var names []string
			switch put := call.Args[at[f.Sel.Name]+1].(type) {
			case *ast.CompositeLit:
				for _, e := range put.Elts {
					name, err := strconv.Unquote(e.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, name)
				}
			case *ast.Ident:
				if put.Name != "nil" {
					return true
				}
			}
			slices.Sort(names)
			if !slices.Contains(sentences[when], strings.Join(names, ",")) {
				t.Errorf("%s: no sentence %q is filled with %q", where, when, names)
			}
			return true
		})
	}
	if calls == 0 {
		t.Error("nobody says anything")
	}
}
