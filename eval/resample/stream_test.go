package resample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// estimate adds numbers as items of a cluster each, in an order.
func estimate(t *testing.T, numbers []float64, order []int) Estimate {
	t.Helper()
	var stream Stream
	var means Means
	for _, i := range order {
		cluster := fmt.Sprint("change ", i)
		weights, err := stream.Weights(cluster)
		if err != nil {
			t.Fatal(err)
		}
		means.Add(cluster, weights, numbers[i])
	}
	return means.Estimates()[0]
}

// TestStreamLikeBootstrap: intervals of a stream are those of drawing with replacement, but
// for chance.
func TestStreamLikeBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers, order, sum := make([]float64, 400), make([]int, 400), 0.0
	for i := range numbers {
		numbers[i], order[i] = math.Round(8*random.Float64())/8, i
		sum += numbers[i]
	}
	got := estimate(t, numbers, order)
	want := MeanOf(sum/400, "")
	samples, err := Bootstrap{}.Draw(t.Context(), 400, 1, func() func([]int32, []float64) {
		return func(drawn []int32, out []float64) {
			total := 0.0
			for i, n := range drawn {
				total += float64(n) * numbers[i]
			}
			out[0] = total / 400
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want.SetInterval(samples[0], 400)
	wide := want.Interval[1] - want.Interval[0]
	if *got.Value != *want.Value || math.Abs(got.Interval[0]-want.Interval[0]) > wide/8 || math.Abs(got.Interval[1]-want.Interval[1]) > wide/8 {
		t.Errorf("a stream gives %s, drawing with replacement %s", got, want)
	}
	// The numbers are eighths, so that sums are exact in every order.
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if shuffled := estimate(t, numbers, order); shuffled.String() != got.String() {
		t.Errorf("in another order the interval is %s, not %s", shuffled, got)
	}
}

// TestStreamCoverage: of 300 samples of a known mean, about 95% have it in their interval.
func TestStreamCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	inside, order := 0, make([]int, 60)
	for i := range order {
		order[i] = i
	}
	numbers := make([]float64, len(order))
	for range 300 {
		for i := range numbers {
			numbers[i] = random.Float64()
		}
		if e := estimate(t, numbers, order); e.Interval[0] <= 0.5 && 0.5 <= e.Interval[1] {
			inside++
		}
	}
	if inside < 270 || inside > 296 {
		t.Errorf("%d of 300 intervals hold the mean, want about 285", inside)
	}
}

// TestStreamClusters: items of a cluster are drawn together, so that repeating each does not
// make the mean surer, and a cluster alone has no interval.
func TestStreamClusters(t *testing.T) {
	var stream Stream
	var once, thrice, single Means
	for i := range 50 {
		cluster := fmt.Sprint(i)
		weights, err := stream.Weights(cluster)
		if err != nil {
			t.Fatal(err)
		}
		once.Add(cluster, weights, float64(i%2))
		for range 3 {
			thrice.Add(cluster, weights, float64(i%2))
			if i == 0 {
				single.Add(cluster, weights, 1)
			}
		}
	}
	if a, b := once.Estimates()[0], thrice.Estimates()[0]; a.String() != b.String() {
		t.Errorf("once %s, thrice %s", a, b)
	}
	if e := single.Estimates()[0]; e.Interval != nil || *e.Value != 1 {
		t.Errorf("a single change has the interval %s", e)
	}
	if _, err := (&Stream{Bootstrap: Bootstrap{Resamples: 5}}).Weights("a"); err == nil {
		t.Error("5 resamples are enough")
	}
}
