package cli

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"crscore"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
	"crscore/score"
)

const (
	// maxTableSystems bounds the systems of a table, with 32 KiB for each.
	maxTableSystems = 1000
	// maxSignatures bounds the signatures below a table.
	maxSignatures = 5
	// maxSystemName bounds the columns of a system's name.
	maxSystemName = 40
)

// runTotals sums up the results of a run over a dataset, of all reviews and of each system. Its
// memory does not grow with the number of changes.
type runTotals struct {
	score.Aggregate

	stream     resample.Stream
	systems    map[string]*systemTally
	left       int // reviews of systems beyond maxTableSystems
	leftOut    int // reviews of changes with files that could not be read
	signatures []string
	reasons    reasons
}

// systemTally sums up the results of a system.
type systemTally struct {
	name     string
	unscored int
	means    resample.Means // of Con, Comp and Rel
}

// add adds a result.
func (t *runTotals) add(r dataset.Row) error {
	sys := t.system(r.Review)
	if r.LeftOut > 0 {
		t.leftOut++
	}
	if len(t.signatures) <= maxSignatures && !slices.Contains(t.signatures, r.Signature) {
		t.signatures = append(t.signatures, r.Signature)
	}
	if r.Status != string(crscore.Scored) || r.Con == nil || r.Comp == nil || r.Rel == nil || r.Sentences == nil {
		t.AddUnscored()
		t.reasons.addRow(&r)
		if sys != nil {
			sys.unscored++
		}
		return nil
	}
	t.Add(score.Result{Con: *r.Con, Comp: *r.Comp, Rel: *r.Rel, Empty: *r.Sentences == 0})
	if sys == nil {
		return nil
	}
	weights, err := t.stream.Weights(r.ID)
	if err != nil {
		return err
	}
	sys.means.Add(r.ID, weights, *r.Con, *r.Comp, *r.Rel)
	return nil
}

// system returns the sums of a system; nil beyond maxTableSystems.
func (t *runTotals) system(name string) *systemTally {
	if sys, ok := t.systems[name]; ok {
		return sys
	}
	if len(t.systems) == maxTableSystems {
		t.left++
		return nil
	}
	if t.systems == nil {
		t.systems = make(map[string]*systemTally)
	}
	sys := &systemTally{name: name}
	t.systems[name] = sys
	return sys
}

// tell says on standard error what the run came to: one line, and a table of the systems,
// the highest mean Rel first.
func (t *runTotals) tell(s streams, changes int) {
	msg := spelling.Count("%d changes, %d reviews scored (%d of them empty), %d unscored", changes, t.Scored, t.Empty, t.Unscored)
	if m := t.Summary().Means; m != nil {
		msg += fmt.Sprintf("; means: con %.4f, comp %.4f, rel %.4f (of the means of con and comp %.4f)", m.Con, m.Comp, m.Rel, m.RelOfMeans)
	}
	s.log.Note(msg)
	defer t.reasons.tell(s)
	if len(t.systems) == 0 {
		return
	}
	rows := t.rows()
	if s.log.JSON() {
		for _, r := range rows {
			s.log.Say(slog.LevelInfo, "system", r.attrs()...)
		}
		return
	}
	s.log.Block(t.table(rows))
}

// rows are the systems, the highest mean Rel first.
func (t *runTotals) rows() []systemRow {
	rows := make([]systemRow, 0, len(t.systems))
	for _, sys := range t.systems {
		rows = append(rows, systemRow{sys, sys.means.Estimates()})
	}
	slices.SortFunc(rows, func(a, b systemRow) int { return cmp.Or(cmp.Compare(b.rel(), a.rel()), cmp.Compare(a.name, b.name)) })
	return rows
}

// systemRow is a system with the estimates of its means, none where all reviews are unscored.
type systemRow struct {
	*systemTally
	means []resample.Estimate
}

// rel is what systems are ordered by: below all others where there is no score.
func (r systemRow) rel() float64 {
	if len(r.means) == 0 || r.means[2].Value == nil {
		return -1
	}
	return *r.means[2].Value
}

// attrs are the row as fields of a record.
func (r systemRow) attrs() []slog.Attr {
	out := []slog.Attr{slog.String("system", r.name), slog.Int("scored", r.systemTally.means.Items()), slog.Int("unscored", r.unscored)}
	for i, name := range []string{"con", "comp", "rel"} {
		if len(r.means) == 0 {
			break
		}
		if v := r.means[i].Value; v != nil {
			out = append(out, slog.Float64(name, *v))
		}
		if in := r.means[i].Interval; in != nil {
			out = append(out, slog.Float64(name+"_low", in[0]), slog.Float64(name+"_high", in[1]))
		}
	}
	return out
}

// systemColumns are the heads of the table.
func systemColumns() []string {
	return []string{"System", "scored", "unscored", "Con [95%]", "Comp [95%]", "Rel [95%]"}
}

// cells are the table's cells, and the notes below them.
func (t *runTotals) cells(rows []systemRow) (cells [][]string, notes []string) {
	bare := false
	for _, r := range rows {
		line := []string{shortName(r.name), fmt.Sprintf("%6d", r.systemTally.means.Items()), fmt.Sprintf("%8d", r.unscored)}
		for i := range 3 {
			cell := "-"
			if len(r.means) > 0 && r.means[i].Value != nil {
				cell = fmt.Sprintf("%.3f", *r.means[i].Value)
				if in := r.means[i].Interval; in != nil {
					cell += fmt.Sprintf(" [%.3f, %.3f]", in[0], in[1])
				} else {
					bare = true
				}
			}
			line = append(line, cell)
		}
		cells = append(cells, line)
	}
	if bare {
		notes = append(notes, "A mean without an interval is of too few changes.")
	}
	if t.left > 0 {
		notes = append(notes, fmt.Sprintf("The table has the first %d systems; reviews of others: %d.", maxTableSystems, t.left))
	}
	for _, sig := range t.signatures[:min(len(t.signatures), maxSignatures)] {
		notes = append(notes, "Short signature: "+report.ShortSignature(sig))
	}
	if len(t.signatures) > maxSignatures {
		notes = append(notes, "There are more signatures.")
	}
	return cells, notes
}

// table is the table in lines.
func (t *runTotals) table(rows []systemRow) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	cells, notes := t.cells(rows)
	for _, line := range append([][]string{systemColumns()}, cells...) {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush() // a strings.Builder has no errors
	for _, note := range notes {
		b.WriteString(note + "\n")
	}
	return b.String()
}

// page is the table as a page.
func (t *runTotals) page() figures.Page {
	heads := systemColumns()
	table := figures.Table{Columns: figures.Columns(heads[0], heads[1:]...)}
	cells, notes := t.cells(t.rows())
	for _, line := range cells {
		table.Rows = append(table.Rows, figures.Row{Cells: line})
	}
	return figures.Page{Title: "Scores of the systems", Sections: []figures.Section{{Figures: []figures.Figure{table}}}, Foot: strings.Join(notes, "\n\n")}
}

// shortName is a system's name for a table.
func shortName(name string) string {
	runes := []rune(report.Plain(name))
	if len(runes) > maxSystemName {
		return string(runes[:maxSystemName-1]) + "…"
	}
	return string(runes)
}
