package bench

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"crscore"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/score"
	"crscore/sts"
)

// Missing says what happens to pull requests without an answer.
type Missing string

const (
	// CountMissed counts all their references as missed.
	CountMissed Missing = "missed"
	// Skip leaves them out of the system's sums, as the runner of AACR-Bench does.
	Skip Missing = "skip"
)

// Options say how comments are matched and counted.
type Options struct {
	// Lines is the number of lines that a comment may be off; upstream's is 1. By are some of Parts.
	Matcher Matcher
	Lines   int
	Assign  Assign
	Missing Missing
	By      []string
	// Raw keeps the parts that review bots add (see sts.Written). The matcher gets texts without them.
	Raw bool
	// Tiers asks for matches at other distances. The matcher then judges all pairs of a file.
	Tiers bool
	// Explain asks for Report.Cases; Code gives the lines at a place of a pull request, "" for none.
	Explain bool
	Code    func(id string, p Place) string
	// Bootstrap says how pull requests are drawn for intervals.
	Bootstrap resample.Bootstrap
}

// read is a comment as the matcher gets it.
func (o *Options) read(comment string) string {
	if o.Raw {
		return comment
	}
	return sts.Written(comment)
}

// byLanguage is the part that comments have too.
const byLanguage = "lang"

// Parts are what the references can be parted by.
func Parts() []string { return []string{byLanguage, "category", "context", "origin", "model"} }

// part is the value of a reference for one of Parts.
func part(by string, p *PullRequest, r *Reference) string {
	return [...]string{p.Language, r.Category, r.Context, r.Origin, r.Model}[slices.Index(Parts(), by)]
}

// tier is another distance, in lines.
type tier struct {
	name string
	far  int
}

func tiers() []tier { return []tier{{"exact", 0}, {"≤1", 1}, {"≤3", 3}, {"file", noLines}} }

// study counts the matches of one system. The columns of its tally are invalid hits and comments
// that are neither, and then, for each part, comments, references, and matches by lines and in
// full. The first part is the whole. Comments are NaN for a part that comments do not have.
type study struct {
	o *Options
	*SystemReport
	parts []*Matched
	tally [][]float64 // by counted pull requests
}

const (
	colInvalid = iota
	colNeither
	colParts
	partWidth = 4
)

// ratio is a number that is computed from sums of columns.
type ratio struct {
	to      *resample.Estimate
	top, by int
	also    int // F1 of top/by and top/also; 0: top/by alone
	why     string
}

// of computes a ratio, NaN where it is undefined.
func (r ratio) of(sums []float64, rounded bool) float64 {
	p := round(sums[r.top]/sums[r.by], rounded)
	if r.also == 0 {
		return p
	}
	return score.HarmonicMean(p, round(sums[r.top]/sums[r.also], rounded))
}

// round rounds to three decimals, as upstream does, if asked to.
func round(v float64, asked bool) float64 {
	if asked && !math.IsNaN(v) {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 3, 64), 64) // what it wrote itself
	}
	return v
}

// Study holds systems against a benchmark.
func Study(ctx context.Context, b *Benchmark, systems []*System, o Options) (*Report, error) {
	resamples, err := o.Bootstrap.Draws()
	if err != nil {
		return nil, err
	}
	for _, name := range o.By {
		if !slices.Contains(Parts(), name) {
			return nil, fmt.Errorf("references cannot be parted by %q: choose some of %v", name, Parts())
		}
	}
	rep := &Report{
		PullRequests: len(b.Pulls), Resamples: resamples, Seed: o.Bootstrap.Seed, Warnings: slices.Clone(b.Warnings),
		Signature: fmt.Sprintf("crscore/%s bench/2 %s written=%s lines=%d assign=%s missing=%s %s",
			crscore.Version, o.Matcher.Signature(), sts.WrittenSignature(o.Raw), o.Lines, o.Assign, o.Missing, b.Signature),
	}
	all := make([]*study, len(systems))
	for k, s := range systems {
		all[k] = newStudy(b, s, &o)
		rep.Systems = append(rep.Systems, all[k].SystemReport)
		rep.Warnings = append(rep.Warnings, s.Warnings()...)
	}
	for i := range b.Pulls {
		p := &b.Pulls[i]
		rep.References, rep.Invalid = rep.References+len(p.References), rep.Invalid+len(p.Invalid)
		met, err := meetAll(ctx, p, systems, &o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
		for k, st := range all {
			a := systems[k].Answers[p.ID]
			full, invalid := st.count(p, a, met[k])
			rep.rows = append(rep.rows, st.row(p, a, rep.Signature))
			if o.Explain {
				rep.Cases = append(rep.Cases, st.explain(p, a, full, invalid))
			}
		}
	}
	for _, st := range all {
		if err := st.estimate(ctx); err != nil {
			return nil, err
		}
		if st.Missing > 0 {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf(
				"%s: pull requests without an answer: %d of %d; their references %s", st.Name, st.Missing, len(b.Pulls),
				map[Missing]string{CountMissed: "count as missed", Skip: "are left out"}[o.Missing]))
		}
		if st.Undecided > 0 {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf(
				"%s: pairs that the matcher could not judge, which count as no match: %d", st.Name, st.Undecided))
		}
	}
	return rep, nil
}

// newStudy lists the parts of a system's numbers: the whole, tiers and slices by their values.
func newStudy(b *Benchmark, s *System, o *Options) *study {
	st := &study{o: o, SystemReport: &SystemReport{Name: s.Name, Unreadable: len(s.Broken), Spent: s.spent(b)}}
	if o.Tiers {
		for _, t := range tiers() {
			st.Tiers = append(st.Tiers, &Slice{By: "distance", Value: t.name})
		}
	}
	for _, by := range Parts() {
		values := map[string]bool{}
		for i := range b.Pulls {
			for j := range b.Pulls[i].References {
				values[part(by, &b.Pulls[i], &b.Pulls[i].References[j])] = true
			}
		}
		for _, v := range slices.Sorted(maps.Keys(values)) {
			if slices.Contains(o.By, by) {
				st.Slices = append(st.Slices, &Slice{By: by, Value: v})
			}
		}
	}
	st.parts = []*Matched{&st.Matched}
	for _, s := range slices.Concat(st.Tiers, st.Slices) {
		st.parts = append(st.parts, &s.Matched)
	}
	return st
}

// spent averages what the answers to the pull requests took.
func (s *System) spent(b *Benchmark) (out dataset.Members[float64]) {
	for i, name := range spentNames {
		sum, n := 0.0, 0
		for k := range b.Pulls {
			if a := s.Answers[b.Pulls[k].ID]; a != nil && a.Spent[i] != nil {
				sum, n = sum+*a.Spent[i], n+1
			}
		}
		if n > 0 {
			out = append(out, dataset.Member[float64]{Name: name, Value: sum / float64(n)})
		}
	}
	return out
}

// met are the edges to references and to known-invalid comments.
type met [2][]edge

// meetAll judges what meets in a pull request, for all systems at once: each pair of texts once.
func meetAll(ctx context.Context, p *PullRequest, systems []*System, o *Options) ([]met, error) {
	far := o.Lines
	if o.Tiers {
		far = noLines
	}
	var pairs []Pair
	at := map[Pair]int{}
	out := make([]met, len(systems))
	each := func(use func(e *edge, pair Pair)) {
		for k, s := range systems {
			for i, list := range [2][]Reference{p.References, p.Invalid} {
				for n := range out[k][i] {
					e := &out[k][i][n]
					use(e, Pair{o.read(s.Answers[p.ID].Comments[e.comment].Text), o.read(list[e.reference].Note)})
				}
			}
		}
	}
	for k, s := range systems {
		if a := s.Answers[p.ID]; a != nil {
			out[k] = met{meet(a.Comments, p.References, far), meet(a.Comments, p.Invalid, o.Lines)}
		}
	}
	each(func(_ *edge, pair Pair) {
		if _, known := at[pair]; !known {
			at[pair] = len(pairs)
			pairs = append(pairs, pair)
		}
	})
	verdicts, err := o.Matcher.Match(ctx, pairs)
	if err == nil && len(verdicts) != len(pairs) {
		err = fmt.Errorf("the matcher gave %d verdicts on %d pairs", len(verdicts), len(pairs))
	}
	if err != nil {
		return nil, err
	}
	each(func(e *edge, pair Pair) { e.Verdict = verdicts[at[pair]] })
	return out, ctx.Err()
}

// assigned gives comments to references by the edges that fit.
func (s *study) assigned(all []edge, fits func(e *edge) bool) []*edge {
	var some []*edge
	for i := range all {
		if fits(&all[i]) {
			some = append(some, &all[i])
		}
	}
	if s.o.Assign == Upstream {
		return greedy(some)
	}
	return optimal(some)
}

// count adds a pull request to the tally, and returns the full matches with references and with
// known-invalid comments.
func (s *study) count(p *PullRequest, a *Answer, met met) (full, invalid []*edge) {
	if a != nil {
		s.Answered++
	} else if s.Missing++; s.o.Missing == Skip {
		return nil, nil
	} else {
		a = &Answer{}
	}
	near := func(e *edge) bool { return within(e.distance, s.o.Lines) }
	lines := s.assigned(met[0], near)
	full = s.assigned(met[0], func(e *edge) bool { return near(e) && e.Same })
	matched := map[int]bool{}
	for _, e := range full {
		matched[e.comment] = true
	}
	invalid = s.assigned(met[1], func(e *edge) bool { return near(e) && e.Same && !matched[e.comment] })
	for i := range met {
		for k := range met[i] {
			if e := &met[i][k]; near(e) && e.Undecided != "" {
				s.Undecided++
			}
		}
	}
	comments, references := float64(len(a.Comments)), float64(len(p.References))
	row := []float64{float64(len(invalid)), float64(len(a.Comments) - len(full) - len(invalid))}
	row = append(row, comments, references, float64(len(lines)), float64(len(full)))
	if s.o.Tiers {
		for _, t := range tiers() {
			fits := func(e *edge) bool { return e.distance <= t.far }
			byLine, both := s.assigned(met[0], fits), s.assigned(met[0], func(e *edge) bool { return fits(e) && e.Same })
			row = append(row, comments, references, float64(len(byLine)), float64(len(both)))
		}
	}
	for _, slice := range s.Slices {
		counts := [partWidth]float64{math.NaN(), 0, 0, 0}
		in := func(r int) bool { return part(slice.By, p, &p.References[r]) == slice.Value }
		if slice.By == byLanguage {
			counts[0] = 0
			if p.Language == slice.Value {
				counts[0] = comments
			}
		}
		for r := range p.References {
			if in(r) {
				counts[1]++
			}
		}
		for i, list := range [2][]*edge{lines, full} {
			for _, e := range list {
				if in(e.reference) {
					counts[2+i]++
				}
			}
		}
		row = append(row, counts[:]...)
	}
	s.tally = append(s.tally, row)
	return full, invalid
}

// estimate computes the totals, and all ratios with intervals.
func (s *study) estimate(ctx context.Context) error {
	sum := func(sums []float64, drawn []int32) {
		clear(sums)
		for i, row := range s.tally {
			if n := float64(drawn[i]); n > 0 {
				for k, v := range row {
					sums[k] += n * v
				}
			}
		}
	}
	width := colParts + partWidth*len(s.parts)
	sums := make([]float64, width)
	sum(sums, slices.Repeat([]int32{1}, len(s.tally)))
	ratios := s.totals(sums)
	estimates, err := s.o.Bootstrap.Estimates(ctx, len(s.tally), len(ratios), func() func([]int32, []float64) {
		sums := make([]float64, width)
		return func(drawn []int32, out []float64) {
			sum(sums, drawn)
			for k, r := range ratios {
				out[k] = r.of(sums, s.o.Assign == Upstream)
			}
		}
	}, func(k int) string { return ratios[k].why })
	if err != nil {
		return err
	}
	for k, r := range ratios {
		*r.to = estimates[k]
	}
	return nil
}

// totals sets the counts, and lists the ratios.
func (s *study) totals(sums []float64) []ratio {
	const silent, nothing = "no comments", "no references"
	s.Comments, s.Invalid, s.Neither = int(sums[colParts]), int(sums[colInvalid]), int(sums[colNeither])
	if s.Answered > 0 {
		per := sums[colParts] / float64(s.Answered)
		s.PerPull = &per
	}
	ratios := []ratio{
		{&s.InvalidShare, colInvalid, colParts, 0, silent}, {&s.NeitherShare, colNeither, colParts, 0, silent},
	}
	for k, m := range s.parts {
		at := colParts + partWidth*k
		why := silent
		if math.IsNaN(sums[at]) {
			why = "comments have no such part"
		}
		m.References = int(sums[at+1])
		for i, n := range []*Numbers{&m.Lines, &m.Full} {
			top := at + 2 + i
			n.Matches = int(sums[top])
			ratios = append(ratios, ratio{&n.Precision, top, at, 0, why}, ratio{&n.Recall, top, at + 1, 0, nothing},
				ratio{&n.F1, top, at, at + 1, why + " or " + nothing})
		}
	}
	return ratios
}

// row is the score of the pull request that was counted last.
func (s *study) row(p *PullRequest, a *Answer, signature string) dataset.Row {
	r := dataset.Row{ID: p.ID, Review: s.Name, System: s.Name, Status: "unscored", Kind: score.KindBench, Signature: signature, Lang: p.Language}
	switch {
	case a == nil:
		r.Reason = "no answer"
	case len(a.Comments) == 0:
		r.Reason = "no comments, so that there is no precision"
	case len(p.References) == 0:
		r.Reason = "no references, so that there is no recall"
	default:
		value := func(by, also int) *float64 {
			v := ratio{top: colParts + 3, by: by, also: also}.of(s.tally[len(s.tally)-1], s.o.Assign == Upstream)
			return &v
		}
		r.Status, r.Con, r.Comp, r.Rel = "scored", value(colParts, 0), value(colParts+1, 0), value(colParts, colParts+1)
	}
	return r
}

// Rows are scores for package compare: full precision as con, recall as comp, F1 as rel, a row a
// system and pull request. A row with an undefined number is unscored.
func (r *Report) Rows() []dataset.Row { return r.rows }

// explain lists what was found and what was not.
func (s *study) explain(p *PullRequest, a *Answer, full, wrong []*edge) Case {
	c := Case{s.Name, p.ID, a == nil, []Match{}, []Missed{}, []Unmatched{}}
	code := func(at Place) string { return "" }
	if s.o.Code != nil {
		code = func(at Place) string { return s.o.Code(p.ID, at) }
	}
	served, used, invalid := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, e := range full {
		served[e.reference], used[e.comment] = true, true
		m := Match{Comment: e.comment + 1, Reference: e.reference + 1, Score: e.Score}
		if e.distance != noLines {
			m.Distance = &e.distance
		}
		c.Matches = append(c.Matches, m)
	}
	for _, e := range wrong {
		invalid[e.comment] = true
	}
	for r, ref := range p.References {
		if !served[r] {
			c.Missed = append(c.Missed, Missed{ref, code(ref.Place)})
		}
	}
	if a == nil {
		return c
	}
	for g, comment := range a.Comments {
		if !used[g] {
			c.Unmatched = append(c.Unmatched, Unmatched{comment.Place, comment.Text, invalid[g], code(comment.Place)})
		}
	}
	return c
}
