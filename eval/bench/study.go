package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"crscore"
	"crscore/eval/resample"
	"crscore/internal/report"
)

// Missing says what happens to pull requests without an answer.
type Missing string

const (
	// Missed counts all their references as missed.
	Missed Missing = "missed"
	// Skip leaves them out of the system's sums, as the runner of AACR-Bench does.
	Skip Missing = "skip"
)

// Options say how comments are matched and counted.
type Options struct {
	// Matcher judges the meaning.
	Matcher Matcher
	// Lines is the number of lines that a comment may be off; upstream's is 1.
	Lines int
	// Assign is Best or Upstream, Missing is Missed or Skip.
	Assign  Assign
	Missing Missing
	// By are some of Parts.
	By []string
	// Tiers asks for matches at other distances. The matcher then judges all pairs of a file.
	Tiers bool
	// Explain asks for Report.Cases; Code gives the lines at a place of a pull request, "" for none.
	Explain bool
	Code    func(id string, p Place) string
	// Bootstrap says how pull requests are drawn for intervals.
	Bootstrap resample.Bootstrap
}

// part parts the references.
type part struct {
	name string
	of   func(p *PullRequest, r *Reference) string
}

func parts() []part {
	return []part{
		{"lang", func(p *PullRequest, _ *Reference) string { return p.Language }},
		{"category", func(_ *PullRequest, r *Reference) string { return r.Category }},
		{"context", func(_ *PullRequest, r *Reference) string { return r.Context }},
		{"origin", func(_ *PullRequest, r *Reference) string { return r.Origin }},
		{"model", func(_ *PullRequest, r *Reference) string { return r.Model }},
	}
}

// Parts are what the references can be parted by.
func Parts() (names []string) {
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// tiers are other distances, and their names.
var tiers = []struct {
	name string
	fits func(e *edge) bool
}{
	{"exact", func(e *edge) bool { return e.distance == 0 }},
	{"≤1", func(e *edge) bool { return e.distance <= 1 }},
	{"≤3", func(e *edge) bool { return e.distance <= 3 }},
	{"file", func(*edge) bool { return true }},
}

// study counts the matches of one system.
type study struct {
	o *Options
	*SystemReport
	tally  [][]float64 // by counted pull requests: the columns below
	ratios []ratio
}

// The columns of a tally. Others follow for tiers and slices.
const (
	colComments = iota
	colReferences
	colLines
	colFull
	colInvalid
	colNeither
	ownColumns
)

// none is the column of what is not counted.
const none = -1

// ratio is a number that is computed from sums of columns.
type ratio struct {
	to       *resample.Estimate
	top      int
	by, also int // also: F1 of top/by and top/also
	why      string
}

// of computes a ratio, NaN where it is undefined.
func (r ratio) of(sums []float64, rounded bool) float64 {
	if r.by == none {
		return math.NaN()
	}
	p := sums[r.top] / sums[r.by]
	if r.also == none {
		return round(p, rounded)
	}
	return F1(round(p, rounded), round(sums[r.top]/sums[r.also], rounded))
}

// F1 is 2PR/(P+R), and 0 where both are 0.
func F1(precision, recall float64) float64 {
	if precision+recall == 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
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
		Signature: fmt.Sprintf("crscore/%s bench/1 %s lines=%d assign=%s missing=%s %s",
			crscore.Version, o.Matcher.Signature(), o.Lines, o.Assign, o.Missing, b.Signature),
	}
	var all []*study
	for _, s := range systems {
		st := &study{o: &o, SystemReport: &SystemReport{Name: s.Name, Unreadable: len(s.Broken)}}
		all, rep.Systems = append(all, st), append(rep.Systems, st.SystemReport)
		rep.Warnings = append(rep.Warnings, s.Warnings()...)
	}
	keys := slicesOf(b, o.By)
	for i := range b.Pulls {
		p := &b.Pulls[i]
		rep.References, rep.Invalid = rep.References+len(p.References), rep.Invalid+len(p.Invalid)
		met, err := meetAll(ctx, p, systems, &o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
		for k, st := range all {
			a := systems[k].Answers[p.ID]
			found, err := st.count(ctx, p, a, met[k], keys)
			if err != nil {
				return nil, err
			}
			rep.rows = append(rep.rows, st.row(p, a, rep.Signature))
			if o.Explain {
				rep.Cases = append(rep.Cases, st.explain(p, a, found))
			}
		}
	}
	for k, st := range all {
		st.spend(b, systems[k])
		if err := st.estimate(ctx, keys); err != nil {
			return nil, err
		}
		if st.Missing > 0 {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s: pull requests without an answer: %d of %d; their references %s",
				st.Name, st.Missing, len(b.Pulls), map[Missing]string{Missed: "count as missed", Skip: "are left out"}[o.Missing]))
		}
		if st.Undecided > 0 {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s: pairs that the matcher could not judge, which count as no match: %d", st.Name, st.Undecided))
		}
	}
	return rep, nil
}

// key names a slice.
type key struct{ by, value string }

// slicesOf lists the slices of the references, in the order of by, then by value.
func slicesOf(b *Benchmark, by []string) (out []key) {
	for _, pt := range parts() {
		if !slices.Contains(by, pt.name) {
			continue
		}
		values := map[string]bool{}
		for i := range b.Pulls {
			for j := range b.Pulls[i].References {
				values[pt.of(&b.Pulls[i], &b.Pulls[i].References[j])] = true
			}
		}
		for _, v := range slices.Sorted(maps.Keys(values)) {
			out = append(out, key{pt.name, v})
		}
	}
	return out
}

// edges are the places that meet in a pull request.
type edges struct{ valid, invalid []edge }

// meetAll judges what meets in a pull request, for all systems at once: each pair of texts once.
func meetAll(ctx context.Context, p *PullRequest, systems []*System, o *Options) ([]edges, error) {
	var pairs []Pair
	at := map[Pair]int{}
	out := make([]edges, len(systems))
	each := func(use func(e *edge, pair Pair)) {
		for k, s := range systems {
			for i := range out[k].valid {
				e := &out[k].valid[i]
				use(e, Pair{s.Answers[p.ID].Comments[e.comment].Text, cutDetails(p.References[e.reference].Note)})
			}
			for i := range out[k].invalid {
				e := &out[k].invalid[i]
				use(e, Pair{s.Answers[p.ID].Comments[e.comment].Text, cutDetails(p.Invalid[e.reference].Note)})
			}
		}
	}
	far := o.Lines
	if o.Tiers {
		far = noLines
	}
	for k, s := range systems {
		if a := s.Answers[p.ID]; a != nil {
			out[k] = edges{meet(a.Comments, p.References, far), meet(a.Comments, p.Invalid, o.Lines)}
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
		err = errors.New("the matcher gave another number of verdicts")
	}
	if err != nil {
		return nil, err
	}
	each(func(e *edge, pair Pair) { e.Verdict = verdicts[at[pair]] })
	return out, nil
}

// assigned gives comments to references by the edges that fit.
func (s *study) assigned(ctx context.Context, all []edge, fits func(e *edge) bool) ([]*edge, error) {
	var some []*edge
	for i := range all {
		if fits(&all[i]) {
			some = append(some, &all[i])
		}
	}
	if s.o.Assign == Upstream {
		return greedy(some), nil
	}
	return optimal(ctx, some)
}

// found are the full matches of a pull request.
type found struct{ valid, invalid []*edge }

// count adds a pull request to the tally.
func (s *study) count(ctx context.Context, p *PullRequest, a *Answer, met edges, keys []key) (f found, err error) {
	if a == nil {
		s.Missing++
		if s.o.Missing == Skip {
			return f, nil
		}
		a = &Answer{}
	} else {
		s.Answered++
	}
	near := func(e *edge) bool { return e.within(s.o.Lines) }
	same := func(e *edge) bool { return near(e) && e.Same }
	lines, err := s.assigned(ctx, met.valid, near)
	if err != nil {
		return f, err
	}
	if f.valid, err = s.assigned(ctx, met.valid, same); err != nil {
		return f, err
	}
	matched := map[int]bool{}
	for _, e := range f.valid {
		matched[e.comment] = true
	}
	if f.invalid, err = s.assigned(ctx, met.invalid, func(e *edge) bool { return same(e) && !matched[e.comment] }); err != nil {
		return f, err
	}
	for _, list := range [2][]edge{met.valid, met.invalid} {
		for i := range list {
			if near(&list[i]) && list[i].Undecided != "" {
				s.Undecided++
			}
		}
	}
	row := []float64{
		colComments: float64(len(a.Comments)), colReferences: float64(len(p.References)), colLines: float64(len(lines)),
		colFull: float64(len(f.valid)), colInvalid: float64(len(f.invalid)), colNeither: float64(len(a.Comments) - len(f.valid) - len(f.invalid)),
	}
	if s.o.Tiers {
		for _, t := range tiers {
			byLine, err := s.assigned(ctx, met.valid, t.fits)
			if err != nil {
				return f, err
			}
			full, err := s.assigned(ctx, met.valid, func(e *edge) bool { return t.fits(e) && e.Same })
			if err != nil {
				return f, err
			}
			row = append(row, float64(len(byLine)), float64(len(full)))
		}
	}
	s.tally = append(s.tally, append(row, sliced(p, a, keys, lines, f.valid)...))
	return f, nil
}

// sliced counts, for each slice, comments, references, and matches by lines and in full.
func sliced(p *PullRequest, a *Answer, keys []key, lines, full []*edge) []float64 {
	row := make([]float64, 4*len(keys))
	for _, pt := range parts() {
		for k, key := range keys {
			if key.by != pt.name {
				continue
			}
			in := func(r int) bool { return pt.of(p, &p.References[r]) == key.value }
			if pt.name == "lang" && p.Language == key.value {
				row[4*k] = float64(len(a.Comments))
			}
			for r := range p.References {
				if in(r) {
					row[4*k+1]++
				}
			}
			for i, list := range [2][]*edge{lines, full} {
				for _, e := range list {
					if in(e.reference) {
						row[4*k+2+i]++
					}
				}
			}
		}
	}
	return row
}

// estimate computes all ratios with intervals.
func (s *study) estimate(ctx context.Context, keys []key) error {
	s.Counted = len(s.tally)
	add := func(n *Numbers, matches, comments, references int) {
		const silent, nothing = "no comments", "no references"
		why := silent
		if comments == none {
			why = "comments are not parted"
		}
		s.ratios = append(s.ratios, ratio{&n.Precision, matches, comments, none, why},
			ratio{&n.Recall, matches, references, none, nothing}, ratio{&n.F1, matches, comments, references, why + " or " + nothing})
	}
	add(&s.Lines, colLines, colComments, colReferences)
	add(&s.Full, colFull, colComments, colReferences)
	s.ratios = append(s.ratios, ratio{&s.InvalidShare, colInvalid, colComments, none, "no comments"},
		ratio{&s.NeitherShare, colNeither, colComments, none, "no comments"})
	at := ownColumns
	if s.o.Tiers {
		for _, t := range tiers {
			part := &Slice{By: "distance", Value: t.name}
			s.Tiers = append(s.Tiers, part)
			add(&part.Lines, at, colComments, colReferences)
			add(&part.Full, at+1, colComments, colReferences)
			at += 2
		}
	}
	for _, key := range keys {
		part := &Slice{By: key.by, Value: cmp.Or(key.value, "unknown")}
		s.Slices = append(s.Slices, part)
		of := none
		if key.by == "lang" {
			of = at
		}
		add(&part.Lines, at+2, of, at+1)
		add(&part.Full, at+3, of, at+1)
		at += 4
	}
	sums := make([]float64, at)
	for _, row := range s.tally {
		for i, v := range row {
			sums[i] += v
		}
	}
	s.totals(sums)
	drawn, err := s.o.Bootstrap.Draw(ctx, len(s.tally), len(s.ratios), func() func([]int32, []float64) {
		sums := make([]float64, at)
		return func(drawn []int32, out []float64) {
			clear(sums)
			for p, times := range drawn {
				if times > 0 {
					for i, v := range s.tally[p] {
						sums[i] += float64(times) * v
					}
				}
			}
			for k, r := range s.ratios {
				out[k] = r.of(sums, s.o.Assign == Upstream)
			}
		}
	})
	if err != nil {
		return err
	}
	for k, r := range s.ratios {
		if v := r.of(sums, s.o.Assign == Upstream); math.IsNaN(v) {
			*r.to = resample.None(r.why)
		} else {
			*r.to = resample.Estimate{Value: &v}
			r.to.SetInterval(drawn[k], len(s.tally))
		}
	}
	return nil
}

// totals copies counts from the sums.
func (s *study) totals(sums []float64) {
	s.Comments, s.Invalid, s.Neither = int(sums[colComments]), int(sums[colInvalid]), int(sums[colNeither])
	s.Lines.Matches, s.Full.Matches = int(sums[colLines]), int(sums[colFull])
	if s.Answered > 0 {
		per := sums[colComments] / float64(s.Answered)
		s.PerPull = &per
	}
	at := ownColumns
	for _, t := range s.Tiers {
		t.References, t.Lines.Matches, t.Full.Matches = int(sums[colReferences]), int(sums[at]), int(sums[at+1])
		at += 2
	}
	for _, part := range s.Slices {
		part.References, part.Lines.Matches, part.Full.Matches = int(sums[at+1]), int(sums[at+2]), int(sums[at+3])
		at += 4
	}
}

// spend averages what the answers took.
func (s *study) spend(b *Benchmark, system *System) {
	for _, f := range []struct {
		to *(*float64)
		of func(a *Answer) *float64
	}{
		{&s.Spent.Seconds, func(a *Answer) *float64 { return a.Seconds }},
		{&s.Spent.InputTokens, func(a *Answer) *float64 { return a.InputTokens }},
		{&s.Spent.OutputTokens, func(a *Answer) *float64 { return a.OutputTokens }},
		{&s.Spent.Cost, func(a *Answer) *float64 { return a.Cost }},
	} {
		sum, n := 0.0, 0
		for i := range b.Pulls {
			if a := system.Answers[b.Pulls[i].ID]; a != nil && f.of(a) != nil {
				sum, n = sum+*f.of(a), n+1
			}
		}
		if n > 0 {
			mean := sum / float64(n)
			*f.to = &mean
		}
	}
}

// row is the score of the pull request that was counted last.
func (s *study) row(p *PullRequest, a *Answer, signature string) report.Row {
	r := report.Row{ID: p.ID, Review: s.Name, Status: "unscored", Signature: signature, Lang: p.Language}
	switch {
	case a == nil:
		r.Reason = "no answer"
	case len(a.Comments) == 0:
		r.Reason = "no comments, so that there is no precision"
	case len(p.References) == 0:
		r.Reason = "no references, so that there is no recall"
	default:
		sums := s.tally[len(s.tally)-1]
		value := func(of ratio) *float64 { v := of.of(sums, s.o.Assign == Upstream); return &v }
		r.Status = "scored"
		r.Con, r.Comp = value(ratio{top: colFull, by: colComments, also: none}), value(ratio{top: colFull, by: colReferences, also: none})
		r.Rel = value(ratio{top: colFull, by: colComments, also: colReferences})
	}
	return r
}

// Rows are scores for package compare: full precision as con, recall as comp, F1 as rel, a row a
// system and pull request. A row with an undefined number is unscored.
func (r *Report) Rows() []report.Row { return r.rows }

// explain lists what was found and what was not.
func (s *study) explain(p *PullRequest, a *Answer, f found) Case {
	c := Case{System: s.Name, PullRequest: p.ID, Missing: a == nil, Matches: []Match{}, Missed: []MissedNote{}, Unmatched: []OtherRemark{}}
	code := func(at Place) string {
		if s.o.Code == nil {
			return ""
		}
		return s.o.Code(p.ID, at)
	}
	served, used, invalid := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, e := range f.valid {
		served[e.reference], used[e.comment] = true, true
		m := Match{Comment: e.comment + 1, Reference: e.reference + 1, Score: e.Score}
		if e.distance != noLines {
			m.Distance = &e.distance
		}
		c.Matches = append(c.Matches, m)
	}
	slices.SortFunc(c.Matches, func(a, b Match) int { return cmp.Compare(a.Reference, b.Reference) })
	for _, e := range f.invalid {
		invalid[e.comment] = true
	}
	for r, ref := range p.References {
		if !served[r] {
			c.Missed = append(c.Missed, MissedNote{ref, code(ref.Place)})
		}
	}
	if a == nil {
		return c
	}
	for g, comment := range a.Comments {
		if !used[g] {
			c.Unmatched = append(c.Unmatched, OtherRemark{comment.Place, comment.Text, invalid[g], code(comment.Place)})
		}
	}
	return c
}
