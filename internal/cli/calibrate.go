package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/calibration"
	"crscore/eval/evidence"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/run"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
	"crscore/score"
)

type calibrateFlags struct {
	engine         engineFlags
	data, matrices string
	labels         string // a file of scores that stand for human labels
	form           dataFlags
	rule, system   string
	folds          int
	resamples      int
	seed           uint64
	out            terminal.OutFile
	reportFlags
	fitWeights bool
}

func calibrateCommand(s streams) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Find the threshold of a scoring mode on data",
		Long: `calibrate chooses a scoring rule on a labelled dataset and writes it as a profile
for crscore score --profile.

It fits every mode by each of its rules, compares them on held-out changes (k folds
over changes), and chooses the best. --mode and --rule narrow the choice. The report
names what was tried with the held-out figures. It also sets the choice beside the
rule in force (the default profile, or the file of --profile), with an interval and a
p-value, and warns if the choice is worse.

Rules:
  paper       mean of each sentence's best similarity; needs no labels (hard)
  f1          best F1 on the pairs that annotators linked (hard)
  spearman    best rank agreement of rel with human labels (hard, ramp, calibrated)
  likelihood  logistic regression of annotators' links on the similarity (calibrated)

--comp noisy-or fits modes soft and ramp by all sentences for a reference, and compares
them with their form by the best sentence.

--mode alone takes the first of these rules that the mode has. Without human labels
nothing can be compared: calibrate then takes mode hard by the paper's rule, and says so.

The human reference (the review msg) is left out, unless --system names it.
--matrices takes the file that crscore score --matrices wrote, and encodes nothing.
--labels takes con, comp and rel of crscore judge, or of other scores from 0 to 1, in the
place of human labels: the rule then agrees with the judge, not with people.`,
		Example: `  crscore calibrate --data labelled.jsonl --out profile.json
  crscore calibrate --data labelled.jsonl --profile profile.json --mode calibrated
  crscore calibrate --data reviews.jsonl --rule paper --system gpt3.5 --out profile.json
  crscore calibrate --data labelled.jsonl --mode ramp --out profile.json --html report.html
  crscore calibrate --data labelled.jsonl --mode ramp --comp noisy-or --out profile.json
  crscore calibrate --data labelled.jsonl --format latex --figures figures > calibration.tex
  crscore calibrate --data labelled.jsonl --encoder ./all-MiniLM-L6-v2 --rule spearman
  crscore score --data labelled.jsonl --matrices labelled.matrices > scores.jsonl &&
    crscore calibrate --matrices labelled.matrices --mode calibrated --format json
  crscore calibrate --data reviews.jsonl --labels judged.jsonl --out profile.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.calibrate(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", dataUsage)
	f.form.add(cmd)
	fl.StringVar(&f.matrices, "matrices", "", "`FILE` that crscore score --matrices wrote, instead of scoring")
	fl.Lookup("matrices").Annotations = map[string][]string{groupAnnotation: {"Input"}}
	fl.StringVar(&f.labels, "labels", "", "`FILE` of scores, as crscore judge prints them, in the place of human labels")
	fl.StringVar(&f.rule, "rule", "", "paper, f1, spearman or likelihood (default: the best on held-out changes; with --mode: paper for hard, spearman for ramp, likelihood for calibrated)")
	fl.StringVar(&f.system, "system", "", "for rule paper: the reviews of this system alone, as `NAME` in the data")
	fl.BoolVar(&f.fitWeights, "fit-weights", false, "for rule spearman: let implications and smells weigh less than claims where that agrees better")
	fl.IntVar(&f.folds, "folds", calibration.DefaultFolds, "parts that changes are dealt to; each is held out once")
	fl.IntVar(&f.resamples, "resamples", resample.DefaultResamples, "draws of the bootstrap behind intervals")
	fl.Uint64Var(&f.seed, "seed", 0, "of folds and draws")
	f.addReport(cmd, "text, json or latex (the tables)", reportFormats()...)
	f.figures.add(fl)
	f.out.Add(fl, "out", "", "write the profile, for --profile of other commands, to a new `FILE`")
	complete(cmd, "rule", string(calibration.Paper), string(calibration.F1), string(calibration.Spearman), string(calibration.Likelihood))
	f.engine.add(cmd)
	mode := fl.Lookup("mode")
	mode.Usage = "what is fitted: hard (tau), ramp (tau and low) or calibrated (tau and slope) (default: the best on held-out changes)"
	mode.DefValue = ""
	fl.Lookup("comp").Usage = "`FORM` of Comp in modes soft and ramp: best (the most similar sentence covers a reference), or noisy-or (all sentences together), which the report compares with best (default: as the rule in force)"
	fl.Lookup("profile").Usage = "`FILE` with the rule in force, which the result is compared with (default: the built-in profile)"
	for _, name := range parameterFlags {
		if fl.Lookup(name) != nil {
			_ = fl.MarkHidden(name)
		}
	}
	for _, name := range append(f.engine.names(), append(f.form.names(), "data")...) {
		if !slices.Contains([]string{"mode", "comp", "weights", "profile"}, name) {
			cmd.MarkFlagsMutuallyExclusive("matrices", name)
		}
	}
	return cmd
}

// parameterFlags are the flags of the engine that calibrate finds the values of.
var parameterFlags = []string{"tau", "low", "slope"}

func (f *calibrateFlags) calibrate(cmd *cobra.Command, s streams) error {
	opts, err := f.options(cmd)
	if err != nil {
		return err
	}
	if err := f.form.check(cmd); err != nil {
		return err
	}
	if err := f.figures.check(); err != nil {
		return err
	}
	profile, err := f.engine.Profile.Parse(cmd.Context())
	if err != nil {
		return err
	}
	labels, err := readJudged(f.labels, s)
	if err != nil {
		return err
	}
	in := gathered{labels: labels}
	var missing error
	if f.matrices != "" {
		err = in.load(f.matrices, s)
	} else {
		missing, err = f.score(cmd, s, &in)
	}
	if err == nil {
		err = labels.conclude(&in, s)
	}
	if err != nil {
		return err
	}
	if opts.InForce, err = in.inForce(profile, f.engine.Profile.File); err != nil {
		return err
	}
	if r := opts.InForce.Rule; opts.Comp == "" && r != nil && (opts.Mode == "" || opts.Mode.CanNoisyOr()) {
		opts.Comp = r.Comp
	}
	if labels != nil {
		opts.Labels = "labels of " + report.Plain(filepath.Base(stdio.Name(f.labels)))
	}
	if f.fitWeights {
		opts.Weights = in.table.WeightCandidates()
	}
	rep, err := in.table.Calibrate(cmd.Context(), opts)
	if err != nil {
		return err
	}
	out := calibrateReport{Report: rep, Made: in.made.String(), Data: in.data, Labels: labels.about()}
	if err := f.printReport(s, out, out.page()); err != nil {
		return outputError(err)
	}
	if f.out.String() != "" {
		b, err := json.MarshalIndent(out.profile(in.made), "", "  ")
		if err != nil {
			return err
		}
		if err := f.out.WriteAll(append(b, '\n')); err != nil {
			return outputError(err)
		}
	}
	out.conclude(s, f.out.String())
	return missing
}

// inForce is the rule that these data would be scored by without a new profile: that of
// the given profile, else the default.
func (m *gathered) inForce(given *score.Profile, file string) (*calibration.InForce, error) {
	p, name := given, file
	if p == nil {
		std, err := crscore.DefaultProfile(m.made.Similarity, m.made.Splitter)
		if err != nil {
			return nil, err
		}
		p, name = &std, "the default profile"
	}
	mismatch := p.Mismatch(m.made.Similarity, m.made.Splitter)
	switch {
	case mismatch != "" && given != nil:
		return nil, fmt.Errorf("--profile %s was made with %s", file, mismatch)
	case mismatch != "":
		return &calibration.InForce{Name: name, Missing: "there is none here: the default profile was made with " + mismatch}, nil
	}
	rule, err := p.Scoring()
	if err != nil {
		return nil, fmt.Errorf("the profile in force: %w", err)
	}
	_, here, _ := strings.Cut(m.data, " sha256:")
	return &calibration.InForce{
		Name: name, Rule: &rule, SameData: strings.HasSuffix(p.Data, " sha256:"+here), FittedBy: calibration.RuleOf(p.Rule),
	}, nil
}

// options are what the flags ask for, as far as that is known before the data.
func (f *calibrateFlags) options(cmd *cobra.Command) (o calibration.Options, err error) {
	given := cmd.Flags().Changed
	if err := oneStdin(f.data, f.matrices, f.labels); err != nil {
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
	if given("mode") {
		if o.Mode, err = score.ParseMode(*f.engine.Mode); err != nil {
			return o, fmt.Errorf("--mode: %w", err)
		}
	}
	if given("comp") {
		if o.Comp, err = score.ParseCoverage(f.engine.Comp); err != nil {
			return o, fmt.Errorf("--comp: %w", err)
		}
	}
	if w := cmd.Flags().Lookup("weights"); w != nil && w.Changed {
		weights, err := score.ParseWeights(w.Value.String())
		if err != nil {
			return o, fmt.Errorf("--weights: %w", err)
		}
		o.Weights = []score.Weights{weights}
	}
	if f.fitWeights {
		rules := calibration.Rules(o.Mode)
		first := o.Mode == "" || len(rules) > 0 && rules[0] == calibration.Spearman
		switch {
		case len(o.Weights) > 0:
			return o, errors.New("--weights says what --fit-weights looks for: leave one out")
		case o.Rule != calibration.Spearman && (o.Rule != "" || !first):
			return o, errors.New("--fit-weights needs --rule spearman: the other rules do not look at scores")
		}
	}
	return o, o.Check()
}

// gathered is the data that rules are fitted on.
type gathered struct {
	table calibration.Table
	made  crscore.Provenance
	data  string // with its checksum
	// other counts the changes whose references were not made as asked.
	other int
	// labels stand for human labels; nil without any.
	labels *judgedLabels
}

func (m *gathered) add(b *matrices.Block) error {
	m.labels.put(b)
	if b.Sources != "" {
		m.other++
	}
	return m.table.Add(b)
}

// warn says what a person should know of the data.
func (m *gathered) warn(s streams) {
	if m.other > 0 {
		s.log.Warn(fmt.Sprintf("changes whose references were made otherwise than asked for: %d (a source was not there)", m.other))
	}
}

// score makes the matrices of a dataset.
func (f *calibrateFlags) score(cmd *cobra.Command, s streams, m *gathered) (missing, err error) {
	f.engine.Unruled = true
	if err := f.engine.configure(cmd, nil); err != nil {
		return nil, err
	}
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	m.made = e.Provenance()
	lost := 0
	data := run.Dataset{Name: f.data, Form: f.form.options, Terminal: s, Strict: true, Sum: sha256.New()}
	err = data.Judge(cmd.Context(), e, func(rec *dataset.Record, o crscore.Outcome) error {
		b, err := evidence.Block(cmd.Context(), e, rec, o)
		if err != nil && cmd.Context().Err() == nil {
			lost++
			s.log.SayOfKind(slog.LevelError, run.LeftOutChanges, err.Error())
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.add(b); err != nil {
			return fmt.Errorf("%s: %s: %w", stdio.Name(f.data), rec.Where(), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.data = checksum(f.data, data.Sum)
	m.warn(s)
	run.SayTruncated(e, s)
	missing = data.Missing()
	if missing == nil && lost > 0 {
		missing = run.Incomplete{Err: fmt.Errorf("incomplete: changes that were not compared: %d", lost)}
	}
	return missing, nil
}

func checksum(name string, sum hash.Hash) string {
	if name == "-" {
		name = "standard input"
	}
	name = report.Plain(filepath.Base(name))
	return fmt.Sprintf("%s sha256:%x", name, sum.Sum(nil))
}

// load reads a file of matrices. All of it has to be good: a threshold that
// was fitted on a part of the data is not that of the data.
func (m *gathered) load(name string, s streams) error {
	in, err := s.in.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	r, err := matrices.NewReader(io.TeeReader(in, sum))
	if err != nil {
		return fmt.Errorf("%s: %w", stdio.Name(name), err)
	}
	if m.made, err = crscore.ParseProvenance(r.Stem()); err != nil {
		return fmt.Errorf("%s: %w", stdio.Name(name), err)
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, matrices.ErrTruncated) {
			return fmt.Errorf("%s: %w; the %d changes before are good", stdio.Name(name), err, m.table.Changes())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", stdio.Name(name), err)
		}
		if err := m.add(b); err != nil {
			return fmt.Errorf("%s: %w", stdio.Name(name), err)
		}
	}
	m.data = checksum(name, sum)
	m.warn(s)
	return nil
}

// calibrateReport is the calibration with what belongs to the run.
type calibrateReport struct {
	calibration.Report
	Made string `json:"made_with"`
	Data string `json:"data"`
	// Labels says whose scores stand for human labels, empty for people's labels.
	Labels string `json:"labels,omitempty"`
}

func (r calibrateReport) profile(made crscore.Provenance) score.Profile {
	rule := r.Chosen.Scoring()
	return score.Profile{
		Mode: rule.Mode, Tau: rule.Tau, Low: rule.Low, Slope: rule.Slope, Comp: r.Chosen.Comp, Weights: rule.Weights.String(),
		Similarity: made.Similarity.Portable(), Splitter: made.Splitter,
		Rule: r.Explained, Data: r.Data, Claims: made.Claims, Smells: made.Smells,
	}
}

// conclude says on standard error what was chosen and how it compares with the rule in
// force.
func (r calibrateReport) conclude(s streams, file string) {
	text := r.Conclusion()
	if file != "" {
		text += "; written to " + file
	}
	if r.Doubtful() {
		s.log.Warn("warning: " + text)
		return
	}
	s.log.Note(text)
}

func (r calibrateReport) page() figures.Page {
	p := r.Page()
	p.Foot = "Made with " + r.Made + "\n\nData: " + r.Data
	if r.Labels != "" {
		p.Foot = "The labels are not people's, but the scores of " + r.Labels + "\n\n" + p.Foot
	}
	return p
}
