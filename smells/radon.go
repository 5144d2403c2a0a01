package smells

import (
	"cmp"
	"slices"
)

// RadonBlock is a block in the shape of `radon cc -j`: classes contain their methods,
// functions contain the functions inside them, and methods are also listed beside their
// classes. Types are "function", "method", "class" and, in languages where unnamed
// functions are measured by themselves, "lambda".
type RadonBlock struct {
	// The fields are radon's. Lines are counted from 1; Rank is from A to F.
	Type       Kind         `json:"type"`
	Rank       string       `json:"rank"`
	Column     int          `json:"col_offset"` // bytes, from 0
	Name       string       `json:"name"`
	EndLine    int          `json:"endline"`
	Line       int          `json:"lineno"`
	ClassName  string       `json:"classname,omitempty"` // of methods
	Complexity int          `json:"complexity"`
	Methods    []RadonBlock `json:"methods,omitzero"`  // of classes
	Closures   []RadonBlock `json:"closures,omitzero"` // of functions and methods
}

// Radon returns blocks in radon's shape and order: the most complex first, and blocks with
// the same complexity in the order of the text.
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
