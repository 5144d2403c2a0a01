package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"crscore/chat"
	"crscore/chat/prompt"
)

// attempts is the number of calls for one answer. Each has another seed. A model at
// temperature 0 repeats itself with any seed, so later attempts are at least at
// retryTemperature.
const (
	attempts         = 3
	retryTemperature = 0.3
)

// templateRoom is the room for the text that a chat template adds, in tokens.
const templateRoom = 128

// members are the members of an answer's JSON object.
type members = map[string]json.RawMessage

// badAnswer is the error of an answer that cannot be used. The model is asked again.
type badAnswer struct{ error }

func (b badAnswer) Unwrap() error { return b.error }

// ask asks a question until read takes the answer. A failure of the server, and a question
// that does not fit, is not asked again.
func (j *Judge) ask(ctx context.Context, q question, vote int, read func(members) error) error {
	window := j.window()
	if n := prompt.Tokens(q.system) + prompt.Tokens(q.prompt) + templateRoom + q.tokens; n > window {
		return fmt.Errorf("%w: it needs about %d tokens with the answer, and the context has %d: judge with a longer context, or leave the change out", chat.ErrContext, n, window)
	}
	var last error
	for attempt := range attempts {
		if err := ctx.Err(); err != nil { // a call in vain may reach the server
			return err
		}
		temperature := j.temperature
		if attempt > 0 {
			temperature = max(temperature, retryTemperature)
		}
		last = j.once(ctx, q, chat.Request{
			System: q.system, Prompt: q.prompt, Schema: q.schema, Temperature: temperature,
			Seed: j.opts.Seed + vote*attempts + attempt, NumCtx: window, NumPredict: q.tokens,
		}, read)
		if !errors.As(last, new(badAnswer)) {
			return last
		}
	}
	return fmt.Errorf("no usable answer in %d attempts: %w", attempts, last)
}

func (j *Judge) once(ctx context.Context, q question, req chat.Request, read func(members) error) error {
	text, err := j.asker.Ask(ctx, chat.Question{Kind: "judge", Version: PromptVersion, Request: req})
	switch {
	case errors.Is(err, chat.ErrIncomplete):
		return badAnswer{err}
	case err != nil:
		return err
	}
	if text, err = chat.Said(text); err == nil {
		var m members
		if m, err = chat.Object(text); err == nil {
			err = read(m)
		}
	}
	if err != nil {
		return badAnswer{err}
	}
	return nil
}

// gradesAnswer is an answer of protocols Rel and Grade.
type gradesAnswer struct {
	grades []int
	reason string
}

// readGrades reads a grade from 1 to 5 for each name, and the reason if there must be one.
func readGrades(m members, names []string, reason bool) (a gradesAnswer, err error) {
	for _, name := range names {
		g, err := whole(m, name, MinGrade, MaxGrade)
		if err != nil {
			return a, err
		}
		a.grades = append(a.grades, g)
	}
	if reason {
		a.reason, err = text(m, "reason")
	}
	return a, err
}

// number reads a number of an answer.
func number(m members, name string) (float64, error) {
	raw, ok := m[name]
	if !ok {
		return 0, fmt.Errorf("the answer lacks %q", name)
	}
	var v *float64
	if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		return 0, fmt.Errorf("%q is %s in the answer, not a number", name, chat.Excerpt(string(raw)))
	}
	return *v, nil
}

// whole reads a whole number within limits.
func whole(m members, name string, low, high int) (int, error) {
	v, err := number(m, name)
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) || v < float64(low) || v > float64(high) {
		return 0, fmt.Errorf("%q is %g in the answer, not a whole number from %d to %d", name, v, low, high)
	}
	return int(v), nil
}

// text reads a text of an answer, on one line.
func text(m members, name string) (string, error) {
	var s *string
	if err := json.Unmarshal(m[name], &s); err != nil || s == nil {
		return "", fmt.Errorf("the answer lacks the text %q", name)
	}
	return strings.Join(strings.Fields(prompt.Defuse(*s)), " "), nil
}
