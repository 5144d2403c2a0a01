package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"crscore"
	"crscore/internal/doctor"
	"crscore/sts"
	"crscore/sts/builtin"
)

// readVersion runs version --format json.
func readVersion(t *testing.T, bin string) (v doctor.Build) {
	t.Helper()
	out, err := exec.Command(bin, "version", "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v
}

// The release build, made as people make it, has what it should and says so.
func TestReleaseBuild(t *testing.T) {
	if os.Getenv("CRSCORE_LONG") == "" {
		t.Skip("make test-all runs this: it compiles everything with vector instructions")
	}
	bin := filepath.Join(t.TempDir(), "crscore")
	make := exec.Command("make", "-s", "-C", "../..", "build", "BIN="+bin, "TAGS=ort")
	if out, err := make.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	v := readVersion(t, bin)
	goVersion, _, _ := strings.Cut(v.Go, "-X:") // which experiments follow
	if v.Version != crscore.Version || !strings.HasPrefix(runtime.Version(), goVersion) || v.OS != runtime.GOOS || v.Arch != runtime.GOARCH {
		t.Errorf("built as %+v", v)
	}
	if !v.ONNXRuntime || v.SIMD != (v.Arch == "amd64") {
		t.Errorf("ONNX Runtime %v, simd %v on %s", v.ONNXRuntime, v.SIMD, v.Arch)
	}
	if !regexp.MustCompile(`^v0\.\d+\.\d+$`).MatchString(v.Hugot) {
		t.Errorf("hugot %q", v.Hugot)
	}
	sum, err := builtin.Checksum(builtin.Model())
	if err != nil || v.Model.SHA256 != sum || v.Model.Name != builtin.Name {
		t.Errorf("model %+v, want %s %s (%v)", v.Model, builtin.Name, sum, err)
	}
	if !strings.HasPrefix(v.Signature, "crscore/"+crscore.Version+" ") || !strings.Contains(v.Signature, "encoder="+builtin.Name) {
		t.Errorf("signature %q", v.Signature)
	}

	cmd := exec.Command(bin, "version")
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"crscore " + v.Version + "\n", v.Signature, v.Go, v.Hugot, sum} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	// Loading the model takes nearly all of the 0.1 s.
	if worked := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); worked > time.Second {
		t.Errorf("version takes %v of processor time", worked)
	}
}

// A plain build says what it does not have.
func TestVersionOfThisBuild(t *testing.T) {
	var out strings.Builder
	if code := Main([]string{"version", "--format", "json"}, strings.NewReader(""), &out, &out); code != exitDone {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	var v doctor.Build
	if err := json.Unmarshal([]byte(out.String()), &v); err != nil {
		t.Fatal(err)
	}
	if v.SIMD != sts.SIMD() || v.ONNXRuntime != sts.ORT() {
		t.Errorf("says simd %v, ONNX Runtime %v", v.SIMD, v.ONNXRuntime)
	}
	if code := Main([]string{"version", "--format", "yaml"}, strings.NewReader(""), &out, &out); code != exitUsage {
		t.Errorf("exit code %d for an unknown format", code)
	}
}
