package run

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"crscore"
	"crscore/eval/evidence"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/matrices"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/score"
)

// Engine scores by CRScore.
type Engine struct {
	*crscore.Engine
	// Explain adds the evidence to rows, and Text that of scores, which text shows.
	Explain, Text bool
	// Matrices has a run directory keep the matrices.
	Matrices bool
}

// Manifest has the signature of the engine.
func (e *Engine) Manifest() rundir.Manifest {
	m := rundir.Manifest{Kind: score.KindScore, Signature: e.Signed(e.Provenance().Sources), Explain: e.Explain}
	if e.Matrices {
		m.Matrices = e.Provenance().String()
	}
	return m
}

// Score judges the reviews.
func (e *Engine) Score(ctx context.Context, d *Dataset, emit func(Scored) error) error {
	return d.Judge(ctx, e.Engine, func(rec *dataset.Record, o crscore.Outcome) error {
		return emit(Scored{Record: rec, Rows: e.Rows(rec, o), Block: func(ctx context.Context) (*matrices.Block, error) {
			return evidence.Block(ctx, e.Engine, rec, o)
		}})
	})
}

// Rows are those of a change. Faulty reviews are marked.
func (e *Engine) Rows(rec *dataset.Record, o crscore.Outcome) []dataset.Row {
	rows := present.Rows(e.Engine, rec, o, e.Explain)
	for i := range rows {
		if e.Text && !e.Explain {
			rows[i].Explain = present.Explain(e.Rule(), o.Results[i], nil)
		}
	}
	return rows
}

// Totals have the means of Con, Comp and Rel.
func (e *Engine) Totals() *Totals {
	return &Totals{kind: &scoreKind{}, before: func(to Terminal) { SayTruncated(e.Engine, to) }}
}

// Lacks describes nothing: rows say what they lack.
func (*Engine) Lacks(*Dataset, *Totals) ([]string, error) { return nil, nil }

// SayTruncated says that texts were too long for the model.
func SayTruncated(e *crscore.Engine, to Terminal) {
	what := "sentences or references longer than the encoder reads"
	if e.ReadsPairs() {
		what = "pairs of a sentence and a reference longer than the cross-encoder reads"
	}
	if n := e.Truncated(); n > 0 {
		to.Say(slog.LevelWarn, fmt.Sprintf("%s: %d (their ends are not compared)", what, n))
	}
}

// scoreKind is what is special about rows of CRScore.
type scoreKind struct {
	plain
	score.Aggregate

	signatures []string
}

func (k *scoreKind) count(_ *tally, r *dataset.Row) ([]float64, bool) {
	if len(k.signatures) <= limits.TableSignatures && !slices.Contains(k.signatures, r.Signature) {
		k.signatures = append(k.signatures, r.Signature)
	}
	numbers := Numbers(r)
	if numbers == nil || r.Sentences == nil {
		return nil, false
	}
	k.Add(score.Result{Con: numbers[0], Comp: numbers[1], Rel: numbers[2], Empty: *r.Sentences == 0})
	return numbers, true
}

// Numbers are Con, Comp and Rel of a row; nil for one without a score.
func Numbers(r *dataset.Row) []float64 {
	if r.Status != string(crscore.Scored) || r.Con == nil || r.Comp == nil || r.Rel == nil {
		return nil
	}
	return []float64{*r.Con, *r.Comp, *r.Rel}
}

func (k *scoreKind) summary(t *Totals) string {
	msg := spelling.Count("%d changes, %d reviews scored (%d of them empty), %d unscored", t.Changes, t.Scored, k.Empty, t.Unscored)
	if m := k.Summary().Means; m != nil {
		msg += fmt.Sprintf("; means: con %.4f, comp %.4f, rel %.4f (of the means of con and comp %.4f)", m.Con, m.Comp, m.Rel, m.RelOfMeans)
	}
	return msg
}

// table has the systems with the highest mean Rel first, and those without a score last.
func (k *scoreKind) table(t *Totals) Table {
	out := Table{Title: "Scores of the systems", Aligned: true}
	out.Columns = figures.Columns("System", "scored", "unscored", "Con [95%]", "Comp [95%]", "Rel [95%]")
	systems, bare := t.sorted(), false
	means := map[string][]resample.Estimate{}
	for _, s := range systems {
		if means[s.name] = s.means.Estimates(); s.scored == 0 {
			means[s.name] = make([]resample.Estimate, 3)
		}
	}
	rel := func(s *tally) float64 {
		if v := means[s.name][2].Value; v != nil {
			return *v
		}
		return -1
	}
	slices.SortStableFunc(systems, func(a, b *tally) int { return cmp.Compare(rel(b), rel(a)) })
	for _, s := range systems {
		cells := []string{fmt.Sprintf("%6d", s.scored), fmt.Sprintf("%8d", s.unscored)}
		about := []slog.Attr{slog.String("system", s.name), slog.Int("scored", s.scored), slog.Int("unscored", s.unscored)}
		for i, name := range []string{"con", "comp", "rel"} {
			cell, mean := "-", means[s.name][i]
			if mean.Value != nil {
				cell, about = fmt.Sprintf("%.3f", *mean.Value), append(about, slog.Float64(name, *mean.Value))
				bare = bare || mean.Interval == nil
			}
			if in := mean.Interval; in != nil {
				cell += fmt.Sprintf(" [%.3f, %.3f]", in[0], in[1])
				about = append(about, slog.Float64(name+"_low", in[0]), slog.Float64(name+"_high", in[1]))
			}
			cells = append(cells, cell)
		}
		out.add(s.name, cells...)
		out.Records = append(out.Records, about)
	}
	if bare {
		out.Notes = append(out.Notes, "A mean without an interval is of too few changes.")
	}
	if t.beyond > 0 {
		out.Notes = append(out.Notes, beyondNote(t.beyond))
	}
	for _, sig := range k.signatures[:min(len(k.signatures), limits.TableSignatures)] {
		out.Notes = append(out.Notes, "Short signature: "+report.ShortSignature(sig))
	}
	if len(k.signatures) > limits.TableSignatures {
		out.Notes = append(out.Notes, "There are more signatures.")
	}
	return out
}

func beyondNote(n int) string {
	return fmt.Sprintf("The table has the first %d systems; reviews of others: %d.", limits.TableSystems, n)
}
