package syntax

import (
	sitter "github.com/smacker/go-tree-sitter"

	"crscore/internal/lang"
)

// Table is all that is known of one language: its grammar, what the grammar's
// node kinds mean, and the habits of the language that sentences about it need.
// A language is added by a file with its table and a line in tables.
type Table struct {
	Lang lang.Name
	// Traits are the language's habits.
	Traits

	grammar func() *sitter.Language
	// roles holds the kinds that mean something else in this grammar than in
	// the others, or that no other has.
	roles map[string]Role
	// fields names the children that the grammar leaves without a field name,
	// so that the condition of an if is "condition" in every language.
	fields map[Edge]string
	// calls holds what a call of some name means: raise is no function.
	calls map[string]Role
	// leaves are the kinds whose inside says nothing.
	leaves map[string]bool
	// lists are the lists that the grammar does not put into a node of their
	// own, by the kind of the node that holds their elements.
	lists map[string]List
	// Bases says in words what a class does with what stands behind a word:
	// "use" is "uses the trait".
	Bases map[string]string
	// Errors holds, for the exceptions that come with the language, the one
	// that also stands for them in a catch clause.
	Errors map[string]string
	// shape says what a kind alone does not tell; see there.
	shape
	// Rebuild says which nodes are put elsewhere; see there.
	Rebuild

	// open must stand before any text of the language, if it is not there.
	open string
	// frames are what a hunk may have been cut from the middle of, the most
	// frequent first: the text before, up to where the hunk begins. Every bracket
	// that they open is closed after the hunk.
	frames []string
	// rows are those of a hunk that is nothing but lines of a list, method is
	// what opens a method of a class, stop what ends a statement for a grammar that
	// insists on it.
	rows         []string
	method, stop string

	braces    bool        // blocks stand in braces, comments begin with // and /*
	indented  bool        // blocks are told by indentation
	words     *wordBlocks // blocks are told by words
	hash      bool        // # begins a comment
	condition string      // of an if, as the grammar wants it: "(__)" or "__"
}

// HashDirectives tells whether lines that begin with # are for a preprocessor.
func (t *Table) HashDirectives() bool { return t.SpreadTypes || t.Lang == lang.CSharp }

// Edge is a kind of node under another.
type Edge struct{ Parent, Child string }

// List is a list that a grammar does not put into a node of its own, such as
// the arguments of a command. The tree gets a node for it.
type List struct {
	Kind  string // of the node that is made
	Role  Role
	Field string // of the node that is made
	// Of is the field of the elements; where it is empty, the list begins behind
	// the token After. It ends before a node of one of the kinds in Until.
	Of, After string
	Until     []string
	// Heads are the texts before a list whose first element belongs to them:
	// "git pull" is one name.
	Heads map[string]bool
}

// Traits are the habits of a language, as far as sentences depend on them.
type Traits struct {
	Dynamic         bool // values of any type are conditions: `if x` asks whether x is set
	Overloads       bool // functions of one name differ by what they take
	EmptyIsFalse    bool // an empty text and zero do not hold as a condition
	Raises          bool // errors are raised, not thrown
	Directives      bool // a string that is a statement tells the language how to read what follows
	Docstrings      bool // a string that opens a body documents it
	NamedArguments  bool // callers may pass arguments by the parameter's name
	LooseArguments  bool // callers may leave out any argument
	ImportsBind     bool // an import brings in a name that whoever uses it must write
	UntypedCatch    bool // a catch clause names a variable and no type
	MixedBases      bool // the list of base types does not tell classes from interfaces
	CalledBases     bool // a base class is called with arguments, an interface is not
	ValueFirst      bool // a conditional expression has its first value before the condition
	SpreadTypes     bool // a type is spread over what stands before a name: `const char *s`
	PlainFields     bool // fields are written unlike local variables
	BreakLeavesLoop bool // break in a case leaves the loop around it
	OuterAttributes bool // attributes stand before what they belong to, not in it
	// Marks are the beginnings of comments that tell a tool something, with what
	// they are.
	Marks         map[string]string
	Threads       string   // what runs at the same time, "threads" where it is empty
	LiteralFields bool     // fields are written key by key where a value of a type is
	FieldsApart   bool     // what declares a field can declare no variable
	Failures      []string // methods by which a test says that it failed
	ErrorValues   bool     // errors are returned, and compared with null by the caller
	// ErrorMakers are the functions that make an error of a message, and whether
	// each keeps the error that caused it.
	ErrorMakers     map[string]bool
	Annotation      string   // what an annotation is called; "annotation" where it is empty
	NameSuffixes    string   // bytes that may end a name, beside letters and digits
	Constructor     string   // the name of a method that makes the object
	DefaultError    string   // the type of an error that is raised with a text alone
	NamesSelf       bool     // a method is called on its object only with the object written before it
	LocalsInClasses bool     // a name in small letters that is set in a class is no field
	CallWord        string   // what a call is named in prose, where it is no call
	TestMacros      []string // macros that stand in the place of a test's name
	Panics          []string // calls that end the program
	TextIdentity    bool     // == compares texts by identity
	// SharedArguments: objects are handed over as they are, and that one is changed
	// is a surprise for the caller.
	SharedArguments bool
	Wrappers        []string // functions that make a result of a value
	SemicolonEnds   bool     // a statement ends with a semicolon, not with its line
	ColonTypes      bool     // a parameter has its type behind a colon
	Attributed      string   // the shortest declaration that an attribute may stand before
	Builtins        []string // functions of every module that the names of variables often hide
	Public          Public
}

// Public says by what a declaration can be used from outside.
type Public uint8

// The habits of visibility.
const (
	PublicUnknown   Public = iota // it cannot be told
	PublicByDefault               // unless it says otherwise
	PublicByKeyword               // "public" or "pub"
	PublicByExport                // an export around it
	PublicByCapital               // a capital first letter
)

// tables lists every language that has a grammar.
var tables = []*Table{
	&bashTable, &cTable, &cppTable, &csharpTable, &golangTable, &javaTable, &javascriptTable, &kotlinTable, &phpTable,
	&pythonTable, &rubyTable, &rustTable, &scalaTable, &swiftTable, &tsxTable, &typescriptTable,
}

// TableOf returns what is known of a language, or nil where it has no grammar.
// It is shared and must not be changed.
func TableOf(l lang.Name) *Table {
	for _, t := range tables {
		if t.Lang == l {
			return t
		}
	}
	return nil
}

// Role returns the role of a named node's kind. It is wrong for anonymous
// nodes: the keyword "if" is no statement, but in Ruby the statement has the
// same kind. Fragment.Role looks at that.
func (t *Table) Role(kind string) Role {
	if t != nil {
		if r, ok := t.roles[kind]; ok {
			return r
		}
	}
	return common[kind]
}

// Field returns the field name of a child that the grammar gives none, or "".
func (t *Table) Field(parent, child string) string {
	if t == nil {
		return ""
	}
	return t.fields[Edge{parent, child}]
}

// CallRole returns the role of a call by the name of what is called, if it is
// more than a call.
func (t *Table) CallRole(name string) (Role, bool) {
	if t == nil {
		return Call, false
	}
	r, ok := t.calls[name]
	return r, ok
}

// CallNames tells whether the table knows calls by their name.
func (t *Table) CallNames() bool { return t != nil && len(t.calls) > 0 }

// Leaf tells whether nodes of a kind are kept without their inside.
func (t *Table) Leaf(kind string) bool { return t != nil && t.leaves[kind] }

// List returns the list that is made of children of nodes of a kind.
func (t *Table) List(parent string) (List, bool) {
	if t == nil {
		return List{}, false
	}
	g, ok := t.lists[parent]
	return g, ok
}
