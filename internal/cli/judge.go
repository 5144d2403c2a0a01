package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"crscore/eval/judge"
	"crscore/internal/dataset"
	"crscore/internal/run"
)

type judgeFlags struct {
	protocol    string
	data        string
	out         dirFlags
	form        dataFlags
	format      string
	reference   string
	systems     []string
	votes, seed int
	temperature float64
	context     int
	explain     bool
	asking      askFlags
	html        pageFlag
}

func judgeCommand(s streams) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Have a language model judge reviews, by published protocols",
		Long: `judge asks a language model about the reviews of a dataset and prints a row a
review, as score does; crscore agree, compare and calibrate --labels read the rows.

Protocols:
  rel       the change and one review: con, comp and rel from 1 to 5 (CRScore's baseline)
  grade     a human and a generated review, without the change: a grade from 1 to 5 by
            three votes (GradedReviews)
  criteria  the change and the reviews of all systems under letters: nine criteria from
            1 to 10, then ranks; asked twice, in opposite orders (DeepCRCEval)

The rows have the grades, and from them con, comp and rel, or score, from 0 to 1. A
review without a usable answer is asked about three times, then it is unscored with the
reason. An empty review has the lowest of the scale, without a call. Answers are cached
(see crscore cache), and with --out a stopped run goes on where it was: no answer is
paid for twice.

The model is on an Ollama server ($OLLAMA_HOST) or on a server with OpenAI's API
($OPENAI_BASE_URL, $OPENAI_API_KEY). A list of addresses, joined by commas, shares the calls
among several servers. The reviews and the change are sent to them.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: a review is unscored, a line is
malformed, the run was interrupted or the results could not be written.`,
		Example: `  crscore judge --protocol rel --model ollama:qwen2.5-coder --data reviews.jsonl > judged.jsonl
  crscore judge --protocol grade --model openai:gpt-4o --data reviews.jsonl --votes 3
  crscore judge --protocol criteria --model ollama:llama3.1 --data reviews.jsonl --out judged
  crscore judge --protocol rel --model ollama:llama3.1 --data reviews.jsonl --out part2 --shard 2/3
  crscore judge --protocol rel --model openai:gpt-4o --data r.jsonl --price-in 2.5 --price-out 10
  crscore agree --data reviews.jsonl --scores judged.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.protocol, "protocol", "", "`PROTOCOL`: rel, grade or criteria")
	fl.StringVar(&f.data, "data", "", dataUsage)
	f.form.add(cmd)
	f.out.add(cmd)
	fl.StringVar(&f.format, "format", "", "`FORMAT` of the rows: jsonl (default), json, csv, parquet or text")
	fl.StringVar(&f.reference, "reference", dataset.HumanReference, "`IDS` of the human reviews of protocol grade, joined by commas")
	fl.StringSliceVar(&f.systems, "system", nil, "judge the reviews of these systems alone: `IDS` joined by commas (default: all)")
	fl.IntVar(&f.votes, "votes", 0, "answers that vote on a grade, an odd `NUMBER` (default: 3 for grade, 1 for rel)")
	fl.Float64Var(&f.temperature, "temperature", 0, "`TEMPERATURE` of the model, from 0 to 2 (default: 0, and 0.7 for several votes)")
	fl.IntVar(&f.seed, "seed", judge.DefaultSeed, "`SEED` of the votes and of the orders")
	fl.IntVar(&f.context, "context", judge.DefaultContext, "size of the model's context in `TOKENS`; a longer change is unscored")
	fl.BoolVar(&f.explain, "explain", false, "ask the model for reasons, and add them to json and jsonl")
	f.asking.add(cmd, "model", "the judge")
	f.html.add(fl)
	complete(cmd, "protocol", string(judge.Rel), string(judge.Grade), string(judge.Criteria))
	complete(cmd, "format", "jsonl", "json", "csv", "parquet", "text")
	return cmd
}

// check returns what is wrong with the flags, before anything is asked.
func (f *judgeFlags) check(cmd *cobra.Command, s streams) error {
	if err := f.form.check(cmd); err != nil {
		return err
	}
	if err := f.out.check(cmd); err != nil {
		return err
	}
	grades := f.protocol == string(judge.Grade)
	f.form.options.NoDiff = grades
	switch {
	case f.data == "":
		return errors.New("nothing to judge: give --data FILE")
	case f.protocol == "":
		return errors.New("give --protocol rel, grade or criteria")
	case f.asking.model == "":
		return errors.New("give the judge: --model ollama:MODEL or openai:MODEL")
	case cmd.Flags().Changed("reference") && !grades:
		return errors.New("--reference is for --protocol grade: the other protocols compare with nothing")
	case f.out.dir != "" && f.format != "" && f.format != jsonl:
		return fmt.Errorf("--out keeps results as jsonl, and --format is %s: leave it out", f.format)
	case f.explain && (f.format == "csv" || f.format == "parquet"):
		return errors.New("--explain needs format json, jsonl or text: a table has no room for reasons")
	case cmd.Flags().Changed("context") && f.context < 1:
		return fmt.Errorf("--context is %d, but must be at least 1", f.context)
	case cmd.Flags().Changed("votes") && f.votes < 1:
		return fmt.Errorf("--votes is %d, but must be an odd number from 1", f.votes)
	}
	if f.format == "" {
		f.format = jsonl
	}
	if err := f.asking.check(cmd); err != nil {
		return err
	}
	return notOnTerminal(s, f.format)
}

// options are the options of the judge.
func (f *judgeFlags) options(cmd *cobra.Command) judge.Options {
	o := judge.Options{
		Protocol: judge.Protocol(f.protocol), Votes: f.votes, Seed: f.seed, Reasons: f.explain, Context: f.context,
		Asking: f.asking.Options,
	}
	if cmd.Flags().Changed("temperature") {
		o.Temperature = &f.temperature
	}
	return o
}

func (f *judgeFlags) run(cmd *cobra.Command, s streams) (err error) {
	if err := f.check(cmd, s); err != nil {
		return err
	}
	m, end, err := f.asking.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	j, err := judge.New(m, f.options(cmd))
	if err != nil {
		return err
	}
	if err := j.Prepare(cmd.Context()); err != nil {
		return err // before a run directory is made: its manifest has the model's digest
	}
	scorer := &run.Judge{
		Judge: j, Protocol: judge.Protocol(f.protocol), Model: f.asking.model, References: f.references(), Systems: f.systems, Explain: f.explain,
		Told: func() { f.asking.tell(s.log, f.asking.model, j.Usage()) },
	}
	r := run.Run{
		Dataset: &run.Dataset{
			Name: f.data, Form: f.form.options, Terminal: s, Prints: f.out.dir == "",
			Reference: func(_ int, id string) bool { return !scorer.Judged(id) },
		},
		Scorer: scorer, Dir: f.out.dir, Format: f.format,
	}
	if err := r.Divide(f.out.shard); err != nil {
		return err
	}
	if r.Rows, err = s.rows(f.format, scorer.Totals().Columns()); err != nil {
		return err
	}
	err = r.Do(cmd.Context())
	return errors.Join(err, f.html.write(r.Page))
}

// references are the ids of human reviews; nil where the protocol has none.
func (f *judgeFlags) references() []string {
	if f.protocol != string(judge.Grade) {
		return nil
	}
	return strings.Split(f.reference, ",")
}
