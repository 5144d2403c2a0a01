package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPreCommitExample installs the hooks of docs/ci.md and runs its commands: the hook with
// the released command, and the hook that pre-commit builds.
func TestPreCommitExample(t *testing.T) {
	need(t, "git", "pre-commit", "shellcheck")
	sh(t, root, nil, `pre-commit validate-manifest .pre-commit-hooks.yaml
shellcheck --enable=quote-safe-variables .pre-commit-gate.sh
[ "$(git ls-files --stage .pre-commit-gate.sh | cut -c -6)" = 100755 ]`)
	bin, config := crscore(t), example(t, "yaml", "repos:")
	repository := source(t, ".pre-commit-hooks.yaml", ".pre-commit-gate.sh", "install.sh")
	var asked []string
	// The release is a command that says so, and is crscore.
	releases := release(t, "#!/bin/sh\n[ \"$1\" = version ] || echo released >&2\nexec \"$CRSCORE_REAL\" \"$@\"\n")
	server := serve(t, &releases, &asked)
	for _, id := range []string{"crscore-gate", "crscore-gate-go"} {
		t.Run(id, func(t *testing.T) {
			dir, _, _ := project(t, map[string]string{".pre-commit-config.yaml": strings.Replace(config, "id: crscore-gate", "id: "+id, 1)})
			// The URL of the example leads to a local repository.
			home := t.TempDir()
			address := strings.Fields(config[strings.Index(config, "repo:"):])[1]
			write(t, home, map[string]string{".gitconfig": "[url \"file://" + repository + "\"]\n\tinsteadOf = " + address + "\n\tinsteadOf = " + server.URL + "/a/crscore\n"})
			env := append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "PRE_COMMIT_HOME="+filepath.Join(home, "hooks"), "CRSCORE_REAL="+bin,
				"CRSCORE_URL="+server.URL+"/a/crscore", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
			hook := func(prepare string) (string, error) {
				cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+prepare+"\n"+strings.Replace(example(t, "sh", "pre-commit run"), "crscore-gate", id, 1))
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			released := id == "crscore-gate"

			asked = nil
			// Only the staged change is judged.
			out, err := hook(`
git show HEAD:cache.py > cache.py.new && git checkout -q main && mv cache.py.new cache.py
git add cache.py && sed -i s/class/klass/ cache.py`)
			if err == nil || !strings.Contains(out, "Gate failed: 3 of 3 comments kept") || strings.Contains(out, "klass") ||
				strings.Contains(out, "released\n") != released || strings.Contains(out, "is installed, and its checksum is right") != released {
				t.Errorf("%v\n%s", err, out)
			}
			if n := len(asked); released && n != 2 || !released && n > 0 {
				t.Errorf("the server is asked for %v", asked)
			}
			asked = nil
			// The second run asks nobody.
			out, err = hook("sed -i /squash/d said.json")
			if err != nil || !strings.Contains(out, "Gate passed: 2 of 2 comments kept") || len(asked) > 0 {
				t.Errorf("%v, asked for %v\n%s", err, asked, out)
			}
			if !released {
				return
			}

			// A release of another commit is not taken. A hook of git names another repository.
			sh(t, repository, gitEnv, "git commit -q --allow-empty -m two && git tag after && git tag -f v0.1.0 HEAD~1")
			out, err = hook("sed -i 's/rev: .*/rev: after/' .pre-commit-config.yaml && git add .pre-commit-config.yaml")
			if err == nil || !strings.Contains(out, "is not of the commit") || !strings.Contains(out, "crscore-gate-go builds") || strings.Contains(out, "Gate") {
				t.Errorf("%v\n%s", err, out)
			}
			sh(t, repository, gitEnv, "git tag -f v0.1.0")
			out, err = hook("export GIT_DIR=$PWD/.git GIT_INDEX_FILE=$PWD/.git/index")
			if err != nil || !strings.Contains(out, "is installed, and") || !strings.Contains(out, "Gate passed") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	// On Windows, where there is no /bin/sh, pre-commit looks for the program that the first
	// line names.
	if first, _, _ := strings.Cut(read(t, ".pre-commit-gate.sh"), "\n"); first != "#!/usr/bin/env sh" {
		t.Errorf("the hook begins with %q", first)
	}
}
