package platforms

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestUnits runs under Wine the tests of package system, and the test that kills the writer of
// a run directory.
func TestUnits(t *testing.T) {
	wine := os.Getenv("CRSCORE_WINE")
	if wine == "" {
		t.Skip("make platforms runs this")
	}
	// With the flags of the released binaries, whose packages are compiled already.
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-trimpath", "-v", "-exec=/usr/lib/wine/wine64",
		"-run=^(TestGroup|TestStart.*|TestOpenRegular|TestRename|TestWritable|TestFull|TestCPUTime|TestKilledProcess)$",
		"../system", "../rundir")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc", "GOEXPERIMENT=simd",
		"WINEPREFIX="+wine, "WINEDEBUG=-all", "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n--- PASS: ") < 8 {
		t.Errorf("%v: %s", err, out)
	}
}
