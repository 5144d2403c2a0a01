package crscore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
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
// Unlike with ToolSmells, a tool without an answer is a warning, and of one that
// cannot read some of the files the others count; the signature of the results names
// those that gave an answer, and for how many files where not for all.
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

// ToolAnswer is how it went with an external analyzer and a change that has files
// for it.
type ToolAnswer struct {
	Tool, Version string // "" for a version that is not known
	State         analyzers.State
	Reason        string // why there is no answer for a file
	// Files counts the changed files in the tool's languages, Unread those without an
	// answer, Findings what counts of what was found.
	Files, Unread, Findings int
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
		case t.reads(in) == 0:
		case t.tool.Project != nil && in.Project == nil:
			out[i] = t.unread(in, analyzers.Failed, "it needs the whole project, and not only the change")
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
		case t.reads(in) == 0:
		case a.State != analyzers.Clean:
			out[i] = t.unread(in, a.State, a.Reason)
		case in.Project != nil:
			if out[i], err = smells.ExamineProject(ctx, a, t.tool, in.Change, *in.Project); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// reads counts the files of the change that are for the tool.
func (t *toolSource) reads(in *Input) (n int) {
	for i := range in.Change.Files {
		if smells.Reads(t.tool, &in.Change.Files[i]) {
			n++
		}
	}
	return n
}

// unread is what is said where no file has an answer.
func (t *toolSource) unread(in *Input, state analyzers.State, reason string) smells.Examination {
	n := t.reads(in)
	return smells.Examination{Files: n, Unread: n, State: state, Reason: reason}
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
		case e.Files == 0 || !t.suits(in):
		case e.State == analyzers.Missing && t.opts.Paths[t.tool.Name] == "": // nobody has said that it is there
		case e.Answered():
			out.Refs = append(out.Refs, pseudoref.FromSmells(t.tool.Name, e.Smells)...)
			took = append(took, t.Signature())
		case e.Partly():
			out.Refs = append(out.Refs, pseudoref.FromSmells(t.tool.Name, e.Smells)...)
			took = append(took, fmt.Sprintf("%s(files=%d/%d)", t.Signature(), e.Files-e.Unread, e.Files))
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %s: %s; it has read %d of %d files", t.Signature(), e.State, e.Reason, e.Files-e.Unread, e.Files))
		default:
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %s: %s; it takes no part", t.Signature(), e.State, e.Reason))
		}
	}
	out.Signature = "auto(" + strings.Join(took, ",") + ")"
	return out, nil
}

// suits tells whether an input has what the tool needs.
func (t *toolSource) suits(in Input) bool { return t.tool.Project == nil || in.Project != nil }

// examined is what the tools have said about a change.
type examined map[*toolSource]smells.Examination

// answers says how it went with the tools that sources name, and with those of auto
// that suit the input.
func answers(sources []Source, in Input) []ToolAnswer {
	var out []ToolAnswer
	for _, s := range sources {
		auto, _ := s.(installed)
		for _, t := range toolsOf([]Source{s}) {
			if e := in.examined[t]; e.Files > 0 && (auto == nil || t.suits(in)) {
				_, version, _ := strings.Cut(t.Signature(), "/")
				out = append(out, ToolAnswer{t.tool.Name, version, e.State, e.Reason, e.Files, e.Unread, len(e.Smells)})
			}
		}
	}
	return out
}

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
				case t.reads(in) > 0:
					e = t.unread(in, analyzers.Failed, err.Error())
				}
				in.examined[t] = e
			}
			return nil
		})
	}
	return g.Wait()
}
