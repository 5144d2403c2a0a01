// Command reproduction computes the tables of the paper (Naik et al. 2024, arXiv
// 2409.19801) again on its labelled changes, and writes docs/reproduction.md. The file
// reproduction.md.tmpl has the published values and the prose; every other number of the
// page is computed from the data.
//
//	go run ./eval/reproduction --data dev.jsonl --out docs/reproduction.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"crscore/eval/agreement"
	"crscore/eval/resample"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "reproduction:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("reproduction", flag.ContinueOnError)
	data := flags.String("data", "", "the authors' labelled changes, a `file` in JSON Lines")
	sheet := flags.String("claims-rating", "docs/claims-rating.tsv", "`file` with the readers' codes of our claims")
	page := flags.String("out", "", "`file` to write (default: standard output)")
	resamples := flags.Int("resamples", resample.DefaultResamples, "draws of changes for the intervals")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *data == "" || flags.NArg() > 0 {
		return errors.New("usage: reproduction --data FILE [--out FILE]")
	}
	set, err := readData(*data)
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	rated, err := readRating(*sheet)
	if err != nil {
		return err
	}
	text, err := reproduce(ctx, set, rated, agreement.Options{Bootstrap: agreement.Bootstrap{Resamples: *resamples, Seed: 1}})
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	if *page == "" {
		_, err = out.Write(text)
		return err
	}
	return os.WriteFile(*page, text, 0o644)
}
