// Package revision judges tools that revise code as a review asks: how often a tool's answer is
// the revision that a person made, and how often that stops when the code is written in another
// way that means the same ("Consistent or Sensitive? Automated Code Revision Tools Against
// Semantics-Preserving Perturbations", Pirouzkhah, Serbout and Bacchelli, MSR 2026).
//
// A Scorer scores a row: the code, the revision, the answers. A Study adds rows up by tool and
// perturbation. The package makes no perturbations and asks no tool, so that it stands beside the
// package of the perturbations and imports nothing of it.
package revision

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/score"
	"crscore/sts"
)

// smoothing is the count in the place of 0: method 1 of Chen and Cherry 2014.
const smoothing = 0.1

// bleuSpec is BLEU-4 of words as NLTK's sentence_bleu has it with smoothing method 1.
const bleuSpec = "bleu:tok=none:smooth=floor:eff=nltk"

// Scorer scores rows. Its methods may be called by many goroutines at once.
type Scorer struct {
	bleu refmetrics.Named
	*reading
}

// New returns a Scorer. compat counts as the program of the paper does.
func New(compat bool) (*Scorer, error) {
	bleu, err := refmetrics.New(bleuSpec, refmetrics.Needs{})
	if err != nil {
		return nil, err
	}
	if compat {
		return &Scorer{bleu, published()}, nil
	}
	return &Scorer{bleu, ours()}, nil
}

// Signature names everything that shapes the scores.
func (s *Scorer) Signature() score.Signature {
	counting := "crscore"
	if s.spp {
		counting = "spp"
	}
	return append(score.Signature{
		{Value: "revision/1"},
		{Name: "compat", Value: counting},
		{Name: "codebleu", Value: "trees/1" + syntax.Grammars},
		{Name: "bleu4", Value: s.bleu.Signature},
	}, sts.SignArch()...)
}

// Scores are the measures of a row, each of the best of its answers. c is the source, g the target, q
// an answer; the tags <START> and <END> are removed from all.
type Scores struct {
	// EXM, the exact match, is q = g: the same tokens in the same syntax tree, so that comments and
	// white space do not count, but the indentation of Python does. The paper's program compares
	// the runs of letters and _ in lower case.
	EXM bool `json:"exm"`
	// EM, the edit match, tells that q has all edits of g: each run of tokens that c→g deletes
	// lies in a run that c→q deletes, and each run that it adds in a run that c→q adds. Edits are those of
	// Ratcliff and Obershelp (1988). In the paper's program a run is a text in lower case
	// without most signs, and may lie in a deleted or an added run.
	EM bool `json:"em"`
	// REE, the relative excess of edits, is (|edits(c→q)| − |edits(c→g)|) / |edits(c→g)|, nearest
	// to 0 among the answers with EM; |edits| is the number of tokens in the deleted and added runs, for
	// the paper's program the words and numbers among them. It is nil without EM, or if it is
	// infinite.
	REE *float64 `json:"ree"`
	// InfiniteREE: the target's edits have no words, and the answer's do. Only the paper's program counts so.
	InfiniteREE bool `json:"ree_infinite,omitempty"`
	// BLEU4 is what the paper calls CodeBLEU: sentence BLEU-4 from 0 to 1 of the words between white
	// space (Papineni et al. 2002), where a count of 0 is 0.1 (method 1 of Chen and Cherry 2014).
	BLEU4 float64 `json:"bleu4"`
	// CodeBLEU is the measure of that name.
	CodeBLEU CodeBLEU `json:"codebleu"`
}

// Score scores a row. The error says why it has no scores, or is ctx's own.
func (s *Scorer) Score(ctx context.Context, rev *dataset.Revision) (out Scores, err error) {
	l, _ := lang.Lookup(rev.Lang)
	switch {
	case len(rev.Predictions) == 0:
		return out, errors.New("there is no prediction")
	case !slices.Contains(Languages(), l):
		return out, fmt.Errorf("the language is %.40q, not one of %v", rev.Lang, Languages())
	}
	source, err := read(ctx, l, "source", rev.Source)
	if err != nil {
		return out, err
	}
	target, err := read(ctx, l, "target", rev.Target)
	if err != nil {
		return out, err
	}
	switch {
	case len(target.tokens) == 0:
		return out, errors.New("the target has no code")
	case s.spp:
	case target.broken:
		return out, fmt.Errorf("the target is no valid %s", l)
	case slices.Equal(source.tokens, target.tokens):
		return out, errors.New("the target has the tokens of the source: there is no edit")
	}
	wanted, err := s.edits(source, target)
	if err != nil {
		return out, fmt.Errorf("the source and the target: %w", err)
	}
	least := math.NaN()
	for i, p := range rev.Predictions {
		if slices.Contains(rev.Predictions[:i], p) {
			continue
		}
		what := fmt.Sprintf("prediction %d", i+1)
		answer, err := read(ctx, l, what, p)
		if err != nil {
			return Scores{}, err
		}
		one, ree, err := s.answer(source, target, answer, wanted)
		if err != nil {
			return Scores{}, fmt.Errorf("the %s: %w", what, err)
		}
		if !math.IsNaN(ree) && !(math.Abs(ree) >= math.Abs(least)) {
			least = ree
		}
		if i == 0 || one.CodeBLEU.Score > out.CodeBLEU.Score {
			out.CodeBLEU = one.CodeBLEU
		}
		out.EXM, out.EM, out.BLEU4 = out.EXM || one.EXM, out.EM || one.EM, max(out.BLEU4, one.BLEU4)
	}
	if out.InfiniteREE = math.IsInf(least, 0); !out.InfiniteREE && !math.IsNaN(least) {
		out.REE = &least
	}
	return out, nil
}

// answer scores an answer. REE is beside the scores: NaN without EM.
func (s *Scorer) answer(source, target, answer *code, wanted edits) (out Scores, ree float64, err error) {
	if out.BLEU4, err = s.bleu4(answer.text, target.text); err != nil {
		return out, 0, err
	}
	if out.CodeBLEU, err = s.codeBLEU(answer, target, s.spp); err != nil {
		return out, 0, err
	}
	done, err := s.edits(source, answer)
	if err != nil {
		return out, 0, err
	}
	out.EXM, out.EM = s.exact(answer, target), done.contains(wanted)
	switch {
	case !out.EM:
		ree = math.NaN()
	case done.size != wanted.size: // infinite where the target's edits have no words
		ree = float64(done.size-wanted.size) / float64(wanted.size)
	}
	return out, ree, nil
}

// bleu4 is BLEU-4 from 0 to 1 of the words between white space.
func (s *Scorer) bleu4(answer, target string) (float64, error) {
	v, err := s.bleu.Score(context.Background(), answer, []string{target})
	return v / 100, err
}

// read parses a text of a row.
func read(ctx context.Context, l lang.Name, what, text string) (*code, error) {
	if len(text) > limits.RevisionBytes {
		return nil, fmt.Errorf("the %s has %d bytes, more than the limit of %d", what, len(text), limits.RevisionBytes)
	}
	text = strings.NewReplacer("<START>", "", "<END>", "", "\r\n", "\n", "\x00", "\uFFFD").Replace(text)
	c, err := parse(ctx, l, text)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the %s: %w", what, err)
	}
	return c, err
}
