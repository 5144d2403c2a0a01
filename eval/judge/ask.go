package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/chat"
	"crscore/chat/prompt"
)

// members are the members of an answer's JSON object.
type members = map[string]json.RawMessage

// ask asks a question until read takes the answer. A question that does not fit is not asked.
// The cache keeps every answer that is complete: votes are counted after reading. What is special
// about the answer is added to notes.
func (j *Judge) ask(ctx context.Context, q question, vote int, notes *[]string, read func(members) error) error {
	window := j.window()
	if n := prompt.Tokens(q.system) + prompt.Tokens(q.prompt) + chat.TemplateRoom + q.tokens; n > window {
		return fmt.Errorf("%w: it needs about %d tokens with the answer, and the context has %d: judge with a longer context, or leave the change out",
			chat.ErrContext, n, window)
	}
	thought := false
	err := j.asker.Until(ctx, chat.Question{
		Kind: "judge", Version: PromptVersion,
		Request: chat.Request{
			System: q.system, Prompt: q.prompt, Schema: q.schema, Temperature: j.temperature,
			Seed: j.opts.Seed + vote*chat.Attempts, NumCtx: window, NumPredict: q.tokens,
		},
	}, func(text string) error {
		thought = chat.Thought(text)
		text, err := chat.Said(text)
		if err != nil {
			return err
		}
		m, err := chat.Object(text, q.schema)
		if err != nil {
			return err
		}
		return read(m)
	})
	if err == nil && thought && !slices.Contains(*notes, thoughtNote) {
		*notes = append(*notes, thoughtNote)
	}
	return err
}

// thoughtNote is the note of a verdict whose answer the server put among the model's thoughts.
const thoughtNote = "an answer stood among the model's thoughts (reasoning_content)"

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
