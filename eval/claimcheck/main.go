// Command claimcheck measures whether the check of a model's claims drops the same claims
// as annotators did. A claim is kept by annotators if it stands word for word in their
// edited list; a claim that they reworded is not kept.
//
// It prints for each reason the number of dropped claims, the share of them that annotators
// did not keep either (precision), and their share of all claims that annotators did not
// keep (recall). The last line has the precision of a check that drops at random. Below
// stands how many claims the check drops of three other kinds: claims of another change
// (the record before), claims from syntax, which are right, and claims from syntax with
// "added" and "removed" exchanged.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"crscore"
	"crscore/change"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/pseudoref"
	"crscore/pseudoref/llm"
)

func main() {
	data := flag.String("data", "", "dataset with claims and edited references, in JSON Lines")
	set := flag.String("claims", "magicoder", "name of the claims")
	show := flag.Bool("show", false, "print every claim that is dropped")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *data, *set, *show); err != nil {
		fmt.Fprintln(os.Stderr, "claimcheck:", err)
		os.Exit(1)
	}
}

// tally has the numbers of claims that annotators kept and did not keep.
type tally struct{ kept, notKept int }

func run(ctx context.Context, w io.Writer, file, set string, show bool) error {
	if file == "" {
		return errors.New("name the dataset with --data FILE")
	}
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
	var foreign, symbolic, turned share
	recs, err := dataset.ReadAll(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, rec := range recs {
		in, err := evidence.Input(&rec)
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
		foreign.check(in.Change, before)
		before = refs
		syntax, err := crscore.Refs(ctx, crscore.Input{Change: in.Change}, crscore.Options{Smells: []crscore.Source{}})
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", file, rec.Line, err)
		}
		symbolic.check(in.Change, syntax.Refs)
		turned.check(in.Change, turn(syntax.Refs))
		_, dropped := llm.Check(in.Change, refs)
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
	for _, reason := range []string{llm.UnknownName, llm.WrongSign, llm.Guess, llm.TooLong, llm.BrokenOff, llm.Pasted, llm.Verdict, llm.Aside, llm.Duplicate, any, all} {
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
	_, err = fmt.Fprintf(w, "\ndropped of claims about another change: %v\ndropped of claims from syntax: %v\ndropped of claims from syntax with their sign turned: %v\n", foreign, symbolic, turned)
	return err
}

// share counts what is dropped of some claims.
type share struct{ dropped, all int }

func (s *share) check(ch *change.Change, refs []pseudoref.Ref) {
	_, dropped := llm.Check(ch, refs)
	s.dropped, s.all = s.dropped+len(dropped), s.all+len(refs)
}

func (s share) String() string {
	return fmt.Sprintf("%d of %d (%.3f)", s.dropped, s.all, float64(s.dropped)/float64(max(1, s.all)))
}

var (
	signed   = regexp.MustCompile(`\b(?:was|were) (?:added|removed)\b`)
	exchange = strings.NewReplacer("added", "removed", "removed", "added")
)

// turn says of what was added that it was removed, and the other way round.
func turn(refs []pseudoref.Ref) (turned []pseudoref.Ref) {
	for _, r := range refs {
		if signed.MatchString(r.Text) {
			r.Text = exchange.Replace(r.Text)
			turned = append(turned, r)
		}
	}
	return turned
}
