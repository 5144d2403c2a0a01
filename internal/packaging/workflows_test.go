package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestWorkflows has actionlint read the workflows of the repository, and broken ones.
func TestWorkflows(t *testing.T) {
	need(t, "actionlint", "shellcheck")
	lint := func(text string) (string, error) {
		cmd := exec.Command("actionlint", "-")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for name, broken := range map[string][2]string{
		"release.yaml":   {"needs: build", "needs: builds"},
		"platforms.yaml": {"macos-15-intel", "macos-15-ppc"},
	} {
		text := read(t, ".github/workflows/"+name)
		if out, err := lint(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if out, err := lint(strings.Replace(text, broken[0], broken[1], 1)); err == nil {
			t.Errorf("%s: %q was accepted:\n%s", name, broken[1], out)
		}
	}
}

// TestReleaseWorkflow runs the script that joins the files of the machines.
func TestReleaseWorkflow(t *testing.T) {
	need(t, "sha256sum", "minisign")
	var w struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Permissions map[string]string
			Steps       []step
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/release.yaml")), &w); err != nil {
		t.Fatal(err)
	}
	script := ""
	for name, job := range w.Jobs {
		if write := job.Permissions["contents"] == "write"; write != (name == "draft") || w.Permissions["contents"] != "read" || len(w.Permissions) != 1 {
			t.Errorf("the job %s has %v", name, job.Permissions)
		}
		for _, s := range job.Steps {
			if strings.Contains(s.Run, "${{") {
				t.Errorf("a script of %s has an expression", name)
			}
			if s.Name == "Join the files" {
				script = s.Run
			}
		}
	}
	if script == "" {
		t.Fatal("no step joins the files")
	}
	// keys makes a pair of keys and puts the public one into install.sh.
	const keys = `minisign -G -W -p public -s secret > /dev/null && sed -i "s|^key=.*|key=\${CRSCORE_KEY-$(tail -n 1 public)}|" install.sh`
	const other = `minisign -G -W -f -p other -s secret > /dev/null`
	for _, c := range []struct{ name, before, says string }{
		{"all", ":", ""},
		{"a signed release", keys, ""},
		{"a key without its secret", keys + " && rm secret", "secret key"},
		{"the secret of another key", keys + " && " + other, "key id"},
		{"a secret without its key", other, "public key"},
		{"a Mac's archive is missing", "rm files/*darwin_arm64*", "No such file"},
		{"a file has changed", "echo x >> files/crscore_*_windows_amd64.zip", "FAILED"},
		{"a file that is not listed", "touch files/crscore_1.cdx.json", "> crscore_1.cdx.json"},
		{"a machine's checksums are missing", "rm files/checksums-macos-15.txt", "> crscore_"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{
				"script":     script,
				"install.sh": regexp.MustCompile(`(?m)^key=.*$`).ReplaceAllLiteralString(read(t, "install.sh"), "key=${CRSCORE_KEY-}"),
				"bin/gh":     "#!/bin/sh\necho \"$@\" > ../said\n",
			})
			sh(t, dir, []string{"RELEASE=" + release(t, program)}, `cp -r "$RELEASE" files && cd files
grep -v darwin checksums.txt > checksums-ubuntu-24.04.txt && grep darwin checksums.txt > checksums-macos-15.txt && rm checksums.txt
cd .. && `+c.before)
			secret, _ := os.ReadFile(filepath.Join(dir, "secret"))
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "script")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TAG=v"+version(t), "MINISIGN_KEY="+string(secret), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			said, _ := os.ReadFile(filepath.Join(dir, "said"))
			if (err == nil) != (c.says == "") || !strings.Contains(string(out), c.says) || (len(said) > 0) != (err == nil) {
				t.Fatalf("%v, want %q; gh is called with %q\n%s", err, c.says, said, out)
			}
			sums := "checksums.txt "
			if c.before == keys {
				sums += "checksums.txt.minisig "
			}
			if v := version(t); err == nil && !strings.HasSuffix(string(said), " -- "+sums+"crscore_"+v+"_darwin_amd64.tar.gz crscore_"+v+"_darwin_arm64.tar.gz crscore_"+
				v+"_linux_amd64.tar.gz crscore_"+v+"_linux_arm64.tar.gz crscore_"+v+"_windows_amd64.zip install.sh\n") {
				t.Errorf("gh is called with %s", said)
			}
		})
	}
}
