package smells

import (
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Comparisons, assignments and default values that do something else than they
// seem to.

// mutableMakers are calls of Python that make an object that can be changed.
var mutableMakers = kinds("list", "dict", "set", "defaultdict", "OrderedDict", "deque", "Counter", "ChainMap", "collections.defaultdict",
	"collections.OrderedDict", "collections.deque", "collections.Counter", "collections.ChainMap", "bytearray")

// cache matches the name of a parameter that is kept from call to call on purpose.
var cache = regexp.MustCompile(`(?i)cache|memo|^_?(?:seen|counter|state)$`)

func mutableDefault(v *visitor, n *syntax.Node) {
	value := v.bare(v.field(n, "value"))
	if cache.MatchString(v.text(v.field(n, "name"))) {
		return // kept on purpose
	}
	switch k := v.role(value); {
	case k == syntax.Collection && v.kind(value).name != "tuple", k == syntax.Comprehension && v.kind(value).name != "generator_expression":
	case k == syntax.Call && mutableMakers[v.callee(value)]:
	default:
		return
	}
	v.say(n, "", fill{"parameter": v.quote(v.field(n, "name"), "this parameter")})
}

// queries are methods whose arguments are conditions for a database, where ==
// is not Python's.
var queries = kinds("filter", "filter_by", "where", "having", "and_", "or_", "not_", "update", "select", "case", "join", "outerjoin")

// compareMeant matches a comment about the operator. comparing matches the name of a
// function that compares, or tests the operator.
var (
	compareMeant = regexp.MustCompile(`#.*(?:==|!=|\bNone\b|\bis\b.*\boperator|pep8|E711)`)
	comparing    = regexp.MustCompile(`(?i)comp?ar|_eq(?:ual)?|none`)
)

// noneComparison finds Python's == None.
func noneComparison(v *visitor, n *syntax.Node) {
	if v.kind(n).name != "comparison_operator" {
		return
	}
	sides, operator := v.operands(n)
	if len(sides) != 2 || operator != "==" && operator != "!=" || (sides[0].kind.role == syntax.Null) == (sides[1].kind.role == syntax.Null) {
		return
	}
	for up := 1; up <= 6; up++ {
		if s := v.around(up); s.kind.role == syntax.Call {
			name := v.callee(s.node)
			if queries[name[strings.LastIndexByte(name, '.')+1:]] || name == "" {
				return
			}
		}
	}
	if above, behind := v.beside(n); compareMeant.Match(above) || compareMeant.Match(behind) || comparing.MatchString(v.around(0).function) {
		return
	}
	other := sides[0]
	if other.kind.role == syntax.Null {
		other = sides[1]
	}
	v.say(n, "", fill{"value": v.quote(other.Node, "a value"), "operator": operator,
		"better": map[string]string{"==": "is None", "!=": "is not None"}[operator]})
}

func looseEquality(v *visitor, n *syntax.Node) {
	op := v.field(n, "operator")
	if op == nil || v.kind(op).name != "==" && v.kind(op).name != "!=" {
		return
	}
	left, right := v.field(n, "left"), v.field(n, "right")
	if left == nil || right == nil {
		return
	}
	constants := 0
	for _, side := range []*syntax.Node{left, right} {
		switch r := v.role(side); {
		case r == syntax.Null && v.lang != lang.PHP, r == syntax.Unary && strings.HasPrefix(v.text(side), "typeof"):
			return // == null also asks for undefined
		case r.Is(syntax.String, syntax.Number, syntax.Bool, syntax.Null):
			constants++
		}
	}
	if constants == 2 || v.loosely(n) || v.compiled() || v.sameType(left, right) || v.sameType(right, left) {
		return
	}
	v.say(n, "", fill{"operator": v.kind(op).name, "left": v.quote(left, "the left side"), "right": v.quote(right, "the right side")})
}

// sizes are expressions whose value is a number, words those whose value is a text.
var (
	sizes = regexp.MustCompile(`\.(?:length|size|byteLength)$|^(?:\\?(?:parseInt|Number|count|sizeof|strlen|mb_strlen|intval|ord|abs|time|func_num_args))\(.*\)$|` +
		`\.(?:indexOf|lastIndexOf|charCodeAt|search|getTime|getDay|getMonth|getDate|localeCompare|push)\([^()]*\)$|^[^()?:]*[^%]%[^%()?:]*$|^typeof\b`)
	words = regexp.MustCompile(`\.(?:charAt|substr|substring|toLowerCase|toUpperCase|toString|trim|nodeName|tagName)(?:\([^()]*\))?$|` +
		`^(?:\\?(?:substr|mb_substr|strtolower|strtoupper|trim|gettype|get_class|md5|basename|dirname|implode|ucfirst))\(.*\)$`)
)

// sameType reports whether an expression and a constant, or two sizes, have one type, so
// that the comparison converts nothing.
func (v *visitor) sameType(expression, constant *syntax.Node) bool {
	switch v.role(constant) {
	case syntax.Number, syntax.Unary:
		return sizes.MatchString(v.text(v.bare(expression)))
	case syntax.String:
		return words.MatchString(v.text(expression))
	}
	return sizes.MatchString(v.text(expression)) && sizes.MatchString(v.text(constant))
}

// looseOnPurpose matches a comment that tells a linter to accept a comparison.
var looseOnPurpose = regexp.MustCompile(`eslint-disable|NOSONAR|jshint ignore|eqeqeq|phpcs:ignore|equivalence|\*.*==|//.*==`)

// loosely reports whether a loose comparison is intended: it is in a case for the operator
// itself, or a comment beside it says so.
func (v *visitor) loosely(n *syntax.Node) bool {
	if before, behind := v.beside(n); looseOnPurpose.Match(before) || looseOnPurpose.Match(behind) {
		return true
	}
	for up := 1; up <= 6; up++ {
		if s := v.around(up); s.kind.role == syntax.Case {
			t := strings.Trim(v.text(v.field(s.node, "value")), `"'`)
			return t == "==" || t == "!="
		}
	}
	return false
}

func assignmentInCondition(v *visitor, n *syntax.Node) {
	cond := v.field(n, "condition")
	if v.lang != lang.CSharp && v.role(cond) == syntax.Parens {
		if p := v.parts(cond); len(p) == 1 {
			cond = p[0].Node // a second pair of parentheses says that it is intended
		}
	}
	if v.role(cond) == syntax.ExpressionStatement { // of a for in JavaScript
		if p := v.parts(cond); len(p) == 1 {
			cond = p[0].Node
		}
	}
	if v.role(cond) != syntax.Assign || !v.plainAssign(cond) {
		return
	}
	right := v.field(cond, "right")
	if v.role(n) == syntax.Loop && !v.role(right).Is(syntax.Number, syntax.Bool, syntax.String, syntax.Null) {
		return // while (line = read()) is a habit
	}
	v.say(cond, "", fill{"variable": v.quote(v.field(cond, "left"), "a variable")})
}

// constantCondition finds a condition that needs no program to be decided.
func constantCondition(v *visitor, n *syntax.Node) {
	cond := v.field(n, "condition")
	if p := v.parts(n); cond == nil && v.lang == lang.Python && len(p) == 3 { // x if condition else y
		cond = p[1].Node
	}
	if cond == nil || strings.HasPrefix(v.kind(n).name, "preproc") {
		return
	}
	holds, constant := v.f.Constant(cond)
	if before, behind := v.beside(cond); !constant || commented.Match(before) || commented.Match(behind) {
		return
	}
	put := fill{"condition": v.quote(v.bare(cond), "here")}
	if strings.HasPrefix(v.kind(n).name, "unless") {
		holds = !holds
	}
	if holds {
		v.say(cond, "true", put)
	} else {
		v.say(cond, "false", put)
	}
}

// plainAssign reports whether an assignment has the operator "=".
func (v *visitor) plainAssign(n *syntax.Node) bool {
	for _, c := range v.children(n) {
		if c.kind.name == "=" {
			return true
		}
	}
	return false
}

var (
	// sideEffect matches the names of properties whose setting has an effect, mostly in a
	// browser.
	sideEffect = regexp.MustCompile(`location|\.(?:href|src|style|scroll\w+|innerHTML|className|stack|value|selectedIndex|length)$`)
	// property matches the name of a property of C#; setting it is a call.
	property = regexp.MustCompile(`(?:^|\.)[A-Z]\w*$`)
	// commented is a text with a comment in it.
	commented = regexp.MustCompile(`//|/\*|\*/|#`)
)

func selfAssignment(v *visitor, n *syntax.Node) {
	left, right := v.field(n, "left"), v.field(n, "right")
	if left == nil || right == nil || left.EndByte()-left.StartByte() != right.EndByte()-right.StartByte() {
		return
	}
	t := v.text(left)
	if t == "" || t != v.text(right) || strings.ContainsAny(strings.ReplaceAll(t, "->", "."), "(+-\n") || sideEffect.MatchString(t) || !v.plainAssign(n) || v.lang == lang.CSharp && property.MatchString(t) {
		return
	}
	if before, behind := v.beside(n); commented.Match(before) || commented.Match(behind) {
		return // there is a reason
	}
	switch p := v.around(1); {
	case p.kind.role == syntax.ExpressionStatement && v.around(3).kind.role.IsClass(),
		p.kind.role == syntax.ExpressionStatement && v.around(3).kind.role == syntax.Try,
		v.lang == lang.Python && p.function == "" && v.role(left) == syntax.Identifier:
		return // the name is outside of the class, or the expression tests whether it exists
	case p.kind.role.Is(syntax.ExpressionStatement, syntax.Block), p.kind.name == "arrow_expression_clause", v.lang == lang.Ruby && !p.kind.role.IsClass():
		v.say(n, "", fill{"variable": v.quote(left, "a variable")})
	}
}
