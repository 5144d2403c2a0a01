package cli

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"crscore/chat"
	"crscore/internal/setup"
	"crscore/internal/terminal"
)

// askFlags are the flags of commands that ask a language model.
type askFlags struct {
	flag, model string // of the model: "model", "ollama:qwen2.5-coder"
	noCache     bool
	in, out     float64 // prices
	chat.Options
}

// add adds the flags: that of the model with the name and the usage, such as "the judge".
func (f *askFlags) add(cmd *cobra.Command, flag, usage string) {
	cmd.Flags().StringVar(&f.model, flag, "", usage+": ollama:`MODEL` or openai:MODEL")
	complete(cmd, flag, "ollama:", "openai:")
	f.calls(cmd, flag)
}

// calls adds the flags of the calls to a model that the flag of that name names.
func (f *askFlags) calls(cmd *cobra.Command, flag string) {
	f.flag = flag
	fl := cmd.Flags()
	fl.DurationVar(&f.Timeout, "timeout", chat.DefaultTimeout, "longest `DURATION` of a call to the model")
	fl.IntVar(&f.Parallel, callsFlag, chat.DefaultParallel, callsUsage)
	alias(cmd, "parallel", callsFlag)
	fl.BoolVar(&f.noCache, "no-cache", false, "neither use nor keep answers of the model (see crscore cache)")
	fl.Float64Var(&f.in, "price-in", 0, "`PRICE` of a million tokens of prompts, for the cost at the end")
	fl.Float64Var(&f.out, "price-out", 0, "`PRICE` of a million tokens of answers, for the cost at the end")
}

// check returns what is wrong with the flags.
func (f *askFlags) check(cmd *cobra.Command) error {
	if err := setup.CheckCalls(f.Parallel); err != nil {
		return err
	}
	for name, v := range map[string]float64{"price-in": f.in, "price-out": f.out} {
		if cmd.Flags().Changed(name) && !(v >= 0 && v < 1e9) {
			return fmt.Errorf("--%s is %g, but must be from 0 to 1e9", name, v)
		}
	}
	return nil
}

// callsFlag is the flag of the calls at a time to a server. It was --parallel before a model could
// have several servers.
const (
	callsFlag  = "model-calls"
	callsUsage = "`N` calls at a time to each server of the model"
)

// open returns the model, opens the cache of its answers for Options, and returns what closes it.
func (f *askFlags) open(cmd *cobra.Command) (chat.Model, func() error, error) {
	end := func() error { return nil }
	m, err := chat.Open(f.model)
	if err != nil {
		return nil, end, fmt.Errorf("--%s: %w", f.flag, err)
	}
	f.Warn = terminal.LogOf(cmd).Warn
	if !f.noCache {
		if answers := setup.OpenCache(cmd.Context(), terminal.LogOf(cmd).Warn); answers != nil {
			f.Cache, end = answers, answers.Close
		}
	}
	return m, end, nil
}

// tell says what a model's answers took.
func (f *askFlags) tell(log *terminal.Log, model string, u chat.Usage) {
	cost := (float64(u.PromptTokens)*f.in + float64(u.AnswerTokens)*f.out) / 1e6
	priced := (f.in > 0 || f.out > 0) && u.Uncounted == 0
	if log.JSON() {
		about := []slog.Attr{slog.String("model", model), slog.Int("calls", u.Calls), slog.Int("cached", u.Cached),
			slog.Int("prompt_tokens", u.PromptTokens), slog.Int("answer_tokens", u.AnswerTokens), slog.Float64("seconds", u.Time.Seconds())}
		if u.Uncounted > 0 {
			about = append(about, slog.Int("uncounted", u.Uncounted))
		}
		if priced {
			about = append(about, slog.Float64("cost", cost))
		}
		log.Say(slog.LevelInfo, "model", about...)
		return
	}
	what := []string{fmt.Sprintf("calls: %d, tokens: %d in and %d out, seconds: %.1f",
		u.Calls, u.PromptTokens, u.AnswerTokens, u.Time.Seconds())}
	if u.Cached > 0 {
		what = append(what, fmt.Sprintf("answers from the cache: %d", u.Cached))
	}
	if priced {
		what = append(what, fmt.Sprintf("cost: %.4f", cost))
	}
	if u.Uncounted > 0 {
		what = append(what, fmt.Sprintf("calls whose tokens the server does not count: %d", u.Uncounted))
	}
	log.Note(model + ": " + strings.Join(what, "; "))
}
