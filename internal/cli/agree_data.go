package cli

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/agreement/join"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/present"
	"crscore/internal/run"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/score"
)

// judge scores the dataset and collects scores, labels, links and points.
func (f *agreeFlags) judge(cmd *cobra.Command, s streams) (_ *join.Study, beside *sideBySide, _ error) {
	if err := f.engine.configure(cmd, nil); err != nil {
		return nil, nil, err
	}
	ctx := cmd.Context()
	e, err := f.engine.engine(ctx, cmd)
	if err != nil {
		return nil, nil, err
	}
	defer e.Close()
	out := &join.Study{Name: stdio.Name(f.data), Keep: agreement.NewKeep[agreement.CaseEvidence](f.worst)}
	if rule := e.Rule(); rule.Mode.UsesTau() {
		out.Tau = &rule.Tau
	}
	if beside, err = f.startMetrics(cmd, e, s); err != nil {
		return nil, nil, err
	}
	defer beside.encoder.Close()
	var total score.Aggregate
	var signatures spelling.Tally // several where a source fell back to another
	var missing []error
	noLinks := 0
	other := join.Strangers{Seed: f.bootstrap.Seed}
	data := run.Dataset{Name: f.data, Form: f.form.options, Terminal: s, Strict: true}
	err = data.Judge(ctx, e, func(rec *dataset.Record, o crscore.Outcome) error {
		other.Add(rec, o, len(out.Rows))
		for i, res := range o.Results {
			r := join.Row(rec, i)
			if res.Status == crscore.Scored {
				signatures.Add(res.Signature)
				r.Metric = &agreement.Scores{Con: res.Con, Comp: res.Comp, Rel: res.Rel}
				if r.Review != dataset.HumanReference {
					total.Add(res.Result)
				}
			}
			out.Rows = append(out.Rows, r)
			out.Keep.Offer(r, func() agreement.CaseEvidence {
				c := join.Evidence(rec, i)
				c.Explain = present.Explain(e.Rule(), res, nil)
				return c
			})
		}
		if err := beside.add(ctx, rec, o); err != nil {
			return err
		}
		block, err := evidence.Block(ctx, e, rec, o)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.log.SayOfKind(slog.LevelError, run.LeftOutChanges, err.Error())
			noLinks++
			return nil
		}
		out.Links = append(out.Links, evidence.Links(block)...)
		p, err := join.Points(ctx, e, rec, o.RefSet)
		out.Points = append(out.Points, p...)
		return err
	})
	if err == nil {
		err = other.Score(ctx, e, out.Rows)
	}
	if err != nil {
		return nil, nil, err
	}
	if tau, ok := total.PaperTau(); ok {
		out.PaperTau = &tau
	}
	out.Signature = cmp.Or(signatures.Reviews(), e.Signature())
	missing = append(missing, data.Missing(), beside.missing(), absent("changes whose links were not compared", noLinks))
	out.Missing = joinMissing(missing)
	return out, beside, nil
}

// readLabels reads the reviews of a labelled dataset.
func readLabels(name string, form dataset.Options, s streams) (_ *join.Labels, missing, _ error) {
	data := run.Dataset{Name: name, Form: form, Terminal: s}
	damaged := 0
	out := &join.Labels{}
	err := data.Each(func(rec *dataset.Record) error {
		for i := range rec.Reviews {
			var bad dataset.LabelError
			if errors.As(rec.Reviews[i].Err, &bad) {
				damaged++
				data.Say(slog.LevelError, run.MalformedLabels, fmt.Sprintf("%s: change %s, review %s: %v; its labels are left out", rec.Where(), rec.ID, rec.Reviews[i].ID, bad))
			}
		}
		if err := out.Add(rec); err != nil {
			return fmt.Errorf("%s: %w", stdio.Name(name), err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return out, joinMissing([]error{data.Missing(), absent("reviews with malformed labels", damaged)}), nil
}

// sayUnmatched lists the ids, and returns what is missing for them. a has OnlyScores.
func sayUnmatched(u *agreement.Unmatched, s streams, a, b string) error {
	var what []string
	for _, side := range []struct {
		ids     []agreement.ReviewID
		in, not string
	}{{u.OnlyScores, a, b}, {u.OnlyData, b, a}} {
		if len(side.ids) == 0 {
			continue
		}
		msg := fmt.Sprintf("reviews in %s that are not in %s: %d", side.in, side.not, len(side.ids))
		what = append(what, msg)
		for i, id := range side.ids[:min(len(side.ids), limits.ListedIDs)] {
			msg += map[bool]string{true: ": ", false: ", "}[i == 0] + fmt.Sprintf("%s/%s", id.Change, id.Review)
		}
		if len(side.ids) > limits.ListedIDs {
			msg += " …"
		}
		s.log.Fail(msg)
	}
	if len(what) == 0 {
		return nil
	}
	return run.Incomplete{Err: errors.New(strings.Join(what, "; "))}
}

// hint says what to do where no study is possible.
func (f *agreeFlags) hint(j *join.Study) string {
	if u := j.Unmatched; u != nil && len(u.OnlyScores) > 0 && len(u.OnlyData) > 0 {
		return join.Mismatch("the scores", u.OnlyScores, "the dataset", u.OnlyData)
	}
	switch {
	case slices.ContainsFunc(j.Rows, join.HasLabels):
		return ""
	case f.data == "":
		return " (no labels stand beside these scores: give the labelled dataset with --data)"
	default:
		return ` (no review of a system has labels in the dataset: they are written "human": {"con": 4, "comp": 3, "rel": 3}, from 1 to 5)`
	}
}

// absent describes n things that are missing, such as "malformed lines", for joinMissing; nil for none.
func absent(what string, n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d", what, n)
}

// joinMissing makes one error of what is missing, nil of nothing.
func joinMissing(all []error) error {
	var what []string
	for _, err := range all {
		if err != nil {
			what = append(what, strings.TrimPrefix(err.Error(), "incomplete: "))
		}
	}
	if len(what) == 0 {
		return nil
	}
	return run.Incomplete{Err: errors.New("incomplete: " + strings.Join(what, "; "))}
}
