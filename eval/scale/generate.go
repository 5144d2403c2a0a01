package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"crscore/internal/dataset"
)

// systems is the number of reviews of each change, as in the goal of 10,169 changes with
// reviews of 11 systems.
const systems = 11

// The distributions follow 155 labelled changes of CodeReviewer with 1,549 reviews by ten
// systems, without their texts. Each comment gives median, mean, 90th percentile and maximum
// of the original.
const (
	// Whole new files: 7,636, 19,716, 47,095 and 332,261 bytes, a lognormal distribution.
	// Lines have 37.5 characters on average.
	fileMedian, fileSpread     = 7600, 1.38
	minFileBytes, maxFileBytes = 300, 332_000
	// Reviews: 102, 161, 352 and 1,370 characters, lognormal too; a few are empty.
	reviewMedian, reviewSpread     = 102, 0.96
	minReviewBytes, maxReviewBytes = 15, 1370
	emptyReviews                   = 0.04
	// Every change has one hunk. Added lines: 2, 3.7, 8 and 19.
	addedMedian, addedSpread, maxAdded = 2.4, 0.9, 19
	// Removed lines: 0, 0.8, 2 and 8.
	nothingRemoved, removedMore, maxRemoved = 0.65, 0.55, 8
)

// generator makes changes with reviews. A change depends only on the seed and its number, so
// any part of a dataset can be generated alone.
type generator struct {
	seed uint64
	// fileMedian and fileSpread describe the sizes of whole files in bytes; 0 means the
	// sizes of the original data.
	fileMedian, fileSpread float64
}

// change makes a change by its number, counted from 0.
func (g generator) change(number int) *dataset.Record {
	r := rand.New(rand.NewPCG(g.seed, uint64(number)))
	p := newProgram(r, phrase(number*(systems+1)), lognormal(g.evenly(number), cmp.Or(g.fileMedian, fileMedian), cmp.Or(g.fileSpread, fileSpread), minFileBytes, maxFileBytes),
		lognormal(r.NormFloat64(), addedMedian, addedSpread, 0, maxAdded), removed(r))
	old, text := p.text(p.removed), p.text(p.added)
	rec := &dataset.Record{
		ID: fmt.Sprint(number), Lang: p.dialect.lang, Path: fmt.Sprintf("src/%s.%s", snake(p.subject), p.dialect.ext),
		Diff: p.diff(), Old: &old, New: &text, Reviews: make([]dataset.Review, systems),
	}
	seen := make(map[string]bool)
	for i := range rec.Reviews {
		w := reviewer{rand: r, change: p, own: phrase(number*(systems+1) + 1 + i), skill: (float64(i) + 0.5) / systems}
		text := w.write()
		for text != "" && seen[text] {
			text = w.write()
		}
		seen[text] = true
		rec.Reviews[i] = dataset.Review{ID: fmt.Sprintf("system%02d", i+1), Text: text}
	}
	return rec
}

// write writes changes as JSON Lines. The last change has fewer reviews if the total demands
// it.
func (g generator) write(w io.Writer, reviews int) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	for i := 0; reviews > 0; i++ {
		rec := g.change(i)
		rec.Reviews = rec.Reviews[:min(reviews, systems)]
		reviews -= len(rec.Reviews)
		line.Reset()
		if err := enc.Encode(rec.Written(nil)); err != nil {
			return fmt.Errorf("change %d: %w", i, err)
		}
		if _, err := w.Write(line.Bytes()); err != nil {
			return fmt.Errorf("writing change %d: %w", i, err)
		}
	}
	return nil
}

// evenly returns an element of a sequence whose every beginning is normally distributed.
// Datasets of any size mix small and large files alike, so their time does not depend on a
// few large files.
func (g generator) evenly(number int) float64 {
	_, at := math.Modf(rand.New(rand.NewPCG(g.seed, 0)).Float64() + float64(number)*(math.Phi-1))
	return math.Sqrt2 * math.Erfinv(2*max(at, 1e-9)-1)
}

// lognormal turns a normally distributed value into a whole number.
func lognormal(normal, median, spread float64, least, most int) int {
	return min(max(int(math.Round(median*math.Exp(spread*normal))), least), most)
}

// removed draws the number of removed lines.
func removed(r *rand.Rand) int {
	n := 0
	if r.Float64() >= nothingRemoved {
		for n = 1; n < maxRemoved && r.Float64() < removedMore; n++ {
		}
	}
	return n
}
