package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/calibration"
	"crscore/eval/evidence"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/score"
)

type calibrateFlags struct {
	engine         engineFlags
	data, matrices string
	form           dataFlags
	rule, system   string
	folds          int
	resamples      int
	seed           uint64
	format         string
	out, html      string
	fitWeights     bool
}

func calibrateCommand(s streams) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Find the threshold of a scoring mode on data",
		Long: `calibrate finds τ, and what else a scoring mode has, on a dataset; measures it on
changes that it was not fitted on (k folds over changes); and writes a profile
that crscore score --profile loads.

Rules:
  paper       mean of each sentence's best similarity; needs no labels (hard)
  f1          best F1 on the pairs that annotators linked (hard)
  spearman    best rank agreement of rel with human labels (hard, ramp, calibrated)
  likelihood  logistic regression of annotators' links on the similarity (calibrated)

F1 chooses one threshold and cannot choose the second parameter of ramp or
calibrated: F1 of expected values is highest where these modes are hard.

The human reference (the review msg) is left out, unless --system names it. Where
there are labels, all modes are compared by their agreement on held-out changes.
--matrices takes the file that crscore score --matrices wrote, and encodes nothing.`,
		Example: `  crscore calibrate --data labelled.jsonl
  crscore calibrate --data reviews.jsonl --rule paper --system gpt3.5 --out profile.json
  crscore calibrate --data labelled.jsonl --mode ramp --out profile.json --html report.html
  crscore calibrate --data labelled.jsonl --encoder ./all-MiniLM-L6-v2 --rule spearman
  crscore score --data labelled.jsonl --matrices labelled.matrices > scores.jsonl &&
    crscore calibrate --matrices labelled.matrices --mode calibrated --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.calibrate(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", dataUsage)
	f.form.add(cmd)
	fl.StringVar(&f.matrices, "matrices", "", "`FILE` that crscore score --matrices wrote, instead of scoring")
	fl.StringVar(&f.rule, "rule", "", "paper, f1, spearman or likelihood (default: paper for mode hard, spearman for ramp, likelihood for calibrated)")
	fl.StringVar(&f.system, "system", "", "for rule paper: the reviews of this system alone, as `NAME` in the data")
	fl.BoolVar(&f.fitWeights, "fit-weights", false, "for rule spearman: let implications and smells weigh less than claims where that agrees better")
	fl.IntVar(&f.folds, "folds", calibration.DefaultFolds, "parts that changes are dealt to; each is held out once")
	fl.IntVar(&f.resamples, "resamples", resample.DefaultResamples, "draws of the bootstrap behind intervals")
	fl.Uint64Var(&f.seed, "seed", 0, "of folds and draws")
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.StringVar(&f.html, "html", "", "also write the report, with figures, as one HTML `FILE`")
	fl.StringVar(&f.out, "out", "", "write the profile, for --profile of other commands, to a new `FILE`")
	complete(cmd, "format", "text", "json")
	complete(cmd, "rule", string(calibration.Paper), string(calibration.F1), string(calibration.Spearman), string(calibration.Likelihood))
	f.engine.add(cmd)
	mode := fl.Lookup("mode")
	mode.Usage = "what is fitted: hard (tau), ramp (tau and low) or calibrated (tau and slope) (default: hard, or what --rule is for)"
	mode.DefValue = ""
	for _, name := range parameterFlags {
		if fl.Lookup(name) != nil {
			_ = fl.MarkHidden(name)
		}
	}
	for _, name := range append(f.engine.names(), append(f.form.names(), "data")...) {
		if !slices.Contains([]string{"mode", "weights"}, name) {
			cmd.MarkFlagsMutuallyExclusive("matrices", name)
		}
	}
	return cmd
}

// parameterFlags are those of the engine that say what is looked for here.
var parameterFlags = []string{"tau", "low", "slope", "profile"}

func (f *calibrateFlags) calibrate(cmd *cobra.Command, s streams) error {
	opts, err := f.options(cmd)
	if err != nil {
		return err
	}
	if err := f.form.check(cmd); err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return err
	}
	var in gathered
	var missing error
	if f.matrices != "" {
		in, err = loadMatrices(f.matrices, s)
	} else {
		in, missing, err = f.score(cmd, s)
	}
	if err != nil {
		return err
	}
	if f.fitWeights {
		opts.Weights = in.table.WeightCandidates()
	}
	rep, err := in.table.Calibrate(cmd.Context(), opts)
	if err != nil {
		return err
	}
	out := calibrateReport{Report: rep, Made: in.made.String(), Data: in.data}
	if err := out.print(s, f.format); err != nil {
		return written(err)
	}
	if f.html != "" {
		var b bytes.Buffer
		if err := out.page().WriteHTML(&b); err != nil {
			return err
		}
		if err := os.WriteFile(f.html, b.Bytes(), 0o666); err != nil {
			return written(err)
		}
	}
	if f.out != "" {
		b, err := json.MarshalIndent(out.profile(in.made), "", "  ")
		if err != nil {
			return err
		}
		if err := createFile(f.out, append(b, '\n')); err != nil {
			return written(err)
		}
	}
	return missing
}

// options are what the flags ask for, as far as that is known before the data.
func (f *calibrateFlags) options(cmd *cobra.Command) (o calibration.Options, err error) {
	given := cmd.Flags().Changed
	if f.format != "text" && f.format != "json" {
		return o, fmt.Errorf("unknown format %q: choose text or json", f.format)
	}
	if err := notEmpty(cmd, "data", "matrices", "rule", "system", "mode", "out", "html", "weights"); err != nil {
		return o, err
	}
	if f.data == "" && f.matrices == "" {
		return o, errors.New("nothing to calibrate on: give --data FILE.jsonl or --matrices FILE")
	}
	for _, name := range parameterFlags {
		if given(name) {
			return o, fmt.Errorf("--%s is what calibrate looks for: leave it out", name)
		}
	}
	o = calibration.Options{
		Rule: calibration.Rule(f.rule), System: f.system, Folds: f.folds, Resamples: f.resamples, Seed: f.seed,
	}
	if f.folds == 0 || f.resamples == 0 {
		return o, errors.New("--folds and --resamples must be greater than 0")
	}
	o.Mode = score.Hard
	if given("mode") {
		if o.Mode, err = score.ParseMode(f.engine.mode); err != nil {
			return o, fmt.Errorf("--mode: %w", err)
		}
	} else if o.Rule == calibration.Likelihood {
		o.Mode = score.Calibrated
	}
	if w := cmd.Flags().Lookup("weights"); w != nil && w.Changed {
		weights, err := score.ParseWeights(w.Value.String())
		if err != nil {
			return o, fmt.Errorf("--weights: %w", err)
		}
		o.Weights = []score.Weights{weights}
	}
	if f.fitWeights {
		switch rules := calibration.Rules(o.Mode); {
		case len(o.Weights) > 0:
			return o, errors.New("--weights says what --fit-weights looks for: leave one out")
		case o.Rule != calibration.Spearman && (o.Rule != "" || len(rules) == 0 || rules[0] != calibration.Spearman):
			return o, errors.New("--fit-weights needs --rule spearman: the other rules do not look at scores")
		}
	}
	return o, o.Check()
}

// writable finds out before a long run that a file may not be written.
func (f *calibrateFlags) writable() error {
	if f.out != "" && f.out == f.html {
		return fmt.Errorf("--out and --html both name %s", f.out)
	}
	if err := checkPage(f.html, f.data, f.matrices); err != nil {
		return err
	}
	if f.out == "" {
		return nil
	}
	if _, err := os.Lstat(f.out); err == nil {
		return fmt.Errorf("--out: %s is there already: remove it, or choose another name", f.out)
	}
	return nil
}

// gathered is the data that rules are fitted on.
type gathered struct {
	table calibration.Table
	made  crscore.Made
	data  string // with its checksum
	// other counts the changes whose references were not made as asked.
	other int
}

func (m *gathered) add(b *matrices.Block) error {
	if b.Sources != "" {
		m.other++
	}
	return m.table.Add(b)
}

// warn says what a person should know of the data.
func (m *gathered) warn(s streams) {
	if m.other > 0 {
		s.log.warn(fmt.Sprintf("changes whose references were made otherwise than asked for: %d (a source was not there)", m.other))
	}
}

// score makes the matrices of a dataset.
func (f *calibrateFlags) score(cmd *cobra.Command, s streams) (m gathered, missing, err error) {
	// The engine is asked for similarities only; this mode needs no threshold.
	if err := cmd.Flags().Set("mode", string(score.Soft)); err != nil {
		return m, nil, err
	}
	if err := f.engine.configure(cmd, true); err != nil {
		return m, nil, err
	}
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return m, nil, err
	}
	defer e.Close()
	m.made = e.Made()
	lost := 0
	run := runner{engine: e, name: f.data, form: f.form.options, s: s, strict: true, sum: sha256.New()}
	err = run.run(cmd.Context(), func(rec *dataset.Record, o crscore.Outcome) error {
		b, err := evidence.Block(cmd.Context(), e, rec, o)
		if err != nil && cmd.Context().Err() == nil {
			lost++
			s.log.fail(err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.add(b); err != nil {
			return fmt.Errorf("%s: %s: %w", showInput(f.data), rec.Where(), err)
		}
		return nil
	})
	if err != nil {
		return m, nil, err
	}
	m.data = checksum(f.data, run.sum)
	m.warn(s)
	warnTruncated(s, e)
	missing = run.missing()
	if missing == nil && lost > 0 {
		missing = incomplete{fmt.Errorf("incomplete: changes that were not compared: %d", lost)}
	}
	return m, missing, nil
}

func checksum(name string, sum hash.Hash) string {
	if name == "-" {
		name = "standard input"
	}
	name = report.Plain(filepath.Base(name))
	return fmt.Sprintf("%s sha256:%x", name, sum.Sum(nil))
}

// loadMatrices reads a file of matrices. All of it has to be good: a threshold that
// was fitted on a part of the data is not that of the data.
func loadMatrices(name string, s streams) (m gathered, err error) {
	in, err := openInput(name, s.in)
	if err != nil {
		return m, err
	}
	defer in.Close()
	sum := sha256.New()
	r, err := matrices.NewReader(io.TeeReader(in, sum))
	if err != nil {
		return m, fmt.Errorf("%s: %w", showInput(name), err)
	}
	if m.made, err = crscore.ParseMade(r.Stem()); err != nil {
		return m, fmt.Errorf("%s: %w", showInput(name), err)
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, matrices.ErrTruncated) {
			return m, fmt.Errorf("%s: %w; the %d changes before are good", showInput(name), err, m.table.Changes())
		}
		if err != nil {
			return m, fmt.Errorf("%s: %w", showInput(name), err)
		}
		if err := m.add(b); err != nil {
			return m, fmt.Errorf("%s: %w", showInput(name), err)
		}
	}
	m.data = checksum(name, sum)
	m.warn(s)
	return m, nil
}

// calibrateReport is the calibration with what belongs to the run.
type calibrateReport struct {
	calibration.Report
	Made string `json:"made_with"`
	Data string `json:"data"`
}

func (r calibrateReport) profile(made crscore.Made) score.Profile {
	rule := r.Chosen.Scoring()
	return score.Profile{
		Mode: rule.Mode, Tau: rule.Tau, Low: rule.Low, Slope: rule.Slope, Weights: rule.Weights.String(),
		Similarity: score.Portable(made.Similarity), Splitter: made.Splitter,
		Rule: r.Explained, Data: r.Data, Claims: made.Claims, Smells: made.Smells,
	}
}

func (r calibrateReport) print(s streams, format string) error {
	var b bytes.Buffer
	if format == "json" {
		if err := report.JSON(&b, r, "  "); err != nil {
			return err
		}
	} else if err := r.page().WriteText(&b, screen(s.out).Width); err != nil {
		return err
	}
	_, err := s.out.Write(b.Bytes())
	return err
}

func (r calibrateReport) page() figures.Page {
	p := r.Page()
	p.Foot = "Made with " + r.Made + "\n\nData: " + r.Data
	return p
}

// createFile writes a file that is not there yet, as a whole or not at all.
func createFile(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
