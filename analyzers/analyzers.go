// Package analyzers runs external tools that look for faults in code, such as radon, on
// the texts of files. It finds a tool, asks for its version, runs it, and returns for
// each file the findings or the reason why there is no answer.
//
// The files come from a change that is not trusted. A tool sees them in a private
// directory, under names that the runner makes, beside its own fixed configuration only.
// The runner starts it without a shell, with few environment variables and an empty home,
// and kills it with its children if it takes too long or prints too much.
//
// Each tool has an adapter in a directory beside this file and a line in registry.go;
// docs/adding-an-analyzer.md shows how to add a tool. Package smells decides which
// findings belong to a change, and words them.
package analyzers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// Tool is an adapter to an external analyzer.
type Tool = adapter.Tool

// State is the outcome of a tool, or of a tool for one file.
type State string

// The states, from best to worst. With the last two the tool was not run.
const (
	Clean       State = "clean"    // the tool read the file and found nothing
	Found       State = "findings" // the tool found something
	Failed      State = "failed"   // the tool could not read the file, or failed
	TimedOut    State = "timed out"
	Unsupported State = "unsupported version"
	Missing     State = "missing"
)

var states = []State{Clean, Found, Failed, TimedOut, Unsupported, Missing}

// worse reports whether s is further down the list of states than o.
func (s State) worse(o State) bool { return slices.Index(states, s) > slices.Index(states, o) }

// Options say where to find tools and how long they may take. The zero value means PATH
// and the defaults.
type Options struct {
	// Paths are programs to use instead of looking for them, by the tool's name.
	Paths map[string]string
	// NodeModules are node_modules folders that are searched after PATH. The folder of
	// the change under review must never be among them, because its programs would be
	// run.
	NodeModules []string
	// Timeout is the limit for one start of the tool, which may have hundreds of files.
	// 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxOutput is the largest output of one start of the tool, in bytes. 0 means 32 MiB.
	MaxOutput int64
	// Cache keeps findings; nil means none.
	Cache Cache
	// Started is called before each start of a tool with the number of files, to show
	// progress. Several goroutines may call it. It may be nil.
	Started func(tool string, files int)
}

// DefaultTimeout is the limit for one start of a tool if Options have none.
const DefaultTimeout = 2 * time.Minute

func (o Options) timeout() time.Duration { return cmp.Or(o.Timeout, DefaultTimeout) }
func (o Options) maxOutput() int64       { return cmp.Or(o.MaxOutput, 32<<20) }

// File is a text that is analysed.
type File struct {
	// Path is the file's name in the change. No tool sees it.
	Path     string
	Language lang.Name // Unknown means that Path tells it
	Text     string
}

func (f File) language() lang.Name { return cmp.Or(f.Language, lang.FromPath(f.Path)) }

// Result is the outcome of a tool for some files.
type Result struct {
	// Tool is the tool's name. Version is empty if it is not known.
	Tool, Version string
	// State is the worst state of a file. Without files it is Clean.
	State State
	// Reason says in one line why the answer is not complete; "" if it is.
	Reason string
	// Files are the outcomes in the order of the files.
	Files []FileResult
}

// FileResult is the outcome of a tool for one file.
type FileResult struct {
	// State is Found if Findings is not empty.
	State    State
	Reason   string // "" for Clean and Found
	Findings []findings.Finding
}

// Limits for one start of a tool.
const (
	batchFiles = 400
	batchBytes = 16 << 20
)

// Analyzer is a tool on this machine.
type Analyzer struct {
	// Tool is the adapter.
	Tool Tool
	// State is Clean if the tool can be run. Otherwise State and Reason say why it
	// cannot.
	State         State
	Reason        string
	Path, Version string

	options Options
}

// Run finds a tool and runs it on files. The error is ctx's own, or says that the files
// could not be written. The tool's own errors are in the result.
func Run(ctx context.Context, tool Tool, files []File, options Options) (Result, error) {
	a, err := Find(ctx, tool, options)
	if err != nil {
		return Result{}, err
	}
	return a.Run(ctx, files)
}

// Run runs the tool on files, in several starts, some of them at a time.
func (a *Analyzer) Run(ctx context.Context, files []File) (Result, error) {
	if a.State != Clean {
		return a.same(a.State, a.Reason, len(files)), nil
	}
	if a.Tool.Project != nil {
		return a.same(Failed, "it needs the whole project, and is not run on files alone", len(files)), nil
	}
	r := a.same(Clean, "", len(files))
	var batches [][]int // indexes of files
	size, most := 0, min(cmp.Or(a.Tool.Batch, batchFiles), batchFiles)
	for i, f := range files {
		if reason := a.refuses(f); reason != "" {
			r.Files[i] = FileResult{State: Failed, Reason: reason}
			continue
		}
		if known, ok := a.recall(ctx, f); ok {
			r.Files[i] = known
			continue
		}
		last := len(batches) - 1
		if last < 0 || len(batches[last]) == most || size+len(f.Text) > batchBytes {
			batches, last, size = append(batches, nil), last+1, 0
		}
		batches[last], size = append(batches[last], i), size+len(f.Text)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, batch := range batches {
		g.Go(func() error {
			err := inHalves(batch, func(batch []int) (State, error) { return a.start(ctx, files, batch, r.Files) })
			if err == nil {
				for _, i := range batch {
					a.keep(ctx, files[i], r.Files[i])
				}
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return Result{}, err
	}
	r.sum(files)
	return r, nil
}

// same returns the same outcome for each of n files.
func (a *Analyzer) same(state State, reason string, n int) Result {
	return Result{
		Tool: a.Tool.Name, Version: a.Version, State: state, Reason: reason,
		Files: slices.Repeat([]FileResult{{State: state, Reason: reason}}, n),
	}
}

// prepared returns the text that the tool sees.
func (a *Analyzer) prepared(f File) string {
	if a.Tool.Prepare == nil {
		return f.Text
	}
	return a.Tool.Prepare(f.Text)
}

// refuses says why the tool does not get a file, or "".
func (a *Analyzer) refuses(f File) string {
	if !slices.Contains(a.Tool.Languages, f.language()) {
		return fmt.Sprintf("%s does not read %s", a.Tool.Name, cmp.Or(string(f.language()), "files of an unknown language"))
	}
	if len(f.Text) > limits.FileAnalyzed {
		return fmt.Sprintf("larger than the limit of %d MiB", limits.FileAnalyzed>>20)
	}
	if strings.Count(f.Text, "\r") != strings.Count(f.Text, "\r\n") {
		return "it has carriage returns alone, which the tool may take for ends of lines"
	}
	return ""
}

// sum sets the state of the result from the states of the files.
func (r *Result) sum(files []File) {
	var worst, unread int
	for i, f := range r.Files {
		if f.State.worse(Found) {
			unread++
		}
		if f.State.worse(r.Files[worst].State) {
			worst = i
		}
	}
	if len(r.Files) > 0 {
		r.State, r.Reason = r.Files[worst].State, r.Files[worst].Reason
	}
	if unread > 0 && len(files) > 1 {
		r.Reason = fmt.Sprintf("%d of %d files, %s for one: %s", unread, len(files), findings.Text(files[worst].Path, limits.FindingText), r.Reason)
	}
}

// restarts is the largest number of extra starts for one batch.
const restarts = 32

// inHalves starts a tool on a batch. A file on which the tool fails must not hide the
// answers for the others, so a batch that fails is halved and tried again, as often as
// restarts allow. The last answer for a file is the one that remains.
func inHalves(batch []int, start func(batch []int) (State, error)) error {
	left := restarts
	var run func(batch []int) error
	run = func(batch []int) error {
		if len(batch) == 0 {
			return nil
		}
		state, err := start(batch)
		if err != nil || state == Clean || len(batch) == 1 || left < 2 {
			return err
		}
		left -= 2
		mid := len(batch) / 2
		if err := run(batch[:mid]); err != nil {
			return err
		}
		return run(batch[mid:])
	}
	return run(batch)
}

// start runs the tool once on some files and sets their results. It returns the state of
// this start.
func (a *Analyzer) start(ctx context.Context, files []File, batch []int, results []FileResult) (State, error) {
	box, err := newSandbox(a.Tool)
	if err != nil {
		return "", err
	}
	defer box.remove()
	names, q := make([]string, len(batch)), question{files: make(map[string]int, len(batch))}
	for n, i := range batch {
		names[n] = fmt.Sprintf("crscore%d%s", n, files[i].language().Ext()) // no name that code might have
		q.files[names[n]] = i
		if err := box.write(names[n], a.prepared(files[i])); err != nil {
			return "", err
		}
	}
	q.args = slices.Concat(a.Tool.Args, names)
	if i := slices.Index(a.Tool.Args, adapter.Names); i >= 0 {
		q.args = slices.Clone(a.Tool.Args)
		q.args[i] = strings.Join(names, ",")
	}
	return a.ask(ctx, box, q, files, results)
}

// question is the input for one start of a tool.
type question struct {
	dir  string // where the tool is started, below the sandbox's work directory
	args []string
	// files are the indexes of the files, by their names in the sandbox.
	files map[string]int
	// project tells that the sandbox has other files, too, which have no result.
	project bool
}

// ask starts the tool once and sets the results of the files. The state is Clean if the
// tool did its work, with or without findings.
func (a *Analyzer) ask(ctx context.Context, box *sandbox, q question, files []File, results []FileResult) (State, error) {
	if a.options.Started != nil {
		a.options.Started(a.Tool.Name, len(q.files))
	}
	state, reason, err := a.answer(ctx, box, q, files, results)
	if err == nil && state != Clean {
		for _, i := range q.files {
			results[i] = FileResult{State: state, Reason: a.advise(box.text(reason), q)}
		}
	}
	return state, err
}

// advise adds the tool's hints to a reason. A reason with a place in a file outside of
// the project and of the user's caches for the tool is replaced, because it may quote
// that file.
func (a *Analyzer) advise(reason string, q question) string {
	for _, v := range kept(a.Tool.Keep) {
		if _, dir, _ := strings.Cut(v, "="); filepath.IsAbs(dir) {
			reason = strings.ReplaceAll(reason, filepath.Clean(dir)+string(filepath.Separator), "")
		}
	}
	if q.project && outside.MatchString(reason) {
		return "it complains about a file that is not in the project"
	}
	for _, h := range a.Tool.Hints {
		if strings.Contains(reason, h.Says) {
			return reason + " (" + h.Do + ")"
		}
	}
	return reason
}

// outside finds a place such as /etc/passwd:1 or ../x.go:3.
var outside = regexp.MustCompile(`(?:^|[^\w./-])(?:/|\.\./)[^\s:]*:\d`)

// answer does the work of ask. If the state is not Clean, ask sets the results.
func (a *Analyzer) answer(ctx context.Context, box *sandbox, q question, files []File, results []FileResult) (State, string, error) {
	out, err := box.exec(ctx, q.dir, a.Path, q.args, a.options)
	if err != nil {
		return "", "", err
	}
	// Some tools end with the status for findings when they could not start.
	silent := out.status != 0 && len(bytes.TrimSpace(out.stdout)) == 0
	if out.state == Clean && (silent || !slices.Contains(a.Tool.Exits, out.status)) {
		out.state, out.reason = Failed, fmt.Sprintf("exit status %d: %s", out.status, out.said())
	}
	if out.state != Clean {
		return out.state, out.reason, nil
	}
	report, err := a.Tool.Parse(out.stdout)
	if err != nil {
		reason := fmt.Sprintf("its output cannot be read: %v", err)
		if out.status != 0 {
			reason += fmt.Sprintf(" (exit status %d: %s)", out.status, out.said())
		}
		return Failed, reason, nil
	}
	if report.Failed != "" {
		return Failed, report.Failed, nil
	}
	nameOf := make(map[int]string, len(q.files))
	for name, i := range q.files {
		nameOf[i], results[i] = name, FileResult{State: Clean}
	}
	// fit makes a text fit to be shown and puts in the file's real name.
	fit := func(i int, s string) string {
		return box.text(strings.ReplaceAll(s, nameOf[i], files[i].Path))
	}
	// place finds the file for a name in the output. A tool may have a place outside of
	// the sandbox from its cache, which is an error. other tells that the file is in
	// the project, but has no result.
	place := func(name string) (i int, ok, other bool) {
		if filepath.IsAbs(name) {
			name = strings.TrimPrefix(name, box.work+string(filepath.Separator))
		} else {
			name = filepath.Join(q.dir, name)
		}
		i, ok = q.files[filepath.ToSlash(filepath.Clean(name))]
		return i, ok, !ok && q.project && filepath.IsLocal(name)
	}
	for _, f := range report.Findings {
		i, ok, other := place(f.Path)
		if other {
			continue
		}
		if !ok {
			return Failed, "its output speaks of a file that it was not given: " + f.Path, nil
		}
		lines := strings.Count(strings.TrimSuffix(files[i].Text, "\n"), "\n") + 1
		f.Tool, f.Path = a.Tool.Name, files[i].Path
		f.Line, f.EndLine, f.Column = min(max(f.Line, 0), lines), min(max(f.EndLine, 0), lines), max(f.Column, 0)
		f.Rule, f.Message = box.text(f.Rule), fit(i, f.Message)
		results[i].State, results[i].Findings = Found, append(results[i].Findings, f)
	}
	for _, u := range report.Unread {
		i, ok, _ := place(u.Path)
		if !ok {
			return Failed, "its output speaks of a file that it was not given: " + u.Path, nil
		}
		if results[i].State == Failed {
			continue // the first reason remains
		}
		// Findings in such a file mostly come from misreading it.
		results[i] = FileResult{State: Failed, Reason: cmp.Or(a.advise(fit(i, u.Reason), q), "the tool gives no reason")}
	}
	for _, i := range q.files {
		slices.SortStableFunc(results[i].Findings, func(a, b findings.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
		})
	}
	return Clean, "", nil
}
