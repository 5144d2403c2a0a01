package smells

import (
	"cmp"
	"context"
	"slices"

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

// FileComplexity is Complexity for a file. An empty l is told from the path. measured
// is false where the language is none of Languages, or the text is larger than the
// parser's limit; the error is ctx's own or that parsing took too long.
func FileComplexity(ctx context.Context, path, text string, l lang.Name) (blocks []Block, measured bool, err error) {
	trees, err := syntax.Parse(ctx, change.Addition(path, text, l))
	if err != nil {
		return nil, false, err
	}
	defer trees.Close()
	f := trees.Files[0]
	if len(f.New) == 0 || !slices.Contains(Languages(), f.Lang) {
		return nil, len(f.New) == 0 && text == "" && slices.Contains(Languages(), f.Lang), nil
	}
	blocks, err = Complexity(ctx, f.New[0])
	return blocks, err == nil, err
}
