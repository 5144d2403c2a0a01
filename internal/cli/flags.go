package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore"
	"crscore/analyzers"
	"crscore/chat"
	"crscore/internal/config"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
	"crscore/pseudoref/llm"
	"crscore/score"
	"crscore/sts"
)

// sourceFlags choose the sources of references.
type sourceFlags struct {
	claims, smells   string
	max              int // claims from syntax
	format, fallback string
	timeout          time.Duration
	calls            int // of the model
	noCache          bool
	findings         []string
	tools            toolFlags
	config           configFlags

	settings               config.Config // set by configure
	claimsFrom, smellsFrom string        // the places that set claims and smells, for errors
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.claims, "claims", "symbolic", "`SOURCES` of claims, joined by commas: symbolic, data:NAME, ollama:MODEL, openai:MODEL; or none")
	fl.StringVar(&f.smells, "smells", "builtin", "`SOURCES` of smells, joined by commas: builtin, data, an analyzer such as pmd (see crscore doctor); or auto (builtin and every installed analyzer); or none")
	fl.StringArrayVar(&f.findings, "findings", nil, "add the findings of another tool as smells, from a `FILE` in SARIF, checkstyle's XML, rdjson or rdjsonl; may be repeated")
	fl.IntVar(&f.max, "max-claims", 0, "at most `N` symbolic claims for a change, by weight (default: 10, more for a long change, at most 60)")
	fl.StringVar(&f.format, "claims-format", string(llm.JSON), "`FORMAT` in which the model of --claims answers: json, or prose for models tuned to write numbered lists")
	fl.StringVar(&f.fallback, "claims-fallback", "", "`SOURCE` of claims where the model failed: symbolic (default: such a change has no score)")
	fl.DurationVar(&f.timeout, "claims-timeout", chat.DefaultTimeout, "longest `DURATION` of a call to the model of --claims")
	addCalls(cmd, &f.calls)
	fl.BoolVar(&f.noCache, "no-cache", false, "neither use nor keep answers of models and analyzers (see crscore cache)")
	f.tools.add(cmd)
	f.config.add(cmd)
	complete(cmd, "claims", "symbolic", "data:", "ollama:", "openai:", "none")
	names := []string{"builtin", "data", "auto", "none"}
	for _, t := range analyzers.All() {
		names = append(names, t.Name)
	}
	complete(cmd, "smells", names...)
	complete(cmd, "claims-format", string(llm.JSON), string(llm.Prose))
	complete(cmd, "claims-fallback", "symbolic")
}

// names are the flags of add, for commands that exclude them.
func (*sourceFlags) names() []string {
	return slices.Concat([]string{"claims", "smells", "max-claims", "findings", "no-cache"}, modelFlags, toolFlagNames, configFlags{}.names())
}

// configure completes the flags from the configuration, and refuses sources that the input
// cannot have. A nil change is a dataset, which is no part of a project: only the user's
// settings count.
func (f *sourceFlags) configure(cmd *cobra.Command, ch *changeFlags) error {
	read := func() (config.Config, error) { return f.config.load(cmd, nil) }
	if ch != nil {
		read = func() (config.Config, error) { return f.config.ofChange(cmd, ch) }
	}
	if err := f.readConfig(cmd, read); err != nil {
		return err
	}
	if ch == nil && len(f.findings) > 0 {
		return errors.New("--findings is for one change, and --data has many: put smells into the dataset's field smells")
	}
	if ch == nil || ch.diff != "" {
		if err := f.noProject("give --range instead of --diff and --data, or neither to score the work tree"); err != nil {
			return err
		}
	}
	if ch == nil {
		return nil
	}
	return f.noData()
}

// readConfig completes the flags from the configuration.
func (f *sourceFlags) readConfig(cmd *cobra.Command, read func() (config.Config, error)) (err error) {
	f.claimsFrom, f.smellsFrom = "--claims", "--smells"
	if f.settings, err = read(); err != nil {
		return err
	}
	if t := f.settings.Claims; t.Value != "" && !cmd.Flags().Changed("claims") {
		f.claims, f.claimsFrom = t.Value, t.Place.String()+": claims"
	}
	if t := f.settings.Smells; t.Value != "" && !cmd.Flags().Changed("smells") {
		f.smells, f.smellsFrom = t.Value, t.Place.String()+": smells"
	}
	return nil
}

// noProject refuses analyzers that need the whole project; the hint says what to do.
func (f *sourceFlags) noProject(hint string) error {
	for s := range strings.SplitSeq(f.smells, ",") {
		if tool, ok := analyzers.Lookup(strings.TrimSpace(s)); ok && tool.Project != nil {
			return fmt.Errorf("%s %s needs the whole project: %s", f.smellsFrom, tool.Name, hint)
		}
	}
	return nil
}

// noData refuses the sources data and data:NAME, which only a dataset has.
func (f *sourceFlags) noData() error {
	for _, from := range []struct{ name, list string }{{f.claimsFrom, f.claims}, {f.smellsFrom, f.smells}} {
		for _, s := range strings.Split(from.list, ",") {
			if s = strings.TrimSpace(s); s == "data" || strings.HasPrefix(s, "data:") {
				return fmt.Errorf("%s %s needs --data: it is a list in a dataset", from.name, s)
			}
		}
	}
	return nil
}

// modelFlags are the flags of add for language models.
var modelFlags = []string{"claims-format", "claims-fallback", "claims-timeout", callsFlag}

// asksModel reports whether a source is a language model.
func (f *sourceFlags) asksModel() bool {
	return slices.ContainsFunc(strings.Split(f.claims, ","), func(s string) bool {
		kind, _, named := strings.Cut(strings.TrimSpace(s), ":")
		return named && kind != "data"
	})
}

// runsTools reports whether a source is an analyzer.
func (f *sourceFlags) runsTools() bool {
	return slices.ContainsFunc(strings.Split(f.smells, ","), func(s string) bool {
		s = strings.TrimSpace(s)
		_, tool := analyzers.Lookup(s)
		return tool || s == "auto"
	})
}

// options returns the sources of the flags and the configuration. Their Closer closes the
// cache of answers, where one is open.
func (f *sourceFlags) options(cmd *cobra.Command) (opts crscore.Options, err error) {
	if err := notEmpty(cmd, f.names()...); err != nil {
		return opts, err
	}
	opts.OnPanic = terminal.LogOf(cmd).Panicked
	if cmd.Flags().Changed("max-claims") && f.max < 1 {
		return opts, fmt.Errorf("--max-claims is %d, but must be at least 1", f.max)
	}
	symbolicOptions := claimOptions(f.settings)
	symbolicOptions.Max = f.max
	var model crscore.ModelOptions
	if model.Format, err = llm.ParseFormat(f.format); err != nil {
		return opts, fmt.Errorf("--claims-format: %w", err)
	}
	switch f.fallback {
	case "":
	case "symbolic":
		if model.Fallback, err = crscore.TunedClaims(symbolicOptions); err != nil {
			return opts, fmt.Errorf("--claims-fallback: %w", err)
		}
	default:
		return opts, fmt.Errorf("--claims-fallback is %q: the only choice is symbolic", f.fallback)
	}
	if model.Timeout = f.timeout; f.timeout <= 0 {
		return opts, fmt.Errorf("--claims-timeout is %s, but must be greater than 0", f.timeout)
	}
	if err := checkCalls(f.calls); err != nil {
		return opts, err
	}
	model.Calls, model.Warn = f.calls, terminal.LogOf(cmd).Warn
	for _, name := range modelFlags {
		if cmd.Flags().Changed(name) && !f.asksModel() {
			return opts, fmt.Errorf("--%s is for the claims of a model, and %s names none", name, f.claimsFrom)
		}
	}
	tools, err := f.tools.options(cmd, f.settings.Tools, f.runsTools())
	if err != nil {
		return opts, err
	}
	if f.noCache && !f.asksModel() && !f.runsTools() {
		return opts, errors.New("--no-cache is for the answers of models and analyzers, and neither claims nor smells name one")
	}
	if !f.noCache && (f.asksModel() || f.runsTools()) {
		if answers := openCache(cmd.Context(), terminal.LogOf(cmd)); answers != nil {
			opts.Closer, model.Cache, tools.Cache = answers, answers, answers
			defer func() {
				if err != nil {
					err = errors.Join(err, answers.Close())
				}
			}()
		}
	}
	if opts.Smells, err = crscore.ParseSmells(f.smells, crscore.SmellOptions{Builtin: smellOptions(f.settings), Tools: tools}); err != nil {
		return opts, fmt.Errorf("%s: %w", f.smellsFrom, err)
	}
	for _, name := range f.findings {
		if name == "-" {
			return opts, errors.New("--findings takes no -: standard input is the file /dev/stdin")
		}
		text, err := stdio.Empty(cmd.Context()).ReadFile(name, crscore.MaxFindingsBytes)
		if err != nil {
			return opts, fmt.Errorf("--findings: %w", err)
		}
		source, err := crscore.ReadFindings(text)
		if err != nil {
			return opts, fmt.Errorf("--findings %s: %w", name, err)
		}
		opts.Smells = append(opts.Smells, source)
	}
	if opts.Claims, err = crscore.ParseClaims(f.claims, crscore.ClaimOptions{Symbolic: symbolicOptions, Model: model}); err != nil {
		return opts, fmt.Errorf("%s: %w", f.claimsFrom, err)
	}
	if len(opts.Claims) == 0 && len(opts.Smells) == 0 {
		return opts, fmt.Errorf("%s none and %s none leave no references: choose a source of one of them", f.claimsFrom, f.smellsFrom)
	}
	return opts, nil
}

// refs makes the references of one change. Claims of a model need the default engine, which
// compares them with the claims of other sources as score does.
func (f *sourceFlags) refs(ctx context.Context, in crscore.Input, opts crscore.Options) (crscore.RefSet, error) {
	if !f.asksModel() {
		if opts.Closer != nil {
			defer opts.Closer.Close()
		}
		return crscore.Refs(ctx, in, opts)
	}
	e, err := crscore.New(ctx, opts)
	if err != nil {
		return crscore.RefSet{}, err
	}
	defer e.Close()
	return e.Refs(ctx, in)
}

// engineFlags choose sources, encoder and scoring rule.
type engineFlags struct {
	sourceFlags
	encoder                    encoderFlags
	mode, splitter, similarity string
	raw                        bool
	tau, low, slope            float64
	comp, weights              string
	profile, compat            string
	profileText                []byte // the content of the file of profile, where another process has read it
	workers                    int
	similarities               bool // the engine only makes these; no rule scores them
}

func (f *engineFlags) add(cmd *cobra.Command) {
	f.sourceFlags.add(cmd)
	f.encoder.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.mode, "mode", "", "scoring `MODE`: hard (best similarity above --tau), soft (mean of best similarities), ramp (in part from --low, in full from --tau) or calibrated (probability by --tau and --slope) (default: the built-in profile's)")
	fl.Float64Var(&f.tau, "tau", 0, "`THRESHOLD` τ, from 0 to 1 (default: the built-in profile's)")
	fl.Float64Var(&f.low, "low", 0, "lower `THRESHOLD` of mode ramp, from 0 to --tau; no credit below it (default: the built-in profile's)")
	fl.Float64Var(&f.slope, "slope", 0, "`SLOPE` of mode calibrated, above 0: the rise of the log-odds with similarity (default: the built-in profile's)")
	fl.StringVar(&f.comp, "comp", "", "`FORM` of Comp in modes soft and ramp: best (the most similar sentence covers a reference), or noisy-or (all sentences together: 1 - Π(1 - credit)) (default: the built-in profile's, else best)")
	fl.StringVar(&f.weights, "weights", "", "`WEIGHTS` of references in Comp, by kind or kind@source: smell=0.5,claim@symbolic=2 (default: 1, or the built-in profile's)")
	fl.StringVar(&f.profile, "profile", "", "`FILE` with the scoring rule that crscore calibrate wrote; it fits the encoder, similarity, pooling and splitter of its making")
	fl.StringVar(&f.splitter, "splitter", "markdown", "sentence `SPLITTER`: markdown, or paper (splits at line ends, full stops and question marks)")
	fl.BoolVar(&f.raw, "raw", false, rawUsage)
	fl.StringVar(&f.similarity, "similarity", "", "`SIMILARITY` of two texts: pair (learnt from people's links; reads the diff "+
		"and the other references), hybrid (vectors and shared words), cosine (vectors alone, as in the paper) or cross:MODEL "+
		"(a cross-encoder: the name of a downloaded model, or a folder); default: pair, or hybrid with another encoder or pooling than the built-in")
	fl.IntVar(&f.workers, "workers", 0, "score `N` changes at a time (default: one for each processor, or for each call at a time to a model)")
	complete(cmd, "comp", string(score.CoverBest), string(score.CoverNoisyOr))
	complete(cmd, "mode", string(score.Hard), string(score.Soft), string(score.Ramp), string(score.Calibrated))
	fl.StringVar(&f.compat, "compat", "", "`PROGRAM` whose behaviour to reproduce: crscore-code, which the paper's authors released (needs --similarity cosine; see docs/reproduction.md)")
	complete(cmd, "compat", string(crscore.CompatCode))
	complete(cmd, "splitter", "markdown", "paper")
	complete(cmd, "similarity", sts.SimilarityPair, sts.SimilarityHybrid, sts.SimilarityCosine, crossPrefix)
}

// rawUsage is the help of --raw.
const rawUsage = "keep the parts that review bots add: severities, prompts, suggestions, footers (see docs/bots.md)"

func (f *engineFlags) names() []string {
	return append(append(f.sourceFlags.names(), f.encoder.names()...), "mode", "tau", "low", "slope", "comp", "weights", "profile", "splitter", "raw", "similarity", "compat", "workers")
}

// engine makes the engine of the flags.
func (f *engineFlags) engine(ctx context.Context, cmd *cobra.Command) (_ *crscore.Engine, err error) {
	opts, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	open := closers{opts.Closer}
	defer func() {
		if err != nil {
			err = errors.Join(err, open.Close())
		}
	}()
	if err := f.rule(cmd, &opts); err != nil {
		return nil, err
	}
	if opts.Splitter, err = sts.NewSplitter(f.splitter, f.raw); err != nil {
		return nil, fmt.Errorf("--splitter: %w", err)
	}
	if opts.Compat, err = crscore.ParseCompat(f.compat); err != nil {
		return nil, fmt.Errorf("--compat: %w", err)
	}
	if opts.Compat != "" && f.similarity != sts.SimilarityCosine {
		return nil, fmt.Errorf("--compat %s needs --similarity %s, the paper's", opts.Compat, sts.SimilarityCosine)
	}
	if f.workers < 0 || f.workers > 1024 {
		return nil, fmt.Errorf("--workers is %d, but must be from 1 to 1024", f.workers)
	}
	opts.Workers = f.workers
	similarity, model, err := f.openSimilarity(ctx, cmd, opts)
	if err != nil {
		return nil, err
	}
	opts.Similarity, open = similarity, append(open, model)
	opts.Closer, open = open, nil // New closes them when it fails
	e, err := crscore.New(ctx, opts)
	if err != nil {
		return nil, err
	}
	for _, warning := range e.Warnings() {
		terminal.LogOf(cmd).Warn(warning)
	}
	return e, nil
}

// rule sets the options of the scoring rule. An option without a flag stays empty: the
// engine has the defaults.
func (f *engineFlags) rule(cmd *cobra.Command, opts *crscore.Options) (err error) {
	if f.similarities {
		opts.Mode = score.Soft // needs no threshold
		return nil
	}
	given := cmd.Flags().Changed
	if given("mode") {
		if opts.Mode, err = score.ParseMode(f.mode); err != nil {
			return fmt.Errorf("--mode: %w", err)
		}
	}
	for _, p := range []struct {
		name string
		from *float64
		to   **float64
	}{{"tau", &f.tau, &opts.Tau}, {"low", &f.low, &opts.Low}, {"slope", &f.slope, &opts.Slope}} {
		if given(p.name) {
			*p.to = p.from
		}
	}
	if given("comp") {
		if opts.Comp, err = score.ParseCoverage(f.comp); err != nil {
			return fmt.Errorf("--comp: %w", err)
		}
	}
	if opts.Weights, err = score.ParseWeights(f.weights); err != nil {
		return fmt.Errorf("--weights: %w", err)
	}
	if f.profile == "" {
		return nil
	}
	p, err := readProfile(cmd.Context(), f.profile, f.profileText)
	opts.Profile = &p
	return err
}

// readProfile reads the file of --profile, or its text where that is known.
func readProfile(ctx context.Context, name string, text []byte) (score.Profile, error) {
	if text == nil {
		var err error
		if text, err = stdio.Empty(ctx).ReadFile(name, maxProfileBytes); err != nil {
			return score.Profile{}, fmt.Errorf("--profile: %w", err)
		}
	}
	p, err := score.ParseProfile(text)
	if err != nil {
		return score.Profile{}, fmt.Errorf("--profile %s: %w", name, err)
	}
	return p, nil
}

// maxProfileBytes bounds the file of a profile.
const maxProfileBytes = 1 << 20

// closers closes several closers, of which some may be nil.
type closers []io.Closer

func (c closers) Close() error {
	var errs []error
	for _, one := range c {
		if one != nil {
			errs = append(errs, one.Close())
		}
	}
	return errors.Join(errs...)
}

// complete registers the values of a flag for shell completion.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// The only error is a flag that does not exist; a test completes each.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// notEmpty refuses flags with an empty value: `--data "$UNSET"` in a script must not score
// something else.
func notEmpty(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	return nil
}

// oneStdin returns an error where several of the names of files are standard input.
func oneStdin(names ...string) error {
	if i := slices.Index(names, "-"); i >= 0 && slices.Contains(names[i+1:], "-") {
		return errors.New("only one flag can read standard input")
	}
	return nil
}

// alias lets a flag be given under the name that it had before.
func alias(cmd *cobra.Command, before, name string) {
	next := cmd.Flags().GetNormalizeFunc()
	cmd.Flags().SetNormalizeFunc(func(fl *pflag.FlagSet, given string) pflag.NormalizedName {
		if given == before {
			given = name
		}
		return next(fl, given)
	})
}
