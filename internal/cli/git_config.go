package cli

import (
	"context"
	"fmt"
	"strings"

	"crscore/internal/config"
)

// gitProjectFile reads the project's file of the commit that the diff of a range starts from,
// nil where that commit has none. The change itself has no say in its settings: nothing of
// the work tree is read.
func gitProjectFile(ctx context.Context, rng string) (*config.Source, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	r, err := openRepository(ctx)
	if err != nil {
		return nil, err
	}
	old, _, err := r.sides(ctx, rng)
	if err != nil {
		return nil, fmt.Errorf("asking git for %s: %w", nameRange(rng), err)
	}
	s, err := r.projectFile(ctx, old)
	if err != nil {
		return nil, fmt.Errorf("reading %s of the commit before the change: %w (--no-config reads no settings)", config.ProjectFile, err)
	}
	return s, nil
}

// projectFile reads the project's file of a commit or tree, nil where it has none.
func (r *repository) projectFile(ctx context.Context, id string) (*config.Source, error) {
	list, err := r.output(ctx, 1<<10, nil, "ls-tree", "-z", "--full-tree", id, "--", config.ProjectFile)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	about, _, _ := strings.Cut(string(list), "\t")
	f := strings.Fields(about) // mode, type, object
	if len(f) != 3 || f[1] != "blob" {
		return nil, fmt.Errorf("it is not a file")
	}
	if f[0] == "120000" {
		return nil, fmt.Errorf("it is a link, which is not followed")
	}
	s := &config.Source{File: config.File{Path: id[:min(len(id), 12)] + ":" + config.ProjectFile, Project: true}}
	s.Text, err = r.output(ctx, config.MaxBytes, nil, "cat-file", "blob", f[2])
	return s, err
}

// nameRange names a range of gitChange in messages.
func nameRange(rng string) string {
	if rng == "" {
		return "the work tree"
	}
	return "the range " + rng
}
