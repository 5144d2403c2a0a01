// Command tune finds the weights of the hybrid similarity by cross-validation over
// changes: weights are chosen on all folds but one and measured on that fold. The card of
// the built-in model has the result.
//
//	go run ./eval/tune --data LABELLED.jsonl --claims data:magicoder --smells data
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/score"
	"crscore/sts"
	"crscore/sts/builtin"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("tune", flag.ContinueOnError)
	data := flags.String("data", "", "labelled dataset, a `file` in JSON Lines")
	claims := flags.String("claims", "symbolic", "sources of claims, as for crscore score")
	smells := flags.String("smells", "builtin", "sources of smells, as for crscore score")
	folds := flags.Int("folds", 5, "how many parts the changes are cut into")
	seed := flags.Uint64("seed", 1, "of the order in which changes are dealt to the folds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var opts crscore.Options
	var err error
	if opts.Claims, err = crscore.ParseClaims(*claims, crscore.ClaimOptions{}); err != nil {
		return err
	}
	if opts.Smells, err = crscore.ParseSmells(*smells, crscore.SmellOptions{}); err != nil {
		return err
	}
	f, err := os.Open(*data)
	if err != nil {
		return err
	}
	defer f.Close()
	changes, err := read(ctx, f, opts)
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	if *folds < 2 || *folds > len(changes) {
		return fmt.Errorf("--folds is %d, but must be from 2 to the number of changes, %d", *folds, len(changes))
	}
	return tune(out, changes, *folds, *seed)
}

// labelled is a change with the evidence of all its pairs.
type labelled struct {
	reviews []reviewed
}

// reviewed is a review with a label: its evidence with the references of the
// change, and with the annotators' own list.
type reviewed struct {
	human     float64 // rel, 1 to 5
	pairs     [][]sts.Evidence
	links     [][]sts.Evidence // nil when nobody linked the review
	addressed []bool           // by column of links
}

func read(ctx context.Context, in io.Reader, opts crscore.Options) ([]labelled, error) {
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return nil, err
	}
	defer encoder.Close()
	lexicon, err := sts.ParseLexicon(builtin.Words())
	if err != nil {
		return nil, err
	}
	hybrid, err := sts.NewHybrid(encoder, lexicon, sts.DefaultHybridWeights())
	if err != nil {
		return nil, err
	}
	recs, err := dataset.ReadAll(in)
	if err != nil {
		return nil, err
	}
	out := make([]labelled, len(recs))
	for i := range recs {
		if out[i], err = pairsOf(ctx, &recs[i], opts, hybrid); err != nil {
			return nil, fmt.Errorf("line %d: %w", recs[i].Line, err)
		}
	}
	return out, nil
}

func pairsOf(ctx context.Context, rec *dataset.Record, opts crscore.Options, hybrid *sts.Hybrid) (out labelled, err error) {
	in, err := evidence.Input(rec)
	if err != nil {
		return out, err
	}
	set, err := crscore.Refs(ctx, in, opts)
	if err != nil {
		return out, err
	}
	var refs, edited []string
	for _, r := range set.Refs {
		refs = append(refs, r.Text)
	}
	for _, r := range rec.RefsEdited {
		edited = append(edited, r.Text)
	}
	for _, review := range rec.Reviews {
		if review.ID == dataset.HumanReference || review.Human == nil {
			continue
		}
		var sentences []string
		for _, s := range (sts.Markdown{}).Split(review.Text) {
			sentences = append(sentences, s.Text)
		}
		r := reviewed{human: review.Human.Rel}
		if r.pairs, err = hybrid.Evidence(ctx, sentences, refs); err != nil {
			return out, err
		}
		if review.Addressed != nil && len(edited) > 0 {
			if r.links, err = hybrid.Evidence(ctx, sentences, edited); err != nil {
				return out, err
			}
			r.addressed = make([]bool, len(edited))
			for _, n := range review.Addressed {
				if n >= 1 && n <= len(edited) {
					r.addressed[n-1] = true
				}
			}
		}
		out.reviews = append(out.reviews, r)
	}
	return out, nil
}

// sample is what a similarity makes of a part of the changes.
type sample struct {
	human, hard, soft []float64
	links             []float64
	addressed         []bool
}

// measure scores changes with the weights. Without tau it is taken from these
// changes by the paper's rule, the mean best similarity of a sentence.
func measure(changes []labelled, w sts.HybridWeights, tau *float64) (s sample, used float64, err error) {
	var matrices [][][]float32
	var best float64
	sentences := 0
	for _, c := range changes {
		for _, r := range c.reviews {
			m := weigh(r.pairs, w)
			for _, row := range m {
				if len(row) > 0 {
					best += float64(slices.Max(row))
					sentences++
				}
			}
			matrices = append(matrices, m)
			s.human = append(s.human, r.human)
			links := weigh(r.links, w)
			for j, yes := range r.addressed {
				top := float32(0)
				for _, row := range links {
					top = max(top, row[j])
				}
				s.links = append(s.links, float64(top))
				s.addressed = append(s.addressed, yes)
			}
		}
	}
	used = best / float64(max(sentences, 1))
	if tau != nil {
		used = *tau
	}
	i := 0
	for _, c := range changes {
		for _, r := range c.reviews {
			refs := 0
			if len(r.pairs) > 0 {
				refs = len(r.pairs[0])
			}
			for mode, to := range map[score.Mode]*[]float64{score.Hard: &s.hard, score.Soft: &s.soft} {
				rule := score.Rule{Mode: mode}
				if mode.UsesTau() {
					rule.Tau = used
				}
				var rel float64
				if refs > 0 { // An empty review has no row, and Rel 0.
					res, err := score.Score(matrices[i], refs, rule)
					if err != nil {
						return s, 0, err
					}
					rel = res.Rel
				}
				*to = append(*to, rel)
			}
			i++
		}
	}
	return s, used, nil
}

func weigh(pairs [][]sts.Evidence, w sts.HybridWeights) [][]float32 {
	out := make([][]float32, len(pairs))
	for i, row := range pairs {
		out[i] = make([]float32, len(row))
		for j, e := range row {
			out[i][j] = w.Weigh(e)
		}
	}
	return out
}

// figures are the three numbers that a choice of weights is judged by.
type figures struct{ hard, soft, auc float64 }

func (f figures) mean() float64 { return (f.hard + f.soft + f.auc) / 3 }

func (f figures) String() string {
	return fmt.Sprintf("rel hard %.4f, soft %.4f, ROC-AUC %.4f, mean %.4f", f.hard, f.soft, f.auc, f.mean())
}

func (s sample) figures() (f figures, err error) {
	if f.hard, err = agreement.Spearman(s.hard, s.human); err != nil {
		return f, err
	}
	if f.soft, err = agreement.Spearman(s.soft, s.human); err != nil {
		return f, err
	}
	f.auc, err = agreement.ROCAUC(s.links, s.addressed)
	return f, err
}

// grid are the weights that are tried, the simpler ones first.
func grid() (out []sts.HybridWeights) {
	for _, elsewhere := range []float64{0, 0.4, 0.7} {
		for _, opposed := range []float64{0, 0.25, 0.5, 0.75} {
			for _, names := range []float64{1, 0.5, 0.25} {
				for _, dense := range []float64{1, 0.15, 0.3, 0.5} {
					out = append(out, sts.HybridWeights{Dense: dense, Names: names, Opposed: opposed, Elsewhere: elsewhere})
				}
			}
		}
	}
	return out
}

func tune(out io.Writer, changes []labelled, folds int, seed uint64) error {
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(changes))
	part := func(keep func(fold int) bool) (list []labelled) {
		for i, at := range order {
			if keep(i % folds) {
				list = append(list, changes[at])
			}
		}
		return list
	}
	fmt.Fprintln(out, "All changes, tau by the paper's rule on them:")
	for _, w := range grid() {
		s, tau, err := measure(changes, w, nil)
		if err != nil {
			return err
		}
		f, err := s.figures()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  dense %.2f names %.2f opposed %.2f elsewhere %.2f: %v (tau %.4f)\n", w.Dense, w.Names, w.Opposed, w.Elsewhere, f, tau)
	}
	fmt.Fprintf(out, "%d folds over changes, weights and tau chosen on the others:\n", folds)
	var held, fixed sample
	for fold := range folds {
		train := part(func(f int) bool { return f != fold })
		test := part(func(f int) bool { return f == fold })
		var best figures
		var chosen sts.HybridWeights
		var tau float64
		for _, w := range grid() {
			s, t, err := measure(train, w, nil)
			if err != nil {
				return err
			}
			f, err := s.figures()
			if err != nil {
				return err
			}
			if f.mean() > best.mean() {
				best, chosen, tau = f, w, t
			}
		}
		if err := held.add(test, chosen, tau); err != nil {
			return err
		}
		_, tau, err := measure(train, sts.DefaultHybridWeights(), nil)
		if err != nil {
			return err
		}
		if err := fixed.add(test, sts.DefaultHybridWeights(), tau); err != nil {
			return err
		}
		fmt.Fprintf(out, "  fold %d: dense %.2f names %.2f opposed %.2f elsewhere %.2f, fitted %v\n", fold+1, chosen.Dense, chosen.Names, chosen.Opposed, chosen.Elsewhere, best)
	}
	for _, r := range []struct {
		name string
		s    sample
	}{{"chosen in each fold", held}, {"the default weights", fixed}} {
		f, err := r.s.figures()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  held out, %s: %v\n", r.name, f)
	}
	return nil
}

// add puts in what the weights make of changes that they were not chosen on.
func (s *sample) add(changes []labelled, w sts.HybridWeights, tau float64) error {
	t, _, err := measure(changes, w, &tau)
	if err != nil {
		return err
	}
	s.human = append(s.human, t.human...)
	s.hard = append(s.hard, t.hard...)
	s.soft = append(s.soft, t.soft...)
	s.links = append(s.links, t.links...)
	s.addressed = append(s.addressed, t.addressed...)
	return nil
}
