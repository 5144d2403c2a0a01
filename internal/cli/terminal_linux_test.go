package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestTerminal runs the command with standard error on a terminal: the progress bar is
// shown there, and gone in the end; --quiet, --log-format json and results on the same
// terminal leave it out.
func TestTerminal(t *testing.T) {
	one, err := os.ReadFile("testdata/labelled.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data.jsonl")
	copies := 300
	if testing.Short() {
		copies = 200
	}
	lines := append(bytes.Repeat(one, copies), "{malformed\n"...)
	if err := os.WriteFile(data, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	bar := regexp.MustCompile(`scoring [0-9]+ changes, [0-9]+/s, [0-9]+s left +[0-9]+% \|`)
	for _, tt := range []struct {
		name    string
		args    []string
		results bool // on the terminal, too
		want    *regexp.Regexp
		bar     bool
	}{
		{"bar", []string{"--data", data}, false, regexp.MustCompile(`means: con`), true},
		{"pipe", []string{"--data", "-"}, false, regexp.MustCompile(`scoring [0-9]+ changes, [0-9]+/s`), false},
		{"run directory", []string{"--data", data, "--out", filepath.Join(dir, "run")}, true, bar, true},
		{"results there", []string{"--data", data}, true, regexp.MustCompile(`"con":`), false},
		{"quiet", []string{"--data", data, "--quiet"}, false, regexp.MustCompile(`^crscore: [^\n]*line 601: not JSON[^\n]*\ncrscore: incomplete: malformed lines: 1\n$`), false},
		{"json", []string{"--data", data, "--log-format", "json"}, false, regexp.MustCompile(`^({"time":"[^\n]*}\n)+$`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && tt.name != "run directory" {
				t.Skip("each scores a dataset")
			}
			screen, tty := openTerminal(t)
			cmd := exec.Command(os.Args[0], append([]string{"score", "--workers", "1"}, tt.args...)...)
			cmd.Args[0] = "crscore"
			cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=xterm", "LC_ALL=C.UTF-8")
			cmd.Stderr = tty
			cmd.Stdin = bytes.NewReader(lines)
			if tt.results {
				cmd.Stdout = tty
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			tty.Close()
			shown, _ := io.ReadAll(screen) // an error is the end of a terminal
			_ = cmd.Wait()
			text := strings.ReplaceAll(string(shown), "\r\n", "\n")
			if code := cmd.ProcessState.ExitCode(); code != exitIncomplete || !tt.want.MatchString(text) || bar.MatchString(text) != tt.bar {
				t.Errorf("exit code %d, want a bar: %v, want %s, and there is %.3000q", code, tt.bar, tt.want, text)
			}
			table := regexp.MustCompile(`(?s)System +scored.*Short signature: [0-9a-f]{12}\n`)
			if table.MatchString(text) == (tt.name == "quiet" || tt.name == "json") {
				t.Errorf("the table of systems is for people, and not with --quiet: %.3000q", text)
			}
			text = table.ReplaceAllString(text, "")
			for line := range strings.SplitSeq(text, "\n") { // what can be seen in the end
				if line = line[strings.LastIndex(line, "\r")+1:]; line != "" && line[0] != '{' && !strings.HasPrefix(line, "crscore: ") {
					t.Errorf("left on the terminal: %q", line)
				}
			}
		})
	}
}

// terminal opens a pseudo-terminal: the side that shows, and the one for a program.
func openTerminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	var number, unlock uint32
	for request, value := range map[uintptr]*uint32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(value))); err != 0 {
			t.Fatal(err)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return screen, tty
}
