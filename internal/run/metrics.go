package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crscore"
	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/ordered"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/score"
	"crscore/sts"
)

// Metrics scores reviews against the references of their changes.
type Metrics struct {
	Set refmetrics.Set // the metrics
	// IDs are those of the references. A dataset with files of references has no ids.
	IDs []string
	// Compat scores as the code of the literature does; Raw keeps in the texts what review bots add.
	Compat, Raw bool
	Workers     int
	// Bare leaves out the table of the systems.
	Bare bool

	kind       *metricsKind
	totals     *Totals
	lines      bool     // the dataset has files of references
	lower      []string // the metrics of which lower scores are better
	references int      // reviews that are references
	seen       []string // ids of reviews, at most limits.SeenIDs
	met        []string // ids of references that occur
}

// Signature is that of the rows.
func (m *Metrics) Signature() score.Signature {
	return SignedHere(m.Set.Signature(m.IDs, m.Compat, m.Raw))
}

// Manifest has the metrics as fields of the signature.
func (m *Metrics) Manifest() rundir.Manifest {
	return rundir.Manifest{Kind: score.KindMetrics, Signature: m.Signature()}
}

// Regular reports whether all are regular files, which can be read twice.
func Regular(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		st, err := os.Stat(name)
		return name == "-" || err != nil || !st.Mode().IsRegular()
	})
}

// First reads the dataset once before it is scored, for metrics that must see all references,
// and for files whose lines belong together: nothing is printed of files that do not fit.
func (m *Metrics) First(ctx context.Context, d *Dataset) error {
	observers := m.Set.Observers()
	again := Regular(append(d.Refs, d.Name)...)
	switch {
	case len(observers) == 0 && (len(d.Refs) == 0 || !again):
		return nil
	case len(observers) > 0 && d.parts != nil:
		return fmt.Errorf("the metric %s reads the references of the whole dataset first, which %s has in parts: give the whole dataset with --shard %s",
			observers[0].Spec, filepath.Dir(d.file), d.shard)
	case !again:
		return fmt.Errorf("the metric %s reads the dataset twice: give the names of files, not standard input or a pipe",
			observers[0].Spec)
	}
	reading := *d
	reading.Mute = true
	return reading.Stream("reading references of", func(next func() (*dataset.Record, error), finish func()) error {
		for {
			rec, err := next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			refs, reviews := m.split(d, rec)
			if len(refs) > 0 && len(reviews) > 0 {
				for _, o := range observers {
					o.Metric.(refmetrics.Observer).Observe(refs)
				}
			}
			finish()
		}
	})
}

// split returns the references of a change and the places of the other reviews. It leaves in the
// texts what reviewers wrote, unless they are read raw.
func (m *Metrics) split(d *Dataset, rec *dataset.Record) (refs []string, others []int) {
	for i := range rec.Reviews {
		if v := &rec.Reviews[i]; !m.Raw {
			v.Text = sts.Written(v.Text)
		}
	}
	return rec.Split(d.Reference)
}

// pairs are a change with a pair for each row.
type pairs struct {
	Scored
	pairs []refmetrics.Pair
}

// Score scores the reviews.
func (m *Metrics) Score(ctx context.Context, d *Dataset, emit func(Scored) error) error {
	for _, one := range m.Set.Metrics {
		if one.Turned {
			m.lower = append(m.lower, one.Spec)
		}
	}
	signature := m.Signature().String()
	m.lines = len(d.Refs) > 0
	return d.Stream("scoring", func(next func() (*dataset.Record, error), finish func()) error {
		change := func(ctx context.Context, rec *dataset.Record) (pairs, error) { return m.change(ctx, d, rec, signature) }
		return ordered.Map(ctx, m.Workers, next, change, func(c pairs) error {
			finish()
			m.see(d, c.Record)
			for i := range c.Rows {
				m.fill(&c.Rows[i], &c.pairs[i])
			}
			return emit(c.Scored)
		})
	})
}

// change scores the reviews of a change.
func (m *Metrics) change(ctx context.Context, d *Dataset, rec *dataset.Record, signature string) (pairs, error) {
	out := pairs{Scored: Scored{Record: rec}}
	refs, reviews := m.split(d, rec)
	language := present.Language(rec)
	for _, i := range reviews {
		v := &rec.Reviews[i]
		row := newRow(rec, i, language, dataset.Row{Kind: score.KindMetrics, LowerIsBetter: m.lower, Signature: signature})
		pair := refmetrics.Pair{Hypothesis: v.Text, References: refs}
		switch {
		case v.Err != nil:
			unscored(&row, v.Err)
		case len(refs) == 0:
			unscored(&row, m.noReference(d, rec))
		default:
			if err := m.Set.Score(ctx, &pair); err != nil {
				return out, err
			}
			row.Status = string(crscore.Scored)
			if strings.TrimSpace(v.Text) == "" {
				row.Note = "the review is empty"
			}
		}
		out.pairs, out.Rows = append(out.pairs, pair), append(out.Rows, row)
	}
	return out, nil
}

// noReference is the reason of a review without a reference.
func (m *Metrics) noReference(d *Dataset, rec *dataset.Record) error {
	for i, v := range rec.Reviews {
		if d.Reference(i, v.ID) {
			return errors.New("the reference of the change is empty: " + strings.Join(m.IDs, ", "))
		}
	}
	return errors.New("the change has no reference " + strings.Join(m.IDs, " or "))
}

// fill puts the scores of a pair into its row, and adds the pair to the corpus of its system. A row
// without any score is unscored.
func (m *Metrics) fill(row *dataset.Row, pair *refmetrics.Pair) {
	sums := m.kind.of(m.totals.system(row.Review))
	for i, v := range pair.Values {
		if i < len(sums) && sums[i].corpus != nil {
			v.Err = sums[i].corpus.Add(pair.Hypothesis, pair.References)
		}
		name := m.Set.Metrics[i].Spec
		if v.Err == nil {
			row.Metrics = append(row.Metrics, dataset.Member[float64]{Name: name, Value: v.Score})
			continue
		}
		row.UnscoredMetrics = append(row.UnscoredMetrics, dataset.Member[string]{Name: name, Value: report.Plain(v.Err.Error())})
	}
	if len(pair.Values) > 0 && len(row.Metrics) == 0 {
		row.Status, row.Note = string(crscore.Unscored), ""
		row.Reason = "no metric gave a score: " + row.UnscoredMetrics[0].Value
	}
}

// see keeps the ids of reviews, and counts the references.
func (m *Metrics) see(d *Dataset, rec *dataset.Record) {
	for i, v := range rec.Reviews {
		if d.Reference(i, v.ID) {
			m.references++
			if !slices.Contains(m.met, v.ID) {
				m.met = append(m.met, v.ID)
			}
		}
		if len(m.seen) < limits.SeenIDs && !slices.Contains(m.seen, v.ID) {
			m.seen = append(m.seen, v.ID)
		}
	}
}

// Totals have the scores of the systems.
func (m *Metrics) Totals() *Totals {
	m.kind = &metricsKind{set: m.Set, scorer: m}
	m.totals = &Totals{kind: m.kind}
	return m.totals
}

// Lacks is the error of references that no change has, and where there is nothing but references.
func (m *Metrics) Lacks(d *Dataset, t *Totals) (what []string, err error) {
	if t.beyond > 0 && m.Set.Corpus {
		what = append(what, fmt.Sprintf("reviews of systems beyond the first %d: %d", limits.TableSystems, t.beyond))
	}
	if len(d.Refs) > 0 || d.dir != nil && (d.shard.Of > 1 || d.dir.Changes() > 0) { // this start has not met all reviews
		return what, nil
	}
	for _, id := range m.IDs {
		if slices.Contains(m.met, id) {
			continue
		}
		hint := ""
		if near := spelling.Nearest(id, m.seen); near != "" {
			hint = "; did you mean " + near + "?"
		}
		seen := strings.Join(m.seen, ", ")
		if len(m.seen) == limits.SeenIDs {
			seen += ", ..."
		}
		err := fmt.Errorf("%s: --reference %s: no change has a review of this id (ids: %s%s)", stdio.Name(d.Name), id, seen, hint)
		if t.Scored > 0 {
			return nil, Incomplete{err}
		}
		return nil, err
	}
	if t.Scored+t.Unscored == 0 && d.Malformed == 0 {
		are := "the only review is a reference"
		if m.references != 1 {
			are = fmt.Sprintf("all %d reviews are references", m.references)
		}
		return nil, fmt.Errorf("%s: nothing to score: %s (%s)", stdio.Name(d.Name), are, strings.Join(m.IDs, ", "))
	}
	return what, nil
}

// metricsKind is what is special about rows of metrics.
type metricsKind struct {
	plain

	set     refmetrics.Set
	scorer  *Metrics // nil for rows of an earlier run
	empty   int
	missing int    // single scores
	why     string // the first of them is missing
}

// sum sums up the scores of a system by a metric.
type sum struct {
	n      int
	total  float64
	corpus refmetrics.Corpus // nil for a mean
}

// score is that of the whole corpus, or the mean; nil without any review that has a score.
func (s *sum) score() *float64 {
	if s.n == 0 {
		return nil
	}
	v := s.total / float64(s.n)
	if s.corpus != nil {
		v = s.corpus.Score()
	}
	return &v
}

// of are the sums of a system; nil for none.
func (k *metricsKind) of(sys *tally) []sum {
	if sys != nil && sys.sums == nil {
		sys.sums = make([]sum, len(k.set.Metrics))
		for i := range sys.sums {
			if m, ok := k.set.Whole(i); ok {
				sys.sums[i].corpus = m.NewCorpus()
			}
		}
	}
	if sys == nil {
		return nil
	}
	return sys.sums
}

func (k *metricsKind) count(sys *tally, r *dataset.Row) ([]float64, bool) {
	if k.missing == 0 && len(r.UnscoredMetrics) > 0 {
		k.why = r.UnscoredMetrics[0].Name + ": " + r.UnscoredMetrics[0].Value
	}
	k.missing += len(r.UnscoredMetrics)
	for i, s := range k.of(sys) {
		if v, ok := r.Metrics.Get(k.set.Metrics[i].Spec); ok {
			sys.sums[i].n, sys.sums[i].total = s.n+1, s.total+v
		}
	}
	scored := r.Status != string(crscore.Unscored)
	if scored && r.Note != "" {
		k.empty++
	}
	return nil, scored
}

func (k *metricsKind) summary(t *Totals) string {
	unit, references := "changes", ""
	if k.scorer != nil && k.scorer.lines {
		unit = "lines"
	} else if k.scorer != nil && !k.scorer.Bare {
		references = fmt.Sprintf("; references, which are not scored themselves: %d", k.scorer.references)
	}
	return spelling.Count("%d "+unit+", %d reviews scored (%d of them empty), %d unscored", t.Changes, t.Scored, k.empty, t.Unscored) + references
}

func (k *metricsKind) table(t *Totals) Table {
	if k.scorer != nil && k.scorer.Bare {
		return Table{}
	}
	out := Table{Title: corpusTitle, untold: t.Scored == 0 || k.set.Corpus, Titled: k.set.Corpus}
	out.Columns = figures.Columns("System", append([]string{"scored", "unscored"}, k.Columns()...)...)
	own, fewer := 0, false
	for i, m := range k.set.Metrics {
		if _, ok := k.set.Whole(i); ok {
			own++
		}
		out.Notes = append(out.Notes, "Signature: "+m.Signature)
	}
	for _, sys := range t.order {
		cells := []string{fmt.Sprint(sys.scored), fmt.Sprint(sys.unscored)}
		about := []slog.Attr{slog.String("system", sys.name), slog.Int("scored", sys.scored), slog.Int("unscored", sys.unscored)}
		for i := range k.of(sys) {
			cell, s := "-", &sys.sums[i]
			if v := s.score(); v != nil {
				cell, about = fmt.Sprintf("%.4f", *v), append(about, slog.Float64(k.set.Metrics[i].Spec, *v))
			}
			if own > 0 && s.corpus == nil {
				cell += "*"
			}
			if s.n < sys.scored {
				fewer, cell = true, cell+"!"
			}
			cells = append(cells, cell)
		}
		out.add(sys.name, cells...)
		if !k.set.Corpus { // else the table is what is printed
			out.Records = append(out.Records, about)
		}
	}
	switch own {
	case 0:
		out.Footnotes = append(out.Footnotes, "The scores are means over the reviews.")
	case len(k.set.Metrics):
	default:
		out.Footnotes = append(out.Footnotes, "* is a mean over the reviews. The other scores are those of all reviews together.")
	}
	if fewer {
		out.Footnotes = append(out.Footnotes, "! is of fewer reviews: the metric gave no score for the others.")
	}
	if t.beyond > 0 {
		out.Footnotes = append(out.Footnotes, beyondNote(t.beyond))
	}
	return out
}

// Columns are the metrics.
func (k *metricsKind) Columns() []string {
	out := make([]string, len(k.set.Metrics))
	for i, m := range k.set.Metrics {
		out[i] = m.Spec
	}
	return out
}

// Fill refuses a row with other metrics than those of the run.
func (k *metricsKind) Fill(r *dataset.Row) error {
	for _, m := range r.Metrics {
		if !slices.ContainsFunc(k.set.Metrics, func(of refmetrics.Named) bool { return of.Spec == m.Name }) {
			return fmt.Errorf("a row has the metric %s, which the run does not name", m.Name)
		}
	}
	return nil
}

// Lacks describes scores that metrics did not give.
func (k *metricsKind) Lacks() []string {
	if k.missing == 0 {
		return nil
	}
	return []string{fmt.Sprintf("scores that a metric did not give: %d (%s)", k.missing, k.why)}
}
