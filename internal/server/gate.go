package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"crscore"
	"crscore/internal/comments"
	"crscore/internal/dataset"
	"crscore/internal/diffview"
	"crscore/internal/gate"
)

type gateRequest struct {
	changeRequest
	// Comments is JSON of a known format, or a string with a file of any format.
	Comments jsontext.Value  `json:"comments"`
	Format   comments.Format `json:"comments_format"`
	Policy   gate.Policy     `json:"policy"`
	ruleRequest
	Kept bool `json:"kept"`
	Bare bool `json:"bare"`
}

// gateAnswer is the decision and, if the request wants them, the kept comments.
type gateAnswer struct {
	*gate.Decision
	Kept json.RawMessage `json:"kept,omitempty"`
	// Refs and Change are nil where the request does not ask for the change.
	Refs   []dataset.Ref    `json:"refs,omitempty"`
	Change *diffview.Change `json:"change,omitempty"`
}

func (s *Server) gate(ctx context.Context, e *crscore.Engine, body []byte, note func(...slog.Attr)) (any, error) {
	var req gateRequest
	if err := decode(body, &req); err != nil {
		return nil, err
	}
	if err := checkPolicy(req.Policy); err != nil {
		return nil, err
	}
	if req.Bare && !req.Kept {
		return nil, bad("/bare", errors.New("bare needs kept: set kept to true, too"))
	}
	file, asText, err := req.file()
	if err != nil {
		return nil, err
	}
	if e, err = req.applyTo(e); err != nil {
		return nil, err
	}
	in, err := req.input(ctx)
	if err != nil {
		return nil, err
	}
	d, err := gate.Judge(ctx, e, in, file.Comments, req.Policy)
	if err != nil {
		return nil, err
	}
	d.Warnings = append(file.Notes, d.Warnings...)
	a := gateAnswer{Decision: d}
	if req.Kept {
		if a.Kept, err = kept(file, d, req.Bare, asText); err != nil {
			return nil, err
		}
	}
	if a.Change, err = req.drawn(ctx, in); err != nil {
		return nil, err
	}
	if req.Change {
		a.Refs = d.Refs
	}
	unscored := 0
	for i := range d.Comments {
		if d.Comments[i].Status == crscore.Unscored {
			unscored++
		}
	}
	s.count(note, len(d.Comments), unscored)
	s.metrics.gates.WithLabelValues(string(d.Outcome)).Inc()
	note(slog.String("outcome", string(d.Outcome)))
	return a, nil
}

// checkPolicy finds the field of a policy that is not valid.
func checkPolicy(p gate.Policy) error {
	for _, one := range []struct {
		field string
		alone gate.Policy
	}{
		{"min_con", gate.Policy{MinCon: p.MinCon}}, {"min_comp", gate.Policy{MinComp: p.MinComp}}, {"min_rel", gate.Policy{MinRel: p.MinRel}},
		{"max_comments", gate.Policy{MaxComments: p.MaxComments}}, {"empty", gate.Policy{Empty: p.Empty}},
	} {
		if err := one.alone.Check(); err != nil {
			return bad("/policy/"+one.field, err)
		}
	}
	for i, d := range p.Drop { // no kind twice, so that a list cannot be long
		err := gate.Policy{Drop: []gate.Drop{d}}.Check()
		if err == nil && slices.Contains(p.Drop[:i], d) {
			err = fmt.Errorf("%q is there twice", d)
		}
		if err != nil {
			return bad(fmt.Sprintf("/policy/drop/%d", i), err)
		}
	}
	return nil
}

// file reads the comments, and reports whether they came as a string.
func (r *gateRequest) file() (f *comments.File, asText bool, err error) {
	if r.Format != "" && !slices.Contains(comments.Formats(), string(r.Format)) {
		return nil, false, bad("/comments_format", fmt.Errorf("unknown format %.40q: choose one of %v", r.Format, comments.Formats()))
	}
	switch r.Comments.Kind() {
	case '"', '{', '[':
	case 0, 'n':
		return nil, false, bad("/comments", errors.New("there are no comments: for a review without comments give an empty list"))
	default:
		return nil, false, bad("/comments", errors.New("want an object, an array or a string with the comments"))
	}
	if f, err = comments.ReadValue(json.RawMessage(r.Comments), r.Format); err != nil {
		return nil, false, bad("/comments", err)
	}
	return f, r.Comments.Kind() == '"', nil
}

// kept returns the file without the comments that the decision drops: as JSON, or as a
// string if it came as a string.
func kept(file *comments.File, d *gate.Decision, bare, asText bool) (json.RawMessage, error) {
	whole, marks, err := d.Marks()
	if err != nil {
		return nil, err
	}
	if bare {
		whole = nil
		for i := range marks {
			marks[i].Note = nil
		}
	}
	var b bytes.Buffer
	if err := file.Write(&b, marks, whole); err != nil {
		return nil, err
	}
	if asText || !json.Valid(b.Bytes()) { // nothing is left of a single comment that is dropped
		return jsontext.AppendQuote(nil, b.Bytes())
	}
	return b.Bytes(), nil
}
