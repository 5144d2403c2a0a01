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
)

// Tree is the source tree of a project, such as a revision in a repository. It
// calls add for each regular file, with its path from the root and slashes in it,
// and ends with the first error that add returns. Links and what else is not a
// regular file are left out.
type Tree func(ctx context.Context, add AddFile) error

// AddFile is given the text of a file.
type AddFile func(path string, text io.Reader) error

// The largest project of which a copy is made for a tool.
const (
	projectFiles = 50_000
	projectBytes = 512 << 20
)

// RunProject runs a tool that needs the whole project on a copy of it, and answers
// for the files with the paths. What it finds in other files is left out.
//
// The copy has the texts of the project and nothing else: no repository, no links,
// no program that could be run, and none of the files from which the tools, or
// those that they start, would take orders; see leftOut. The tool's own errors, and
// those of reading the tree, are in the result.
func (a *Analyzer) RunProject(ctx context.Context, tree Tree, paths []string) (Result, error) {
	if a.State != Clean {
		return a.same(a.State, a.Reason, len(paths)), nil
	}
	if a.Tool.Project == nil {
		return a.same(Failed, "it is run on files, and not on a project", len(paths)), nil
	}
	box, err := newBox(a.Tool)
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
// What is hidden is where tools look for their configuration, and where other
// version control systems, that the go command would ask, look for theirs. Of the
// rest there are those that are known: they would choose the checks, add flags to
// the compiler, or lead to other folders. No compiler needs any of them, but for
// go.work: a module that can be built with it only is not analysed.
func leftOut(p string) string {
	if !fs.ValidPath(p) || p == "." || strings.ContainsFunc(p, unicode.IsControl) || strings.Contains(p, `\`) {
		return "its name is not one for a file in a project"
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") {
			return "what is hidden is not given to the tool"
		}
	}
	if slices.Contains([]string{"compile_commands.json", "compile_flags.txt", "go.work", "go.work.sum", "staticcheck.conf"}, path.Base(p)) {
		return "configuration is not given to the tool"
	}
	return ""
}

// copy fills the box with the files of a tree, up to limits.
func (b *box) copy(ctx context.Context, tree Tree, maxFiles int, maxBytes int64) error {
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
			return nil // the tool's own configuration, or what was copied before, stays
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

// projectStart is what a tool is given in one start, from a folder of the project.
type projectStart struct {
	dir string // of the module, or "."
	// units are what the tool is named, with the indexes of the files in them.
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

// question names some of the units. The names start with ./ so that none is taken
// for a flag.
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

// starts reads the files that are asked about from the box, and sorts them into
// starts of the tool. Of those that it cannot be asked about the results are set.
func (a *Analyzer) starts(box *box, files []File, results []FileResult, has func(lang.Name) bool) []projectStart {
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
		u := slices.IndexFunc(out[s].units, func(u unit) bool { return u.name == name })
		if u < 0 {
			u, out[s].units = len(out[s].units), append(out[s].units, unit{name, map[string]int{}})
		}
		out[s].units[u].files[f.Path] = i
	}
	return out
}

// load reads a file of the box, or says why it cannot.
func (b *box) load(f *File) string {
	file, err := os.Open(filepath.Join(b.work, filepath.FromSlash(f.Path)))
	if err != nil {
		return "the project has no such file, or it is a link"
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return err.Error()
	}
	f.Text = string(text)
	return ""
}

// module finds the nearest folder above a file that has a file of a name.
func (b *box) module(file, name string) (string, bool) {
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
