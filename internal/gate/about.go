package gate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"crscore"
	"crscore/change"
	"crscore/internal/comments"
	"crscore/sts/aboutness"
)

// spot is the hunks of a file that a comment is compared with. All of a file, or of the change,
// is first 0 and last -1.
type spot struct {
	file, first, last int
}

// wholeChange is the spot of a comment without a file.
var wholeChange = spot{-1, 0, -1}

// mostHunks is the greatest number of hunks that a spot names; more are the whole file.
const mostHunks = 8

// textsAtOnce bounds the texts that the encoder gets at a time.
const textsAtOnce = 256

// findAbout finds how likely each comment is about the hunk that it stands at.
func (j *judge) findAbout(ctx context.Context) error {
	model := j.d.Policy.Model
	if model == nil {
		var err error
		if model, err = aboutness.Builtin(); err != nil {
			return err
		}
	}
	j.d.Signature += " aboutness=" + model.Signature()
	at := make(map[spot][]int)
	var order []spot
	for i := range j.list {
		if j.d.Comments[i].Status != crscore.Scored || j.list[i].Summary {
			continue
		}
		s := j.places.spot(j.list[i])
		if at[s] == nil {
			order = append(order, s)
		}
		at[s] = append(at[s], i)
	}
	for _, s := range order { // a hunk at a time: together they could take much memory
		h := model.Hunk(j.places.code(s)...)
		for list := range slices.Chunk(at[s], textsAtOnce) {
			if err := j.about(ctx, model, h, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// about compares comments with the hunk that all of them stand at.
func (j *judge) about(ctx context.Context, model *aboutness.Model, h *aboutness.Hunk, list []int) error {
	texts, parts := make([]*aboutness.Text, len(list)), slices.Clone(h.Changed)
	for k, i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		texts[k] = model.Text(j.list[i].Body)
		parts = append(parts, texts[k].Sentences...)
	}
	vectors, err := j.engine.Vectors(ctx, parts)
	if err != nil {
		return fmt.Errorf("comparing comments with their hunks: %w", err)
	}
	n := len(h.Changed)
	changed := mean(h.Changed, vectors[:n])
	for k, i := range list {
		from := n
		n += len(texts[k].Sentences)
		j.vectors[i] = mean(texts[k].Sentences, vectors[from:n])
		e := model.Compare(texts[k], h, cosine(changed, j.vectors[i]))
		if err := j.topic(i, model, texts[k], e); err != nil {
			return err
		}
	}
	return nil
}

// mean is the sum of the vectors of texts, each times the bytes of its text.
func mean(texts []string, vectors [][]float32) []float64 {
	var out []float64
	for i, v := range vectors {
		if out == nil {
			out = make([]float64, len(v))
		}
		for k := range v {
			out[k] += float64(len(texts[i])) * float64(v[k])
		}
	}
	return out
}

// cosine is 0 for a vector of nothing.
func cosine(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i]*b[i]), aa+float64(a[i]*a[i]), bb+float64(b[i]*b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// spot is where a settled comment stands: the hunks with any of its lines, or the nearest one; its
// file, if it names no line; the change, if the change does not have its file.
func (p *places) spot(c comments.Comment) spot {
	i, err := p.file(c)
	switch {
	case err != nil:
		return wholeChange
	case c.Lost || c.DiffLine > 0 || c.EndLine <= 0:
		return spot{i, 0, -1}
	}
	side := change.New
	if c.Side == comments.Old {
		side = change.Old
	}
	list := p.layout(i).sides[side]
	if len(list) == 0 {
		return spot{i, 0, -1}
	}
	from, to := overlap(list, c.StartLine, c.EndLine)
	if from >= to { // between two hunks, or at an end
		near := slices.MinFunc(list[max(to-1, 0):min(from+1, len(list))], func(a, b extent) int {
			return cmp.Compare(a.distance(c), b.distance(c))
		})
		return spot{i, near.hunk, near.hunk}
	}
	if to-from > mostHunks {
		return spot{i, 0, -1}
	}
	s := spot{i, list[from].hunk, list[from].hunk}
	for _, e := range list[from:to] {
		s.first, s.last = min(s.first, e.hunk), max(s.last, e.hunk)
	}
	if s.last-s.first >= mostHunks { // of a diff out of order
		return spot{i, 0, -1}
	}
	return s
}

// distance is the number of lines between a hunk and a comment.
func (e extent) distance(c comments.Comment) int {
	return max(e.first-c.EndLine, c.StartLine-e.last, 0)
}

// code is the text of a spot.
func (p *places) code(s spot) (out []aboutness.Code) {
	if s == wholeChange {
		for i := range p.change.Files {
			out = append(out, p.code(spot{i, 0, -1})...)
		}
		return out
	}
	f := &p.change.Files[s.file]
	if s.last < s.first {
		s.last = len(f.Hunks) - 1
	}
	for i := s.first; i <= s.last; i++ {
		h := &f.Hunks[i]
		c := aboutness.Code{Path: f.Path(), Heading: h.Section}
		for _, l := range h.Lines {
			if l.Op == change.Context {
				c.Kept = append(c.Kept, l.Text)
			} else {
				c.Changed = append(c.Changed, l.Text)
			}
		}
		out = append(out, c)
	}
	return out
}
