package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore"
	"crscore/internal/dataset"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/report"
)

// reasons count why reviews have no score. Reasons that differ in numbers alone are one: the first.
type reasons struct {
	tally
	first map[string]string // the first reason of each kind
}

var numbers = regexp.MustCompile(`[0-9]+`)

// addRow counts a row without a score.
func (t *reasons) addRow(r *dataset.Row) {
	const most = 1000 // kinds of reasons, which are in memory
	if r.Status != string(crscore.Unscored) {
		return
	}
	if t.first == nil {
		t.first = map[string]string{}
	}
	kind := numbers.ReplaceAllString(r.Reason, "#")
	if _, known := t.first[kind]; !known && len(t.first) < most {
		t.first[kind] = r.Reason
	}
	t.add(cmp.Or(t.first[kind], "another reason"))
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
