package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"crscore/internal/limits"
	"crscore/internal/matrices"
	"crscore/score"
)

// What can be wrong with similarities.
const (
	badBlocks   = "blocks of similarities that could not be read"
	noBlock     = "blocks of similarities of changes that the dataset does not have"
	twiceBlocks = "blocks of similarities of a change that has a block already (left out)"
	otherBlock  = "similarities of reviews that the dataset does not have"
	wrongScores = "reviews whose kept similarities do not give the score of their row"
	manyKinds   = "blocks with references of more kinds and sources than fit (left out)"
)

// readMatrices reads a file of similarities, and keeps the best of each sentence and of each
// reference: all that a rule needs, but for Comp by noisy-or, for which it keeps all.
func (v *Viewer) readMatrices(ctx context.Context, name string) error {
	in, err := v.opts.openText(ctx, name)
	if err != nil {
		return err
	}
	v.files = append(v.files, in)
	file := int32(len(v.files))
	r, err := matrices.NewReader(in.reader(ctx, v.opts.Read))
	if err != nil {
		return err
	}
	for {
		b, err := r.Next()
		var bad *matrices.BlockError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			v.miss(badBlocks, "%s: %v", shown(name), bad)
			continue
		case errors.Is(err, matrices.ErrTruncated):
			v.warn("%s is not finished: further changes have no similarities.", name)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			v.miss(badEnd, "%s: %v", shown(name), err)
			return nil
		}
		at := place{file: file}
		number, offset := r.Place()
		at.number, at.offset = int32(number), offset
		v.addBlock(b, at)
	}
}

// addBlock adds the similarities of a change.
func (v *Viewer) addBlock(b *matrices.Block, at place) {
	n, ok := v.byKey[key(b.ID)]
	if !ok {
		v.miss(noBlock, "block %d: change %q", at.number, b.ID)
		return
	}
	c := &v.changes[n]
	if c.block.file != 0 {
		v.miss(twiceBlocks, "block %d: change %q", at.number, b.ID)
		return
	}
	first := len(v.kinds)
	for _, ref := range b.Refs {
		k, fits := v.kind.of(ref.Kind+"@"+ref.Source, limits.ViewedKinds)
		if !fits {
			v.miss(manyKinds, "block %d: change %q", at.number, b.ID)
			v.kinds = v.kinds[:first]
			return
		}
		if int(k) == len(v.refs) {
			v.refs = append(v.refs, score.Ref{Kind: ref.Kind, Source: ref.Source})
		}
		v.kinds = append(v.kinds, uint16(k))
	}
	c.block, c.refs, c.n = at, int32(first), int32(len(b.Refs))
	for i := range b.Reviews {
		one := &b.Reviews[i]
		system, ok := v.systems.at[key(one.ID)]
		at := int32(-1)
		if ok {
			at = v.find(c, system)
		}
		if at < 0 {
			v.miss(otherBlock, "change %q, system %q", b.ID, one.ID)
			continue
		}
		r := &v.reviews[at]
		if r.has || r.keptReason >= 0 {
			continue // a second review of the system, which was counted in the dataset
		}
		if one.Unscored != "" {
			r.keptReason, _ = v.reasons.of(brief(one.Unscored), limits.ViewedReasons)
			continue
		}
		rows, _ := b.Rows(i)
		r.has, r.empty, r.best, r.n = true, len(rows) == 0, int64(len(v.best)), int32(len(rows))
		v.best = appendBest(v.best, rows, len(b.Refs))
	}
}

// appendBest appends the best similarity of each row, then that of each column, then the columns,
// where a repeated sentence has 0.
func appendBest(best []float32, rows [][]float32, columns int) []float32 {
	if len(rows) == 0 {
		return best
	}
	for _, row := range rows {
		top := float32(0)
		for _, s := range row {
			top = max(top, s)
		}
		best = append(best, top)
	}
	for j := range columns {
		top := float32(0)
		for _, row := range rows {
			top = max(top, row[j])
		}
		best = append(best, top)
	}
	repeated := score.Repeated(rows)
	for j := range columns {
		for i, row := range rows {
			v := row[j]
			if repeated[i] {
				v = 0
			}
			best = append(best, v)
		}
	}
	return best
}

// scores are the numbers of all reviews under a rule.
type scores struct {
	numbers []numbers
	states  []state
}

// given are the scores of the rows.
func (x *index) given() *scores {
	out := &scores{make([]numbers, len(x.reviews)), make([]state, len(x.reviews))}
	for i := range x.reviews {
		out.numbers[i], out.states[i] = x.reviews[i].numbers, x.reviews[i].state
	}
	return out
}

// rescore scores all reviews whose similarities are kept by a rule, as package score would
// with the whole matrices.
func (x *index) rescore(rule score.Rule) (*scores, error) {
	if err := rule.Check(); err != nil {
		return nil, err
	}
	out := &scores{make([]numbers, len(x.reviews)), make([]state, len(x.reviews))}
	weights := make([]float64, len(x.refs))
	for k, ref := range x.refs {
		weights[k] = rule.Weights.Of(ref.Kind, ref.Source)
	}
	var parts sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	step := max((len(x.changes)+workers-1)/workers, 1)
	for from := 0; from < len(x.changes); from += step {
		parts.Go(func() {
			for c := from; c < min(from+step, len(x.changes)); c++ {
				x.rescoreChange(&x.changes[c], rule, weights, out)
			}
		})
	}
	parts.Wait()
	return out, nil
}

func (x *index) rescoreChange(c *change, rule score.Rule, weights []float64, out *scores) {
	whole, heaviest := 0.0, 0.0
	for _, k := range x.kinds[c.refs : c.refs+c.n] {
		whole += weights[k]
		heaviest = max(heaviest, weights[k])
	}
	for i := c.first; i < c.behind; i++ {
		r := &x.reviews[i]
		out.numbers[i] = none
		switch {
		case r.keptReason >= 0 || r.has && heaviest == 0:
			out.states[i] = unscored
			continue
		case !r.has:
			out.states[i] = notKept
			continue
		}
		out.states[i] = scored
		if r.empty {
			out.numbers[i] = numbers{}
			continue
		}
		con, comp := 0.0, 0.0
		n, m := int(r.n), int(c.n)
		kept := x.best[r.best:][:n+m+n*m]
		sentences, refs, columns := kept[:n], kept[n:n+m], kept[n+m:]
		for _, s := range sentences {
			con += rule.Credit(float64(s))
		}
		for j, s := range refs {
			credit := 0.0
			if rule.NoisyOr() {
				credit = rule.Cover(columns[j*n:][:n])
			} else {
				credit = rule.Credit(float64(s))
			}
			comp += float64(weights[x.kinds[int(c.refs)+j]] * credit) // rounded here, as in package score
		}
		con, comp = con/float64(r.n), comp/whole
		out.numbers[i] = numbers{con, comp, score.HarmonicMean(con, comp)}
	}
}

// checkKept compares the scores of the rows with those that the kept similarities give by the
// rules of the rows.
func (x *index) checkKept() {
	if x.kept == 0 {
		return
	}
	under := map[int32]*scores{}
	for c := range x.changes {
		for i := x.changes[c].first; i < x.changes[c].behind; i++ {
			r := &x.reviews[i]
			if r.state != scored || r.signature < 0 || !x.ruled[r.signature] || !r.has && r.keptReason < 0 {
				continue
			}
			s := under[r.signature]
			if s == nil {
				const most = 20 // signatures: more are of sources that answered otherwise
				if len(under) >= most {
					continue
				}
				var err error
				if s, err = x.rescore(x.rules[r.signature]); err != nil {
					continue // impossible: ruleOf has checked it
				}
				under[r.signature] = s
			}
			for k, want := range r.numbers {
				if got := s.numbers[i][k]; !(math.Abs(got-want) <= 1e-9) && !math.IsNaN(want) {
					x.miss(wrongScores, "change %q, system %q: %s is %v in the row, and %v by its similarities",
						x.changes[c].key, x.systems.names[r.system], dimensions[k], want, got)
					break
				}
			}
		}
	}
}

var dimensions = [3]string{"con", "comp", "rel"}

// number reads a number that is finite.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = errors.New("it is not finite")
	}
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a number", s)
	}
	return v, nil
}
