package cli

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/run"
	"crscore/internal/stdio"
)

// agreeRaters measures the agreement of the raters of a table with each other.
func (f *agreeFlags) agreeRaters(cmd *cobra.Command, s streams) error {
	in, err := s.in.Open(f.raters)
	if err != nil {
		return err
	}
	defer in.Close()
	table, err := dataset.ReadRatings(run.Source(f.raters, in))
	if err != nil {
		return fmt.Errorf("%s: %w", stdio.Name(f.raters), err)
	}
	for _, bad := range table.Bad {
		s.log.SayOfKind(slog.LevelError, run.MalformedLines, fmt.Sprintf("%s: %v; %s", stdio.Name(f.raters), bad, run.LeftOutLine(bad)))
	}
	items := make([]agreement.RatedItem, len(table.Items))
	for i, item := range table.Items {
		items[i] = agreement.RatedItem{Change: item.Change, Ratings: item.Ratings}
	}
	rep, err := agreement.StudyRaters(cmd.Context(), table.Raters, items, f.bootstrap)
	if err != nil {
		return fmt.Errorf("%s: %w; needed are: %s", stdio.Name(f.raters), err, dataset.RatingColumns)
	}
	if f.truth != "" {
		rep.Truth = f.truth
		if rep.Graded, err = agreement.StudyGrades(cmd.Context(), table.Raters, f.truth, items, f.bootstrap); err != nil {
			return fmt.Errorf("%s: --truth %s: %w", stdio.Name(f.raters), f.truth, err)
		}
	}
	if err := f.printReport(s, rep, rep.Page(stdio.Name(f.raters), f.bootstrap)); err != nil {
		return outputError(err)
	}
	if n := len(table.Bad); n > 0 {
		return run.Incomplete{Err: fmt.Errorf("incomplete: malformed lines: %d", n)}
	}
	return nil
}
