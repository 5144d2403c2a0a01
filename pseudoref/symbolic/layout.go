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
	was := func(n int, what string) string {
		return plural(n, what) + map[bool]string{true: " was ", false: " were "}[n == 1]
	}
	switch n, m := len(gone), len(come); {
	case n+m == 0 && emptyGone == 0:
		return was(emptyCome, "empty line") + "added"
	case n+m == 0 && emptyCome == 0:
		return was(emptyGone, "empty line") + "removed"
	case slices.Equal(gone, come):
		return plural(m, "line") + map[bool]string{true: " is", false: " are"}[m == 1] + " indented otherwise than before"
	case m < n:
		return was(n, "line") + "joined to " + plural(m, "line")
	case m > n:
		return was(n, "line") + "broken into " + plural(m, "line")
	}
	return "the lines are broken at other places than before"
}
