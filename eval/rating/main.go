// Command rating is the study behind docs/claims.md: a reader who did not write
// the rules judges every claim about changes drawn by a seed, by the codes of the
// paper (Naik et al. 2024, section 3.2) and one of ours.
//
//	rating draw -data dev.jsonl -seed 4 -n 60 -out DIR   writes one file a change to read, and the empty sheet
//	rating rates SHEET…                                  prints the rates of filled-in sheets
//
// A sheet holds ids and codes, no data: a line a claim with the change's id, its
// language, the claim's number and rule, a checksum of its text, and the code: 1
// for correct, 0 for incorrect, -1 for unverifiable from the change and its files,
// t for correct but trivial, which is true of almost any change. A line with the
// rule "missing" and the code + is a point that a reviewer would miss.
package main

import (
	"bufio"
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
	"crscore/internal/dataset"
	"crscore/internal/lang"
	"crscore/pseudoref"
)

func main() {
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rating:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: draw or rates")
	}
	switch args[0] {
	case "draw":
		fs := flag.NewFlagSet("draw", flag.ContinueOnError)
		data := fs.String("data", "", "dataset in JSON Lines")
		seed := fs.Uint64("seed", 1, "of the draw")
		n := fs.Int("n", 60, "changes to draw")
		out := fs.String("out", "", "folder for the files to read and the empty sheet")
		if err := fs.Parse(args[1:]); err != nil {
			return err
		}
		if *data == "" || *out == "" {
			return errors.New("draw needs -data FILE and -out DIR")
		}
		return draw(ctx, *data, *seed, *n, *out)
	case "rates":
		return rates(w, args[1:])
	}
	return fmt.Errorf("unknown task %q: draw or rates", args[0])
}

// draw takes n changes at random, with their claims of the default engine but
// no smells.
func draw(ctx context.Context, file string, seed uint64, n int, out string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var recs []dataset.Record
	for r := dataset.NewReader(f); ; {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		recs = append(recs, rec)
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	rnd.Shuffle(len(recs), func(i, j int) { recs[i], recs[j] = recs[j], recs[i] })
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sheet strings.Builder
	sheet.WriteString(header)
	for _, rec := range recs[:min(n, len(recs))] {
		l, _ := lang.Lookup(rec.Lang)
		ch, err := change.Parse([]byte(rec.Diff), change.Options{Path: rec.Path, Lang: l, Old: rec.Old, New: rec.New})
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", file, rec.Line, err)
		}
		set, err := crscore.Refs(ctx, crscore.Input{Change: ch}, crscore.Options{Smells: []crscore.Source{}})
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", file, rec.Line, err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "change %s (%s)\n\n%s\n\n", rec.ID, rec.Lang, rec.Diff)
		for i, r := range set.Refs {
			fmt.Fprintf(&b, "%d. [%s, %s %d-%d] %s\n", i+1, r.Kind, r.Side, r.StartLine, r.EndLine, r.Text)
			fmt.Fprintf(&sheet, "%s\t%s\t%d\t%s\t%s\t\n", rec.ID, rec.Lang, i+1, r.Rule, sum(r))
		}
		for side, text := range map[string]*string{"old": rec.Old, "new": rec.New} {
			if text == nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(out, rec.ID+"."+side), []byte(*text), 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(out, rec.ID+".txt"), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "sheet.tsv"), []byte(sheet.String()), 0o644)
}

const header = "change\tlang\tclaim\trule\tchecksum\tcode\n"

func sum(r pseudoref.Ref) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(r.Text)))[:12] }

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

// rates prints the shares of each code, as the paper's Table 1 does, with 95%
// intervals (Wilson) for all languages together. Trivial claims are correct.
func rates(w io.Writer, files []string) error {
	byLang := map[string]*count{}
	seen := map[string]bool{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		err = readSheet(f, byLang, seen)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if len(byLang) == 0 {
		return errors.New("no sheet, or nothing in it")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tchanges\tclaims\tcorrect %\tincorrect %\tunverifiable %\ttrivial %\tmissing %\t")
	var all count
	langs := make([]string, 0, len(byLang))
	for l, c := range byLang {
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
		line(l, *byLang[l], false)
	}
	line("all", all, true)
	return t.Flush()
}

// readSheet adds the codes of a sheet. It is an error, with the line, when a
// line is malformed, has no code, or was there before.
func readSheet(r io.Reader, byLang map[string]*count, seen map[string]bool) error {
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		if sc.Text()+"\n" == header || strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		f := strings.Split(sc.Text(), "\t")
		if len(f) != 6 {
			return fmt.Errorf("line %d: %d fields, not 6", n, len(f))
		}
		id, l, rule, code := f[0], f[1], f[3], strings.TrimSpace(f[5])
		c := byLang[l]
		if c == nil {
			c = &count{}
			byLang[l] = c
		}
		if !seen[id] {
			seen[id] = true
			c.changes++
		}
		if rule == "missing" {
			if code != "+" {
				return fmt.Errorf("line %d: a missing point has the code +, not %q", n, code)
			}
			c.missing++
			continue
		}
		key := id + "\t" + f[2]
		if seen[key] {
			return fmt.Errorf("line %d: claim %s of change %s was there before", n, f[2], id)
		}
		seen[key] = true
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
			return fmt.Errorf("line %d: the code is %q, not 1, 0, -1 or t", n, cmp.Or(code, "missing"))
		}
	}
	return sc.Err()
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
