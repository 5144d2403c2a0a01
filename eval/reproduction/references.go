package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/eval/agreement"
	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/sts"
)

// ownWords marks a metric with another list of stop words than the paper's.
const ownWords = "§"

// otherTexts are the systems whose published scores are of other texts than the labels:
// their means in Table 13 do not fit the texts of the data.
var otherTexts = []string{"codellama_13b", "llama3"}

// referenceMetric is a metric that compares a review with the human reference, and what
// the paper has for it; "none" where it has nothing.
type referenceMetric struct {
	name, spec string
	compat     bool      // a distance that the paper correlates as it is
	table2     [2]string // ρ and τ-b of the systems' order
	table3     [2]string // τ-b and ρ with rel
}

// referenceMetrics are the paper's, then those that other papers use.
func referenceMetrics() []referenceMetric {
	none := [2]string{"none", "none"}
	return []referenceMetric{
		{"BLEU", "codereviewer-bleu", false, [2]string{"−0.30", "−0.167"}, [2]string{"0.001", "−0.0001"}},
		{"BLEU without stop words" + ownWords, "codereviewer-bleu:stop=nltk", false, [2]string{"−0.15", "−0.056"}, [2]string{"0.0425", "0.0542"}},
		{"normalised edit distance, not turned", "edit-distance", true, [2]string{"0.167", "0.056"}, [2]string{"0.0193", "0.0249"}},
		{"ROUGE-L F", "rouge-l", false, [2]string{"0.483", "0.389"}, [2]string{"0.0757", "0.0989"}},
		{"chrF", "chrf", false, [2]string{"0.60", "0.444"}, [2]string{"0.1484", "0.1966"}},
		{"chrF++", "chrf++", false, [2]string{"0.80", "0.667"}, [2]string{"0.1555", "0.2057"}},
		{"sacreBLEU", "bleu", false, none, none},
		{"ROUGE-1 F", "rouge-1", false, none, none},
		{"METEOR without synonyms", "meteor-exact-stem", false, none, none},
		{"TER, turned", "ter", false, none, none},
		{"edit similarity", "edit-similarity", false, none, none},
		{"greedy matching, built-in vectors", "greedy-matching", false, none, none},
		{"embedding similarity, built-in encoder", "embedding-similarity", false, none, none},
		{"length of the review, a control", "length", false, none, none},
	}
}

// compared is a reference-based metric with its agreement.
type compared struct {
	referenceMetric
	signature string
	rows      []agreement.Row
	all       agreement.Coefficients // of rel
	systems   agreement.Coefficients // of the systems' mean rel
	without   agreement.Coefficients // of rel, without otherTexts
	means     map[string]float64     // by system, in the metric's own direction
}

// compareReferences scores the reviews with every reference-based metric.
func compareReferences(ctx context.Context, set *labelled, o agreement.Options) (out []compared, err error) {
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, encoder.Close()) }()
	for _, m := range referenceMetrics() {
		metric, err := refmetrics.New(m.spec, refmetrics.Needs{Encoder: encoder, Compat: m.compat})
		if err != nil {
			return nil, err
		}
		c := compared{referenceMetric: m, signature: metric.Signature}
		if c.rows, err = referenceRows(ctx, set, metric); err != nil {
			return nil, err
		}
		if err := c.measure(ctx, o); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// referenceRows scores the systems' reviews against the human reference of the change.
// Reviews without a reference have no score.
func referenceRows(ctx context.Context, set *labelled, metric refmetrics.Named) ([]agreement.Row, error) {
	sign := 1.0
	if metric.Turned {
		sign = -1
	}
	scores := map[agreement.ReviewID]*agreement.Scores{}
	for i := range set.records {
		rec := &set.records[i]
		refs, others := rec.Split(dataset.IsHumanReference)
		if len(refs) == 0 {
			continue
		}
		for _, at := range others {
			review := &rec.Reviews[at]
			v, err := metric.Score(ctx, review.Text, refs)
			if err != nil {
				return nil, fmt.Errorf("%s: change %s, review %s: %w", metric.Spec, rec.ID, review.ID, err)
			}
			scores[agreement.ReviewID{Change: rec.ID, Review: review.ID}] = &agreement.Scores{Con: math.NaN(), Comp: math.NaN(), Rel: sign * v}
		}
	}
	return set.rows(func(id agreement.ReviewID) *agreement.Scores { return scores[id] }), nil
}

// measure computes the agreement.
func (c *compared) measure(ctx context.Context, o agreement.Options) error {
	for _, part := range []struct {
		rows []agreement.Row
		to   *agreement.Coefficients
	}{
		{c.rows, &c.all},
		{slices.DeleteFunc(slices.Clone(c.rows), func(r agreement.Row) bool { return slices.Contains(otherTexts, r.Review) }), &c.without},
	} {
		for i := range part.rows { // one group: the page shows no languages and systems
			part.rows[i].Language = ""
		}
		table, err := agreement.Tabulate(ctx, part.rows, o)
		if err != nil {
			return err
		}
		*part.to = table.All.Rel
	}
	rank, err := agreement.Rank(ctx, c.rows, o)
	if err != nil {
		return err
	}
	c.systems, c.means = rank.Rel, map[string]float64{}
	for _, s := range rank.Systems {
		if v := s.Means.Rel.Metric.Value; v != nil {
			c.means[s.Name] = math.Abs(*v)
		}
	}
	return nil
}

// References2 is the order of the systems by the metrics that need a reference.
func (s *study) References2() string {
	var b strings.Builder
	for _, c := range s.references {
		b.WriteString(line(c.name, c.table2[0], c.table2[1], c.systems.Spearman.String(), c.systems.KendallTauB.String()))
	}
	return b.String()
}

// References3 is the agreement of the metrics that need a reference with rel.
func (s *study) References3() string {
	var b strings.Builder
	for _, c := range s.references {
		b.WriteString(line(c.name, c.table3[0], c.table3[1], c.all.KendallTauB.String(), c.all.Spearman.String(), c.without.Spearman.String()))
	}
	return b.String()
}

// table13 has the published means, by system, of the metrics in the order of its
// columns: BLEU, normalised edit distance, ROUGE-L F, chrF.
var table13 = map[string][4]string{
	"knn": {"0.036", "0.805", "0.069", "0.134"}, "lstm": {"0.047", "0.802", "0.102", "0.12"},
	"codereviewer": {"0.054", "0.811", "0.102", "0.116"}, "stable_code": {"0.042", "0.784", "0.091", "0.16"},
	"magicoder": {"0.035", "0.815", "0.101", "0.175"}, "deepseekcoder": {"0.045", "0.782", "0.112", "0.183"},
	"llama3": {"0.014", "0.898", "0.058", "0.14"}, "codellama_13b": {"0.025", "0.839", "0.079", "0.179"},
	"gpt3.5": {"0.037", "0.812", "0.1", "0.2"},
}

// Table13 has the published means of four metrics beside those of the data.
func (s *study) Table13() (string, error) {
	columns := []struct {
		spec string
		unit float64
	}{{"codereviewer-bleu", 100}, {"edit-distance", 1}, {"rouge-l", 1}, {"chrf", 100}}
	var b strings.Builder
	for _, system := range systems {
		paper, ok := table13[system.id]
		if !ok {
			continue
		}
		cells := []string{system.name}
		if slices.Contains(otherTexts, system.id) {
			cells[0] += "¶"
		}
		for i, column := range columns {
			at := slices.IndexFunc(s.references, func(c compared) bool { return c.spec == column.spec })
			if at < 0 {
				return "", fmt.Errorf("the metric %s is not computed", column.spec)
			}
			cells = append(cells, paper[i], fmt.Sprintf("%.3f", s.references[at].means[system.id]/column.unit))
		}
		b.WriteString(line(cells...))
	}
	return b.String(), nil
}

// EmptyReviews counts the empty reviews of CodeLlama-13B.
func (s *study) EmptyReviews() string {
	empty, all := 0, 0
	for i := range s.set.records {
		for _, review := range s.set.records[i].Reviews {
			if review.ID != otherTexts[0] {
				continue
			}
			if all++; strings.TrimSpace(review.Text) == "" {
				empty++
			}
		}
	}
	return fmt.Sprintf("%d of %d", empty, all)
}

// ReferenceSignatures has a line a metric.
func (s *study) ReferenceSignatures() string {
	var b strings.Builder
	for _, c := range s.references {
		fmt.Fprintf(&b, "- %s: `%s`\n", c.name, c.signature)
	}
	return b.String()
}
