package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"crscore"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// Totals sum up the rows of a run, of all reviews and of each system. Their memory does not grow
// with the number of changes.
type Totals struct {
	kind

	// Scored and Unscored count rows.
	Changes, Scored, Unscored int
	// LeftOut are reviews of changes with files that could not be read.
	LeftOut int

	stream  resample.Stream
	systems map[string]*tally
	order   []*tally // as they came
	beyond  int      // reviews of systems beyond limits.TableSystems
	reasons reasons
	// before and after say what the scorer has to say before the counts and behind the table; nil
	// for nothing.
	before, after func(Terminal)
}

// tally sums up the rows of a system.
type tally struct {
	name             string
	scored, unscored int
	means            resample.Means
	sums             []sum // of metrics
}

// kind is what totals of score, judge and metrics do in their own ways.
type kind interface {
	// count counts a row of a system, and returns the numbers whose means a table has. A row
	// without a score is not scored.
	count(sys *tally, r *dataset.Row) (numbers []float64, scored bool)
	// summary is the line with the counts.
	summary(t *Totals) string
	// table is the table of the systems, without columns for none.
	table(t *Totals) Table
	// more says what is behind the table.
	more(ctx context.Context, t *Totals, to Terminal) error
	// Columns are the columns of numbers in a table of rows; nil for Con, Comp and Rel. Fill sets
	// them in a row of JSON, which has them as other fields.
	Columns() []string
	Fill(r *dataset.Row) error
	// Lacks describes scores that are missing, besides those of whole reviews.
	Lacks() []string
}

// plain is what a kind does that does nothing special.
type plain struct{}

func (plain) more(context.Context, *Totals, Terminal) error { return nil }

// Columns are none.
func (plain) Columns() []string { return nil }

// Fill sets nothing.
func (plain) Fill(*dataset.Row) error { return nil }

// Lacks describes nothing.
func (plain) Lacks() []string { return nil }

// Add adds a row. Rows of a change come one after the other.
func (t *Totals) Add(r *dataset.Row) error {
	sys := t.system(r.Review)
	if sys == nil {
		t.beyond++
		sys = &tally{}
	}
	if r.LeftOut > 0 {
		t.LeftOut++
	}
	numbers, scored := t.count(sys, r)
	if !scored {
		t.Unscored++
		sys.unscored++
		t.reasons.add(r)
		return nil
	}
	t.Scored++
	if sys.scored++; numbers == nil || sys.name != r.Review {
		return nil
	}
	weights, err := t.stream.Weights(r.ID)
	if err != nil {
		return err
	}
	sys.means.Add(r.ID, weights, numbers...)
	return nil
}

// system returns the sums of a system; nil beyond limits.TableSystems.
func (t *Totals) system(name string) *tally {
	sys := t.systems[name]
	if sys == nil && len(t.order) < limits.TableSystems {
		if t.systems == nil {
			t.systems = map[string]*tally{}
		}
		sys = &tally{name: name}
		t.systems[name], t.order = sys, append(t.order, sys)
	}
	return sys
}

// sorted are the systems in the order of their names.
func (t *Totals) sorted() []*tally {
	return slices.SortedFunc(slices.Values(t.order), func(a, b *tally) int { return cmp.Compare(a.name, b.name) })
}

// Tell says what the run came to: a line with the counts, and a table of the systems.
func (t *Totals) Tell(ctx context.Context, to Terminal) error {
	if t.before != nil {
		t.before(to)
	}
	to.Say(slog.LevelInfo, t.summary(t))
	defer t.reasons.tell(to)
	table := t.table(t)
	switch {
	case len(table.Rows) == 0:
	case to.Records():
		for _, about := range table.Records {
			to.Say(slog.LevelInfo, "system", about...)
		}
	case !table.untold:
		to.Block(table.Text(to.Width()))
	}
	if err := t.more(ctx, t, to); err != nil {
		return err
	}
	if t.after != nil {
		t.after(to)
	}
	return nil
}

// Table is the table of the systems.
func (t *Totals) Table() Table { return t.table(t) }

// Table is a table of systems.
type Table struct {
	figures.Table
	Title   string        // of its page
	Notes   []string      // below the table
	Records [][]slog.Attr // its rows for programs
	// Titled shows the title above text, and Aligned has the columns without margins.
	Titled, Aligned bool

	untold bool // to people
}

// Text is the table in lines. Notes are in one line each, to be copied.
func (t Table) Text(width int) string {
	var b bytes.Buffer
	if t.Aligned {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		var heads []string
		for _, c := range t.Columns {
			heads = append(heads, c.Name)
		}
		for _, row := range append([]figures.Row{{Cells: heads}}, t.Rows...) {
			fmt.Fprintln(w, strings.Join(row.Cells, "\t"))
		}
		w.Flush() // a buffer has no errors
	} else {
		page := figures.Page{Sections: t.Page().Sections}
		if t.Titled {
			page.Title = t.Title
		}
		_ = page.WriteText(&b, width) // a buffer has no errors
	}
	for _, note := range t.Notes {
		b.WriteString(report.Plain(note) + "\n")
	}
	return b.String()
}

// Page is the table as a page; without sections where there is none.
func (t Table) Page() figures.Page {
	if t.Columns == nil {
		return figures.Page{}
	}
	return figures.Page{Title: t.Title, Sections: []figures.Section{{Figures: []figures.Figure{t.Table}}}, Foot: strings.Join(t.Notes, "\n\n")}
}

// add adds a row: the name of a system, its counts, and its numbers.
func (t *Table) add(name string, cells ...string) {
	t.Rows = append(t.Rows, figures.Row{Cells: append([]string{ShortName(name)}, cells...)})
}

// ShortName is a system's name for a table.
func ShortName(name string) string {
	runes := []rune(report.Plain(name))
	if len(runes) > limits.SystemColumns {
		return string(runes[:limits.SystemColumns-1]) + "…"
	}
	return string(runes)
}

// reasons count why reviews have no score. Reasons that differ in numbers alone are one: the first.
type reasons struct {
	spelling.Tally
	first map[string]string // the first reason of each kind
}

var numbers = regexp.MustCompile(`[0-9]+`)

// add counts a row without a score.
func (t *reasons) add(r *dataset.Row) {
	if r.Status != string(crscore.Unscored) {
		return
	}
	if t.first == nil {
		t.first = map[string]string{}
	}
	kind := numbers.ReplaceAllString(r.Reason, "#")
	if _, known := t.first[kind]; !known && len(t.first) < limits.Reasons {
		t.first[kind] = r.Reason
	}
	t.Add(cmp.Or(t.first[kind], "another reason"))
}

// tell closes a run with the most frequent reasons.
func (t *reasons) tell(to Terminal) {
	all := t.MostFrequent()
	var parts []string
	for _, why := range all[:min(limits.ReasonsShown, len(all))] {
		parts = append(parts, fmt.Sprintf("%d × %.200s", t.Count(why), report.Plain(why)))
	}
	if n := len(all) - limits.ReasonsShown; n > 0 {
		parts = append(parts, fmt.Sprintf("rarer reasons: %d", n))
	}
	if parts != nil {
		to.Say(slog.LevelInfo, "why reviews are unscored: "+strings.Join(parts, "; "))
	}
}
