package refmetrics

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strings"

	"crscore/score"
	"crscore/sts"
)

// Pair is a review with the references of its change.
type Pair struct {
	// Hypothesis is the review.
	Hypothesis string
	// References are the references of the change. A pair without any is unscored.
	References []string
	// Values has the score by each metric, in the order of the metrics; Set.Score sets it.
	Values []Value
}

// Value is the score of a pair by a metric.
type Value struct {
	// Score is in the range of the metric.
	Score float64
	// Err says why there is no score; nil where there is one.
	Err error
}

// Set are metrics that score the same pairs.
type Set struct {
	// Metrics are the metrics, in the order of the values.
	Metrics []Named
	// Corpus asks for the scores of whole systems. Metrics that have their own then score no
	// single pairs.
	Corpus bool
}

// Signature names everything that shapes the scores of pairs. The references are the ids of the
// reviews that the others are compared with. raw says that machine-made parts were not cut from
// the texts (see sts.Written).
func (s Set) Signature(references []string, compat, raw bool) score.Signature {
	ids := make([]string, len(references))
	for i, id := range references {
		ids[i] = url.PathEscape(id) // a signature has blanks between its parts only
	}
	out := score.Signature{{Name: "references", Value: strings.Join(ids, ",")}}
	add := func(name, value string) { out = append(out, score.Field{Name: name, Value: value}) }
	if compat {
		add("compat", "yes")
	} else {
		add("written", sts.WrittenSignature(raw))
	}
	for _, m := range s.Metrics {
		add(m.Spec, m.Signature)
	}
	return append(out, sts.SignArch()...)
}

// SetOf are the metrics of a Signature: their names and signatures, not what computes them.
func SetOf(s score.Signature) (out Set) {
	begun := false
	for _, f := range s {
		if begun && f.Name != "arch" {
			m := Named{Spec: f.Name, Signature: f.Value}
			head, _, _ := strings.Cut(f.Value, "|")
			if i := strings.LastIndexByte(head, '='); i >= 0 { // read from the text of an earlier version
				m.Spec, m.Signature = f.Name+"="+f.Value[:i], f.Value[i+1:]
			}
			out.Metrics = append(out.Metrics, m)
		}
		begun = begun || f.Name == "compat" || f.Name == "written"
	}
	return out
}

// Observers are the metrics that must see all references before the first score. Each is an
// Observer.
func (s Set) Observers() (out []Named) {
	for _, m := range s.Metrics {
		if _, ok := m.Metric.(Observer); ok {
			out = append(out, m)
		}
	}
	return out
}

// Whole returns the metric at place i as a CorpusMetric, if it is asked for corpora and has
// scores of them.
func (s Set) Whole(i int) (CorpusMetric, bool) {
	m, ok := s.Metrics[i].Metric.(CorpusMetric)
	return m, ok && s.Corpus
}

// Score scores a pair by each metric. It returns only errors of ctx.
func (s Set) Score(ctx context.Context, p *Pair) error {
	p.Values = make([]Value, len(s.Metrics))
	for i, m := range s.Metrics {
		if _, ok := s.Whole(i); ok {
			continue
		}
		v, err := m.Score(ctx, p.Hypothesis, p.References)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			err = fmt.Errorf("the score is %g, which is no number", v)
		}
		p.Values[i] = Value{v, err}
	}
	return nil
}
