package refmetrics

import "testing"

func TestGoldensOfBLEU(t *testing.T) {
	for spec, want := range map[string][8]float64{
		"bleu":              {22.0896, 6.2747, 100, 0, 0, 10.6822, 27.8246, 6.3337},
		"bleu:tok=none":     {13.1345, 5.5224, 100, 0, 0, 10.6822, 6.5673, 6.1911},
		"bleu:tok=intl":     {22.0896, 6.2747, 100, 0, 0, 10.6822, 30.6205, 6.3337},
		"bleu:smooth=floor": {14.7722, 3.1560, 100, 0, 0, 5.3728, 27.8246, 3.3684},
		"bleu:smooth=add-k": {30.7394, 16.2334, 100, 0, 0, 24.0281, 32.9405, 11.1487},
		"bleu:smooth=none":  {0, 0, 100, 0, 0, 0, 27.8246, 0},
		"bleu:eff=no":       {22.0896, 6.2747, 100, 0, 0, 10.6822, 27.8246, 6.3337},
	} {
		checkGoldens(t, spec, Needs{}, want)
	}
	checkGoldenCorpus(t, "bleu", Needs{}, 21.0648)
	checkGoldenCorpus(t, "bleu:tok=intl", Needs{}, 22.002)
}
