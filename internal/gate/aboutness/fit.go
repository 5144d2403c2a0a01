package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crscore/eval/bench"
	"crscore/eval/logistic"
	"crscore/sts/aboutness"
)

// mostCommon is the number of stems in the table. The others count as in rareShare of the hunks.
const mostCommon, rareShare = 1000, 0.002

// A piece of a commit stands for a hunk: pieceLines changed lines. mostPieces bounds those of a
// commit, repositoryPieces those of a repository, so that none outweighs the others.
const pieceLines, mostPieces, repositoryPieces = 20, 3, 300

// penalty shrinks the weights of the regression on standardised evidence. prior is the share of comments at
// their own hunk: a comment without evidence must not count as about other code.
const penalty, prior = 1.0, 0.7

// fit makes the model and the weights of remarks: the table from the commits of other repositories,
// the weights from comments at their own and at other hunks, the weights from our remarks and the
// comments that experts or raters took for comments on the code.
func (s *study) fit(ctx context.Context, corpus, out string, remarks, counters []string) error {
	m, err := aboutness.Builtin()
	if err != nil {
		return err
	}
	weights := fitRemarks(m, remarks, counters)
	if err := os.WriteFile(filepath.Join(out, "remarks.tsv"), weights, 0o644); err != nil {
		return err
	}
	p := m.Parameters
	if err := s.count(m, &p, corpus); err != nil {
		return err
	}
	if m, err = aboutness.New(p, weights); err != nil {
		return err
	}
	if err := s.judge(ctx, m); err != nil {
		return err
	}
	s.weights(&p, func(string) bool { return true })
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "model.json"), append(text, '\n'), 0o644)
}

// count fills the table of common stems of a model with those of commits.
func (s *study) count(m *aboutness.Model, p *aboutness.Parameters, corpus string) error {
	files, err := filepath.Glob(filepath.Join(corpus, "*.jsonl.gz"))
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for _, c := range s.comments {
		used[strings.ReplaceAll(c.source, "/", "+")+".jsonl.gz"] = true
	}
	having, hunks, stems := map[string]int{}, 0, 0
	for _, name := range files {
		if used[filepath.Base(name)] {
			continue
		}
		pieces, err := readPieces(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, lines := range pieces {
			of := m.Hunk(aboutness.Code{Changed: lines}).Stems()
			hunks, stems = hunks+1, stems+len(of)
			for stem := range of {
				having[stem]++
			}
		}
	}
	if hunks == 0 {
		return fmt.Errorf("there are no commits in %s", corpus)
	}
	order := slices.SortedFunc(maps.Keys(having), func(a, b string) int {
		return cmp.Or(cmp.Compare(having[b], having[a]), cmp.Compare(a, b))
	})
	p.Common = map[string]int{}
	for _, stem := range order[:min(mostCommon, len(order))] {
		p.Common[stem] = having[stem]
	}
	p.Hunks, p.Stems, p.Rare = hunks, math.Round(10*float64(stems)/float64(hunks))/10, math.Round(rareShare*float64(hunks))
	return nil
}

// readPieces cuts the commits of a repository, JSON Lines with the changed lines as "diff".
func readPieces(name string) (out [][]string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := bufio.NewReader(z); len(out) < repositoryPieces; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var commit struct{ Diff []string }
		if err := json.Unmarshal(line, &commit); err != nil {
			return nil, err
		}
		for i, lines := 0, commit.Diff; i < mostPieces && len(lines) > 0; i++ {
			n := min(pieceLines, len(lines))
			out, lines = append(out, lines[:n]), lines[n:]
		}
	}
	return out, nil
}

// weights fits the weights on the comments of the repositories that are taken: both sides weigh by
// prior, whatever their numbers.
func (s *study) weights(p *aboutness.Parameters, take func(source string) bool) {
	var samples []logistic.Sample
	n := map[float64]float64{}
	for i := range s.comments {
		c := &s.comments[i]
		y, ok := map[string]float64{valid: 1, invalid: 1, pull: 0, repo: 0}[c.group]
		if ok && take(c.source) {
			samples = append(samples, logistic.Sample{X: []float64{c.l, c.e, c.absent}, Y: y})
			n[y]++
		}
	}
	for i := range samples {
		share := prior
		if samples[i].Y == 0 {
			share = 1 - prior
		}
		samples[i].Weight = share * float64(len(samples)) / n[samples[i].Y]
	}
	m := logistic.Fit(samples, penalty)
	round := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	p.Bias = m.Bias
	for i, to := range []*float64{&p.L, &p.E, &p.Missing} {
		f := m.Features[i]
		*to = round(f.Weight / f.Scale)
		p.Bias -= f.Weight * f.Mean / f.Scale
	}
	p.Bias = round(p.Bias)
}

// leastCon is the least rating of a review that says something about the code.
const leastCon = 3

// counters are the texts of comments on code: all of AACR-Bench, and the reviews with a high Con.
func (s *study) counters(files []*bench.File) (out []string) {
	for _, f := range files {
		for _, p := range f.Pulls {
			for _, r := range p.References {
				out = append(out, r.Note)
			}
		}
	}
	for _, c := range s.comments {
		if c.group == rated && c.label >= leastCon {
			out = append(out, c.text)
		}
	}
	return out
}
