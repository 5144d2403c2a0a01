package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"crscore/change"
	"crscore/chat"
	"crscore/internal/comments"
	"crscore/internal/report"
	"crscore/internal/reviewbot"
	"crscore/internal/run"
	"crscore/internal/terminal"
)

type reviewFlags struct {
	change  changeFlags
	asking  askFlags
	format  string
	options reviewbot.Options
}

func reviewCommand(s streams) *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Write review comments on a change with a language model",
		Long: `review writes comments on a change with a language model. It is the baseline
LLM-Reviewer of DeepCRCEval (Lu et al.): a prompt with nine criteria of good comments.
crscore gate reads its output, so a machine with a model can write, judge and keep what
is worth posting.

The model sees the diff with the numbers of its lines, not the whole files. A change that
does not fit the model is reviewed in parts. A comment on a line that the
model did not see is kept without the line. An answer that cannot be read is asked for
again, three attempts in all, with other seeds and at a temperature of at least 0.3.

The output is a list of comments as GitHub has them in a review. A note on standard error
says what the answers took.

Exit codes: 0 done; 2 usage or bad input; 3 no review: a part of the change got no answer
that can be used, or the run was interrupted. There is no output then.`,
		Example: `  crscore review --diff fix.diff --model ollama:qwen2.5-coder --format text
  crscore review --diff fix.diff --model ollama:qwen2.5-coder |
    crscore gate --diff fix.diff --comments - --format text
  crscore review --range main..HEAD --model openai:gpt-4o --price-in 2.5 --price-out 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	f.change.add(cmd)
	f.asking.add(cmd, "model", "the writer")
	fl.Float64Var(&f.options.Temperature, "temperature", 0, "`TEMPERATURE` of the first attempt, from 0 to 2")
	fl.IntVar(&f.options.Seed, "seed", 1, "`SEED` of the first attempt, from 0")
	choose(cmd, &f.format, "format", "json", "`FORMAT` of the comments: json, which gate reads, or text", "json", "text")
	fl.Lookup("seed").Annotations = map[string][]string{groupAnnotation: {ownFlags}} // no statistics here
	return cmd
}

func (f *reviewFlags) run(cmd *cobra.Command, s streams) (err error) {
	if err := f.check(cmd); err != nil {
		return err
	}
	model, end, err := f.asking.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	f.options.Asking = f.asking.Options
	in, err := f.change.read(cmd, s.in)
	if err != nil {
		return err
	}
	for _, warning := range in.Change.Warnings {
		s.log.Warn(warning)
	}
	bot, err := reviewbot.New(model, f.options)
	if err != nil {
		return err
	}
	review, err := f.review(cmd.Context(), s, bot, in.Change)
	if err != nil {
		return run.Incomplete{Err: err}
	}
	var b bytes.Buffer
	if f.format == "text" {
		writeComments(report.Printer{W: &b, Opts: terminal.Screen(s.out)}, review.Comments)
	} else if err := comments.WriteGitHub(&b, items(review.Comments)); err != nil {
		return outputError(err)
	}
	if err := s.print(f.format, b.Bytes()); err != nil {
		return err
	}
	return allRead(in.Change.LeftOut)
}

// check refuses wrong flags before anything is read.
func (f *reviewFlags) check(cmd *cobra.Command) error {
	switch t := f.options.Temperature; {
	case f.asking.model == "":
		return errors.New("give --model ollama:MODEL or openai:MODEL")
	case !(t >= 0 && t <= 2):
		return fmt.Errorf("--temperature is %v, but must be a number from 0 to 2", t)
	case f.options.Seed < 0 || f.options.Seed > math.MaxInt32-10: // servers have 32 bits, and attempts add
		return fmt.Errorf("--seed is %d, but must be from 0 to %d", f.options.Seed, math.MaxInt32-10)
	}
	return f.asking.check(cmd)
}

// review asks the bot, and says what the answers took, also after an error: calls cost.
func (f *reviewFlags) review(
	ctx context.Context, s streams, bot *reviewbot.Bot, ch *change.Change,
) (reviewbot.Review, error) {
	r, err := bot.Review(ctx, ch)
	for _, warning := range r.Warnings {
		s.log.Warn(warning)
	}
	if u := bot.Usage(); u != (chat.Usage{}) {
		f.asking.tell(s.log, bot.Signature(), u)
	}
	return r, err
}

func items(list []comments.Comment) []comments.Item {
	out := make([]comments.Item, len(list))
	for i := range out {
		out[i].Comment = list[i]
	}
	return out
}

// writeComments prints comments for reading, each below its place.
func writeComments(p report.Printer, list []comments.Comment) {
	if len(list) == 0 {
		p.Paragraph("", "No comments.")
	}
	for i, c := range list {
		place := c.Path
		switch {
		case place == "" && c.EndLine == 0:
			place = "the change"
		case c.EndLine > 0:
			place = fmt.Sprintf("%s:%d", place, c.EndLine)
		}
		if c.Side == comments.Old {
			place += " (old)"
		}
		if i > 0 {
			p.Paragraph("", "")
		}
		p.Paragraph("", place)
		for line := range strings.Lines(c.Body) {
			p.Paragraph("  ", line)
		}
	}
}
