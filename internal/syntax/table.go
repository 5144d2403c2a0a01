package syntax

import (
	sitter "github.com/smacker/go-tree-sitter"

	"crscore/internal/lang"
)

// Table describes a language: its grammar, the meaning of the grammar's node kinds, and the
// properties of the language that claims depend on. To add a language, write a file with
// its table and a line in tables.
type Table struct {
	// Lang is the language.
	Lang lang.Name
	// Traits are the language's properties.
	Traits

	grammar func() *sitter.Language
	lazy    lazyGrammar
	// roles holds the kinds that have another meaning in this grammar than in the other
	// grammars, or that only this grammar has.
	roles map[string]Role
	// fields names children without a field name in the grammar, so that the condition of
	// an if is "condition" in every language.
	fields map[Edge]string
	// calls has the role of calls by name: raise is not a function.
	calls map[string]Role
	// leaves are the kinds whose inner nodes are not needed.
	leaves map[string]bool
	// Bases has the words for a keyword before a base type: "use" means "uses the trait".
	Bases map[string]string
	// Errors maps the exceptions of the language to the exception that also catches them.
	Errors map[string]string
	// shape has the meanings that depend on more than a kind; see there.
	shape
	// Rebuild moves nodes; see there.
	Rebuild

	// open must come before every text of the language, such as "<?php".
	open string
	// frames are the code that a hunk may be cut from, the most frequent first: the text
	// before the hunk. A bracket that a frame opens is closed after the hunk.
	frames []string
	// rows are the frames of a hunk with nothing but lines of a list. method opens a method
	// of a class. stop ends a statement, if the grammar needs an end.
	rows         []string
	method, stop string

	// apart says why both sides of a file are parsed apart: the new one has other nodes if it is
	// parsed with the tree of the old one. Empty where it has the same nodes.
	apart string

	braces    bool        // blocks have braces, comments begin with // and /*
	indented  bool        // blocks are indented
	words     *wordBlocks // blocks begin and end with words
	hash      bool        // # begins a comment
	condition string      // of an if, as the grammar wants it: "(__)" or "__"
}

// HashDirectives reports whether lines that begin with # are for a preprocessor.
func (t *Table) HashDirectives() bool { return t.SpreadTypes || t.Lang == lang.CSharp }

// Edge is a kind of node under another.
type Edge struct{ Parent, Child string }

// List is a list without a node in the grammar, such as the arguments of a command. The
// tree gets a node for it.
type List struct {
	// Kind, Role and Field are those of the new node. If the kind is KindConditions, the
	// parts between commas are nodes as well, and one part alone needs no list.
	Kind  string
	Role  Role
	Field string
	// Of is the field of the elements. If it is empty, the list begins after the token
	// After. The list ends before a node of one of the kinds in Until.
	Of, After string
	Until     []string
}

// Traits are the properties of a language that claims depend on.
type Traits struct {
	Dynamic         bool     // values of any type are conditions: `if x` asks whether x is set
	Raises          bool     // errors are raised, not thrown
	Directives      bool     // a string that is a statement tells the language how to read what follows
	Docstrings      bool     // a string that opens a body documents it
	NamedArguments  bool     // callers may pass arguments by the parameter's name
	LooseArguments  bool     // callers may leave out any argument
	MixedBases      bool     // the list of base types does not tell classes from interfaces
	CalledBases     bool     // a base class is called with arguments, an interface is not
	ValueFirst      bool     // a conditional expression has its first value before the condition
	SpreadTypes     bool     // a type is spread over what stands before a name: `const char *s`
	PlainFields     bool     // fields are written unlike local variables
	BreakLeavesLoop bool     // break in a case leaves the loop around it
	OuterAttributes bool     // attributes stand before what they belong to, not in it
	FieldsApart     bool     // what declares a field can declare no variable
	ErrorValues     bool     // errors are returned, and compared with null by the caller
	Annotation      string   // what an annotation is called; "annotation" where it is empty
	NameSuffixes    string   // bytes that may end a name, beside letters and digits
	Constructor     string   // the name of a method that makes the object
	LocalsInClasses bool     // a name in small letters that is set in a class is no field
	CallWord        string   // what a call is named in prose, where it is no call
	TestMacros      []string // macros that stand in the place of a test's name
	SemicolonEnds   bool     // a statement ends with a semicolon, not with its line
	ColonTypes      bool     // a parameter has its type behind a colon
	Attributed      string   // the shortest declaration that an attribute may stand before
	Builtins        []string // functions of every module that the names of variables often hide
	Public          Public   // the way to mark public declarations
}

// Public is the way in which a language marks public declarations.
type Public uint8

// The ways to mark a public declaration.
const (
	PublicUnknown   Public = iota // no such mark is known
	PublicByDefault               // unless it says otherwise
	PublicByKeyword               // "public" or "pub"
	PublicByExport                // an export around it
	PublicByCapital               // a capital first letter
)

// tables lists every language that has a grammar. The build tag fewgrammars leaves out rare.
var tables = append([]*Table{
	&bashTable, &cTable, &cppTable, &csharpTable, &golangTable, &javaTable, &javascriptTable, &phpTable,
	&pythonTable, &rubyTable, &rustTable, &tsxTable, &typescriptTable,
}, rare...)

// TableOf returns the table of a language, or nil if the language has no grammar. The table
// is shared and must not be changed.
func TableOf(l lang.Name) *Table {
	for _, t := range tables {
		if t.Lang == l {
			return t
		}
	}
	return nil
}

// Role returns the role of a named node's kind. For tokens use Fragment.Role: in Ruby the
// keyword "if" has the same kind as the statement.
func (t *Table) Role(kind string) Role {
	if t != nil {
		if r, ok := t.roles[kind]; ok {
			return r
		}
	}
	return common[kind]
}

// Field returns the field name of a child without a field name in the grammar, or "".
func (t *Table) Field(parent, child string) string {
	if t == nil {
		return ""
	}
	return t.fields[Edge{parent, child}]
}

// CallRole returns the role of a call by the name of the function, if the table has one.
func (t *Table) CallRole(name string) (Role, bool) {
	if t == nil {
		return Call, false
	}
	r, ok := t.calls[name]
	return r, ok
}

// CallNames reports whether the table has roles of calls by name.
func (t *Table) CallNames() bool { return t != nil && len(t.calls) > 0 }

// Leaf reports whether nodes of a kind lose their inner nodes.
func (t *Table) Leaf(kind string) bool { return t != nil && t.leaves[kind] }
