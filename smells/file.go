package smells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// FileSmells is the result of DetectFile.
type FileSmells struct {
	// Smells are all smells of the file, in the order of the lines.
	Smells []Smell
	// Directives are the file's crscore:ignore comments. Smells are not narrowed by them.
	Directives []Directive
	// Broken is the first line with a syntax error, 0 if there is none. Fewer smells
	// may be found around it.
	Broken int
}

// DetectFile returns all smells of a file, as if a change had just added it. With an empty
// l the path determines the language. The error is ctx's own, or says that an option is
// wrong or that the file cannot be parsed.
func DetectFile(ctx context.Context, path, text string, l lang.Name, opts Options) (FileSmells, error) {
	trees, err := parseFile(ctx, path, text, l)
	if err != nil {
		return FileSmells{}, err
	}
	found, err := Detect(ctx, trees, opts)
	if err != nil {
		return FileSmells{}, err
	}
	out := FileSmells{Smells: found, Directives: Directives(trees)}
	if f := trees.Files[0].New; len(f) > 0 {
		out.Broken = firstError(f[0].Root())
	}
	return out, nil
}

// FileComplexity is Complexity for a file. With an empty l the path determines the
// language. broken is the first line with a syntax error, 0 if there is none; code around
// it is measured as far as the grammar understands it. The error is ctx's own, or says that
// the file cannot be parsed.
func FileComplexity(ctx context.Context, path, text string, l lang.Name) (blocks []Block, broken int, err error) {
	trees, err := parseFile(ctx, path, text, l)
	if err != nil {
		return nil, 0, err
	}
	if len(trees.Files[0].New) == 0 {
		return nil, 0, nil // empty
	}
	f := trees.Files[0].New[0]
	blocks, err = Complexity(ctx, f)
	return blocks, firstError(f.Root()), err
}

// parseFile parses a whole file as the addition of that file. A file without code has
// no fragment.
func parseFile(ctx context.Context, path, text string, l lang.Name) (*syntax.Trees, error) {
	c := change.Addition(path, text, l)
	if l := c.Files[0].Lang; !slices.Contains(Languages(), l) {
		return nil, fmt.Errorf("no rule knows %s", cmp.Or(string(l), "its language"))
	}
	if len(text) > limits.FileParsed {
		return nil, fmt.Errorf("too large to be parsed (limit: %d MiB)", limits.FileParsed>>20)
	}
	trees, err := syntax.Parse(ctx, c)
	if err != nil {
		return nil, err
	}
	if trees.Unread() > 0 {
		return nil, errors.New(strings.TrimPrefix(trees.Warnings[0], path+": "))
	}
	return trees, nil
}

// firstError returns the line of the first part of a tree that the grammar did not
// understand, or 0.
func firstError(n *syntax.Node) int {
	if !n.HasError() {
		return 0
	}
	for inner := n; inner != nil; {
		n, inner = inner, nil
		for i := 0; i < int(n.ChildCount()) && inner == nil; i++ {
			if c := n.Child(i); c.HasError() || c.IsMissing() {
				inner = c
			}
		}
	}
	return int(n.StartPoint().Row) + 1
}
