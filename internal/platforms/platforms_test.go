package platforms

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// platform runs a released binary.
type platform struct {
	name   string
	binary string   // pattern of the file below dist
	run    []string // what runs the binary, nothing where the machine does
	env    []string
	home   string // the folder that its variables name, the user's own where empty
}

// reference is where all other tests run.
var reference = platform{name: "linux-amd64", binary: "linux-amd64_linux_amd64*/crscore"}

// emulated are the platforms that the reference is compared with.
func emulated() []platform {
	return []platform{
		{name: "linux-arm64", binary: "linux-arm64_linux_arm64*/crscore",
			run: []string{"qemu-aarch64", "-cpu", "cortex-a53"}}, // of the first level of arm64
		{name: "windows-amd64", binary: "windows-amd64_windows_amd64*/crscore.exe",
			run: []string{"/usr/lib/wine/wine64"},
			env: []string{"WINEPREFIX=" + os.Getenv("CRSCORE_WINE"), "WINEDEBUG=-all", "LC_ALL=C.UTF-8"}},
	}
}

// windows tells Windows from Linux.
func (p platform) windows() bool { return strings.HasPrefix(p.name, "windows") }

// command is the released command with arguments, in a folder.
func (p platform) command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	dist := os.Getenv("CRSCORE_DIST")
	if dist == "" {
		t.Skip("make platforms runs this with the released binaries")
	}
	found, err := filepath.Glob(filepath.Join(dist, p.binary))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files are %s: make release-builds makes one", len(found), p.binary)
	}
	all := slices.Concat(p.run, found, args)
	env := slices.Concat(os.Environ(), p.env)
	switch {
	case p.home == "":
	case p.windows():
		// Wine sets these variables itself, for the shell too.
		all = append(p.run[:1:1], "cmd", "/c", "set APPDATA=Z:"+p.home+"&& set LOCALAPPDATA=Z:"+p.home+"&& Z:"+strings.Join(all[1:], " "))
	default:
		env = append(env, "HOME="+p.home, "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=")
	}
	cmd := exec.CommandContext(t.Context(), all[0], all[1:]...)
	cmd.Dir, cmd.Env = dir, env
	return cmd
}

// result is the output of a command, and its exit code.
type result struct {
	out, log string
	code     int
}

// finish runs a command to its end.
func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), log.String(), cmd.ProcessState.ExitCode()}
}

// must runs a command that ends with exit code 0, and returns its output.
func (p platform) must(t *testing.T, dir string, args ...string) string {
	t.Helper()
	r := finish(t, p.command(t, dir, args...))
	if r.code != 0 {
		t.Fatalf("%s: crscore %q: exit code %d: %s", p.name, args, r.code, r.log)
	}
	return r.out
}

// folder is a copy of files of testdata in a folder whose name has spaces and umlauts.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Prüfung der Änderung")
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("../../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(name)), text)
	}
	return dir
}

// write makes a file and its folder.
func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
