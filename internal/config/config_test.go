package config

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

var names = Names{
	Rules:      []string{"all", "deep-nesting", "long-method", "todo-comment"},
	Thresholds: []string{"deep-nesting", "long-method"},
	ClaimRules: []string{"all", "lock-added", "lock-effect"},
	Tools:      []string{"pmd", "radon"},
}

const full = `# Settings of my own.
claims:
  sources: symbolic,ollama:m
  rules: {lock-effect: off, all: on}
smells:
  sources: [builtin, pmd]
  thresholds: {long-method: 60, deep-nesting: 0}
  rules:
    all: on
    todo-comment: off
    "long-method": true
tools:
  node_modules: [/opt/node_modules]
  timeout: 2m
  pmd: {path: /opt/pmd/bin/../bin/pmd}
  radon:
`

func TestFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	write(t, file, full)
	at := func(line, column int) Place { return Place{file, line, column} }
	want := Config{
		Files:      []File{{Path: file}},
		Claims:     Text{"symbolic,ollama:m", at(3, 12)},
		Smells:     Text{"builtin,pmd", at(6, 12)},
		Thresholds: map[string]int{"long-method": 60, "deep-nesting": 0},
		Rules:      map[string]bool{"all": true, "todo-comment": false, "long-method": true},
		ClaimRules: map[string]bool{"all": true, "lock-effect": false},
		Tools: Tools{
			Paths:       map[string]Text{"pmd": {"/opt/pmd/bin/pmd", at(15, 15)}},
			NodeModules: []Text{{"/opt/node_modules", at(13, 18)}},
			Timeout:     2 * time.Minute,
		},
	}
	got, err := Load(Options{File: file, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestFaults holds texts against the errors that they must give, in a file of the
// user's unless project is set.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		project    bool
		text, want string // "" means none
	}{
		{false, "", ""},
		{false, "# nothing\n", ""},
		{false, "---\n...\n", ""},
		{false, "smells:\n", ""},
		{false, "\ufeffsmells:\n", ""},
		{true, "smells: {thresholds: {long-method: 60}}", ""},
		{true, "{}", ""},
		{true, "smells: {rules: {all: off}}", ""},
		{true, "claims: {rules: {all: off, lock-added: on}}", ""},
		{true, "claims:", ""},
		{true, "smells: {ignore: {vendor: all, '*.pb.go': [long-method, deep-nesting]}}", ""},

		// What is not allowed, and what is.
		{false, "smell:\n", `F:1:1: "smell" cannot be set; allowed here: claims, smells, tools`},
		{false, "smells:\n  threshold: 1", `F:2:3: "threshold" cannot be set in smells; allowed here: ignore, rules, sources, thresholds`},
		{false, "smells:\n  thresholds:\n    lon-method: 1\n", `F:3:5: "lon-method" cannot be set in smells.thresholds; allowed here: deep-nesting, long-method`},
		{false, "smells: {thresholds: {todo-comment: 1}}", `F:1:23: "todo-comment" cannot be set in smells.thresholds; allowed here: deep-nesting, long-method`},
		{false, "tools: {eslint: {path: /x}}", `F:1:9: "eslint" cannot be set in tools; allowed here: node_modules, pmd, radon, timeout`},
		{false, "tools: {pmd: {args: /x}}", `"args" cannot be set in tools.pmd; allowed here: path`},
		{false, "\"\\e[31m\": 1", `F:1:1: "\x1b[31m" cannot be set; allowed`},
		{false, strings.Repeat("k", 200) + ": 1", strings.Repeat("k", 80) + `…" cannot be set`},
		{true, "tools: {pmd: {path: /tmp/evil}}", `F:1:1: "tools" cannot be set: this file comes with a change, so it may set rules of claims and smells, thresholds and ignored paths, and nothing else; allowed here: claims, smells`},
		{true, "claims: {sources: ollama:m}", `F:1:10: "sources" cannot be set in claims: this file comes`},
		{true, "smells: {sources: none}", `F:1:10: "sources" cannot be set in smells: this file comes`},
		{true, "tau: 0", `F:1:1: "tau" cannot be set: this file comes`},

		// Types.
		{false, "- a", "F:1:1: this is a list, but must be a mapping, with claims, smells, tools"},
		{false, "builtin", `F:1:1: this is "builtin", but must be a mapping`},
		{false, "smells: builtin", `F:1:9: this is "builtin", but must be a mapping, with ignore, rules, sources, thresholds`},
		{false, "smells: {thresholds: {long-method: 60.5}}", `F:1:36: this is "60.5", but must be a whole number from 0 to 999999999`},
		{false, "smells: {thresholds: {long-method: -1}}", `this is "-1", but must be a whole number`},
		{false, "smells: {thresholds: {long-method: '60'}}", `this is the text "60", but must be a whole number`},
		{false, "smells: {thresholds: {long-method: 010}}", `this is "010", but must be a whole number`},
		{false, "smells: {thresholds: {long-method: 0x10}}", `this is "0x10", but must be a whole number`},
		{false, "smells: {thresholds: {long-method: 1000000000}}", `this is "1000000000", but must be`},
		{false, "smells: {thresholds: {long-method: 99999999999999999999}}", `"99999999999999999999", but must be`},
		{false, "smells: {thresholds: {long-method: }}", "F:1:36: this is empty, but must be a whole number"},
		{false, "smells: {thresholds: {long-method: {}}}", "this is a mapping, but must be a whole number"},
		{false, "smells: {rules: {todo-comment: 'on'}}", `this is the text "on", but must be on or off`},
		{false, "smells: {rules: {todo-comment: yes}}", `this is "yes", but must be on or off`},
		{false, "smells: {rules: {todo-comment: 1}}", `this is "1", but must be on or off`},
		{false, "smells: {rules: {todo-coment: on}}", `F:1:18: there is no rule "todo-coment"; did you mean todo-comment? crscore smells list shows them`},
		{false, "claims: {rules: {todo-comment: on}}", `F:1:18: there is no rule "todo-comment"; crscore claims list shows them`},
		{true, "claims:\n  rules:\n    lock-add: off", `F:3:5: there is no rule "lock-add"; did you mean lock-added? crscore claims list shows them`},
		{false, "claims: {rules: {lock-added: 0}}", `F:1:30: this is "0", but must be on or off`},
		{false, "claims: {rules: {lock-added: on, lock-added: on}}", `F:1:34: "lock-added" is set twice in claims.rules, first in line 1`},
		{false, "claims: {rules: [lock-added]}", "F:1:17: this is a list, but must be a mapping, with all, lock-added, lock-effect"},
		{false, "claims: {rules: &a {lock-added: on}}", "F:1:17: an anchor (&a)"},
		{false, "claims: {rules: {" + strings.Repeat("k", 200) + ": on}}", strings.Repeat("k", 80) + `…"; crscore claims list`},
		{false, "smells: {sources: []}", "F:1:19: an empty list; for no source write none"},
		{false, "smells: {sources: ''}", `this is the text "", but must be the name of a source`},
		{false, "smells: {sources: [builtin, 5]}", `F:1:29: this is "5", but must be the name of a source`},
		{false, "smells: {ignore: [vendor]}", "F:1:18: this is a list, but must be a mapping of patterns to rules"},
		{false, "smells: {ignore: {vendor: no-rule}}", `F:1:27: there is no rule "no-rule"; crscore smells list shows them`},
		{false, "smells: {ignore: {vendor: [all, no-rule]}}", `F:1:33: there is no rule "no-rule"`},
		{false, "smells: {ignore: {vendor: {}}}", "this is a mapping, but must be a list"},
		{false, "smells: {ignore: {5: all}}", `this is "5", but must be a pattern of paths`},
		{false, "smells: {ignore: {'a[bc]': all}}", `F:1:19: "a[bc]": a pattern of paths may have the wildcards *, ** and ?, but no`},
		{false, "smells: {ignore: {'': all}}", "a pattern of paths has from 1 to 400 bytes"},
		{false, "smells: {ignore: {" + strings.Repeat("a: all,", 1001) + "}}", "1001 patterns; there may be 1000"},
		{false, "tools: {timeout: 120}", `this is "120", but must be a time from 1s to 1h`},
		{false, "tools: {timeout: 2h}", `this is "2h", but must be a time from 1s to 1h`},
		{false, "tools: {node_modules: /opt}", `this is "/opt", but must be a list`},
		{false, "tools: {node_modules: [opt]}", `F:1:24: this is "opt", but must be an absolute path`},
		{false, "tools: {pmd: {path: bin/pmd}}", `this is "bin/pmd", but must be an absolute path`},
		{false, "tools: {pmd: {path: \"/a\\0b\"}}", "but must be an absolute path"},
		{false, "tools: {pmd: /opt/pmd}", `this is "/opt/pmd", but must be a mapping, with path`},

		// What YAML has besides.
		{false, "smells:\nsmells:\n", `F:2:1: "smells" is set twice, first in line 1`},
		{false, "smells: {thresholds: {long-method: 1, \"long-method\": 2}}", `F:1:39: "long-method" is set twice in smells.thresholds, first in line 1`},
		{false, "smells: &a {thresholds: {}}", "F:1:9: an anchor (&a)"},
		{false, "&a smells: {}", "F:1:1: an anchor (&a)"},
		{false, "smells: {thresholds: {long-method: &a 1, deep-nesting: *a}}", "an anchor (&a)"},
		{false, "smells: {<<: {}}", `"<<" cannot be set in smells`},
		{false, "smells: {thresholds: {long-method: !!int '1'}}", "F:1:36: a tag (!!int)"},
		{false, "smells: !x {}", "a tag (!x)"},
		{false, "? [a]\n: b", "F:1:3: this is a list, but must be one of the keys"},
		{false, "smells:\n---\nsmells:\n", "F:2:1: a second document begins"},
		{false, "smells:\n--- {", "F is not YAML"},
		{false, "smells: {", "F is not YAML"},
		{false, "smells:\n\tthresholds: 1\n", "F is not YAML near line 2: found character that cannot start any token"},
		{false, "smells: *a", "F is not YAML: unknown anchor 'a' referenced"},
		{false, "smells: \x00", "F is not YAML: control characters are not allowed"},
		{false, "\xff\xff", "F is not YAML"},
		{false, "a: &a [x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n", `F:1:1: "a" cannot be set`},
		{false, strings.Repeat("[", 20_000), "F is not YAML: exceeded max depth"},
	} {
		var cfg Config
		cfg.makeMaps()
		err := cfg.parse(File{Path: "F", Project: c.project}, []byte(c.text), names)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestPlaces looks for the two files in a tree of folders.
func TestPlaces(t *testing.T) {
	base := t.TempDir()
	home, repo := filepath.Join(base, "home"), filepath.Join(base, "repo")
	user := filepath.Join(home, ".config", "crscore", "config.yaml")
	named, project := filepath.Join(base, "named.yaml"), filepath.Join(repo, ProjectFile)
	write(t, user, "smells: {thresholds: {long-method: 1}}")
	write(t, named, "smells: {thresholds: {long-method: 2}}")
	write(t, project, "smells: {thresholds: {long-method: 3, deep-nesting: 3}}")
	write(t, filepath.Join(repo, ".git", "HEAD"), "")
	write(t, filepath.Join(repo, "sub", ProjectFile), "smells: {thresholds: {long-method: 4}}")
	write(t, filepath.Join(base, ProjectFile), "smells: {thresholds: {long-method: 5}}")
	write(t, filepath.Join(base, "other", "x"), "")
	write(t, filepath.Join(repo, "more.yaml"), "smells: {thresholds: {long-method: 6}}")
	linked := filepath.Join(base, "linked.yaml")
	if err := os.Symlink(filepath.Join(repo, "more.yaml"), linked); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir, file, env, home string
		project                    bool
		files                      []File
		long, deep                 int // -1: not set
	}{
		{"nothing", "other", "", "", "/nonexistent", true, nil, -1, -1},
		{"no home at all", "other", "", "", "", true, nil, -1, -1},
		{"a home that is a file", "other", "", "", named, true, nil, -1, -1},
		{"at home", "other", "", "", home, true, []File{{Path: user}}, 1, -1},
		{"by the environment", "other", "", named, home, true, []File{{Path: named}}, 2, -1},
		{"by the flag", "other", named, user, home, true, []File{{Path: named}}, 2, -1},
		{"the work tree's", "repo", "", "", "", true, []File{{project, true, true}}, 3, 3},
		{"from below, the root's", "repo/sub", "", "", "", true, []File{{project, true, true}}, 3, 3},
		{"the user's is stronger", "repo", named, "", "", true, []File{{Path: named}, {project, true, true}}, 2, 3},
		{"a file of the work tree", "repo/sub", "../more.yaml", "", "", false, []File{{Path: "../more.yaml", InTree: true}}, 6, -1},
		{"one by the environment", "repo", "", "more.yaml", "", false, []File{{Path: "more.yaml", InTree: true}}, 6, -1},
		{"one by a link", "other", linked, "", "", false, []File{{Path: linked}}, 6, -1},
		{"a link into the work tree", "repo", linked, "", "", false, []File{{Path: linked, InTree: true}}, 6, -1},
		{"a project's file that is named", "repo", "sub/" + ProjectFile, "", "", true, []File{{"sub/" + ProjectFile, true, true}}, 4, -1},
		{"a project's file elsewhere", "other", project, "", "", true, []File{{project, true, false}}, 3, 3},
		{"a dataset", "repo", named, "", "", false, []File{{Path: named}}, 2, -1},
		{"outside of git, here alone", ".", "", "", "", true, []File{{filepath.Join(base, ProjectFile), true, true}}, 5, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(filepath.Join(base, c.dir))
			t.Setenv("HOME", c.home)
			t.Setenv("XDG_CONFIG_HOME", "")
			t.Setenv(Env, c.env)
			if c.home == home {
				// Other systems have another folder there.
				if path, err := UserFile(); err != nil || path != user {
					t.Skipf("the user's file is %s, %v", path, err)
				}
			}
			opts := Options{File: c.file, Names: names}
			if c.project {
				opts.Project = InWorkTree
			}
			got, err := Load(opts)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.files, got.Files); d != "" {
				t.Errorf("files, -want +got:\n%s", d)
			}
			for rule, want := range map[string]int{"long-method": c.long, "deep-nesting": c.deep} {
				if n, ok := got.Thresholds[rule]; ok != (want >= 0) || ok && n != want {
					t.Errorf("%s is %d, %t; want %d", rule, n, ok, want)
				}
			}
		})
	}
}

// TestTwoFiles holds what the user's and the project's file set together against what
// must be in force.
func TestTwoFiles(t *testing.T) {
	for _, c := range []struct {
		user, project, rules, ignore string
	}{
		{"{}", "smells: {rules: {all: off, long-method: on}}", "map[all:false long-method:true]", ""},
		{"smells: {rules: {long-method: off}}", "smells: {rules: {long-method: on, deep-nesting: off}}", "map[deep-nesting:false long-method:false]", ""},
		{"smells: {rules: {all: on}}", "smells: {rules: {long-method: off}}", "map[all:true]", ""},
		{"claims: {rules: {lock-added: off}}", "claims: {rules: {lock-added: on, lock-effect: off}}", "map[] map[lock-added:false lock-effect:false]", ""},
		{"claims: {rules: {all: on}}", "{claims: {rules: {lock-effect: off}}, smells: {rules: {long-method: off}}}", "map[long-method:false] map[all:true]", ""},
		{"smells: {ignore: {a: all}}", "smells: {ignore: {b: all}}", "map[]", "a b "},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		write(t, filepath.Join(dir, "user.yaml"), c.user)
		write(t, filepath.Join(dir, ProjectFile), c.project)
		got, err := Load(Options{File: "user.yaml", Project: InWorkTree, Names: names})
		if err != nil {
			t.Fatal(err)
		}
		ignore := ""
		for _, i := range got.Ignore {
			ignore += i.Pattern + " "
		}
		if s := strings.TrimSuffix(fmt.Sprint(got.Rules, " ", got.ClaimRules), " map[]"); s != c.rules || ignore != c.ignore {
			t.Errorf("%s with %s: %s, %s", c.user, c.project, s, ignore)
		}
	}
}

// TestUnreadable looks at files that are there and cannot be read, or should not.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", "/nonexistent")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv(Env, "")
	large := filepath.Join(dir, "large.yaml")
	write(t, large, strings.Repeat("#\n", limits.ConfigBytes/2)+"#")
	for file, want := range map[string]string{
		large:                              "larger than the limit of 1 MiB",
		dir:                                "is not a file",
		filepath.Join(dir, "missing.yaml"): "missing.yaml: no such file",
	} {
		if _, err := Load(Options{File: file, Names: names}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", file, err, want)
		}
		t.Setenv(Env, file)
		if _, err := Load(Options{Names: names}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("by the environment, %s: %v; want %s", file, err, want)
		}
		t.Setenv(Env, "")
	}

	secret, project := filepath.Join(dir, "secret"), filepath.Join(dir, ProjectFile)
	write(t, secret, "password: 1")
	load := func(want string) {
		t.Helper()
		_, err := Load(Options{Project: InWorkTree, Names: names})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "password") {
			t.Errorf("%v; want %s", err, want)
		}
	}
	if err := os.Symlink(secret, project); err != nil {
		t.Fatal(err)
	}
	load("is a link, which is not followed")
	remove(t, project)
	if runtime.GOOS != "windows" { // which has no named pipes among its files
		if err := exec.Command("mkfifo", project).Run(); err != nil {
			t.Fatal(err)
		}
		load("is not a file") // and does not wait for a writer
		remove(t, project)
	}
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	load("is not a file")
}

// hostile are texts of nearly the largest size that could take long.
func hostile() map[string]string {
	times := func(s string) string { return strings.Repeat(s, (limits.ConfigBytes-100)/len(s)) }
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 10_000; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
	}
	return map[string]string{
		"aliases":       bomb.String(),
		"brackets":      times("["),
		"braces":        times("{"),
		"dashes":        times("- "),
		"colons":        times(": "),
		"questions":     times("? "),
		"pairs":         times("{a: "),
		"keys":          times("a:\n"),
		"comments":      times("#\n"),
		"comment lines": times("# a\n\n"),
		"anchors":       times("&a "),
		"quotes":        `"` + times(`\"`),
		"folded":        ">\n" + times(" a\n\n"),
		"spaces":        times(" "),
		"documents":     times("---\n"),
		"tags":          times("!a!a "),
		"list":          "[" + times("a,") + "]",
		"long list":     "a:\n" + times(" - a\n"),
	}
}

// TestHostile shows that no text of the largest size takes long. The limit is far
// above what they take, for machines that do other things too.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		start := time.Now()
		var c Config
		c.makeMaps()
		err := c.parse(File{Path: "F", Project: true}, []byte(text[:min(len(text), limits.ConfigBytes)]), names)
		took := time.Since(start)
		t.Logf("%-14s %8s %.100v", name, took.Round(time.Millisecond), err)
		if took > 30*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
}

// FuzzParse makes sure that no text is a panic, and that what is accepted of a
// change's file sets nothing but rules, and thresholds and ignored paths of smells.
func FuzzParse(f *testing.F) {
	for _, s := range []string{full, "smells: {thresholds: {long-method: 60}}", "smells: {ignore: {'**/a*': all, b: [todo-comment]}, rules: {all: off}}", "claims: {rules: {lock-added: off, all: on}}", "a: &a [*a]", "? [a]\n: b", "--- |\n a\n...\n---\n", "# c\n- # d\n# e\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, project := range []bool{false, true} {
			var c Config
			c.makeMaps()
			err := c.parse(File{Path: "F", Project: project}, text, names)
			if err != nil && (len(err.Error()) > 2000 || !strings.HasPrefix(err.Error(), "F")) {
				t.Errorf("%v", err)
			}
			if project && (c.Claims.Value != "" || c.Smells.Value != "" || len(c.Tools.Paths)+len(c.Tools.NodeModules) > 0 || c.Tools.Timeout != 0) {
				t.Errorf("set by a change: %+v", c)
			}
			for rule := range c.ClaimRules {
				if !slices.Contains(names.ClaimRules, rule) {
					t.Errorf("%s is no rule of claims", rule)
				}
			}
			for rule, n := range c.Thresholds {
				if err == nil && (n < 0 || rule != "long-method" && rule != "deep-nesting") {
					t.Errorf("%s is %d", rule, n)
				}
			}
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
