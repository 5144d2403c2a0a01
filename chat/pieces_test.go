package chat

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/change/changetest"
	"crscore/chat/prompt"
	"crscore/internal/limits"
)

func TestInPieces(t *testing.T) {
	full := fmt.Errorf("full: %w", ErrContext)
	for _, tt := range []struct {
		name   string
		hunks  int
		tokens int
		fits   int   // lines that ask takes
		fails  error // of the second call
		calls  []string
		want   string
		is     error
	}{
		{"one piece", 2, 1e6, 1e6, nil, []string{"4 1/1"}, "", nil},
		{"halves know that they are parts", 2, 1e6, 2, nil, []string{"4 1/1", "2 1/2", "2 1/2"}, "", nil},
		{"pieces", 2, 1, 1e6, nil, []string{"1 1/4", "1 2/4", "1 3/4", "1 4/4"}, "", nil},
		{"no line fits", 1, 1e6, 0, nil, []string{"2 1/1", "1 1/2"}, "full: " + ErrContext.Error(), ErrContext},
		{"a failure ends it", 2, 1, 1e6, errors.New("down"), []string{"1 1/4", "1 2/4"}, "part 2 of 4 of the change: down", nil},
		{"too many pieces", 20, 1, 1e6, nil, nil, "the change needs 40 calls to the model, more than the limit of 32", ErrTooLong},
		{"too many halves", 40, 1e6, 1, nil, nil, "the change needs more calls to the model than the limit of 64", ErrTooLong},
	} {
		lines, _ := prompt.Lines(changetest.Parse(t, changetest.Large(tt.hunks, 1)))
		var calls []string
		err := InPieces(t.Context(), lines, tt.tokens, func(_ context.Context, p []prompt.Line, n, of int) error {
			calls = append(calls, fmt.Sprintf("%d %d/%d", len(p), n, of))
			if len(p) > tt.fits {
				return full
			}
			if len(calls) == 2 {
				return tt.fails
			}
			return nil
		})
		if got := errorText(err); got != tt.want || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if d := cmp.Diff(tt.calls, calls); d != "" && tt.calls != nil {
			t.Errorf("%s: %s", tt.name, d)
		}
		if len(calls) > 2*limits.ChangePieces {
			t.Errorf("%s: %d calls", tt.name, len(calls))
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// answers gives one answer after the other; an error stands for a call that fails.
type answers struct {
	list  []any
	asked []Request
}

func (*answers) Name() string { return "answers" }

func (*answers) Digest(context.Context) (string, error) { return "0123", nil }

func (a *answers) Generate(_ context.Context, req Request) (Response, error) {
	next := a.list[len(a.asked)]
	a.asked = append(a.asked, req)
	if err, bad := next.(error); bad {
		return Response{}, err
	}
	return Response{Text: next.(string)}, nil
}

func TestUntil(t *testing.T) {
	refuse := func(text string) error {
		if text != "good" {
			return errors.New(text)
		}
		return nil
	}
	for _, tt := range []struct {
		name    string
		list    []any
		usable  func(string) error
		calls   int
		want    string
		noMatch bool // the error is not an Unusable
	}{
		{"at once", []any{"good"}, nil, 1, "", false},
		{"read refuses", []any{"bad", "good"}, nil, 2, "", false},
		{"Usable refuses", []any{"bad", "good"}, refuse, 2, "", false},
		{"no end", []any{ErrIncomplete, "bad", "good"}, nil, 3, "", false},
		{"never", []any{"a", "b", "c"}, nil, 3, "no usable answer in 3 attempts: c", false},
		{"never usable", []any{"a", "b", "c"}, refuse, 3, "no usable answer in 3 attempts: c", false},
		{"another failure", []any{"bad", errors.New("no such model")}, nil, 2, "no such model", true},
	} {
		m := &answers{list: tt.list}
		a := newAsker(t, m, Options{})
		err := a.Until(t.Context(), Question{Kind: "test", Usable: tt.usable, Request: Request{Seed: 5, Temperature: .1}}, refuse)
		var none *Unusable
		if got := errorText(err); got != tt.want || err != nil && errors.As(err, &none) == tt.noMatch {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if len(m.asked) != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.name, len(m.asked), tt.calls)
		}
		for i, r := range m.asked {
			if hot := r.Temperature > .1; r.Seed != 5+i || hot != (i > 0) {
				t.Errorf("%s: attempt %d has the seed %d and the temperature %v", tt.name, i, r.Seed, r.Temperature)
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	m := &answers{}
	if err := newAsker(t, m, Options{}).Until(ctx, Question{}, refuse); !errors.Is(err, context.Canceled) || m.asked != nil {
		t.Errorf("after the end: %d calls, %v", len(m.asked), err)
	}
}
