package smells

import (
	"context"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"crscore/change"
	"crscore/internal/config"
	"crscore/internal/syntax"
)

// smellsOf finds the smells of a diff; whole are the old texts by path.
func smellsOf(t testing.TB, text string, whole map[string]string) []Smell {
	t.Helper()
	c, err := change.Parse([]byte(text), change.Options{Texts: func(f *change.File, side change.Side) (string, bool) {
		old, ok := whole[f.OldPath]
		return old, ok && side == change.Old
	}})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Detect(context.Background(), trees, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// settingsDiff is the diff from one text of a file to another.
func settingsDiff(path, old, now string) string {
	if old == "" || now == "" { // as git has it
		from, to, of := path, "/dev/null", "-"
		text := old
		if old == "" {
			from, to, of, text = "/dev/null", path, "+", now
		}
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		body := of + strings.Join(lines, of) + "\n"
		n := string(rune('0' + len(lines)))
		head := "@@ -1," + n + " +0,0 @@\n"
		if old == "" {
			head = "@@ -0,0 +1," + n + " @@\n"
		}
		return strings.NewReplacer("A", from, "B", to).Replace("--- A\n+++ B\n") + head + body
	}
	d := string(diff.Diff("a/"+path, []byte(old), "b/"+path, []byte(now)))
	return d[strings.Index(d, "--- "):]
}

// TestSwitchedOff holds the smell of a project's settings against changes of them: with the
// whole old text, and by the lines of the diff.
func TestSwitchedOff(t *testing.T) {
	pad := "# 1\n# 2\n# 3\n# 4\n# 5\n"
	for _, c := range []struct {
		name, old, now string
		whole, lines   string // what is listed, "" for no smell
	}{
		{"everything", "", "claims: {rules: {all: off}}\nsmells: {rules: {all: off}}\n", "all claims, all smells", ""},
		{"a rule", "smells:\n  rules:\n    todo-comment: on\n", "smells:\n  rules:\n    todo-comment: on\n    bare-except: off\n", "bare-except", "bare-except"},
		{"a claim", "claims:\n  rules:\n    parameter-added: on\n", "claims:\n  rules:\n    parameter-added: off\n", "parameter-added", "parameter-added"},
		{"as before", "smells: {rules: {bare-except: off}}\n", "smells: {rules: {bare-except: off}} # why\n", "", ""},
		{"on", "smells: {rules: {bare-except: off}}\n", "smells: {rules: {bare-except: on}}\n", "", ""},
		{"off by default", "smells: {rules: {bare-except: on}}\n", "smells: {rules: {empty-catch: off}}\n", "", ""},
		{"on no more", "smells:\n  rules:\n    empty-catch: on\n    todo-comment: on\n", "smells:\n  rules:\n    todo-comment: on\n", "empty-catch", "empty-catch"},
		{"deleted", "smells: {rules: {empty-catch: on}}\n", "", "empty-catch", ""},
		{"deleted, which switches on", "smells: {rules: {bare-except: off}}\n", "", "", ""},
		{"all, but one by name", "smells: {rules: {bare-except: on}}\n", "smells: {rules: {bare-except: off, all: off}}\n", "all smells, bare-except", "all claims, all smells, bare-except"},
		{"all was off", "smells: {rules: {all: off, bare-except: on}}\n", "smells: {rules: {all: off}}\n", "bare-except", "bare-except"},
		{"a threshold", "smells: {thresholds: {long-method: 60}}\n", "smells: {thresholds: {long-method: 70, deep-nesting: 2}}\n", "long-method=70", "long-method=70"},
		{"a threshold that was the default", "smells: {rules: {}}\n", "smells: {thresholds: {long-method: 51}}\n", "long-method=51", "long-method=51"},
		{"stricter", "smells: {thresholds: {long-method: 60}}\n", "smells: {thresholds: {long-method: 0}}\n", "", ""},
		{"strict no more", "smells: {thresholds: {long-method: 0}}\n", "smells: {rules: {}}\n", "long-method=50", "long-method=50"},
		{"a path", "smells:\n  ignore:\n    vendor: all\n", "smells:\n  ignore:\n    vendor: all\n    src: all\n", "ignore `src`", "ignore `src`"},
		{"a path for more rules", "smells: {ignore: {a: todo-comment}}\n", "smells: {ignore: {a: [todo-comment, bare-except]}}\n", "ignore `a`", ""},
		{"a path as before", "smells: {ignore: {a: all}}\n", "smells: {ignore: {a: todo-comment}}\n", "", ""},
		{"many", "smells: {rules: {}}\n", "smells: {rules: {bare-except: off, todo-comment: off, mutable-default: off, none-comparison: off}, thresholds: {long-method: 90}}\n",
			"bare-except, mutable-default, none-comparison and 2 more", "bare-except, mutable-default, none-comparison and 2 more"},
		{"far from the rest", "smells:\n  rules:\n" + pad + "    bare-except: on\n", "smells:\n  rules:\n" + pad + "    bare-except: off\n", "bare-except", "bare-except"},
		{"the other section", "smells:\n  rules:\n    bare-except: on\n", "smells:\n  rules:\n    bare-except: on # or off\n", "", ""},
		{"not YAML any more", "smells: {rules: {}}\n", "smells: {rules: {bare-except: off}\n", "bare-except", "bare-except"},
		{"text from outside", "smells: {ignore: {}}\n", "smells: {ignore: {\"`::error::\": all}}\n", "ignore a path", ""},
		{"a path with a space", "smells: {ignore: {}}\n", "smells: {ignore: {\"a b\": all}}\n", "ignore a path", ""},
		{"an unknown claim", "claims: {rules: {}}\n", "claims: {rules: {\"</x>\": off}}\n", "", ""},
	} {
		text := settingsDiff(config.ProjectFile, c.old, c.now)
		for whole, want := range map[bool]string{true: c.whole, false: c.lines} {
			texts := map[string]string{}
			if whole {
				texts[config.ProjectFile] = c.old
			} else if c.old == "" || c.now == "" {
				continue // such a diff has the whole file
			}
			found := smellsOf(t, text, texts)
			if want == "" {
				if len(found) > 0 {
					t.Errorf("%s, whole %t: %+v", c.name, whole, found)
				}
				continue
			}
			if len(found) != 1 || !strings.Contains(found[0].Text, "("+want+")") || found[0].Path != config.ProjectFile {
				t.Errorf("%s, whole %t: %+v, want %s", c.name, whole, found, want)
				continue
			}
			s := found[0]
			if n := len(strings.Fields(s.Text)); n > 25 {
				t.Errorf("%s: %d words: %s", c.name, n, s.Text)
			}
			known := whole && !strings.Contains(c.name, "YAML")
			if said := strings.Contains(s.Text, "seem to"); said == known {
				t.Errorf("%s, whole %t: %s", c.name, whole, s.Text)
			}
			if (s.StartLine == 0) != (c.now == "") || s.EndLine < s.StartLine {
				t.Errorf("%s: lines %d-%d", c.name, s.StartLine, s.EndLine)
			}
		}
	}
}

// TestSwitchedOffWhere: only the file in the root counts, under its name.
func TestSwitchedOffWhere(t *testing.T) {
	const old, now = "smells: {rules: {bare-except: on}}\n", "smells: {rules: {bare-except: off}}\n"
	for path, want := range map[string]int{config.ProjectFile: 1, "sub/" + config.ProjectFile: 0, "crscore.yaml": 0} {
		if found := smellsOf(t, settingsDiff(path, old, now), nil); len(found) != want {
			t.Errorf("%s: %+v", path, found)
		}
	}
	const renamed = "diff --git a/A b/B\nsimilarity index 100%\nrename from A\nrename to B\n"
	named := func(a, b string) string { return strings.NewReplacer("A", a, "B", b).Replace(renamed) }
	hidden := smellsOf(t, named(config.ProjectFile, "x.yaml"), map[string]string{config.ProjectFile: "smells: {rules: {empty-catch: on}}\n"})
	if len(hidden) != 1 || !strings.Contains(hidden[0].Text, "(empty-catch)") {
		t.Errorf("renamed away: %+v", hidden)
	}
	come := smellsOf(t, named("x.yaml", config.ProjectFile), map[string]string{"x.yaml": now})
	if len(come) != 1 || !strings.Contains(come[0].Text, "(bare-except)") {
		t.Errorf("renamed to it: %+v", come)
	}
}

// FuzzSwitchedOff: whatever the file holds, the smell is one short sentence in one line.
func FuzzSwitchedOff(f *testing.F) {
	f.Add("smells: {rules: {all: off}}", "claims: {rules: {}}")
	f.Add("a: &a [*a]", "smells: {ignore: {\"\\e\": all}}")
	f.Add("smells: {thresholds: {long-method: 99999999999}}", "- x")
	f.Fuzz(func(t *testing.T, old, now string) {
		file := change.File{OldPath: config.ProjectFile, NewPath: config.ProjectFile, Status: change.Modified}
		for _, side := range []struct {
			op   change.Op
			text string
		}{{change.Delete, old}, {change.Add, now}} {
			var h change.Hunk
			for line := range strings.SplitSeq(side.text, "\n") {
				h.Lines = append(h.Lines, change.Line{Op: side.op, Text: line, NewLine: 1})
			}
			file.Hunks = append(file.Hunks, h)
		}
		i := ruleIndex("rules-switched-off")
		s, ok := switchedOff(&rules[i], rules, &file)
		if n := len(strings.Fields(s.Text)); ok && (n > 25 || strings.ContainsAny(s.Text, "\n\r\x1b")) {
			t.Errorf("%d words: %q", n, s.Text)
		}
		if a, err := config.Switches(old); err == nil {
			if b, err := config.Switches(now); err == nil {
				weaker(rules, a, b)
			}
		}
	})
}
