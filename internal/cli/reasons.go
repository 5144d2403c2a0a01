package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore"
	"crscore/internal/report"
)

const (
	maxReasons   = 1000 // that are counted; later ones are counted together
	shownReasons = 3
)

// reasons count why reviews have no score.
type reasons struct {
	tally
	others int
}

// addRow counts a row without a score.
func (t *reasons) addRow(r *report.Row) {
	switch {
	case r.Status != string(crscore.Unscored):
	case len(t.names) >= maxReasons && t.counts[r.Reason] == 0:
		t.others++
	default:
		t.add(r.Reason)
	}
}

// tell closes a run with the most frequent reasons.
func (t *reasons) tell(s streams) {
	if len(t.names) == 0 {
		return
	}
	slices.SortStableFunc(t.names, func(a, b string) int { return cmp.Compare(t.counts[b], t.counts[a]) })
	var parts []string
	others := t.others
	for i, why := range t.names {
		if n := t.counts[why]; i < shownReasons {
			parts = append(parts, fmt.Sprintf("%d × %.200s", n, report.Plain(why)))
		} else {
			others += n
		}
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("other reasons: %d", others))
	}
	s.log.note("why reviews are unscored: " + strings.Join(parts, "; "))
}
