package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"slices"

	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/score"
)

// maxStudies bounds the numbers that are compared at once.
const maxStudies = 2

// readScores reads the files of scores, and joins them with the dataset by their ids if
// there is one. A file gives a study of each metric that was asked for and that it has. A
// file without any gives a study of its own numbers.
func (f *agreeFlags) readScores(s streams) ([]*judged, error) {
	var labels *labelledData
	if f.data != "" {
		var err error
		if labels, err = readLabels(f.data, f.form.options, s); err != nil {
			return nil, err
		}
	}
	var out []*judged
	names := fileNames(f.scores)
	if len(names) == 2 && names[0] == names[1] {
		names = []string{"A", "B"}
	}
	found, lacks := map[string]bool{}, map[string]error{} // by metrics that were asked for
	for i, file := range f.scores {
		r := scoreFile{labels: labels, all: f.list == allMetrics}
		missing, err := r.read(f, file, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", showInput(file), err)
		}
		chosen := r.chosen()
		for _, st := range r.studies {
			lacks[st.asked] = fmt.Errorf("%s: %w", showInput(file), st.lacks)
		}
		for _, st := range chosen {
			st.file = names[i]
			out = append(out, st.judged)
			found[st.asked] = true
		}
		all := []error{missing}
		if labels != nil {
			all = append(all, sayUnmatched(chosen[0].unmatched, s, names[i], showInput(f.data)))
			if i == 0 {
				all = append(all, labels.missing)
			}
		}
		chosen[0].missing = joinMissing(all)
	}
	for _, metric := range f.metrics {
		if !found[metric] {
			return nil, lacks[metric]
		}
	}
	nameStudies(out, f.list != "")
	if len(out) > maxStudies && f.list == "" {
		return nil, fmt.Errorf("the files have %d of these numbers, and %d are compared at once: leave out a --metric or a --scores",
			len(out), maxStudies)
	}
	return out, nil
}

// nameStudies gives studies short names: those of their metrics, of CRScore's modes where
// they stand beside metrics, or of their files.
func nameStudies(studies []*judged, beside bool) {
	named := func(j *judged) bool { return j.Metric != "" && j.Metric != "score" }
	beside = beside || slices.ContainsFunc(studies, named)
	used := map[string]int{}
	for _, j := range studies {
		switch {
		case named(j):
			j.name = j.Metric
		case j.mode != "" && beside && j.Metric == "":
			j.name = "CRScore, " + j.mode
		default:
			j.name = j.file
		}
		used[j.name]++
	}
	for _, j := range studies {
		if used[j.name] > 1 {
			j.name = fmt.Sprintf("%s (%s)", j.name, j.file)
		}
	}
}

// scoreFile makes studies of the numbers of a file of scores.
type scoreFile struct {
	labels  *labelledData // nil where the labels stand in the file
	all     bool          // metrics are asked for
	studies []*fileStudy  // of the metrics that were asked for, and the file's own numbers
}

// fileStudy collects what one number of a file gives a study.
type fileStudy struct {
	*judged
	asked      string // the metric; empty for the file's own numbers
	choice     dataset.Choice
	lacks      error // why the file does not have the number
	signatures tally
	scored     bool
	seen       map[agreement.ReviewID]bool
}

// read reads the file.
func (r *scoreFile) read(f *agreeFlags, file string, s streams) (missing, err error) {
	in, err := openInput(file, s.in)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for _, metric := range append(slices.Clone(f.metrics), "") {
		r.studies = append(r.studies, r.study(metric, f.worst))
	}
	malformed := 0
	for reader := dataset.NewScoreReader(run.Source(file, in)); ; {
		sc, err := reader.Next()
		if err == nil {
			err = r.add(sc)
		}
		var bad *dataset.LineError
		if errors.Is(err, io.EOF) {
			break
		} else if errors.As(err, &bad) {
			malformed++
			s.log.sayOfKind(slog.LevelError, run.MalformedLines, fmt.Sprintf("%s: %v; %s", showInput(file), bad, run.LeftOutLine(bad)))
		} else if err != nil {
			return nil, err
		}
	}
	for _, st := range r.chosen() {
		if len(st.Rows) == 0 && (r.labels == nil || len(st.unmatched.OnlyScores) == 0) {
			return nil, fmt.Errorf("there are no scores in it (malformed lines: %d); needed are: %s",
				malformed, dataset.ScoreColumns)
		}
		st.signature = st.signatures.String()
		st.missRest(r.labels)
	}
	if malformed > 0 {
		missing = fmt.Errorf("malformed lines: %d", malformed)
	}
	return missing, nil
}

// study starts a study of a metric, empty for the file's own numbers.
func (r *scoreFile) study(metric string, worst int) *fileStudy {
	st := &fileStudy{
		judged: &judged{keep: agreement.NewKeep[agreement.CaseEvidence](worst)}, asked: metric,
		choice: dataset.Choice{Metric: metric}, seen: map[agreement.ReviewID]bool{},
	}
	if r.labels != nil {
		st.unmatched = &agreement.Unmatched{}
	}
	return st
}

// meet starts a study of each metric of a score that has none yet.
func (r *scoreFile) meet(sc *dataset.Score) {
	for _, metric := range slices.Sorted(maps.Keys(sc.Metrics)) {
		if !slices.ContainsFunc(r.studies, func(st *fileStudy) bool { return st.asked == metric }) {
			r.studies = slices.Insert(r.studies, len(r.studies)-1, r.study(metric, 0))
		}
	}
}

// add adds a score to each study whose number the file has. It is an error when there is
// none left.
func (r *scoreFile) add(sc dataset.Score) error {
	if r.all {
		r.meet(&sc)
	}
	var bad error
	left := 0
	for _, st := range r.studies {
		if st.lacks != nil {
			continue
		}
		left++
		one, err := st.choice.Take(sc)
		switch {
		case errors.As(err, new(*dataset.ChoiceError)):
			st.lacks = err
			left--
		case err != nil:
			bad = err
		default:
			if err := st.add(&one, r.labels); err != nil {
				return err
			}
		}
	}
	if left == 0 {
		return r.studies[0].lacks
	}
	return bad
}

// chosen are the studies of the metrics that were asked for and that the file has, or of
// the file's own numbers.
func (r *scoreFile) chosen() []*fileStudy {
	own := len(r.studies) - 1
	asked := slices.DeleteFunc(slices.Clone(r.studies[:own]), func(st *fileStudy) bool { return st.lacks != nil })
	if len(asked) == 0 {
		return r.studies[own:]
	}
	return asked
}

// add adds a score with the labels of its review.
func (st *fileStudy) add(sc *dataset.Score, labels *labelledData) error {
	id := agreement.ReviewID{Change: sc.ID, Review: sc.Review}
	row, about := agreement.Row{Change: sc.ID, Review: sc.Review}, agreement.CaseEvidence{}
	if h := sc.Human; h != nil {
		row.Human = &agreement.Scores{Con: h.Con, Comp: h.Comp, Rel: h.Rel}
	}
	if err := st.sign(sc); err != nil {
		return err
	}
	if labels != nil {
		known, ok := labels.reviews[id]
		if !ok {
			if sc.Review != dataset.HumanReference {
				st.unmatched.OnlyScores = append(st.unmatched.OnlyScores, id)
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
	st.keep.Offer(row, func() agreement.CaseEvidence {
		about.Explain = explained(sc)
		return about
	})
	return nil
}

// sign takes the name, the signature and the direction of a score.
func (st *fileStudy) sign(sc *dataset.Score) error {
	if !sc.Scored() {
		return nil
	}
	if !st.scored {
		st.scored, st.Metric, st.Turned = true, sc.Metric, sc.LowerIsBetter
	}
	if st.Metric != sc.Metric { // score on some lines, and three numbers on others
		st.Metric = ""
	}
	if sc.Signature != "" {
		if len(st.signatures.names) == 0 && sc.Kind == score.KindScore {
			st.mode = sc.Mode
		}
		st.signatures.add(sc.Signature)
	}
	if sc.LowerIsBetter != st.Turned {
		return fmt.Errorf("%s: of some scores lower ones are better by their signature, of others higher ones", sc.Where())
	}
	return nil
}

// numbers are those of a score, higher being better, with NaN for a dimension that the
// metric lacks.
func (st *fileStudy) numbers(sc *dataset.Score) *agreement.Scores {
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
func (st *fileStudy) missRest(labels *labelledData) {
	if labels == nil {
		return
	}
	for _, id := range labels.order {
		if r := labels.reviews[id].row; !st.seen[id] && r.Human != nil && r.Review != dataset.HumanReference {
			st.unmatched.OnlyData = append(st.unmatched.OnlyData, id)
		}
	}
}

// explained is the evidence in a line of crscore score --explain, nil where there
// is none.
func explained(sc *dataset.Score) *report.Explain {
	var e report.Explain
	if len(sc.Explain) == 0 || json.Unmarshal(sc.Explain, &e) != nil || len(e.Sentences) == 0 {
		return nil
	}
	return &e
}
