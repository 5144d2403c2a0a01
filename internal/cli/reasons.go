package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore"
	"crscore/internal/report"
)

// reasons count why reviews have no score.
type reasons struct{ tally }

// addRow counts a row without a score.
func (t *reasons) addRow(r *report.Row) {
	const most = 1000 // kinds of reasons, which are in memory
	switch {
	case r.Status != string(crscore.Unscored):
	case len(t.names) < most || t.counts[r.Reason] > 0:
		t.add(r.Reason)
	default:
		t.add("another reason")
	}
}

// tell closes a run with the most frequent reasons.
func (t *reasons) tell(s streams) {
	const most = 3
	slices.SortStableFunc(t.names, func(a, b string) int { return cmp.Compare(t.counts[b], t.counts[a]) })
	var parts []string
	for _, why := range t.names[:min(most, len(t.names))] {
		parts = append(parts, fmt.Sprintf("%d × %.200s", t.counts[why], report.Plain(why)))
	}
	if n := len(t.names) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("rarer reasons: %d", n))
	}
	if parts != nil {
		s.log.note("why reviews are unscored: " + strings.Join(parts, "; "))
	}
}
