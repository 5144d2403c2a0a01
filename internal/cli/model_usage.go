package cli

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"crscore/chat"
)

// priceFlags are the prices of a model's tokens.
type priceFlags struct{ in, out float64 }

func (f *priceFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Float64Var(&f.in, "price-in", 0, "`PRICE` of a million tokens of prompts, for the cost at the end")
	fl.Float64Var(&f.out, "price-out", 0, "`PRICE` of a million tokens of answers, for the cost at the end")
}

// check refuses prices that are none.
func (f *priceFlags) check(cmd *cobra.Command) error {
	for name, v := range map[string]float64{"price-in": f.in, "price-out": f.out} {
		if cmd.Flags().Changed(name) && !(v >= 0 && v < 1e9) {
			return fmt.Errorf("--%s is %g, but must be from 0 to 1e9", name, v)
		}
	}
	return nil
}

// tell says what a model's answers took.
func (f *priceFlags) tell(log *logger, model string, u chat.Usage) {
	cost := (float64(u.PromptTokens)*f.in + float64(u.AnswerTokens)*f.out) / 1e6
	uncounted := u.Calls > 0 && u.PromptTokens == 0
	priced := (f.in > 0 || f.out > 0) && !uncounted
	if log.json {
		about := []slog.Attr{slog.String("model", model), slog.Int("calls", u.Calls), slog.Int("cached", u.Cached),
			slog.Int("prompt_tokens", u.PromptTokens), slog.Int("answer_tokens", u.AnswerTokens), slog.Float64("seconds", u.Time.Seconds())}
		if priced {
			about = append(about, slog.Float64("cost", cost))
		}
		log.say(slog.LevelInfo, "model", about...)
		return
	}
	what := []string{fmt.Sprintf("calls: %d, tokens: %d in and %d out, seconds: %.1f", u.Calls, u.PromptTokens, u.AnswerTokens, u.Time.Seconds())}
	if u.Cached > 0 {
		what = append(what, fmt.Sprintf("answers from the cache: %d", u.Cached))
	}
	if priced {
		what = append(what, fmt.Sprintf("cost: %.4f", cost))
	}
	if uncounted {
		what = append(what, "the server counts no tokens")
	}
	log.note(model + ": " + strings.Join(what, "; "))
}
