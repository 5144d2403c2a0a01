package crscore

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"crscore/analyzers"
	"crscore/chat"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic"
	"crscore/smells"
)

// Source makes pseudo-references for changes. It is safe for concurrent use. A source
// can do more by implementing Preparer, BatchSource, Named or Paraphraser.
type Source interface {
	// Refs returns the references that the source finds for the change; it may find
	// none. An error means that the source could not look.
	Refs(ctx context.Context, run *ChangeRun) (Found, error)
	// Signature names the source and its version: "symbolic/12".
	Signature() string
}

// Preparer is a Source that New prepares once, before the first change: it checks
// whether a server or a program can be reached, and looks up what Signature needs. An
// error becomes a warning of the engine; each change says itself whether it failed.
type Preparer interface {
	Source
	// Prepare returns why the source will not work.
	Prepare(ctx context.Context) error
}

// BatchSource is a Source that answers for many changes at once, such as a program
// that takes longer to start than to work. Stream reads ahead to ask about up to 200
// changes; for one change the engine calls Refs. Batch sources are asked before the
// other sources, all batch sources at the same time. Each gets its own runs, so its
// trees are not shared with the other sources.
type BatchSource interface {
	Source
	// RefsBatch is Refs for each of the changes. The answers have the order of runs.
	// After an error the engine calls Refs for each change.
	RefsBatch(ctx context.Context, runs []*ChangeRun) ([]Answer, error)
}

// Named is a Source that knows which names its references have in pseudoref.Ref's
// field Source. The engine warns of a weight for a name that no source gives.
type Named interface {
	Source
	// Gives reports whether references of the source can have the name.
	Gives(name string) bool
}

// Paraphraser is a Source, such as a language model, that may repeat in other words
// what another source, or the source itself, has said. The engine compares its claims
// with the other claims, and moves repetitions to RefSet.Dropped.
type Paraphraser interface {
	Source
	// Paraphrases reports whether the claims are to be compared.
	Paraphrases() bool
}

// Found is a Source's answer for a change.
type Found struct {
	// Refs are the references.
	Refs []pseudoref.Ref
	// Dropped are claims that failed the source's own check.
	Dropped []pseudoref.Dropped
	// Warnings are for a person.
	Warnings []string
	// Signature is set where this answer was made otherwise than Source.Signature says.
	Signature string
	// Fallback says that another source has answered in place of this one.
	Fallback bool
	// Tools are the answers of the external analyzers that were asked. They may be set
	// beside an error.
	Tools []ToolAnswer
}

// Answer is what Source.Refs returns, as a value.
type Answer struct {
	// Found is the first result of Refs.
	Found Found
	// Err is the second: why there are no references.
	Err error
}

// source is a Source made of a name and a function.
type source struct {
	name, signature string
	set             string // the name of ready claims
	refs            func(ctx context.Context, run *ChangeRun) (Found, error)
}

func (s source) Signature() string { return s.signature }

func (s source) Refs(ctx context.Context, run *ChangeRun) (Found, error) { return s.refs(ctx, run) }

func (s source) Gives(name string) bool { return s.name == name }

// SymbolicClaims makes claims and implications from syntax trees, without a model.
func SymbolicClaims() Source { return LimitedClaims(0) }

// LimitedClaims is SymbolicClaims with a limit of claims a change. 0 means the default
// limit, which grows with the change (symbolic.DefaultLimit).
func LimitedClaims(limit int) Source {
	opts := symbolic.Options{Max: limit}
	signature, _ := opts.Signature() // without a rule that could be unknown
	return tunedClaims(signature, opts)
}

// TunedClaims is SymbolicClaims with another limit or other rules, which its signature
// names. The error names a rule that does not exist.
func TunedClaims(opts symbolic.Options) (Source, error) {
	signature, err := opts.Signature()
	if err != nil {
		return nil, err
	}
	return tunedClaims(signature, opts), nil
}

func tunedClaims(signature string, opts symbolic.Options) Source {
	return source{name: "symbolic", signature: signature, refs: func(ctx context.Context, run *ChangeRun) (Found, error) {
		trees, err := run.Trees(ctx)
		if err != nil {
			return Found{}, err
		}
		said, err := symbolic.Claims(ctx, trees, opts)
		return Found{Refs: said.Refs, Warnings: said.Warnings, Signature: unread(signature, said.Unread, len(trees.Files))}, err
	}}
}

// unread is the signature of an answer if some files of the change were not parsed, or
// not wholly. It is empty if all files were parsed.
func unread(signature string, files, of int) string {
	if files == 0 {
		return ""
	}
	return fmt.Sprintf("%s(unread=%d/%d)", signature, files, of)
}

// BuiltinSmells is the source of the in-process detectors with their defaults.
func BuiltinSmells() Source { return tunedSmells(smells.Version, smells.Options{}) }

// TunedSmells is BuiltinSmells with other thresholds or rules, which its signature names.
// The error names a rule that does not exist or has no threshold.
func TunedSmells(opts smells.Options) (Source, error) {
	signature, err := opts.Signature()
	if err != nil {
		return nil, err
	}
	return tunedSmells(signature, opts), nil
}

func tunedSmells(signature string, opts smells.Options) Source {
	return source{name: "builtin", signature: signature, refs: func(ctx context.Context, run *ChangeRun) (Found, error) {
		trees, err := run.Trees(ctx)
		if err != nil {
			return Found{}, err
		}
		found, err := smells.Detect(ctx, trees, opts)
		return Found{Refs: pseudoref.FromSmells("builtin", found), Signature: unread(signature, trees.Unread(), len(trees.Files))}, err
	}}
}

// DataClaims is the source of the ready claims of that name in Input.Claims.
func DataClaims(name string) Source {
	signature := "data:" + name
	return source{name: signature, signature: signature, set: name, refs: func(_ context.Context, run *ChangeRun) (Found, error) {
		texts, ok := run.Claims[name]
		if !ok {
			var have []string
			for k := range run.Claims {
				have = append(have, k)
			}
			sort.Strings(have)
			return Found{}, fmt.Errorf("the data has no claims named %q for this change (it has: %s)", name, orNone(have, ", "))
		}
		return Found{Refs: pseudoref.Ready(pseudoref.Claim, signature, texts)}, nil
	}}
}

// DataSmells is the source of the ready smells in Input.Smells.
func DataSmells() Source {
	return source{name: "data", signature: "data", refs: func(_ context.Context, run *ChangeRun) (Found, error) {
		if run.Smells == nil {
			return Found{}, fmt.Errorf("the data has no list of smells for this change")
		}
		return Found{Refs: pseudoref.Ready(pseudoref.Smell, "data", run.Smells)}, nil
	}}
}

// prepare prepares the sources that can be. The warnings name those that will not work.
func prepare(ctx context.Context, sources []Source) (warnings []string, err error) {
	for _, s := range sources {
		p, ok := s.(Preparer)
		if !ok {
			continue
		}
		if err := p.Prepare(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			warnings = append(warnings, fmt.Sprintf("%s: %v", s.Signature(), err))
		}
	}
	return warnings, nil
}

// gives reports whether a source's references can have a name. The answer is yes for
// a source that does not say.
func gives(s Source, name string) bool {
	n, ok := s.(Named)
	return !ok || n.Gives(name)
}

// ClaimSets are the names of the ready claims that the engine uses.
func (e *Engine) ClaimSets() (names []string) {
	for _, s := range e.claims {
		if data, ok := s.(source); ok && data.set != "" {
			names = append(names, data.set)
		}
	}
	return names
}

func orNone(names []string, separator string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, separator)
}

// ClaimOptions are for the sources that ParseClaims makes. The zero value means the
// defaults.
type ClaimOptions struct {
	// Symbolic are the limit and the rules of the claims from syntax trees.
	Symbolic symbolic.Options
	// Model are for claims of language models.
	Model ModelOptions
}

// ParseClaims reads a list of claim sources as flags give it: names joined by commas,
// each "symbolic", "data:NAME", "ollama:MODEL" or "openai:MODEL". "none" alone means an
// empty list.
func ParseClaims(list string, opts ClaimOptions) ([]Source, error) {
	if list == "none" {
		return []Source{}, nil
	}
	return parseSources("claims", list, "symbolic, data:NAME, ollama:MODEL or openai:MODEL, or alone none", func(s string) (Source, error) {
		kind, name, _ := strings.Cut(s, ":")
		switch {
		case s == "symbolic":
			return TunedClaims(opts.Symbolic)
		case kind == "data" && name != "":
			return DataClaims(name), nil
		}
		m, err := chat.Open(s)
		switch {
		case errors.Is(err, chat.ErrModelName):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return ModelClaims(m, opts.Model)
	})
}

// SmellOptions are for the sources that ParseSmells makes. The zero value means the
// defaults.
type SmellOptions struct {
	// Builtin are the thresholds and rules of the in-process detectors.
	Builtin smells.Options
	// Tools has the paths of analyzers.
	Tools analyzers.Options
}

// ParseSmells reads a list of smell sources: names joined by commas, each "builtin",
// "data" or the name of an analyzer. "auto" alone means builtin and every installed
// analyzer; "none" alone means an empty list.
func ParseSmells(list string, opts SmellOptions) ([]Source, error) {
	switch list {
	case "none":
		return []Source{}, nil
	case "auto":
		builtin, err := TunedSmells(opts.Builtin)
		if err != nil {
			return nil, err
		}
		return []Source{builtin, InstalledTools(opts.Tools)}, nil
	}
	var names []string
	for _, t := range analyzers.All() {
		names = append(names, t.Name)
	}
	choices := "builtin, data, " + strings.Join(names, ", ") + ", or alone auto or none"
	return parseSources("smells", list, choices, func(s string) (Source, error) {
		switch s {
		case "builtin":
			return TunedSmells(opts.Builtin)
		case "data":
			return DataSmells(), nil
		}
		if tool, ok := analyzers.Lookup(s); ok {
			return ToolSmells(tool, opts.Tools), nil
		}
		return nil, nil
	})
}

func parseSources(what, list, choices string, one func(string) (Source, error)) ([]Source, error) {
	var out []Source
	seen := make(map[string]bool)
	for _, s := range strings.Split(list, ",") {
		s = strings.TrimSpace(s)
		src, err := one(s)
		if err != nil {
			return nil, err
		}
		if src == nil {
			return nil, fmt.Errorf("unknown source of %s %q: choose %s", what, s, choices)
		}
		if seen[s] {
			return nil, fmt.Errorf("the source of %s %q is named twice", what, s)
		}
		seen[s] = true
		out = append(out, src)
	}
	return out, nil
}
