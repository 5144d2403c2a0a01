package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"crscore"
	"crscore/change"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/diffview"
	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/present"
	"crscore/internal/syntax"
	"crscore/score"
)

// changeRequest is the change of a request: the fields of a dataset's record, or whole files.
type changeRequest struct {
	Diff  *string       `json:"diff"`
	Path  string        `json:"path"`
	Lang  string        `json:"lang"`
	Old   *string       `json:"old"`
	New   *string       `json:"new"`
	Files []fileRequest `json:"files"`
	// Change asks for the change as a page draws it.
	Change bool `json:"change"`
}

// fileRequest is a file on both sides of a change; nil where the side does not have it.
type fileRequest struct {
	Path string  `json:"path"`
	Old  *string `json:"old"`
	New  *string `json:"new"`
}

// input reads the change, and parses it where a page is to draw it.
func (c changeRequest) input(ctx context.Context) (crscore.Input, error) {
	switch {
	case c.Diff == nil && c.Files == nil:
		return crscore.Input{}, bad("/diff", errors.New("there is no diff: want a unified diff, or files with their old and new texts"))
	case c.Diff != nil && c.Files != nil:
		return crscore.Input{}, bad("/files", errors.New("there is a diff, too: want one of the two"))
	case len(c.Path) > limits.PathBytes:
		return crscore.Input{}, bad("/path", fmt.Errorf("the path has %d bytes, more than the limit of %d", len(c.Path), limits.PathBytes))
	}
	at := "/diff"
	in, err := crscore.Input{}, error(nil)
	if c.Files != nil {
		at = "/files"
		in, err = c.between()
	} else {
		in, err = evidence.Input(&dataset.Record{Diff: *c.Diff, Path: c.Path, Lang: c.Lang, Old: c.Old, New: c.New})
	}
	switch {
	case errors.Is(err, change.ErrTooLarge):
		return in, newProblem(http.StatusRequestEntityTooLarge, err.Error())
	case err != nil:
		return in, bad(at, err)
	case c.Change:
		in.Parsed, err = syntax.Parse(ctx, in.Change)
	}
	return in, err
}

// between is the change between whole files.
func (c changeRequest) between() (crscore.Input, error) {
	if c.Path != "" || c.Old != nil || c.New != nil {
		return crscore.Input{}, errors.New("path, old and new are for a diff: each of the files has its own")
	}
	texts := make([]change.Texts, len(c.Files))
	for i, f := range c.Files {
		texts[i] = change.Texts{Path: f.Path, Old: f.Old, New: f.New}
	}
	l, ok := lang.Lookup(c.Lang)
	made, err := change.Between(texts, l)
	if err != nil {
		return crscore.Input{}, err
	}
	if c.Lang != "" && !ok {
		made.Warnings = append(made.Warnings, evidence.UnknownLanguage(c.Lang))
	}
	return crscore.Input{Change: made}, nil
}

// drawn is the change as a page draws it, nil where the request does not ask for it.
func (c changeRequest) drawn(ctx context.Context, in crscore.Input) (*diffview.Change, error) {
	if !c.Change {
		return nil, nil
	}
	return diffview.Of(ctx, in.Parsed)
}

// ruleRequest is the scoring rule of a request. Fields that it leaves out are those of
// the service's rule.
type ruleRequest struct {
	Mode   score.Mode     `json:"mode"`
	CompBy score.Coverage `json:"comp_by"`
	Tau    *float64       `json:"tau"`
	Low    *float64       `json:"low"`
	Slope  *float64       `json:"slope"`
}

// applyTo returns the engine with the rule.
func (r ruleRequest) applyTo(e *crscore.Engine) (*crscore.Engine, error) {
	if r == (ruleRequest{}) {
		return e, nil
	}
	u, err := r.engine(e)
	if err != nil {
		return nil, bad(r.fault(e), err)
	}
	return u, nil
}

func (r ruleRequest) engine(e *crscore.Engine) (*crscore.Engine, error) {
	return e.WithRule(r.Mode, r.CompBy, r.Tau, r.Low, r.Slope)
}

// fault returns the place of the error in a rule that is not valid: a value that is
// wrong by itself, else a value that the rule would be valid without.
func (r ruleRequest) fault(e *crscore.Engine) string {
	if r.Mode != "" {
		if _, err := score.ParseMode(string(r.Mode)); err != nil {
			return "/mode"
		}
	}
	if r.CompBy != "" {
		if _, err := score.ParseCoverage(string(r.CompBy)); err != nil {
			return "/comp_by"
		}
	}
	if r.Tau != nil && score.CheckTau(*r.Tau) != nil {
		return "/tau"
	}
	for _, without := range []struct {
		pointer string
		rule    ruleRequest
	}{
		{"/low", ruleRequest{r.Mode, r.CompBy, r.Tau, nil, r.Slope}}, {"/slope", ruleRequest{r.Mode, r.CompBy, r.Tau, r.Low, nil}},
		{"/tau", ruleRequest{r.Mode, r.CompBy, nil, r.Low, r.Slope}}, {"/comp_by", ruleRequest{r.Mode, "", r.Tau, r.Low, r.Slope}},
		{"/mode", ruleRequest{"", r.CompBy, r.Tau, r.Low, r.Slope}},
	} {
		if without.rule == r {
			continue
		}
		if _, err := without.rule.engine(e); err == nil {
			return without.pointer
		}
	}
	return ""
}

type scoreRequest struct {
	changeRequest
	Reviews []reviewRequest `json:"reviews"`
	ruleRequest
	Explain      bool `json:"explain"`
	Similarities bool `json:"similarities"`
}

// reviewRequest is a review: an object, or its text alone.
type reviewRequest struct {
	ID   string  `json:"id"`
	Text *string `json:"text"`
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (r *reviewRequest) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &r.Text)
	}
	type object reviewRequest // without this method
	return json.UnmarshalDecode(dec, (*object)(r))
}

// scoreAnswer answers a request for scores.
type scoreAnswer = present.Answer[present.Compared]

// evidenceSize is the room of a sentence or reference of the evidence, in limits.ResponseNumbers.
const evidenceSize = 16

func (s *Server) score(ctx context.Context, e *crscore.Engine, body []byte, note func(...slog.Attr)) (any, error) {
	var req scoreRequest
	if err := decode(body, &req); err != nil {
		return nil, err
	}
	if len(req.Reviews) == 0 {
		return nil, bad("/reviews", errors.New("there is no review: want a list of texts or of objects with a text"))
	}
	if len(req.Reviews) > limits.RequestReviews {
		return nil, newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("there are %d reviews, more than the limit of %d", len(req.Reviews), limits.RequestReviews))
	}
	texts, ids := make([]string, len(req.Reviews)), make([]string, len(req.Reviews))
	for i, r := range req.Reviews {
		if r.Text == nil {
			return nil, bad(fmt.Sprintf("/reviews/%d/text", i), errors.New("the review has no text"))
		}
		texts[i], ids[i] = *r.Text, r.ID
		if r.ID == "" {
			ids[i] = fmt.Sprint(i + 1)
		}
	}
	e, err := req.applyTo(e)
	if err != nil {
		return nil, err
	}
	in, err := req.input(ctx)
	if err != nil {
		return nil, err
	}
	set, results, err := e.Judge(ctx, in, texts...)
	if err != nil {
		return nil, err
	}
	a := scoreAnswer{
		Signature: results[0].Signature, Mode: string(e.Rule().Mode), Refs: present.Refs(e.Rule(), set.Refs),
		Warnings: append([]string{}, set.Warnings...), Results: make([]present.Compared, len(results)),
	}
	a.CompBy = present.CompBy(e.Rule())
	a.Tau, a.Low, a.Slope = e.Rule().Parameters()
	unscored, room := 0, limits.ResponseNumbers
	for i, res := range results {
		a.Results[i].Row = present.Row(e, "", ids[i], res)
		if req.Explain {
			a.Results[i].Explain = present.Explain(e.Rule(), res, set.Dropped)
			room -= evidenceSize * (len(res.Sentences) + len(res.Refs) + len(set.Dropped))
		}
		if req.Similarities && res.Match != nil {
			a.Results[i].Around = e.Signed(set.Sources).Around()
			if room -= len(res.Match.Sim) * len(set.Refs); room >= 0 {
				a.Results[i].Similarities = present.Similarities(res.Match.Sim)
			}
		}
		if room < 0 {
			return nil, newProblem(http.StatusRequestEntityTooLarge, "the evidence is too large for an answer: leave out similarities or explain, or send fewer or shorter reviews")
		}
		if res.Status == crscore.Unscored {
			unscored++
		}
	}
	if a.Change, err = req.drawn(ctx, in); err != nil {
		return nil, err
	}
	s.count(note, len(results), unscored)
	return a, nil
}

// count records the scored and unscored reviews in the metrics and the log.
func (s *Server) count(note func(...slog.Attr), all, unscored int) {
	s.metrics.reviews.WithLabelValues(string(crscore.Scored)).Add(float64(all - unscored))
	s.metrics.reviews.WithLabelValues(string(crscore.Unscored)).Add(float64(unscored))
	note(slog.Int("reviews", all), slog.Int("unscored", unscored))
}

type refsRequest struct {
	changeRequest
}

type refsAnswer struct {
	Signature string        `json:"signature"`
	Refs      []dataset.Ref `json:"refs"`
	// Reason says why there is no reference.
	Reason   string            `json:"reason,omitempty"`
	Dropped  []dataset.Dropped `json:"dropped,omitempty"`
	Warnings []string          `json:"warnings"`
	Change   *diffview.Change  `json:"change,omitempty"`
}

func (s *Server) refs(ctx context.Context, e *crscore.Engine, body []byte, _ func(...slog.Attr)) (any, error) {
	var req refsRequest
	if err := decode(body, &req); err != nil {
		return nil, err
	}
	in, err := req.input(ctx)
	if err != nil {
		return nil, err
	}
	set, err := e.Refs(ctx, in)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // a part of the references is no answer
		return nil, newProblem(http.StatusServiceUnavailable, "a source of references failed: "+err.Error())
	}
	a := refsAnswer{
		Signature: "crscore/" + crscore.Version + " " + set.Sources.String(), Refs: make([]dataset.Ref, len(set.Refs)),
		Dropped: present.Dropped(set.Dropped), Warnings: append([]string{}, set.Warnings...),
	}
	for i, r := range set.Refs {
		a.Refs[i] = present.Ref(r)
	}
	if err := set.Empty(); err != nil {
		a.Reason = err.Error()
	}
	if a.Change, err = req.drawn(ctx, in); err != nil {
		return nil, err
	}
	return a, nil
}
