package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPreCommitExample installs the hook of docs/ci.md and runs its commands.
func TestPreCommitExample(t *testing.T) {
	need(t, "git", "pre-commit")
	sh(t, root, nil, "pre-commit validate-manifest .pre-commit-hooks.yaml")
	bin, config := crscore(t), example(t, "yaml", "repos:")
	dir, _, _ := project(t, map[string]string{".pre-commit-config.yaml": config})
	// The URL of the example leads to a local repository.
	home := t.TempDir()
	write(t, home, map[string]string{".gitconfig": "[url \"file://" + source(t, ".pre-commit-hooks.yaml") + "\"]\n\tinsteadOf = https://git.example.org/crscore\n"})
	env := append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "PRE_COMMIT_HOME="+filepath.Join(home, "hooks"), "CRSCORE_REAL="+bin,
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	hook := func(prepare string) (string, error) {
		cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+prepare+"\n"+example(t, "sh", "pre-commit run"))
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	// Only the staged change is judged.
	out, err := hook(`
git show HEAD:cache.py > cache.py.new && git checkout -q main && mv cache.py.new cache.py
git add cache.py && sed -i s/class/klass/ cache.py`)
	if err == nil || !strings.Contains(out, "Gate failed: 3 of 3 comments kept") || strings.Contains(out, "klass") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = hook("sed -i /squash/d said.json")
	if err != nil || !strings.Contains(out, "Gate passed: 2 of 2 comments kept") {
		t.Errorf("%v\n%s", err, out)
	}
}
