// Package consistency measures how many of a review bot's comments stay when the code changes its
// form and not its meaning (package perturb): kept, lost and new, by perturbation and by where
// the code was rewritten.
package consistency

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"crscore"
	"crscore/eval/bench"
	"crscore/eval/perturb"
	"crscore/eval/perturb/stability"
	"crscore/eval/resample"
	"crscore/internal/comments"
	"crscore/internal/dataset"
)

// Position tells where the nearest rewriting is, seen from a comment.
type Position string

// The positions.
const (
	Before  Position = "before"  // above the comment's lines
	Inside  Position = "inside"  // in them
	After   Position = "after"   // below them
	NoLines Position = "nowhere" // the comment has no lines, or the rewriting none on its side
)

// Positions are all of them.
func Positions() []Position { return []Position{Before, Inside, After, NoLines} }

// Variant is a variant with the rewriting that made it.
type Variant struct {
	// ID is the id of the variant, such as 7988#p8.1, Of that of the change.
	ID, Of string
	// Perturbation is what was done.
	Perturbation perturb.ID
	names        map[string]string
	lines        [2][]int // what the lines of the old and the new text became; nil: they stay
	from, to     [2][]int // lines that were rewritten: of the original, and of the variant
}

// Repeat makes a variant once more from its original, the row p0 of the same change. The error
// is that of a row that these rules would not make.
func Repeat(ctx context.Context, original, variant *dataset.Record) (*Variant, error) {
	of, id, number, ok := stability.SplitID(variant.ID)
	seed, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil {
		return nil, fmt.Errorf("%q is no id of a variant, such as 7988#p8.1", variant.ID)
	}
	p := perturb.Identity()
	if i := slices.IndexFunc(perturb.All(), func(p perturb.Perturbation) bool { return p.ID == id }); i >= 0 {
		p = perturb.All()[i]
	} else if id != p.ID {
		return nil, fmt.Errorf("%s: no perturbation %q", variant.ID, id)
	}
	rec := *original
	rec.ID = of
	again, v, err := stability.Of(ctx, &rec, p, seed)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%s: its original cannot be rewritten so: %w", variant.ID, err)
	case !equal(variant.Old, again.Old) || !equal(variant.New, again.New) || again.Old == nil && variant.Diff != again.Diff:
		return nil, fmt.Errorf("%s: other texts than perturb makes of its original: they are of another version, or were edited", variant.ID)
	case v.Old != nil && (rec.Old == nil || rec.New == nil):
		return nil, fmt.Errorf("%s: its original has no whole texts", variant.ID)
	}
	out := &Variant{ID: variant.ID, Of: of, Perturbation: id, names: v.Names}
	if stability.FromHunks(v) { // new names stand on the lines of the old ones
		return out, nil
	}
	for side, text := range []*string{rec.Old, rec.New} {
		r := []*perturb.Rewritten{v.Old, v.New}[side]
		out.lines[side] = r.Lines(*text)
		out.from[side], out.to[side] = touched(*text, r)
	}
	return out, nil
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// touched are the lines around new pieces, in both texts.
func touched(original string, r *perturb.Rewritten) (from, to []int) {
	line := func(text string, at int) int { return 1 + strings.Count(text[:min(at, len(text))], "\n") }
	at, last := 0, 0
	for _, p := range r.Pieces {
		if p.Text != "" || p.From != last { // new, or moved
			from = append(from, line(original, p.From))
			to = append(to, line(r.Text, at))
			if p.Text != "" {
				to = append(to, line(r.Text, at+p.Len()))
			}
		}
		at, last = at+p.Len(), p.To
	}
	slices.Sort(from)
	slices.Sort(to)
	return slices.Compact(from), slices.Compact(to)
}

func sideOf(c comments.Comment) int {
	if c.Side == comments.Old {
		return 0
	}
	return 1
}

// moved is a comment on the original, in the lines and names of the variant.
func (v *Variant) moved(c comments.Comment) comments.Comment {
	side := sideOf(c)
	for _, l := range []*int{&c.StartLine, &c.EndLine} {
		switch lines := v.lines[side]; {
		case lines == nil:
		case *l > len(lines):
			*l = 0
		case *l > 0:
			*l = lines[*l-1]
		}
	}
	c.StartLine, c.EndLine = min(c.StartLine, c.EndLine), max(c.StartLine, c.EndLine)
	if c.StartLine == 0 {
		c.StartLine = c.EndLine
	}
	c.Body = stability.Renamed(c.Body, v.names)
	return c
}

// position is where the nearest of the rewritten lines is.
func position(c comments.Comment, lines []int) Position {
	if c.EndLine == 0 || len(lines) == 0 {
		return NoLines
	}
	first, last := cmp.Or(c.StartLine, c.EndLine), c.EndLine
	best, far := NoLines, 0
	for _, l := range lines {
		var p Position
		var d int
		switch {
		case l < first:
			p, d = Before, first-l
		case l > last:
			p, d = After, l-last
		default:
			return Inside
		}
		if best == NoLines || d < far {
			best, far = p, d
		}
	}
	return best
}

// Outcome is what became of the comments on a change.
type Outcome struct {
	// Change is the change, ID its variant.
	Change, ID string
	// Perturbation is what was done.
	Perturbation perturb.ID
	// Kept, Lost and New count comments by position. Kept and lost ones are seen in the original.
	Kept, Lost, New map[Position]int
	// Undecided counts pairs that the matcher could not judge.
	Undecided int
	// Scores are those of the comments on the change and on the variant; nil: none were asked for.
	Scores *[2]crscore.Result
}

// Options are the options of a comparison.
type Options struct {
	// Matcher judges whether two comments mean the same, Lines is how many lines they may be apart.
	Matcher bench.Matcher
	Lines   int
	// Scorer scores the comments too; nil scores none.
	Scorer *Scorer
	// Bootstrap draws changes for intervals.
	Bootstrap resample.Bootstrap
}

// Compare matches the comments on a change with those on its variant, one to one.
func Compare(ctx context.Context, v *Variant, before, after []comments.Comment, o Options) (*Outcome, error) {
	out := &Outcome{Change: v.Of, ID: v.ID, Perturbation: v.Perturbation, Kept: map[Position]int{}, Lost: map[Position]int{}, New: map[Position]int{}}
	verdicts := make([][]bench.Verdict, len(before))
	var pairs []bench.Pair
	var at [][2]int
	for i, b := range before {
		verdicts[i] = make([]bench.Verdict, len(after))
		m := v.moved(b)
		for k, a := range after {
			if meet(m, a, o.Lines) {
				pairs, at = append(pairs, bench.Pair{Generated: a.Body, Reference: m.Body}), append(at, [2]int{i, k})
			}
		}
	}
	if len(pairs) > 0 {
		all, err := o.Matcher.Match(ctx, pairs)
		if err != nil {
			return nil, err
		}
		for n, verdict := range all {
			verdicts[at[n][0]][at[n][1]] = verdict
			if verdict.Undecided != "" {
				out.Undecided++
			}
		}
	}
	matched, err := bench.Assignment(ctx, verdicts)
	if err != nil {
		return nil, err
	}
	taken := map[int]bool{}
	for i, b := range before {
		to := out.Lost
		if matched[i] >= 0 {
			to = out.Kept
			taken[matched[i]] = true
		}
		to[position(b, v.from[sideOf(b)])]++
	}
	for k, a := range after {
		if !taken[k] {
			out.New[position(a, v.to[sideOf(a)])]++
		}
	}
	return out, nil
}

// meet reports whether two comments may be about the same place.
func meet(a, b comments.Comment, lines int) bool {
	if a.Path != "" && b.Path != "" && a.Path != b.Path || a.EndLine > 0 && b.EndLine > 0 && sideOf(a) != sideOf(b) {
		return false
	}
	if a.EndLine == 0 || b.EndLine == 0 {
		return true
	}
	return cmp.Or(a.StartLine, a.EndLine)-lines <= b.EndLine && cmp.Or(b.StartLine, b.EndLine)-lines <= a.EndLine
}

// ErrNone is the error of a comparison without a variant.
var ErrNone = errors.New("no variant has comments on both sides")
