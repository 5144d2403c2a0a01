package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/spelling"
)

// around is the number of lines shown before and after a place; maxCode bounds them all.
const around, maxCode = 2, 16

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
	rows, bad := 0, 0
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

// Code returns the lines of the diff at a place, with numbers and signs; "" where it has none.
func (d *Diffs) Code(id string, at Place) string {
	if d == nil || at.From == 0 {
		return ""
	}
	side := change.New
	if at.Side == Left {
		side = change.Old
	}
	var out []string
	for _, c := range d.changes[id] {
		for i := range c.Files {
			f := &c.Files[i]
			if !slices.Contains([]string{f.OldPath, f.NewPath}, at.Path) {
				continue
			}
			for h := range f.Hunks {
				for _, l := range f.Hunks[h].Lines {
					n := l.Number(side)
					if n > 0 && n >= at.From-around && n <= at.To+around && len(out) < maxCode {
						out = append(out, fmt.Sprintf("%5d %c%s", n, l.Op, l.Text))
					}
				}
			}
		}
	}
	return strings.Join(out, "\n")
}
