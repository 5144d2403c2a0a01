package sts

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"crscore/sts/internal/limits"
)

// Code is the text of a change's diff by lines, without the signs.
type Code struct {
	// Added and Removed are the lines that the change adds and removes. Kept are the lines
	// around them.
	Added, Removed, Kept []string
}

// Comparison is what a similarity finds between sentences and the references of a change.
type Comparison struct {
	// Sim[i][j] is the similarity in [0,1] of sentence i and reference j.
	Sim [][]float32
	// Why says in a sentence which evidence shaped Sim[i][j]. It measures sentence i anew
	// against all references. It is safe for concurrent use. nil means that the similarity
	// does not say.
	Why func(i, j int) string
}

// ChangeSimilarity is a Similarity that reads the change beside the two texts.
type ChangeSimilarity interface {
	Similarity
	// Compare compares every sentence with every reference of the change. The value of a pair
	// depends on the two texts, the references and the diff, but not on other sentences. code
	// is nil where the diff is not at hand.
	Compare(ctx context.Context, code *Code, sentences, refs []string) (Comparison, error)
}

// Pair is a similarity that is learnt from pairs which people linked: the probability that
// a sentence is about a reference, by logistic regression over features of the sentence,
// the reference, the change's other references and the diff. It has two models: one with
// the features of the diff, and one for texts without a diff.
//
//	s = σ(bias + Σ weight·feature) · stated · (1 - 0.8·r·t if negated) · (0 for a remark about the scope)
//
// The factors are not learnt. People do not write the reviews that they are against: lists
// of names, and claims turned into their opposite. stated is as in Evidence, but a sentence may
// end with a comma. r and t are the shares of the reference's and of the sentence's words that
// the other has, by idf; negated is a sentence with a negation, beside a reference without.
//
// builtin/README.md is the model's card.
type Pair struct {
	hybrid   *Hybrid
	diff     pairModel // with the features of the diff
	text     pairModel // without
	checksum string
	actions  map[string]uint32
	scope    scopeRemarks
}

var _ ChangeSimilarity = (*Pair)(nil)

// pairModel is a logistic regression.
type pairModel struct {
	bias    float64
	weights [pairFeatures]float64
	means   [pairFeatures]float64 // in training
}

// PairModel is a logistic regression as a model file has it.
type PairModel struct {
	// Bias is the log-odds of a pair whose features are all 0.
	Bias float64 `json:"bias"`
	// Features are the features that count.
	Features []PairWeight `json:"features"`
}

// PairWeight is the weight of a feature.
type PairWeight struct {
	// Name is one of PairFeatureNames.
	Name string `json:"name"`
	// Weight is what a unit of the feature adds to the log-odds.
	Weight float64 `json:"weight"`
	// Mean is the feature's mean over the pairs of the training. It only shapes explanations.
	Mean float64 `json:"mean"`
}

// PairModels are the two models of a Pair, as a file in JSON has them.
type PairModels struct {
	// Encoder is the signature of the encoder that the models were trained with, without
	// backend and processor, and Words that of the lexicon.
	Encoder string `json:"encoder"`
	Words   string `json:"words"`
	// Data says what the models were trained on: files with their checksums.
	Data []string `json:"data"`
	// Diff counts features of the diff, Text does not.
	Diff PairModel `json:"diff"`
	Text PairModel `json:"text"`
}

// ParsePairModels reads a file of models. The error names an unknown feature, a feature that
// occurs twice or needs a diff in Text, and a number that is not finite.
func ParsePairModels(file []byte) (PairModels, error) {
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	var m PairModels
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("reading the models of the pair similarity: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return m, errors.New("reading the models of the pair similarity: there is more behind them")
	}
	for _, one := range []struct {
		name  string
		model PairModel
	}{{"diff", m.Diff}, {"text", m.Text}} {
		if _, err := one.model.compile(one.name == "text"); err != nil {
			return m, fmt.Errorf("the model %s of the pair similarity: %w", one.name, err)
		}
	}
	return m, nil
}

// Scorer returns the function that a model is: from evidence to a similarity in [0,1].
func (m PairModel) Scorer() (func(*PairEvidence) float32, error) {
	compiled, err := m.compile(false)
	if err != nil {
		return nil, err
	}
	return compiled.similarity, nil
}

func (m PairModel) compile(textOnly bool) (out pairModel, err error) {
	out.bias = m.Bias
	if len(m.Features) == 0 {
		return out, errors.New("it has no features")
	}
	if !inRange(m.Bias) {
		return out, fmt.Errorf("its bias is %v, not from -%d to %[2]d", m.Bias, limits.PairWeight)
	}
	names := PairFeatureNames()
	seen := make(map[string]bool)
	for _, f := range m.Features {
		at := slices.Index(names, f.Name)
		switch {
		case at < 0:
			return out, fmt.Errorf("unknown feature %q", f.Name)
		case seen[f.Name]:
			return out, fmt.Errorf("the feature %s occurs twice", f.Name)
		case textOnly && at >= firstOfDiff:
			return out, fmt.Errorf("the feature %s needs a diff", f.Name)
		}
		seen[f.Name] = true
		out.weights[at], out.means[at] = f.Weight, f.Mean
		if !inRange(f.Weight) || !inRange(f.Mean) {
			return out, fmt.Errorf("the feature %s has the weight %v and the mean %v: not both are from -%d to %[4]d",
				f.Name, f.Weight, f.Mean, limits.PairWeight)
		}
	}
	return out, nil
}

func inRange(v float64) bool { return math.Abs(v) <= limits.PairWeight }

// PairEncoder is an encoder's signature as PairModels has it: the backend and the processor
// change no more than the last digits.
func PairEncoder(e Encoder) string { return e.Signature().Portable().String() }

// NewPairEvidence makes a pair similarity without models, for training: it has Evidence, and
// every similarity is 0.
func NewPairEvidence(encoder Encoder, lexicon *Lexicon) (*Pair, error) {
	hybrid, err := NewHybrid(encoder, lexicon, DefaultHybridWeights())
	if err != nil {
		return nil, err
	}
	return &Pair{hybrid: hybrid, actions: actionsByStem(), scope: newScopeRemarks()}, nil
}

// NewPair makes a pair similarity. file is the JSON of its models (see PairModels), which
// were trained with this encoder and lexicon.
func NewPair(encoder Encoder, lexicon *Lexicon, file []byte) (*Pair, error) {
	p, err := NewPairEvidence(encoder, lexicon)
	if err != nil {
		return nil, err
	}
	models, err := ParsePairModels(file)
	if err != nil {
		return nil, err
	}
	if made := PairEncoder(encoder); models.Encoder != made || models.Words != lexicon.Signature() {
		return nil, fmt.Errorf("the models of the pair similarity were trained with %s and %s, not with %s and %s: choose the similarity %s",
			models.Encoder, models.Words, made, lexicon.Signature(), SimilarityHybrid)
	}
	p.checksum = fmt.Sprintf("%x", sha256.Sum256(file))[:12]
	if p.diff, err = models.Diff.compile(false); err != nil {
		return nil, err
	}
	if p.text, err = models.Text.compile(true); err != nil {
		return nil, err
	}
	return p, nil
}

// Hybrid is the similarity whose evidence p reads.
func (p *Pair) Hybrid() *Hybrid { return p.hybrid }

// Signature implements Similarity.
func (p *Pair) Signature() Signature {
	return p.hybrid.dense.Encoder.Signature().under(fmt.Sprintf("pair/1(pairs@sha256:%s;%s)", p.checksum, p.hybrid.lexicon.Signature()))
}

// Truncated counts the texts that the encoder has cut, where it counts them.
func (p *Pair) Truncated() uint64 { return p.hybrid.Truncated() }

// Matrix implements Similarity: Compare without a diff.
func (p *Pair) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	c, err := p.Compare(ctx, nil, sentences, refs)
	return c.Sim, err
}

// Compare implements ChangeSimilarity.
func (p *Pair) Compare(ctx context.Context, code *Code, sentences, refs []string) (Comparison, error) {
	r, err := newPairReader(ctx, p, code, sentences, refs)
	if err != nil {
		return Comparison{}, err
	}
	row := make([]PairEvidence, len(refs))
	values := make([]float32, len(sentences)*len(refs))
	sim := make([][]float32, len(sentences))
	model := p.model(code)
	for i := range sentences {
		if err := ctx.Err(); err != nil {
			return Comparison{}, err
		}
		sim[i], values = values[:len(refs):len(refs)], values[len(refs):]
		r.row(i, row)
		for j := range row {
			sim[i][j] = model.similarity(&row[j])
		}
	}
	return Comparison{Sim: sim, Why: func(i, j int) string {
		evidence := make([]PairEvidence, len(refs))
		r.row(i, evidence)
		return model.explain(r, i, j, evidence)
	}}, nil
}

// Evidence returns the evidence of every pair, one row a sentence, for training and studies.
func (p *Pair) Evidence(ctx context.Context, code *Code, sentences, refs []string) ([][]PairEvidence, error) {
	r, err := newPairReader(ctx, p, code, sentences, refs)
	if err != nil {
		return nil, err
	}
	out := make([][]PairEvidence, len(sentences))
	for i := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = make([]PairEvidence, len(refs))
		r.row(i, out[i])
	}
	return out, nil
}

func (p *Pair) model(code *Code) *pairModel {
	if code == nil {
		return &p.text
	}
	return &p.diff
}

// similarity is the value of a pair, in [0,1].
func (m *pairModel) similarity(e *PairEvidence) float32 {
	sum := m.bias
	for k, w := range m.weights {
		sum += float64(w * e.Features[k]) // rounded: never fused
	}
	return float32(e.Factor / (1 + math.Exp(-sum)))
}

// evidenceGroup is a kind of evidence in an explanation.
type evidenceGroup struct {
	features []int
	// raised and lowered say what the evidence is where it raised or lowered the similarity.
	raised, lowered string
}

// strongest are the groups by their share in the log-odds, which is against the mean pair.
func (m *pairModel) strongest(e *PairEvidence, groups []evidenceGroup) (raised, lowered []string) {
	type part struct {
		text string
		sum  float64
	}
	var parts []part
	for _, g := range groups {
		sum := 0.0
		for _, k := range g.features {
			sum += m.weights[k] * (e.Features[k] - m.means[k])
		}
		text := g.raised
		if sum < 0 {
			text = g.lowered
		}
		if text != "" && math.Abs(sum) >= countsFrom {
			parts = append(parts, part{text, sum})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(math.Abs(b.sum), math.Abs(a.sum)) })
	for _, p := range parts {
		if p.sum > 0 {
			raised = append(raised, p.text)
		} else {
			lowered = append(lowered, p.text)
		}
	}
	return raised[:min(len(raised), 3)], lowered[:min(len(lowered), 2)]
}

// countsFrom is the share in the log-odds from which an explanation names evidence.
const countsFrom = 0.2
