package viewer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/diffview"
	"crscore/internal/limits"
	"crscore/internal/matrices"
	"crscore/internal/present"
	"crscore/internal/syntax"
	"crscore/score"
)

// againTimeout bounds the time of scoring a change again.
const againTimeout = time.Minute

// changeAnswer is a change with its reviews and their evidence, in the form of an answer of
// the service's POST /v1/score.
type changeAnswer struct {
	ID string `json:"id"`
	// Place is the place in the table, counted from 0; -1 where the filter leaves the change out.
	// Total is the number of rows.
	Place int    `json:"place"`
	Total int    `json:"total"`
	Line  int    `json:"line"`
	Lang  string `json:"lang"`
	present.Answer[result]
	Evidence origin `json:"evidence"`
}

// result is a review with its evidence.
type result struct {
	present.Compared
	// Text is the review. Run are its numbers in the table, by the rule that was asked for.
	Text string   `json:"text"`
	Run  standing `json:"run"`
}

// standing is what the run knows of a review's score.
type standing struct {
	Status string   `json:"status"` // as in a cell: scored, unscored, no row or not kept
	Reason string   `json:"reason,omitempty"`
	Con    *float64 `json:"con"`
	Comp   *float64 `json:"comp"`
	Rel    *float64 `json:"rel"`
}

// origin says where the evidence comes from.
type origin struct {
	// From is run: it stands in the run's rows; again: the change was scored again, with the
	// run's signature and the run's scores; other: it was scored again with other settings, and
	// is not the run's evidence; none: there is none.
	From string `json:"from"`
	// Why says why the evidence is not the run's. Signature is the signature of the second scoring.
	Why       string `json:"why,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// statuses are the names of states.
var statuses = [...]string{noRow: "no row", unscored: "unscored", scored: "scored", notKept: "not kept"}

// change answers for one change.
func (v *Viewer) change(ctx context.Context, c *change, s *scores) (*changeAnswer, error) {
	rec, err := v.record(c)
	if err != nil {
		return nil, err
	}
	a := &changeAnswer{
		ID: c.key, Line: int(c.line), Lang: v.langs.names[c.lang], Evidence: origin{From: "none"},
		Answer: present.Answer[result]{Refs: []dataset.Ref{}, Warnings: []string{}, Results: []result{}},
	}
	in, err := evidence.Input(rec)
	if err != nil {
		a.Warnings = append(a.Warnings, "The diff cannot be shown: "+err.Error())
	} else if in.Parsed, err = syntax.Parse(ctx, in.Change); err != nil {
		return nil, err
	} else if a.Change, err = diffview.Of(ctx, in.Parsed); err != nil {
		return nil, err
	}
	texts := v.results(a, c, rec, s)
	if err := v.fromRows(a, c); err != nil {
		return nil, err
	}
	told := slices.ContainsFunc(a.Results, func(r result) bool { return r.Status == statuses[scored] })
	if a.Evidence.From != "run" && in.Change != nil && told {
		if err := v.scoreAgain(ctx, a, c, in, texts); err != nil {
			return nil, err
		}
	}
	if a.Mode == "" && v.own >= 0 && v.ruled[v.own] {
		a.Mode, a.Signature = string(v.rules[v.own].Mode), v.signs.names[v.own]
		a.CompBy = present.CompBy(v.rules[v.own])
		a.Tau, a.Low, a.Slope = v.rules[v.own].Parameters()
	}
	for k := range a.Results { // those without a row, too
		r := &a.Results[k]
		r.Around = score.ReadSignature(cmp.Or(r.Signature, a.Signature)).Around()
		if r.Mode == "" {
			r.Mode, r.CompBy, r.Tau, r.Low, r.Slope = a.Mode, a.CompBy, a.Tau, a.Low, a.Slope
		}
		if r.Status == statuses[noRow] {
			r.Reason = "the run has no row of this review"
		}
	}
	return a, nil
}

// results lists the reviews with their numbers, and returns their texts. The texts of reviews
// that cannot be scored, or have no row, are nil.
func (v *Viewer) results(a *changeAnswer, c *change, rec *dataset.Record, s *scores) []*string {
	var texts []*string
	next := c.first
	for k := range rec.Reviews {
		review := &rec.Reviews[k]
		system, ok := v.systems.at[key(review.ID)]
		if !ok || next == c.behind || v.reviews[next].system != system {
			continue // left out, and counted
		}
		i := next
		next++
		r := &v.reviews[i]
		res := result{Text: review.Text}
		name := v.systems.names[system]
		res.Row = dataset.Row{ID: c.key, Review: name, System: name, Status: statuses[r.state]}
		res.Run = standing{Status: statuses[s.states[i]]}
		if s.states[i] == unscored {
			res.Run.Reason = v.reason(r)
		}
		for k, to := range []**float64{&res.Run.Con, &res.Run.Comp, &res.Run.Rel} {
			if n := s.numbers[i][k]; !math.IsNaN(n) {
				*to = &n
			}
		}
		for k, to := range []**float64{&res.Con, &res.Comp, &res.Rel} {
			if n := r.numbers[k]; !math.IsNaN(n) {
				*to = &n
			}
		}
		res.Human = review.Human
		for m, name := range v.metrics.names {
			if n := v.values[m][i]; !math.IsNaN(n) {
				res.Metrics = append(res.Metrics, dataset.Member[float64]{Name: name, Value: n})
			}
		}
		if r.signature >= 0 {
			res.Signature = v.signs.names[r.signature]
		}
		a.Results = append(a.Results, res)
		texts = append(texts, nil)
		if review.Err == nil && r.state != noRow {
			texts[len(texts)-1] = &review.Text
		}
	}
	return texts
}

// reason is why a review is unscored.
func (v *Viewer) reason(r *review) string {
	for _, i := range []int32{r.reason, r.keptReason} {
		if i >= 0 && v.reasons.names[i] != "" {
			return v.reasons.names[i]
		}
	}
	return "its file does not say why"
}

// fromRows takes the evidence of the run's rows, where they have it.
func (v *Viewer) fromRows(a *changeAnswer, c *change) error {
	room := limits.ResponseNumbers
	for k := range a.Results {
		i := v.find(c, v.systems.at[a.Results[k].Review])
		at := v.reviews[i].row
		if at.size == 0 {
			continue
		}
		from := v.files[at.file-1]
		line, err := from.part(at.offset, at.size)
		if err != nil {
			return err
		}
		s, err := dataset.NewScoreReader(dataset.Source{Text: bytes.NewReader(line)}).Next()
		if err != nil || key(s.ID) != c.key || key(s.Review) != a.Results[k].Review {
			return fmt.Errorf("%s has changed since it was read: the row at byte %d is not that of this review", from.name, at.offset)
		}
		row := s.Row
		row.Explain = s.Explained()
		row.ID, row.Review, row.System, row.Human, row.Metrics = c.key, a.Results[k].Review, a.Results[k].System, a.Results[k].Human, a.Results[k].Metrics
		a.Results[k].Row = row
		if row.Explain == nil || len(row.Explain.Refs) == 0 {
			continue
		}
		if room -= len(row.Explain.Refs) + len(row.Explain.Sentences); room < 0 {
			return errors.New("the evidence is too large for a page")
		}
		if a.Evidence.From != "run" {
			a.Evidence.From = "run"
			a.Signature, a.Mode, a.CompBy, a.Tau, a.Low, a.Slope = row.Signature, row.Mode, row.CompBy, row.Tau, row.Low, row.Slope
			for _, ref := range row.Explain.Refs {
				ref.Sentence, ref.Similarity, ref.Matched, ref.Credit = nil, nil, nil, nil
				a.Refs = append(a.Refs, ref)
			}
		}
	}
	if a.Evidence.From == "run" {
		return v.similarities(a, c, room)
	}
	return nil
}

// similarities adds the kept similarities to the evidence of rows.
func (v *Viewer) similarities(a *changeAnswer, c *change, room int) error {
	if c.block.file == 0 {
		return nil
	}
	b, err := matrices.ReadAt(v.files[c.block.file-1], int(c.block.number), c.block.offset)
	if err == nil && key(b.ID) != c.key {
		err = errors.New("the block is of another change")
	}
	if err != nil {
		return fmt.Errorf("%s has changed since it was read: %w", v.files[c.block.file-1].name, err)
	}
	for k := range a.Results {
		res := &a.Results[k]
		for i := range b.Reviews {
			if key(b.Reviews[i].ID) != res.Review || b.Reviews[i].Unscored != "" || res.Explain == nil {
				continue
			}
			rows, _ := b.Rows(i)
			if len(rows) == len(res.Explain.Sentences) && len(b.Refs) == len(res.Explain.Refs) {
				if room -= len(rows) * len(b.Refs); room >= 0 {
					res.Similarities = present.Similarities(rows)
				}
			}
			break
		}
	}
	if room < 0 {
		a.Warnings = append(a.Warnings, "The similarities are too many for a page: the threshold moves the table, and not the sentences.")
	}
	return nil
}

// again scores changes again, one at a time.
type again struct {
	open   func(context.Context) (*crscore.Engine, error)
	mu     sync.Mutex
	engine *crscore.Engine
	err    error
}

// Close closes the engine.
func (a *again) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.engine == nil {
		return nil
	}
	err := a.engine.Close()
	a.engine, a.err = nil, errors.New("the viewer is closed")
	return err
}

// scoreAgain scores a change whose evidence the run did not keep.
func (v *Viewer) scoreAgain(ctx context.Context, a *changeAnswer, c *change, in crscore.Input, texts []*string) error {
	v.again.mu.Lock()
	defer v.again.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := v.again.get()
	if err != nil {
		a.Evidence.Why = "The change could not be scored again: " + err.Error()
		return nil
	}
	var judged []string
	var at []int
	for k, text := range texts {
		if text != nil {
			judged, at = append(judged, *text), append(at, k)
		}
	}
	limited, cancel := context.WithTimeout(ctx, againTimeout)
	defer cancel()
	set, results, err := e.Judge(limited, in, judged...)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		a.Evidence.Why = fmt.Sprintf("The change was not scored again within %s.", againTimeout)
		return nil
	}
	a.Evidence = origin{From: "again", Signature: e.Signature()}
	a.Mode, a.Signature = string(e.Rule().Mode), e.Signature()
	a.CompBy = present.CompBy(e.Rule())
	a.Tau, a.Low, a.Slope = e.Rule().Parameters()
	a.Warnings = append(a.Warnings, set.Warnings...)
	a.Refs = present.Refs(e.Rule(), set.Refs)
	room := limits.ResponseNumbers
	for i, res := range results {
		to := &a.Results[at[i]]
		row := present.Row(e, c.key, to.Review, res)
		a.compare(&to.Row, &row)
		row.Human, row.Metrics = to.Human, to.Metrics
		row.Explain = present.Explain(e.Rule(), res, set.Dropped)
		to.Row = row
		if a.Signature = row.Signature; res.Match == nil {
			continue
		}
		if room -= len(res.Match.Sim)*len(set.Refs) + 16*(len(res.Sentences)+len(res.Refs)); room >= 0 {
			to.Similarities = present.Similarities(res.Match.Sim)
		}
	}
	if room < 0 {
		a.Warnings = append(a.Warnings, "the evidence is too large for a page: "+
			"some reviews have the nearest references of their sentences alone")
	}
	return nil
}

// compare says where the score of a review is not the run's.
func (a *changeAnswer) compare(run, again *dataset.Row) {
	why := ""
	switch {
	case run.Status != statuses[scored] && run.Status != statuses[unscored]: // the run does not have it
	case run.Status == statuses[scored] && again.Status == statuses[unscored]:
		why = fmt.Sprintf("This run did not keep its evidence, and the review of %.80s could not be scored again: %s.",
			again.Review, again.Reason)
	case run.Signature != again.Signature:
		why = "This run did not keep its evidence. What stands here comes from scoring the change again with other settings: " +
			"the signatures differ. Give crscore view the flags of the run, or score with --explain."
	case run.Status != again.Status || far(run.Con, again.Con) || far(run.Comp, again.Comp) || far(run.Rel, again.Rel):
		why = fmt.Sprintf("This run did not keep its evidence. Scored again with the same signature, "+
			"the review of %.80s has another score: the dataset is another one, or the rows were changed.", again.Review)
	}
	if why != "" && a.Evidence.From != "other" {
		a.Evidence.From, a.Evidence.Why = "other", why
	}
}

// far reports whether two scores differ by more than rounding does.
func far(a, b *float64) bool {
	if a == nil || b == nil {
		return a != b
	}
	return math.Abs(*a-*b) > 1e-9
}

// get returns the engine, which it makes at its first use.
func (a *again) get() (*crscore.Engine, error) {
	if a.engine == nil && a.err == nil {
		if a.open == nil {
			return nil, errors.New("there is no engine")
		}
		// Not with the context of a request, which may end while models are opened.
		a.engine, a.err = a.open(context.Background())
	}
	return a.engine, a.err
}
