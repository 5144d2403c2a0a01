package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/report"
)

// reasons count why reviews have no score. Reasons that differ in numbers alone are one.
type reasons struct {
	tally
	first map[string]string // the first reason of each kind
}

var numbers = regexp.MustCompile(`[0-9]+`)

// addRow counts a row without a score.
func (t *reasons) addRow(r *report.Row) {
	const most = 1000 // kinds of reasons, which are in memory
	if r.Status != string(crscore.Unscored) {
		return
	}
	kind, why := numbers.ReplaceAllString(r.Reason, "#"), r.Reason
	if len(t.names) >= most && t.counts[kind] == 0 {
		kind, why = "another reason", "another reason"
	}
	if t.add(kind); t.counts[kind] == 1 {
		if t.first == nil {
			t.first = map[string]string{}
		}
		t.first[kind] = why
	}
}

// tell closes a run with the most frequent reasons.
func (t *reasons) tell(s streams) {
	const most = 3
	slices.SortStableFunc(t.names, func(a, b string) int { return cmp.Compare(t.counts[b], t.counts[a]) })
	var parts []string
	for _, kind := range t.names[:min(most, len(t.names))] {
		parts = append(parts, fmt.Sprintf("%d × %.200s", t.counts[kind], report.Plain(t.first[kind])))
	}
	if n := len(t.names) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("rarer reasons: %d", n))
	}
	if parts != nil {
		s.log.note("why reviews are unscored: " + strings.Join(parts, "; "))
	}
}
