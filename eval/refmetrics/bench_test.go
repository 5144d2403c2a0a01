package refmetrics

import (
	"math"
	"strings"
	"sync/atomic"
	"testing"
)

// benchmarkPairs are pairs of the length of reviews: about 20 to 60 words a text.
func benchmarkPairs() []goldenPair {
	sentences := []string{
		"The lock is released before the map is written, so two writers can still meet here.",
		"Please rename `tmp` to `pendingWrites`; the name says nothing about its content.",
		"What happens if the response body is empty? The decoder returns io.EOF, which this code drops.",
		"nit: the comment repeats the code.",
		"I'd move this check into the constructor, since all three callers need it (see parseHeader()).",
		"This allocates a new slice for each row: could we reuse the buffer, e.g. with sync.Pool?",
		"The test passes without the change, too. Can you add a case that fails on main?",
		"Why 1,000 and not the configured limit? A constant with a name would help.",
		"The error is wrapped twice; the message will read \"read config: read config: no such file\".",
		"We should not log the token, even at the debug level.",
		"Looks good to me, but the documentation of the flag --max-retries is now out of date.",
		"The loop is quadratic in the number of files, which is fine for 10-20 files, not for 50,000.",
		"Shouldn't this be `<=` instead of `<`? The last element is never compared.",
	}
	var pairs []goldenPair
	text := func(seed, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(sentences[(seed+i*(seed%5+1))%len(sentences)])
			b.WriteByte(" \n"[i%2])
		}
		return b.String()
	}
	for i := range 169 {
		pairs = append(pairs, goldenPair{text(i, 1+i%4), text(i*7+i/13, 1+(i/3)%3)})
	}
	return pairs
}

// BenchmarkMetrics measures each metric that needs no encoder on one processor, and all of
// them except TER together on all processors: a pair is then scored by each.
func BenchmarkMetrics(b *testing.B) {
	var all []Named
	for _, info := range Metrics() {
		if info.Encoder {
			continue
		}
		m := newMetric(b, info.Name, Needs{})
		b.Run(info.Name, func(b *testing.B) { benchmark(b, m) })
		if info.Name != "ter" {
			all = append(all, m)
		}
	}
	b.Run("all", func(b *testing.B) {
		pairs := benchmarkPairs()
		b.ReportAllocs()
		var next atomic.Int64
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				scoreAll(b, pairs[int(next.Add(1))%len(pairs)], all)
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
	})
}

func scoreAll(b *testing.B, pair goldenPair, metrics []Named) {
	for _, m := range metrics {
		if v, err := m.Score(b.Context(), pair.hypothesis, []string{pair.reference}); err != nil || math.IsNaN(v) {
			b.Error(m.Spec, v, err)
		}
	}
}

func benchmark(b *testing.B, metrics ...Named) {
	pairs := benchmarkPairs()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		scoreAll(b, pairs[i%len(pairs)], metrics)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}
