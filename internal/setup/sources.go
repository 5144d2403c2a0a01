package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"crscore"
	"crscore/analyzers"
	"crscore/internal/answercache"
	"crscore/internal/config"
	"crscore/internal/stdio"
	"crscore/pseudoref/llm"
	"crscore/pseudoref/symbolic"
)

// Model shapes the claims of a language model.
type Model struct {
	// Format is how it answers. Fallback is the source of claims where it failed.
	Format, Fallback string
	// Timeout bounds a call, Calls the calls at a time to each of its servers.
	Timeout time.Duration
	Calls   *int
}

// Input is where an engine takes changes from.
type Input int

// The inputs: the change of the work tree or of a range of git, a diff, a dataset, requests to a
// server, and files of the work tree, whatever changed.
const (
	Tree Input = iota
	Diff
	Dataset
	Requests
	Paths
)

// list is a list of sources, with the setting that has it.
type list struct{ value, from string }

func listOf(given, name string, set config.Text, standard string) list {
	if given == "" && set.Value != "" {
		return list{set.Value, set.Place.String() + ": " + name}
	}
	return list{cmp.Or(given, standard), "--" + name}
}

func (s *Settings) claims() list { return listOf(s.Claims, "claims", s.Config.Claims, "symbolic") }

func (s *Settings) smells() list { return listOf(s.Smells, "smells", s.Config.Smells, "builtin") }

// names are the sources of the list.
func (l list) names() []string {
	names := strings.Split(l.value, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	return names
}

// Check refuses sources that changes from there cannot have.
func (s *Settings) Check(from Input) error {
	if from == Dataset && len(s.Findings) > 0 {
		return errors.New("--findings is for one change, and --data has many: put smells into the dataset's field smells")
	}
	smells := s.smells()
	for _, name := range smells.names() {
		if tool, ok := analyzers.Lookup(name); from != Tree && from != Paths && ok && tool.Project != nil {
			hint := "give --range instead of --diff and --data, or neither to score the work tree"
			if from == Requests {
				hint = "a request has a change alone"
			}
			return fmt.Errorf("%s %s needs the whole project: %s", smells.from, tool.Name, hint)
		}
	}
	for _, l := range []list{s.claims(), smells} {
		for _, name := range l.names() {
			if from != Dataset && from != Paths && (name == "data" || strings.HasPrefix(name, "data:")) {
				return fmt.Errorf("%s %s needs --data: it is a list in a dataset", l.from, name)
			}
		}
	}
	return nil
}

// AsksModel reports whether a source is a language model.
func (s *Settings) AsksModel() bool {
	return slices.ContainsFunc(s.claims().names(), func(name string) bool {
		kind, _, named := strings.Cut(name, ":")
		return named && kind != "data"
	})
}

// RunsTools reports whether a source is an analyzer.
func (s *Settings) RunsTools() bool {
	return slices.ContainsFunc(s.smells().names(), func(name string) bool {
		_, tool := analyzers.Lookup(name)
		return tool || name == "auto"
	})
}

// Sources returns the sources of references. Their Closer closes the cache of answers, where one
// is open.
func (s *Settings) Sources(ctx context.Context, log Log) (opts crscore.Options, err error) {
	opts.OnPanic = log.Panicked
	fromSyntax := ClaimOptions(s.Config)
	if s.MaxClaims != nil {
		if fromSyntax.Max = *s.MaxClaims; fromSyntax.Max < 1 {
			return opts, fmt.Errorf("--max-claims is %d, but must be at least 1", fromSyntax.Max)
		}
	}
	model, err := s.model(fromSyntax, log)
	if err != nil {
		return opts, err
	}
	tools, err := s.Tools.Options(s.Config.Tools)
	if err != nil {
		return opts, err
	}
	tools.Started = log.Started
	switch asked := s.AsksModel() || s.RunsTools(); {
	case s.NoCache && !asked:
		return opts, errors.New("--no-cache is for the answers of models and analyzers, and neither claims nor smells name one")
	case asked && !s.NoCache:
		if answers := OpenCache(ctx, log.Warn); answers != nil {
			opts.Closer, model.Cache, tools.Cache = answers, answers, answers
			defer func() {
				if err != nil {
					err = errors.Join(err, answers.Close())
				}
			}()
		}
	}
	smells, claims := s.smells(), s.claims()
	if opts.Smells, err = crscore.ParseSmells(smells.value, crscore.SmellOptions{Builtin: SmellOptions(s.Config), Tools: tools}); err != nil {
		return opts, fmt.Errorf("%s: %w", smells.from, err)
	}
	for _, name := range s.Findings {
		source, err := readFindings(ctx, name)
		if err != nil {
			return opts, err
		}
		opts.Smells = append(opts.Smells, source)
	}
	if opts.Claims, err = crscore.ParseClaims(claims.value, crscore.ClaimOptions{Symbolic: fromSyntax, Model: model}); err != nil {
		return opts, fmt.Errorf("%s: %w", claims.from, err)
	}
	if len(opts.Claims) == 0 && len(opts.Smells) == 0 {
		return opts, fmt.Errorf("%s none and %s none leave no references: choose a source of one of them", claims.from, smells.from)
	}
	return opts, nil
}

// model returns the options of a language model.
func (s *Settings) model(fromSyntax symbolic.Options, log Log) (m crscore.ModelOptions, err error) {
	if m.Format, err = llm.ParseFormat(cmp.Or(s.Model.Format, string(llm.JSON))); err != nil {
		return m, fmt.Errorf("--claims-format: %w", err)
	}
	switch s.Model.Fallback {
	case "":
	case "symbolic":
		if m.Fallback, err = crscore.TunedClaims(fromSyntax); err != nil {
			return m, fmt.Errorf("--claims-fallback: %w", err)
		}
	default:
		return m, fmt.Errorf("--claims-fallback is %q: the only choice is symbolic", s.Model.Fallback)
	}
	if n := s.Model.Calls; n != nil {
		if err := CheckCalls(*n); err != nil {
			return m, err
		}
		m.Parallel = *n
	}
	m.Timeout, m.Warn = s.Model.Timeout, log.Warn
	for _, setting := range []struct {
		name  string
		given bool
	}{
		{"claims-format", s.Model.Format != ""}, {"claims-fallback", s.Model.Fallback != ""},
		{"claims-timeout", s.Model.Timeout != 0}, {"model-calls", s.Model.Calls != nil},
	} {
		if setting.given && !s.AsksModel() {
			return m, fmt.Errorf("--%s is for the claims of a model, and %s names none", setting.name, s.claims().from)
		}
	}
	return m, nil
}

// CheckCalls refuses a number of calls at a time to a server.
func CheckCalls(n int) error {
	if n < 1 || n > 1024 {
		return fmt.Errorf("--model-calls is %d, but must be from 1 to 1024", n)
	}
	return nil
}

// readFindings reads the findings of another tool.
func readFindings(ctx context.Context, name string) (crscore.Source, error) {
	if name == "-" {
		return nil, errors.New("--findings takes no -: standard input is the file /dev/stdin")
	}
	text, err := stdio.Empty(ctx).ReadFile(name, crscore.MaxFindingsBytes)
	if err != nil {
		return nil, fmt.Errorf("--findings: %w", err)
	}
	source, err := crscore.ReadFindings(text)
	if err != nil {
		return nil, fmt.Errorf("--findings %s: %w", name, err)
	}
	return source, nil
}

// OpenCache opens the cache of answers of models and analyzers. Without a place for a cache
// it warns and returns nil: the run takes longer, and its results are the same.
func OpenCache(ctx context.Context, warn func(msg string)) *answercache.Answers {
	path, err := answercache.Path()
	if err == nil {
		var a *answercache.Answers
		if a, err = answercache.Open(ctx, path, answercache.Options{Note: warn}); err == nil {
			return a
		}
	}
	warn(err.Error() + "; answers are not cached")
	return nil
}

// Refs makes the references of a change with opts, those of Sources. Claims of a model need the
// default engine, which compares them with the claims of other sources as score does.
func (s *Settings) Refs(ctx context.Context, in crscore.Input, opts crscore.Options) (crscore.RefSet, error) {
	if !s.AsksModel() {
		defer Closers{opts.Closer}.Close()
		return crscore.Refs(ctx, in, opts)
	}
	e, err := crscore.New(ctx, opts)
	if err != nil {
		return crscore.RefSet{}, err
	}
	defer e.Close()
	return e.Refs(ctx, in)
}
