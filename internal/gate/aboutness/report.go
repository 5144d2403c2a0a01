package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/internal/comments"
	"crscore/internal/gate"
	"crscore/sts/aboutness"
)

// policy is a rule that drops comments.
type policy struct {
	name  string
	drops func(c *comment) bool
}

func policies() []policy {
	of := func(topics ...gate.Topic) func(c *comment) bool {
		return func(c *comment) bool { return slices.Contains(topics, c.topic) }
	}
	return []policy{
		{"`elsewhere,empty`", of(gate.TopicElsewhere, gate.TopicEmpty)},
		{"`elsewhere,empty,vague`", of(gate.TopicElsewhere, gate.TopicEmpty, gate.TopicVague)},
		{"`--min-con 0.15`", func(c *comment) bool { return c.con < 0.15 || c.topic == gate.TopicEmpty }},
	}
}

// rows are the groups of the first table.
func rows() []struct {
	name string
	in   func(c *comment) bool
} {
	group := func(g string) func(c *comment) bool { return func(c *comment) bool { return c.group == g } }
	label := func(g string, low, high float64) func(c *comment) bool {
		return func(c *comment) bool { return c.group == g && c.label >= low && c.label <= high }
	}
	return []struct {
		name string
		in   func(c *comment) bool
	}{
		{"AACR-Bench, valid", group(valid)},
		{"AACR-Bench, invalid", group(invalid)},
		{"the same comments at another hunk of the file", group(hunk)},
		{"at another file of the pull request", group(file)},
		{"at another pull request of the repository", group(pull)},
		{"at another repository, same language", group(repo)},
		{"remarks, seen", group(remark)},
		{"remarks, kept apart", group(remarkApart)},
		{"CRScore, Con 4–5", label(rated, 4, 5)},
		{"CRScore, Con 1", label(rated, 1, 1)},
		{"ClearCRC, relevant", label(judged, 1, 1)},
		{"ClearCRC, irrelevant", label(judged, 0, 0)},
	}
}

// report writes the tables.
func (s *study) report(ctx context.Context, out io.Writer, b resample.Bootstrap) error {
	header, rule := "| dropped | comments |", "| --- | --: |"
	for _, p := range policies() {
		header, rule = header+" "+p.name+" |", rule+" --: |"
	}
	fmt.Fprintf(out, "%s\n%s\n", header, rule)
	for _, row := range rows() {
		list := s.scored(row.in)
		if len(list) == 0 {
			continue
		}
		line := fmt.Sprintf("| %s | %d |", row.name, len(list))
		for _, p := range policies() {
			e, err := share(list, b, p.drops)
			if err != nil {
				return err
			}
			line += " " + percent(e) + " |"
		}
		fmt.Fprintln(out, line)
	}
	fmt.Fprintf(out, "\n%d comments have no score and are left out.\n\n", len(s.comments)-len(s.scored(func(*comment) bool { return true })))
	if err := s.separation(ctx, out, b); err != nil {
		return err
	}
	s.folds(out)
	return s.repeated(ctx, out)
}

// scored are the comments of a group that have a score, by cluster.
func (s *study) scored(in func(c *comment) bool) (out []*comment) {
	for i := range s.comments {
		if c := &s.comments[i]; c.topic != "" && in(c) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *comment) int { return cmp.Compare(a.cluster, b.cluster) })
	return out
}

// share is the share of comments, by cluster, with a property.
func share(list []*comment, b resample.Bootstrap, has func(c *comment) bool) (resample.Estimate, error) {
	stream, means := resample.Stream{Bootstrap: b}, resample.Means{}
	for _, c := range list {
		weights, err := stream.Weights(c.cluster)
		if err != nil {
			return resample.Estimate{}, err
		}
		v := 0.0
		if has(c) {
			v = 1
		}
		means.Add(c.cluster, weights, v)
	}
	return means.Estimates()[0], nil
}

// percent is a share with its interval.
func percent(e resample.Estimate) string {
	s := fmt.Sprintf("%.0f%%", 100**e.Value)
	if e.Interval != nil {
		s += fmt.Sprintf(" [%.0f, %.0f]", 100*e.Interval[0], 100*e.Interval[1])
	}
	return s
}

// separation writes how well Con and z tell comments at their own hunk from the same at others.
func (s *study) separation(ctx context.Context, out io.Writer, b resample.Bootstrap) error {
	fmt.Fprintln(out, "| ROC-AUC of valid comments against | Con | z |\n| --- | --: | --: |")
	for _, g := range []string{hunk, file, pull, repo, remarkApart, invalid} {
		list := s.scored(func(c *comment) bool { return c.group == valid || c.group == g })
		cluster, n := resample.Clusters(list, func(c *comment) string { return c.cluster })
		labels, con, z := make([]bool, len(list)), make([]float64, len(list)), make([]float64, len(list))
		for i, c := range list {
			labels[i], con[i], z[i] = c.group == valid, c.con, c.z
		}
		estimates, err := b.Estimates(ctx, n, 2, func() func([]int32, []float64) {
			ofCon, ofZ := agreement.DrawnROCAUC(con, labels, cluster), agreement.DrawnROCAUC(z, labels, cluster)
			return func(drawn []int32, to []float64) {
				to[0], to[1] = ofCon(drawn), ofZ(drawn)
			}
		}, func(int) string { return "one group is empty" })
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", g, estimates[0], estimates[1])
	}
	fmt.Fprintln(out)
	return nil
}

// folds writes the weights that the comments of all other repositories give, and what they drop.
func (s *study) folds(out io.Writer) {
	list := s.scored(func(c *comment) bool { return slices.Contains([]string{valid, invalid, pull, repo}, c.group) })
	var sources []string
	for _, c := range list {
		if !slices.Contains(sources, c.source) {
			sources = append(sources, c.source)
		}
	}
	slices.Sort(sources)
	dropped, all := map[string]float64{}, map[string]float64{}
	var weights []string
	const folds = 5
	for k := range folds {
		fold := func(source string) bool { return slices.Index(sources, source)%folds == k }
		var p aboutness.Parameters
		s.weights(&p, func(source string) bool { return !fold(source) })
		weights = append(weights, fmt.Sprintf("%.2f %.2f %.2f %.2f", p.Bias, p.L, p.E, p.Missing))
		for _, c := range list {
			if fold(c.source) {
				all[c.group]++
				if z := p.Bias + p.L*c.l + p.E*c.e + p.Missing*c.absent; z < gate.ElsewhereZ {
					dropped[c.group]++
				}
			}
		}
	}
	fmt.Fprintf(out, "In %d folds by repository, with weights (bias, L, E, missing) of the other repositories (%s), elsewhere are", folds, strings.Join(weights, "; "))
	for _, g := range []string{valid, invalid, pull, repo} {
		fmt.Fprintf(out, " %s %.0f%%", g, 100*dropped[g]/all[g])
	}
	fmt.Fprintln(out, ".")
}

// repeated writes how many valid comments --drop repeated drops, each pull request judged whole.
func (s *study) repeated(ctx context.Context, out io.Writer) error {
	e, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	at := make([][]comments.Comment, len(s.changes))
	for _, c := range s.scored(func(c *comment) bool { return c.group == valid }) {
		at[c.change] = append(at[c.change], c.at)
	}
	dropped, all := 0, 0
	for i, list := range at {
		if len(list) == 0 {
			continue
		}
		d, err := gate.Judge(ctx, e, crscore.Input{Change: s.changes[i]}, list, gate.Policy{Drop: []gate.Drop{gate.DropRepeated}})
		if err != nil {
			return err
		}
		for k := range d.Comments {
			if all++; !d.Comments[k].Kept {
				dropped++
			}
		}
	}
	fmt.Fprintf(out, "`--drop repeated` drops %d of the %d valid comments.\n", dropped, all)
	return nil
}
