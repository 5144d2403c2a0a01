package packaging

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// action is action.yml.
type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

type step struct {
	Name, ID, If, Uses, Shell, Run string
	Env                            map[string]string
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(read(t, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

var inputOf = regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)

// ofAction are the expressions about the action itself, which no pull request sets.
var ofAction = []string{"${{ github.server_url }}", "${{ github.action_repository }}", "${{ github.action_ref }}"}

// TestActionIsClosed checks what makes the action safe: scripts are constant, and each
// input is an environment variable.
func TestActionIsClosed(t *testing.T) {
	a := readAction(t)
	used := map[string]bool{}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") || s.Uses != "" || s.Shell != "bash" {
			t.Errorf("step %q has an expression in its script, another shell than bash, or uses an action", s.Name)
		}
		for name, value := range s.Env {
			m := inputOf.FindStringSubmatch(value)
			if slices.Contains(ofAction, value) {
				continue
			}
			if m == nil {
				t.Errorf("step %q: %s is %q, which is not an input", s.Name, name, value)
				continue
			}
			used[m[1]] = true
			if _, ok := a.Inputs[m[1]]; !ok {
				t.Errorf("step %q: %s is of no input", s.Name, name)
			}
			if !regexp.MustCompile(`\$\{?` + name + `\b`).MatchString(s.Run) {
				t.Errorf("step %q does not use %s", s.Name, name)
			}
		}
	}
	for name := range a.Inputs {
		if !used[name] {
			t.Errorf("the input %s is not used", name)
		}
	}
	for name, out := range a.Outputs {
		if want := "${{ steps.gate.outputs." + name + " }}"; out.Value != want {
			t.Errorf("the output %s is %q, want %q", name, out.Value, want)
		}
	}
}

// TestActionShell lints the scripts of the action.
func TestActionShell(t *testing.T) {
	need(t, "shellcheck")
	for _, s := range readAction(t).Runs.Steps {
		cmd := exec.Command("shellcheck", "--enable=quote-safe-variables", "-")
		cmd.Stdin = strings.NewReader("#!/bin/bash -e\n" + s.Run)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("step %q: %v\n%s", s.Name, err, out)
		}
	}
}

// ran is the result of a step for the runner.
type ran struct {
	code                     int
	log, orders, summary, in string
	outputs                  map[string]string
}

// judge runs the judging step of the action, as a runner does.
func judge(t *testing.T, dir string, inputs map[string]string) ran {
	t.Helper()
	a, tmp := readAction(t), t.TempDir()
	var s step
	for _, s = range a.Runs.Steps {
		if s.ID == "gate" {
			break
		}
	}
	env := append(append(os.Environ(), gitEnv...), "RUNNER_TEMP="+tmp,
		"GITHUB_OUTPUT="+filepath.Join(tmp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(tmp, "summary"))
	for name, value := range s.Env {
		input := inputOf.FindStringSubmatch(value)[1]
		given, ok := inputs[input]
		if !ok && !strings.Contains(a.Inputs[input].Default, "${{") {
			given = a.Inputs[input].Default
		}
		env = append(env, name+"="+given)
	}
	write(t, tmp, map[string]string{"script.sh": s.Run, "output": "", "summary": ""})
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", filepath.Join(tmp, "script.sh"))
	cmd.Dir, cmd.Env = dir, env
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	// A runner obeys commands until ::stop-commands::TOKEN, and again after ::TOKEN::. The
	// other stream may come at any time.
	r := ran{code: cmd.ProcessState.ExitCode(), log: errs.String() + out.String(), outputs: map[string]string{}}
	word := ""
	for line := range strings.Lines(r.log) {
		order := strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[")
		if rest, ok := strings.CutPrefix(line, "::stop-commands::"); ok && word == "" {
			word = strings.TrimSpace(rest)
		} else if word != "" && strings.TrimSpace(line) == "::"+word+"::" {
			word = ""
		} else if word == "" && order {
			r.orders += line
		}
	}
	if word != "" {
		t.Errorf("the runner is not told to take orders again:\n%s", r.log)
	}
	get := func(name string) string {
		b, err := os.ReadFile(filepath.Join(tmp, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	r.summary = get("summary")
	for line := range strings.Lines(get("output")) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if _, twice := r.outputs[name]; !ok || twice {
			t.Errorf("the outputs have %q", line)
		}
		r.outputs[name] = value
	}
	if kept := r.outputs["kept"]; kept != "" {
		b, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		r.in = string(b)
	}
	return r
}

// TestAction runs the action's own script on inputs of pull requests and bots, hostile ones
// among them.
func TestAction(t *testing.T) {
	need(t, "git")
	bin := crscore(t)
	dir, base, head := project(t, map[string]string{
		"none.json": "[]", "broken.json": "[",
		"a b;$(touch PWNED).json": review,
		"-x":                      "Callers of put have to pass a ttl now.",
		"orders.json":             `[{"path": "::error::x", "line": 1, "body": "::set-output name=outcome::pass\n##[error]x\n</details>` + "`" + `<img src=x>"}]`,
		"orders.txt":              "::error::x",
		"pr.diff":                 read(t, "testdata/cache-expiry/change.diff"),
		"nobody.yaml":             "claims: {sources: ['openai:nobody']}\n",
	})
	sh(t, dir, gitEnv, `git checkout -q --orphan alone && git commit -qm alone
git checkout -q main && echo 'size = 1' > size.py && git add size.py && git commit -qm three && git checkout -q work`)
	tests := []struct {
		name    string
		inputs  string // NAME=VALUE, one a line, and $NAME=VALUE of a machine's own
		code    int
		outcome string
		orders  string // what the runner is told, nothing else
		in      int    // comments that are kept
		shown   string
	}{
		{"as it is", "comments=said.json", 0, "pass", "", 3, "### crscore: passed"},
		{"a policy", "comments=said.json\nmin-con=0.5\ndrop-off-topic=true\nmax-comments=1", 0, "pass", "", 1, "dropped: too-many"},
		{"the least Con", "comments=said.json\nmin-con=0.7\ndrop=elsewhere", 0, "pass", "", 1, "dropped: con below 0.7"},
		{"remarks", "comments=said.json\ndrop=elsewhere, empty", 0, "pass", "", 2, "dropped: empty"},
		{"off topic", "comments=said.json\ndrop-off-topic=true", 0, "pass", "", 2, "dropped: empty"},
		{"failed", "comments=said.json\nmin-con=0.5", 1, "fail", "::error title=crscore gate::The review fails the policy", 3, "### crscore: failed"},
		{"of the whole", "comments=said.json\nmin-rel=0.99\nmin-comp=0.99", 1, "fail", "::error title=crscore gate::The review fails", 3, "### crscore: failed"},
		{"a diff", "comments=said.json\ndiff=pr.diff\nbase=\nhead=", 0, "pass", "", 3, "### crscore: passed"},
		{"undecided", "comments=said.json\n$CRSCORE_CONFIG=nobody.yaml\nmin-con=0.5", 3, "undecided", "::error title=crscore gate::Nothing could be decided", 3, "### crscore: "},
		{"undecided is neutral", "comments=said.json\n$CRSCORE_CONFIG=nobody.yaml\nmin-con=0.5\non-undecided=neutral", 0, "undecided", "::warning title=crscore gate::Nothing could be decided", 3, "### crscore: "},
		{"a failure is not neutral", "comments=said.json\nmin-con=0.5\non-undecided=neutral", 1, "fail", "::error title=crscore gate::The review", 3, ""},
		{"settings", "comments=said.json\nconfig=nobody.yaml\nmin-con=0.5", 3, "undecided", "::error title=crscore gate::Nothing could be decided", 3, "Warning: the settings of nobody.yaml shaped this result"},
		{"settings like a flag", "comments=said.json\nconfig=--no-config", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"nothing said", "comments=none.json", 0, "pass", "", 0, "### crscore: passed"},
		{"nothing said fails", "comments=none.json\nempty=fail", 1, "fail", "::error title=crscore gate::The review", 0, ""},
		{"a name like a script", "comments=a b;$(touch PWNED).json", 0, "pass", "", 3, ""},
		{"a name like a flag", "comments=-x\ncomments-format=text", 0, "pass", "", 0, ""},
		{"values like scripts", "comments=said.json\nmin-con=$(touch PWNED)\nmax-comments=`touch PWNED`\ndrop=$(touch PWNED)", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"a base like a flag", "comments=said.json\nbase=--independent", 2, "error", "::error title=crscore gate::The checkout lacks", 0, ""},
		{"a base with orders", "comments=said.json\nbase=::error::x ##[error]x", 2, "error", "::error title=crscore gate::The checkout lacks", 0, ""},
		{"no history", "comments=said.json\nbase=alone", 2, "error", "::error title=crscore gate::The checkout lacks", 0, ""},
		{"no pull request", "comments=said.json\nbase=\nhead=", 2, "error", "::error title=crscore gate::This is not a pull request", 0, ""},
		{"comments with orders", "comments=orders.json", 0, "pass", "", 1, "&lt;/details>"},
		{"a diff with orders", "comments=said.json\ndiff=orders.txt", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"a file with orders for a name", "comments=::error::##[error]x", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"no such file", "comments=gone.json", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"broken", "comments=broken.json", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"no such command", "comments=said.json\ncrscore=./gone", 2, "error", "::error title=crscore gate::The command, the comments", 0, ""},
		{"no such choice", "comments=said.json\non-undecided=pass", 2, "error", "::error title=crscore gate::on-undecided is", 0, ""},
	}
	// What asks this has no answer.
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inputs := map[string]string{"crscore": bin, "base": base, "head": head}
			for _, line := range strings.Split(test.inputs, "\n") {
				name, value, _ := strings.Cut(line, "=")
				if own, ok := strings.CutPrefix(name, "$"); ok {
					t.Setenv(own, value)
				}
				inputs[name] = value
			}
			r := judge(t, dir, inputs)
			exit := map[string]string{"pass": "0", "fail": "1", "undecided": "3", "error": "2"}[test.outcome]
			if r.code != test.code || r.outputs["outcome"] != test.outcome || r.outputs["exit-code"] != exit {
				t.Errorf("exit code %d, outputs %q, want %d and %s", r.code, r.outputs, test.code, test.outcome)
			}
			if !strings.HasPrefix(r.orders, test.orders) || (test.orders == "") != (r.orders == "") || strings.Count(r.orders, "\n") > 1 {
				t.Errorf("the runner is told %q, want %q", r.orders, test.orders)
			}
			if n := strings.Count(r.in, `"path"`); n != test.in || strings.Contains(r.in, `"crscore"`) || (r.outputs["kept"] == "") != (test.outcome == "error") {
				t.Errorf("%d comments are kept in %q, want %d", n, r.outputs["kept"], test.in)
			}
			if !strings.Contains(r.summary, test.shown) || (r.summary == "") != (test.outcome == "error") {
				t.Errorf("the summary is %q, want %q", r.summary, test.shown)
			}
			if t.Failed() {
				t.Log(r.log)
			}
		})
	}
	// The change is what the pull request brings, not what its base has since.
	now := judge(t, dir, map[string]string{"crscore": bin, "comments": "said.json", "base": "main", "head": head})
	if then := judge(t, dir, map[string]string{"crscore": bin, "comments": "said.json", "base": base, "head": head}); now.summary != then.summary {
		t.Errorf("a base that has moved on makes another summary:\n%s%s", now.summary, then.summary)
	}
	if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
		t.Error("an input was run")
	}
	// A pull request that switches all rules off has no say, with a diff neither.
	sh(t, dir, gitEnv, `git checkout -qb silent work && echo '{claims: {rules: {all: off}}, smells: {rules: {all: off}}}' > .crscore.yaml
git add .crscore.yaml && git commit -qm silent`)
	for _, inputs := range []map[string]string{{"base": base, "head": "silent"}, {"diff": "pr.diff"}} {
		inputs["crscore"], inputs["comments"], inputs["drop-off-topic"] = bin, "said.json", "true"
		if r := judge(t, dir, inputs); r.outputs["outcome"] != "pass" || !strings.Contains(r.log, ".crscore.yaml of the work tree is not read") {
			t.Errorf("%v: %q\n%s%s", inputs, r.outputs, r.summary, r.log)
		}
	}
}

// TestActionInstall runs the step that installs the command, beside a server with releases
// and without.
func TestActionInstall(t *testing.T) {
	need(t, "git", "curl", "unzip")
	action, packed := source(t, "action.yml", "install.sh"), release(t, "#!/bin/sh\necho released ARCHIVE\n")
	tag := "v" + version(t)
	sh(t, action, append(gitEnv, "TAG="+tag), `git commit --allow-empty -qm two && git tag -f "$TAG"`)
	commit := strings.TrimSpace(sh(t, action, gitEnv, "git rev-parse HEAD"))
	var asked []string
	var releases string
	server := httptest.NewTLSServer(releaseHandler(t, &releases, &asked))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	damaged := func(script string) string {
		dir := t.TempDir()
		sh(t, dir, []string{"GOOD=" + packed}, `cp "$GOOD"/* . && `+script)
		return dir
	}
	const here, repository, refused = "", "a/crscore", "::error title=crscore gate::The release "
	for _, c := range []struct {
		name, uname, install, repository, ref, releases string
		code                                            int
		says, runs                                      string // what the log and the command say
	}{
		{"the tag of the version", here, "auto", repository, tag, packed, 0, "its checksum is right", "released crscore_"},
		{"the commit of the tag", here, "auto", repository, commit, packed, 0, "its checksum is right", "released crscore_"},
		{"Linux on arm64", "Linux aarch64", "auto", repository, tag, packed, 0, "its checksum is right", "released crscore_0.1.0_linux_arm64.tar.gz"},
		{"macOS", "Darwin arm64", "auto", repository, tag, packed, 0, "its checksum is right", "released crscore_0.1.0_darwin_arm64.tar.gz"},
		{"macOS on Intel", "Darwin x86_64", "auto", repository, commit, packed, 0, "its checksum is right", "released crscore_0.1.0_darwin_amd64.tar.gz"},
		{"Windows", "MINGW64_NT-10.0-26100 x86_64", "auto", repository, tag, packed, 0, "its checksum is right", "released crscore_0.1.0_windows_amd64.zip"},
		{"another system", "SunOS i86pc", "auto", repository, tag, packed, 0, "building crscore", "uid"},
		{"another commit", here, "auto", repository, strings.Repeat("0", 40), packed, 0, "building crscore", "uid"},
		{"a branch", here, "auto", repository, "main", packed, 0, "building crscore", "uid"},
		{"a reference with orders", here, "auto", repository, "-x$(touch PWNED)", packed, 0, "building crscore", "uid"},
		{"an action of the repository itself", here, "auto", "", "", packed, 0, "building crscore", "uid"},
		{"no release", here, "auto", repository, tag, t.TempDir(), 0, "building crscore", "uid"},
		{"no release for this system", "Darwin arm64", "auto", repository, tag, damaged("rm *darwin*"), 0, "building crscore", "uid"},
		{"build", here, "build", repository, tag, packed, 0, "building crscore", "uid"},
		{"a wrong checksum", here, "auto", repository, tag, damaged("for a in *.tar.gz; do echo x >> $a; done"), 2, refused, ""},
		{"a wrong checksum on Windows", "MINGW64_NT-10.0 x86_64", "auto", repository, tag, damaged("echo x >> *.zip"), 2, refused, ""},
		{"no checksum", here, "auto", repository, tag, damaged("sed -i /tar.gz/d checksums.txt"), 2, refused, ""},
		{"no such choice", here, "never", repository, tag, packed, 2, "::error title=crscore gate::install is", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, releases = nil, c.releases
			tmp, path := t.TempDir(), os.Getenv("PATH")
			if c.uname != here {
				path = machine(t, c.uname, "") + ":" + path
			}
			write(t, tmp, map[string]string{"script.sh": readAction(t).Runs.Steps[0].Run})
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", filepath.Join(tmp, "script.sh"))
			cmd.Dir = tmp
			cmd.Env = append(append(os.Environ(), gitEnv...), "PATH="+path, "RUNNER_TEMP="+tmp, "GITHUB_ACTION_PATH="+action, "CURL_CA_BUNDLE="+ca,
				"INSTALL="+c.install, "SERVER="+server.URL, "REPOSITORY="+c.repository, "REF="+c.ref,
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://"+action+".insteadOf", "GIT_CONFIG_VALUE_0="+server.URL+"/a/crscore")
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.says) {
				t.Fatalf("exit code %d, want %d with %q: %v\n%s", code, c.code, c.says, err, out)
			}
			bin := filepath.Join(tmp, "crscore", "crscore")
			if strings.HasPrefix(c.uname, "MINGW") {
				bin += ".exe" // which Windows' shell finds by the short name
			}
			ran, _ := exec.Command(bin).CombinedOutput()
			if c.runs == "" && len(ran) > 0 || !strings.HasPrefix(string(ran), c.runs) {
				t.Errorf("the command says %q, want %q\n%s", ran, c.runs, out)
			}
			if c.install == "build" && len(asked) > 0 {
				t.Errorf("the server was asked for %v", asked)
			}
			if _, err := os.Stat(filepath.Join(tmp, "PWNED")); err == nil {
				t.Error("the reference was run")
			}
		})
	}
}

// TestActionLimits: a runner refuses a summary of more than 1 MiB.
func TestActionLimits(t *testing.T) {
	need(t, "git")
	bin := crscore(t)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "%d %s\n\n", i, strings.Repeat("$", 1000))
	}
	dir, base, head := project(t, map[string]string{"long.md": b.String()})
	r := judge(t, dir, map[string]string{"crscore": bin, "base": base, "head": head, "comments": "long.md", "comments-format": "paragraphs"})
	if n := len(r.summary); r.code != 0 || n < 500_000 || n > 1<<20 || !strings.HasSuffix(r.summary, "\n") {
		t.Errorf("exit code %d, a summary of %d bytes\n%s", r.code, n, r.log)
	}
}

// TestActionExample runs the workflow of docs/ci.md with act.
func TestActionExample(t *testing.T) {
	need(t, "git", "jq", "act", "actionlint", "shellcheck")
	bin, workflow := crscore(t), example(t, "yaml", "actions/checkout")
	dir, base, head := project(t, map[string]string{".github/workflows/review.yml": workflow})
	posted, home := filepath.Join(t.TempDir(), "posted.json"), t.TempDir()
	// gh prints how it is called, and what it would send.
	write(t, home, map[string]string{"bin/gh": `#!/bin/sh
[ -n "$GH_TOKEN" ] || exit 8
{ echo "$1 $2 $3 $4 $7"; cat "$6"; } > "$POSTED"
`})
	write(t, home, map[string]string{"event.json": fmt.Sprintf(
		`{"pull_request": {"number": 1, "base": {"sha": %q}, "head": {"sha": %q}}}`, base, head)})

	// The linter knows the inputs of an action that is in the repository itself.
	write(t, dir, map[string]string{"action.yml": read(t, "action.yml"), ".github/workflows/here.yml": strings.Replace(workflow, "example/crscore@v0.1.0", "./", 1)})
	sh(t, dir, nil, "actionlint .github/workflows/*.yml")
	sh(t, dir, nil, "rm action.yml .github/workflows/here.yml && git remote add origin https://git.example.org/a/b.git")

	log := sh(t, dir, append(gitEnv, "HOME="+home, "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "SOURCE="+source(t, "action.yml", "install.sh"), "REAL="+bin, "POSTED="+posted,
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE")), `
act pull_request --eventpath "$HOME/event.json" --platform ubuntu-latest=-self-hosted --no-cache-server --strict \
	--local-repository "example/crscore@v0.1.0=$SOURCE" \
	--secret GITHUB_TOKEN=none --env GITHUB_REPOSITORY=a/b --env CRSCORE_REAL="$REAL" --env POSTED="$POSTED" --env GOCACHE="$GOCACHE" --env GOMODCACHE="$GOMODCACHE" 2>&1`)
	b, err := os.ReadFile(posted)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	first, rest, _ := strings.Cut(string(b), "\n")
	if first != "api --method POST repos/a/b/pulls/1/reviews --silent" || strings.Count(rest, `"path"`) != 3 || !strings.Contains(log, "### crscore: passed") {
		t.Errorf("the bot posts\n%s\n%s", b, log)
	}
}

// goEnv is a setting of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
