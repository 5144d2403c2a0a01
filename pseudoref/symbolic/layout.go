package symbolic

import (
	"slices"
	"strings"

	"crscore/change"
)

// layout says what a change did that only moved white space: empty lines,
// indentation, or where lines end.
func (w *writer) layout() string {
	var gone, come []string
	empty := 0 // more than before
	for i := range w.file.Hunks {
		for _, l := range w.file.Hunks[i].Lines {
			text := strings.TrimSpace(l.Text)
			switch {
			case l.Op == change.Context:
			case text == "" && l.Op == change.Add:
				empty++
			case text == "":
				empty--
			case l.Op == change.Add:
				come = append(come, text)
			default:
				gone = append(gone, text)
			}
		}
	}
	switch n, m := len(gone), len(come); {
	case n != m:
		return plural(n, "line") + " became " + plural(m, "line")
	case n > 0 && slices.Equal(gone, come):
		return plural(m, "line") + " indented otherwise than before"
	case n == 0 && empty != 0:
		return plural(max(empty, -empty), "empty line") + " " + verb(empty > 0)
	}
	return "the lines are broken at other places than before"
}
