// Command firings lists what the checks of comments find in the reviews of a dataset:
//
//	go run ./internal/commentcheck/firings --data dev.jsonl
//
// It prints a line for each finding, and then how often people gave the reviews with a finding
// each label of Con, beside all reviews. docs/comment-checks-rating.tsv has readers' verdicts
// on the findings.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"

	"crscore/change"
	"crscore/internal/commentcheck"
	"crscore/internal/dataset"
	"crscore/internal/lang"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "firings:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("firings", flag.ContinueOnError)
	data := flags.String("data", "", "changes with reviews, a `file` in JSON Lines")
	if err := flags.Parse(args); err != nil {
		return err
	}
	in, err := os.Open(*data)
	if err != nil {
		return err
	}
	defer in.Close()
	var all, found labels
	different := map[commentcheck.Finding]bool{}
	recs, err := dataset.ReadAll(in)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if err := list(&rec, out, &all, &found, different); err != nil {
			return fmt.Errorf("%s: %w", rec.Where(), err)
		}
	}
	fmt.Fprintf(out, "reviews %d, without whole files %d, with a finding %d, different findings %d\n",
		all.reviews, all.unchecked, found.reviews, len(different))
	for label := 1; label <= 5; label++ {
		fmt.Fprintf(out, "Con %d: %d of %d labelled reviews, %d of %d with a finding\n",
			label, all.con[label], all.labelled, found.con[label], found.labelled)
	}
	return nil
}

// labels count reviews by people's label of Con.
type labels struct {
	reviews, unchecked, labelled int
	con                          [6]int
}

func (l *labels) add(v *dataset.Review) {
	l.reviews++
	if v.Human != nil {
		l.labelled++
		l.con[min(5, max(1, int(math.Round(v.Human.Con))))]++
	}
}

// list prints the findings in the reviews of a change.
func list(rec *dataset.Record, out io.Writer, all, found *labels, different map[commentcheck.Finding]bool) error {
	l, _ := lang.Lookup(rec.Lang)
	c, err := change.Parse([]byte(rec.Diff), change.Options{Path: rec.Path, Lang: l, Old: rec.Old, New: rec.New})
	if err != nil {
		return err
	}
	texts, err := commentcheck.New(c)
	if err != nil && !errors.Is(err, commentcheck.ErrUnknown) {
		return err
	}
	for i := range rec.Reviews {
		v := &rec.Reviews[i]
		all.add(v)
		if texts == nil {
			all.unchecked++
			continue
		}
		findings := texts.Find(v.Text)
		if len(findings) > 0 {
			found.add(v)
		}
		for _, f := range findings {
			different[f] = true
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", rec.ID, v.ID, f.Check, f.Evidence)
		}
	}
	return nil
}
