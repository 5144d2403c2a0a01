// Package lang is the table of languages: their names, the aliases that people and
// datasets write, and their file names. Grammars live in internal/syntax.
package lang

import (
	"path"
	"strings"
)

// Name is the canonical lower-case name of a language, such as "python".
// The zero value means that the language is not known.
type Name string

// The languages that other packages refer to by name.
const (
	Unknown    Name = ""
	Bash       Name = "bash"
	C          Name = "c"
	Cpp        Name = "cpp"
	CSharp     Name = "csharp"
	CSS        Name = "css"
	Dockerfile Name = "dockerfile"
	Go         Name = "go"
	HTML       Name = "html"
	INI        Name = "ini"
	Java       Name = "java"
	JavaScript Name = "javascript"
	JSON       Name = "json"
	Kotlin     Name = "kotlin"
	Lua        Name = "lua"
	Markdown   Name = "markdown"
	PHP        Name = "php"
	Python     Name = "python"
	Ruby       Name = "ruby"
	Rust       Name = "rust"
	Scala      Name = "scala"
	SQL        Name = "sql"
	Swift      Name = "swift"
	TOML       Name = "toml"
	TSX        Name = "tsx"
	TypeScript Name = "typescript"
	XML        Name = "xml"
	YAML       Name = "yaml"
)

// entry is one row of the table. Aliases and extensions are lower-case and
// without a leading dot; files are whole base names, lower-case.
type entry struct {
	name    Name
	aliases []string
	exts    []string
	files   []string
}

// table lists every language once. An extension or alias stands in one row only.
var table = []entry{
	{Bash, []string{"sh", "shell", "zsh"}, []string{"sh", "bash", "zsh", "bats"}, []string{".bashrc", ".profile"}},
	{C, nil, []string{"c", "h"}, nil},
	{Cpp, []string{"c++", "cxx", "cc"}, []string{"cpp", "cc", "cxx", "hpp", "hh", "hxx", "c++", "ipp", "tpp"}, nil},
	{CSharp, []string{"c#", "cs", "c-sharp"}, []string{"cs", "csx"}, nil},
	{CSS, []string{"sass"}, []string{"css", "scss", "less"}, nil},
	{Dockerfile, []string{"docker"}, []string{"dockerfile"}, []string{"dockerfile", "containerfile"}},
	{Go, []string{"golang"}, []string{"go"}, nil},
	{HTML, []string{"htm"}, []string{"html", "htm", "xhtml", "vue", "svelte"}, nil},
	{INI, nil, []string{"ini", "cfg", "properties", "env", "editorconfig"}, []string{".env.example", ".env.local", ".env.production", ".env.development", ".env.test", ".npmrc", ".gitconfig", ".flake8", ".pylintrc"}},
	{Java, nil, []string{"java"}, nil},
	{JavaScript, []string{"js", "jsx", "ecmascript", "node"}, []string{"js", "jsx", "mjs", "cjs", "es6"}, nil},
	{JSON, nil, []string{"json", "jsonc", "json5"}, []string{".eslintrc", ".babelrc"}},
	{Kotlin, []string{"kt"}, []string{"kt", "kts"}, nil},
	{Lua, nil, []string{"lua"}, nil},
	{Markdown, []string{"md"}, []string{"md", "markdown"}, nil},
	{PHP, nil, []string{"php", "phtml"}, nil},
	{Python, []string{"py", "python3", "python2"}, []string{"py", "pyi", "pyw", "pyx"}, nil},
	{Ruby, []string{"rb"}, []string{"rb", "rake", "gemspec", "ru"}, []string{"gemfile", "rakefile", "podfile", "vagrantfile"}},
	{Rust, []string{"rs"}, []string{"rs"}, nil},
	{Scala, nil, []string{"scala", "sc", "sbt"}, nil},
	{SQL, nil, []string{"sql"}, nil},
	{Swift, nil, []string{"swift"}, nil},
	{TOML, nil, []string{"toml"}, []string{"cargo.lock", "poetry.lock", "pipfile"}},
	{TSX, nil, []string{"tsx"}, nil},
	{TypeScript, []string{"ts"}, []string{"ts", "mts", "cts"}, nil},
	{XML, nil, []string{"xml", "csproj", "fsproj", "vbproj", "props", "targets", "nuspec", "plist", "xaml", "resx", "svg"}, nil},
	{YAML, []string{"yml"}, []string{"yaml", "yml"}, nil},
}

// Lookup finds a language by its name or an alias, in any case and with or
// without a leading dot: "Python", "py", ".cs" and "c++" are all found.
func Lookup(s string) (Name, bool) {
	s = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), ".")
	if s == "" {
		return Unknown, false
	}
	for _, e := range table {
		if s == string(e.name) {
			return e.name, true
		}
		for _, a := range e.aliases {
			if s == a {
				return e.name, true
			}
		}
		for _, x := range e.exts {
			if s == x {
				return e.name, true
			}
		}
	}
	return Unknown, false
}

// FromPath returns the language of a file by its name alone, Unknown if the name does not
// show it. Both / and \ separate directories.
func FromPath(p string) Name {
	name := path.Base(strings.ReplaceAll(p, `\`, "/"))
	base := strings.ToLower(name)
	ext := strings.TrimPrefix(path.Ext(base), ".")
	for _, e := range table {
		for _, f := range e.files {
			if base == f {
				return e.name
			}
		}
	}
	if strings.HasPrefix(name, "Dockerfile.") { // Dockerfile.alpine
		return Dockerfile
	}
	if ext == "" {
		return Unknown
	}
	for _, e := range table {
		for _, x := range e.exts {
			if ext == x {
				return e.name
			}
		}
	}
	if strings.HasPrefix(base, "dockerfile.") { // and not dockerfile.go
		return Dockerfile
	}
	return Unknown
}

// Names returns every canonical name in table order.
func Names() []Name {
	out := make([]Name, len(table))
	for i, e := range table {
		out[i] = e.name
	}
	return out
}

// Ext returns the usual extension of a language's files, with its dot; "" if there is
// none.
func (n Name) Ext() string {
	for _, e := range table {
		if e.name == n && len(e.exts) > 0 {
			return "." + e.exts[0]
		}
	}
	return ""
}

// Join is a list of languages for a person.
func Join(names []Name) string {
	s := make([]string, len(names))
	for i, n := range names {
		s[i] = string(n)
	}
	return strings.Join(s, ", ")
}
