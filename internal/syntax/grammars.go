package syntax

import (
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/swift"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"

	"crscore/internal/lang"
)

// grammar returns the tree-sitter grammar of a language, or nil.
func grammar(l lang.Name) *sitter.Language {
	switch l {
	case lang.Bash:
		return bash.GetLanguage()
	case lang.C:
		return c.GetLanguage()
	case lang.Cpp:
		return cpp.GetLanguage()
	case lang.CSharp:
		return csharp.GetLanguage()
	case lang.Go:
		return golang.GetLanguage()
	case lang.Java:
		return java.GetLanguage()
	case lang.JavaScript:
		return javascript.GetLanguage()
	case lang.Kotlin:
		return kotlin.GetLanguage()
	case lang.PHP:
		return php.GetLanguage()
	case lang.Python:
		return python.GetLanguage()
	case lang.Ruby:
		return ruby.GetLanguage()
	case lang.Rust:
		return rust.GetLanguage()
	case lang.Scala:
		return scala.GetLanguage()
	case lang.Swift:
		return swift.GetLanguage()
	case lang.TSX:
		return tsx.GetLanguage()
	case lang.TypeScript:
		return typescript.GetLanguage()
	}
	return nil
}
