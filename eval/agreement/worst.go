package agreement

import (
	"cmp"
	"math"
	"slices"
)

// Worst are the reviews whose relevance the metric is most wrong about, as in the
// paper's appendix E.1: those that people gave the highest label and the metric a
// value in its lowest fifth, and those that people gave the lowest label and the
// metric a value in its highest fifth. Fifths include what is tied with them, but
// never the other end of the scale. Unscored reviews are left out.
type Worst struct {
	// FirstQuintile is the largest value of the lowest fifth; nil where Undefined says why.
	FirstQuintile *float64 `json:"first_quintile"`
	// FourthQuintile is the smallest value of the highest fifth.
	FourthQuintile *float64 `json:"fourth_quintile"`
	// Undefined says why there are no fifths.
	Undefined string `json:"undefined,omitempty"`
	// Underrated are labelled 5 and in the lowest fifth.
	Underrated Misrated `json:"underrated"`
	// Overrated are labelled 1 and in the highest fifth.
	Overrated Misrated `json:"overrated"`
}

// Misrated are the cases at one end.
type Misrated struct {
	// Reviews is the number of all such reviews.
	Reviews int `json:"reviews"`
	// Cases are the worst of them, worst first.
	Cases []Case `json:"cases"`
}

// Case is a review that the metric is wrong about.
type Case struct {
	ReviewID
	// System is Review, under the name that others give it.
	System string `json:"system"`
	// Metric has the scores; nil for a dimension that the metric lacks.
	Metric ByDimension[*float64] `json:"metric"`
	// Human has the labels.
	Human ByDimension[*float64] `json:"human"`
	// RankDifference says how much higher people rank the review than the metric
	// does, as a share of all reviews: negative for one that is overrated. Ties share
	// the mean of their ranks.
	RankDifference float64 `json:"rank_difference"`
	// Evidence is for the caller to fill in.
	Evidence any `json:"evidence,omitempty"`
}

// The labels that the worst cases have.
const lowest, highest = 1, 5

// FindWorst returns at most n cases at each end. Rows may be in any order; errors
// are those of Study.
func FindWorst(rows []Row, n int) (Worst, error) {
	used, _, err := choose(rows, LeaveOut)
	if err != nil {
		return Worst{}, err
	}
	none := Misrated{Cases: []Case{}}
	w := Worst{Underrated: none, Overrated: none}
	if w.Undefined = lacked(used, 2); w.Undefined != "" {
		return w, nil
	}
	metric, human := make([]float64, len(used)), make([]float64, len(used))
	for i, r := range used {
		metric[i], human[i] = r.Metric.Rel, float64(NearestLabel(r.Human.Rel))
	}
	sorted := slices.Sorted(slices.Values(metric))
	fifth := (len(sorted) + 4) / 5
	low, high := sorted[fifth-1], sorted[len(sorted)-fifth]
	values := slices.Compact(sorted)
	if len(values) == 1 {
		w.Undefined = "all scores are tied"
		return w, nil
	}
	low, high = min(low, values[len(values)-2]), max(high, values[1])
	w.FirstQuintile, w.FourthQuintile = &low, &high
	metricRank, humanRank := ranks(metric), ranks(human)
	rank := map[ReviewID]float64{}
	var under, over []Row
	for i, r := range used {
		switch id := (ReviewID{r.Change, r.Review}); {
		case human[i] == highest && metric[i] <= low:
			under = append(under, r)
			rank[id] = humanRank[i] - metricRank[i]
		case human[i] == lowest && metric[i] >= high:
			over = append(over, r)
			rank[id] = humanRank[i] - metricRank[i]
		}
	}
	for _, end := range []struct {
		rows  []Row
		order func(a, b Row) int
		to    *Misrated
	}{{under, moreUnderrated, &w.Underrated}, {over, moreOverrated, &w.Overrated}} {
		end.to.Reviews = len(end.rows)
		slices.SortFunc(end.rows, end.order)
		for _, r := range end.rows[:min(n, len(end.rows))] {
			c := Case{ReviewID: ReviewID{r.Change, r.Review}, System: r.Review}
			c.RankDifference = rank[c.ReviewID] / float64(len(used))
			for d := range dimensions {
				if m := dimensions[d].of(*r.Metric); !math.IsNaN(m) {
					*c.Metric.all()[d] = &m
				}
				h := dimensions[d].of(*r.Human)
				*c.Human.all()[d] = &h
			}
			end.to.Cases = append(end.to.Cases, c)
		}
	}
	return w, nil
}

// Among reviews with one label, the difference of the ranks goes with the metric.

func moreUnderrated(a, b Row) int {
	return cmp.Or(cmp.Compare(a.Metric.Rel, b.Metric.Rel), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Review, b.Review))
}

func moreOverrated(a, b Row) int {
	return cmp.Or(cmp.Compare(b.Metric.Rel, a.Metric.Rel), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Review, b.Review))
}

// ranks returns the rank of each value from 1, where ties share their mean.
func ranks(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	out := make([]float64, len(values))
	for i, v := range values {
		first, _ := slices.BinarySearch(sorted, v)
		behind, _ := slices.BinarySearchFunc(sorted, v, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		})
		out[i] = float64(first+1+behind) / 2
	}
	return out
}

// Keep holds the evidence about reviews that may turn out to be the worst cases:
// about n at each end, however many reviews go by.
type Keep[T any] struct {
	n           int
	under, over []kept[T]
}

type kept[T any] struct {
	row      Row
	evidence T
}

// NewKeep is for FindWorst with the same n.
func NewKeep[T any](n int) *Keep[T] { return &Keep[T]{n: n} }

// Offer takes a row, and asks for its evidence if that may be needed.
func (k *Keep[T]) Offer(row Row, evidence func() T) {
	if row.Metric == nil || row.Human == nil || row.Review == HumanReference {
		return
	}
	switch NearestLabel(row.Human.Rel) {
	case highest:
		k.under = k.insert(k.under, row, evidence, moreUnderrated)
	case lowest:
		k.over = k.insert(k.over, row, evidence, moreOverrated)
	}
}

func (k *Keep[T]) insert(list []kept[T], row Row, evidence func() T, order func(a, b Row) int) []kept[T] {
	at, _ := slices.BinarySearchFunc(list, row, func(have kept[T], row Row) int { return order(have.row, row) })
	if at >= k.n {
		return list
	}
	list = slices.Insert(list, at, kept[T]{row, evidence()})
	return list[:min(len(list), k.n)]
}

// Of returns the evidence about one of the worst cases.
func (k *Keep[T]) Of(id ReviewID) (evidence T, ok bool) {
	for _, list := range [][]kept[T]{k.under, k.over} {
		for _, have := range list {
			if have.row.Change == id.Change && have.row.Review == id.Review {
				return have.evidence, true
			}
		}
	}
	return evidence, false
}
