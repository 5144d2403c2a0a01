package symbolic

import (
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
	same := len(gone) == len(come)
	for i := 0; same && i < len(gone); i++ {
		same = gone[i] == come[i]
	}
	switch {
	case len(gone)+len(come) == 0 && emptyGone == 0 && emptyCome == 1:
		return "an empty line was added"
	case len(gone)+len(come) == 0 && emptyGone == 0:
		return plural(emptyCome, "empty line") + " were added"
	case len(gone)+len(come) == 0 && emptyCome == 0 && emptyGone == 1:
		return "an empty line was removed"
	case len(gone)+len(come) == 0 && emptyCome == 0:
		return plural(emptyGone, "empty line") + " were removed"
	case same:
		return plural(len(come), "line") + map[bool]string{true: " is", false: " are"}[len(come) == 1] + " indented otherwise than before"
	case len(come) < len(gone):
		return plural(len(gone), "line") + " were joined to " + plural(len(come), "line")
	case len(come) > len(gone):
		return plural(len(gone), "line") + map[bool]string{true: " was", false: " were"}[len(gone) == 1] + " broken into " + plural(len(come), "line")
	}
	return "the lines are broken at other places than before"
}
