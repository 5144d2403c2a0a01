package sts

import (
	"math"
	"runtime"
	"strings"
	"testing"
)

// The releases for arm64, and processors of amd64 without the operation, are tested by
// internal/platforms.
func TestArch(t *testing.T) {
	const x, y = 1 + 0x1p-30, -(1 + 0x1p-29)
	if math.FMA(x, x, y) == 0 {
		t.Error("the numbers cannot tell one rounding from two")
	}
	arch := Arch()
	if !strings.HasPrefix(arch, runtime.GOARCH) || strings.ContainsAny(arch, " \t=|") {
		t.Errorf("the architecture is %q", arch)
	}
	if fused := fuse(x, y) != 0; fused && arch == "amd64" {
		t.Error("this build multiplies and adds in one operation, and Arch does not tell")
	}
	if got := SignArch(); (got == nil) != (arch == "amd64") {
		t.Errorf("signed as %q", got)
	}
}
