package smells

import (
	"context"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Kind is the kind of a Block.
type Kind string

// The kinds of blocks; the first three are radon's.
const (
	Function Kind = "function"
	Method   Kind = "method"
	Class    Kind = "class"
	// Lambda is a function expression, named after the variable that it is assigned to,
	// in languages where it is measured by itself (Java, JavaScript; in Go only as the
	// value of a global variable).
	Lambda Kind = "lambda"
	// Module is the code of a file or hunk outside of all functions and classes. It has no
	// complexity, and Complexity does not return it.
	Module Kind = "module"
)

// Block is one measured stretch of code.
type Block struct {
	// Kind is the kind of code. Complexity returns no Module.
	Kind Kind
	// Name is the name without qualification, "" for code without a name. Class is the
	// name of a method's class.
	Name, Class string
	// Parent is the index of the enclosing block in the same result, -1 at the top of the
	// file.
	Parent int
	// StartLine and EndLine are the first and last line in the file, counted from 1,
	// without decorators and annotations above. Column is the first byte in its line,
	// counted from 0.
	StartLine, EndLine, Column int
	// Complexity is the cyclomatic complexity, from 1. The complexity of a class is
	// radon's: the mean of its methods, rounded down, plus one if there are several;
	// without methods the complexity of its own body.
	Complexity int
}

// function reports whether the block is a function, method or lambda.
func (b *Block) function() bool { return b.Kind != Class && b.Kind != Module }

// Rank returns the rank of the block's complexity.
func (b *Block) Rank() string { return Rank(b.Complexity) }

// Rank returns radon's rank of a cyclomatic complexity: A up to 5, B up to 10, C up to 20,
// D up to 30, E up to 40, and F above.
func Rank(complexity int) string {
	for i, limit := range []int{5, 10, 20, 30, 40} {
		if complexity <= limit {
			return "ABCDE"[i : i+1]
		}
	}
	return "F"
}

// Languages returns the languages that have rules.
func Languages() []lang.Name {
	return []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.CSharp, lang.PHP,
		lang.Ruby, lang.Rust}
}

// Complexity measures every function, method and class of a fragment, in the order of the
// text. The measure is radon's for Python, PMD's for Java, JSHint's for JavaScript and
// TypeScript, gocyclo's for Go, and McCabe's for the other languages of Languages. For any
// other language the result is empty. Code with syntax errors is measured as far as the
// grammar understands it. The error is ctx's own.
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
