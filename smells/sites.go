package smells

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// site is a place that a rule found.
type site struct {
	rule int // index in rules
	span
	column int // see Smell.Column
	// text is the sentence, function the qualified name of what is around it.
	text, function string
	// far says that the change is near the lines, but not in them, so that the old text
	// must be known.
	far bool
	// value is the measured value, 0 if the rule measures nothing.
	value int
	// key stays the same if only the value changes. If the rule measures nothing, it is
	// the text.
	key string
	// put has the values in the sentence of a rule that measures.
	put fill
}

// visitor walks a fragment once for all rules that look for places. The rules ask it about
// nodes and report their findings to it.
type visitor struct {
	f    *syntax.Fragment
	lang lang.Name // of the grammar: a header of C may hold C++
	path string
	// rules is the catalogue, limits are the thresholds by rule, and rule is the current
	// rule.
	rules  []Rule
	limits []int
	rule   int
	// inside reports whether a line of a range is changed.
	inside  func(first, last int) bool
	nodes   *syntax.NodeList
	cur     *syntax.Cursor
	spare   *syntax.Cursor // see children
	kinds   []*siteKind    // by symbol
	active  []int
	program answer         // see isProgram
	counts  map[string]int // see occurs
	test    answer         // see isTest
	numeric answer         // see isNumeric
	seats   []seat         // the nodes around the cursor's, the root first
	found   []site

	words   map[string]int // see unusedImport
	folded  map[string]int // see otherLetters
	defines answer         // see unusedImport
	impls   map[string]int // see spread
	results map[string]int // see declaredResults

	lastClass *members      // see members
	imports   *classImports // see importedClasses

	scoped []int // the active rules that judge variables
	scopes *scopes
	values map[string]int // see passed
	heads  map[string]int // see family
	macros map[string]int // see inMacro
}

// answer caches the answer to a question about the whole text.
type answer struct{ asked, yes bool }

func (a *answer) to(question func() bool) bool {
	if !a.asked {
		a.asked, a.yes = true, question()
	}
	return a.yes
}

// siteKind has the properties of a node kind.
type siteKind struct {
	name  string
	named bool
	role  syntax.Role
	// prune: the walk goes inside only if the lines are changed. leaf: it never goes
	// inside. text: it goes inside only for code in a string.
	prune, leaf, text bool
	// scope says that the node may declare names. usage is its use of names.
	scope bool
	usage usage
	rules []int
}

// seat is a node around the current node of the walk.
type seat struct {
	node *syntax.Node
	kind *siteKind
	// field is the node's field in its parent, for an if only.
	field string
	// function is the qualified name of the innermost function or class.
	function string
	// broken says that the grammar did not understand the node or a node around it.
	broken bool
	// quiet says that nothing in the node is changed, so that only its names are read.
	quiet bool
	// left says that a statement in the node leaves it.
	left bool
}

// plainStrings are the kinds of strings without code inside, except in Ruby, and in Python
// after an f.
var plainStrings = kinds("string", "string_literal", "interpreted_string_literal", "raw_string_literal", "char_literal", "character_literal")

var errorSite = siteKind{name: "ERROR", named: true}

// sites runs the rules whose indices are in active over a fragment.
func sites(ctx context.Context, f *syntax.Fragment, path string, active, limits []int, inside func(first, last int) bool) ([]site, error) {
	v := &visitor{f: f, lang: f.Table.Lang, path: path, rules: rules, limits: limits, inside: inside}
	for _, r := range active {
		if slices.Contains(rules[r].Languages, v.lang) {
			v.active = append(v.active, r)
			if rules[r].named != nil {
				v.scoped = append(v.scoped, r)
			}
		}
	}
	if len(v.active) == 0 {
		return nil, nil
	}
	v.nodes = f.Nodes
	root := v.nodes.Root()
	v.cur, v.spare = v.nodes.Cursor(root), v.nodes.Cursor(root)
	v.seats = []seat{{node: root, kind: v.kind(root)}}
	v.look(root, v.seats[0].kind)
	if !v.cur.GoToFirstChild() {
		return v.found, nil
	}
	for visited := 0; ; visited++ {
		if visited%ctxEvery == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("looking for smells: %w", ctx.Err())
		}
		if s, ok := v.enter(); ok && v.cur.GoToFirstChild() {
			v.seats = append(v.seats, s)
			continue
		}
		v.leaveScopes()
		for len(v.seats) > 0 && !v.cur.GoToNextSibling() {
			v.cur.GoToParent()
			v.seats = v.seats[:len(v.seats)-1]
			v.leaveScopes()
		}
		if len(v.seats) == 0 {
			return v.found, nil
		}
	}
}

// enter applies the rules to the cursor's node and reports whether to go inside.
func (v *visitor) enter() (s seat, ok bool) {
	k := v.kindAt(v.cur)
	if !k.named {
		return seat{}, false
	}
	n := v.cur.CurrentNode()
	around := &v.seats[len(v.seats)-1]
	s = seat{node: n, kind: k, function: around.function, broken: around.broken || k == &errorSite}
	s.quiet = around.quiet
	if k.prune && !s.quiet {
		if first, last := v.cur.CurrentLines(); !v.inside(first, last) {
			if v.scopes == nil {
				return seat{}, false
			}
			s.quiet = true
		}
	}
	named := n
	if k.role == syntax.Lambda && around.kind.role.Is(syntax.Declarator, syntax.Field) {
		named = around.node // const f = () => …
	}
	if (k.role.IsFunction() || k.role.IsClass() || named != n) && !v.f.Framed(int(n.StartByte())) {
		if name := v.f.Name(named); name != "" && len(name) <= limits.NameBytes && len(s.function) < limits.QualifiedBytes {
			s.function = strings.TrimPrefix(s.function+"."+name, ".")
		}
	}
	if len(v.scoped) > 0 {
		v.note(n, k, &s)
	}
	if len(k.rules) > 0 && !s.broken && !s.quiet {
		if k.role == syntax.If {
			s.field = v.cur.CurrentFieldName()
		}
		v.seats = append(v.seats, s) // a rule may ask what it looks at
		v.look(n, k)
		v.seats = v.seats[:len(v.seats)-1]
	}
	return s, !k.leaf && !(k.text && v.plain(n))
}

// plain reports whether a string has no code inside.
func (v *visitor) plain(n *syntax.Node) bool {
	if v.lang != lang.Python {
		return true
	}
	for _, c := range v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+3)] {
		switch c {
		case '"', '\'':
			return true
		case 'f', 'F':
			return false
		}
	}
	return false
}

func (v *visitor) look(n *syntax.Node, k *siteKind) {
	for _, r := range k.rules {
		v.rule = r
		v.rules[r].find(v, n)
	}
}

// kind returns the properties of a node's kind.
func (v *visitor) kind(n *syntax.Node) *siteKind {
	if i := len(v.seats) - 1; i >= 0 && v.seats[i].node == n {
		return v.seats[i].kind // mostly the node that a rule looks at
	}
	if k := v.kindOf(n.Symbol()); k != nil {
		return k
	}
	return v.classify(n)
}

// kindAt is kind for a cursor's node.
func (v *visitor) kindAt(c *syntax.Cursor) *siteKind {
	if k := v.kindOf(c.CurrentSymbol()); k != nil {
		return k
	}
	return v.classify(c.CurrentNode())
}

// kindOf returns a kind that is already known, or nil.
func (v *visitor) kindOf(sym syntax.Symbol) *siteKind {
	if int(sym) < len(v.kinds) {
		return v.kinds[sym]
	}
	return nil
}

func (v *visitor) classify(n *syntax.Node) *siteKind {
	sym := int(n.Symbol())
	if sym == errorSymbol {
		return &errorSite
	}
	for len(v.kinds) <= sym {
		v.kinds = append(v.kinds, nil)
	}
	if v.kinds[sym] == nil {
		k := &siteKind{name: n.Type(), named: n.IsNamed()}
		if k.named {
			k.role = v.f.Table.Role(k.name)
			k.prune = k.role.IsFunction() || k.role.IsClass() || k.role.Is(syntax.Block, syntax.If, syntax.Loop, syntax.Switch, syntax.Try, syntax.Lambda)
			k.leaf = k.role.Is(syntax.Identifier, syntax.Number, syntax.Bool, syntax.Null, syntax.Self, syntax.Comment, syntax.Import)
			k.text = plainStrings[k.name] && v.lang != lang.Ruby
			if len(v.scoped) > 0 {
				v.scopeKind(k)
			}
			for _, r := range v.active {
				if k.role.Is(v.rules[r].roles...) || slices.Contains(v.rules[r].kinds, k.name) {
					k.rules = append(k.rules, r)
				}
			}
		}
		v.kinds[sym] = k
	}
	return v.kinds[sym]
}

// field returns the child of a node that is in a field, or nil; of no node, nil.
func (v *visitor) field(n *syntax.Node, name string) *syntax.Node {
	if n == nil {
		return nil
	}
	return v.nodes.Field(n, name)
}

// role returns the role of a node, Other of none and of a token.
func (v *visitor) role(n *syntax.Node) syntax.Role {
	if n == nil {
		return syntax.Other
	}
	return v.kind(n).role
}

// parent returns the seat around the current node's, nil at the root.
func (v *visitor) parent() *seat {
	if len(v.seats) < 2 {
		return nil
	}
	return &v.seats[len(v.seats)-2]
}

// around returns the seat up levels above the current node, and an empty seat beyond the
// root.
func (v *visitor) around(up int) seat {
	if i := len(v.seats) - 1 - up; i >= 0 {
		return v.seats[i]
	}
	return seat{kind: &siteKind{}}
}

// child is a part of a node.
type child struct {
	*syntax.Node
	kind  *siteKind
	field string
}

// operands returns the sides of an expression and the tokens between them, joined to one
// operator.
func (v *visitor) operands(n *syntax.Node) (sides []child, operator string) {
	var tokens strings.Builder
	for _, c := range v.children(n) {
		switch {
		case c.kind.role == syntax.Comment:
		case c.kind.named:
			sides = append(sides, c)
		default:
			tokens.WriteString(c.kind.name)
		}
	}
	return sides, tokens.String()
}

// children returns the parts of a node, with tokens.
func (v *visitor) children(n *syntax.Node) []child {
	v.spare.Reset(n)
	var out []child
	for ok := v.spare.GoToFirstChild(); ok; ok = v.spare.GoToNextSibling() {
		out = append(out, child{v.spare.CurrentNode(), v.kindAt(v.spare), v.spare.CurrentFieldName()})
	}
	return out
}

// parts returns the named parts of a node, without comments.
func (v *visitor) parts(n *syntax.Node) []child {
	return slices.DeleteFunc(v.children(n), func(c child) bool { return !c.kind.named || c.kind.role == syntax.Comment })
}

// bare returns an expression without the parentheses, and lists with one element, around it.
func (v *visitor) bare(n *syntax.Node) *syntax.Node {
	for range 8 {
		if v.role(n) != syntax.Parens {
			break
		}
		p := v.parts(n)
		if len(p) != 1 {
			break
		}
		n = p[0].Node
	}
	return n
}

// text returns the text of a node of up to limits.WordBytes bytes, "" of a longer one.
func (v *visitor) text(n *syntax.Node) string {
	if n == nil || n.EndByte()-n.StartByte() > limits.WordBytes {
		return ""
	}
	return v.f.Text(n)
}

// quotedBytes is the longest text that is shown in a sentence.
const quotedBytes = 40

// quote returns a short text for a sentence, or otherwise for a long one.
func (v *visitor) quote(n *syntax.Node, otherwise string) string {
	t := v.text(n)
	if t == "" || len(t) > quotedBytes || len(strings.Fields(t)) > 4 || strings.ContainsAny(t, "`\n\r") {
		return otherwise
	}
	return "`" + t + "`"
}

// occurs returns the number of times that a text occurs in the fragment.
func (v *visitor) occurs(text string) int {
	n, ok := v.counts[text]
	if !ok {
		if v.counts == nil {
			v.counts = map[string]int{}
		}
		n = bytes.Count(v.f.Source, []byte(text))
		v.counts[text] = n
	}
	return n
}

// beside returns the text around a node on its lines, with the comment lines above, up to a
// few hundred bytes.
func (v *visitor) beside(n *syntax.Node) (before, behind []byte) {
	start, end := int(n.StartByte()), int(n.EndByte())
	src := v.f.Source[max(start-2*limits.WordBytes, 0):start]
	from := bytes.LastIndexByte(src, '\n') + 1
	for from > 0 {
		above := bytes.LastIndexByte(src[:from-1], '\n') + 1
		if t := bytes.TrimSpace(src[above:from]); len(t) == 0 || bytes.IndexByte([]byte("#/*"), t[0]) < 0 {
			break
		}
		from = above
	}
	behind, _, _ = bytes.Cut(v.f.Source[end:min(end+limits.WordBytes, len(v.f.Source))], []byte("\n"))
	return src[from:], behind
}

// seen reports whether the whole node is visible in the change and understood by the grammar.
func (v *visitor) seen(n *syntax.Node) bool {
	return !n.HasError() && !v.f.Cut(n) && !v.f.Framed(int(n.StartByte()))
}

// ended reports whether the end of a node is known. In Python a block at the end of a hunk may
// continue after it.
func (v *visitor) ended(n *syntax.Node) bool {
	if v.f.Whole || v.lang != lang.Python {
		return true
	}
	for line := range strings.Lines(string(v.f.Rest(int(n.EndByte())))) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}

// sentence fills a sentence of the current rule.
func (v *visitor) sentence(when string, put fill) string {
	return v.rules[v.rule].sentence(when, put, nil)
}

// say reports the lines of a node with a sentence of the current rule.
func (v *visitor) say(n *syntax.Node, when string, put fill) {
	v.sayFrom(n, n, when, put)
}

// sayFrom reports the lines from one node to another.
func (v *visitor) sayFrom(from, to *syntax.Node, when string, put fill) {
	text := v.sentence(when, put)
	v.report(from, to, site{text: text, key: text})
}

// measured reports a node whose value is above the threshold. key is the same for the same
// finding with another value.
func (v *visitor) measured(n *syntax.Node, key string, value int, put fill) {
	limit := v.limits[v.rule]
	if value > limit {
		put = put.with(value, limit)
		v.report(n, n, site{value: value, key: key, text: v.sentence("", put), put: put})
	}
}

func (v *visitor) report(from, to *syntax.Node, s site) {
	if !v.seen(from) || to != from && !v.seen(to) || minified(v.f.Source, int(from.StartByte())) || v.silenced(from) {
		return
	}
	s.first, _ = v.f.Lines(from)
	s.column = v.f.Column(from) + 1
	_, s.last = v.f.Lines(to)
	v.place(s)
}

// silencer matches comments and annotations that silence a linter.
var silencer = regexp.MustCompile(`(?i)\bnoqa\b|eslint-disable|jshint |jslint |pylint: *disable|noinspection|phan-suppress|SuppressWarnings\([^)]*(?:unused|all)|nolint|nosonar|phpcs:(?:ignore|disable)|@ts-(?:ignore|expect-error)|rubocop:disable|#\[allow|type: ignore`)

// silenced reports whether a linter is silenced in the line of a node or above it.
func (v *visitor) silenced(n *syntax.Node) bool {
	before, behind := v.beside(n)
	return bytes.ContainsAny(before, "#/@") && silencer.Match(before) || bytes.ContainsAny(behind, "#/@") && silencer.Match(behind)
}

// sayLines reports lines that are not the lines of a node.
func (v *visitor) sayLines(first, last int, when string, put fill) {
	text := v.sentence(when, put)
	v.place(site{span: span{first, last}, text: text, key: text})
}

func (v *visitor) place(s site) {
	if v.inside(s.first, s.last) {
		s.far = false
	} else if !s.far {
		return
	}
	s.rule = v.rule
	if s.function == "" {
		s.function = v.seats[len(v.seats)-1].function
	}
	v.found = append(v.found, s)
}
