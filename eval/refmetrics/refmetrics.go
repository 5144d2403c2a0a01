// Package refmetrics scores a review against reviews that people wrote for the same
// change: BLEU, ROUGE, METEOR, chrF, TER, edit distance, exact match, BERTScore and their
// kin, a file a metric, each as its source defines it. The metrics see two texts and no
// change; what they are compared with is the rest of crscore.
//
// The package reads no files and knows no datasets.
package refmetrics

import (
	"context"
	"fmt"
	"strings"

	"crscore/internal/spelling"
	"crscore/sts"
)

// Metric scores a text, the hypothesis, against one or more references. Its methods may be
// called by many goroutines at once.
type Metric interface {
	// Score returns a finite number from Info.Min to Info.Max. The error says why there is no score.
	Score(ctx context.Context, hypothesis string, references []string) (float64, error)
}

// CorpusMetric is a Metric whose value for many pairs is not the mean of their scores.
type CorpusMetric interface {
	Metric
	// NewCorpus starts a corpus without any pair.
	NewCorpus() Corpus
}

// Corpus adds up pairs. It is not safe for use by many goroutines.
type Corpus interface {
	// Add takes a pair.
	Add(hypothesis string, references []string) error
	// Score returns the score of all pairs, in the range of the metric.
	Score() float64
}

// Observer is a Metric that must see the references of all pairs before the first score.
type Observer interface {
	Metric
	// Observe takes the references of a pair. Nothing else is called meanwhile.
	Observe(references []string)
}

// reader is a Metric that does not see every text. Where it sees nothing of a text that says
// something, it has no score: 0 would say that the texts differ.
type reader interface {
	// sees reports whether the metric finds anything in a text.
	sees(ctx context.Context, text string) (bool, error)
}

// unseen marks, in a signature, that a text in which a reader sees nothing is unscored.
func (o *options) unseen(n Needs) {
	if !n.Compat {
		o.note("unseen", "unscored")
	}
}

// Info describes a metric.
type Info struct {
	// Name is the name without options: lower-case letters, digits, + and -.
	Name string
	// About says in a phrase what the metric measures.
	About string
	// Source is the definition: the paper, and the program that the numbers agree with.
	Source string
	// Min is the smallest score: 0, and less for scores that are rescaled.
	Min float64
	// Max is the largest score; +Inf for counts and error rates.
	Max float64
	// LowerIsBetter marks distances and error rates.
	LowerIsBetter bool
	// Encoder says that the metric needs Needs.Encoder.
	Encoder bool
	// Control marks what is no metric but shows what a metric must beat.
	Control bool

	build func(o *options, n Needs) (Metric, error)
	// unturned marks a distance that the literature correlates as if more of it were better.
	unturned bool
	// fits says why an encoder is of the wrong kind; nil where each is good.
	fits func(*sts.ModelEncoder) error
}

// refuse says why the metric cannot be made with an encoder.
func (i Info) refuse(e *sts.ModelEncoder) error {
	switch {
	case !i.Encoder:
		return nil
	case e == nil:
		return fmt.Errorf("the metric %s needs an encoder", i.Name)
	case i.fits != nil:
		return i.fits(e)
	}
	return nil
}

// rescaled is a Metric whose smallest score depends on its options.
type rescaled interface{ min() float64 }

// Needs has what metrics take from outside.
type Needs struct {
	// Encoder makes vectors of texts and of their tokens; nil where only metrics without
	// an encoder are wanted.
	Encoder *sts.ModelEncoder
	// StopWords are the words that "codereviewer-bleu:stop=given" leaves out, such as the 592 of
	// CodeReviewer's evaluator.
	StopWords []string
	// Compat asks for the habits of the literature's code, faults included, where a metric
	// knows some.
	Compat bool
}

// Named is a metric that was asked for.
type Named struct {
	Metric
	// Info describes the metric.
	Info Info
	// Spec is the name with the options as they were given: "bleu:tok=intl". It names the
	// scores in rows.
	Spec string
	// Signature names everything that shapes the score, without blanks:
	// "bleu|tok:13a|smooth:exp|eff:yes|case:mixed".
	Signature string
	// Turned says that lower scores are better here: Info.LowerIsBetter, but for a distance that
	// Needs.Compat takes as the literature does.
	Turned bool

	compat bool
}

// Score implements Metric. A text that is not blank but has no token for the metric, such as Chinese
// for ROUGE, is an error, unless Needs.Compat is set; so are references that all have none.
func (m Named) Score(ctx context.Context, hypothesis string, references []string) (float64, error) {
	v, err := m.Metric.Score(ctx, hypothesis, references)
	sighted, ok := m.Metric.(reader)
	if err != nil || !ok || m.compat || v > m.Info.Min {
		return v, err
	}
	for i, side := range [][]string{{hypothesis}, references} {
		seen := len(side) == 0
		for _, text := range side {
			some, err := sighted.sees(ctx, text)
			if err != nil {
				return 0, err
			}
			seen = seen || some || strings.TrimFunc(text, isSpace) == ""
		}
		if !seen {
			return 0, fmt.Errorf("%s finds no token in the %s", m.Info.Name, [...]string{"review", "reference"}[i])
		}
	}
	return v, nil
}

// New makes the metric of a spec: a name and its options, NAME[:OPTION=VALUE]…, such as
// "chrf" or "bleu:tok=intl:smooth=floor".
func New(spec string, n Needs) (Named, error) {
	name, rest, _ := strings.Cut(spec, ":")
	info, ok := lookup(name)
	if !ok {
		hint := ""
		if near := spelling.Nearest(name, Names()); near != "" {
			hint = "did you mean " + near + "? "
		}
		return Named{}, fmt.Errorf("there is no metric %q: %schoose from %s", name, hint, strings.Join(Names(), ", "))
	}
	if err := info.refuse(n.Encoder); err != nil {
		return Named{}, err
	}
	o, err := parseOptions(rest)
	if err != nil {
		return Named{}, fmt.Errorf("metric %s: %w", spec, err)
	}
	m, err := info.build(o, n)
	if err == nil {
		err = o.finish()
	}
	if err != nil {
		return Named{}, fmt.Errorf("metric %s: %w", spec, err)
	}
	if r, ok := m.(rescaled); ok {
		info.Min = r.min()
	}
	out := Named{Metric: m, Info: info, Spec: spec, Signature: name + o.signature(), compat: n.Compat}
	if out.Turned = info.LowerIsBetter && !(n.Compat && info.unturned); out.Turned {
		out.Signature += "|better:lower"
	}
	return out, nil
}

// NeedEncoder reports whether metrics of a list, as Parse reads it, need an encoder.
func NeedEncoder(list string) bool {
	for _, spec := range strings.Split(list, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(spec), ":")
		for _, info := range Metrics() {
			if info.Encoder && (name == info.Name || name == "all") {
				return true
			}
		}
	}
	return false
}

// Options returns the options of the metric, in the form NAME=VALUE|VALUE with the usual
// value first; nothing where the metric needs an encoder and n has none.
func (i Info) Options(n Needs) []string {
	o := &options{}
	if !i.Encoder || n.Encoder != nil {
		_, _ = i.build(o, n) // no option is given, so that an error is of the encoder
	}
	return o.known
}

// Parse makes the metrics of a list of specs, joined by commas. "all" stands for every
// metric with its usual options, in the order of Metrics, without those that need another
// encoder than n has. A metric that is named twice is an error.
func Parse(list string, n Needs) ([]Named, error) {
	var specs []string
	for _, spec := range strings.Split(list, ",") {
		if spec = strings.TrimSpace(spec); spec == "all" {
			for _, info := range Metrics() {
				if info.refuse(n.Encoder) == nil {
					specs = append(specs, info.Name)
				}
			}
			continue
		}
		specs = append(specs, spec)
	}
	var out []Named
	seen := map[string]bool{}
	for _, spec := range specs {
		if seen[spec] {
			return nil, fmt.Errorf("the metric %s is named twice", spec)
		}
		seen[spec] = true
		m, err := New(spec, n)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// best returns the best score over the references.
func best(info Info, references []string, score func(reference string) (float64, error)) (float64, error) {
	var out float64
	for i, ref := range references {
		v, err := score(ref)
		if err != nil {
			return 0, err
		}
		if i == 0 || (v < out) == info.LowerIsBetter && v != out {
			out = v
		}
	}
	return out, nil
}
