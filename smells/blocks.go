package smells

import (
	"context"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Kind says what a Block is.
type Kind string

// The kinds of blocks; the first three are radon's.
const (
	Function Kind = "function"
	Method   Kind = "method"
	Class    Kind = "class"
	// Lambda is a function expression, named after what it is assigned to, where
	// the language's measure takes it by itself (Java, JavaScript; in Go the value
	// of a global variable).
	Lambda Kind = "lambda"
	// Module is the code of a file or hunk outside of all functions and
	// classes. It has no complexity of its own and is not in Complexity's result.
	Module Kind = "module"
)

// Block is one measured stretch of code.
type Block struct {
	Kind Kind
	// Name is the bare name, "" for code without one. Class is the name of the
	// class that a method stands in.
	Name, Class string
	// Parent is the index of the block around this one in the same result; -1
	// at the top of the file.
	Parent int
	// StartLine and EndLine are the first and last line in the file, counted
	// from 1; decorators and annotations above are left out. Column is the
	// first byte's place in its line, counted from 0.
	StartLine, EndLine, Column int
	// Complexity is the cyclomatic complexity, from 1. That of a class is
	// radon's: the mean of its methods, rounded down, plus one if there are
	// several; without methods what its own body decides.
	Complexity int
}

// function tells whether the block can be called.
func (b *Block) function() bool { return b.Kind != Class && b.Kind != Module }

// Rank returns the letter of the block's complexity.
func (b *Block) Rank() string { return Rank(b.Complexity) }

// Rank returns radon's letter for a cyclomatic complexity: A up to 5, B up to
// 10, C up to 20, D up to 30, E up to 40, and F above.
func Rank(complexity int) string {
	for i, limit := range []int{5, 10, 20, 30, 40} {
		if complexity <= limit {
			return "ABCDE"[i : i+1]
		}
	}
	return "F"
}

// Languages lists the languages in which smells are looked for.
func Languages() []lang.Name {
	return []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.CSharp, lang.PHP,
		lang.Ruby, lang.Rust}
}

// Complexity measures every function, method and class of a fragment, in the
// order of the text. It is radon's measure for Python, PMD's for Java, JSHint's
// for JavaScript and TypeScript, gocyclo's for Go, and McCabe's by the usual
// count for the others. The result is empty for other languages; of code
// with syntax errors it holds what can be known. The error is ctx's own.
func Complexity(ctx context.Context, f *syntax.Fragment) ([]Block, error) {
	m, err := measure(ctx, f, nil)
	if err != nil {
		return nil, err
	}
	var out []Block
	for i := range m {
		if m[i].Kind == Module {
			continue // always the first
		}
		b := m[i].Block
		b.Parent--
		out = append(out, b)
	}
	return out, nil
}
