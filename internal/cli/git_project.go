package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"crscore/analyzers"
	"crscore/change"
	"crscore/smells"
)

// gitProject is the project before and after a range as git diff understands it,
// or, without one, that of HEAD and of the work tree. Git is asked when an analyzer
// wants to see it. No filter, hook or conversion of the change takes part: what was
// committed comes from git's objects as it is, and the work tree's files as they
// are on disk.
func gitProject(rng string) *smells.Project {
	side := func(side change.Side) analyzers.Tree {
		return func(ctx context.Context, add analyzers.AddFile) error {
			ctx, cancel := context.WithTimeout(ctx, gitTimeout)
			defer cancel()
			err := gitSide(ctx, rng, side, add)
			if err != nil {
				err = fmt.Errorf("asking git for the project: %w", err)
			}
			return err
		}
	}
	return &smells.Project{Old: side(change.Old), New: side(change.New)}
}

// gitSide adds the files of one side of a range.
func gitSide(ctx context.Context, rng string, side change.Side, add analyzers.AddFile) error {
	old, now, err := gitSides(ctx, rng)
	switch {
	case err != nil:
		return err
	case side == change.New && now == "":
		return gitWorkTree(ctx, add)
	case side == change.New:
		return gitCommitted(ctx, now, add)
	case old == "":
		return nil // before the first commit
	}
	return gitCommitted(ctx, old, add)
}

// gitSides are the objects that a range compares. A new side that is "" is the work
// tree, an old one is nothing.
func gitSides(ctx context.Context, rng string) (old, now string, err error) {
	if rng == "" {
		head, err := git(ctx, 1<<10, nil, "rev-parse", "--verify", "--quiet", "HEAD")
		if err != nil {
			return "", "", ctx.Err()
		}
		return strings.TrimSpace(string(head)), "", nil
	}
	out, err := git(ctx, 1<<16, nil, "rev-parse", "--revs-only", "--end-of-options", rng)
	if err != nil {
		return "", "", err
	}
	// The new side is the first, of A...B too; with a ^ is what it is compared to:
	// of A...B one or more merge bases, of which git diff takes the first.
	var with, without []string
	for id := range strings.FieldsSeq(string(out)) {
		if base, ok := strings.CutPrefix(id, "^"); ok {
			without = append(without, base)
		} else {
			with = append(with, id)
		}
	}
	symmetric := strings.Contains(rng, "...")
	switch {
	case len(with) == 1 && len(without) == 0:
		return with[0], "", nil
	case len(with) == 1 && len(without) == 1, symmetric && len(with) == 2 && len(without) > 0:
		return without[0], with[0], nil
	}
	return "", "", fmt.Errorf("the range %s has not two sides", rng)
}

// gitCommitted adds the regular files of a commit.
func gitCommitted(ctx context.Context, id string, add analyzers.AddFile) error {
	list, err := git(ctx, maxAllBlobs, nil, "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return err
	}
	var ids strings.Builder
	var paths []string
	for entry := range strings.SplitSeq(string(list), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(about); len(f) == 3 && (f[0] == "100644" || f[0] == "100755") {
			ids.WriteString(f[2] + "\n")
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return gitPipe(ctx, strings.NewReader(ids.String()), func(out io.Reader) error {
		r := bufio.NewReader(out)
		for _, path := range paths {
			head, err := r.ReadString('\n')
			if err != nil {
				return fmt.Errorf("reading %q: %w", path, err)
			}
			size := -1
			if f := strings.Fields(head); len(f) == 3 && f[1] == "blob" {
				if n, err := strconv.Atoi(f[2]); err == nil {
					size = n
				}
			}
			if size < 0 {
				return fmt.Errorf("reading %q: git cat-file answered %q", path, strings.TrimSpace(head))
			}
			text := &io.LimitedReader{R: r, N: int64(size)}
			if err := add(path, text); err != nil {
				return err
			}
			// What was not wanted, and the line's end.
			if _, err := io.CopyN(io.Discard, r, text.N+1); err != nil {
				return fmt.Errorf("reading %q: %w", path, err)
			}
		}
		return nil
	}, "cat-file", "--batch")
}

// gitWorkTree adds the regular files that git knows as they are on disk.
func gitWorkTree(ctx context.Context, add analyzers.AddFile) error {
	top, err := git(ctx, 1<<16, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	dir := strings.TrimSuffix(string(top), "\n")
	// Links lead nowhere outside of it.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	list, err := git(ctx, maxAllBlobs, nil, "-C", dir, "-c", "core.fsmonitor=false", "ls-files", "-z")
	if err != nil {
		return err
	}
	paths := strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
	for _, path := range slices.Compact(paths) { // a file in conflict is there more than once
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := addFromDisk(root, path, add); err != nil {
			return err
		}
	}
	return nil
}

// addFromDisk adds a file, unless it is not there or is not a regular one.
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
