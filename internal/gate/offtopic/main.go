// Command offtopic measures what gate drops as off-topic at each bound of Con, on reviews
// that people labelled:
//
//	go run ./internal/gate/offtopic --data dev.jsonl
//
// It prints the share of dropped comments by human label of Con, with 95% intervals of a
// bootstrap over changes, for whole comments, comments of one sentence and single
// sentences. The last line names the lowest bound that is as good as the best one: that is
// gate.DefaultMinCon. docs/bots.md holds the first table, and a test keeps it true.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"crscore"
	"crscore/eval/evidence"
	"crscore/eval/resample"
	"crscore/internal/comments"
	"crscore/internal/dataset"
	"crscore/internal/gate"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "offtopic:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("offtopic", flag.ContinueOnError)
	data := flags.String("data", "", "changes with labelled reviews, a `file` in JSON Lines")
	resamples := flags.Int("resamples", resample.DefaultResamples, "draws of changes for the intervals")
	show := flags.Bool("show", false, "list the comments and sentences that are nothing but praise or remarks about the process")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *data == "" || flags.NArg() > 0 {
		return errors.New("usage: offtopic --data FILE [--resamples N] [--show]")
	}
	s, err := judge(ctx, *data)
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	if *show {
		for _, c := range append(s.comments, s.sentences...) {
			if c.remark != "" {
				fmt.Fprintf(out, "%v\t%s\t%s\n", c.label, c.remark, strings.Join(strings.Fields(c.text), " "))
			}
		}
		return nil
	}
	return s.write(ctx, out, resample.Bootstrap{Resamples: *resamples, Seed: 1})
}

// comment is what gate found about a labelled comment, or a sentence of it.
type comment struct {
	change    string
	text      string
	label     float64 // of the whole comment
	con       float64
	sentences int
	remark    gate.RemarkKind
}

// study holds the labelled comments. Those without a sentence are only counted: gate drops
// them at every bound.
type study struct {
	comments, sentences []comment
	empty               int
}

// judge has gate judge every labelled review of a system as one comment on the change, and
// every sentence of it as another.
func judge(ctx context.Context, file string) (*study, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s := &study{}
	for r := dataset.NewReader(f); ; {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		if err := s.add(ctx, e, &rec); err != nil {
			return nil, fmt.Errorf("change %s: %w", rec.ID, err)
		}
	}
}

func (s *study) add(ctx context.Context, e *crscore.Engine, rec *dataset.Record) error {
	in, err := evidence.Input(rec)
	if err != nil {
		return err
	}
	var texts []string
	var labels []float64
	for _, review := range rec.Reviews {
		if review.Human != nil && review.Err == nil && review.ID != "msg" {
			texts, labels = append(texts, review.Text), append(labels, review.Human.Con)
		}
	}
	verdicts, err := verdictsOn(ctx, e, in, texts)
	if err != nil {
		return err
	}
	var sentences []string
	var of []float64
	for i, v := range verdicts {
		if v.Sentences == 0 {
			s.empty++
			continue
		}
		s.comments = append(s.comments, newComment(rec, v, labels[i]))
		for _, a := range v.About {
			sentences, of = append(sentences, a.Sentence), append(of, labels[i])
		}
	}
	if verdicts, err = verdictsOn(ctx, e, in, sentences); err != nil {
		return err
	}
	for i, v := range verdicts {
		s.sentences = append(s.sentences, newComment(rec, v, of[i]))
	}
	return nil
}

func newComment(rec *dataset.Record, v gate.Verdict, label float64) comment {
	return comment{change: rec.ID, text: v.Body, label: label, con: *v.Con, sentences: v.Sentences, remark: v.OffTopic}
}

// verdictsOn are gate's verdicts on texts as comments on the whole change.
func verdictsOn(ctx context.Context, e *crscore.Engine, in crscore.Input, texts []string) ([]gate.Verdict, error) {
	list := make([]comments.Comment, len(texts))
	for i, text := range texts {
		list[i] = comments.Comment{Body: text, Side: comments.New}
	}
	d, err := gate.Judge(ctx, e, in, list, gate.Policy{})
	if err != nil {
		return nil, err
	}
	if d.Outcome == gate.Undecided {
		return nil, errors.New(strings.Join(d.Reasons, "; "))
	}
	return d.Comments, nil
}

// group is a range of labels.
type group struct {
	name      string
	low, high float64
}

// The labels to tell apart come first and last.
var groups = []group{{"1", 1, 1}, {"2", 2, 2}, {"3", 3, 3}, {"4–5", 4, 5}}

// remarksOnly is the bound of a policy that drops remarks and nothing else.
const remarksOnly = -1

// bounds are the bounds to measure; at 0 comments without a sentence on topic are dropped.
var bounds = []float64{remarksOnly, 0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6}

// drops reports whether gate drops a comment at a bound.
func (c comment) drops(bound float64) bool {
	return c.remark != "" || bound != remarksOnly && (c.con == 0 || c.con < bound)
}

// measured are the shares of comments dropped at a bound.
type measured struct {
	bound  float64
	shares []resample.Estimate // by group
	// separation is the share of the first group less that of the last (Youden's J), and
	// behind how much less it is than the best bound's.
	separation, behind resample.Estimate
}

// measure computes the shares at every bound with intervals.
func measure(ctx context.Context, list []comment, draws resample.Bootstrap) ([]measured, error) {
	clusters, n := resample.Clusters(list, func(c comment) string { return c.change })
	values := len(bounds) * (len(groups) + 1)
	compute := func(drawn []int32, out []float64) {
		dropped, all := make([]float64, len(bounds)*len(groups)), make([]float64, len(groups))
		for i, c := range list {
			for g, group := range groups {
				if c.label < group.low || c.label > group.high {
					continue
				}
				times := float64(drawn[clusters[i]])
				all[g] += times
				for b, bound := range bounds {
					if c.drops(bound) {
						dropped[b*len(groups)+g] += times
					}
				}
			}
		}
		for b := range bounds {
			row := out[b*(len(groups)+1):][:len(groups)+1]
			for g := range groups {
				row[g] = dropped[b*len(groups)+g] / all[g]
			}
			row[len(groups)] = row[0] - row[len(groups)-1]
		}
	}
	once := make([]int32, n)
	for i := range once {
		once[i] = 1
	}
	exact := make([]float64, values)
	compute(once, exact)
	samples, err := draws.Draw(ctx, n, values, func() func([]int32, []float64) { return compute })
	if err != nil {
		return nil, err
	}
	estimate := func(value float64, samples []float64) resample.Estimate {
		if math.IsNaN(value) {
			return resample.None("no comment has such a label")
		}
		e := resample.MeanOf(value, "")
		e.SetInterval(samples, n)
		return e
	}
	column := func(b int) int { return b*(len(groups)+1) + len(groups) }
	best := 0
	for b := range bounds {
		if exact[column(b)] > exact[column(best)] {
			best = b
		}
	}
	out := make([]measured, len(bounds))
	for b, bound := range bounds {
		m := &out[b]
		m.bound = bound
		for g := range groups {
			k := b*(len(groups)+1) + g
			m.shares = append(m.shares, estimate(exact[k], samples[k]))
		}
		m.separation = estimate(exact[column(b)], samples[column(b)])
		behind := make([]float64, len(samples[0]))
		for i := range behind {
			behind[i] = samples[column(b)][i] - samples[column(best)][i]
		}
		m.behind = estimate(exact[column(b)]-exact[column(best)], behind)
	}
	return out, nil
}

// choose is the lowest bound whose separation is not below the best by more than chance: a
// dropped good comment is lost, a kept bad comment is only noise.
func choose(list []measured) (float64, bool) {
	for _, m := range list {
		if i := m.behind.Interval; i != nil && i[1] >= 0 {
			return m.bound, true
		}
	}
	return 0, false
}

func (s *study) write(ctx context.Context, out io.Writer, draws resample.Bootstrap) error {
	var single []comment
	for _, c := range s.comments {
		if c.sentences == 1 {
			single = append(single, c)
		}
	}
	all, err := table(ctx, out, "Comments", s.comments, draws)
	if err != nil {
		return err
	}
	if _, err := table(ctx, out, "Comments of one sentence", single, draws); err != nil {
		return err
	}
	if _, err := table(ctx, out, "Sentences, with the label of their comment", s.sentences, draws); err != nil {
		return err
	}
	bound, ok := choose(all)
	if !ok {
		return errors.New("too few changes to choose a bound")
	}
	_, err = fmt.Fprintf(out, "%d comments without a sentence are left out. The lowest bound that separates labels 1 and 4–5 as well as the best one: %v\n", s.empty, bound)
	return err
}

// table writes the shares of a list as a table in Markdown.
func table(ctx context.Context, out io.Writer, title string, list []comment, draws resample.Bootstrap) ([]measured, error) {
	rows, err := measure(ctx, list, draws)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n| dropped |", title)
	for _, g := range groups {
		n := 0
		for _, c := range list {
			if c.label >= g.low && c.label <= g.high {
				n++
			}
		}
		fmt.Fprintf(&b, " label %s (%d) |", g.name, n)
	}
	b.WriteString(" label 1 − 4–5 |\n| --- |" + strings.Repeat(" ---: |", len(groups)+1) + "\n")
	for _, m := range rows {
		name := fmt.Sprintf("below %v", m.bound)
		switch m.bound {
		case remarksOnly:
			name = "only praise or process"
		case 0:
			name = "Con 0"
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, e := range m.shares {
			b.WriteString(" " + percent(e) + " |")
		}
		b.WriteString(" " + percent(m.separation) + " |\n")
	}
	_, err = fmt.Fprintln(out, b.String())
	return rows, err
}

// percent is a share with its interval.
func percent(e resample.Estimate) string {
	if e.Value == nil {
		return "–"
	}
	s := fmt.Sprintf("%.0f%%", 100**e.Value)
	if e.Interval != nil {
		s += fmt.Sprintf(" [%.0f, %.0f]", 100*e.Interval[0], 100*e.Interval[1])
	}
	return s
}
