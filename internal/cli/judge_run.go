package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	"crscore/internal/terminal"
	"crscore/score"
)

// judgeRun judges the reviews of a dataset.
type judgeRun struct {
	runner
	flags     *judgeFlags
	judge     *judge.Judge
	refs      []string // ids of human reviews, which are not judged
	fields    score.Signature
	signature string // their text
	totals    judgeTotals
}

// judgeTotals sum up a run.
type judgeTotals struct {
	stream        resample.Stream
	systems       map[string]*systemTally
	left          int // reviews of systems beyond maxTableSystems
	scored        int
	differ, voted int // numbers with several votes
	bias          judge.Bias
	change        string // whose places are collected
	places        [][]judge.Place
	reasons       reasons
}

// judgedChange is a change with its rows.
type judgedChange struct {
	rec  *dataset.Record
	rows []dataset.Row
}

func (f *judgeFlags) newRun(s streams, j *judge.Judge) (*judgeRun, error) {
	r := &judgeRun{flags: f, judge: j, refs: f.references(), totals: judgeTotals{systems: map[string]*systemTally{}}}
	r.fields = signedHere(j.Signature())
	if r.refs != nil {
		r.fields = append(r.fields, score.Field{Name: "reference", Value: strings.Join(r.refs, ",")})
	}
	r.signature = r.fields.String()
	r.runner = runner{name: f.data, form: f.form.options, s: s, prints: f.out.dir == ""}
	r.reference = func(_ int, id string) bool { return slices.Contains(r.refs, id) || !f.judged(id) }
	return r, r.divide(f.out.shard)
}

// specs are the columns of numbers in a table; nil for con, comp and rel.
func (f *judgeFlags) specs() (names []string) {
	switch judge.Protocol(f.protocol) {
	case judge.Grade:
		return []string{"grade"}
	case judge.Criteria:
		names = []string{"overall"}
		for _, c := range judge.AllCriteria() {
			names = append(names, c.ID)
		}
	}
	return names
}

// print judges the dataset and prints the rows.
func (r *judgeRun) print(ctx context.Context) error {
	screen := terminal.Screen(r.s.out)
	screen.Changes = true
	w, err := report.NewMetricsWriter(r.s.out, r.flags.format, r.flags.specs(), screen)
	if err != nil {
		return err
	}
	err = r.judgeAll(ctx, func(c judgedChange) error {
		for _, row := range c.rows {
			if err := w.Write(row); err != nil {
				return outputError(err)
			}
		}
		return r.totals.addAll(c.rows)
	})
	if errors.As(err, new(nothing)) || err != nil && r.changes == 0 && !errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil && r.flags.format == "parquet" {
		r.s.log.Fail("the Parquet file has no end, so that nobody takes it for a whole one: it cannot be read")
	} else if err := w.Close(); err != nil {
		return outputError(err)
	}
	if err := r.tell(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if err != nil {
		return incomplete{partlyPrinted{err}}
	}
	return r.whole()
}

// kept is the signature of a run directory. It has the systems that are judged, which the rows of
// other systems would lack: shards of other systems are no run.
func (r *judgeRun) kept() score.Signature {
	if len(r.flags.systems) == 0 {
		return r.fields
	}
	return append(slices.Clip(r.fields), score.Field{Name: "system", Value: strings.Join(slices.Sorted(slices.Values(r.flags.systems)), ",")})
}

// keep judges the dataset into a run directory.
func (r *judgeRun) keep(ctx context.Context) error {
	err := r.runner.keep(ctx, keeping{
		path: r.flags.out.dir, manifest: r.manifest(rundir.Manifest{Kind: score.KindJudge, Signature: r.kept(), Explain: r.flags.explain}),
		earlier: func(rows []byte) error { return eachRow(rows, r.totals.add) },
		work: func(dir *rundir.Run, rows *bytes.Buffer, w report.Writer) error {
			r.unscored = r.totals.unscored()
			return r.judgeAll(ctx, func(c judgedChange) error {
				rows.Reset()
				for _, row := range c.rows {
					if err := w.Write(row); err != nil {
						return err
					}
				}
				if err := r.totals.addAll(c.rows); err != nil {
					return err
				}
				return outputError(dir.Add(rundir.Change{Place: place(c.rec), Rows: rows.Bytes()}))
			})
		},
		tell: func() error { return r.tell(context.WithoutCancel(ctx)) },
	})
	if err != nil {
		return err
	}
	return r.whole()
}

// judgeAll judges the dataset and hands out the changes, in its order.
func (r *judgeRun) judgeAll(ctx context.Context, emit func(judgedChange) error) error {
	return r.stream("judging", func(next func() (*dataset.Record, error), finish func()) error {
		return ordered.Map(ctx, r.judge.Parallel(), next, r.judgeChange, func(c judgedChange) error {
			for i := range c.rows {
				if c.rows[i].Status == string(crscore.Unscored) {
					r.unscored++
				}
			}
			finish()
			return emit(c)
		})
	})
}

// judgeChange judges the reviews of a change.
func (r *judgeRun) judgeChange(ctx context.Context, rec *dataset.Record) (judgedChange, error) {
	out := judgedChange{rec: rec}
	c := judge.Case{ID: rec.ID}
	if r.flags.protocol != string(judge.Grade) {
		in, err := evidence.Input(rec)
		c.Change, c.Err = in.Change, err
	}
	var others []int
	c.References, others = rec.Split(func(_ int, id string) bool { return slices.Contains(r.refs, id) })
	others = slices.DeleteFunc(others, func(i int) bool { return !r.flags.judged(rec.Reviews[i].ID) })
	for _, i := range others {
		c.Reviews = append(c.Reviews, judge.Review{Text: rec.Reviews[i].Text, Err: rec.Reviews[i].Err})
	}
	verdicts, err := r.judge.Judge(ctx, c)
	if err != nil {
		return out, err
	}
	language := present.Language(rec)
	for k, i := range others {
		id := rec.Reviews[i].ID
		row := dataset.Row{ID: rec.ID, Review: id, System: id, Lang: language, Kind: score.KindJudge, Protocol: r.flags.protocol, Signature: r.signature, Human: rec.Reviews[i].Human}
		r.fill(&row, verdicts[k])
		out.rows = append(out.rows, row)
	}
	return out, nil
}

// fill puts a verdict into its row.
func (r *judgeRun) fill(row *dataset.Row, v judge.Verdict) {
	row.Note = strings.Join(v.Notes, "; ")
	how := &dataset.Judge{}
	if len(v.Votes) > 1 {
		how.Votes = v.Votes
	}
	for _, p := range v.Places {
		how.Orders = append(how.Orders, dataset.Place(p))
	}
	if r.flags.explain {
		how.Reasons = v.Reasons
	}
	if how.Votes != nil || how.Orders != nil || how.Reasons != nil {
		row.Judge = how
	}
	if v.Err != nil {
		row.Status = string(crscore.Unscored)
		row.Reason = report.Plain(strings.ReplaceAll(v.Err.Error(), "\n", "; "))
		return
	}
	row.Status = string(crscore.Scored)
	switch judge.Protocol(r.flags.protocol) {
	case judge.Rel:
		row.Grades = &dataset.Human{Con: float64(v.Con), Comp: float64(v.Comp), Rel: float64(v.Rel)}
		row.Con, row.Comp, row.Rel = graded(v.Con), graded(v.Comp), graded(v.Rel)
	case judge.Grade:
		row.Grade, row.Score = &v.Grade, graded(v.Grade)
		r.column(row, "grade", *row.Score)
	case judge.Criteria:
		row.Rank = &v.Rank
		overall := portion(v.Overall(), judge.MinCriterion, judge.MaxCriterion)
		row.Score = &overall
		r.column(row, "overall", overall)
		for i, c := range judge.AllCriteria() {
			row.Criteria = append(row.Criteria, dataset.Member[float64]{Name: c.ID, Value: v.Criteria[i]})
			r.column(row, c.ID, portion(v.Criteria[i], judge.MinCriterion, judge.MaxCriterion))
		}
	}
}

// column adds a number to the columns of a table. Rows in JSON have their own fields.
func (r *judgeRun) column(row *dataset.Row, name string, v float64) {
	if !strings.HasPrefix(r.flags.format, "json") {
		row.Metrics = append(row.Metrics, dataset.Member[float64]{Name: name, Value: v})
	}
}

// graded is a grade from 1 to 5 as a number from 0 to 1.
func graded(g int) *float64 {
	v := portion(float64(g), judge.MinGrade, judge.MaxGrade)
	return &v
}

// portion is the place of a number between two limits, from 0 to 1.
func portion(v, low, high float64) float64 { return (v - low) / (high - low) }

// addAll adds the rows of a change.
func (t *judgeTotals) addAll(rows []dataset.Row) error {
	for _, row := range rows {
		if err := t.add(row); err != nil {
			return err
		}
	}
	return nil
}

// add adds a row. Rows of a change come one after the other.
func (t *judgeTotals) add(row dataset.Row) error {
	if row.ID != t.change {
		t.endChange()
		t.change = row.ID
	}
	if row.Judge != nil {
		var places []judge.Place
		for _, p := range row.Judge.Orders {
			places = append(places, judge.Place(p))
		}
		t.places = append(t.places, places)
		differ, voted := (judge.Verdict{Votes: row.Judge.Votes}).Disagree()
		t.differ, t.voted = t.differ+differ, t.voted+voted
	}
	sys, ok := t.systems[row.Review]
	switch {
	case !ok && len(t.systems) == maxTableSystems:
		t.left++
		sys = &systemTally{}
	case !ok:
		sys = &systemTally{name: row.Review}
		t.systems[row.Review] = sys
	}
	if row.Status != string(crscore.Scored) {
		sys.unscored++
		t.reasons.addRow(&row)
		return nil
	}
	t.scored++
	weights, err := t.stream.Weights(row.ID)
	if err != nil {
		return err
	}
	sys.means.Add(row.ID, weights, numbersOf(row)...)
	return nil
}

// endChange adds the places of the last change to the bias.
func (t *judgeTotals) endChange() {
	t.bias.Add(t.places)
	t.places = nil
}

func (t *judgeTotals) unscored() (n int) {
	for _, s := range t.systems {
		n += s.unscored
	}
	return n
}

// numbersOf are the numbers of a row that a table of the systems has: grades, or the mean of
// the criteria and the rank.
func numbersOf(row dataset.Row) []float64 {
	switch {
	case row.Grades != nil:
		return []float64{row.Grades.Con, row.Grades.Comp, row.Grades.Rel}
	case row.Grade != nil:
		return []float64{float64(*row.Grade)}
	case row.Rank != nil && row.Score != nil:
		return []float64{1 + *row.Score*(judge.MaxCriterion-judge.MinCriterion), *row.Rank}
	}
	return nil
}

// tell says on standard error what the run came to.
func (r *judgeRun) tell(ctx context.Context) error {
	t, log := &r.totals, r.s.log
	t.endChange()
	defer t.reasons.tell(r.s)
	log.Note(spelling.Count("%d changes, %d reviews judged, %d unscored", r.changes, t.scored, r.unscored))
	if t.scored > 0 {
		if err := r.tellSystems(); err != nil {
			return err
		}
	}
	if t.voted > 0 {
		log.Note(fmt.Sprintf("grades whose votes differ: %d of %d (%.1f%%)", t.differ, t.voted, 100*float64(t.differ)/float64(t.voted)))
	}
	if r.flags.protocol == string(judge.Criteria) {
		rep, err := t.bias.Report(ctx, resample.Bootstrap{})
		if err != nil {
			return err
		}
		if log.JSON() {
			log.Say(slog.LevelInfo, "order", slog.Any("bias", rep))
		} else {
			log.Note(spelling.Count("order of the list, %d changes in two orders: the winner changed in a share of %s; "+
				"a place further down is worth %s ranks, from first to last %s",
				rep.Changes, rep.WinnerChanged, rep.RanksPerPlace, rep.FirstToLast))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.systems)) {
		if judge.Resemble(name, r.flags.asking.model) {
			log.Warn(fmt.Sprintf("%s may prefer its own words: the system %s has a name like the judge's", r.flags.asking.model, report.Plain(name)))
		}
	}
	r.flags.asking.tell(log, r.flags.asking.model, r.judge.Usage())
	return nil
}

// tellSystems prints a table of the systems, and writes it to the page of --html.
func (r *judgeRun) tellSystems() error {
	names := map[judge.Protocol][]string{
		judge.Rel: {"con", "comp", "rel"}, judge.Grade: {"grade"}, judge.Criteria: {"overall", "rank"},
	}[judge.Protocol(r.flags.protocol)]
	table := figures.Table{Columns: figures.Columns("System", append([]string{"judged", "unscored"}, names...)...)}
	var systems []*systemTally
	for _, s := range r.totals.systems {
		systems = append(systems, s)
	}
	slices.SortFunc(systems, func(a, b *systemTally) int { return cmp.Compare(a.name, b.name) })
	for _, s := range systems {
		cells := []string{shortName(s.name), fmt.Sprint(s.means.Items()), fmt.Sprint(s.unscored)}
		means := s.means.Estimates()
		for i, name := range names {
			cell := "-"
			if i < len(means) {
				cell = means[i].String()
				if r.s.log.JSON() && means[i].Value != nil {
					r.s.log.Say(slog.LevelInfo, "system", slog.String("system", s.name), slog.Float64(name, *means[i].Value))
				}
			}
			cells = append(cells, cell)
		}
		table.Rows = append(table.Rows, figures.Row{Cells: cells})
	}
	page := figures.Page{Sections: []figures.Section{{Figures: []figures.Figure{table}}}}
	drawn := page
	drawn.Title, drawn.Foot = "Grades of the systems", "Signature: "+r.signature
	if err := r.flags.html.write(drawn); err != nil || r.s.log.JSON() {
		return err
	}
	var b bytes.Buffer
	_ = page.WriteText(&b, terminal.Screen(r.s.log).Width) // a buffer has no errors
	b.WriteString("Signature: " + report.Plain(r.signature) + "\n")
	r.s.log.Block(b.String())
	return nil
}

// whole returns what is missing.
func (r *judgeRun) whole() error {
	if r.totals.scored+r.totals.unscored() == 0 && r.malformed == 0 && r.shard.Of <= 1 {
		return fmt.Errorf("%s: nothing to judge: no review is of a system that is judged", stdio.Name(r.name))
	}
	return r.missing()
}
