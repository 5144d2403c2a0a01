package crscore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/findings"
	"crscore/pseudoref"
	"crscore/smells"
)

// ToolSmells are what an external analyzer finds in the changed files. It needs
// whole files, and some tools the Input's Project. A change for which the tool gives
// no answer, since it is missing, fails or cannot read a file, has no references,
// and its reviews no score.
func ToolSmells(tool analyzers.Tool, opts analyzers.Options) Source {
	return &toolSource{tool: tool, opts: opts}
}

// InstalledTools are the findings of every analyzer that is installed and made
// for a file of the change; those that need a Project take part where there is one.
// Unlike with ToolSmells, a tool without an answer is a warning; the signature of
// the results names those that gave one.
func InstalledTools(opts analyzers.Options) Source {
	var all installed
	for _, tool := range analyzers.All() {
		all = append(all, &toolSource{tool: tool, opts: opts})
	}
	return all
}

// MaxFindingsBytes is the size above which ReadFindings reads nothing.
const MaxFindingsBytes = findings.MaxFile

// ReadFindings are those of a file that some tool has written: SARIF 2,
// checkstyle's XML, or reviewdog's rdjson or rdjsonl. They count where they lie on
// changed lines of the new side.
func ReadFindings(text []byte) (Source, error) {
	list, err := findings.Read(text)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return findingsSource{fmt.Sprintf("findings:%x", sum[:6]), list}, nil
}

// findingsSource are findings from a file.
type findingsSource struct {
	signature string
	list      []findings.Finding
}

// Signature implements Source.
func (s findingsSource) Signature() string { return s.signature }

// Refs implements Source.
func (s findingsSource) Refs(_ context.Context, in Input) (Found, error) {
	found, elsewhere, nowhere := smells.FromFindings(in.Change, s.list)
	out := Found{Refs: pseudoref.FromSmells("findings", found)}
	for i := range out.Refs {
		out.Refs[i].Source = cmp.Or(found[i].Source, "findings")
	}
	if elsewhere > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("findings about files that the change does not have: %d of %d", elsewhere, len(s.list)))
	}
	if nowhere > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("findings that name no line, and so no changed one: %d of %d", nowhere, len(s.list)))
	}
	return out, nil
}

// toolSource is an analyzer as a source.
type toolSource struct {
	tool analyzers.Tool
	opts analyzers.Options

	mu    sync.Mutex
	found *analyzers.Analyzer // nil until it was looked for
}

// find looks for the tool once.
func (t *toolSource) find(ctx context.Context) (*analyzers.Analyzer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found == nil {
		a, err := analyzers.Find(ctx, t.tool, t.opts)
		if err != nil {
			return nil, err
		}
		t.found = a
	}
	return t.found, nil
}

// Signature implements Source. It has the version when the tool was looked for.
func (t *toolSource) Signature() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found == nil || t.found.Version == "" {
		return t.tool.Name
	}
	return t.tool.Name + "/" + t.found.Version
}

// Refs implements Source.
func (t *toolSource) Refs(_ context.Context, in Input) (Found, error) {
	e := in.examined[t]
	if !e.Answered() {
		return Found{}, fmt.Errorf("%s: %s", e.State, e.Reason)
	}
	return Found{Refs: pseudoref.FromSmells(t.tool.Name, e.Smells), Signature: t.Signature()}, nil
}

// prepare tells whether the tool can be run.
func (t *toolSource) prepare(ctx context.Context) error {
	a, err := t.find(ctx)
	if err == nil && a.State != analyzers.Clean {
		err = fmt.Errorf("%s: %s", a.State, a.Reason)
	}
	return err
}

// examine has the tool look at the changes of inputs.
func (t *toolSource) examine(ctx context.Context, inputs []*Input) ([]smells.Examination, error) {
	out := make([]smells.Examination, len(inputs))
	needed := false // else it is not even asked for its version
	for i, in := range inputs {
		switch {
		case !t.reads(in):
		case t.tool.Project != nil && in.Project == nil:
			out[i] = smells.Examination{Files: 1, State: analyzers.Failed, Reason: "it needs the whole project, and not only the change"}
		default:
			needed = true
		}
	}
	if !needed {
		return out, nil
	}
	a, err := t.find(ctx)
	if err != nil {
		return nil, err
	}
	if a.State == analyzers.Clean && t.tool.Project == nil {
		changes := make([]*change.Change, len(inputs))
		for i, in := range inputs {
			changes[i] = in.Change
		}
		return smells.Examine(ctx, a, t.tool, changes)
	}
	for i, in := range inputs {
		switch {
		case !t.reads(in):
		case a.State != analyzers.Clean:
			out[i] = smells.Examination{Files: 1, State: a.State, Reason: a.Reason}
		case in.Project != nil:
			if out[i], err = smells.ExamineProject(ctx, a, t.tool, in.Change, *in.Project); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// reads tells whether a file of the change is one for the tool.
func (t *toolSource) reads(in *Input) bool {
	return slices.ContainsFunc(in.Change.Files, func(f change.File) bool { return smells.Reads(t.tool, &f) })
}

// installed are tools of which those that are there take part.
type installed []*toolSource

// Signature implements Source.
func (installed) Signature() string { return "auto" }

// Refs implements Source.
func (all installed) Refs(_ context.Context, in Input) (Found, error) {
	var out Found
	var took []string
	for _, t := range all {
		e := in.examined[t]
		switch {
		case e.Files == 0 || e.State == analyzers.Missing || t.tool.Project != nil && in.Project == nil:
		case e.Answered():
			out.Refs = append(out.Refs, pseudoref.FromSmells(t.tool.Name, e.Smells)...)
			took = append(took, t.Signature())
		default:
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %s: %s; it takes no part", t.Signature(), e.State, e.Reason))
		}
	}
	out.Signature = "auto(" + strings.Join(took, ",") + ")"
	return out, nil
}

// examined is what the tools have said about a change.
type examined map[*toolSource]smells.Examination

// toolsOf lists the tools of sources, each once.
func toolsOf(sources []Source) []*toolSource {
	var out []*toolSource
	for _, s := range sources {
		switch s := s.(type) {
		case *toolSource:
			out = append(out, s)
		case installed:
			out = append(out, s...)
		}
	}
	return out
}

// examine has the tools look at the changes of all inputs at once, which costs one
// start of a tool instead of one a change. The error is ctx's.
func examine(ctx context.Context, tools []*toolSource, inputs []*Input) error {
	for _, in := range inputs {
		in.examined = examined{}
	}
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range tools {
		g.Go(func() error {
			found, err := t.examine(ctx, inputs)
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			for i, in := range inputs {
				e := smells.Examination{}
				switch {
				case err == nil:
					e = found[i]
				case t.reads(in):
					e = smells.Examination{Files: 1, State: analyzers.Failed, Reason: err.Error()}
				}
				in.examined[t] = e
			}
			return nil
		})
	}
	return g.Wait()
}
