package agreement

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"crscore/eval/resample"
)

// Validity tells which comments the scores of a metric can tell apart.
type Validity struct {
	// Name and Metric are those of NamedReport.
	Name   string `json:"name"`
	Metric string `json:"metric,omitempty"`
	// Valid and Invalid are the numbers of comments with a score that people found right and
	// wrong, of Pulls pull requests. Unscored have a label and no score.
	Valid    int `json:"valid"`
	Invalid  int `json:"invalid"`
	Unscored int `json:"unscored"`
	Pulls    int `json:"pull_requests"`
	// Other is the number of them that were scored against another repository's change, too.
	Other int `json:"scored_against_another_repository"`
	// Scores are con, comp and rel, without those that the metric lacks.
	Scores []Distinction `json:"scores"`
	// Signature is how the scores were made.
	Signature string `json:"signature,omitempty"`
}

// Distinction has two areas under the ROC curve, from 0 to 1; 0.5 is chance.
type Distinction struct {
	// Score is con, comp or rel.
	Score string `json:"score"`
	// Valid is the probability that a valid comment scores higher than an invalid one.
	Valid Estimate `json:"valid_or_invalid_roc_auc"`
	// Own is the probability that a comment scores higher against its own change than
	// a comment against another repository's change.
	Own Estimate `json:"own_or_other_change_roc_auc"`
}

// MeasureValidity measures the rows with Valid; it is nil without any. Intervals are by
// drawing pull requests, or changes where a row has none. The error is as that of Study.
func MeasureValidity(ctx context.Context, rows []Row, b Bootstrap) (*Validity, error) {
	lacks, err := lacking(rows)
	if err != nil {
		return nil, err
	}
	var v Validity
	var used []Row
	seen := map[ReviewID]bool{}
	for _, row := range rows {
		id := ReviewID{row.Change, row.Review}
		switch err := row.check(lacks); {
		case err != nil:
			return nil, fmt.Errorf("agreement: %s: %w", name(row.Change, row.Review), err)
		case row.Valid == nil || row.Review == HumanReference:
			continue
		case seen[id]:
			return nil, fmt.Errorf("agreement: %s occurs twice", name(row.Change, row.Review))
		case row.Metric == nil:
			v.Unscored++
			continue
		case *row.Valid:
			v.Valid++
		default:
			v.Invalid++
		}
		seen[id] = true
		row.Pull = cmp.Or(row.Pull, row.Change)
		if row.Other != nil {
			v.Other++
		}
		used = append(used, row)
	}
	if len(used)+v.Unscored == 0 {
		return nil, nil
	}
	slices.SortFunc(used, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Pull, b.Pull), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Review, b.Review))
	})
	for i, d := range dimensions {
		if lacks[i] {
			continue
		}
		one := Distinction{Score: d.name}
		var valid, own judgements
		for _, row := range used {
			valid.add(row.Pull, d.of(*row.Metric), *row.Valid)
			if row.Other != nil {
				own.add(row.Pull, d.of(*row.Metric), true)
				own.add(row.Pull, d.of(*row.Other), false)
			}
		}
		if one.Valid, v.Pulls, err = valid.rocAUC(ctx, b, "all comments are valid, or all are invalid"); err != nil {
			return nil, err
		}
		if one.Own, _, err = own.rocAUC(ctx, b, "no comment was scored against another repository's change"); err != nil {
			return nil, err
		}
		v.Scores = append(v.Scores, one)
	}
	return &v, nil
}

// judgements are scores with labels, each of a cluster.
type judgements struct {
	scores  []float64
	labels  []bool
	cluster []string
}

func (j *judgements) add(cluster string, score float64, label bool) {
	j.scores, j.labels, j.cluster = append(j.scores, score), append(j.labels, label), append(j.cluster, cluster)
}

// rocAUC is the area under the ROC curve by drawing clusters, and their number. why is the
// reason where it is undefined.
func (j *judgements) rocAUC(ctx context.Context, b Bootstrap, why string) (Estimate, int, error) {
	cluster, n := resample.Clusters(j.cluster, func(c string) string { return c })
	e, err := b.Estimates(ctx, n, 1, newClassified(j.scores, j.labels, cluster, nil).drawn, func(int) string { return why })
	if err != nil {
		return Estimate{}, n, fmt.Errorf("agreement: %w", err)
	}
	return e[0], n, nil
}
