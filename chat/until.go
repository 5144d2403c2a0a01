package chat

import (
	"context"
	"errors"
	"fmt"
)

// Attempts is the number of calls for one answer of Until. Each has another seed. A model at
// temperature 0 repeats itself with any seed, so later attempts are at least at
// retryTemperature.
const Attempts = 3

const retryTemperature = 0.3

// Unusable is the error of answers that came and could not be used.
type Unusable struct {
	// Last says what is wrong with the last answer.
	Last error
}

// Error implements error.
func (u *Unusable) Error() string {
	return fmt.Sprintf("no usable answer in %d attempts: %v", Attempts, u.Last)
}

// Unwrap returns the last error.
func (u *Unusable) Unwrap() error { return u.Last }

// Until asks a question until read takes the answer: again with the next seed where the answer
// has no end, or read or Question.Usable refuses it. *Unusable: it did so Attempts times. Other
// errors, of the server or the context's size, are not asked again.
func (a *Asker) Until(ctx context.Context, q Question, read func(text string) error) error {
	first := q.Request.Temperature
	var last error
	for attempt := range Attempts {
		if err := ctx.Err(); err != nil { // a call in vain may reach the server
			return err
		}
		if attempt > 0 {
			q.Request.Seed++
			q.Request.Temperature = max(first, retryTemperature)
		}
		text, err := a.Ask(ctx, q)
		var refused *refusedAnswer
		switch {
		case err == nil:
			if last = read(text); last == nil {
				return nil
			}
		case errors.As(err, &refused):
			last = refused.error
		case errors.Is(err, ErrIncomplete):
			last = err
		default:
			return err
		}
	}
	return &Unusable{last}
}

// refusedAnswer is the error of an answer that Question.Usable refused.
type refusedAnswer struct{ error }

func (r *refusedAnswer) Unwrap() error { return r.error }
