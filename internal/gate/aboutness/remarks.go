package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"crscore/sts/aboutness"
)

// The regression of remarks: stems of fewer than leastTexts texts and weights below leastWeight are
// left out.
const (
	leastTexts  = 2
	leastWeight = 0.3
	// remarkWeight is the weight of all remarks together; all comments together weigh 1.
	remarkWeight = 2.5
	passes       = 25
	rate, decay  = 0.5, 0.0005
)

// fitRemarks fits the weights of stems by stochastic gradient descent with AdaGrad (Duchi et al.
// 2011) and weight decay.
func fitRemarks(m *aboutness.Model, remarks, comments []string) []byte {
	type sample struct {
		stems  []string
		scale  float64
		remark float64
		weight float64
	}
	var samples []sample
	texts := map[string]int{}
	for i, text := range slices.Concat(remarks, comments) {
		s := sample{stems: m.StemsOf(m.Text(text)), weight: 1}
		if i < len(remarks) {
			s.remark, s.weight = 1, remarkWeight*float64(len(comments))/float64(len(remarks))
		}
		s.scale = 1 / math.Sqrt(max(1, float64(len(s.stems))))
		for _, w := range s.stems {
			texts[w]++
		}
		samples = append(samples, s)
	}
	for i := range samples {
		samples[i].stems = slices.DeleteFunc(samples[i].stems, func(w string) bool { return texts[w] < leastTexts })
	}
	weights, squares := map[string]float64{}, map[string]float64{}
	step := func(stem string, gradient float64) {
		squares[stem] += gradient * gradient
		weights[stem] -= rate * gradient / (math.Sqrt(squares[stem]) + 1e-9)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for range passes {
		random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		for _, s := range samples {
			sum := weights[""]
			for _, w := range s.stems {
				sum += weights[w] * s.scale
			}
			slope := (1/(1+math.Exp(-sum)) - s.remark) * s.weight
			for _, w := range s.stems {
				step(w, slope*s.scale+decay*weights[w])
			}
			step("", slope)
		}
	}
	var b bytes.Buffer
	for _, w := range slices.Sorted(maps.Keys(weights)) {
		if v := weights[w]; w == "" || math.Abs(v) >= leastWeight {
			fmt.Fprintf(&b, "%s\t%.1f\n", w, v)
		}
	}
	return b.Bytes()
}
