package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

// NoChanges is an error that says that a change has no changed lines.
type NoChanges struct{ error }

// Unwrap returns the error in it.
func (e NoChanges) Unwrap() error { return e.error }

// Change asks git for a change: of a range as git diff understands it, or of the work
// tree against HEAD. The old texts come from git's objects; the hunks make the new texts
// from them.
func Change(ctx context.Context, rng string, opts change.Options) (*change.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	r, err := Open(ctx)
	if err != nil {
		return nil, err
	}
	what := nameRange(rng)
	old, now, err := r.sides(ctx, rng)
	if err != nil {
		return nil, fmt.Errorf("asking git for %s: %w", what, err)
	}
	diff, err := r.diff(ctx, old, now)
	if err != nil {
		return nil, fmt.Errorf("asking git for the diff of %s: %w", what, err)
	}
	if len(bytes.TrimSpace(diff)) == 0 {
		if rng == "" {
			return nil, NoChanges{errors.New("the work tree has no changes against HEAD (git add makes new files part of them); give --diff or --range")}
		}
		return nil, NoChanges{fmt.Errorf("the range %s has no changes", rng)}
	}
	c, err := change.Parse(diff, opts)
	if err != nil {
		return nil, fmt.Errorf("reading git's diff of %s: %w", what, err)
	}
	blobs, err := r.Blobs(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("asking git for the old texts: %w", err)
	}
	opts.Texts = OldTexts(blobs)
	if c, err = change.Parse(diff, opts); err != nil {
		return nil, err
	}
	c.Warnings = append(c.Warnings, binaryWarnings(c)...)
	if now == "" {
		unfiltered, err := r.unfiltered(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("asking git for the filters of files: %w", err)
		}
		c.Warnings = append(c.Warnings, unfiltered...)
	}
	if rng == "" {
		if n := r.untracked(ctx); n > 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("untracked files are not part of the change (git add -N adds them): %d", n))
		}
	}
	return c, nil
}

// OldTexts gives the old texts by their object names, for change.Options.
func OldTexts(blobs map[string]string) func(*change.File, change.Side) (string, bool) {
	return func(f *change.File, side change.Side) (string, bool) {
		if side == change.New {
			return "", false
		}
		t, ok := blobs[f.OldID]
		return t, ok
	}
}

// binaryWarnings name files of a known language without a text diff.
func binaryWarnings(c *change.Change) (warnings []string) {
	for i := range c.Files {
		if f := &c.Files[i]; f.Binary && f.Lang != lang.Unknown {
			warnings = append(warnings, fmt.Sprintf("%s: git calls it binary (see .gitattributes); its text is not part of the change", f.Path()))
		}
	}
	return warnings
}

// diff compares two commits or trees, or a commit with the work tree. It uses git's
// low-level commands: they take object names and no paths, write no index and obey few
// settings.
func (r *Repository) diff(ctx context.Context, old, now string) ([]byte, error) {
	args := slices.Concat([]string{"diff-tree"}, diffFlags(), []string{old, now, "--"})
	if now == "" {
		if _, err := r.workTree(ctx); err != nil {
			return nil, err
		}
		args = slices.Concat([]string{"diff-index"}, diffFlags(), []string{old, "--"})
	}
	return r.output(ctx, change.DefaultMaxBytes, nil, args...)
}

// diffFlags turn off external programs, leave submodules out, whose settings are their own,
// and fix the form of the diff.
func diffFlags() []string {
	return []string{
		"--patch", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short",
		"--no-color", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", "--no-relative",
		"--unified=3", "--inter-hunk-context=0", "--diff-algorithm=default", "--indent-heuristic", "--find-renames", "-l1000",
	}
}

// unfiltered returns warnings about files of the work tree that git's filters, such as Git
// LFS, would convert before a comparison. A filter is any program, so none is run.
func (r *Repository) unfiltered(ctx context.Context, c *change.Change) ([]string, error) {
	if len(r.filters) == 0 {
		return nil, nil
	}
	top, err := r.workTree(ctx)
	if err != nil {
		return nil, err
	}
	var paths strings.Builder
	for i := range c.Files {
		if p := c.Files[i].NewPath; p != "" {
			paths.WriteString(top + "/" + p + "\x00")
		}
	}
	out, err := r.output(ctx, limits.ChangeOldBytes, strings.NewReader(paths.String()), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	files := map[string][]string{}
	for answer := range slices.Chunk(strings.Split(string(out), "\x00"), 3) {
		if len(answer) == 3 && r.filters[answer[2]] {
			files[answer[2]] = append(files[answer[2]], strings.TrimPrefix(answer[0], top+"/"))
		}
	}
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		some := files[name][:min(len(files[name]), 3)]
		list := strings.Join(some, ", ")
		if more := len(files[name]) - len(some); more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		warnings = append(warnings, fmt.Sprintf("git's filter %s was not run, since a repository can name any program as one; files that are compared as they are on disk: %s", name, list))
	}
	return warnings, nil
}

// untracked returns the number of files that git neither tracks nor ignores. It is for a
// warning only: after a failure it is 0.
func (r *Repository) untracked(ctx context.Context) int {
	out, err := r.output(ctx, 16<<20, nil, "ls-files", "--others", "--exclude-standard", "-z", "--full-name", ":/")
	if err != nil {
		return 0
	}
	return bytes.Count(out, []byte{0})
}

// Blobs reads the old texts of a change by their object names. Texts above the limits of the
// parser, or of all together, are left out.
func (r *Repository) Blobs(ctx context.Context, c *change.Change) (map[string]string, error) {
	var ids []string
	seen := map[string]bool{}
	for i := range c.Files {
		f := &c.Files[i]
		if f.OldID != "" && f.Status != change.Added && len(f.Hunks) > 0 && !f.Submodule() && !seen[f.OldID] {
			seen[f.OldID] = true
			ids = append(ids, f.OldID)
		}
	}
	blobs := map[string]string{}
	if len(ids) == 0 {
		return blobs, nil
	}
	// The sizes come first, so that large objects are never read.
	sizes, err := r.output(ctx, limits.ChangeOldBytes, strings.NewReader(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	var small []string
	total := 0
	for _, l := range strings.Split(string(sizes), "\n") {
		f := strings.Fields(l)
		if len(f) == 2 && f[1] == "missing" {
			return nil, fmt.Errorf("the object %s is missing%s", f[0], r.lacks())
		}
		if len(f) != 3 || f[1] != "blob" {
			continue
		}
		if n, err := strconv.Atoi(f[2]); err == nil && n <= limits.FileParsed && total+n <= limits.ChangeOldBytes {
			total += n
			small = append(small, f[0])
		}
	}
	return blobs, r.objects(ctx, small, small, func(id string, text io.Reader) error {
		b, err := io.ReadAll(text)
		blobs[id] = string(b)
		return err
	})
}

// objects reads files by their object names while git writes them. A message has the name of a file.
func (r *Repository) objects(ctx context.Context, ids, names []string, add func(name string, text io.Reader) error) error {
	if len(ids) == 0 {
		return nil
	}
	return r.pipe(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), func(out io.Reader) error {
		in := bufio.NewReader(out)
		for _, name := range names {
			head, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("reading %q: %w", name, err)
			}
			size := -1
			if f := strings.Fields(head); len(f) == 3 && f[1] == "blob" {
				if n, err := strconv.Atoi(f[2]); err == nil {
					size = n
				}
			}
			if size < 0 {
				return fmt.Errorf("reading %q: git cat-file answered %q%s", name, strings.TrimSpace(head), r.lacks())
			}
			text := &io.LimitedReader{R: in, N: int64(size)}
			if err := add(name, text); err != nil {
				return err
			}
			// Skip the rest of the object, and the line's end.
			if _, err := io.CopyN(io.Discard, in, text.N+1); err != nil {
				return fmt.Errorf("reading %q: %w", name, err)
			}
		}
		return nil
	}, "cat-file", "--batch")
}
