package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Base returns the name of the commit or tree that the diff of a range starts from.
func (r *Repository) Base(ctx context.Context, rng string) (string, error) {
	old, _, err := r.sides(ctx, rng)
	if err != nil {
		return "", fmt.Errorf("asking git for %s: %w", nameRange(rng), err)
	}
	return old, nil
}

// File reads a file at the root of a commit or tree. It is nil where there is none. A link, or
// more than limit bytes, is an error.
func (r *Repository) File(ctx context.Context, id, path string, limit int64) ([]byte, error) {
	list, err := r.output(ctx, 1<<10, nil, "ls-tree", "-z", "--full-tree", id, "--", path)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	about, _, _ := strings.Cut(string(list), "\t")
	f := strings.Fields(about) // mode, type, object
	if len(f) != 3 || f[1] != "blob" {
		return nil, errors.New("it is not a file")
	}
	if f[0] == "120000" {
		return nil, errors.New("it is a link, which is not followed")
	}
	return r.output(ctx, limit, nil, "cat-file", "blob", f[2])
}

// nameRange names a range of Change in messages.
func nameRange(rng string) string {
	if rng == "" {
		return "the work tree"
	}
	return "the range " + rng
}
