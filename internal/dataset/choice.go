package dataset

import (
	"fmt"
	"maps"
	"slices"

	"crscore/score"
)

// Choice takes one number of each score of a file in the place of con, comp and rel. A
// Choice is for one file.
type Choice struct {
	// Metric is the name of the number: that of a metric, con, comp, rel or score. An empty
	// name takes con, comp and rel, or score, as they stand, or the only metric of a file
	// without them.
	Metric string

	first string // the place of the first score that names the number
}

// ChoiceError means that a score does not name the number that was asked for, or names
// several metrics where none was asked for.
type ChoiceError struct {
	// Metric is the name that was asked for; it may be empty.
	Metric string
	// Has are the names of the numbers that there are.
	Has []string
	// Where is the place of the score: "line 5".
	Where string
}

// Error lists the numbers that there are, and suggests the nearest.
func (e *ChoiceError) Error() string {
	if e.Metric == "" {
		return fmt.Sprintf("%s: there are several metrics, and no con, comp, rel or score: choose with --metric (metrics: %s)",
			e.Where, list(e.Has))
	}
	return fmt.Sprintf("%s: there is no %s, but %s%s", e.Where, short(e.Metric), list(e.Has), didYouMean(e.Has, e.Metric))
}

// Found reports whether a score has named the number.
func (c *Choice) Found() bool { return c.first != "" }

// Take returns a score with the number in the place of con, comp and rel, and with its
// signature without the parts of other metrics. A review that the metric could not score is
// unscored. A *ChoiceError means that the file lacks the number: no score before had it. A
// *LineError means that this score lacks it. An unscored review may lack it.
func (c *Choice) Take(s Score) (Score, error) {
	own := s.own != [4]bool{}
	if !own && len(s.Metrics) == 0 { // unscored
		return s, nil
	}
	metric := c.Metric
	if metric == "" && !own && len(s.Metrics) == 1 && !c.Found() {
		metric = s.names()[0]
	}
	v, ok := s.named(metric)
	switch ok = ok || own && metric == ""; {
	case !ok && c.Found():
		what := "con, comp, rel or score"
		if metric != "" {
			what = short(metric)
		}
		err := fmt.Errorf("there is no %s, but there is on %s", what, c.first)
		return s, &LineError{Line: s.Line, Row: s.table, Err: err}
	case !ok:
		return s, &ChoiceError{Metric: metric, Has: s.names(), Where: s.Where()}
	case !c.Found():
		c.Metric, c.first = metric, s.Where()
	}
	if metric == "" {
		return s, nil
	}
	s.Con, s.Comp, s.Rel, s.Metric = v, v, v, metric
	if len(s.Metrics) > 0 {
		s.Signature = score.SignatureOf(s.Signature, metric, s.Metrics)
	}
	s.Lower = s.turned(metric)
	return s, nil
}

// named returns a number by its name, nil for that of an unscored review.
func (s *Score) named(name string) (v *float64, ok bool) {
	if i := slices.Index(ownNumbers[:], name); i >= 0 && s.own[i] {
		return [4]*float64{s.Con, s.Comp, s.Rel, s.Rel}[i], true
	}
	v, ok = s.Metrics[name]
	return v, ok
}

// names are the names of all numbers.
func (s *Score) names() (names []string) {
	for i, name := range ownNumbers {
		if s.own[i] {
			names = append(names, name)
		}
	}
	return append(names, slices.Sorted(maps.Keys(s.Metrics))...)
}
