package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/agreement/join"
	"crscore/eval/evidence"
	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/setup"
	"crscore/internal/terminal"
)

// allMetrics is the list of all metrics.
const allMetrics = "all"

// missingMetrics is the kind of messages about reviews that metrics could not score.
const missingMetrics = "reviews that metrics did not score"

// sideBySide scores the reviews of a dataset by the metrics of --metrics.
type sideBySide struct {
	*evidence.Contenders // nil without the flag
	encoder              setup.Closers
	log                  *terminal.Log
}

// startMetrics starts without reviews. e has judged those that come.
func (f *agreeFlags) startMetrics(cmd *cobra.Command, e *crscore.Engine, s streams) (*sideBySide, error) {
	b := &sideBySide{log: s.log}
	if f.list == "" {
		return b, nil
	}
	var needs refmetrics.Needs
	if refmetrics.NeedEncoder(f.list) {
		enc, err := f.engine.Encoder.Open(cmd.Context(), openLog(cmd))
		if err != nil {
			return nil, err
		}
		b.encoder, needs.Encoder = append(b.encoder, enc), enc
	}
	metrics, err := refmetrics.Parse(f.list, needs)
	var warnings []string
	if err == nil {
		b.Contenders, warnings, err = evidence.NewContenders(e, metrics)
	}
	if err != nil {
		_ = b.encoder.Close() // the other error is the cause
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	for _, w := range warnings {
		s.log.Warn(w)
	}
	return b, nil
}

// add scores the reviews of a record.
func (b *sideBySide) add(ctx context.Context, rec *dataset.Record, o crscore.Outcome) error {
	if b.Contenders == nil {
		return nil
	}
	why, err := b.Add(ctx, rec, o)
	for _, msg := range why {
		b.log.SayOfKind(slog.LevelError, missingMetrics, msg)
	}
	return err
}

// missing tells what has no score.
func (b *sideBySide) missing() error {
	if b.Contenders == nil || b.Unscored() == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d", missingMetrics, b.Unscored())
}

// stand sets metrics side by side: those of files of scores, or of a dataset. They are
// compared with CRScore: in the mode of the engine, or the first of the files.
func (f *agreeFlags) stand(ctx context.Context, found []*join.Study, beside *sideBySide) (*agreement.Standings, error) {
	var all []agreement.Contender
	against := ""
	if len(f.scores) == 0 {
		all, against = beside.All(), beside.Own()
	} else {
		all = contenders(found)
		if i := slices.IndexFunc(all, func(c agreement.Contender) bool { return c.Own }); i >= 0 {
			against = all[i].Name
		}
	}
	s, err := agreement.Stand(ctx, all, against, f.bootstrap)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	return &s, nil
}

// contenders are the metrics of files of scores.
func contenders(found []*join.Study) []agreement.Contender {
	out := make([]agreement.Contender, len(found))
	for i, j := range found {
		metric, _, _ := strings.Cut(j.Metric, ":")
		control := slices.ContainsFunc(refmetrics.Metrics(), func(m refmetrics.Info) bool {
			return m.Control && m.Name == metric
		})
		out[i] = agreement.Contender{
			Name: j.Name, Signature: j.Signature, Own: j.Mode != "", Control: control, Turned: j.Turned, Rows: j.Rows,
		}
	}
	return out
}
