// Command pairs trains the models of the pair similarity (sts.Pair) on links that people made
// between reviews and references, and measures them on changes that they were not trained on.
//
//	go run ./eval/pairs --data dev.jsonl --links docs/links-rating.tsv --out sts/builtin/pairs.json
//	go run ./eval/pairs --data dev.jsonl --links docs/links-rating.tsv --table
//
// The first line writes the models, trained on all changes. The second prints the tables of
// docs/modes.md: in each of the folds, changes are measured with models that were trained on
// the other folds.
//
//	go run ./eval/pairs --comments matches.jsonl.gz
//
// prints how the similarities agree with judges of pairs of comments, for docs/bench.md.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"crscore/eval/resample"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pairs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("pairs", flag.ContinueOnError)
	data := flags.String("data", "", "labelled changes, a `file` in JSON Lines")
	sheet := flags.String("links", "", "`file` of readers' links with the claims of the default engine (docs/links.md); none without it")
	model := flags.String("out", "", "`file` to write the models to, trained on all changes")
	table := flags.Bool("table", false, "print what the models reach on changes that they were not trained on")
	labels := flags.String("comments", "", "judges' labels of pairs of comments, a `file` as crscore bench matcher reads it: "+
		"print only how the built-in models agree with them")
	folds := flags.Int("folds", 5, "parts of the changes")
	seed := flags.Uint64("seed", 1, "of the folds")
	resamples := flags.Int("resamples", resample.DefaultResamples, "draws of changes for the intervals")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *labels != "" && flags.NArg() == 0 {
		return reportComments(ctx, out, *labels)
	}
	if *data == "" || *model == "" && !*table || flags.NArg() > 0 {
		return errors.New("usage: pairs --data FILE [--links FILE] --out FILE, or --table; pairs --comments FILE")
	}
	set, err := read(ctx, *data, *sheet)
	if err != nil {
		return err
	}
	if *table && (*folds < 2 || *folds > len(set.changes)) {
		return fmt.Errorf("--folds is %d, but must be from 2 to the number of changes, %d", *folds, len(set.changes))
	}
	if *table {
		b := resample.Bootstrap{Resamples: *resamples, Seed: *seed}
		if err := set.report(ctx, out, *folds, *seed, b); err != nil {
			return fmt.Errorf("%s: %w", *data, err)
		}
	}
	if *model == "" {
		return nil
	}
	models, err := set.train(set.changes)
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	text, err := json.MarshalIndent(models, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*model, append(text, '\n'), 0o644)
}
