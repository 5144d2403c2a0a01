package analyzers

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crscore/analyzers/adapter/adaptertest"
)

// envModules is the node_modules folder that make test fills.
const envModules = "CRSCORE_NODE_MODULES"

// toolCase is what a real tool says about the three files in its testdata.
type toolCase struct {
	tool     string
	ext      string
	findings []string // "line:column rule" of testdata/finding
	broken   string   // part of the reason for testdata/broken, which is called ../../up
	version  string   // what the program prints when asked
	old      string   // the same of a version that is not supported
	// config are files that would change what the tool finds, or leave traces, if
	// it read them from where it is started, from the folders above, from the home
	// directory or from the project.
	config map[string]string
	// root are the files of the project besides those of testdata, for tools that
	// need one.
	root map[string]string
	// silent tells that the tool prints nothing when it has found nothing.
	silent bool
}

// Configurations of PHP and its tools that would be noticed.
const (
	allOff  = `<ruleset name="off"></ruleset>`
	prepend = "auto_prepend_file=prepend.php\nerror_reporting=0\n"
)

// programs would make a file if a tool ran what it should only read.
var programs = map[string]string{
	".js":  "import('fs').then((fs) => fs.writeFileSync('{executed}', ''));\n",
	".php": "<?php\ntouch('{executed}');\n",
	".py":  "open('{executed}', 'w')\n",
	".rb":  "File.write('{executed}', '')\n",
	".sh":  "#!/bin/sh\n: >'{executed}'\n",
}

// dir is where the adapter is.
func (c toolCase) dir() string { return strings.ReplaceAll(c.tool, "-", "") }

// goMod is the root of a project for Go's tools.
var goMod = map[string]string{"go.mod": "module example.com/shop\n\ngo 1.21\n"}

// Every adapter has a row; its directory has testdata/clean, finding and broken,
// and one output.*, which is recorded from them.
var toolCases = []toolCase{
	{
		tool: "checkstyle", ext: ".java",
		findings: []string{"1:8 UnusedImports", "4:16 VisibilityModifier", "9:11 IllegalCatch", "9:31 EmptyCatchBlock"},
		broken:   "../../up.java:2:17: unexpected token: price",
		version:  "Checkstyle version: 8.36.1", old: "Checkstyle version: 6.19",
		config: map[string]string{
			"checkstyle.xml": "<module name=\"Checker\"/>", "checkstyle.properties": "x=y\n", "checkstyle_packages.xml": "no XML\n",
			"log4j.properties": "x=y\n", "commons-logging.properties": "org.apache.commons.logging.Log=trap\n", ".java-wrappers": "touch ../../executed\n",
		},
	},
	{
		tool: "clang-tidy", ext: ".c", silent: true,
		findings: []string{"6:15 clang-diagnostic-parentheses", "7:24 clang-diagnostic-format", "9:12 clang-analyzer-unix.Malloc"},
		broken:   "'nowhere.h' file not found (headers are looked for beside the file",
		version:  "Debian LLVM version 14.0.6\n  Optimized build.", old: "LLVM version 6.0.1",
		config: map[string]string{
			".clang-tidy": "Checks: '-*,llvm-*'\nExtraArgs: ['-DNONE=1', '-include', 'missing.h']\n", "compile_flags.txt": "-include\nmissing.h\n",
			"compile_commands.json": `[{"directory": "/", "file": "sub/finding/x.c", "command": "cc -include missing.h -c x.c"}]`,
		},
	},
	{
		tool: "cppcheck", ext: ".c",
		findings: []string{"8:8 duplicateExpression", "11:2 memleak"},
		broken:   "line 1: Unmatched '('.",
		version:  "Cppcheck 2.10", old: "Cppcheck 1.90",
		config: map[string]string{
			"trap.h": "#error it was read\nint never( {\n", "suppressions.txt": "*\n", "std.cfg": "no XML\n", "posix.cfg": "no XML\n",
			"cppcheck.cfg": `{"addons": ["trap.py"]}`, "trap.py": "open('../../executed', 'w')\n",
		},
	},
	{
		tool: "eslint", ext: ".js",
		findings: []string{"2:5 no-unused-vars", "5:12 eqeqeq", "6:12 no-eval", "10:12 no-unused-vars", "10:15 no-empty"},
		broken:   "line 2: Parsing error: Unexpected token const",
		version:  "v9.39.5", old: "v8.57.1",
		config: map[string]string{
			"eslint.config.js": "import fs from 'fs'; fs.writeFileSync('{executed}', '')", "eslint.config.mjs": "import fs from 'fs'; fs.writeFileSync('{executed}', '')",
			"eslint.config.cjs": "require('fs').writeFileSync('{executed}', '')", "formatter.cjs": "require('fs').writeFileSync('{executed}', '')",
			".eslintrc.js": "require('fs').writeFileSync('{executed}', '')", ".eslintignore": "*.js\n", "eslint-suppressions.json": "{}",
			"package.json": `{"type": "module", "eslintConfig": {"rules": {"no-eval": "off"}}}`, ".npmrc": "node-options=--require=./formatter.cjs\n",
		},
	},
	{
		tool: "golangci-lint", ext: ".go", root: goMod,
		findings: []string{"14:15 errcheck", "15:15 errcheck", "16:5 gocritic/dupSubExpr"},
		broken:   "broken/x.go:4:27: undefined: prices",
		version:  "2.15.0", old: "1.64.8",
		config: map[string]string{
			".golangci.yml": "version: \"2\"\nlinters:\n  default: none\n  enable: [godot]\n", ".config/go/env": "GOFLAGS=-tags=none\n",
			"go.work": "go 1.99\nuse ./nowhere\n",
		},
	},
	{
		tool: "govet", ext: ".go", root: goMod,
		findings: []string{"18:24 printf", "19:11 copylocks"},
		broken:   "exit status 1: vet: broken/x.go:4:27: undefined: prices",
		version:  "go version go1.26.8 linux/amd64", old: "go version go1.21 linux/amd64",
		config: map[string]string{".config/go/env": "GOFLAGS=-mod=nonsense\n", "go.work": "go 1.99\nuse ./nowhere\n"},
	},
	{
		tool: "jshint", ext: ".js",
		findings: []string{"3:14 W033", "5:10 W061"},
		broken:   "line 2: Expected ',' and instead saw 'a'.",
		version:  "jshint v2.13.6", old: "jshint v2.9.7",
		config: map[string]string{
			".jshintrc": `{"asi": true, "evil": true}`, ".jshintignore": "*.js\n",
			"package.json": `{"jshintConfig": {"asi": true, "evil": true}}`, "jshint.json": `{"asi": true}`, "reporter.js": "syntax error (",
		},
	},
	{
		tool: "phpcs", ext: ".php",
		findings: []string{
			"4:1 Generic.CodeAnalysis.UnusedFunctionParameter.FoundAfterLastUsed", "6:15 Generic.CodeAnalysis.AssignmentInCondition.Found",
			"6:17 Generic.PHP.NoSilencedErrors.Discouraged", "7:16 Squiz.PHP.Eval.Discouraged", "11:13 Squiz.PHP.DiscouragedFunctions.Discouraged",
		},
		broken:  `line 5: PHP syntax error: syntax error, unexpected token ";"`,
		version: "PHP_CodeSniffer version 3.7.1 (stable) by Squiz (http://www.squiz.net)", old: "PHP_CodeSniffer version 2.9.2 (stable) by Squiz",
		config: map[string]string{
			"phpcs.xml": allOff, ".phpcs.xml": allOff, "phpcs.xml.dist": allOff, "ruleset.xml": allOff, "php.ini": prepend, ".user.ini": prepend,
			"CodeSniffer.conf": "<?php touch('{executed}');", "autoload.php": "<?php touch('{executed}');", "prepend.php": "<?php touch('{executed}');",
		},
	},
	{
		tool: "phpmd", ext: ".php",
		findings: []string{
			"6:0 UnusedPrivateField", "8:0 Superglobals", "8:0 UnusedFormalParameter", "10:0 UnusedLocalVariable", "12:0 EvalExpression", "13:0 EmptyCatchBlock",
			"15:0 ErrorControlOperator",
		},
		broken:  "Unexpected token: ;, line: 5, col: 29",
		version: "PHPMD 2.13.0", old: "PHPMD 1.5.0",
		config: map[string]string{
			"phpmd.xml": allOff, "ruleset.xml": allOff, "phpmd.baseline.xml": "<phpmd-baseline/>", "pdepend.xml": "no XML", "php.ini": prepend, ".user.ini": prepend,
			"autoload.php": "<?php touch('{executed}');", "prepend.php": "<?php touch('{executed}');", "rulesets/codesize.xml": allOff,
		},
	},
	{
		tool: "pmd", ext: ".java",
		findings: []string{"3:1 UnnecessaryImport", "7:17 UnusedPrivateField", "15:11 EmptyCatchBlock", "17:16 UselessParentheses"},
		broken:   "ParseException: Parse exception in file '../../up.java' at line 4, column 20",
		version:  "PMD 7.28.0 (79726f0, 2026-09-25)", old: "PMD 6.55.0",
		config: map[string]string{
			"rulesets/java/quickstart.xml": "<ruleset/>", ".pmd.properties": "x=y\n",
		},
	},
	{
		tool: "pylint", ext: ".py",
		findings: []string{"1:1 unused-import", "4:1 dangerous-default-value", "9:9 bare-except"},
		broken:   "'(' was never closed",
		version:  "pylint 2.16.2", old: "pylint 2.4.4",
		config: map[string]string{
			".pylintrc": pylintEvil, "pylintrc": pylintEvil, "setup.cfg": "[pylint]\n" + pylintEvil, "tox.ini": pylintEvil, ".config/pylintrc": pylintEvil,
			"pyproject.toml": "[tool.pylint.main]\ninit-hook = \"open('../../executed', 'w')\"\nload-plugins = [\"plugin\"]\ndisable = [\"all\"]\n",
			"plugin.py":      "open('../../executed', 'w')\n", "sitecustomize.py": "open('../../executed', 'w')\n", "pylint.py": "open('../../executed', 'w')\n",
		},
	},
	{
		tool: "radon", ext: ".py",
		findings: []string{"1:1 cyclomatic-complexity", "2:5 cyclomatic-complexity"},
		broken:   "'(' was never closed",
		version:  "5.1.0", old: "4.5.2",
		config: map[string]string{
			"radon.cfg": "[radon]\ncc_min = F\n", "setup.cfg": "[radon]\ncc_min = F\n", ".radon.cfg": "[radon]\ncc_min = F\n",
		},
	},
	{
		tool: "rubocop", ext: ".rb",
		findings: []string{"1:5 Naming/MethodName", "2:3 Lint/UselessAssignment", "3:3 Security/Eval", "4:1 Lint/RescueException"},
		broken:   "line 2: unexpected token tIDENTIFIER",
		version:  "1.39.0", old: "1.6.1",
		config: map[string]string{
			".rubocop.yml": rubocopEvil, ".config/rubocop/config.yml": rubocopEvil, ".rubocop_todo.yml": rubocopEvil, ".rubocop": "--require ../../plugin.rb --only Naming\n",
			"Gemfile": "File.write('../../executed', '')\n", "Gemfile.lock": "RUBY VERSION\n   ruby 1.8.7\n", "gems.rb": "File.write('../../executed', '')\n",
			".ruby-version": "1.8.7\n", "plugin.rb": "File.write('../../executed', '')\n", "rubocop.rb": "File.write('../../executed', '')\n",
		},
	},
	{
		tool: "shellcheck", ext: ".sh",
		findings: []string{"4:13 SC2045", "4:18 SC2035", "5:5 SC2086"},
		broken:   "line 3: Couldn't parse this double quoted string.",
		version:  "version: 0.9.0", old: "version: 0.4.6",
		config: map[string]string{
			".shellcheckrc": "disable=all\n", "shellcheckrc": "disable=all\n", ".config/shellcheckrc": "disable=all\n",
			"settings.sh": "echo $never_assigned\n",
		},
	},
	{
		tool: "staticcheck", ext: ".go", root: goMod, silent: true,
		findings: []string{"7:13 SA5009", "8:5 S1002", "9:10 ST1005", "14:6 U1000"},
		broken:   "broken/x.go:4:27: undefined: prices",
		version:  "staticcheck 2026.2.2 (0.8.2)", old: "staticcheck 2021.1 (v0.2.0)",
		config: map[string]string{
			"staticcheck.conf": "checks = [\"none\"]\n", ".config/go/env": "GOFLAGS=-mod=nonsense\n", "go.work": "go 1.99\nuse ./nowhere\n",
		},
	},
}

// These would leave a file behind, and switch all off.
const (
	pylintEvil  = "[MASTER]\ninit-hook=open('../../executed', 'w')\nload-plugins=plugin\n[MESSAGES CONTROL]\ndisable=all\n"
	rubocopEvil = "<% File.write('../../executed', '') %>\nrequire: ../../plugin.rb\nAllCops:\n  DisabledByDefault: true\n"
)

func TestEveryToolHasACase(t *testing.T) {
	var cases []string
	for _, c := range toolCases {
		cases = append(cases, c.tool)
	}
	var names []string
	for _, tool := range All() {
		names = append(names, tool.Name)
	}
	if !slices.Equal(cases, names) || !slices.IsSorted(names) {
		t.Errorf("tools %v, cases %v", names, cases)
	}
}

func (c toolCase) get(t *testing.T) Tool {
	t.Helper()
	tool, ok := Lookup(c.tool)
	if !ok {
		t.Fatalf("there is no tool %s", c.tool)
	}
	return tool
}

func (c toolCase) file(t *testing.T, kind, path string) File {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(c.dir(), "testdata", kind+c.ext))
	if err != nil {
		t.Fatal(err)
	}
	return File{Path: path + c.ext, Text: string(b)}
}

// run runs the tool on files, and where it needs a project on one with the files
// and the case's own.
func (c toolCase) run(t *testing.T, a *Analyzer, files []File) Result {
	t.Helper()
	if a.Tool.Project == nil {
		r, err := a.Run(t.Context(), files)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	tree, paths := maps.Clone(c.config), []string(nil)
	maps.Copy(tree, c.root)
	for _, f := range files {
		tree[f.Path] = f.Text
		paths = append(paths, f.Path)
	}
	r, err := a.RunProject(t.Context(), textTree(tree), paths)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// textTree is a project with the texts by their paths.
func textTree(files map[string]string) Tree {
	return func(_ context.Context, add AddFile) error {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := add(name, strings.NewReader(files[name])); err != nil {
				return err
			}
		}
		return nil
	}
}

// private gives the test a temporary directory of its own for boxes, and checks
// in the end that nothing is left in it.
func private(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left in the temporary directory: %v, %v", left, err)
		}
	})
}

// TestTools runs every adapter against the real tool.
func TestTools(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of other programs' work")
	}
	for _, c := range toolCases {
		t.Run(c.tool, func(t *testing.T) {
			tool, options := c.get(t), Options{}
			if dir := os.Getenv(envModules); dir != "" {
				options.NodeModules = []string{dir}
			}
			// What stands where the person is, at home, and above the tool's own
			// directory, is not for the tool.
			dir := t.TempDir()
			executed := filepath.Join(dir, "executed")
			for name, text := range c.config {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
					t.Fatal(err)
				}
				text = strings.ReplaceAll(text, "{executed}", executed)
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, dir)
			names := []string{"-rf", "a b/it's \"so\"\n$(touch x)", "../../up", "-rf"}
			if tool.Project != nil {
				names = []string{"clean/x", "sub/finding/x", "broken/x", "other/x"}
			}
			files := []File{c.file(t, "clean", names[0]), c.file(t, "finding", names[1]), c.file(t, "broken", names[2]), c.file(t, "finding", names[3])}
			caches(t)
			t.Setenv("HOME", dir)
			t.Setenv("TMPDIR", dir)
			t.Chdir(dir)
			a, err := Find(t.Context(), tool, options)
			if err != nil {
				t.Fatal(err)
			}
			if a.State == Missing {
				if os.Getenv("CI") != "" {
					t.Fatal(a.Reason)
				}
				t.Skipf("NOT TESTED AGAINST %s: %s (make deps installs what the tests need)", strings.ToUpper(tool.Name), a.Reason)
			}
			if a.State != Clean {
				t.Fatalf("%s: %s", a.State, a.Reason)
			}
			t.Logf("%s %s at %s", tool.Name, a.Version, a.Path)
			r := c.run(t, a, files)
			for i, want := range []State{Clean, Found, Failed, Found} {
				c.check(t, files[i], want, r.Files[i])
			}
			if r.Tool != c.tool || r.Version != a.Version || r.State != Failed || !strings.Contains(r.Reason, "1 of 4 files, "+files[2].Path) {
				t.Errorf("%s %s: %s: %s", r.Tool, r.Version, r.State, r.Reason)
			}
			alone := []State{Clean, Found, Failed}
			if os.Getenv("CRSCORE_LONG") == "" { // make test-all has the time
				alone = nil
			}
			for i, want := range alone {
				r := c.run(t, a, files[i:i+1])
				if r.State != want {
					t.Errorf("alone, file %d is %s: %s", i, r.State, r.Reason)
				}
				c.check(t, files[i], want, r.Files[0])
			}
			stopped := *a
			stopped.Path, stopped.options.Timeout = c.stopped(t, a.Path), 200*time.Millisecond
			if r := c.run(t, &stopped, files[:1]); r.State != TimedOut || !strings.Contains(r.Reason, "no answer within 200ms") || r.Files[0].State != TimedOut {
				t.Errorf("stopped: %s: %s", r.State, r.Reason)
			}
			if text, ok := programs[c.ext]; ok {
				r, err := a.Run(t.Context(), []File{{Path: "program" + c.ext, Text: strings.ReplaceAll(text, "{executed}", executed)}})
				if err != nil || r.State.worse(Found) {
					t.Errorf("a program: %s: %s, %v", r.State, r.Reason, err)
				}
			}
			if now := tree(t, dir); !slices.Equal(now, before) {
				t.Errorf("the tool has left files: %v, then %v", before, now)
			}
		})
	}
}

// stopped makes a program that is stopped where it would become the tool, as if that hung. A quick
// tool that another process stops may have ended by then.
func (c toolCase) stopped(t *testing.T, tool string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stopped")
	if err := os.WriteFile(path, []byte(fmt.Sprintf("#!/bin/sh\nsh -c 'kill -STOP $$; exec \"$0\" \"$@\"' '%s' \"$@\" &\nwait\n", tool)), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// caches are the person's own, wherever the test puts the home directory:
// otherwise Go would compile its library each time.
func caches(t *testing.T) {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return
	}
	for name, sub := range map[string]string{"GOCACHE": "go-build", "STATICCHECK_CACHE": "staticcheck", "GOLANGCI_LINT_CACHE": "golangci-lint"} {
		if os.Getenv(name) == "" {
			t.Setenv(name, filepath.Join(dir, sub))
		}
	}
}

// tree lists what is in a directory.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func (c toolCase) check(t *testing.T, file File, want State, got FileResult) {
	t.Helper()
	if got.State != want || !strings.Contains(got.Reason, map[State]string{Failed: c.broken}[want]) || (got.Reason != "") != (want == Failed) {
		t.Errorf("%q: %s: %s; want %s", file.Path, got.State, got.Reason, want)
	}
	var found []string
	for _, f := range got.Findings {
		found = append(found, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Rule))
		if f.Tool != c.tool || f.Path != file.Path || f.Message == "" || f.Severity == "" {
			t.Errorf("%q: %+v", file.Path, f)
		}
	}
	if want == Found && !slices.Equal(found, c.findings) || want != Found && len(found) > 0 {
		t.Errorf("%q: found %q", file.Path, found)
	}
}

// fake makes a program that answers when it is asked for the tool's version, and
// otherwise does what a shell script says; the files are its arguments.
func (c toolCase) fake(t *testing.T, version, script string) Options {
	t.Helper()
	tool := c.get(t)
	path := filepath.Join(t.TempDir(), "a program")
	text := fmt.Sprintf("#!/bin/sh\nif [ \"$*\" = '%s' ]; then printf '%%s\\n' '%s'; exit; fi\n%s\n", cmp.Or(strings.Join(tool.Version.Args, " "), "--version"), version, script)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return Options{Paths: map[string]string{c.tool: path}, Timeout: 30 * time.Second, MaxOutput: 8 << 20}
}

// TestToolsGoWrong is about programs that hang, crash or print what the tool does
// not print.
func TestToolsGoWrong(t *testing.T) {
	for _, c := range toolCases {
		whole, err := filepath.Abs(adaptertest.Output(t, c.dir()))
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		half := filepath.Join(t.TempDir(), "half")
		if err := os.WriteFile(half, recorded[:len(recorded)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []struct {
			name, script string
			state        State
			reason       string
		}{
			{"hung", "sleep 300", TimedOut, "no answer within 200ms"},
			{"hung although asked to end", "trap '' TERM INT HUP; while :; do sleep 1; done", TimedOut, "no answer within 200ms"},
			{"crash", "kill -SEGV $$", Failed, "segmentation fault"},
			{"error", "echo Traceback of something >&2; exit 77", Failed, "exit status 77: Traceback of something"},
			{"garbage", `printf '\033[31m\000\377 no such thing\n'`, Failed, "its output cannot be read"},
			{"nothing", "exit 0", Failed, "its output cannot be read"},
			{"half the output", "cat '" + half + "'", Failed, "its output cannot be read"},
			{"output of other files", "cat '" + whole + "'", Failed, "a file that it was not given"},
			{"10 MB of output", "head -c 10000000 /dev/zero", Failed, "more than the limit of 8388608 bytes"},
			{"10 MB of complaints", "head -c 10000000 /dev/zero >&2", Failed, "more than the limit of 8388608 bytes"},
			{"output without end", "exec yes '{'", Failed, "more than the limit of 8388608 bytes"},
		} {
			t.Run(c.tool+"/"+bad.name, func(t *testing.T) {
				options := c.fake(t, c.version, bad.script)
				private(t)
				a, err := Find(t.Context(), c.get(t), options)
				if err != nil || a.State != Clean {
					t.Fatalf("%+v, %v", a, err)
				}
				if bad.state == TimedOut {
					a.options.Timeout = 200 * time.Millisecond
				}
				r := c.run(t, a, []File{c.file(t, "clean", "clean")})
				if c.silent && bad.name == "nothing" {
					if r.State != Clean {
						t.Errorf("%s: %s", r.State, r.Reason)
					}
					return
				}
				if r.State != bad.state || !strings.Contains(r.Reason, bad.reason) || r.Files[0].State != bad.state || r.Files[0].Findings != nil {
					t.Errorf("%s: %s", r.State, r.Reason)
				}
				if strings.ContainsAny(r.Reason, "\x1b\x00\n") || strings.Contains(r.Reason, os.TempDir()) {
					t.Errorf("the reason is not fit to be shown: %q", r.Reason)
				}
			})
		}
	}
}

func TestToolsFound(t *testing.T) {
	for _, c := range toolCases {
		for _, bad := range []struct {
			name   string
			set    func(t *testing.T) Options
			state  State
			reason string
		}{
			{"good", func(t *testing.T) Options { return c.fake(t, c.version, "") }, Clean, ""},
			{"old", func(t *testing.T) Options { return c.fake(t, c.old, "") }, Unsupported, "is not supported"},
			{"nothing", func(t *testing.T) Options { return c.fake(t, "", "") }, Failed, "asked for its version"},
			{"garbage", func(t *testing.T) Options { return c.fake(t, "no such command", "") }, Failed, "no such command"},
			{"not on PATH", func(t *testing.T) Options { t.Setenv("PATH", t.TempDir()); return Options{} }, Missing, "to install it: "},
			{"not where it is said to be", func(t *testing.T) Options {
				return Options{Paths: map[string]string{c.tool: filepath.Join(t.TempDir(), "x")}}
			}, Missing, "no such file"},
			{"in the current directory", func(t *testing.T) Options {
				o := c.fake(t, c.version, "")
				dir := filepath.Dir(o.Paths[c.tool])
				if err := os.Rename(o.Paths[c.tool], filepath.Join(dir, cmp.Or(c.get(t).Program, c.get(t).Name))); err != nil {
					t.Fatal(err)
				}
				t.Chdir(dir)
				t.Setenv("PATH", ".:")
				return Options{}
			}, Missing, "current directory"},
			{"hung", func(t *testing.T) Options {
				o := c.fake(t, c.version, "")
				if err := os.WriteFile(o.Paths[c.tool], []byte("#!/bin/sh\nsleep 300\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				o.Timeout = 100 * time.Millisecond
				return o
			}, TimedOut, "asked for its version: no answer within 100ms"},
		} {
			t.Run(c.tool+"/"+bad.name, func(t *testing.T) {
				options := bad.set(t)
				private(t)
				a, err := Find(t.Context(), c.get(t), options)
				if err != nil {
					t.Fatal(err)
				}
				r := c.run(t, a, nil)
				if r.State != bad.state || !strings.Contains(r.Reason, bad.reason) {
					t.Errorf("%s: %s", r.State, r.Reason)
				}
				if bad.state == Clean {
					return
				}
				r = c.run(t, a, []File{{Path: "x" + c.ext}, {}})
				if r.State != bad.state || r.Files[0].State != bad.state || r.Files[1].Reason != r.Reason {
					t.Errorf("with files: %+v", r)
				}
			})
		}
	}
}

// TestNeighbours: what a tool says of a file does not depend on which others are
// given to it with that one, for those are of other changes.
func TestNeighbours(t *testing.T) {
	for tool, c := range map[string]struct{ file, other, rule string }{
		"pylint.py": {
			"import threading\n\nwith threading.Lock:\n    print(1)\n", "import threading\n\nthreading.Lock = 5\n", "not-context-manager",
		},
		"cppcheck.cpp": {
			"struct Foo { int a; };\nint g(const Foo &x) { return x.a == x.a; }\n", "struct Foo { char *p; };\nint h(const Foo &x) { return *x.p; }\n", "duplicateExpression",
		},
	} {
		t.Run(tool, func(t *testing.T) {
			name, _, _ := strings.Cut(tool, ".")
			adapter, _ := Lookup(name)
			file, other := File{Path: "a." + tool, Text: c.file}, File{Path: "b." + tool, Text: c.other}
			for _, files := range [][]File{{file}, {file, other}, {other, file}} {
				r := run(t, adapter, files, Options{})
				if r.State == Missing && os.Getenv("CI") == "" {
					t.Skip(r.Reason)
				}
				var rules []string
				for i := range r.Files {
					for _, f := range r.Files[i].Findings {
						if f.Rule == c.rule || files[i].Path == other.Path {
							rules = append(rules, f.Rule)
						}
					}
				}
				if !slices.Equal(rules, []string{c.rule}) {
					t.Errorf("%d files: %s %q", len(files), r.Reason, rules)
				}
			}
		})
	}
}
