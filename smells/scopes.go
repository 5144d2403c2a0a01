package smells

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// The names of a function: where they are declared, read and set. The walk that all rules
// share collects them, from the outermost function with a changed line on, and resolves
// them when it leaves this function. A use that the walk does not understand is a read of
// all variables of the name that it could mean.

// scoping holds the differences between the languages. Where a field is empty, the language
// is like C.
type scoping struct {
	// assigned: an assignment declares a variable. flat: blocks have no scope. cases: a
	// case of a switch has a scope.
	assigned, flat, cases bool
	// hoisted is the kind of a declaration that belongs to the function around it.
	hoisted string
	// seesAll are the names, and seesAllKinds the kinds of nodes, that can read any
	// variable. seesParams and seesParamsKinds can read any parameter.
	seesAll, seesAllKinds, seesParams, seesParamsKinds set
	// members: the name after a dot has the same kind of node as a variable. calls: the
	// name of a called method has it, too.
	members, calls bool
	// marks are the characters that show that a plain string may contain variables.
	marks string
	// values: the last statement of a body is its value. blocks: a lambda may set variables
	// of the scopes around it.
	values, blocks bool
}

var ecmaScoping = scoping{hoisted: "variable_declaration", seesAll: kinds("eval"), seesAllKinds: kinds("with_statement"), seesParams: kinds("arguments")}

var scopings = map[lang.Name]*scoping{
	lang.Python: {assigned: true, flat: true, members: true, marks: "@", seesAll: kinds("locals", "vars", "eval", "exec"),
		seesAllKinds: kinds("exec_statement")},
	lang.Java: {members: true, calls: true}, lang.CSharp: {members: true},
	lang.JavaScript: &ecmaScoping, lang.TypeScript: &ecmaScoping, lang.TSX: &ecmaScoping,
	lang.Go: {cases: true}, lang.C: {}, lang.Cpp: {}, lang.Rust: {cases: true, marks: "{"},
	lang.PHP: {assigned: true, flat: true, seesAll: kinds("compact", "extract", "get_defined_vars"), seesParams: kinds("func_get_args"),
		seesAllKinds: kinds("include_expression", "include_once_expression", "require_expression", "require_once_expression", "dynamic_variable_name")},
	lang.Ruby: {assigned: true, flat: true, members: true, values: true, blocks: true, seesAll: kinds("binding", "eval", "instance_eval", "class_eval", "local_variables"),
		seesParamsKinds: kinds("super")},
}

// The uses of a name.
const (
	reads     byte = iota
	writes         // a statement sets it, and declares it in languages without declarations
	declares       // a declaration
	parameter      // a parameter
	takes          // a loop, a with or an unpacking declares and sets it, and it may stay unread (Python)
)

// binders are the kinds of nodes that declare or set names, with the use of the names in
// their targets.
var binders = map[string]byte{
	"variable_declarator": declares, "init_declarator": declares, "declaration": declares, "var_spec": declares, "let_declaration": declares,
	"short_var_declaration": declares, "range_clause": declares, "receive_statement": declares, "type_switch_statement": declares,
	"assignment": writes, "assignment_expression": writes, "assignment_statement": writes, "augmented_assignment": writes,
	"augmented_assignment_expression": writes, "compound_assignment_expr": writes, "operator_assignment": writes, "update_expression": writes,
	"inc_statement": writes, "dec_statement": writes,
	"default_parameter": parameter, "typed_default_parameter": parameter, "typed_parameter": parameter, "formal_parameter": parameter,
	"required_parameter": parameter, "optional_parameter": parameter, "parameter_declaration": parameter, "optional_parameter_declaration": parameter,
	"named_expression": declares, "keyword_parameter": parameter, "parameter": parameter, "simple_parameter": parameter, "assignment_pattern": parameter,
	"parameters": parameter, "formal_parameters": parameter, "method_parameters": parameter, "block_parameters": parameter,
	"lambda_parameters": parameter, "closure_parameters": parameter, "arrow_function": parameter,
}

// targets are the fields of binders with the names. unnamed are the binders, and the nodes
// around a name inside them, that have the names in no field.
var (
	targets = kinds("name", "left", "pattern", "declarator", "argument", "alias", "parameter")
	unnamed = kinds("typed_parameter", "update_expression", "inc_statement", "dec_statement", "parameters", "formal_parameters", "method_parameters",
		"block_parameters", "lambda_parameters", "closure_parameters")
	// declarators are nodes around a name.
	declarators = kinds("pointer_declarator", "reference_declarator", "array_declarator", "parenthesized_declarator")
)

// usage is the possible meaning of a kind of node for names.
type usage uint8

const (
	noUse    usage = iota
	nameUse        // usually a variable
	textUse        // its text may contain names
	blindUse       // a name that can only be a reader of any variable
)

// scopes holds the names of an outermost function.
type scopes struct {
	*scoping
	depth int // the number of seats around the function
	list  []scope
	open  []int // the scopes around the cursor, the function's scope first
	names map[string]*name
	order []*name
	vars  []*variable
	// pulled caches the result of visitor.pulled.
	pulled answer
}

// scope is a part of the code in which a name has one meaning.
type scope struct {
	parent int // -1 for the first scope
	depth  int // the number of seats around it
	node   *syntax.Node
	class  bool
	fn     *fn // the function that the scope belongs to
	end    uint32
	leaves *bool // whether its last statement leaves it; nil if not computed
}

// fn is a function or lambda.
type fn struct {
	scope  int
	seat   seat
	up     [3]seat // the nodes around it, the nearest first
	class  *seat   // nil if it is no method
	opaque bool    // opaque: something can read any variable; blind: any parameter
	blind  bool
	// params is the number of its parameters, used the number of parameters that are read,
	// and lastUsed the place of the last of these.
	params, used int
	lastUsed     uint32
	free         *bool // see unusedParameter
}

// name is a name with its uses and variables in all scopes.
type name struct {
	text string
	// wild reports whether the name has a use that could mean any variable of the name.
	wild bool
	uses []use
	vars map[int]*variable // by scope
}

type use struct {
	at    uint32
	scope int
	what  byte
	node  *syntax.Node
	up    [2]seat
}

// variable is a name of one scope.
type variable struct {
	name  *name
	scope int
	first use
	// known is the end of the first declaration: a read before it means another variable.
	known uint32
	// reads and writes are the places of the uses, ascending, without the first
	// declaration.
	reads, writes []uint32
}

// scopeKind sets the meaning of a kind of node for names.
func (v *visitor) scopeKind(k *siteKind) {
	sc := scopings[v.lang]
	k.usage = usageOf(k)
	k.scope = !sc.flat && !strings.HasPrefix(k.name, "preproc") && (k.role.Is(syntax.Block, syntax.Loop, syntax.If, syntax.Switch, syntax.Try, syntax.Catch, syntax.With) ||
		sc.cases && k.role == syntax.Case)
}

func usageOf(k *siteKind) usage {
	switch k.name {
	case "identifier", "variable_name", "shorthand_property_identifier", "type_identifier", "hash_key_symbol":
		return nameUse
	case "name", "constant":
		return blindUse
	case "property_identifier", "field_identifier", "private_property_identifier", "statement_identifier", "instance_variable", "global_variable",
		"class_variable", "simple_symbol", "namespace_identifier", "package_identifier":
		return noUse
	case "preproc_arg":
		return textUse
	}
	if k.role == syntax.Identifier || k.role == syntax.String || k.role == syntax.Import {
		return textUse
	}
	return noUse
}

// note records the node of the cursor.
func (v *visitor) note(n *syntax.Node, k *siteKind, s *seat) {
	sc := v.scopes
	depth := len(v.seats)
	if sc == nil {
		if len(v.scoped) == 0 || s.broken || !opensNames(k) || !v.seen(n) || !v.ended(n) {
			return
		}
		sc = &scopes{scoping: scopings[v.lang], depth: depth, names: map[string]*name{}}
		v.scopes = sc
	}
	for len(sc.open) > 0 && sc.list[sc.open[len(sc.open)-1]].depth >= depth {
		sc.open = sc.open[:len(sc.open)-1]
	}
	switch {
	case opensNames(k):
		sc.enter(n, depth).fn = v.newFn(len(sc.list)-1, s)
		return
	case k.role.IsClass() || v.around(0).kind.role == syntax.New && k.role == syntax.Block:
		sc.enter(n, depth).class = true
		return
	case k.scope && !functionLike(v.around(0).kind.role) && !v.around(0).kind.role.IsClass():
		sc.enter(n, depth)
	}
	if sc.seesAllKinds[k.name] {
		sc.blind(true)
	}
	if sc.seesParamsKinds[k.name] {
		sc.blind(false)
	}
	switch k.usage {
	case nameUse:
		v.noteName(n, k)
	case blindUse, textUse:
		start, end := v.cur.CurrentBytes()
		if end-start > limits.NotedBytes {
			return
		}
		t := v.f.Source[start:end]
		if k.usage == blindUse {
			sc.blindBy(string(t))
		} else if k.role != syntax.String || k.text && bytes.ContainsAny(t, sc.marks) {
			sc.words(t)
		}
	}
}

// opensNames reports whether a node is a function with names of its own.
func opensNames(k *siteKind) bool {
	return functionLike(k.role) || k.name == "accessor_declaration" // C#
}

func functionLike(r syntax.Role) bool { return r.IsFunction() || r == syntax.Lambda }

func (sc *scopes) enter(n *syntax.Node, depth int) *scope {
	s := scope{parent: -1, depth: depth, node: n, end: n.EndByte()}
	if len(sc.open) > 0 {
		s.parent = sc.open[len(sc.open)-1]
		s.fn = sc.list[s.parent].fn
	}
	sc.open = append(sc.open, len(sc.list))
	sc.list = append(sc.list, s)
	return &sc.list[len(sc.list)-1]
}

func (v *visitor) newFn(scope int, s *seat) *fn {
	f := &fn{scope: scope, seat: *s}
	for i := range f.up {
		f.up[i] = v.around(i)
	}
	i := 0
	if w := f.up[0].kind.name; w == "decorated_definition" || w == "template_declaration" {
		i = 1
	}
	if c := f.up[i+1]; f.up[i].kind.role == syntax.Block && (c.kind.role.IsClass() || c.kind.role == syntax.New) {
		f.class = &c
	}
	return f
}

// blind records that any variable of the functions around the cursor may be read, or only
// any parameter of the innermost function.
func (sc *scopes) blind(all bool) {
	for _, s := range sc.open {
		if f := sc.list[s].fn; f != nil && all {
			f.opaque, f.blind = true, true
		}
	}
	if f := sc.list[sc.open[len(sc.open)-1]].fn; f != nil {
		f.blind = true
	}
}

func (sc *scopes) blindBy(t string) {
	if sc.seesAll[t] {
		sc.blind(true)
	} else if sc.seesParams[t] {
		sc.blind(false)
	}
}

func (sc *scopes) name(t string) *name {
	n := sc.names[t]
	if n == nil {
		n = &name{text: t}
		sc.names[t] = n
		sc.order = append(sc.order, n)
	}
	return n
}

// words records names whose meaning is not known.
func (sc *scopes) words(t []byte) {
	for len(t) > 0 {
		if n := wordEnd(t); n > 0 {
			sc.name(string(t[:n])).wild = true
			t = t[n:]
		} else {
			t = t[1:]
		}
	}
}

// noteName records a use of a name that is usually a variable.
func (v *visitor) noteName(n *syntax.Node, k *siteKind) {
	sc := v.scopes
	from, to := v.cur.CurrentBytes()
	if to-from > limits.NameBytes {
		return
	}
	t := string(v.f.Source[from:to])
	if v.lang == lang.PHP {
		t = strings.TrimPrefix(t, "$")
	}
	sc.blindBy(t)
	if k.name == "hash_key_symbol" { // {name:} is the variable
		if rest := bytes.TrimLeft(v.f.Source[to:min(int(to)+limits.WordBytes, len(v.f.Source))], ": "); len(rest) == 0 || !bytes.ContainsRune([]byte(",)}\n"), rune(rest[0])) {
			return
		}
	}
	before := v.f.Source[:from]
	if v.lang == lang.PHP && bytes.HasSuffix(before, []byte("::")) && to < uint32(len(v.f.Source)) && v.f.Source[to] == '(' {
		sc.name(t).wild = true // A::$method()
	}
	if bytes.HasSuffix(before, []byte("::")) || sc.members && bytes.HasSuffix(before, []byte(".")) && !bytes.HasSuffix(before, []byte("..")) {
		return
	}
	around := v.around(0)
	switch around.kind.name {
	case "method_invocation":
		if sc.calls && v.cur.CurrentFieldName() == "name" {
			return
		}
	case "keyword_argument":
		if v.cur.CurrentFieldName() == "name" {
			return
		}
	case "global_statement", "nonlocal_statement", "global_declaration", "function_static_declaration", "static_variable_declaration":
		sc.name(t).wild = true
		return
	}
	if around.kind.role == syntax.Declarator && around.kind.name == "variable_declarator" && v.around(1).kind.role == syntax.Parameter {
		return // a spread parameter of Java
	}
	u := use{at: from, scope: sc.open[len(sc.open)-1], node: n}
	u.what = v.binding(&u)
	nm := sc.name(t)
	nm.uses = append(nm.uses, u)
	if u.what == reads || u.what == writes && !sc.assigned {
		return
	}
	scope := sc.home(nm, u)
	if nm.vars[scope] != nil {
		return
	}
	if nm.vars == nil {
		nm.vars = map[int]*variable{}
	}
	x := &variable{name: nm, scope: scope, first: u, known: u.up[0].node.EndByte()}
	if u.what == takes {
		x.reads = []uint32{u.at}
	}
	nm.vars[scope] = x
	sc.vars = append(sc.vars, x)
}

// home returns the scope of the variable that is declared here.
func (sc *scopes) home(n *name, u use) int {
	switch {
	case sc.blocks && u.what == writes:
		for i := len(sc.open) - 1; ; i-- { // a block sees the variables around it
			if s := sc.open[i]; i == 0 || n.vars[s] != nil || sc.list[s].class || sc.list[s].fn.seat.kind.role.IsFunction() || len(sc.open)-i > limits.Scopes {
				return s
			}
		}
	case sc.hoisted != "" && u.up[1].kind.name == sc.hoisted && sc.list[u.scope].fn != nil:
		return sc.list[u.scope].fn.scope
	}
	return u.scope
}

// binding returns the use of the cursor's node in the node around it, and stores the nodes
// around it.
func (v *visitor) binding(u *use) byte {
	if v.lang == lang.Python && v.taken() {
		u.up = [2]seat{v.around(0), v.around(1)}
		return takes
	}
	up, field := 0, ""
	for ; declarators[v.around(up).kind.name] && up < limits.Declarators; up++ {
		if up == 0 && v.around(0).kind.name == "array_declarator" && v.cur.CurrentFieldName() != "declarator" {
			return reads
		}
		field = "declarator"
	}
	list := v.around(up)
	listed := list.kind.name == "expression_list" // Go
	if listed {
		up++
	}
	b := v.around(up)
	u.up = [2]seat{b, v.around(up + 1)}
	what, ok := binders[b.kind.name]
	switch {
	case !ok || b.node == nil:
		return reads
	case listed:
		if b.kind.name == "type_switch_statement" {
			return declares
		}
		if list.node.StartByte() != b.node.StartByte() {
			return reads
		}
		if head := v.f.Source[list.node.EndByte():b.node.EndByte()]; what == declares && !bytes.HasPrefix(bytes.TrimLeft(head, " "), []byte(":=")) {
			return writes
		}
	case field == "":
		if field = v.cur.CurrentFieldName(); !targets[field] && (field != "" || !unnamed[b.kind.name]) {
			return reads
		}
	}
	switch {
	case what == writes && !v.statement(b, u.up[1]):
		return reads
	case what == parameter && b.kind.name != "arrow_function":
		if b.kind.role != syntax.Parameters {
			if strings.HasPrefix(b.kind.name, "required") || strings.HasPrefix(b.kind.name, "optional") {
				if fieldWord.Match(v.f.Source[b.node.StartByte():u.at]) {
					return reads // it is a field, too
				}
			}
			up++
		}
		return v.parameterIn(up)
	}
	return what
}

// taken reports whether a statement of Python unpacks into the cursor's node.
func (v *visitor) taken() bool {
	for up := 0; up < limits.Declarators; up++ {
		switch v.around(up).kind.name {
		case "pattern_list", "tuple_pattern", "list_pattern":
		case "as_pattern_target", "assignment":
			return up > 0 || v.around(up).kind.name == "as_pattern_target"
		case "for_statement":
			return up > 0 || v.cur.CurrentFieldName() == "left"
		default:
			return false
		}
	}
	return false
}

var fieldWord = regexp.MustCompile(`\b(?:private|public|protected|readonly|override)\b|@`)

// parameterIn returns the use of a name in a list of parameters, which may belong to a
// type.
func (v *visitor) parameterIn(up int) byte {
	list := v.around(up)
	if list.kind.role != syntax.Parameters {
		return reads
	}
	for i := 1; i <= limits.Declarators; i++ {
		switch a := v.around(up + i); {
		case functionLike(a.kind.role):
			if first := v.field(a.node, "parameters"); v.lang == lang.Go && first != nil && first.EndByte() <= list.node.StartByte() {
				return declares // a result
			}
			return parameter
		case declarators[a.kind.name] && i > 1, i == 1 && strings.HasSuffix(a.kind.name, "function_declarator"):
		default:
			return reads
		}
	}
	return reads
}

// statement reports whether the value of an assignment is not used.
func (v *visitor) statement(assign, around seat) bool {
	switch {
	case around.kind.role == syntax.ExpressionStatement, v.lang == lang.Go:
		return true
	case !v.scopes.values || !around.kind.role.Is(syntax.Block, syntax.Else, syntax.Try):
		return false
	}
	rest := bytes.TrimLeft(v.f.Source[assign.node.EndByte():min(int(assign.node.EndByte())+limits.WordBytes, len(v.f.Source))], " \t\r\n;")
	n := wordEnd(rest)
	switch string(rest[:n]) {
	case "end", "else", "elsif", "when", "in", "rescue", "ensure", "":
		return n == 0 && len(rest) > 0 && rest[0] != '}' && rest[0] != '#'
	}
	return true
}

// leaveScopes is called after the walk has left a node. At the end of an outermost function
// it resolves the names and calls the rules.
func (v *visitor) leaveScopes() {
	sc := v.scopes
	if sc == nil || len(v.seats) > sc.depth {
		return
	}
	for _, n := range sc.order {
		for _, u := range n.uses {
			sc.resolve(n, u)
		}
	}
	slices.SortFunc(sc.vars, func(a, b *variable) int { return cmp.Compare(a.first.at, b.first.at) })
	for _, x := range sc.vars {
		if f := sc.list[x.scope].fn; f != nil && x.first.what == parameter && !conventional[x.name.text] {
			f.params++
			if len(x.reads) > 0 {
				f.used++
				f.lastUsed = x.first.at
			}
		}
	}
	for _, x := range sc.vars {
		for _, v.rule = range v.scoped {
			v.rules[v.rule].named(v, x)
		}
	}
	v.scopes = nil
}

// resolve adds a use to the variables that it may mean.
func (sc *scopes) resolve(n *name, u use) {
	if len(n.vars) == 0 {
		return
	}
	for s, i := u.scope, 0; s >= 0; s, i = sc.list[s].parent, i+1 {
		if i == limits.Scopes {
			n.wild = true
			return
		}
		x := n.vars[s]
		switch {
		case x == nil || x.first.at == u.at:
			if x != nil {
				return
			}
			continue
		case u.what == reads || u.what == takes:
			x.reads = append(x.reads, u.at)
			if u.at >= x.known && !sc.list[s].class {
				return
			}
		default:
			x.writes = append(x.writes, u.at)
			return
		}
	}
}

// outer returns the variable of the same name that x hides, in its function or the
// functions around it; nil if there is none.
func (sc *scopes) outer(x *variable) *variable {
	for s, i := sc.list[x.scope].parent, 0; s >= 0 && i < limits.Scopes; s, i = sc.list[s].parent, i+1 {
		if sc.list[s].class {
			return nil
		}
		if o := x.name.vars[s]; o != nil {
			return o
		}
	}
	return nil
}

// after returns the first of ascending places that is not before the place at.
func after(places []uint32, at uint32) (uint32, bool) {
	i := sort.Search(len(places), func(i int) bool { return places[i] >= at })
	if i == len(places) {
		return 0, false
	}
	return places[i], true
}
