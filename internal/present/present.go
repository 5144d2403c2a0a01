// Package present makes printable rows and answers of the engine's results, the same for the
// command, the gate, the service and the viewer. It computes nothing and does not print:
// internal/report does.
package present

import (
	"cmp"

	"crscore"
	"crscore/change"
	"crscore/internal/dataset"
	"crscore/internal/diffview"
	"crscore/internal/lang"
	"crscore/internal/report"
	"crscore/pseudoref"
	"crscore/score"
)

// Row returns a result without its evidence. id names the change, review the review.
func Row(e *crscore.Engine, id, review string, res crscore.Result) dataset.Row {
	r := dataset.Row{
		ID: id, Review: review, System: review, Status: string(res.Status), Reason: res.Reason,
		Kind: score.KindScore, Mode: string(e.Rule().Mode), Weights: e.Rule().Weights.String(), Signature: cmp.Or(res.Signature, e.Signature()), Tools: Tools(res.Tools),
	}
	r.CompBy = CompBy(e.Rule())
	r.Tau, r.Low, r.Slope = e.Rule().Parameters()
	if res.Status != crscore.Scored {
		return r
	}
	sentences, refs := len(res.Sentences), len(res.Refs)
	r.Con, r.Comp, r.Rel, r.Sentences, r.Refs = &res.Con, &res.Comp, &res.Rel, &sentences, &refs
	if res.Empty {
		r.Note = "the review is empty: it has no sentences"
	}
	return r
}

// Rows returns the results of a change of a dataset as they are printed: a row a review, with
// its evidence where explain is set. MarkFaulty comes before.
func Rows(e *crscore.Engine, rec *dataset.Record, o crscore.Outcome, explain bool) []dataset.Row {
	rows, language := make([]dataset.Row, len(o.Results)), Language(rec)
	for i, res := range o.Results {
		r := Row(e, rec.ID, rec.Reviews[i].ID, res)
		if explain {
			r.Explain = Explain(e.Rule(), res, o.Dropped)
		}
		r.Lang, r.Warnings, r.LeftOut = language, o.Warnings, o.LeftOut
		r.Human = rec.Reviews[i].Human
		rows[i] = r
	}
	return rows
}

// MarkFaulty makes the reviews that the dataset does not tell well unscored, and says why.
func MarkFaulty(rec *dataset.Record, results []crscore.Result) {
	for i := range results {
		if bad := rec.Reviews[i].Err; bad != nil {
			results[i] = crscore.Result{Status: crscore.Unscored, Reason: report.Plain(bad.Error())}
		}
	}
}

// Language returns the language of a change: as the record names it, or by its path, or of most
// changed lines by the names in the diff, the first of equals.
func Language(rec *dataset.Record) string {
	l, ok := lang.Lookup(rec.Lang)
	if !ok {
		l = lang.FromPath(rec.Path)
	}
	if l != lang.Unknown || rec.Path != "" {
		return string(l)
	}
	c, err := change.Parse([]byte(rec.Diff), change.Options{})
	if err != nil {
		return "" // no review of the change has a score, and the rows say why
	}
	lines := map[lang.Name]int{}
	for _, f := range c.Files {
		if of := lang.FromPath(f.Path()); of != lang.Unknown {
			lines[of] += len(f.ChangedLines(change.Old)) + len(f.ChangedLines(change.New))
		}
	}
	for _, f := range c.Files {
		if of := lang.FromPath(f.Path()); lines[of] > lines[l] {
			l = of
		}
	}
	return string(l)
}

// RepeatedReview returns an id that two reviews of a change have, or "". leave tells reviews
// that do not count, by place and id; nil leaves none.
func RepeatedReview(reviews []dataset.Review, leave func(i int, id string) bool) string {
	seen := make(map[string]bool, len(reviews))
	for i := range reviews {
		id := reviews[i].ID
		if leave != nil && leave(i, id) {
			continue
		}
		if seen[id] {
			return id
		}
		seen[id] = true
	}
	return ""
}

// CompBy is how Comp credits a reference, empty for the best sentence.
func CompBy(rule score.Rule) string {
	if rule.NoisyOr() {
		return string(score.CoverNoisyOr)
	}
	return ""
}

// Explain returns the evidence for a result, with the claims of models that were dropped. It
// is nil where there is neither a score nor a dropped claim.
func Explain(rule score.Rule, res crscore.Result, dropped []pseudoref.Dropped) *dataset.Explain {
	if res.Status != crscore.Scored && len(dropped) == 0 {
		return nil
	}
	ex := &dataset.Explain{Sentences: []dataset.Sentence{}, Refs: []dataset.Ref{}, Dropped: Dropped(dropped)}
	if res.Status != crscore.Scored {
		return ex
	}
	ex.Sentences, ex.Refs = make([]dataset.Sentence, len(res.Sentences)), make([]dataset.Ref, len(res.Refs))
	for i, best := range res.Sentences {
		t := res.Match.Sentences[i]
		ex.Sentences[i] = dataset.Sentence{
			Text: t.Text, Start: t.Start, End: t.End, PointsBack: t.Anaphoric, Ref: best.Index + 1, Similarity: best.Similarity, Matched: matched(best, rule), Credit: best.Credit,
		}
		if best.Index >= 0 {
			ex.Sentences[i].Why = res.Match.Why(i, best.Index)
		}
	}
	for j, best := range res.Refs {
		t := Ref(res.Match.Refs[j])
		sentence := best.Index + 1
		t.Sentence, t.Similarity, t.Matched, t.Credit = &sentence, &best.Similarity, matched(best, rule), &best.Credit
		if w := rule.Weights.Of(t.Kind, t.Source); w != 1 {
			t.Weight = &w
		}
		ex.Refs[j] = t
	}
	return ex
}

func matched(b score.Best, rule score.Rule) *bool {
	if !rule.Mode.UsesTau() {
		return nil
	}
	return &b.Matched
}

// Answer has the results of reviews of a change, and the references that all reviews were
// compared with. The service answers in this form, and pages read it.
type Answer[R any] struct {
	// Signature is the signature of the scores.
	Signature string `json:"signature"`
	// Mode, CompBy, Tau, Low and Slope are the rule of the scores. A number that the mode does
	// not use is nil.
	Mode     string        `json:"mode"`
	CompBy   string        `json:"comp_by,omitempty"`
	Tau      *float64      `json:"tau,omitempty"`
	Low      *float64      `json:"low,omitempty"`
	Slope    *float64      `json:"slope,omitempty"`
	Refs     []dataset.Ref `json:"refs"`
	Warnings []string      `json:"warnings"`
	Results  []R           `json:"results"`
	// Change is the change as a page draws it, nil where nobody asked for it.
	Change *diffview.Change `json:"change,omitempty"`
}

// Compared is a row with its similarities.
type Compared struct {
	dataset.Row
	// Similarities has a row a sentence, a number a reference; nil if the review was not
	// compared.
	Similarities [][]float64 `json:"similarities,omitzero"`
	// Around is the signature without its rule (score.Signature.Around), for a page that tries
	// other rules on the similarities.
	Around []string `json:"signature_around,omitempty"`
}

// Tools returns the answers of external analyzers.
func Tools(answers []crscore.ToolAnswer) []dataset.Tool {
	out := make([]dataset.Tool, len(answers))
	for i, a := range answers {
		out[i] = dataset.Tool{
			Name: a.Tool, Version: a.Version, State: string(a.State), Reason: a.Reason,
			Files: a.Files, Unread: a.Unread, Findings: a.Findings,
		}
	}
	return out
}

// Ref returns a reference without a match.
func Ref(r pseudoref.Ref) dataset.Ref {
	return dataset.Ref{
		Kind: string(r.Kind), Text: r.Text, Source: r.Source, Rule: r.Rule, Path: r.Path, Side: r.Side,
		StartLine: r.StartLine, EndLine: r.EndLine,
	}
}

// Refs returns references without matches, with their weights under a rule.
func Refs(rule score.Rule, refs []pseudoref.Ref) []dataset.Ref {
	out := make([]dataset.Ref, len(refs))
	for i, r := range refs {
		out[i] = Ref(r)
		if w := rule.Weights.Of(out[i].Kind, out[i].Source); w != 1 {
			out[i].Weight = &w
		}
	}
	return out
}

// Similarities returns the similarities as scoring uses them: cut to [0,1].
func Similarities(sim [][]float32) [][]float64 {
	out := make([][]float64, len(sim))
	for i, row := range sim {
		out[i] = make([]float64, len(row))
		for j, v := range row {
			out[i][j] = float64(min(max(v, 0), 1))
		}
	}
	return out
}

// Dropped returns claims of models that were dropped.
func Dropped(dropped []pseudoref.Dropped) []dataset.Dropped {
	out := make([]dataset.Dropped, len(dropped))
	for i, d := range dropped {
		out[i] = dataset.Dropped{Ref: Ref(d.Ref), Reason: d.Reason, Detail: d.Detail}
	}
	return out
}
