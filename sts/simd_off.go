//go:build !(amd64 && goexperiment.simd)

package sts

// SIMD reports whether the GO backend was built with vector instructions, with
// which transformers run several times faster. Results differ in the last bits.
func SIMD() bool { return false }

// vectorInstructions are none in this build.
func vectorInstructions() string { return "" }

func vectorsRun() error { return nil }
