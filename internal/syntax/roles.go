package syntax

import (
	"slices"
)

// Role is the meaning of a node kind, the same in every language.
type Role uint8

// The roles. A kind without one of them is Other: most of these are wrappers.
const (
	Other Role = iota

	// Declarations.
	Function    // functions, methods, accessors with a body or a signature
	Constructor // constructors that the grammar tells from methods
	Lambda      // function expressions, closures, arrow functions
	Class       // classes, structs, objects, implementations
	Interface   // interfaces, traits, protocols
	Enum
	EnumMember
	Namespace  // namespaces and modules that hold declarations
	Field      // a variable that belongs to a class or an interface
	Variable   // a declaration of local or global variables
	Declarator // one name of a Variable or Field, with its initial value
	Parameters // the list
	Parameter  // one of them
	Receiver   // what a method is called on, where it is declared
	Tag        // what is noted behind a field for other tools to read
	Decorator  // decorators, annotations, attributes
	Modifier   // visibility, static, final and the like; one or a list
	Import
	Package
	Export
	Heritage // superclass and implemented interfaces
	TypeAlias

	// Statements.
	Block
	ExpressionStatement
	If
	ElseIf
	Else
	Loop // for, while, do, until, loop
	Switch
	Case
	Try
	Catch
	Finally
	Throw
	Return
	Yield
	Break
	Continue
	Goto
	Assert
	With  // with, using, lock, synchronized: what is done around a block
	Defer // what runs when the function ends
	Spawn // what runs at the same time as what follows
	Send  // a value sent on a channel
	Delete
	Label

	// Expressions.
	Assign
	AugAssign // += and the like
	Update    // ++ and --
	Call
	New
	Arguments
	KeywordArgument
	Binary // operators with two sides, logical and comparing ones included
	Unary  // "not" included
	Conditional
	Member // a.b
	Index  // a[b]
	Cast
	Await
	Pair       // key: value in an object, map or dictionary
	Collection // list, array, tuple, set, map literals
	Comprehension
	Spread
	Pipeline  // commands of which each reads what the one before writes
	Element   // a markup element
	Attribute // an attribute of a markup element
	Parens

	// Leaves and near-leaves.
	Identifier
	String
	Number
	Bool
	Null
	Regex
	Comment
	Type
	TypeArguments
	Self
)

// Is reports whether r is one of the roles.
func (r Role) Is(roles ...Role) bool { return slices.Contains(roles, r) }

// Leaving are the roles of statements that leave the block around them.
var Leaving = []Role{Return, Throw, Break, Continue, Goto}

// IsFunction reports whether the role is code with parameters and a name. Lambdas have no
// name.
func (r Role) IsFunction() bool { return r == Function || r == Constructor }

// IsClass reports whether the role is a type with members.
func (r Role) IsClass() bool { return r == Class || r == Interface || r == Enum }
