package syntax

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crscore/internal/hostile"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

// TestAgain makes random edits of files in every language: the new side has the same nodes with
// the tree of the old one as without. CRSCORE_LONG=1 takes the source files of the machine and of
// CRSCORE_SOURCES=DIR:DIR, and CRSCORE_EDITS=N makes N edits of each.
func TestAgain(t *testing.T) {
	roots, edits := []string{"../../eval/perturb/testdata", "../../smells/testdata"}, 200
	if os.Getenv("CRSCORE_LONG") != "" {
		roots, edits = slices.Concat(filepath.SplitList(os.Getenv("CRSCORE_SOURCES")), hostile.Roots(), roots), 4
	}
	if n, err := strconv.Atoi(os.Getenv("CRSCORE_EDITS")); err == nil {
		edits = n
	}
	corpus := hostile.Collect(roots...)
	for i := range hostile.Languages {
		sample := &hostile.Languages[i]
		table := TableOf(sample.Lang)
		t.Run(string(sample.Lang), func(t *testing.T) {
			t.Parallel()
			files := append(slices.Clone(corpus.Files(sample.Lang)), sample.Sample())
			tried, same := 0, 0
			for n, file := range files {
				for k := range edits {
					r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
					texts := [2]string{file, edited(r, file, files[r.IntN(len(files))])}
					if r.IntN(2) == 0 {
						texts[0], texts[1] = texts[1], texts[0]
					}
					tried++
					if parsed, diff := again(table, texts); diff != "" {
						t.Errorf("file %d, edit %d: %s\n--- old\n%s\n--- new\n%s", n, k, diff, texts[0], texts[1])
					} else if parsed {
						same++
					}
				}
			}
			t.Logf("%d files, %d edits, %d parsed with the old tree", len(files), tried, same)
			if same == 0 && table.apart == "" {
				t.Error("no edit was parsed with the old tree")
			}
		})
	}
}

// TestAgainAfter changes what stands behind a node and decides where it ends, lines after its last token.
func TestAgainAfter(t *testing.T) {
	rest := strings.Repeat("    int f(int a) { return a; }\n", 5)
	for _, tt := range []struct {
		lang     lang.Name
		old, new string
	}{
		{lang.Java, "class A {\n" + rest + "    int x = a + b // the sum\n\n        - c;\n}\n", "class A {\n" + rest + "    int x = a + b // the sum\n\n        * c;\n}\n"},
		{lang.JavaScript, "let x = a + b /* the sum */\n// of\n- c\n" + rest, "let x = a + b /* the sum */\n// of\n* c\n" + rest},
		{lang.Go, "package a\n\nvar x = a + // the sum\n\tb + // of\n\n\tc\n", "package a\n\nvar x = a + // the sum\n\tb + // of\n\n\tc * d\n"},
		{lang.Python, "def f():\n    return a\n# the end\n\nx = 1\n", "def f():\n    return a\n# the end\n\n    x = 1\n"},
		{lang.Ruby, "a = b\n# the sum\n\nc\n" + rest, "a = b\n# the sum\n\n.c\n" + rest},
		{lang.Rust, "fn f() -> i32 {\n a + b // the sum\n\n - c\n}\n", "fn f() -> i32 {\n a + b // the sum\n\n * c\n}\n"},
	} {
		for _, texts := range [][2]string{{tt.old, tt.new}, {tt.new, tt.old}} {
			if _, diff := again(TableOf(tt.lang), texts); diff != "" {
				t.Errorf("%s: %s\n%s", tt.lang, diff, texts[1])
			}
		}
	}
}

// again parses a text with the tree of another and without it. It reports whether that tree
// served, and the first difference.
func again(table *Table, texts [2]string) (served bool, diff string) {
	left := effort{limits.ChangeWork, time.Minute}
	masked := [2][]byte{table.masked([]byte(texts[0])), table.masked([]byte(texts[1]))}
	p, err := begin(context.Background(), table.loaded(), masked[0], &left)
	if err != nil {
		return false, err.Error()
	}
	defer p.end()
	old, err := p.first(&left)
	if err != nil {
		return false, ""
	}
	got := p.again(old, masked, &left)
	if got == nil {
		return false, ""
	}
	all, err := nodesOf(context.Background(), table, [][]byte{masked[1]}, &left)
	if err != nil {
		return true, err.Error()
	}
	for i, want := range all[0] {
		if i >= len(got) || got[i] != want {
			return true, fmt.Sprintf("node %d is %+v, want %+v", i, got[min(i, len(got)-1)], want)
		}
	}
	if len(got) != len(all[0]) {
		return true, fmt.Sprintf("%d nodes, want %d", len(got), len(all[0]))
	}
	return true, ""
}

// edited makes one to three edits of a text: small ones, that may leave it valid, and others.
func edited(r *rand.Rand, text, other string) string {
	for range 1 + r.IntN(2)*r.IntN(3) {
		if r.IntN(4) == 0 {
			text = hostile.Mutate(r, text, other)
		} else {
			text = smallEdit(r, text)
		}
	}
	return text
}

// smallEdit changes, moves or doubles a token or a line, or breaks or joins lines.
func smallEdit(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	at := r.IntN(len(lines))
	line, more := lines[at], lines[r.IntN(len(lines))]
	words := strings.Fields(line)
	word := func(line string) string {
		if words := strings.Fields(line); len(words) > 0 {
			return words[r.IntN(len(words))]
		}
		return ""
	}
	switch r.IntN(9) {
	case 0:
		line = ""
	case 1:
		line += line
	case 2: // another word
		if w := word(line); w != "" {
			line = strings.Replace(line, w, word(more), 1)
		}
	case 3: // another operator
		if len(words) > 0 {
			a, b := "+-*/%<>=&|!?:.,;", "+-*/%<>=&|!?:.,; "
			for try := r.IntN(len(a)); try < len(a); try++ {
				if i := strings.IndexByte(line, a[try]); i >= 0 {
					line = line[:i] + b[r.IntN(len(b)):][:1] + line[i+1:]
					break
				}
			}
		}
	case 4: // a line is broken
		if i := strings.IndexByte(strings.TrimLeft(line, " \t"), ' '); i >= 0 {
			i += len(line) - len(strings.TrimLeft(line, " \t"))
			line = line[:i] + []string{"\n", "\n\n", " \n\t", "\r\n"}[r.IntN(4)] + line[i+1:]
		}
	case 5: // or joined with the next one
		line = strings.TrimRight(line, "\r\n") + []string{" ", ""}[r.IntN(2)]
	case 6: // a comment or an empty line
		line = []string{"\n", "  \n", "// a\n", "# a\n", "/* a\n b */\n", "/* a */ "}[r.IntN(6)] + line
	case 7:
		line = more
	default: // indented
		line = []string{"", " ", "\t", "        "}[r.IntN(4)] + strings.TrimLeft(line, " \t")
	}
	lines[at] = line
	return strings.Join(lines, "")
}
