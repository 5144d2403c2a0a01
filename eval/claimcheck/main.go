// Command claimcheck measures the check of a model's claims against people: of
// the ready claims in a dataset, which does the check drop, and which did the
// annotators not keep? A claim counts as kept by them when it stands word for
// word in their edited list, so that one they only mended counts as not kept.
//
// It prints, for each reason, how many claims were dropped, how many of those the
// annotators did not keep either (precision), and which share of all that they
// did not keep that is (recall). A check that is as good as chance has the
// precision of the last line. Below that stands what the check does to claims that
// are about another change altogether: those of the record before.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"crscore/change"
	"crscore/internal/dataset"
	"crscore/internal/lang"
	"crscore/pseudoref"
	"crscore/pseudoref/llm"
)

func main() {
	data := flag.String("data", "", "dataset with claims and edited references, in JSON Lines")
	set := flag.String("claims", "magicoder", "name of the claims")
	show := flag.Bool("show", false, "print every claim that is dropped")
	flag.Parse()
	if err := run(os.Stdout, *data, *set, *show); err != nil {
		fmt.Fprintln(os.Stderr, "claimcheck:", err)
		os.Exit(1)
	}
}

// tally counts claims by what the annotators did with them.
type tally struct{ kept, notKept int }

func run(w io.Writer, file, set string, show bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	counts := map[string]*tally{}
	count := func(reason string, kept bool) {
		if counts[reason] == nil {
			counts[reason] = &tally{}
		}
		if kept {
			counts[reason].kept++
		} else {
			counts[reason].notKept++
		}
	}
	const all, any = "all claims", "any reason"
	var before []pseudoref.Ref
	foreign, foreignDropped := 0, 0
	for r := dataset.NewReader(f); ; {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		l, _ := lang.Lookup(rec.Lang)
		ch, err := change.Parse([]byte(rec.Diff), change.Options{Path: rec.Path, Lang: l, Old: rec.Old, New: rec.New})
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", file, rec.Line, err)
		}
		keptBy := func(text string) bool {
			return slices.ContainsFunc(rec.RefsEdited, func(e dataset.EditedRef) bool { return e.Text == text })
		}
		refs := pseudoref.Ready(pseudoref.Claim, set, rec.Claims[set])
		for _, r := range refs {
			count(all, keptBy(r.Text))
		}
		_, dropped := llm.Check(ch, before)
		foreign, foreignDropped, before = foreign+len(before), foreignDropped+len(dropped), refs
		_, dropped = llm.Check(ch, refs)
		for _, d := range dropped {
			count(d.Reason, keptBy(d.Text))
			count(any, keptBy(d.Text))
			if show {
				fmt.Fprintf(w, "%s\t%s\t%s\n\t%s: %s\n", rec.ID, map[bool]string{true: "KEPT", false: "not kept"}[keptBy(d.Text)], d.Text, d.Reason, d.Detail)
			}
		}
	}
	if counts[all] == nil {
		return fmt.Errorf("%s: there are no claims named %q", file, set)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "reason\tdropped\tof them kept by the annotators\tnot kept\tprecision\trecall\t")
	for _, reason := range []string{llm.UnknownName, llm.WrongSign, llm.Guess, llm.BrokenOff, llm.Pasted, llm.Verdict, llm.Duplicate, any, all} {
		c := counts[reason]
		if c == nil {
			c = &tally{}
		}
		n := c.kept + c.notKept
		precision := "-"
		if n > 0 {
			precision = fmt.Sprintf("%.3f", float64(c.notKept)/float64(n))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%.3f\t\n", reason, n, c.kept, c.notKept, precision, float64(c.notKept)/float64(max(1, counts[all].notKept)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nclaims about another change: %d of %d dropped (%.3f)\n", foreignDropped, foreign, float64(foreignDropped)/float64(max(1, foreign)))
	return err
}
