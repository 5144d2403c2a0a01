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
	"crscore/internal/limits"
	"crscore/pseudoref"
	"crscore/smells"
)

// ToolSmells are the findings of an external analyzer in the changed files. The
// analyzer needs whole files, and some analyzers need Input.Project. A change has no
// references, and its reviews no score, if the tool is missing, fails or cannot read a
// file of the change.
func ToolSmells(tool analyzers.Tool, opts analyzers.Options) Source {
	return &toolSource{tool: tool, opts: opts}
}

// InstalledTools are the findings of every analyzer that is installed and reads a file
// of the change. Analyzers that need a Project take part where there is a Project. A
// tool that fails, or cannot read some files, is a warning here. The signature of the
// results names the tools that answered, with the number of files if it was not all.
func InstalledTools(opts analyzers.Options) Source {
	var all installed
	for _, tool := range analyzers.All() {
		all = append(all, &toolSource{tool: tool, opts: opts})
	}
	return all
}

// MaxFindingsBytes is the size limit of ReadFindings.
const MaxFindingsBytes = limits.FindingsBytes

// ReadFindings makes a source of a file that an analyzer wrote: SARIF 2, checkstyle's
// XML, or reviewdog's rdjson or rdjsonl. Findings on changed lines of the new side
// become references.
func ReadFindings(text []byte) (Source, error) {
	list, err := findings.Read(text)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return findingsSource{fmt.Sprintf("findings:%x", sum[:6]), list}, nil
}

// findingsSource has the findings of a file.
type findingsSource struct {
	signature string
	list      []findings.Finding
}

// Signature implements Source.
func (s findingsSource) Signature() string { return s.signature }

// Gives implements Named.
func (s findingsSource) Gives(name string) bool {
	return name == "findings" || slices.ContainsFunc(s.list, func(f findings.Finding) bool { return f.Tool == name })
}

// Refs implements Source.
func (s findingsSource) Refs(_ context.Context, run *ChangeRun) (Found, error) {
	found, elsewhere, nowhere := smells.FromFindings(run.Change, s.list)
	out := Found{Refs: pseudoref.FromSmells("findings", found)}
	for i := range out.Refs {
		out.Refs[i].Source = cmp.Or(found[i].Source, "findings")
	}
	if n := len(elsewhere); n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("findings about files that the change does not have: %d of %d (the first: %s)",
			n, len(s.list), findings.Text(elsewhere[0].Error(), 200)))
	}
	if nowhere > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("findings that name no line, and so no changed one: %d of %d", nowhere, len(s.list)))
	}
	return out, nil
}

// ToolAnswer is the result of an external analyzer for a change that has files in the
// tool's languages.
type ToolAnswer struct {
	// Tool is the analyzer's name, Version its version or "" if that is not known.
	Tool, Version string
	// State is the state of the files together.
	State analyzers.State
	// Reason says why a file has no answer.
	Reason string
	// Files is the number of changed files in the tool's languages, Unread the number
	// of these without an answer, Findings the number of findings on changed lines.
	Files, Unread, Findings int
}

// toolSource is an analyzer as a source.
type toolSource struct {
	tool analyzers.Tool
	opts analyzers.Options

	mu    sync.Mutex
	found *analyzers.Analyzer // nil until the tool was looked for
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

// Signature implements Source. It has the version once the tool was looked for.
func (t *toolSource) Signature() string {
	if version := t.version(); version != "" {
		return t.tool.Name + "/" + version
	}
	return t.tool.Name
}

func (t *toolSource) version() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found == nil {
		return ""
	}
	return t.found.Version
}

// Gives implements Named.
func (t *toolSource) Gives(name string) bool { return t.tool.Name == name }

// Prepare implements Preparer: it looks for the program and its version.
func (t *toolSource) Prepare(ctx context.Context) error {
	a, err := t.find(ctx)
	if err == nil && a.State != analyzers.Clean {
		err = fmt.Errorf("%s: %s", a.State, a.Reason)
	}
	return err
}

// Refs implements Source.
func (t *toolSource) Refs(ctx context.Context, run *ChangeRun) (Found, error) {
	return refsAlone(ctx, t, run)
}

// refsAlone is Refs by a batch of a single change.
func refsAlone(ctx context.Context, s BatchSource, run *ChangeRun) (Found, error) {
	answers, err := s.RefsBatch(ctx, []*ChangeRun{run})
	if err != nil {
		return Found{}, err
	}
	return answers[0].Found, answers[0].Err
}

// RefsBatch implements BatchSource.
func (t *toolSource) RefsBatch(ctx context.Context, runs []*ChangeRun) ([]Answer, error) {
	results, err := t.examine(ctx, runs)
	if err != nil {
		return nil, err
	}
	out := make([]Answer, len(runs))
	for i := range results {
		r := &results[i]
		out[i].Found.Tools = t.answer(r)
		if !r.Answered() {
			out[i].Err = fmt.Errorf("%s: %s", r.State, r.Reason)
			continue
		}
		out[i].Found.Refs, out[i].Found.Signature = pseudoref.FromSmells(t.tool.Name, r.Smells), t.Signature()
	}
	return out, nil
}

// answer is the tool's result for RefSet.Tools: none for a change without its files.
func (t *toolSource) answer(r *smells.ToolRun) []ToolAnswer {
	if r.Files == 0 {
		return nil
	}
	return []ToolAnswer{{t.tool.Name, t.version(), r.State, r.Reason, r.Files, r.Unread, len(r.Smells)}}
}

// examine runs the tool on changes. A failure of the tool is the result of the changes
// that have files for it; the error is ctx's own.
func (t *toolSource) examine(ctx context.Context, runs []*ChangeRun) ([]smells.ToolRun, error) {
	out, err := t.tryExamine(ctx, runs)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return nil, err
	}
	out = make([]smells.ToolRun, len(runs))
	for i, run := range runs {
		if t.reads(run) > 0 {
			out[i] = t.unread(run, analyzers.Failed, err.Error())
		}
	}
	return out, nil
}

func (t *toolSource) tryExamine(ctx context.Context, runs []*ChangeRun) ([]smells.ToolRun, error) {
	out := make([]smells.ToolRun, len(runs))
	needed := false // else the tool is not even asked for its version
	for i, run := range runs {
		switch {
		case t.reads(run) == 0:
		case !t.suits(run):
			out[i] = t.unread(run, analyzers.Failed, "it needs the whole project, and not only the change")
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
		changes := make([]*change.Change, len(runs))
		for i, run := range runs {
			changes[i] = run.Change
		}
		return smells.Examine(ctx, a, t.tool, changes)
	}
	for i, run := range runs {
		switch {
		case t.reads(run) == 0:
		case a.State != analyzers.Clean:
			out[i] = t.unread(run, a.State, a.Reason)
		case run.Project != nil:
			if out[i], err = smells.ExamineProject(ctx, a, t.tool, run.Change, *run.Project); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// reads returns the number of files of the change that the tool reads.
func (t *toolSource) reads(run *ChangeRun) (n int) {
	for i := range run.Change.Files {
		if smells.Reads(t.tool, &run.Change.Files[i]) {
			n++
		}
	}
	return n
}

// suits reports whether a change has the project that the tool needs.
func (t *toolSource) suits(run *ChangeRun) bool { return t.tool.Project == nil || run.Project != nil }

// unread is the result for a change of which no file has an answer.
func (t *toolSource) unread(run *ChangeRun, state analyzers.State, reason string) smells.ToolRun {
	n := t.reads(run)
	return smells.ToolRun{Files: n, Unread: n, State: state, Reason: reason}
}

// installed are tools of which the installed ones take part.
type installed []*toolSource

// Signature implements Source.
func (installed) Signature() string { return "auto" }

// Gives implements Named.
func (all installed) Gives(name string) bool {
	return slices.ContainsFunc(all, func(t *toolSource) bool { return t.Gives(name) })
}

// Refs implements Source.
func (all installed) Refs(ctx context.Context, run *ChangeRun) (Found, error) {
	return refsAlone(ctx, all, run)
}

// RefsBatch implements BatchSource.
func (all installed) RefsBatch(ctx context.Context, runs []*ChangeRun) ([]Answer, error) {
	byTool := make([][]smells.ToolRun, len(all))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range all {
		g.Go(func() (err error) {
			byTool[i], err = t.examine(ctx, runs)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := make([]Answer, len(runs))
	for k, run := range runs {
		found, took := &out[k].Found, []string{}
		for i, t := range all {
			if r := &byTool[i][k]; r.Files > 0 && t.suits(run) {
				found.Tools = append(found.Tools, t.answer(r)...)
				took = append(took, t.takePart(found, r)...)
			}
		}
		found.Signature = "auto(" + strings.Join(took, ",") + ")"
	}
	return out, nil
}

// takePart adds a tool's result to what all tools found. It returns the part of the
// signature: nothing for a tool that did not answer.
func (t *toolSource) takePart(found *Found, r *smells.ToolRun) (signed []string) {
	sign := t.Signature()
	switch {
	case r.State == analyzers.Missing && t.opts.Paths[t.tool.Name] == "": // nobody said that it is installed
	case r.Answered():
		found.Refs = append(found.Refs, pseudoref.FromSmells(t.tool.Name, r.Smells)...)
		return []string{sign}
	case r.Partly():
		found.Refs = append(found.Refs, pseudoref.FromSmells(t.tool.Name, r.Smells)...)
		found.Warnings = append(found.Warnings, fmt.Sprintf("%s: %s: %s; it has read %d of %d files", sign, r.State, r.Reason, r.Files-r.Unread, r.Files))
		return []string{fmt.Sprintf("%s(files=%d/%d)", sign, r.Files-r.Unread, r.Files)}
	default:
		found.Warnings = append(found.Warnings, fmt.Sprintf("%s: %s: %s; it takes no part", sign, r.State, r.Reason))
	}
	return nil
}
