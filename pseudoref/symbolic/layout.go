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
	emptyGone, emptyCome := 0, 0
	for i := range w.file.Hunks {
		for _, l := range w.file.Hunks[i].Lines {
			text := strings.TrimSpace(l.Text)
			switch {
			case l.Op == change.Context:
			case text == "" && l.Op == change.Add:
				emptyCome++
			case text == "":
				emptyGone++
			case l.Op == change.Add:
				come = append(come, text)
			default:
				gone = append(gone, text)
			}
		}
	}
	switch n, m := len(gone), len(come); {
	case n+m == 0 && emptyGone == 0:
		return plural(emptyCome, "empty line") + " added"
	case n+m == 0 && emptyCome == 0:
		return plural(emptyGone, "empty line") + " removed"
	case slices.Equal(gone, come):
		return plural(m, "line") + " indented otherwise than before"
	case m < n:
		return plural(n, "line") + " joined to " + plural(m, "line")
	case m > n:
		return plural(n, "line") + " broken into " + plural(m, "line")
	}
	return "the lines are broken at other places than before"
}
