package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/spelling"
)

// around is the number of lines shown before and after a place; shownCode bounds them all.
const around, shownCode = 2, 16

// Diffs are the changes of pull requests, for the code beside comments.
type Diffs struct {
	changes map[string][]*change.Change
	// Warnings tell which diffs could not be read.
	Warnings []string
}

// ReadDiffs reads JSON Lines with "diff" and either "id", the ID of a pull request of the
// benchmark, or "url", its address. Several rows of a pull request are its files. Other pull
// requests are ignored.
func ReadDiffs(b *Benchmark, text []byte) (*Diffs, error) {
	text, err := Unpack(text)
	if err != nil {
		return nil, err
	}
	d := &Diffs{changes: map[string][]*change.Change{}}
	byURL := map[string]string{}
	for _, p := range b.Pulls {
		byURL[p.URL] = p.ID
	}
	rows, bad, partly := 0, 0, 0
	err = eachValue(text, false, func(line int, raw json.RawMessage) error {
		var row struct{ ID, URL, Diff *string }
		if err := ReadJSON(raw, &row); err != nil {
			return err
		}
		rows++
		id := ""
		switch {
		case row.Diff == nil || row.ID == nil && row.URL == nil:
			return fmt.Errorf(`a row needs "diff", and "id" or "url"`)
		case row.URL != nil && byURL[strings.TrimSuffix(*row.URL, "/")] != "":
			id = byURL[strings.TrimSuffix(*row.URL, "/")]
		case row.ID != nil:
			if id, err = b.find(*row.ID); err != nil {
				return nil
			}
		}
		c, err := change.Parse([]byte(*row.Diff), change.Options{})
		if err != nil {
			if bad++; bad == 1 {
				d.Warnings = append(d.Warnings, fmt.Sprintf(
					"the diff of line %d, and others that cannot be read, are not shown: %v", line, err))
			}
			return nil
		}
		if c.LeftOut > 0 {
			if partly++; partly == 1 {
				d.Warnings = append(d.Warnings, fmt.Sprintf("the diff of line %d, and maybe others, has files that cannot be read: %s", line, c.Warnings[0]))
			}
		}
		if id != "" {
			d.changes[id] = append(d.changes[id], c)
		}
		return nil
	})
	if err == nil && len(d.changes) == 0 {
		d.Warnings = append(d.Warnings, spelling.Count("none of the %d diffs is of a pull request of the truth", rows))
	}
	return d, err
}

// at are the files and the side of a place in the diffs of a pull request.
func (d *Diffs) at(id string, p Place) (files []*change.File, side change.Side) {
	side = change.New
	if p.Side == Left {
		side = change.Old
	}
	if d == nil || p.From == 0 {
		return nil, side
	}
	for _, c := range d.changes[id] {
		for i := range c.Files {
			if f := &c.Files[i]; slices.Contains([]string{f.OldPath, f.NewPath}, p.Path) {
				files = append(files, f)
			}
		}
	}
	return files, side
}

// clip takes the lines off a place at which the diff has none. A place with no line of the diff
// stays.
func (d *Diffs) clip(id string, p *Place) {
	from, to := 0, 0
	files, side := d.at(id, *p)
	for _, f := range files {
		for _, h := range f.Hunks {
			start, n := h.NewStart, h.NewLines
			if side == change.Old {
				start, n = h.OldStart, h.OldLines
			}
			if first, last := max(start, p.From), min(start+n-1, p.To); first <= last {
				if from == 0 {
					from = first
				}
				from, to = min(from, first), max(to, last)
			}
		}
	}
	if from > 0 {
		p.From, p.To = from, to
	}
}

// Code returns the lines of the diff at a place, with numbers and signs; "" where it has none.
func (d *Diffs) Code(id string, at Place) string {
	var out []string
	files, side := d.at(id, at)
	for _, f := range files {
		for h := range f.Hunks {
			for _, l := range f.Hunks[h].Lines {
				n := l.Number(side)
				if n > 0 && n >= at.From-around && n <= at.To+around && len(out) < shownCode {
					out = append(out, fmt.Sprintf("%5d %c%s", n, l.Op, l.Text))
				}
			}
		}
	}
	return strings.Join(out, "\n")
}
