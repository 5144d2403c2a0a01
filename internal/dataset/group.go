package dataset

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// cellBytes is what a cell needs in memory beside its text.
const cellBytes = 64

// gathered is a table whose rows are in memory, those of a change one behind the other; or
// those of its beginning, as they stand.
type gathered struct {
	table
	kept   []gatheredRow
	goesOn bool // the table, behind the rows that are kept
}

type gatheredRow struct {
	at    int
	cells []cell
	err   error
	group int // number of the change
}

// gather reads the rows of a table until they have more than most bytes. The cell at id names
// the change of a row.
func gather(t table, id, most int) *gathered {
	g := &gathered{table: t, goesOn: true}
	groups := map[string]int{}
	group := 0 // a row that cannot be read stays behind the one before it
	for size := 0; size <= most; {
		at, cells, err := t.next()
		if errors.Is(err, io.EOF) {
			g.goesOn = false
			break
		}
		row := gatheredRow{at: at, cells: slices.Clone(cells), err: err}
		for _, v := range cells {
			size += cellBytes + len(v.text)
		}
		if err == nil && !cells[id].null {
			name, known := idOf(cells[id].text), false
			if group, known = groups[name]; !known {
				group = len(groups)
				groups[name] = group
			}
		}
		row.group = group
		if err != nil && !errors.As(err, new(*LineError)) { // the table ends there
			row.group, g.goesOn = len(groups), false
		}
		g.kept = append(g.kept, row)
		if size += cellBytes; !g.goesOn {
			break
		}
	}
	if !g.goesOn {
		slices.SortStableFunc(g.kept, func(a, b gatheredRow) int { return cmp.Compare(a.group, b.group) })
	}
	return g
}

func (g *gathered) next() (int, []cell, error) {
	if len(g.kept) > 0 {
		row := g.kept[0]
		g.kept[0] = gatheredRow{}
		g.kept = g.kept[1:]
		return row.at, row.cells, row.err
	}
	if !g.goesOn {
		return 0, nil, io.EOF
	}
	return g.table.next()
}
