//go:build amd64 && goexperiment.simd

package sts

import (
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
