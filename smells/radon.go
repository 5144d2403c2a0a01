package smells

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// RadonBlock is a block in the shape that `radon cc -j` prints: classes hold their
// methods, functions those that stand in them, and methods are listed beside their
// classes, too. Types are "function", "method", "class" and, where functions
// without a name are measured by themselves, "lambda".
type RadonBlock struct {
	Type       Kind         `json:"type"`
	Rank       string       `json:"rank"`
	Column     int          `json:"col_offset"` // bytes, from 0
	Name       string       `json:"name"`
	EndLine    int          `json:"endline"`
	Line       int          `json:"lineno"`
	ClassName  string       `json:"classname,omitempty"` // of methods
	Complexity int          `json:"complexity"`
	Methods    []RadonBlock `json:"methods,omitzero"`  // of classes
	Closures   []RadonBlock `json:"closures,omitzero"` // of what can be called
}

// Radon puts what Complexity returns into radon's shape, by its order: the most
// complex first, blocks of one complexity as they stand in the text.
func Radon(blocks []Block) []RadonBlock {
	inside := make([][]int, len(blocks))
	for i := range blocks {
		if p := blocks[i].Parent; p >= 0 {
			inside[p] = append(inside[p], i)
		}
	}
	var closures func(i int) RadonBlock
	closures = func(i int) RadonBlock {
		b := &blocks[i]
		r := RadonBlock{Type: b.Kind, Rank: b.Rank(), Column: b.Column, Name: b.Name, EndLine: b.EndLine, Line: b.StartLine, Complexity: b.Complexity}
		if b.Kind == Method {
			r.ClassName = b.Class
		}
		if b.Kind == Class {
			r.Methods = []RadonBlock{}
		} else {
			r.Closures = []RadonBlock{}
		}
		for _, j := range inside[i] {
			switch {
			case b.Kind == Class && blocks[j].Kind == Method:
				r.Methods = append(r.Methods, closures(j))
			case b.Kind != Class && blocks[j].Kind != Class:
				r.Closures = append(r.Closures, closures(j))
			}
		}
		return r
	}
	out := []RadonBlock{}
	for i := range blocks {
		p := blocks[i].Parent
		if p < 0 || blocks[p].Kind == Class || blocks[i].Kind == Class {
			out = append(out, closures(i))
		}
	}
	slices.SortStableFunc(out, func(a, b RadonBlock) int { return cmp.Compare(b.Complexity, a.Complexity) })
	return out
}

// FileComplexity is Complexity for a file, of which an empty l is told from the path.
// broken is the first line with a syntax error, 0 where there is none; what stands
// there is measured as far as it is understood. The error is ctx's own, or says that
// the file cannot be measured, or took too long.
func FileComplexity(ctx context.Context, path, text string, l lang.Name) (blocks []Block, broken int, err error) {
	c := change.Addition(path, text, l)
	if l := c.Files[0].Lang; !slices.Contains(Languages(), l) {
		return nil, 0, fmt.Errorf("complexity is not measured for %s", cmp.Or(string(l), "an unknown language"))
	}
	if len(text) > syntax.MaxFileBytes {
		return nil, 0, fmt.Errorf("too large to be parsed (limit: %d MiB)", syntax.MaxFileBytes>>20)
	}
	trees, err := syntax.Parse(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	defer trees.Close()
	if len(trees.Files[0].New) == 0 {
		return nil, 0, nil // empty
	}
	f := trees.Files[0].New[0]
	blocks, err = Complexity(ctx, f)
	return blocks, firstError(f.Tree.RootNode()), err
}

// firstError returns the line of the first part of a tree that the grammar did not
// understand, or 0.
func firstError(n *sitter.Node) int {
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
