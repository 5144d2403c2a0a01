package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore"
	"crscore/eval/agreement/join"
	"crscore/internal/dataset"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/report"
)

// reasons count why reviews have no score. Reasons that differ in numbers alone are one: the first.
type reasons struct {
	join.Tally
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
	t.Add(cmp.Or(t.first[kind], "another reason"))
}

// tell closes a run with the most frequent reasons.
func (t *reasons) tell(s streams) {
	const most = 3
	slices.SortStableFunc(t.Names, func(a, b string) int { return cmp.Compare(t.Counts[b], t.Counts[a]) })
	var parts []string
	for _, why := range t.Names[:min(most, len(t.Names))] {
		parts = append(parts, fmt.Sprintf("%d × %.200s", t.Counts[why], report.Plain(why)))
	}
	if n := len(t.Names) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("rarer reasons: %d", n))
	}
	if parts != nil {
		s.log.Note("why reviews are unscored: " + strings.Join(parts, "; "))
	}
}
