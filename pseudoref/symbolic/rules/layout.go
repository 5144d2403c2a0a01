package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/change"
	"crscore/pseudoref/symbolic/fact"
)

// layout says what a change did that only moved white space: empty lines,
// indentation, or where lines end.
func (w *writer) layout() fact.Slots {
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
		return fact.Slots{Old: phrase.Plural(n, "line"), New: phrase.Plural(m, "line")}
	case n > 0 && slices.Equal(gone, come):
		return fact.Slots{Form: "indented", New: phrase.Plural(m, "line")}
	case n == 0 && empty != 0:
		return fact.Slots{Form: fact.Verb(empty > 0), Detail: phrase.Plural(max(empty, -empty), "empty line")}
	}
	return fact.Slots{Form: "broken"}
}

func layoutRules() []fact.Rule {
	const only = "only white space was changed: "
	return []fact.Rule{fact.Claim("formatting-only", fact.Format, only+"{old} became {new}").
		Or("indented", only+"{new} indented otherwise than before").
		Or("added", only+"{detail} added").
		Or("removed", only+"{detail} removed").
		Or("broken", only+"the lines are broken at other places than before").
		Or("lines", "only white space and line breaks were changed").
		Or("order", "only the order or the formatting was changed, the content stays the same")}
}
