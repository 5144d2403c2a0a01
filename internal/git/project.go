package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/limits"
)

// Trees returns the project before and after a range as git diff understands it or, without
// a range, of HEAD and of the work tree. git runs when an analyzer reads a tree. No filter,
// hook or conversion takes part: committed files are git's objects, and the files of the work
// tree are those on disk.
func Trees(rng string) (before, after analyzers.Tree) {
	side := func(side change.Side) analyzers.Tree {
		return func(ctx context.Context, add analyzers.AddFile) error {
			ctx, cancel := context.WithTimeout(ctx, Timeout)
			defer cancel()
			err := addSide(ctx, rng, side, add)
			if err != nil {
				err = fmt.Errorf("asking git for the project: %w", err)
			}
			return err
		}
	}
	return side(change.Old), side(change.New)
}

// addSide adds the files of one side of a range.
func addSide(ctx context.Context, rng string, side change.Side, add analyzers.AddFile) error {
	r, err := Open(ctx)
	if err != nil {
		return err
	}
	old, now, err := r.sides(ctx, rng)
	switch {
	case err != nil:
		return err
	case side == change.Old:
		return r.committed(ctx, old, add)
	case now == "":
		return r.onDisk(ctx, add)
	}
	return r.committed(ctx, now, add)
}

// committed adds the regular files of a commit.
func (r *Repository) committed(ctx context.Context, id string, add analyzers.AddFile) error {
	list, err := r.output(ctx, limits.ChangeOldBytes, nil, "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return err
	}
	var ids, paths []string
	for entry := range strings.SplitSeq(string(list), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(about); len(f) == 3 && (f[0] == "100644" || f[0] == "100755") {
			ids, paths = append(ids, f[2]), append(paths, path)
		}
	}
	return r.objects(ctx, ids, paths, add)
}

// onDisk adds the regular files that git tracks, as they are in the work tree.
func (r *Repository) onDisk(ctx context.Context, add analyzers.AddFile) error {
	dir, err := r.workTree(ctx)
	if err != nil {
		return err
	}
	// A link cannot lead outside of the root.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	list, err := r.output(ctx, limits.ChangeOldBytes, nil, "ls-files", "-z", "--full-name", ":/")
	if err != nil {
		return err
	}
	paths := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	for _, path := range slices.Compact(paths) { // a file in conflict is listed several times
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := addFromDisk(root, path, add); err != nil {
			return err
		}
	}
	return nil
}

// addFromDisk adds a regular file, where it exists.
func addFromDisk(root *os.Root, path string, add analyzers.AddFile) error {
	if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil // deleted, a link, a submodule
	}
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return add(path, f)
}
