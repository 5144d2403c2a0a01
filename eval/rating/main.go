// Command rating draws claims and smells at random for human readers, and computes rates
// from the sheets that they filled in, for docs/claims.md and docs/smells-rating.md. The
// readers did not write the rules.
//
//	rating draw -data dev.jsonl -seed 4 -n 60 -out DIR                writes one file a change to read, and the empty sheet
//	rating draw -kind smells -data dev.jsonl -seed 5 -n 25 -out DIR   the same a rule, with up to 25 smells of each
//	rating draw -kind links -data dev.jsonl -seed 6 -out DIR          writes one file a change with its references and reviews
//	rating join -data dev.jsonl -seed 6 FIRST SECOND                  prints the sheet of two readers' links
//	rating rates SHEET…                                               prints the rates of filled-in sheets of one kind
//
// A sheet holds ids and codes, no data (smells.go describes sheets of smells). A line of a
// sheet of claims has the change's id, its language, the claim's number and rule, a
// checksum of its text, and a code of the paper (Naik et al. 2024, section 3.2): 1 correct,
// 0 incorrect, -1 unverifiable from the change and its files; or our code t: correct but
// trivial, true of almost any change. A line with the rule "missing" and the code + stands
// for a claim that a reviewer would miss.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"crscore"
	"crscore/change"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rating:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.New("no task is given: choose draw or rates")
	}
	switch args[0] {
	case "draw":
		fs := flag.NewFlagSet("draw", flag.ContinueOnError)
		data := fs.String("data", "", "dataset in JSON Lines")
		seed := fs.Uint64("seed", 1, "of the draw")
		kind := fs.String("kind", "claims", "what to rate: claims, smells or links")
		n := fs.Int("n", 60, "changes to draw, or smells of each rule")
		added := fs.Bool("added", false, "smells: of the new files as if the changes had added them, not only of what is changed")
		out := fs.String("out", "", "folder for the files to read and the empty sheet")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if *data == "" || *out == "" {
			return errors.New("draw needs -data FILE and -out DIR")
		}
		recs, err := records(*data)
		if err != nil {
			return fmt.Errorf("%s: %w", *data, err)
		}
		if err := os.MkdirAll(*out, 0o755); err != nil {
			return err
		}
		switch *kind {
		case "claims":
			err = draw(ctx, recs, *seed, *n, *out)
		case "smells":
			err = drawSmells(ctx, recs, *seed, *n, *added, *out)
		case "links":
			err = drawLinks(ctx, recs, *seed, *out)
		default:
			return fmt.Errorf("unknown kind %q: choose claims, smells or links", *kind)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", *data, err)
		}
		return nil
	case "join":
		fs := flag.NewFlagSet("join", flag.ContinueOnError)
		data := fs.String("data", "", "dataset in JSON Lines")
		seed := fs.Uint64("seed", 1, "of the draw")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		recs, err := records(*data)
		if err != nil {
			return fmt.Errorf("%s: %w", *data, err)
		}
		return joinLinks(ctx, w, recs, *seed, fs.Args())
	case "rates":
		return rates(w, args[1:])
	}
	return fmt.Errorf("unknown task %q: choose draw or rates", args[0])
}

// records reads a dataset as a whole.
func records(file string) ([]dataset.Record, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.ReadAll(f)
}

// parse reads the change of a record.
func parse(rec *dataset.Record) (*change.Change, error) {
	in, err := evidence.Input(rec)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", rec.Line, err)
	}
	return in.Change, nil
}

// writeSides writes the whole texts that are known of a change.
func writeSides(out string, rec *dataset.Record) error {
	for side, text := range map[string]*string{"old": rec.Old, "new": rec.New} {
		if text == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(out, fileName(rec.ID)+"."+side), []byte(*text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fileName makes a file's name of an id, which may hold anything.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r < ' ' {
			return '_'
		}
		return r
	}, id)
}

// draw takes n changes at random, with their claims of the default engine but
// no smells.
func draw(ctx context.Context, recs []dataset.Record, seed uint64, n int, out string) error {
	rnd := rand.New(rand.NewPCG(seed, 0))
	rnd.Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
	var sheet strings.Builder
	sheet.WriteString(header)
	for _, rec := range recs[:min(n, len(recs))] {
		ch, err := parse(&rec)
		if err != nil {
			return err
		}
		set, err := crscore.Refs(ctx, crscore.Input{Change: ch}, crscore.Options{Smells: []crscore.Source{}})
		if err != nil {
			return fmt.Errorf("line %d: %w", rec.Line, err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "change %s (%s)\n\n%s\n\n", rec.ID, rec.Lang, rec.Diff)
		for i, r := range set.Refs {
			fmt.Fprintf(&b, "%d. [%s, %s %d-%d] %s\n", i+1, r.Kind, r.Side, r.StartLine, r.EndLine, r.Text)
			fmt.Fprintf(&sheet, "%s\t%s\t%d\t%s\t%s\t\n", rec.ID, rec.Lang, i+1, r.Rule, sum(r.Text))
		}
		if err := writeSides(out, &rec); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, fileName(rec.ID)+".txt"), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "sheet.tsv"), []byte(sheet.String()), 0o644)
}

const header = "change\tlang\tclaim\trule\tchecksum\tcode\n"

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12] }

// count is what was found in one language.
type count struct{ correct, incorrect, unverifiable, trivial, missing, changes int }

func (c *count) add(o count) {
	c.correct += o.correct
	c.incorrect += o.incorrect
	c.unverifiable += o.unverifiable
	c.trivial += o.trivial
	c.missing += o.missing
	c.changes += o.changes
}

// rates prints what sheets say, which are all of claims or all of smells.
func rates(w io.Writer, files []string) error {
	var claims, smells tally = &claimTally{byLang: map[string]*count{}, seen: map[string]bool{}}, &smellTally{rules: map[string]*verdicts{}, seen: map[string]bool{}}
	var all tally
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		kind := claims
		if strings.HasPrefix(string(text), smellHeader) {
			kind = smells
		}
		if all != nil && all != kind {
			return fmt.Errorf("%s: sheets of claims and sheets of smells cannot be combined", file)
		}
		all = kind
		for i, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSuffix(line, "\r")
			if i == 0 && (line+"\n" == header || line+"\n" == smellHeader) || strings.TrimSpace(line) == "" {
				continue
			}
			f := strings.Split(line, "\t")
			if len(f) != 6 {
				return fmt.Errorf("%s: line %d: %d fields, not 6", file, i+1, len(f))
			}
			f[5] = strings.TrimSpace(f[5])
			if err := kind.add([6]string(f)); err != nil {
				return fmt.Errorf("%s: line %d: %w", file, i+1, err)
			}
		}
	}
	if all == nil || all.empty() {
		return errors.New("no sheet, or nothing in it")
	}
	return all.print(w)
}

// tally counts the lines of sheets.
type tally interface {
	add(fields [6]string) error
	empty() bool
	print(w io.Writer) error
}

// claimTally counts codes of claims by language.
type claimTally struct {
	byLang map[string]*count
	seen   map[string]bool // changes, and claims of changes
}

func (c *claimTally) empty() bool { return len(c.byLang) == 0 }

// print shows the shares of each code, as the paper's Table 1 does, with 95%
// intervals (Wilson) for all languages together. Trivial claims are correct.
func (c *claimTally) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tchanges\tclaims\tcorrect %\tincorrect %\tunverifiable %\ttrivial %\tmissing %\t")
	var all count
	langs := make([]string, 0, len(c.byLang))
	for l, c := range c.byLang {
		langs = append(langs, l)
		all.add(*c)
	}
	slices.Sort(langs)
	line := func(name string, c count, interval bool) {
		n := c.correct + c.incorrect + c.unverifiable
		share := func(k int) string {
			s := fmt.Sprintf("%.2f", 100*float64(k)/float64(max(n, 1)))
			if interval {
				lo, hi := wilson(k, n)
				s += fmt.Sprintf(" [%.1f, %.1f]", 100*lo, 100*hi)
			}
			return s
		}
		missing := fmt.Sprintf("%.2f", 100*float64(c.missing)/float64(max(n, 1)))
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n", name, c.changes, n, share(c.correct), share(c.incorrect), share(c.unverifiable), share(c.trivial), missing)
	}
	for _, l := range langs {
		line(l, *c.byLang[l], false)
	}
	line("all", all, true)
	return t.Flush()
}

// add counts a claim, or a point that is missing. It is an error when it has no
// code, or was there before.
func (t *claimTally) add(f [6]string) error {
	id, l, rule, code := f[0], f[1], f[3], f[5]
	c := t.byLang[l]
	if c == nil {
		c = &count{}
		t.byLang[l] = c
	}
	if !t.seen[id] {
		t.seen[id] = true
		c.changes++
	}
	if rule == "missing" {
		if code != "+" {
			return fmt.Errorf("a missing claim has the code +, not %q", code)
		}
		c.missing++
		return nil
	}
	key := id + "\t" + f[2]
	if t.seen[key] {
		return fmt.Errorf("claim %s of change %s occurs twice", f[2], id)
	}
	t.seen[key] = true
	switch code {
	case "1":
		c.correct++
	case "t":
		c.correct++
		c.trivial++
	case "0":
		c.incorrect++
	case "-1":
		c.unverifiable++
	default:
		return fmt.Errorf("the code is %q, not 1, 0, -1 or t", cmp.Or(code, "missing"))
	}
	return nil
}

// wilson is the 95% score interval of a share k of n.
func wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}
