package analyzers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"crscore/internal/lang"
	"crscore/internal/limits"
)

// Tree is the source tree of a project, such as a revision in a repository. It calls add
// for each regular file, with its path from the root and with slashes, and ends with the
// first error of add. Links and special files are left out.
type Tree func(ctx context.Context, add AddFile) error

// AddFile takes the path and the text of a file.
type AddFile func(path string, text io.Reader) error

// Limits of a project that is copied for a tool.
const (
	projectFiles = 50_000
	projectBytes = 512 << 20
)

// RunProject runs a tool that needs the whole project on a copy of it, and returns the
// results for some paths. Findings in other files are left out.
//
// The copy has the texts of the project only: no repository, no links, no executable
// files, and no configuration of the tools or of programs that they start; see leftOut.
// Errors of the tool, and errors of reading the tree, are in the result.
func (a *Analyzer) RunProject(ctx context.Context, tree Tree, paths []string) (Result, error) {
	if a.State != Clean {
		return a.same(a.State, a.Reason, len(paths)), nil
	}
	if a.Tool.Project == nil {
		return a.same(Failed, "it is run on files, and not on a project", len(paths)), nil
	}
	box, err := newSandbox(a.Tool)
	if err != nil {
		return Result{}, err
	}
	defer box.remove()
	r := a.same(Clean, "", len(paths))
	files := make([]File, len(paths))
	for i, p := range paths {
		files[i] = File{Path: p}
		if reason := cmp.Or(a.refuses(files[i]), leftOut(p)); reason != "" {
			r.Files[i] = FileResult{State: Failed, Reason: reason}
		}
	}
	if !slices.ContainsFunc(r.Files, func(f FileResult) bool { return f.State == Clean }) {
		r.sum(files)
		return r, nil
	}
	languages := map[lang.Name]bool{}
	err = box.copy(ctx, func(ctx context.Context, add AddFile) error {
		return tree(ctx, func(path string, text io.Reader) error {
			languages[lang.FromPath(path)] = true
			return add(path, text)
		})
	}, projectFiles, projectBytes)
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		return a.same(Failed, box.text(err.Error()), len(paths)), nil
	}
	for _, start := range a.starts(box, files, r.Files, func(l lang.Name) bool { return languages[l] }) {
		err := inHalves(start.all(), func(batch []int) (State, error) {
			return a.ask(ctx, box, start.question(a.Tool, batch), files, r.Files)
		})
		if err != nil {
			return Result{}, err
		}
	}
	r.sum(files)
	return r, nil
}

// leftOut says why a path is not in the copies that tools get, or "".
//
// Hidden files hold the configuration of tools, and of version control systems that the
// go command would ask. The other files in the list would choose checks, add flags to the
// compiler, or lead to other folders. Only go.work is needed by a compiler: a module that
// cannot be built without it is not analysed.
func leftOut(p string) string {
	if !fs.ValidPath(p) || p == "." || strings.ContainsFunc(p, unicode.IsControl) || strings.Contains(p, `\`) {
		return "its path is not valid in a project"
	}
	if _, err := filepath.Localize(p); err != nil {
		return "its path is not valid on this system"
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") {
			return "hidden files are not given to the tool"
		}
	}
	// As Windows and macOS read names: "Go.Work. " is go.work there, and on macOS a long s is an s.
	base := strings.TrimRight(path.Base(p), ". ")
	for _, name := range []string{"compile_commands.json", "compile_flags.txt", "go.work", "go.work.sum", "staticcheck.conf"} {
		if strings.EqualFold(base, name) {
			return "configuration is not given to the tool"
		}
	}
	return ""
}

// copy fills the sandbox with the files of a tree, up to limits.
func (b *sandbox) copy(ctx context.Context, tree Tree, maxFiles int, maxBytes int64) error {
	files, left := 0, maxBytes
	return tree(ctx, func(p string, text io.Reader) error {
		if leftOut(p) != "" {
			return nil
		}
		if files++; files > maxFiles {
			return fmt.Errorf("the project has more than the limit of %d files", maxFiles)
		}
		name := filepath.Join(b.work, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("copying the project: %w", err)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return nil // the tool's own configuration, or the first copy, stays
		}
		if err != nil {
			return fmt.Errorf("copying the project: %w", err)
		}
		n, err := io.Copy(f, io.LimitReader(text, left+1))
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("copying the project: %w", err)
		}
		if left -= n; left < 0 {
			return fmt.Errorf("the project is larger than the limit of %d MiB", maxBytes>>20)
		}
		return nil
	})
}

// projectStart is the input for one start of a tool in a folder of the project.
type projectStart struct {
	dir string // of the module, or "."
	// units are the tool's arguments, with the indexes of the files in them.
	units []unit
	after []string
}

type unit struct {
	name  string // below dir
	files map[string]int
}

func (s *projectStart) all() []int {
	out := make([]int, len(s.units))
	for i := range out {
		out[i] = i
	}
	return out
}

// question is the input with some of the units. Names start with ./ so that the tool
// takes none of them for a flag.
func (s *projectStart) question(tool Tool, units []int) question {
	q := question{dir: s.dir, args: slices.Clone(tool.Args), files: map[string]int{}, project: true}
	for _, u := range units {
		q.args = append(q.args, "./"+s.units[u].name)
		for name, i := range s.units[u].files {
			q.files[name] = i
		}
	}
	q.args = append(q.args, s.after...)
	return q
}

// starts reads the requested files from the sandbox and groups them into starts of the
// tool. For files that the tool cannot analyse it sets the results.
func (a *Analyzer) starts(box *sandbox, files []File, results []FileResult, has func(lang.Name) bool) []projectStart {
	how := a.Tool.Project
	var out []projectStart
	for i := range files {
		f := &files[i]
		if results[i].State != Clean {
			continue
		}
		reason := box.load(f)
		if reason == "" {
			reason = a.refuses(*f)
		}
		if reason == "" && how.Skips != nil {
			reason = how.Skips(f.Path, f.Text)
		}
		if reason == "" && a.Tool.Prepare != nil {
			if err := box.write(f.Path, a.Tool.Prepare(f.Text)); err != nil {
				reason = err.Error()
			}
		}
		dir, ok := box.module(f.Path, how.Module)
		if reason == "" && !ok {
			reason = "there is no " + how.Module + " in a folder above it"
		}
		if reason != "" {
			results[i] = FileResult{State: Failed, Reason: box.text(reason)}
			continue
		}
		if how.Module == "" {
			s := projectStart{dir: dir, units: []unit{{f.Path, map[string]int{f.Path: i}}}}
			if how.After != nil {
				s.after = how.After(f.Path, has)
			}
			out = append(out, s)
			continue
		}
		s := slices.IndexFunc(out, func(s projectStart) bool { return s.dir == dir && len(s.units) < batchFiles })
		if s < 0 {
			s, out = len(out), append(out, projectStart{dir: dir})
		}
		name, err := filepath.Rel(dir, path.Dir(f.Path))
		if err != nil { // both are local paths
			panic(err)
		}
		name = filepath.ToSlash(name)
		u := slices.IndexFunc(out[s].units, func(u unit) bool { return u.name == name })
		if u < 0 {
			u, out[s].units = len(out[s].units), append(out[s].units, unit{name, map[string]int{}})
		}
		out[s].units[u].files[f.Path] = i
	}
	return out
}

// load reads a file of the sandbox. It returns the reason if it cannot, else "".
func (b *sandbox) load(f *File) string {
	file, err := os.Open(filepath.Join(b.work, filepath.FromSlash(f.Path)))
	if err != nil {
		return "the project has no such file, or it is a link"
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limits.FileAnalyzed+1))
	if err != nil {
		return err.Error()
	}
	f.Text = string(text)
	return ""
}

// module finds the nearest folder above a file that contains a file with a name.
func (b *sandbox) module(file, name string) (string, bool) {
	if name == "" {
		return ".", true
	}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(b.work, filepath.FromSlash(dir), name)); err == nil && info.Mode().IsRegular() {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
	}
}
