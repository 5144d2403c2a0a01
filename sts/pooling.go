package sts

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// Ways to pool the token vectors of a text into one vector, for EncoderOptions.Pooling.
const (
	// PoolingPaper is the mean of the token vectors without stop words and special
	// tokens (CRScore, section 3.3). If every token is a stop word, it is the mean of
	// all but the special tokens.
	PoolingPaper = "paper"
	// PoolingModel is the pooling that the model's own files name, with the model's
	// default prompt.
	PoolingModel = "model"
)

// poolingMode is one of sentence-transformers' ways to pool.
type poolingMode struct {
	name string
	keys []string // what turns it on in 1_Pooling/config.json
}

// poolingModes are in the order in which sentence-transformers puts the parts of
// a vector when several are on.
var poolingModes = []poolingMode{
	{"cls", []string{"pooling_mode_cls_token", "pooling_mode_cls"}},
	{"max", []string{"pooling_mode_max_tokens", "pooling_mode_max"}},
	{"mean", []string{"pooling_mode_mean_tokens", "pooling_mode_mean"}},
	{"mean_sqrt_len", []string{"pooling_mode_mean_sqrt_len_tokens"}},
	{"weightedmean", []string{"pooling_mode_weightedmean_tokens", "pooling_mode_weightedmean"}},
	{"lasttoken", []string{"pooling_mode_lasttoken"}},
}

// pooling makes a vector of token vectors: the parts of its modes one after
// another.
type pooling struct{ modes []string }

func (p pooling) String() string { return strings.Join(p.modes, "+") }

// errNotFinite is the error for a model that computes NaN or an infinite value.
var errNotFinite = errors.New("the model's output is not finite (NaN or infinite)")

// pool writes the vector of the rows that are used, of length 1, into out, which
// is zero and has room for every mode. A zero vector stays zero.
func (p pooling) pool(rows [][]float32, used []bool, out []float32) error {
	dim := len(out) / len(p.modes)
	for i, mode := range p.modes {
		part := out[i*dim : (i+1)*dim]
		switch mode {
		case "cls":
			copy(part, rows[0])
		case "lasttoken":
			if last := lastUsed(used); last >= 0 {
				copy(part, rows[last])
			}
		case "max":
			poolMax(rows, used, part)
		default:
			poolSum(mode, rows, used, part, len(p.modes) == 1)
		}
	}
	return normalize(out)
}

func lastUsed(used []bool) int {
	for i := len(used) - 1; i >= 0; i-- {
		if used[i] {
			return i
		}
	}
	return -1
}

func poolMax(rows [][]float32, used []bool, out []float32) {
	first := slices.Index(used, true)
	if first < 0 {
		return
	}
	copy(out, rows[first])
	for i := first + 1; i < len(rows); i++ {
		if used[i] {
			for k, v := range rows[i] {
				out[k] = max(out[k], v)
			}
		}
	}
}

// poolSum writes a mean. Its divisor does not matter to a vector that gets the
// length 1, so it is left out of one that stands alone.
func poolSum(mode string, rows [][]float32, used []bool, out []float32, alone bool) {
	var n, weights float64
	for i, use := range used {
		if !use {
			continue
		}
		n++
		if mode == "weightedmean" {
			weights += float64(i + 1)
			w := float32(i + 1)
			for k, v := range rows[i] {
				out[k] += float32(w * v) // rounded: never fused
			}
			continue
		}
		for k, v := range rows[i] {
			out[k] += v
		}
	}
	if alone || n == 0 {
		return
	}
	divisor := n
	switch mode {
	case "mean_sqrt_len":
		divisor = math.Sqrt(n)
	case "weightedmean":
		divisor = weights
	}
	for k := range out {
		out[k] = float32(float64(out[k]) / divisor)
	}
}

// normalize scales v to length 1. A zero vector stays zero; one that is not
// finite is an error, because no similarity may be made of it.
func normalize(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(float64(x) * float64(x)) // rounded: never fused
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return errNotFinite
	}
	if sum == 0 {
		return nil
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return nil
}
