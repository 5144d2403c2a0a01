package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// result measures how well a model finds the text that belongs to a sentence among the
// texts of many commits of one repository.
type result struct {
	repo       string
	task       string
	candidates int
	mrr        float64 // mean reciprocal rank
	recall     float64 // share of sentences whose text comes first
	auc        float64 // chance that a pair is more similar than one of texts of two commits
}

func (r result) String() string {
	return fmt.Sprintf("%-28s %-18s of %4d: MRR %.4f, recall@1 %.4f, AUC %.4f", r.repo, r.task, r.candidates, r.mrr, r.recall, r.auc)
}

// maxCandidates is how many commits of a repository, the first ones in the file,
// are candidates.
const maxCandidates = 1000

// ranker gives, for queries and as many targets, the similarity of every query
// with every target.
type ranker func(queries, targets [][]int32) [][]float32

// measure ranks, within each repository, the second sentences and the diffs of commits by
// similarity with the first sentences. The last results are the means over repositories;
// their AUC is over the pairs of all repositories, because one threshold serves them all.
// Without repositories there is no result.
func measure(c *corpus, v *vocabulary, rank ranker, repos []repository) []result {
	var out []result
	tasks := []string{"sentence-sentence", "sentence-diff"}
	means := make([]result, len(tasks))
	pooled := make([]curve, len(tasks))
	for _, repo := range repos {
		var queries, targets [2][][]int32
		for _, commit := range repo.commits {
			// Texts of unknown words stay in: an unknown word is an error of the model.
			if len(commit.sentences) == 0 {
				continue
			}
			first := v.tokensOf(c, commit.sentences[0])
			if len(commit.sentences) > 1 && len(queries[0]) < maxCandidates {
				queries[0] = append(queries[0], first)
				targets[0] = append(targets[0], v.tokensOf(c, commit.sentences[1]))
			}
			if len(commit.diff) > 0 && len(queries[1]) < maxCandidates {
				queries[1] = append(queries[1], first)
				targets[1] = append(targets[1], v.tokensOf(c, commit.diff))
			}
		}
		for t, task := range tasks {
			r := result{repo: repo.name, task: task, candidates: len(queries[t])}
			var own curve
			for i, sims := range rank(queries[t], targets[t]) {
				own.add(i, sims)
				// A tie is an error of the model.
				place := 1
				for j, s := range sims {
					if j != i && !(s < sims[i]) {
						place++
					}
				}
				r.mrr += 1 / float64(place) / float64(r.candidates)
				if place == 1 {
					r.recall += 1 / float64(r.candidates)
				}
			}
			r.auc = own.area()
			pooled[t].merge(&own)
			out = append(out, r)
			means[t].repo, means[t].task = "mean", task
			means[t].candidates += r.candidates
			means[t].mrr += r.mrr / float64(len(repos))
			means[t].recall += r.recall / float64(len(repos))
		}
	}
	if len(repos) > 0 {
		for t := range means {
			means[t].auc = pooled[t].area()
		}
		out = append(out, means...)
	}
	return out
}

// bins is the resolution of a curve: similarities that differ by less than 0.0002 are
// equal.
const bins = 1 << 14

// curve is a histogram of the similarities of texts of one commit and of two commits.
type curve struct{ own, other [bins]int }

// add counts the similarities of a query, whose own target is number i.
func (c *curve) add(i int, sims []float32) {
	for j, s := range sims {
		bin := int(float64(min(max(s, -1), 1)+1) / 2 * (bins - 1))
		if j == i {
			c.own[bin]++
		} else {
			c.other[bin]++
		}
	}
}

func (c *curve) merge(o *curve) {
	for bin := range bins {
		c.own[bin] += o.own[bin]
		c.other[bin] += o.other[bin]
	}
}

// area is the chance that texts of one commit are more similar than texts of
// two, equal ones counting half: the area under the ROC curve.
func (c *curve) area() float64 {
	var own, below int
	var sum float64
	for bin := range bins {
		sum += float64(c.own[bin]) * (float64(below) + float64(c.other[bin])/2)
		own += c.own[bin]
		below += c.other[bin]
	}
	return sum / max(1, float64(own)*float64(below))
}

// measured ranks by the model's cosine.
func (m *model) measured() ranker {
	return func(queries, targets [][]int32) [][]float32 {
		vecs := make([]float32, len(targets)*m.dim)
		for i, t := range targets {
			m.encode(t, vecs[i*m.dim:(i+1)*m.dim])
		}
		sims := make([][]float32, len(queries))
		m.parallel(len(queries), func(from, to int) {
			query := make([]float32, m.dim)
			for i := from; i < to; i++ {
				m.encode(queries[i], query)
				sims[i] = make([]float32, len(targets))
				products(query, vecs, sims[i])
			}
		})
		return sims
	}
}

// tfidf ranks by the cosine of tf-idf vectors over the same tokens: the baseline without
// training.
func tfidf(v *vocabulary) ranker {
	vector := func(tokens []int32) map[int32]float32 {
		out := map[int32]float32{}
		for _, t := range tokens {
			out[t] += v.idf[t]
		}
		var sum float64
		for _, t := range tokens { // In text order: maps have none.
			sum += float64(out[t]) * float64(v.idf[t])
		}
		for t := range out {
			out[t] /= float32(math.Sqrt(sum))
		}
		return out
	}
	return func(queries, targets [][]int32) [][]float32 {
		vecs := make([]map[int32]float32, len(targets))
		for i, t := range targets {
			vecs[i] = vector(t)
		}
		sims := make([][]float32, len(queries))
		for i, q := range queries {
			query := vector(q)
			sims[i] = make([]float32, len(targets))
			for j, target := range vecs {
				seen := map[int32]bool{}
				for _, t := range q {
					if x, ok := target[t]; ok && !seen[t] {
						sims[i][j] += query[t] * x
						seen[t] = true
					}
				}
			}
		}
		return sims
	}
}

// overlap ranks by the idf of shared tokens, like the hybrid similarity without its rules
// for code and negation.
func overlap(v *vocabulary) ranker {
	type set struct {
		tokens map[int32]bool
		total  float64
	}
	read := func(tokens []int32) set {
		s := set{tokens: map[int32]bool{}}
		for _, t := range tokens {
			if !s.tokens[t] {
				s.tokens[t] = true
				s.total += float64(v.idf[t])
			}
		}
		return s
	}
	return func(queries, targets [][]int32) [][]float32 {
		sets := make([]set, len(targets))
		for j, t := range targets {
			sets[j] = read(t)
		}
		sims := make([][]float32, len(queries))
		for i, q := range queries {
			own := read(q)
			tokens := slices.Sorted(maps.Keys(own.tokens)) // Sums in one order.
			sims[i] = make([]float32, len(targets))
			for j, target := range sets {
				var shared float64
				for _, t := range tokens {
					if target.tokens[t] {
						shared += float64(v.idf[t])
					}
				}
				if shared > 0 {
					sims[i][j] = float32(shared / math.Sqrt(own.total*target.total))
				}
			}
		}
		return sims
	}
}

// both ranks by the weighted mean of two similarities, negative ones of the first
// being 0.
func both(first, second ranker, weight float64) ranker {
	return func(queries, targets [][]int32) [][]float32 {
		a, b := first(queries, targets), second(queries, targets)
		for i := range a {
			for j := range a[i] {
				a[i][j] = float32(weight*float64(max(a[i][j], 0)) + (1-weight)*float64(b[i][j]))
			}
		}
		return a
	}
}
