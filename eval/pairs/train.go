package main

import (
	"errors"

	"crscore/eval/logistic"
	"crscore/sts"
)

// What shapes the models beside the data.
const (
	rounds  = 2   // the sentence that addresses a reference is chosen so often
	penalty = 1.0 // of squared weights of standardised features
	// What a pair weighs that is not linked. Annotators linked whole reviews, so that the
	// sentences of a review which does not address a reference repeat each other.
	unlinked = 0.5
	// What a pair weighs that readers linked: they linked single sentences, many more of them.
	linked = 0.5
	// pointing is the label of a sentence that only points at a reference.
	pointing = 0.25
)

// scorer is the similarity of a pair.
type scorer func(p *pairs, sentence, ref int) float64

func byHybrid(p *pairs, i, j int) float64 { return float64(p.hybrid[i][j]) }

// byModel scores by a model.
func byModel(m sts.PairModel) (scorer, error) {
	similarity, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	return func(p *pairs, i, j int) float64 { return float64(similarity(&p.evidence[i][j])) }, nil
}

// train fits both models to changes.
func (set *labelled) train(changes []labelledChange) (m sts.PairModels, err error) {
	m = set.models
	features := sts.PairFeatureNames()
	if m.Diff, err = fit(changes, features); err != nil {
		return m, err
	}
	m.Text, err = fit(changes, sts.PairTextFeatures())
	return m, err
}

// fit fits a model with some features. Annotators said which references a review addresses,
// and not by which sentence: at first it is the sentence with the highest hybrid similarity,
// then with the highest similarity of the model before.
func fit(changes []labelledChange, names []string) (m sts.PairModel, err error) {
	score := scorer(byHybrid)
	for range rounds {
		samples := samplesOf(changes, len(names), score)
		if len(samples) == 0 {
			return m, errors.New("nobody linked reviews with references: addressed and refs_edited are missing")
		}
		fitted := logistic.Fit(samples, penalty)
		m = sts.PairModel{Bias: fitted.Bias}
		for a, f := range fitted.Features {
			w := sts.PairWeight{Name: names[a], Weight: logistic.Rounded(f.Weight / f.Scale), Mean: f.Mean}
			m.Bias -= w.Weight * f.Mean
			m.Features = append(m.Features, w)
		}
		m.Bias = logistic.Rounded(m.Bias)
		if score, err = byModel(m); err != nil {
			return m, err
		}
	}
	return m, nil
}

// samplesOf makes samples of the links, with the first n features.
func samplesOf(changes []labelledChange, n int, score scorer) (out []logistic.Sample) {
	add := func(p *pairs, i, j int, label, weight float64) {
		out = append(out, logistic.Sample{X: p.evidence[i][j].Features[:n], Y: label, Weight: weight})
	}
	for c := range changes {
		change := &changes[c]
		edited := change.sources["edited"]
		for r, review := range change.reviews {
			for j, yes := range review.addressed {
				best := -1
				for i, s := range change.sentences {
					switch {
					case s.review != r:
					case !yes:
						add(edited, i, j, 0, unlinked)
					case best < 0 || score(edited, i, j) > score(edited, best, j):
						best = i
					}
				}
				if best >= 0 {
					add(edited, best, j, 1, 1)
				}
			}
		}
		own := change.sources["own"]
		for i, row := range own.links {
			for j, codes := range row {
				label := (labelOf(codes[0]) + labelOf(codes[1])) / 2
				add(own, i, j, label, linked*(unlinked+label))
			}
		}
	}
	return out
}

// labelOf is the label of a reader's code.
func labelOf(code byte) float64 {
	switch code {
	case '2':
		return 1
	case '1':
		return pointing
	}
	return 0
}
