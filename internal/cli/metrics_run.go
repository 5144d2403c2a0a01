package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"crscore"
	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/ordered"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
	"crscore/score"
	"crscore/sts"
)

// metricsRun scores the reviews of a dataset against its references.
type metricsRun struct {
	runner
	set       refmetrics.Set
	ids       []string // of the references
	fields    score.Signature
	signature string   // their text
	lower     []string // the metrics of which lower scores are better
	raw       bool     // texts keep the parts that review bots add
	format    string
	rows      report.Writer // nil for a table of the systems
	html      pageFlag
	figures   figuresFlag
	totals    *refmetrics.Totals

	scored, empty int
	references    int      // reviews that are references
	seen          []string // ids of reviews, at most maxSeen
	met           []string // ids of references that occur
	lacking       int      // single scores
	why           string   // the first of them is missing
	reasons       reasons
}

// maxSeen bounds the ids of reviews that are kept for an error.
const maxSeen = 50

func newMetricsRun(f *metricsFlags, s streams, set refmetrics.Set, ids []string) *metricsRun {
	r := &metricsRun{set: set, ids: ids, format: f.format, html: f.html, figures: f.figures, totals: refmetrics.NewTotals(set, maxTableSystems)}
	r.raw = f.raw || f.compat
	r.fields = signedHere(set.Signature(ids, f.compat, r.raw))
	r.signature = r.fields.String()
	for _, m := range set.Metrics {
		if m.Turned {
			r.lower = append(r.lower, m.Spec)
		}
	}
	r.runner = runner{name: f.data, form: f.form.options, s: s, prints: !f.corpus}
	r.form.Without = []string{"old", "new"}
	r.reference = func(_ int, id string) bool { return slices.Contains(ids, id) }
	if f.hyp != "" {
		r.name, r.refs = f.hyp, f.refs
		r.reference = func(i int, _ string) bool { return i > 0 }
	}
	return r
}

// specs names the metrics, in their order.
func (r *metricsRun) specs() []string {
	out := make([]string, len(r.set.Metrics))
	for i, m := range r.set.Metrics {
		out[i] = m.Spec
	}
	return out
}

// scoredChange is a change with a pair and a row for each review that is no reference.
type scoredChange struct {
	rec   *dataset.Record
	pairs []refmetrics.Pair
	rows  []dataset.Row
}

// score scores the dataset and writes the rows, in its order. It calls done behind each change.
func (r *metricsRun) score(ctx context.Context, workers int, done func(*dataset.Record) error) error {
	return r.stream("scoring", func(next func() (*dataset.Record, error), finish func()) error {
		return ordered.Map(ctx, workers, next, r.change, func(c scoredChange) error {
			finish()
			if err := r.emit(c); err != nil {
				return err
			}
			return done(c.rec)
		})
	})
}

// keep scores the dataset into a run directory. The table of the systems is left out: what it
// needs of an earlier start is not in the rows.
func (r *metricsRun) keep(ctx context.Context, path string, workers int) error {
	err := r.runner.keep(ctx, keeping{
		path: path, manifest: r.manifest(rundir.Manifest{Kind: score.KindMetrics, Signature: r.fields}),
		earlier: func(rows []byte) error {
			return eachRow(rows, func(row dataset.Row) error { r.tally(&row); return nil })
		},
		work: func(dir *rundir.Run, rows *bytes.Buffer, w report.Writer) error {
			r.rows = w
			return r.score(ctx, workers, func(rec *dataset.Record) error {
				defer rows.Reset()
				return outputError(dir.Add(rundir.Change{Place: place(rec), Rows: rows.Bytes()}))
			})
		},
		tell: func() error {
			r.s.log.Note(spelling.Count("%d changes, %d reviews scored (%d of them empty), %d unscored", r.changes, r.scored, r.empty, r.unscored))
			r.reasons.tell(r.s)
			return nil
		},
	})
	if err != nil {
		return err
	}
	if r.shard.Of <= 1 && r.dir.Changes() == 0 { // else this start has not met the reviews of all lines
		if err := r.unknown(); err != nil {
			return err
		}
	}
	return r.missing(r.withoutScores()...)
}

// tally counts a row.
func (r *metricsRun) tally(row *dataset.Row) {
	if r.lacking == 0 && len(row.UnscoredMetrics) > 0 {
		r.why = row.UnscoredMetrics[0].Name + ": " + row.UnscoredMetrics[0].Value
	}
	r.lacking += len(row.UnscoredMetrics)
	switch {
	case row.Status == string(crscore.Unscored):
		r.unscored++
		r.reasons.addRow(row)
	case row.Note != "":
		r.empty++
		fallthrough
	default:
		r.scored++
	}
}

// withoutScores describes the scores that are missing.
func (r *metricsRun) withoutScores() []string {
	if r.lacking == 0 {
		return nil
	}
	return []string{fmt.Sprintf("scores that a metric did not give: %d (%s)", r.lacking, r.why)}
}

// change scores the reviews of a change.
func (r *metricsRun) change(ctx context.Context, rec *dataset.Record) (scoredChange, error) {
	out := scoredChange{rec: rec}
	refs, reviews := r.split(rec)
	language := present.Language(rec)
	for _, i := range reviews {
		v := &rec.Reviews[i]
		row := dataset.Row{
			ID: rec.ID, Review: v.ID, System: v.ID, Status: string(crscore.Unscored), Lang: language,
			Kind: score.KindMetrics, LowerIsBetter: r.lower, Signature: r.signature, Human: v.Human,
		}
		pair := refmetrics.Pair{System: v.ID, Hypothesis: v.Text, References: refs}
		switch {
		case v.Err != nil:
			row.Reason = report.Plain(strings.ReplaceAll(v.Err.Error(), "\n", "; ")) // several errors
		case len(refs) == 0:
			row.Reason = r.noReference(rec)
		default:
			if err := r.set.Score(ctx, &pair); err != nil {
				return out, err
			}
			row.Status = string(crscore.Scored)
			if strings.TrimSpace(v.Text) == "" {
				row.Note = "the review is empty"
			}
		}
		out.pairs, out.rows = append(out.pairs, pair), append(out.rows, row)
	}
	return out, nil
}

// split returns the references of a change and the places of the other reviews. It leaves in the
// texts what reviewers wrote, unless they are read raw.
func (r *metricsRun) split(rec *dataset.Record) (refs []string, others []int) {
	for i := range rec.Reviews {
		if v := &rec.Reviews[i]; !r.raw {
			v.Text = sts.Written(v.Text)
		}
	}
	return rec.Split(r.reference)
}

// noReference is the reason of a review without a reference.
func (r *metricsRun) noReference(rec *dataset.Record) string {
	for i, v := range rec.Reviews {
		if r.reference(i, v.ID) {
			return "the reference of the change is empty: " + strings.Join(r.ids, ", ")
		}
	}
	return "the change has no reference " + strings.Join(r.ids, " or ")
}

// emit counts the reviews of a change and writes their rows.
func (r *metricsRun) emit(c scoredChange) error {
	r.see(c.rec)
	r.totals.Add(c.pairs)
	for i := range c.rows {
		row := &c.rows[i]
		r.fill(row, c.pairs[i].Values)
		r.tally(row)
		if row.Status == string(crscore.Unscored) && r.rows == nil { // no row says why
			r.fail(unscoredReviews, fmt.Sprintf("%s: change %s, review %s has no score: %s",
				c.rec.Where(), row.ID, row.Review, row.Reason))
		}
		if r.rows != nil {
			if err := r.rows.Write(*row); err != nil {
				return outputError(err)
			}
		}
	}
	return nil
}

// fill puts the scores of a pair into its row. A row without any is unscored.
func (r *metricsRun) fill(row *dataset.Row, values []refmetrics.Value) {
	for i, v := range values {
		name := r.set.Metrics[i].Spec
		if v.Err == nil {
			row.Metrics = append(row.Metrics, dataset.Member[float64]{Name: name, Value: v.Score})
			continue
		}
		reason := report.Plain(v.Err.Error())
		row.UnscoredMetrics = append(row.UnscoredMetrics, dataset.Member[string]{Name: name, Value: reason})
	}
	if len(values) > 0 && len(row.Metrics) == 0 {
		row.Status, row.Note = string(crscore.Unscored), ""
		row.Reason = "no metric gave a score: " + row.UnscoredMetrics[0].Value
	}
}

// see keeps the ids of reviews, and counts the references.
func (r *metricsRun) see(rec *dataset.Record) {
	for i, v := range rec.Reviews {
		if r.reference(i, v.ID) {
			r.references++
			if !slices.Contains(r.met, v.ID) {
				r.met = append(r.met, v.ID)
			}
		}
		if len(r.seen) < maxSeen && !slices.Contains(r.seen, v.ID) {
			r.seen = append(r.seen, v.ID)
		}
	}
}

// finish ends the output, says what the run came to, and returns what is missing. err is the
// error that broke the run off, nil for none.
func (r *metricsRun) finish(err error) error {
	if errors.As(err, new(nothing)) || err != nil && r.changes == 0 && !errors.Is(err, context.Canceled) {
		return err
	}
	switch {
	case r.rows == nil && err != nil:
		return err // a table of a part would be taken for one of all
	case r.rows == nil:
		if err := r.printTable(); err != nil {
			return err
		}
	case err != nil && r.format == "parquet":
		r.s.log.Fail("the Parquet file has no end, so that nobody takes it for a whole one: it cannot be read")
	default:
		if err := r.rows.Close(); err != nil {
			return outputError(err)
		}
	}
	r.tell()
	if err != nil {
		return incomplete{partlyPrinted{err}}
	}
	drawn := r.drawn()
	page := r.page(corpusTitle)
	page.Sections = append(page.Sections, drawn.Sections...)
	if err := errors.Join(r.html.write(page), r.figures.write(r.s, drawn)); err != nil {
		return err
	}
	if err := r.unknown(); err != nil {
		return err
	}
	more := r.withoutScores()
	if n := r.totals.Left(); n > 0 && r.rows == nil {
		more = append(more, fmt.Sprintf("reviews of systems beyond the first %d: %d", maxTableSystems, n))
	}
	return r.missing(more...)
}

// unknown returns an error for references that no change has, and where there is nothing but
// references.
func (r *metricsRun) unknown() error {
	if len(r.refs) > 0 {
		return nil
	}
	for _, id := range r.ids {
		if slices.Contains(r.met, id) {
			continue
		}
		hint := ""
		if near := spelling.Nearest(id, r.seen); near != "" {
			hint = "; did you mean " + near + "?"
		}
		seen := strings.Join(r.seen, ", ")
		if len(r.seen) == maxSeen {
			seen += ", ..."
		}
		err := fmt.Errorf("%s: --reference %s: no change has a review of this id (ids: %s%s)",
			stdio.Name(r.name), id, seen, hint)
		if r.scored > 0 {
			return incomplete{err}
		}
		return err
	}
	if r.scored+r.unscored == 0 && r.malformed == 0 {
		return fmt.Errorf("%s: nothing to score: %s (%s)", stdio.Name(r.name),
			either(r.references == 1, "the only review is a reference", fmt.Sprintf("all %d reviews are references", r.references)), strings.Join(r.ids, ", "))
	}
	return nil
}

// tell says on standard error what the run came to, with a table of the systems where none
// is printed.
func (r *metricsRun) tell() {
	msg := spelling.Count("%d "+r.unit()+", %d reviews scored (%d of them empty), %d unscored",
		r.changes, r.scored, r.empty, r.unscored)
	if len(r.refs) == 0 {
		msg += fmt.Sprintf("; references, which are not scored themselves: %d", r.references)
	}
	r.s.log.Note(msg)
	defer r.reasons.tell(r.s)
	if r.rows == nil {
		return
	}
	if r.s.log.JSON() {
		for _, sys := range r.totals.Systems() {
			about := []slog.Attr{slog.String("system", sys.Name),
				slog.Int("scored", sys.Scored), slog.Int("unscored", sys.Unscored)}
			for i, m := range r.set.Metrics {
				if v := sys.Total(i).Score; v != nil {
					about = append(about, slog.Float64(m.Spec, *v))
				}
			}
			r.s.log.Say(slog.LevelInfo, "system", about...)
		}
		return
	}
	if r.scored > 0 {
		r.s.log.Block(r.table("", terminal.Screen(r.s.log).Width))
	}
}
