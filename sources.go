package crscore

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"crscore/analyzers"
	"crscore/pseudoref"
	"crscore/pseudoref/llm"
	"crscore/pseudoref/symbolic"
	"crscore/smells"
)

// Source makes pseudo-references for a change. It is safe for concurrent use.
type Source interface {
	// Refs returns what the source has to say about the change, which may be
	// nothing. An error means that it could not look.
	Refs(ctx context.Context, in Input) (Found, error)
	// Signature names the source and its version: "symbolic/4".
	Signature() string
}

// Found is what a Source says about a change.
type Found struct {
	Refs []pseudoref.Ref
	// Dropped are those that do not count, Warnings what a person should know.
	Dropped  []pseudoref.Dropped
	Warnings []string
	// Signature is set where this answer was not made as the source's own says.
	Signature string
}

// source is a Source made of a name and a function.
type source struct {
	signature string
	refs      func(ctx context.Context, in Input) ([]pseudoref.Ref, error)
}

func (s source) Signature() string { return s.signature }

func (s source) Refs(ctx context.Context, in Input) (Found, error) {
	refs, err := s.refs(ctx, in)
	return Found{Refs: refs}, err
}

// SymbolicClaims makes claims and implications from syntax trees, without a
// model.
func SymbolicClaims() Source { return LimitedClaims(0) }

// LimitedClaims are SymbolicClaims with at most that many of a change; 0 is the
// default, which grows with the change (symbolic.DefaultLimit).
func LimitedClaims(limit int) Source {
	signature := symbolic.Version
	if limit != 0 {
		signature += fmt.Sprintf("(max=%d)", limit)
	}
	return source{signature, func(ctx context.Context, in Input) ([]pseudoref.Ref, error) {
		trees, err := in.trees(ctx)
		if err != nil {
			return nil, err
		}
		return symbolic.Claims(ctx, trees, symbolic.Options{Max: limit})
	}}
}

// BuiltinSmells are the in-process detectors with their defaults.
func BuiltinSmells() Source { return tunedSmells(smells.Version, smells.Options{}) }

// TunedSmells are BuiltinSmells with other thresholds or rules, which their
// signature names. The error says which rule there is not, or has no threshold.
func TunedSmells(opts smells.Options) (Source, error) {
	signature, err := opts.Signature()
	if err != nil {
		return nil, err
	}
	return tunedSmells(signature, opts), nil
}

func tunedSmells(signature string, opts smells.Options) Source {
	return source{signature, func(ctx context.Context, in Input) ([]pseudoref.Ref, error) {
		trees, err := in.trees(ctx)
		if err != nil {
			return nil, err
		}
		found, err := smells.Detect(ctx, trees, opts)
		return pseudoref.FromSmells("builtin", found), err
	}}
}

// DataClaims takes the ready claims of that name from the Input.
func DataClaims(name string) Source {
	signature := "data:" + name
	return source{signature, func(_ context.Context, in Input) ([]pseudoref.Ref, error) {
		texts, ok := in.Claims[name]
		if !ok {
			var have []string
			for k := range in.Claims {
				have = append(have, k)
			}
			sort.Strings(have)
			return nil, fmt.Errorf("the data has no claims named %q for this change (it has: %s)", name, orNone(have, ", "))
		}
		return pseudoref.Ready(pseudoref.Claim, signature, texts), nil
	}}
}

// DataSmells takes the ready smells from the Input.
func DataSmells() Source {
	return source{"data", func(_ context.Context, in Input) ([]pseudoref.Ref, error) {
		if in.Smells == nil {
			return nil, fmt.Errorf("the data has no list of smells for this change")
		}
		return pseudoref.Ready(pseudoref.Smell, "data", in.Smells), nil
	}}
}

// prepare lets models and tools tell what their signature needs. One that cannot
// be reached is a warning: each change says for itself what became of it.
func prepare(ctx context.Context, sources []Source) (warnings []string, err error) {
	for _, s := range sources {
		s, ok := s.(interface {
			Source
			prepare(context.Context) error
		})
		if !ok {
			continue
		}
		if err := s.prepare(ctx); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			warnings = append(warnings, fmt.Sprintf("%s: %v", s.Signature(), err))
		}
	}
	return warnings, nil
}

func orNone(names []string, separator string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, separator)
}

// ParseClaims reads a list of claim sources as flags give it: names joined by
// commas, each "symbolic", "data:NAME", "ollama:MODEL" or "openai:MODEL". At most
// maxSymbolic claims of a change come from the first, 0 for as many as suit its
// size; the options are for the models.
func ParseClaims(list string, maxSymbolic int, opts ModelOptions) ([]Source, error) {
	return parseSources("claims", list, "symbolic, data:NAME, ollama:MODEL or openai:MODEL", func(s string) (Source, error) {
		kind, name, _ := strings.Cut(s, ":")
		switch {
		case s == "symbolic":
			return LimitedClaims(maxSymbolic), nil
		case kind == "data" && name != "":
			return DataClaims(name), nil
		case kind == "ollama" && name != "":
			m, err := llm.NewOllama(name, "")
			if err != nil {
				return nil, err
			}
			return ModelClaims(m, opts)
		case kind == "openai" && name != "":
			m, err := llm.NewOpenAI(name, "")
			if err != nil {
				return nil, err
			}
			return ModelClaims(m, opts)
		}
		return nil, nil
	})
}

// SmellOptions are for the sources of smells that ParseSmells makes. The zero
// value is the defaults.
type SmellOptions struct {
	// Builtin are the thresholds and rules of the in-process detectors.
	Builtin smells.Options
	// Tools say where analyzers are found.
	Tools analyzers.Options
}

// ParseSmells reads a list of smell sources: names joined by commas, each
// "builtin", "data" or the name of an analyzer; "auto" alone, which is builtin and
// every analyzer that is installed; or "none" alone, which gives an empty list.
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
