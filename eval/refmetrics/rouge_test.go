package refmetrics

import "testing"

func TestGoldensOfROUGE(t *testing.T) {
	checkGoldens(t, "rouge-l", Needs{}, [8]float64{.6667, .4, 1, 0, 0, .2857, .4211, .5714})
	checkGoldens(t, "rouge-l:stem=no", Needs{}, [8]float64{.6667, .4, 1, 0, 0, .2857, .4211, .5})
	for spec, want := range map[string][2]float64{"rouge-1": {.8333, .6429}, "rouge-2": {.4, .2308}} {
		m := newMetric(t, spec, Needs{})
		for i, pair := range []goldenPair{goldenPairs()[0], goldenPairs()[7]} {
			if got := checkScore(t, m, pair.hypothesis, pair.reference); !nearGolden(got, want[i]) {
				t.Errorf("%s of %q: %.6f, want %.4f", spec, pair.hypothesis, got, want[i])
			}
		}
	}
}
