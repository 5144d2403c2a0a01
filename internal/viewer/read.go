package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/score"
)

// What can be wrong with the files.
const (
	badLines     = "lines of the dataset that are no change"
	badEnd       = "files whose end could not be read"
	usedIDs      = "changes whose id another change has, too (left out)"
	twiceReviews = "reviews of a system that has another one of the same change (left out)"
	badLabels    = "reviews with labels that are not valid"
	manySystems  = "reviews of more systems than fit (left out)"
	badRows      = "rows that could not be read"
	noChange     = "rows of changes that the dataset does not have"
	noReview     = "rows of reviews that the dataset does not have"
	twiceRows    = "rows of a review that has a row already (left out)"
	hugeNumbers  = "numbers beyond ±1e100 (left out)"
	manyMetrics  = "numbers of more metrics than fit (left out)"
)

// readData reads the dataset.
func (v *Viewer) readData(ctx context.Context) error {
	in, err := v.opts.openText(ctx, v.opts.Data)
	if err != nil {
		return err
	}
	v.data = in
	form := v.opts.Form
	form.NoDiff, form.Without = true, []string{"old", "new"}
	r, err := dataset.Open(dataset.Source{Name: in.name, Text: in.reader(ctx, v.opts.Read), File: in, Size: in.size}, form)
	if err != nil {
		return err
	}
	r.KeepSum()
	var copied *copier
	for {
		rec, err := r.Next()
		var bad *dataset.LineError
		switch {
		case errors.Is(err, io.EOF):
			v.sum = r.Sum()
			if len(v.changes) == 0 {
				return fmt.Errorf("there is no change in it%s", v.firstProblem())
			}
			return copied.flush()
		case errors.As(err, &bad):
			v.miss(badLines, "%v", bad)
			continue
		case err != nil && ctx.Err() == nil && len(v.changes) > 0:
			v.miss(badEnd, "%s: %v", shown(in.name), err)
			return copied.flush()
		case err != nil:
			return err
		}
		offset, size := r.Place()
		if size == 0 {
			if copied == nil {
				if copied, err = newCopier(in.name); err != nil {
					return err
				}
				v.files, v.data = append(v.files, in), copied.to
			}
			if offset, size, err = copied.write(&rec); err != nil {
				return err
			}
		}
		if err := v.addChange(&rec, place{offset: offset, size: size}); err != nil {
			return err
		}
	}
}

// addChange adds a record and its reviews.
func (v *Viewer) addChange(rec *dataset.Record, at place) error {
	id := key(rec.ID)
	if _, twice := v.byKey[id]; twice {
		v.miss(usedIDs, "%s: %q", rec.Where(), rec.ID)
		return nil
	}
	if len(v.changes) >= limits.ViewedChanges {
		return fmt.Errorf("%s: more changes than the limit of %d", rec.Where(), limits.ViewedChanges)
	}
	lang, _ := v.langs.of(key(rec.Lang), math.MaxInt32)
	c := change{key: id, lang: lang, line: int32(rec.Line), at: at, first: int32(len(v.reviews))}
	c.behind = c.first
	for i := range rec.Reviews {
		review := &rec.Reviews[i]
		system, fits := v.systems.of(key(review.ID), limits.Systems)
		if !fits {
			v.miss(manySystems, "%s: %q", rec.Where(), review.ID)
			continue
		}
		if v.find(&c, system) >= 0 {
			v.miss(twiceReviews, "%s: change %q, system %q", rec.Where(), rec.ID, review.ID)
			continue
		}
		if len(v.reviews) >= limits.ViewedReviews {
			return fmt.Errorf("%s: more reviews than the limit of %d", rec.Where(), limits.ViewedReviews)
		}
		one := newReview(system)
		if errors.As(review.Err, new(dataset.LabelError)) {
			v.miss(badLabels, "%s: change %q, system %q: %v", rec.Where(), rec.ID, review.ID, review.Err)
		}
		if h := review.Human; h != nil {
			one.human = numbers{h.Con, h.Comp, h.Rel}
		}
		v.reviews = append(v.reviews, one)
		c.behind++
	}
	v.grams.add(rec)
	v.byKey[id] = int32(len(v.changes))
	v.changes = append(v.changes, c)
	return nil
}

func newReview(system int32) review {
	return review{system: system, reason: -1, keptReason: -1, signature: -1, numbers: none, human: none}
}

// readRows reads a file of scores.
func (v *Viewer) readRows(ctx context.Context, name string) error {
	in, err := v.opts.openText(ctx, name)
	if err != nil {
		return err
	}
	v.files = append(v.files, in)
	file := int32(len(v.files))
	r := dataset.NewScoreReader(dataset.Source{Name: in.name, Text: in.reader(ctx, v.opts.Read), File: in, Size: in.size})
	r.KeepNothing()
	for n := 0; ; n++ {
		s, err := r.Next()
		var bad *dataset.LineError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			v.miss(badRows, "%s: %v", shown(name), bad)
			continue
		case err != nil && ctx.Err() == nil && n > 0:
			v.miss(badEnd, "%s: %v", shown(name), err)
			return nil
		case err != nil:
			return err
		}
		at := place{file: file}
		at.offset, at.size = r.Place()
		if s.Evidence == nil && s.Reason == "" {
			at.size = 0 // there is nothing to read again
		}
		v.addRow(&s, shown(name)+": "+s.Where(), at)
	}
}

// addRow joins a row with its review.
func (v *Viewer) addRow(s *dataset.Score, where string, at place) {
	at0, ok := v.byKey[key(s.ID)]
	if !ok {
		v.miss(noChange, "%s: change %q", where, s.ID)
		return
	}
	system, ok := v.systems.at[key(s.Review)]
	i := int32(-1)
	if ok {
		i = v.find(&v.changes[at0], system)
	}
	if i < 0 {
		v.miss(noReview, "%s: change %q, system %q", where, s.ID, s.Review)
		return
	}
	r := &v.reviews[i]
	others := v.numbersOf(s)
	if others != nil {
		v.addMetrics(i, s, others, where)
		v.rows++
		return
	}
	if r.state != noRow {
		v.miss(twiceRows, "%s: change %q, system %q", where, s.ID, s.Review)
		return
	}
	v.rows++
	r.row = at
	r.signature = v.signature(s)
	if !s.Scored() {
		r.state = unscored
		r.reason, _ = v.reasons.of(brief(s.Reason), limits.ViewedReasons)
		return
	}
	r.state = scored
	for k, from := range []*float64{s.Con, s.Comp, s.Rel} {
		if from != nil {
			r.numbers[k] = *from
		}
	}
}

// numbersOf are the numbers of a row that is not of crscore score; nil for one that is. Those
// of a judge have the name of its protocol before theirs.
func (v *Viewer) numbersOf(s *dataset.Score) map[string]*float64 {
	name := "judge " + key(s.Protocol)
	switch {
	case s.Kind == score.KindJudge && s.Metric == "score":
		return map[string]*float64{name: s.Rel}
	case s.Kind == score.KindJudge:
		name += " "
		return map[string]*float64{name + "con": s.Con, name + "comp": s.Comp, name + "rel": s.Rel}
	case s.Metric == "score":
		return map[string]*float64{"score": s.Rel}
	case s.Scored():
		return nil
	case s.Metrics == nil && s.Kind == score.KindMetrics: // no metric has scored it
		return map[string]*float64{}
	}
	return s.Metrics
}

// addMetrics adds the numbers of other metrics.
func (v *Viewer) addMetrics(i int32, s *dataset.Score, others map[string]*float64, where string) {
	for _, name := range slices.Sorted(maps.Keys(others)) {
		m, fits := v.metrics.of(key(name), limits.ViewedMetrics)
		if !fits {
			v.miss(manyMetrics, "%s: %q", where, name)
			continue
		}
		if int(m) == len(v.values) {
			column := make([]float64, len(v.reviews))
			for k := range column {
				column[k] = math.NaN()
			}
			choice := dataset.Choice{Metric: name}
			own, _ := choice.Take(*s) // else nothing tells of a direction
			v.values, v.lower = append(v.values, column), append(v.lower, own.Lower)
		}
		switch n := others[name]; {
		case n == nil:
		case math.Abs(*n) > 1e100: // no metric; sums and differences would overflow
			v.miss(hugeNumbers, "%s: change %q, system %q: %s is %g", where, s.ID, s.Review, name, *n)
		case !math.IsNaN(v.values[m][i]):
			v.miss(twiceRows, "%s: change %q, system %q: %s", where, s.ID, s.Review, name)
		default:
			v.values[m][i] = *n
		}
	}
}

// signature numbers the signature of a row, and keeps its rule.
func (v *Viewer) signature(s *dataset.Score) int32 {
	const most = 10_000 // else sources that answer otherwise each time would fill the memory
	i, fits := v.signs.of(s.Signature, most)
	if fits && int(i) == len(v.rules) {
		var rule score.Rule
		if s.Rule != nil {
			rule = *s.Rule
		}
		v.rules, v.ruled = append(v.rules, rule), append(v.ruled, s.Rule != nil)
	}
	return i
}

// record reads a change again.
func (v *Viewer) record(c *change) (*dataset.Record, error) {
	line, err := v.data.part(c.at.offset, c.at.size)
	if err != nil {
		return nil, v.changed(c, err)
	}
	rec, err := parseRecord(line)
	if err == nil && key(rec.ID) != c.key {
		err = fmt.Errorf("it is of the change %.80q now", rec.ID)
	}
	if err != nil {
		return nil, v.changed(c, err)
	}
	rec.Line = int(c.line)
	return rec, nil
}

// changed is the error of a dataset that is not as it was when it was read.
func (v *Viewer) changed(c *change, err error) error {
	return fmt.Errorf("%s has changed since it was read, at byte %d: %w", shown(v.data.name), c.at.offset, err)
}
