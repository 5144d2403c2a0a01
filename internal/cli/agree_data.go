package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/present"
	"crscore/internal/run"
	"crscore/internal/spelling"
	"crscore/pseudoref"
	"crscore/score"
)

// judged is what a study is made of.
type judged struct {
	agreement.Input
	name      string
	keep      *agreement.Keep[agreement.CaseEvidence]
	unmatched *agreement.Unmatched
	paperTau  *float64
	signature string
	mode      string // of CRScore; empty for another metric
	missing   error  // what is missing of it
	file      string
	beside    *sideBySide // the metrics of a dataset
}

// judge scores the dataset and collects scores, labels, links and points.
func (f *agreeFlags) judge(cmd *cobra.Command, s streams) (*judged, error) {
	if err := f.engine.configure(cmd, nil); err != nil {
		return nil, err
	}
	ctx := cmd.Context()
	e, err := f.engine.engine(ctx, cmd)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	out := &judged{name: showInput(f.data), keep: agreement.NewKeep[agreement.CaseEvidence](f.worst)}
	if rule := e.Rule(); rule.Mode.UsesTau() {
		out.Tau = &rule.Tau
	}
	if out.beside, err = f.startMetrics(cmd, e, s); err != nil {
		return nil, err
	}
	defer out.beside.encoder.Close()
	var total score.Aggregate
	var signatures tally
	var missing []error
	noLinks := 0
	other := strangers{seed: f.bootstrap.Seed}
	data := run.Dataset{Name: f.data, Form: f.form.options, Terminal: s, Strict: true}
	err = data.Judge(ctx, e, func(rec *dataset.Record, o crscore.Outcome) error {
		other.add(rec, o, len(out.Rows))
		for i, res := range o.Results {
			r := rowOf(rec, i)
			if res.Status == crscore.Scored {
				signatures.add(res.Signature)
				r.Metric = &agreement.Scores{Con: res.Con, Comp: res.Comp, Rel: res.Rel}
				if r.Review != dataset.HumanReference {
					total.Add(res.Result)
				}
			}
			out.Rows = append(out.Rows, r)
			out.keep.Offer(r, func() agreement.CaseEvidence {
				c := evidenceOf(rec, i)
				c.Explain = present.Explain(e.Rule(), res, nil)
				return c
			})
		}
		if err := out.beside.add(ctx, rec, o); err != nil {
			return err
		}
		block, err := evidence.Block(ctx, e, rec, o)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.log.sayOfKind(slog.LevelError, run.LeftOutChanges, err.Error())
			noLinks++
			return nil
		}
		out.Links = append(out.Links, evidence.Links(block)...)
		p, err := pointsOf(ctx, e, rec, o.RefSet)
		out.Points = append(out.Points, p...)
		return err
	})
	if err == nil {
		err = other.score(ctx, e, out.Rows)
	}
	if err != nil {
		return nil, err
	}
	if tau, ok := total.PaperTau(); ok {
		out.paperTau = &tau
	}
	out.signature = cmp.Or(signatures.String(), e.Signature())
	missing = append(missing, data.Missing(), out.beside.missing(), absent("changes whose links were not compared", noLinks))
	out.missing = joinMissing(missing)
	return out, nil
}

// rowOf is a review of a record without a score.
func rowOf(rec *dataset.Record, i int) agreement.Row {
	r := agreement.Row{Change: rec.ID, Review: rec.Reviews[i].ID, Language: present.Language(rec), Pull: rec.Pull, Valid: rec.Reviews[i].Valid}
	if h := rec.Reviews[i].Human; h != nil {
		r.Human = &agreement.Scores{Con: h.Con, Comp: h.Comp, Rel: h.Rel}
	}
	return r
}

// evidenceOf is what the dataset tells of a review.
func evidenceOf(rec *dataset.Record, i int) agreement.CaseEvidence {
	review := &rec.Reviews[i]
	c := agreement.CaseEvidence{Text: review.Text}
	if review.Addressed != nil {
		for j, p := range rec.RefsEdited {
			c.Points = append(c.Points, agreement.CasePoint{Kind: p.Kind, Text: p.Text, Addressed: slices.Contains(review.Addressed, j+1)})
		}
	}
	return c
}

// tally counts the signatures of results, which are several where a source fell
// back to another.
type tally struct {
	names  []string
	counts map[string]int
}

func (t *tally) add(name string) {
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	if t.counts[name]++; t.counts[name] == 1 {
		t.names = append(t.names, name)
	}
}

// String is the signature, or all of them with the reviews that have each.
func (t *tally) String() string {
	if len(t.names) < 2 {
		return strings.Join(t.names, "")
	}
	parts := make([]string, len(t.names))
	for i, n := range t.names {
		parts[i] = spelling.Count("%s (%d reviews)", n, t.counts[n])
	}
	return strings.Join(parts, "; ")
}

// pointsOf compares what annotators marked as necessary with the references of
// a change: an issue with all of them, a claim with those that are no smells.
func pointsOf(ctx context.Context, e *crscore.Engine, rec *dataset.Record, set crscore.RefSet) ([]agreement.Point, error) {
	var texts []string
	var out []agreement.Point
	for _, p := range rec.RefsEdited {
		if p.Necessary {
			texts = append(texts, p.Text)
			out = append(out, agreement.Point{Change: rec.ID, Kind: p.Kind})
		}
	}
	if len(texts) == 0 || len(set.Refs) == 0 {
		return out, nil
	}
	matches, err := e.Match(ctx, set, texts...)
	if err != nil {
		return nil, fmt.Errorf("comparing the annotators' references of change %s: %w", rec.ID, err)
	}
	for i := range out {
		for _, row := range matches[i].Sim {
			for j, sim := range row {
				if set.Refs[j].Kind != pseudoref.Smell || out[i].Kind == "issue" {
					out[i].Similarity = max(out[i].Similarity, float64(sim))
				}
			}
		}
	}
	return out, nil
}

// labelledData are the reviews of a dataset without scores.
type labelledData struct {
	reviews map[agreement.ReviewID]labelledReview
	order   []agreement.ReviewID
	missing error
}

type labelledReview struct {
	row   agreement.Row
	about agreement.CaseEvidence // nothing where nobody labelled the review
}

// readLabels reads the reviews of a labelled dataset.
func readLabels(name string, form dataset.Options, s streams) (*labelledData, error) {
	data := run.Dataset{Name: name, Form: form, Terminal: s}
	damaged := 0
	out := &labelledData{reviews: map[agreement.ReviewID]labelledReview{}}
	err := data.Each(func(rec *dataset.Record) error {
		for i := range rec.Reviews {
			var bad dataset.LabelError
			if errors.As(rec.Reviews[i].Err, &bad) {
				damaged++
				data.Say(slog.LevelError, run.MalformedLabels, fmt.Sprintf("%s: change %s, review %s: %v; its labels are left out", rec.Where(), rec.ID, rec.Reviews[i].ID, bad))
			}
			r := labelledReview{row: rowOf(rec, i)}
			id := agreement.ReviewID{Change: rec.ID, Review: r.row.Review}
			if _, twice := out.reviews[id]; twice {
				return fmt.Errorf("%s: %s: review %q of change %q is there a second time", showInput(name), rec.Where(), id.Review, id.Change)
			}
			if r.row.Human != nil {
				r.about = evidenceOf(rec, i)
			}
			out.reviews[id] = r
			out.order = append(out.order, id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.missing = joinMissing([]error{data.Missing(), absent("reviews with malformed labels", damaged)})
	return out, nil
}

// maxListed bounds what is listed for a person; JSON has all.
const maxListed = 10

// sayUnmatched lists the ids, and returns what is missing for them. a has OnlyScores.
func sayUnmatched(u *agreement.Unmatched, s streams, a, b string) error {
	var what []string
	for _, side := range []struct {
		ids     []agreement.ReviewID
		in, not string
	}{{u.OnlyScores, a, b}, {u.OnlyData, b, a}} {
		if len(side.ids) == 0 {
			continue
		}
		msg := fmt.Sprintf("reviews in %s that are not in %s: %d", side.in, side.not, len(side.ids))
		what = append(what, msg)
		for i, id := range side.ids[:min(len(side.ids), maxListed)] {
			msg += map[bool]string{true: ": ", false: ", "}[i == 0] + fmt.Sprintf("%s/%s", id.Change, id.Review)
		}
		if len(side.ids) > maxListed {
			msg += " …"
		}
		s.log.fail(msg)
	}
	if len(what) == 0 {
		return nil
	}
	return incomplete{errors.New(strings.Join(what, "; "))}
}

// hasLabels reports whether people labelled a review of a system.
func hasLabels(r agreement.Row) bool { return r.Human != nil && r.Review != dataset.HumanReference }

// hint says what to do where no study is possible.
func (f *agreeFlags) hint(j *judged) string {
	if u := j.unmatched; u != nil && len(u.OnlyScores) > 0 && len(u.OnlyData) > 0 {
		return mismatch("the scores", u.OnlyScores, "the dataset", u.OnlyData)
	}
	switch {
	case slices.ContainsFunc(j.Rows, hasLabels):
		return ""
	case f.data == "":
		return " (no labels stand beside these scores: give the labelled dataset with --data)"
	default:
		return ` (no review of a system has labels in the dataset: they are written "human": {"con": 4, "comp": 3, "rel": 3}, from 1 to 5)`
	}
}

// mismatch gives examples of ids that stand on one side only.
func mismatch(a string, onlyA []agreement.ReviewID, b string, onlyB []agreement.ReviewID) string {
	if len(onlyA) == 0 || len(onlyB) == 0 {
		return ""
	}
	x, y := onlyA[0], onlyB[0]
	return fmt.Sprintf(" (ids do not match: only in %s is review %q of change %q, for one, and only in %s review %q of change %q)", a, x.Review, x.Change, b, y.Review, y.Change)
}

// absent describes n things that are missing, such as "malformed lines", for joinMissing; nil for none.
func absent(what string, n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d", what, n)
}

// joinMissing makes one error of what is missing, nil of nothing.
func joinMissing(all []error) error {
	var what []string
	for _, err := range all {
		if err != nil {
			what = append(what, strings.TrimPrefix(err.Error(), "incomplete: "))
		}
	}
	if len(what) == 0 {
		return nil
	}
	return incomplete{errors.New("incomplete: " + strings.Join(what, "; "))}
}
