package syntax

import (
	"strings"
	"testing"

	"crscore/change"
	"crscore/internal/lang"
)

// TestGrammars holds for every build: a language is parsed, or Grammars names it.
func TestGrammars(t *testing.T) {
	missing := ""
	for _, l := range []lang.Name{
		lang.Bash, lang.C, lang.Cpp, lang.CSharp, lang.Go, lang.Java, lang.JavaScript, lang.Kotlin, lang.PHP, lang.Python, lang.Ruby, lang.Rust,
		lang.Scala, lang.Swift, lang.TSX, lang.TypeScript,
	} {
		trees, err := Parse(t.Context(), change.Addition("", "class A {}\n", l))
		if err != nil {
			t.Fatal(err)
		}
		if parsed := len(trees.Files[0].New) == 1; parsed != (TableOf(l) != nil) {
			t.Errorf("%s: parsed is %t, but the table is %v", l, parsed, TableOf(l))
		} else if !parsed {
			missing += "-" + string(l)
		}
	}
	if missing != strings.TrimPrefix(Grammars, "-without") {
		t.Errorf("no grammar for %q, but signatures have %q", missing, Grammars)
	}
}
