package run

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"crscore"
	"crscore/eval/evidence"
	"crscore/eval/judge"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/ordered"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/score"
)

// Judge has a language model judge reviews.
type Judge struct {
	// Judge asks the model by the protocol.
	Judge    *judge.Judge
	Protocol judge.Protocol
	// Model is the model's name, and Told says at the end what its answers took.
	Model string
	Told  func()
	// References are the ids of human reviews, which are not judged; nil where the protocol has
	// none. Systems are those that are judged, empty for all.
	References, Systems []string
	// Explain adds the model's reasons.
	Explain bool
}

// Judged reports whether a review is judged.
func (j *Judge) Judged(id string) bool {
	return !slices.Contains(j.References, id) && (len(j.Systems) == 0 || slices.Contains(j.Systems, id))
}

// signature is that of rows.
func (j *Judge) signature() score.Signature {
	s := SignedHere(j.Judge.Signature())
	if j.References != nil {
		s = append(s, score.Field{Name: "reference", Value: strings.Join(j.References, ",")})
	}
	return s
}

// SignedHere is a signature of numbers that this program makes without an engine.
func SignedHere(s score.Signature) score.Signature {
	return append(score.Signature{{Name: "crscore", Value: crscore.Version}}, s...)
}

// Manifest has the systems that are judged, which the rows of other systems would lack: shards of
// other systems are no run.
func (j *Judge) Manifest() rundir.Manifest {
	m := rundir.Manifest{Kind: score.KindJudge, Signature: j.signature(), Explain: j.Explain}
	if len(j.Systems) > 0 {
		m.Signature = append(m.Signature, score.Field{Name: "system", Value: strings.Join(slices.Sorted(slices.Values(j.Systems)), ",")})
	}
	return m
}

// Score judges the reviews.
func (j *Judge) Score(ctx context.Context, d *Dataset, emit func(Scored) error) error {
	signature := j.signature().String()
	return d.Stream("judging", func(next func() (*dataset.Record, error), finish func()) error {
		judged := func(ctx context.Context, rec *dataset.Record) (Scored, error) { return j.change(ctx, rec, signature) }
		return ordered.Map(ctx, j.Judge.Parallel(), next, judged, func(c Scored) error {
			finish()
			return emit(c)
		})
	})
}

// change judges the reviews of a change.
func (j *Judge) change(ctx context.Context, rec *dataset.Record, signature string) (Scored, error) {
	out := Scored{Record: rec}
	c := judge.Case{ID: rec.ID}
	if j.Protocol != judge.Grade {
		in, err := evidence.Input(rec)
		c.Change, c.Err = in.Change, err
	}
	var others []int
	c.References, others = rec.Split(func(_ int, id string) bool { return slices.Contains(j.References, id) })
	others = slices.DeleteFunc(others, func(i int) bool { return !j.Judged(rec.Reviews[i].ID) })
	for _, i := range others {
		c.Reviews = append(c.Reviews, judge.Review{Text: rec.Reviews[i].Text, Err: rec.Reviews[i].Err})
	}
	verdicts, err := j.Judge.Judge(ctx, c)
	if err != nil {
		return out, err
	}
	language := present.Language(rec)
	for k, i := range others {
		row := newRow(rec, i, language, dataset.Row{Kind: score.KindJudge, Protocol: string(j.Protocol), Signature: signature})
		j.fill(&row, verdicts[k])
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// newRow adds to a row what the dataset tells of a review.
func newRow(rec *dataset.Record, i int, language string, row dataset.Row) dataset.Row {
	v := &rec.Reviews[i]
	row.ID, row.Review, row.System, row.Lang = rec.ID, v.ID, v.ID, language
	row.Human = v.Human
	return row
}

// unscored gives a row the reason why it has no score: several errors in one line.
func unscored(row *dataset.Row, why error) {
	row.Status, row.Reason = string(crscore.Unscored), report.Plain(strings.ReplaceAll(why.Error(), "\n", "; "))
}

// fill puts a verdict into its row.
func (j *Judge) fill(row *dataset.Row, v judge.Verdict) {
	row.Note = strings.Join(v.Notes, "; ")
	how := &dataset.Judge{}
	if len(v.Votes) > 1 {
		how.Votes = v.Votes
	}
	for _, p := range v.Places {
		how.Orders = append(how.Orders, dataset.Place(p))
	}
	if j.Explain {
		how.Reasons = v.Reasons
	}
	if how.Votes != nil || how.Orders != nil || how.Reasons != nil {
		row.Judge = how
	}
	if v.Err != nil {
		unscored(row, v.Err)
		return
	}
	row.Status = string(crscore.Scored)
	switch j.Protocol {
	case judge.Rel:
		row.Grades = &dataset.Human{Con: float64(v.Con), Comp: float64(v.Comp), Rel: float64(v.Rel)}
		row.Con, row.Comp, row.Rel = graded(v.Con), graded(v.Comp), graded(v.Rel)
	case judge.Grade:
		row.Grade, row.Score = &v.Grade, graded(v.Grade)
	case judge.Criteria:
		overall := criterion(v.Overall())
		row.Rank, row.Score = &v.Rank, &overall
		for i, c := range judge.AllCriteria() {
			row.Criteria = append(row.Criteria, dataset.Member[float64]{Name: c.ID, Value: v.Criteria[i]})
		}
	}
}

// graded is a grade from 1 to 5 as a number from 0 to 1.
func graded(g int) *float64 {
	v := (float64(g) - judge.MinGrade) / (judge.MaxGrade - judge.MinGrade)
	return &v
}

// criterion is a criterion from 1 to 10 as a number from 0 to 1.
func criterion(v float64) float64 {
	return (v - judge.MinCriterion) / (judge.MaxCriterion - judge.MinCriterion)
}

// Totals have the means of the grades.
func (j *Judge) Totals() *Totals {
	return &Totals{kind: newJudgeKind(j.Manifest(), j.Model), after: func(Terminal) { j.Told() }}
}

// Lacks is the error of a dataset without a review of a system that is judged.
func (j *Judge) Lacks(d *Dataset, t *Totals) ([]string, error) {
	if t.Scored+t.Unscored == 0 && d.Malformed == 0 && d.shard.Of <= 1 {
		return nil, fmt.Errorf("%s: nothing to judge: no review is of a system that is judged", stdio.Name(d.Name))
	}
	return nil, nil
}

// judgeKind is what is special about rows of a judge.
type judgeKind struct {
	plain

	protocol         judge.Protocol
	model, signature string
	differ, voted    int // numbers with several votes
	bias             judge.Bias
	change           string // whose places are collected
	places           [][]judge.Place
}

// newJudgeKind reads the protocol in the signature of a run.
func newJudgeKind(m rundir.Manifest, model string) *judgeKind {
	_, protocol := m.Signature.Kind()
	signature := slices.DeleteFunc(slices.Clone(m.Signature), func(f score.Field) bool { return f.Name == "system" })
	return &judgeKind{protocol: judge.Protocol(protocol), model: model, signature: signature.String()}
}

func (k *judgeKind) count(_ *tally, r *dataset.Row) ([]float64, bool) {
	if r.ID != k.change {
		k.endChange()
		k.change = r.ID
	}
	if r.Judge != nil {
		var places []judge.Place
		for _, p := range r.Judge.Orders {
			places = append(places, judge.Place(p))
		}
		k.places = append(k.places, places)
		differ, voted := (judge.Verdict{Votes: r.Judge.Votes}).Disagree()
		k.differ, k.voted = k.differ+differ, k.voted+voted
	}
	switch {
	case r.Status != string(crscore.Scored):
		return nil, false
	case r.Grades != nil:
		return []float64{r.Grades.Con, r.Grades.Comp, r.Grades.Rel}, true
	case r.Grade != nil:
		return []float64{float64(*r.Grade)}, true
	case r.Rank != nil && r.Score != nil: // the mean of the criteria
		return []float64{1 + *r.Score*(judge.MaxCriterion-judge.MinCriterion), *r.Rank}, true
	}
	return nil, true
}

// endChange adds the places of the last change to the bias.
func (k *judgeKind) endChange() {
	k.bias.Add(k.places)
	k.places = nil
}

func (*judgeKind) summary(t *Totals) string {
	return spelling.Count("%d changes, %d reviews judged, %d unscored", t.Changes, t.Scored, t.Unscored)
}

func (k *judgeKind) table(t *Totals) Table {
	if t.Scored == 0 {
		return Table{}
	}
	names := map[judge.Protocol][]string{
		judge.Rel: {"con", "comp", "rel"}, judge.Grade: {"grade"}, judge.Criteria: {"overall", "rank"},
	}[k.protocol]
	out := Table{Title: "Grades of the systems", Notes: []string{"Signature: " + k.signature}}
	out.Columns = figures.Columns("System", append([]string{"judged", "unscored"}, names...)...)
	for _, s := range t.sorted() {
		cells, means := []string{fmt.Sprint(s.scored), fmt.Sprint(s.unscored)}, s.means.Estimates()
		for i, name := range names {
			cell := "-"
			if i < len(means) {
				cell = means[i].String()
				if means[i].Value != nil {
					out.Records = append(out.Records, []slog.Attr{slog.String("system", s.name), slog.Float64(name, *means[i].Value)})
				}
			}
			cells = append(cells, cell)
		}
		out.add(s.name, cells...)
	}
	return out
}

func (k *judgeKind) more(ctx context.Context, t *Totals, to Terminal) error {
	k.endChange()
	if k.voted > 0 {
		to.Say(slog.LevelInfo, fmt.Sprintf("grades whose votes differ: %d of %d (%.1f%%)", k.differ, k.voted, 100*float64(k.differ)/float64(k.voted)))
	}
	if k.protocol == judge.Criteria {
		rep, err := k.bias.Report(ctx, resample.Bootstrap{})
		if err != nil {
			return err
		}
		if to.Records() {
			to.Say(slog.LevelInfo, "order", slog.Any("bias", rep))
		} else {
			to.Say(slog.LevelInfo, spelling.Count("order of the list, %d changes in two orders: the winner changed in a share of %s; "+
				"a place further down is worth %s ranks, from first to last %s",
				rep.Changes, rep.WinnerChanged, rep.RanksPerPlace, rep.FirstToLast))
		}
	}
	for _, s := range t.sorted() {
		if judge.Resemble(s.name, k.model) {
			to.Say(slog.LevelWarn, fmt.Sprintf("%s may prefer its own words: the system %s has a name like the judge's", k.model, report.Plain(s.name)))
		}
	}
	return nil
}

// Columns are the grade, or the criteria; nil for Con, Comp and Rel.
func (k *judgeKind) Columns() (names []string) {
	switch k.protocol {
	case judge.Grade:
		names = []string{"grade"}
	case judge.Criteria:
		names = []string{"overall"}
		for _, c := range judge.AllCriteria() {
			names = append(names, c.ID)
		}
	}
	return names
}

// Fill sets the columns of a table, from 0 to 1. Rows in JSON have their own fields.
func (k *judgeKind) Fill(r *dataset.Row) error {
	if r.Score == nil {
		return nil
	}
	r.Metrics = dataset.Members[float64]{{Name: k.Columns()[0], Value: *r.Score}}
	for _, c := range r.Criteria {
		r.Metrics = append(r.Metrics, dataset.Member[float64]{Name: c.Name, Value: criterion(c.Value)})
	}
	return nil
}
