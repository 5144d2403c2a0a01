package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// npmBatch is the batch file that npm writes for a script.
const npmBatch = "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n" +
	"IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n)\r\n\r\n" +
	"endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\"  \"%dp0%\\..\\jshint\\bin\\jshint\" %*\r\n"

// TestStartBatch: no batch file is started, by whatever name; the script of npm's batch files is
// found.
func TestStartBatch(t *testing.T) {
	dir := folder(t)
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, name := range []string{"pmd.bat", "pmd.CMD", "other.cmd"} {
		path := put(name, "@echo off\r\necho %*\r\n")
		for _, path := range []string{path, strings.TrimSuffix(path, filepath.Ext(path))} {
			if _, err := Start(exec.Command(path, `&calc`)); err == nil || !strings.Contains(err.Error(), "is a batch file") {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	shim := put("jshint.cmd", npmBatch)
	t.Setenv("PATH", dir)
	if err := launch(exec.Command(shim)); err == nil || !strings.Contains(err.Error(), "needs Node.js") {
		t.Errorf("without Node.js: %v", err)
	}
	node := put("node.exe", "")
	cmd := exec.Command(shim, "--version", "&calc")
	if err := launch(cmd); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(filepath.Dir(dir), "jshint", "bin", "jshint")
	if want := []string{node, script, "--version", "&calc"}; !slices.Equal(cmd.Args, want) || cmd.Path != node {
		t.Errorf("%s %q, want %q", cmd.Path, cmd.Args, want)
	}
}
