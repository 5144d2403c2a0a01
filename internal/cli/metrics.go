package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"crscore/eval/refmetrics"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/setup"
	"crscore/internal/spelling"
	"crscore/internal/terminal"
	"crscore/sts"
)

type metricsFlags struct {
	data      string
	form      dataFlags
	hyp       string
	refs      []string
	metrics   string
	reference string
	format    string
	corpus    bool
	compat    bool
	raw       bool
	stopWords string
	list      bool
	workers   int
	encoder   setup.Encoder
	html      pageFlag
	figures   figuresFlag
	out       dirFlags
}

func metricsCommand(s streams) *cobra.Command {
	var f metricsFlags
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Score reviews against human ones: BLEU, ROUGE, chrF, BERTScore and others",
		Long: `metrics compares each review of a dataset with the human review of the same change,
the reference, by the metrics of the literature: a row a review, with a score by each
metric. crscore agree and crscore compare read the rows.

The references are the reviews called msg (--reference names others); a change may
have several. They get no rows. A review of a change without a reference is
unscored. --hyp and --ref read plain text instead, a review a line; the row of a
line has its number as id, and the name of the --hyp file as review.

With --out the rows go to a run directory: whatever stops the run, the same command
goes on where it was; crscore merge prints them, with the table of the systems.

Without --metrics, all run that work with the encoder; bertscore needs an ONNX model
(--encoder). --list prints the metrics with their options, which are given as in
--metrics bleu:tok=intl,chrf.

Exit codes: 0 done; 2 usage or bad input, also a dataset without any reference; 3
incomplete: a review is unscored, a metric gave no score, a line is malformed, the
run was interrupted or the results could not be written.`,
		Example: `  crscore metrics --data reviews.jsonl > metrics.jsonl
  crscore metrics --data reviews.jsonl --metrics bleu,chrf --corpus
  crscore metrics --data reviews.jsonl --corpus --format latex --figures figures > metrics.tex
  crscore metrics --data reviews.csv --map review:msg=human,review:bot=bot --format csv
  crscore metrics --data reviews.jsonl --reference msg,second --format parquet > metrics.parquet
  crscore metrics --hyp bot.txt --ref human.txt --metrics bleu:tok=intl,chrf
  crscore metrics --data reviews.jsonl --metrics bertscore --encoder ./distilbert-base-uncased
  crscore metrics --data reviews.jsonl --out part2 --shard 2/3
  crscore metrics --list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", dataUsage+"; it needs no diffs")
	f.form.add(cmd)
	fl.StringVar(&f.hyp, "hyp", "", "the reviews, one a line: a `FILE`, or - for standard input")
	fl.StringArrayVar(&f.refs, "ref", nil,
		"the references of the reviews of --hyp, one a line: a `FILE`, or - for standard input; may be repeated")
	fl.StringVar(&f.reference, "reference", dataset.HumanReference,
		"`IDS` of the reviews of --data that are the references, joined by commas")
	fl.StringVar(&f.metrics, "metrics", "all",
		"`METRICS` with their options, joined by commas: NAME[:OPTION=VALUE]..., or all")
	fl.BoolVar(&f.corpus, "corpus", false, "print a table of the systems instead of rows: "+
		"the score of all reviews together, or the mean where a metric has none")
	fl.BoolVar(&f.list, "list", false, "print the metrics with their ranges, options and sources")
	fl.BoolVar(&f.compat, "compat", false, "score as the code of the literature does, with its faults (docs/metrics.md)")
	fl.BoolVar(&f.raw, "raw", false, rawUsage)
	fl.StringVar(&f.stopWords, "stop-words", "", "a `FILE` of words, one a line, that codereviewer-bleu:stop=given leaves out")
	fl.StringVar(&f.format, "format", "",
		"`FORMAT` of the rows: jsonl (default), json, csv, parquet or text; with --corpus text (default), json or latex")
	f.html.add(fl)
	f.figures.add(fl)
	f.out.add(cmd)
	fl.IntVar(&f.workers, "workers", 0, "score `N` changes at a time (default: one for each processor)")
	addEncoder(cmd, &f.encoder)
	pooling := fl.Lookup("pooling")
	pooling.DefValue, pooling.Usage = "", pooling.Usage+" (default: model, and paper for the built-in one)"
	complete(cmd, "format", "jsonl", "json", "csv", "parquet", "text", "latex")
	complete(cmd, "metrics", append(refmetrics.Names(), "all")...)
	for _, name := range append(f.form.names(), "data", "reference", "out") {
		cmd.MarkFlagsMutuallyExclusive("hyp", name)
		cmd.MarkFlagsMutuallyExclusive("ref", name)
	}
	for _, name := range append(f.form.names(), "data", "hyp", "ref", "metrics", "corpus", "format", "html", "figures") {
		cmd.MarkFlagsMutuallyExclusive("list", name)
	}
	for _, name := range []string{"corpus", "html", "figures", "list"} {
		cmd.MarkFlagsMutuallyExclusive("out", name)
	}
	return cmd
}

// check returns what is wrong with the flags, before anything is computed.
func (f *metricsFlags) check(cmd *cobra.Command, s streams) error {
	if err := f.form.check(cmd); err != nil {
		return err
	}
	if err := f.out.check(cmd); err != nil {
		return err
	}
	f.form.options.NoDiff = true
	if err := oneStdin(append([]string{f.hyp, f.data, f.stopWords}, f.refs...)...); err != nil {
		return err
	}
	switch {
	case f.data == "" && f.hyp == "" && len(f.refs) == 0:
		return errors.New("nothing to score: give --data FILE, or --hyp FILE and --ref FILE")
	case f.data == "" && f.hyp == "":
		return errors.New("--ref needs the reviews that are compared with it: give --hyp FILE")
	case f.hyp != "" && len(f.refs) == 0:
		return errors.New("--hyp needs what its reviews are compared with: give --ref FILE")
	case slices.Contains(f.refs, ""):
		return errors.New("--ref is empty")
	case f.out.dir != "" && f.format != "" && f.format != jsonl:
		return fmt.Errorf("--out keeps results as jsonl, and --format is %s: leave it out", f.format)
	case f.corpus && f.format != "" && f.format != "text" && f.format != "json" && f.format != "latex":
		return fmt.Errorf("--corpus has the formats text, json and latex, and --format is %s", f.format)
	case f.workers < 0 || f.workers > 1024:
		return fmt.Errorf("--workers is %d, but must be from 1 to 1024", f.workers)
	}
	if err := f.figures.check(); err != nil {
		return err
	}
	if f.format == "" {
		f.format = spelling.Either(f.corpus, "text", jsonl)
	}
	if f.workers == 0 {
		f.workers = runtime.GOMAXPROCS(0)
	}
	if err := notOnTerminal(s, f.format); err != nil {
		return err
	}
	if !f.encoder.Builtin() && f.encoder.Pooling == "" {
		f.encoder.Pooling = sts.PoolingModel // vectors of whole texts as the model was trained to give
	}
	return f.encoder.Check()
}

func (f *metricsFlags) run(cmd *cobra.Command, s streams) error {
	if f.list {
		return f.printList(cmd, s)
	}
	if err := f.check(cmd, s); err != nil {
		return err
	}
	ids, err := f.references()
	if err != nil {
		return err
	}
	needs, err := f.needs(cmd, s)
	if err != nil {
		return err
	}
	if needs.Encoder != nil {
		defer needs.Encoder.Close()
	}
	set := refmetrics.Set{Corpus: f.corpus}
	if set.Metrics, err = refmetrics.Parse(f.metrics, needs); err != nil {
		return fmt.Errorf("--metrics: %w", err)
	}
	scorer := &run.Metrics{Set: set, IDs: ids, Compat: f.compat, Raw: f.raw || f.compat, Workers: f.workers, Bare: f.out.dir != ""}
	data := &run.Dataset{
		Name: f.data, Form: f.form.options, Terminal: s, Prints: !f.corpus,
		Reference: func(_ int, id string) bool { return slices.Contains(ids, id) },
	}
	data.Form.Without = []string{"old", "new"}
	if f.hyp != "" {
		data.Name, data.Refs = f.hyp, f.refs
		data.Reference = func(i int, _ string) bool { return i > 0 }
	}
	r := run.Run{Dataset: data, Scorer: scorer, Dir: f.out.dir, Format: f.format}
	if err := r.Divide(f.out.shard); err != nil {
		return err
	}
	if f.corpus {
		r.Table = func(t *run.Totals) error { return f.printTable(s, t, scorer) }
	} else if r.Rows, err = s.rows(f.format, scorer.Totals().Columns()); err != nil {
		return err
	}
	if err := scorer.First(cmd.Context(), data); err != nil {
		return err
	}
	err = r.Do(cmd.Context())
	if len(r.Page.Sections) == 0 {
		return err
	}
	drawn := scorer.Drawn()
	r.Page.Sections, r.Page.Foot = append(r.Page.Sections, drawn.Sections...), "" // figures have the signatures
	return errors.Join(err, f.html.write(r.Page), f.figures.write(s, drawn))
}

// printTable prints the table of the systems.
func (f *metricsFlags) printTable(s streams, t *run.Totals, m *run.Metrics) error {
	table := t.Table()
	if f.format == "text" {
		return s.print(f.format, []byte(table.Text(terminal.Screen(s.out).Width)))
	}
	page := table.Page()
	page.Sections[0].Title = page.Title // the caption
	return (&reportFlags{format: f.format}).printReport(s, m.Corpus(), page)
}

// references are the ids of --reference, or the names of the --ref files.
func (f *metricsFlags) references() (ids []string, err error) {
	if f.hyp != "" {
		ids = fileNames(f.refs)
		if i := slices.Index(f.refs, "-"); i >= 0 {
			ids[i] = run.SystemOf("-")
		}
		return ids, nil
	}
	for id := range strings.SplitSeq(f.reference, ",") {
		if id = strings.TrimSpace(id); id == "" {
			return nil, fmt.Errorf("--reference %q has an empty id", f.reference)
		}
		if slices.Contains(ids, id) {
			return nil, fmt.Errorf("--reference names %s twice", id)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// needs are what the metrics need. The encoder is nil where none of them needs it.
func (f *metricsFlags) needs(cmd *cobra.Command, s streams) (n refmetrics.Needs, err error) {
	n.Compat = f.compat
	switch given := strings.Contains(f.metrics, "stop=given"); {
	case given && f.stopWords == "":
		return n, errors.New("stop=given leaves out the words of a file: give --stop-words FILE")
	case !given && f.stopWords != "":
		return n, errors.New("--stop-words is for --metrics codereviewer-bleu:stop=given")
	case given:
		words, err := s.in.ReadFile(f.stopWords, limits.StopWordsBytes)
		if err != nil {
			return n, fmt.Errorf("--stop-words: %w", err)
		}
		n.StopWords = strings.Fields(string(words))
	}
	if refmetrics.NeedEncoder(f.metrics) {
		n.Encoder, err = f.encoder.Open(cmd.Context(), openLog(cmd))
		return n, err
	}
	for _, name := range encoderNames {
		if cmd.Flags().Changed(name) {
			return n, fmt.Errorf("--%s is for metrics that need an encoder, and --metrics %s has none", name, f.metrics)
		}
	}
	return n, nil
}

// printList prints the metrics.
func (f *metricsFlags) printList(cmd *cobra.Command, s streams) error {
	needs := refmetrics.Needs{}
	if refmetrics.NeedEncoder("all") {
		var err error
		if needs.Encoder, err = f.encoder.Open(cmd.Context(), openLog(cmd)); err != nil {
			return err
		}
		defer needs.Encoder.Close()
	}
	var b bytes.Buffer
	p := report.Printer{W: &b, Opts: terminal.Screen(s.out)}
	for _, m := range refmetrics.Metrics() {
		better := "higher is better"
		switch {
		case m.Control:
			better = "a control"
		case m.LowerIsBetter:
			better = "lower is better"
		}
		fmt.Fprintf(&b, "%s: %s to %s, %s\n", m.Name, bound(m.Min), bound(m.Max), better)
		p.Paragraph("    ", m.About)
		if options := m.Options(needs); len(options) > 0 {
			p.Paragraph("    ", "options: "+strings.Join(options, ", "))
		}
		p.Paragraph("    ", "source: "+m.Source)
	}
	b.WriteString("\nOf values with | between them, the first is the default.\n")
	return s.print("text", b.Bytes())
}

func bound(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
