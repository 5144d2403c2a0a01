package join

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/spelling"
	"crscore/score"
)

// Name gives studies short names: those of their metrics, of CRScore's modes where
// they stand beside metrics, or of their files.
func Name(studies []*Study, beside bool) {
	named := func(j *Study) bool { return j.Metric != "" && j.Metric != "score" }
	beside = beside || slices.ContainsFunc(studies, named)
	used := map[string]int{}
	for _, j := range studies {
		switch {
		case named(j):
			j.Name = j.Metric
		case j.Mode != "" && beside && j.Metric == "":
			j.Name = "CRScore, " + j.Mode
		default:
			j.Name = j.File
		}
		used[j.Name]++
	}
	for _, j := range studies {
		if used[j.Name] > 1 {
			j.Name = fmt.Sprintf("%s (%s)", j.Name, j.File)
		}
	}
}

// File makes studies of the numbers of a file of scores.
type File struct {
	Labels  *Labels      // nil where the labels stand in the file
	All     bool         // metrics are asked for
	Studies []*FileStudy // of the metrics that were asked for, and the file's own numbers
}

// FileStudy collects the scores of one number of a file for a study.
type FileStudy struct {
	*Study
	Asked string // the metric; empty for the file's own numbers
	Lacks error  // why the file does not have the number

	choice     dataset.Choice
	signatures spelling.Tally // several where a source fell back to another
	scored     bool
	seen       map[agreement.ReviewID]bool
}

// Read reads the file. It calls bad for each line that is malformed, and counts them.
func (r *File) Read(src dataset.Source, metrics []string, worst int, bad func(*dataset.LineError)) (malformed int, err error) {
	for _, metric := range append(slices.Clone(metrics), "") {
		r.Studies = append(r.Studies, r.study(metric, worst))
	}
	if malformed, err = dataset.NewScoreReader(src).Each(r.add, bad); err != nil {
		return malformed, err
	}
	for _, st := range r.Chosen() {
		if len(st.Rows) == 0 && (r.Labels == nil || len(st.Unmatched.OnlyScores) == 0) {
			return malformed, fmt.Errorf("there are no scores in it (malformed lines: %d); needed are: %s",
				malformed, dataset.ScoreColumns)
		}
		st.Signature = st.signatures.Reviews()
		st.missRest(r.Labels)
	}
	return malformed, nil
}

// study starts a study of a metric, empty for the file's own numbers.
func (r *File) study(metric string, worst int) *FileStudy {
	st := &FileStudy{
		Study: &Study{Keep: agreement.NewKeep[agreement.CaseEvidence](worst)}, Asked: metric,
		choice: dataset.Choice{Metric: metric}, seen: map[agreement.ReviewID]bool{},
	}
	if r.Labels != nil {
		st.Unmatched = &agreement.Unmatched{}
	}
	return st
}

// meet starts a study of each metric of a score that has none yet.
func (r *File) meet(sc *dataset.Score) {
	for _, metric := range slices.Sorted(maps.Keys(sc.Metrics)) {
		if !slices.ContainsFunc(r.Studies, func(st *FileStudy) bool { return st.Asked == metric }) {
			r.Studies = slices.Insert(r.Studies, len(r.Studies)-1, r.study(metric, 0))
		}
	}
}

// add adds a score to each study whose number the file has. It is an error when there is
// none left.
func (r *File) add(sc dataset.Score) error {
	if r.All {
		r.meet(&sc)
	}
	var bad error
	left := 0
	for _, st := range r.Studies {
		if st.Lacks != nil {
			continue
		}
		left++
		one, err := st.choice.Take(sc)
		switch {
		case errors.As(err, new(*dataset.ChoiceError)):
			st.Lacks = err
			left--
		case err != nil:
			bad = err
		default:
			if err := st.add(&one, r.Labels); err != nil {
				return err
			}
		}
	}
	if left == 0 {
		return r.Studies[0].Lacks
	}
	return bad
}

// Chosen are the studies of the metrics that were asked for and that the file has, or of
// the file's own numbers.
func (r *File) Chosen() []*FileStudy {
	own := len(r.Studies) - 1
	asked := slices.DeleteFunc(slices.Clone(r.Studies[:own]), func(st *FileStudy) bool { return st.Lacks != nil })
	if len(asked) == 0 {
		return r.Studies[own:]
	}
	return asked
}

// add adds a score with the labels of its review.
func (st *FileStudy) add(sc *dataset.Score, labels *Labels) error {
	id := agreement.ReviewID{Change: sc.ID, Review: sc.Review}
	row, about := agreement.Row{Change: sc.ID, Review: sc.Review, Human: (*agreement.Scores)(sc.Human)}, agreement.CaseEvidence{}
	if err := st.sign(sc); err != nil {
		return err
	}
	if labels != nil {
		known, ok := labels.reviews[id]
		if !ok {
			if sc.Review != dataset.HumanReference {
				st.Unmatched.OnlyScores = append(st.Unmatched.OnlyScores, id)
			}
			return nil
		}
		if a, b := row.Human, known.row.Human; a != nil && b != nil && *a != *b {
			return fmt.Errorf("%s: review %q of change %q has other human labels here (%v) than in the dataset (%v)",
				sc.Where(), sc.Review, sc.ID, *a, *b)
		}
		st.seen[id] = true
		row, about = known.row, known.about
	}
	row.Metric = st.numbers(sc)
	st.Rows = append(st.Rows, row)
	st.Keep.Offer(row, func() agreement.CaseEvidence {
		if about.Explain = sc.Explained(); about.Explain != nil && len(about.Explain.Sentences) == 0 {
			about.Explain = nil // of an unscored review
		}
		return about
	})
	return nil
}

// sign takes the name, the signature and the direction of a score.
func (st *FileStudy) sign(sc *dataset.Score) error {
	if !sc.Scored() {
		return nil
	}
	if !st.scored {
		st.scored, st.Metric, st.Turned = true, sc.Metric, sc.Lower
	}
	if st.Metric != sc.Metric { // score on some lines, and three numbers on others
		st.Metric = ""
	}
	if sc.Signature != "" {
		if len(st.signatures.Names()) == 0 && sc.Kind == score.KindScore {
			st.Mode = sc.Mode
		}
		st.signatures.Add(sc.Signature)
	}
	if sc.Lower != st.Turned {
		return fmt.Errorf("%s: of some scores lower ones are better by their signature, of others higher ones", sc.Where())
	}
	return nil
}

// numbers are those of a score, higher being better, with NaN for a dimension that the
// metric lacks.
func (st *FileStudy) numbers(sc *dataset.Score) *agreement.Scores {
	if !sc.Scored() {
		return nil
	}
	value := func(v *float64) float64 {
		switch {
		case v == nil:
			return math.NaN()
		case st.Turned:
			return 0 - *v // 0, not -0
		}
		return *v
	}
	return &agreement.Scores{Con: value(sc.Con), Comp: value(sc.Comp), Rel: value(sc.Rel)}
}

// missRest takes the labelled reviews that have no score.
func (st *FileStudy) missRest(labels *Labels) {
	if labels == nil {
		return
	}
	for _, id := range labels.order {
		if !st.seen[id] && HasLabels(labels.reviews[id].row) {
			st.Unmatched.OnlyData = append(st.Unmatched.OnlyData, id)
		}
	}
}
