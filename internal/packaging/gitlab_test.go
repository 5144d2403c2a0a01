package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitLabExample runs the job of docs/ci.md with gitlab-ci-local, which checks it against
// GitLab's schema first.
func TestGitLabExample(t *testing.T) {
	need(t, "git", "gitlab-ci-local", "rsync")
	bin := crscore(t)
	dir, base, head := project(t, map[string]string{".gitlab-ci.yml": example(t, "yaml", "CI_PIPELINE_SOURCE")})
	sh(t, dir, nil, "git remote add origin git@gitlab.example.org:a/b.git")
	job := func(env ...string) (string, error) {
		cmd := exec.Command("gitlab-ci-local", "--force-shell-executor", "--shell-isolation", "--variable", "CI_PIPELINE_SOURCE=merge_request_event",
			"--variable", "CI_MERGE_REQUEST_DIFF_BASE_SHA="+base, "--variable", "CI_COMMIT_SHA="+head)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), gitEnv...), "HOME="+t.TempDir(), "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"))
		cmd.Env = append(cmd.Env, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	out, err := job()
	if err != nil || !strings.Contains(out, "json schema validated") {
		t.Fatalf("%v\n%s", err, out)
	}
	var report []struct {
		Description, Fingerprint, Severity string
		Location                           struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, ".gitlab-ci-local/builds/crscore/gl-code-quality-report.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal(b, &report); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if len(report) != 3 || report[0].Location.Path != "cache.py" || report[0].Location.Lines.Begin != 16 || report[0].Fingerprint == report[1].Fingerprint || report[0].Severity == "" {
		t.Errorf("the report is\n%s", b)
	}

	// An undecided job is a warning.
	nobody := filepath.Join(t.TempDir(), "nobody.yaml")
	write(t, filepath.Dir(nobody), map[string]string{"nobody.yaml": "claims: {sources: ['openai:nobody']}\n"})
	out, err = job("CRSCORE_CONFIG="+nobody, "OPENAI_BASE_URL=http://127.0.0.1:9/v1")
	if err != nil || !strings.Contains(out, "WARN  crscore") {
		t.Errorf("%v\n%s", err, out)
	}
}
