package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore"
	"crscore/analyzers"
	"crscore/chat"
	"crscore/internal/config"
	"crscore/internal/models"
	"crscore/internal/setup"
	"crscore/internal/terminal"
	"crscore/pseudoref/llm"
	"crscore/score"
	"crscore/sts"
)

// engineFlags choose sources, encoder and scoring rule.
type engineFlags struct {
	setup.Settings
	files setup.Files
	tools toolWatch
}

// addSources adds the flags of references alone.
func (f *engineFlags) addSources(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.Claims, "claims", "", "`SOURCES` of claims, joined by commas: symbolic, data:NAME, ollama:MODEL, openai:MODEL; or none")
	fl.StringVar(&f.Smells, "smells", "", "`SOURCES` of smells, joined by commas: builtin, data, an analyzer such as pmd (see crscore doctor); or auto (builtin and every installed analyzer); or none")
	fl.StringArrayVar(&f.Findings, "findings", nil, "add the findings of another tool as smells, from a `FILE` in SARIF, checkstyle's XML, rdjson or rdjsonl; may be repeated")
	optional(fl, fl.IntVar, &f.MaxClaims, "max-claims", 0, "at most `N` symbolic claims for a change, by weight (default: 10, more for a long change, at most 60)")
	fl.StringVar(&f.Model.Format, "claims-format", "", "`FORMAT` in which the model of --claims answers: json, or prose for models tuned to write numbered lists")
	fl.StringVar(&f.Model.Fallback, "claims-fallback", "", "`SOURCE` of claims where the model failed: symbolic (default: such a change has no score)")
	fl.DurationVar(&f.Model.Timeout, "claims-timeout", 0, "longest `DURATION` of a call to the model of --claims")
	optional(fl, fl.IntVar, &f.Model.Calls, callsFlag, chat.DefaultParallel, callsUsage)
	alias(cmd, "parallel", callsFlag)
	fl.BoolVar(&f.NoCache, "no-cache", false, "neither use nor keep answers of models and analyzers (see crscore cache)")
	addTools(cmd, &f.Tools)
	fl.DurationVar(&f.Tools.Timeout, "tool-timeout", 0, "longest `DURATION` of a run of an analyzer")
	addConfig(cmd, &f.files)
	standard(cmd, "claims", "symbolic")
	standard(cmd, "smells", "builtin")
	standard(cmd, "claims-format", string(llm.JSON))
	standard(cmd, "claims-timeout", chat.DefaultTimeout.String())
	standard(cmd, "tool-timeout", analyzers.DefaultTimeout.String())
	complete(cmd, "claims", "symbolic", "data:", "ollama:", "openai:", "none")
	names := []string{"builtin", "data", "auto", "none"}
	for _, t := range analyzers.All() {
		names = append(names, t.Name)
	}
	complete(cmd, "smells", names...)
	complete(cmd, "claims-format", string(llm.JSON), string(llm.Prose))
	complete(cmd, "claims-fallback", "symbolic")
}

func (f *engineFlags) add(cmd *cobra.Command) {
	f.addSources(cmd)
	addEncoder(cmd, &f.Encoder)
	fl := cmd.Flags()
	optional(fl, fl.StringVar, &f.Mode, "mode", "", "scoring `MODE`: hard (best similarity above --tau), soft (mean of best similarities), ramp (in part from --low, in full from --tau) or calibrated (probability by --tau and --slope) (default: the built-in profile's)")
	optional(fl, fl.Float64Var, &f.Tau, "tau", 0, "`THRESHOLD` τ, from 0 to 1 (default: the built-in profile's)")
	optional(fl, fl.Float64Var, &f.Low, "low", 0, "lower `THRESHOLD` of mode ramp, from 0 to --tau; no credit below it (default: the built-in profile's)")
	optional(fl, fl.Float64Var, &f.Slope, "slope", 0, "`SLOPE` of mode calibrated, above 0: the rise of the log-odds with similarity (default: the built-in profile's)")
	fl.StringVar(&f.Comp, "comp", "", "`FORM` of Comp in modes soft and ramp: best (the most similar sentence covers a reference), or noisy-or (all sentences together: 1 - Π(1 - credit)) (default: the built-in profile's, else best)")
	fl.StringVar(&f.Weights, "weights", "", "`WEIGHTS` of references in Comp, by kind or kind@source: smell=0.5,claim@symbolic=2 (default: 1, or the built-in profile's)")
	fl.StringVar(&f.Profile.File, "profile", "", "`FILE` with the scoring rule that crscore calibrate wrote; it fits the encoder, similarity, pooling and splitter of its making")
	fl.StringVar(&f.Splitter, "splitter", "markdown", "sentence `SPLITTER`: markdown, or paper (splits at line ends, full stops and question marks)")
	fl.BoolVar(&f.Raw, "raw", false, rawUsage)
	fl.StringVar(&f.Similarity, "similarity", "", "`SIMILARITY` of two texts: pair (learnt from people's links; reads the diff "+
		"and the other references), hybrid (vectors and shared words), cosine (vectors alone, as in the paper) or cross:MODEL "+
		"(a cross-encoder: the name of a downloaded model, or a folder); default: pair, or hybrid with another encoder or pooling than the built-in")
	fl.IntVar(&f.Workers, "workers", 0, "score `N` changes at a time (default: one for each processor, or for each call at a time to a model)")
	complete(cmd, "comp", string(score.CoverBest), string(score.CoverNoisyOr))
	complete(cmd, "mode", string(score.Hard), string(score.Soft), string(score.Ramp), string(score.Calibrated))
	fl.StringVar(&f.Compat, "compat", "", "`PROGRAM` whose behaviour to reproduce: crscore-code, which the paper's authors released (needs --similarity cosine; see docs/reproduction.md)")
	complete(cmd, "compat", string(crscore.CompatCode))
	complete(cmd, "splitter", "markdown", "paper")
	complete(cmd, "similarity", sts.SimilarityPair, sts.SimilarityHybrid, sts.SimilarityCosine, setup.CrossPrefix)
}

// rawUsage is the help of --raw.
const rawUsage = "keep the parts that review bots add: severities, prompts, suggestions, footers (see docs/bots.md)"

// The flags of addTools with --tool-timeout, of addConfig, of addSources and of addEncoder.
var (
	toolNames    = []string{"tool", "node-modules", "tool-timeout"}
	configNames  = []string{"config", "no-config"}
	sourceNames  = slices.Concat([]string{"claims", "smells", "max-claims", "findings", "no-cache", "claims-format", "claims-fallback", "claims-timeout", callsFlag}, toolNames, configNames)
	encoderNames = []string{"encoder", "encoder-file", "pooling", "backend", "ort-library"}
)

// names are the flags of add, for commands that exclude them.
func (*engineFlags) names() []string {
	return slices.Concat(sourceNames, encoderNames, []string{"mode", "tau", "low", "slope", "comp", "weights", "profile", "splitter", "raw", "similarity", "compat", "workers"})
}

// addTools adds the flags that say where analyzers are.
func addTools(cmd *cobra.Command, t *setup.Tools) {
	fl := cmd.Flags()
	fl.StringToStringVar(&t.Paths, "tool", nil, "run the program PATH for the analyzer NAME: `NAME=PATH`; may be repeated")
	fl.StringArrayVar(&t.NodeModules, "node-modules", nil, "node_modules `FOLDER` with analyzers, searched after $PATH; programs in it are run, so never name the folder of the change")
	standard(cmd, "tool", "") // else the help names an empty list
}

// addConfig adds the flags that choose the configuration files.
func addConfig(cmd *cobra.Command, f *setup.Files) {
	fl := cmd.Flags()
	fl.StringVar(&f.User, "config", "", "`FILE` with your settings (default: $"+config.Env+", else crscore/config.yaml in your configuration folder)")
	fl.BoolVar(&f.None, "no-config", false, "ignore your settings and the "+config.ProjectFile+" of the project")
	cmd.MarkFlagsMutuallyExclusive("config", "no-config")
}

// addEncoder adds the flags of the encoder.
func addEncoder(cmd *cobra.Command, e *setup.Encoder) {
	cmd.Flags().StringVar(&e.Name, "encoder", "", "sentence `MODEL`: builtin, the name of a downloaded model, or a folder with an ONNX model")
	standard(cmd, "encoder", models.Builtin)
	addOpening(cmd, e)
	// The error is for a flag that does not exist; a test completes each.
	_ = cmd.RegisterFlagCompletionFunc("encoder", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := []string{models.Builtin}
		if store, err := models.Open(""); err == nil {
			list, _ := store.List()
			for _, m := range list {
				names = append(names, m.Name)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	})
}

// addOpening adds the flags that say how a model is opened.
func addOpening(cmd *cobra.Command, e *setup.Encoder) {
	fl := cmd.Flags()
	fl.StringVar(&e.File, "encoder-file", "", "ONNX `FILE` in the model's folder (default: model.onnx, onnx/model.onnx or the only ONNX file)")
	fl.StringVar(&e.Pooling, "pooling", "", "`POOLING` of tokens to a vector: paper (mean without stop words) or model (as the model's files say, with its default prompt)")
	fl.StringVar(&e.Backend, "backend", sts.BackendGo, "`BACKEND` that runs the model: go, or ort (ONNX Runtime, in builds with -tags ort)")
	fl.StringVar(&e.Library, "ort-library", "", "shared library `FILE` of ONNX Runtime (default: $ORT_DYLIB_PATH, else the system's)")
	standard(cmd, "pooling", sts.PoolingPaper)
	complete(cmd, "pooling", sts.PoolingPaper, sts.PoolingModel)
	complete(cmd, "backend", sts.BackendGo, sts.BackendORT)
}

// configure completes the flags from the configuration, and refuses sources that the input
// cannot have. A nil change is a dataset.
func (f *engineFlags) configure(cmd *cobra.Command, ch *changeFlags) (err error) {
	from, rng := setup.Dataset, ""
	if ch != nil {
		if from, rng, err = ch.input(); err != nil {
			return err
		}
	}
	return f.readConfig(cmd, from, rng)
}

// readConfig reads the configuration for an input, of the range rng.
func (f *engineFlags) readConfig(cmd *cobra.Command, from setup.Input, rng string) (err error) {
	if f.Config, err = f.files.Load(cmd.Context(), from, rng, openLog(cmd)); err != nil {
		return err
	}
	return f.Check(from)
}

// check refuses flags of analyzers where none is asked for.
func (f *engineFlags) check(cmd *cobra.Command) error {
	if f.tools.used = f.tools.used || f.RunsTools(); f.tools.used {
		return nil
	}
	for _, name := range toolNames {
		switch {
		case !cmd.Flags().Changed(name):
		case cmd.Flags().Lookup("check") != nil: // analyzers there are compilers too
			return fmt.Errorf("--%s is for --check and for analyzers: --smells names none, and --check is not given", name)
		default:
			return fmt.Errorf("--%s is for analyzers, and --smells names none", name)
		}
	}
	return nil
}

// engine makes the engine of the flags.
func (f *engineFlags) engine(ctx context.Context, cmd *cobra.Command) (*crscore.Engine, error) {
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	return setup.Open(ctx, f.Settings, f.log(cmd))
}

// log has messages go to the log of a command, and analyzers be shown while they run.
func (f *engineFlags) log(cmd *cobra.Command) setup.Log {
	log := openLog(cmd)
	log.Started = f.tools.started
	return log
}

// openLog has messages go to the log of a command.
func openLog(cmd *cobra.Command) setup.Log {
	l := terminal.LogOf(cmd)
	return setup.Log{Note: l.Note, Warn: l.Warn, Panicked: l.Panicked}
}

// EngineLog has what an engine says go to w, as the command would print it.
func EngineLog(w io.Writer) setup.Log {
	var cmd cobra.Command
	cmd.SetErr(w)
	return openLog(&cmd)
}

// EngineFlags are the flags of score that choose an engine, for a command that scores datasets
// elsewhere. The zero value is ready for Add.
type EngineFlags struct{ flags engineFlags }

// Add adds the flags to a command.
func (f *EngineFlags) Add(cmd *cobra.Command) {
	f.flags.add(cmd)
	cmd.Flags().Lookup("findings").Hidden = true // of one change; Settings says so
	cmd.SetUsageFunc(usage)
	cmd.SetFlagErrorFunc(flagError)
}

// MarkRunner puts a flag below the heading of those that choose where a job runs.
func MarkRunner(flag *pflag.Flag) {
	flag.Annotations = map[string][]string{groupAnnotation: {runnerFlags}}
}

// Settings are those of the flags and the user's configuration, for another process: with the
// contents of the files that only shape numbers, and nothing from the environment. Programs
// and models that they name are looked for where the engine opens.
func (f *EngineFlags) Settings(cmd *cobra.Command) (setup.Settings, error) {
	err := checkValues(cmd)
	if err == nil {
		err = f.flags.configure(cmd, nil)
	}
	if err == nil {
		err = f.flags.check(cmd)
	}
	if err == nil {
		err = f.flags.Profile.Read(cmd.Context())
	}
	return f.flags.Settings, err
}

// optional adds a flag whose setting stays nil where it is not given: the value is for the help.
func optional[T any](fl *pflag.FlagSet, add func(to *T, name string, value T, usage string), to **T, name string, value T, usage string) {
	v := new(T)
	add(v, name, value, usage)
	flag := fl.Lookup(name)
	flag.Value = noted{flag.Value, func() { *to = v }}
}

// noted is the value of a flag that is told when it is given.
type noted struct {
	pflag.Value
	given func()
}

// Set implements pflag.Value.
func (n noted) Set(s string) error {
	n.given()
	return n.Value.Set(s)
}

// standard sets the value that the help shows of flags that are empty where they are not given.
func standard(cmd *cobra.Command, name, value string) { cmd.Flags().Lookup(name).DefValue = value }

// complete registers the values of a flag for shell completion.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// The only error is a flag that does not exist; a test completes each.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
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
