package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/spelling"
)

// warn says what a reader has to know before the numbers.
func (r *Report) warn(in *Input, s *study, noLanguage int) {
	say := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if len(r.Signatures) > 1 {
		say("%s", (&MixedError{r.Signatures}).Error())
	}
	for i := range r.Systems {
		switch sys := &r.Systems[i]; {
		case sys.Scored == 0:
			say("%s has no score, and is not compared", sys.Name)
		case sys.Mean(r.Metric).Value == nil && sys.Changes == 0:
			say("%s has no %s, and is not compared", sys.Name, r.Metric)
		}
	}
	some, sole := s.missing()
	if lacking := s.lackingMost(some); len(lacking) > 0 {
		list := strings.Join(lacking, ", ")
		if r.Over == Common {
			say("%d of %d changes count: those that every system has a score for; without a score are %s", r.Compared, some, list)
			for i, n := range sole {
				if len(lacking) > 1 && n > 0 && 10*n >= some {
					say("%s alone is why %d of %d changes do not count", s.columns[i].label, n, some)
				}
			}
		} else {
			say("systems are compared over different changes, so that their order may be that of the changes: of %d, without a score are %s", some, list)
		}
	}
	if n := len(in.twoLangs); n > 0 {
		say("changes that scores name two languages for: %d; they are in no language's table", n)
	}
	if n := noLanguage - len(in.twoLangs); n > 0 && len(r.Languages) > 0 {
		say("changes without a language: %d; they are in no language's table", n)
	}
	if why := r.Group.tooFew(r); why != "" {
		say("no difference can be significant: %s", why)
		return // nor can any within a language
	}
	var within []string
	for i := range r.Languages {
		if r.Languages[i].tooFew(r) != "" {
			within = append(within, r.Languages[i].Name)
		}
	}
	if len(within) > 0 {
		say("no difference within one language can be significant, for want of changes or draws: %s", strings.Join(within, ", "))
	}
}

// missing counts the changes with some score, and for each system those that it alone
// has no score for.
func (s *study) missing() (some int, sole []int) {
	sole = make([]int, len(s.columns))
	for change := range s.columns[0].state {
		missing, last, has := 0, 0, false
		for i := range s.columns {
			c := &s.columns[i]
			switch {
			case c.scored == 0 || !c.has(s.metric):
			case c.state[change] == scored:
				has = true
			default:
				missing++
				last = i
			}
		}
		if !has {
			continue
		}
		some++
		if missing == 1 {
			sole[last]++
		}
	}
	return some, sole
}

// lackingMost names the systems that lack scores, those that lack most of them first.
func (s *study) lackingMost(some int) (out []string) {
	var lacking []*column
	for i := range s.columns {
		if c := &s.columns[i]; c.scored > 0 && c.scored < some && c.has(s.metric) {
			lacking = append(lacking, c)
		}
	}
	slices.SortStableFunc(lacking, func(a, b *column) int { return cmp.Compare(a.scored, b.scored) })
	const most = 5
	for _, c := range lacking[:min(most, len(lacking))] {
		out = append(out, fmt.Sprintf("%d of %s", some-c.scored, c.label))
	}
	if more := len(lacking) - most; more > 0 {
		out = append(out, spelling.Count("and some of %d more systems", more))
	}
	return out
}

// tooFew says why no difference can be significant, however large it is; "" where one
// can.
func (g *Group) tooFew(r *Report) string {
	tests, changes := 0, 0
	for i := range g.Pairs {
		if g.Pairs[i].Corrected != nil {
			tests++
			changes = max(changes, g.Pairs[i].Changes)
		}
	}
	smallest, why := 1/float64(r.Flips+1), fmt.Sprintf("%d draws of signs", r.Flips)
	if ways := 1 << min(changes, 40); ways <= r.Flips {
		smallest, why = 2/float64(ways), spelling.Count("%d changes", changes)
	}
	if r.Correction == resample.Holm {
		smallest *= float64(tests)
	}
	if tests == 0 || smallest <= Level {
		return ""
	}
	return spelling.Count("with %s and %d tests no corrected p-value is below %.2g", why, tests, min(1, smallest))
}

// nothingInCommon says why no change counts.
func (s *study) nothingInCommon(systems []*system) error {
	some, _ := s.missing()
	names := map[string]bool{}
	hint := ""
	for _, sys := range systems {
		if names[sys.name] {
			hint = fmt.Sprintf("; %s is in several files: are they parts of one run, which crscore merge puts together?", sys.name)
			break
		}
		names[sys.name] = true
	}
	return fmt.Errorf("no change has a score from every system: of %d changes, without a score are %s%s", some, strings.Join(s.lackingMost(some), ", "), hint)
}
