//go:build amd64 && goexperiment.simd

package sts

import (
	"errors"
	"simd/archsimd"

	"github.com/gomlx/compute/support/envutil"
)

// SIMD reports whether the GO backend was built with vector instructions, with
// which transformers run several times faster. Results differ in the last bits.
func SIMD() bool { return true }

// vectorInstructions names the vector instructions that the GO backend uses on this
// processor, empty for none. Each kind gives other bits. The backend chooses by the same
// variables.
func vectorInstructions() string {
	allowed := func(variable string) bool { return envutil.MustReadBool(variable, true) }
	switch {
	case !allowed("GOMLX_DOT_MATMUL"):
	case allowed(envutil.SIMD_AVX512_Env) && archsimd.X86.AVX512():
		return "avx512"
	case allowed(envutil.SIMD_AVX2_Env) && archsimd.X86.AVX2():
		return "avx2"
	}
	return ""
}

// vectorsRun reports an error on a processor that the backend's vector code would crash on: the
// backend asks for AVX2 alone, and multiplies and adds in one operation. Some virtual machines
// hide that one.
func vectorsRun() error {
	if vectorInstructions() == "" || archsimd.X86.FMA() {
		return nil
	}
	return errors.New("this processor has AVX2 without FMA, which the vector instructions of the backend need: " +
		"set GOMLX_SIMD_AVX2=false and GOMLX_SIMD_AVX512=false, which is slower")
}
