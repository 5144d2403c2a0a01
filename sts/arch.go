package sts

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// Arch names the processor in signatures, as far as the last bits of numbers depend on it.
// Those of arm64 are not amd64's, because it multiplies and adds in one operation and rounds
// once. "amd64v3" does so too: builds for GOAMD64=v3 or v4. "amd64-nofma" is a processor that
// has no such operation, which Go's exponential function uses on all others of amd64.
func Arch() string {
	switch {
	case runtime.GOARCH != "amd64":
	case fuse(1+0x1p-30, -(1+0x1p-29)) != 0:
		return "amd64v3"
	case !cpu.X86.HasAVX || !cpu.X86.HasFMA: // as package math asks
		return "amd64-nofma"
	}
	return runtime.GOARCH
}

// fuse is x*x+y, in one operation where the compiler chooses it.
//
//go:noinline
func fuse(x, y float64) float64 { return x*x + y }

// SignArch is the end of the signature of numbers that no model makes: the architecture, unless it
// is amd64. These signatures do not name the usual one.
func SignArch() Signature {
	if arch := Arch(); arch != "amd64" {
		return Signature{{Name: "arch", Value: arch, Rounding: true}}
	}
	return nil
}
