package main

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"crscore/change"
	"crscore/internal/dataset"
	"crscore/internal/syntax"
	"crscore/smells"
)

// A line of a sheet of smells has the change's id, its language, the number of the smell
// among the change's smells of that rule, the rule, a checksum of the text, and a code: 1 if
// the sentence is true and a reviewer could reasonably say it, 0 if not, ? if the reader
// cannot tell.
const smellHeader = "change\tlang\tsmell\trule\tchecksum\tcode\n"

// perChange is how many smells of a rule one change may give to a draw, and
// perFile how many a file to read holds.
const perChange, perFile = 2, 25

// drawn is a smell that is to be rated.
type drawn struct {
	rec    *dataset.Record
	file   *change.File
	number int // counted from 1 among the change's of that rule
	smell  smells.Smell
}

// drawSmells takes up to n smells of each rule of the catalogue, those included
// that are off by default: one of each change at random, then a second one. What
// is drawn of a rule does not depend on the other rules.
func drawSmells(ctx context.Context, recs []dataset.Record, seed uint64, n int, added bool, out string) error {
	byRule := map[string][][]drawn{} // of each change
	for i := range recs {
		if added && recs[i].New == nil {
			continue
		}
		found, err := detect(ctx, &recs[i], added)
		if err != nil {
			return err
		}
		for rule, of := range found {
			byRule[rule] = append(byRule[rule], of)
		}
		if err := writeSides(out, &recs[i]); err != nil {
			return err
		}
	}
	var sheet strings.Builder
	sheet.WriteString(smellHeader)
	for _, r := range smells.Rules() {
		all := pick(byRule[r.ID], r.ID, seed, n)
		for i, file := 0, 1; i < len(all); i, file = i+perFile, file+1 {
			var b strings.Builder
			fmt.Fprintf(&b, "%s (%s)\n%s\n\nCodes: 1 the sentence is true and a reviewer could reasonably say it, 0 it is not, ? cannot tell.\nWhole files are beside this one: CHANGE.old, CHANGE.new.\n",
				r.ID, r.Name, r.Description)
			for _, d := range all[i:min(i+perFile, len(all))] {
				d.show(&b)
				fmt.Fprintf(&sheet, "%s\t%s\t%d\t%s\t%s\t\n", d.rec.ID, d.rec.Lang, d.number, d.smell.Rule, sum(d.smell.Text))
			}
			name := r.ID + ".txt"
			if file > 1 {
				name = fmt.Sprintf("%s-%d.txt", r.ID, file)
			}
			if err := os.WriteFile(filepath.Join(out, name), []byte(b.String()), 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(out, "sheet.tsv"), []byte(sheet.String()), 0o644)
}

// detect returns the smells of a change by rule; added takes the new file as one
// that the change adds.
func detect(ctx context.Context, rec *dataset.Record, added bool) (map[string][]drawn, error) {
	if added {
		whole := *rec
		empty := ""
		whole.Old, whole.Diff = &empty, addition(*rec.New)
		rec = &whole
	}
	ch, err := parse(rec)
	if err != nil {
		return nil, err
	}
	trees, err := syntax.Parse(ctx, ch)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", rec.Line, err)
	}
	found, err := smells.Detect(ctx, trees, smells.Options{Rules: []string{smells.AllRules}})
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", rec.Line, err)
	}
	out := map[string][]drawn{}
	for _, s := range found {
		i := slices.IndexFunc(ch.Files, func(f change.File) bool { return f.Path() == s.Path })
		if i < 0 {
			return nil, fmt.Errorf("line %d: a smell in %s, which is no file of the change", rec.Line, s.Path)
		}
		out[s.Rule] = append(out[s.Rule], drawn{rec: rec, file: &ch.Files[i], number: len(out[s.Rule]) + 1, smell: s})
	}
	return out, nil
}

// addition is the hunk that adds a text.
func addition(text string) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	d := fmt.Sprintf("@@ -0,0 +1,%d @@\n+%s\n", len(lines), strings.Join(lines, "\n+"))
	if !strings.HasSuffix(text, "\n") {
		d += "\\ No newline at end of file\n"
	}
	return d
}

// pick draws n smells of one rule from those of each change.
func pick(changes [][]drawn, rule string, seed uint64, n int) []drawn {
	h := fnv.New64a()
	h.Write([]byte(rule))
	rnd := rand.New(rand.NewPCG(seed, h.Sum64()))
	rnd.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	for _, c := range changes {
		rnd.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	}
	var out []drawn
	for round := range perChange {
		for _, c := range changes {
			if round < len(c) && len(out) < n {
				out = append(out, c[round])
			}
		}
	}
	return out
}

// around is how many lines of code are shown on either side of a smell; of what
// has more than tall lines, the middle is left out.
const around, tall = 7, 60

// show writes a smell with the code around it, changed lines marked, and the
// hunks that it lies in.
func (d *drawn) show(b *strings.Builder) {
	s := &d.smell
	fmt.Fprintf(b, "\n%s\nchange %s, smell %d, %s, %s, lines %d-%d\n%s: %s\n\n", strings.Repeat("=", 80),
		d.rec.ID, d.number, d.rec.Lang, cmp.Or(s.Path, "no path"), s.StartLine, s.EndLine, s.Rule, s.Text)
	changed := map[int]bool{}
	for _, n := range d.file.ChangedLines(change.New) {
		changed[n] = true
	}
	if text, ok := d.file.Whole(change.New); ok {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		first, last := max(1, s.StartLine-around), min(len(lines), s.EndLine+around)
		for n := first; n <= last; n++ {
			if s.EndLine-s.StartLine > tall && n == s.StartLine+tall/2 {
				n = s.EndLine - tall/2
				b.WriteString("      ...\n")
			}
			mark, at := " ", " "
			if changed[n] {
				mark = "+"
			}
			if n >= s.StartLine && n <= s.EndLine {
				at = ">"
			}
			fmt.Fprintf(b, "%s%5d %s %s\n", at, n, mark, lines[n-1])
		}
	}
	if len(changed) == 0 || d.file.Status == change.Added || d.rec.Old != nil && *d.rec.Old == "" {
		return // all of it is new
	}
	for i := range d.file.Hunks {
		h := &d.file.Hunks[i]
		if h.NewStart > s.EndLine || h.NewStart+h.NewLines < s.StartLine {
			continue
		}
		fmt.Fprintln(b, strings.TrimSuffix(fmt.Sprintf("\n@@ -%d,%d +%d,%d @@ %s", h.OldStart, h.OldLines, h.NewStart, h.NewLines, h.Section), " "))
		for _, l := range h.Lines[:min(len(h.Lines), 2*tall)] {
			fmt.Fprintf(b, "%c%s\n", l.Op, l.Text)
		}
	}
}

// verdicts are the codes of one rule.
type verdicts struct{ right, wrong, unclear int }

// smellTally counts codes of smells by rule.
type smellTally struct {
	rules map[string]*verdicts
	seen  map[string]bool
}

func (t *smellTally) empty() bool { return len(t.rules) == 0 }

func (t *smellTally) add(f [6]string) error {
	id, number, rule, code := f[0], f[2], f[3], f[5]
	if !slices.ContainsFunc(smells.Rules(), func(r smells.Rule) bool { return r.ID == rule }) {
		return fmt.Errorf("there is no rule %q", rule)
	}
	key := id + "\t" + number + "\t" + rule
	if t.seen[key] {
		return fmt.Errorf("smell %s of %s of change %s occurs twice", number, rule, id)
	}
	t.seen[key] = true
	v := t.rules[rule]
	if v == nil {
		v = &verdicts{}
		t.rules[rule] = v
	}
	switch code {
	case "1":
		v.right++
	case "0":
		v.wrong++
	case "?":
		v.unclear++
	default:
		return fmt.Errorf("the code is %q, not 1, 0 or ?", cmp.Or(code, "missing"))
	}
	return nil
}

// print shows for each rule the share of its smells that were found right, with
// the 95% interval (Wilson). Those of which the reader could not tell are not right.
func (t *smellTally) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "rule\tdefault\tsmells\tright\tcannot tell\tright %\t")
	for _, r := range smells.Rules() {
		v := t.rules[r.ID]
		if v == nil {
			continue
		}
		n := v.right + v.wrong + v.unclear
		lo, hi := wilson(v.right, n)
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%.1f [%.1f, %.1f]\t\n", r.ID, map[bool]string{true: "on", false: "off"}[r.On],
			n, v.right, v.unclear, 100*float64(v.right)/float64(n), 100*lo, 100*hi)
	}
	return tw.Flush()
}
