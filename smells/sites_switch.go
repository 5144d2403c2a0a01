package smells

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Cases of a switch: a missing default, and cases that run into the next case.

// missingDefault finds a switch without a branch for all other values.
func missingDefault(v *visitor, n *syntax.Node) {
	value := v.field(n, "value")
	if value == nil {
		value = v.field(n, "condition")
	}
	if value == nil {
		value = v.field(n, "subject")
	}
	switch {
	case value == nil, v.kind(n).name == "select_statement", v.kind(n).name == "match_expression", v.kind(n).name == "type_switch_statement":
		return // a chain of conditions, a question for a few types, or the language sees to it
	case v.kind(n).name == "switch_expression" && (v.lang != lang.Java || !v.around(1).kind.role.Is(syntax.Block, syntax.Case)):
		return
	}
	cases := v.children(n)
	if body := v.field(n, "body"); body != nil {
		cases = v.children(body)
	}
	count, leaves := 0, true
	var labels []string
	for _, c := range cases {
		if c.kind.role == syntax.Else || c.kind == &errorSite || strings.HasPrefix(c.kind.name, "preproc") {
			return
		}
		if c.kind.role == syntax.Comment && noDefault.MatchString(v.text(c.Node)) {
			return
		}
		if c.kind.role != syntax.Case {
			continue
		}
		if v.isDefault(c) {
			return
		}
		labels = append(labels, v.label(c.Node))
		if p := v.parts(c.Node); len(p) > 1 || len(p) == 1 && p[0].field != "value" && p[0].kind.name != "switch_label" {
			count++
		}
		leaves = leaves && v.caseLeaves(c.Node)
	}
	if count < 2 || !v.ended(n) || leaves && v.followed(n) || v.lang != lang.Python && v.enumerated(labels) || events.MatchString(v.text(value)) {
		return
	}
	if (v.lang == lang.TypeScript || v.lang == lang.TSX) && tagged.MatchString(strings.Trim(v.text(value), "()")) && (strings.HasPrefix(labels[0], `"`) || strings.HasPrefix(labels[0], "'")) {
		return // the compiler knows all values
	}
	if parses.MatchString(v.around(0).function) {
		return // it handles only some of the values that a parser or a user sends
	}
	if v.role(v.bare(value)).Is(syntax.Binary, syntax.Bool) || v.compiled() || v.characters(labels) && !operators.MatchString(v.text(value)) {
		return
	}
	if above, _ := v.beside(n); noDefault.Match(above) || v.preset(n, count) {
		return
	}
	word, missing := "switch", "default"
	switch v.lang {
	case lang.Ruby:
		word, missing = "case", "else"
	case lang.Python:
		word, missing = "match", "case _"
	}
	v.say(n, "", fill{"switch": word, "value": v.quote(v.bare(value), "this value"), "default": missing})
}

var (
	// noDefault matches a comment that says why there is no default.
	noDefault = regexp.MustCompile(`(?i)(?://|#|\*).*\b(?:default|exhaust|ignor|only|other|rest\b|nothing|unknown|special|all )`)
	// events matches things of more kinds than any code handles: keys, characters, messages
	// of a window.
	events = regexp.MustCompile(`(?i)key|\bchr?\b|char|\bc\b|event|\be\.|evt|which\b|button|nodename|tagname|\bmsg\b|message|wparam|signal|token|\[|\*|next|peek|lower|upper|\bfork\b|\|\||\+\+|length|\brnd|rand|opcode|arity`)
	// parses matches the name of a function that gets everything that a parser or a user
	// sends.
	parses = regexp.MustCompile(`(?i)(?:start|end)_?element|_?element$|(?:^|\.)on[A-Z_]|keydown|keyup|keypress|event`)
	// operators matches a question for one of a few characters.
	operators = regexp.MustCompile(`(?i)\bop|oper|sign|grade|choice|command|cmd|option`)
	// tagged matches the member that distinguishes the types of a union of TypeScript.
	tagged = regexp.MustCompile(`\.\w+$`)
	// constant matches the name of a constant.
	constant = regexp.MustCompile(`^(?:\w+(?:::|\.|\\))*[A-Za-z_]\w*$`)
	symbol   = regexp.MustCompile(`^(?:["']|-?[0-9]+$|true$|false$|%)`)
)

// label returns the value of a case, if it is one word.
func (v *visitor) label(n *syntax.Node) string {
	head := v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+limits.WordBytes)]
	head, _, _ = bytes.Cut(head, []byte("\n"))
	_, t, _ := strings.Cut(string(head), " ")
	t = strings.TrimSpace(t)
	if end := strings.IndexAny(t, " ,;{-"); end > 0 {
		t = t[:end]
	}
	return strings.TrimSuffix(t, ":")
}

// enumerated reports whether cases are names of an enumeration, which the compiler compares
// with the cases, or types.
func (v *visitor) enumerated(labels []string) bool {
	dotted := strings.Contains(labels[0], "Event.")
	if dotted && v.lang == lang.Java {
		return true
	}
	for _, l := range labels {
		if v.lang == lang.Ruby && !symbol.MatchString(l) {
			return true
		}
		if !constant.MatchString(l) || l == "true" || l == "false" {
			return false
		}
		dotted = dotted || strings.ContainsAny(l, ".:")
	}
	switch v.lang {
	case lang.C:
		return len(labels) > 2 || strings.LastIndexByte(common(labels), '_') > 0
	case lang.Cpp:
		return dotted || len(labels) > 2 || strings.LastIndexByte(common(labels), '_') > 0
	case lang.JavaScript, lang.CSharp:
		return dotted && len(labels) > 2
	case lang.Java:
		return dotted && len(labels) > 3 && strings.LastIndexByte(common(labels), '_') > 0 || !dotted && (len(labels) > 2 || slices.Contains(labels, "NONE") || slices.Contains(labels, "UNKNOWN"))
	case lang.TypeScript, lang.TSX:
		return dotted
	}
	return false
}

// characters reports whether cases are single characters.
func (v *visitor) characters(labels []string) bool {
	switch v.lang {
	case lang.C, lang.Cpp, lang.Java, lang.CSharp:
		return strings.HasPrefix(labels[0], "'")
	}
	return false
}

// common returns the text that all of some words begin with.
func common(words []string) string {
	p := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, p) {
			p = p[:len(p)-1]
		}
	}
	return p
}

// given matches a simple assignment in a case. nought matches the value of a variable that
// is not set yet.
var (
	given  = regexp.MustCompile(`(?m)(?:^|[:;{]|->|=>|then)[ \t]*((?:this\.|self\.|\$|@)*[a-zA-Z_][\w.]*(?:\[[^\]\n]*\])?)[ \t]*=[ \t]*[^=~>\s]`)
	nought = regexp.MustCompile(`^(?:null(?:ptr)?|NULL|nil|None|undefined|0(?:\.0)?[fFLl]?|-1|""|'')\s*(?:[;,)\n]|$)`)
)

// checked is an if for a variable behind a switch.
var checked = regexp.MustCompile(`^[\s;})]*(?:if|assert)\s*\(?\s*!?\s*([\w.$]+)\s*(?:\)|[=!]=)`)

// preset reports whether the variable that the cases set has a value before the switch,
// which is its default.
func (v *visitor) preset(n *syntax.Node, count int) bool {
	body := v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+limits.FunctionBytes)]
	times := map[string]int{}
	for _, m := range given.FindAllStringSubmatchIndex(string(body), limits.SwitchAssignments) {
		name := body[m[2]:m[3]]
		times[string(name)]++
		rest, _, _ := bytes.Cut(body[m[1]-1:], []byte("\n"))
		rest, _, _ = bytes.Cut(rest, []byte(";"))
		if hasWord(rest, string(name)) || name[len(name)-1] == ']' && bytes.Contains(rest, name) {
			return true // it is changed, not set
		}
	}
	start := int(n.StartByte())
	before := v.f.Source[max(0, start-8*limits.WordBytes):start]
	for name, k := range times {
		if 2*k < count {
			continue
		}
		next := v.f.Source[n.EndByte():min(int(n.EndByte())+limits.WordBytes, len(v.f.Source))]
		if m := checked.FindSubmatch(next); m != nil && strings.TrimLeft(string(m[1]), "$") == strings.TrimLeft(name, "$") {
			return true // the code below checks whether the variable is set
		}
		for rest := before; ; {
			i := bytes.LastIndex(rest, []byte(name))
			if i < 0 {
				break
			}
			t := bytes.TrimLeft(rest[i+len(name):min(len(rest), i+len(name)+quotedBytes)], " \t")
			if i > 0 && wordEnd(rest[i-1:i]) > 0 {
				t = nil
			}
			if len(t) > 1 && t[0] == ':' && t[1] != ':' { // a type
				_, t, _ = bytes.Cut(t, []byte("="))
				t = append([]byte("="), t...)
			}
			if len(t) > 1 && t[0] == '=' && t[1] != '=' {
				if value := bytes.TrimLeft(t[1:], " \t"); len(value) > 0 && !nought.Match(value) {
					return true
				}
				break
			}
			rest = rest[:i]
		}
	}
	return false
}

// caseLeaves reports whether a case ends by leaving the code around its switch, or runs
// into the next case directly.
func (v *visitor) caseLeaves(n *syntax.Node) bool {
	for range 4 {
		p := v.parts(n)
		if len(p) == 0 {
			return false
		}
		last := p[len(p)-1]
		switch {
		case last.kind.role.Is(syntax.Return, syntax.Throw, syntax.Continue):
			return true
		case last.kind.role == syntax.ExpressionStatement && endsAll.MatchString(v.text(last.Node)):
			return true
		case last.kind.role == syntax.If:
			yes, no := v.field(last.Node, "consequence"), v.field(last.Node, "alternative")
			return yes != nil && no != nil && v.branchLeaves(yes) && v.branchLeaves(no)
		case last.kind.name == "switch_label":
			return true
		case last.field == "value" && len(p) == 1:
			return v.lang == lang.C || v.lang == lang.Cpp || v.lang == lang.JavaScript || v.lang == lang.TypeScript || v.lang == lang.TSX || v.lang == lang.PHP
		case last.kind.role != syntax.Block && last.kind.name != "then" && last.kind.name != "statement_list":
			return false
		}
		n = last.Node
	}
	return false
}

// endsAll is a call that ends the program.
var endsAll = regexp.MustCompile(`^(?:(?:std::|System\.|process\.|os\.|sys\.)?(?:_?exit|abort|die))\b`)

// branchLeaves is caseLeaves for a branch of an if.
func (v *visitor) branchLeaves(n *syntax.Node) bool {
	if v.role(n) == syntax.Else {
		if p := v.parts(n); len(p) == 1 {
			n = p[0].Node
		}
	}
	return v.role(n).Is(syntax.Return, syntax.Throw, syntax.Continue) || v.role(n) == syntax.Block && v.caseLeaves(n)
}

// followed reports whether a statement of the function is after the node of a rule.
func (v *visitor) followed(n *syntax.Node) bool {
	for up := 1; up < limits.NodesAbove; up++ {
		s := v.around(up)
		if s.node == nil || s.kind.role.IsFunction() || s.kind.role == syntax.Lambda {
			return false
		}
		if s.kind.role == syntax.Block {
			rest := bytes.TrimLeft(v.f.Source[n.EndByte():min(s.node.EndByte(), n.EndByte()+2*limits.WordBytes)], " \t\r\n;})")
			for bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("#")) {
				_, rest, _ = bytes.Cut(rest, []byte("\n"))
				rest = bytes.TrimLeft(rest, " \t\r\n;})")
			}
			if len(rest) > 0 && !bytes.HasPrefix(rest, []byte("end")) {
				return true
			}
		}
	}
	return false
}

// isDefault reports whether a case matches every value.
func (v *visitor) isDefault(c child) bool {
	switch c.kind.name {
	case "switch_default", "default_statement", "default_case":
		return true
	}
	for _, p := range v.children(c.Node) {
		switch {
		case p.kind.name == "default", p.kind.name == "switch_label" && strings.HasSuffix(v.text(p.Node), "default"):
			return true
		case v.lang == lang.Python && p.kind.role == syntax.Other && p.kind.named:
			// A name takes any value, unless there is a guard.
			t := v.text(p.Node)
			return !strings.ContainsAny(t, ".([{'\"|0123456789") && t != "None" && t != "True" && t != "False" && v.field(c.Node, "guard") == nil
		}
	}
	return false
}

var (
	// fallsOnPurpose matches a comment that says that a case runs into the next case on
	// purpose.
	fallsOnPurpose = regexp.MustCompile(`(?i)fall|no[ -]?break|MissingBreak|break (?:is )?(?:left|omitted)|intention|deliberate|on purpose|continue (?:to|with|into)|NOSONAR`)
	// neverReturns is the name of a function that does not come back.
	neverReturns = regexp.MustCompile(`(?i)exit|abort|die$|fatal|panic|fail|throw|usage|unreachable|never|longjmp|raise|error|assert|return|reject|redirect`)
)

// missingBreak finds a case of a switch that runs into the next one without
// saying so.
func missingBreak(v *visitor, n *syntax.Node) {
	body := n.ChildByFieldName("body")
	if body == nil || v.kind(n).name == "match_expression" || machine.Match(v.f.Source[n.StartByte():min(body.StartByte(), n.StartByte()+limits.WordBytes)]) {
		return
	}
	var before *syntax.Node // the case before
	for _, c := range v.children(body) {
		if strings.HasPrefix(c.kind.name, "preproc") || c.kind == &errorSite {
			return
		}
		if c.kind.role != syntax.Case {
			continue
		}
		if c.kind.name == "switch_rule" {
			return
		}
		if before != nil && v.seen(before) && !v.f.Framed(int(c.StartByte())) && !v.f.Cut(body) {
			v.runsInto(before, c.Node)
		}
		before = c.Node
	}
}

// machine is the head of a switch that compilers make of generators.
var machine = regexp.MustCompile(`\w\.prev = \w+\.next\b`)

// runsInto says so where a case runs into the next.
func (v *visitor) runsInto(n, next *syntax.Node) {
	var last child
	for _, c := range v.parts(n) {
		if c.field != "value" && c.kind.name != "switch_label" {
			if last.Node != nil && c.kind.role != syntax.Label && v.leaves(last) {
				return
			}
			last = c
		}
	}
	if last.kind != nil && last.kind.role == syntax.Block {
		if p := v.parts(last.Node); len(p) > 0 && v.mayLeave(p[len(p)-1]) {
			return
		}
	}
	if last.Node == nil || v.mayLeave(last) || v.cascade(n, next) || last.EndByte()-n.StartByte() > limits.CaseBytes || !v.completes(last.Node, 0) {
		return
	}
	src := v.f.Source
	if a, err := strconv.Atoi(v.caseValue(n)); err == nil {
		b, err := strconv.Atoi(v.caseValue(next))
		if err == nil && b < a || a == 1 && bytes.Contains(src[max(0, int(n.StartByte())-limits.WordBytes):n.StartByte()], []byte("case 2:")) && err != nil {
			return // a count down, to do the rest
		}
	}
	above, _ := v.beside(n)
	line, _, _ := bytes.Cut(src[next.StartByte():min(int(next.StartByte())+limits.WordBytes, len(src))], []byte("\n"))
	between := src[last.EndByte():next.StartByte()]
	if bytes.Contains(between, []byte("//")) || bytes.Contains(between, []byte("/*")) || bytes.IndexByte(between, '#') >= 0 || fallsOnPurpose.Match(line) || fallsOnPurpose.Match(above) ||
		fallsOnPurpose.Match(src[n.StartByte():last.EndByte()]) || v.lang != lang.JavaScript && bytes.Contains(src[n.StartByte():last.EndByte()], []byte("\n#")) {
		return
	}
	label, _, _ := strings.Cut(string(src[n.StartByte():min(int(n.StartByte())+quotedBytes, int(last.StartByte()))]), "\n")
	label = strings.TrimRight(strings.TrimSpace(label), ": ")
	if !strings.HasPrefix(label, "case ") && label != "default" || strings.Contains(label, "`") {
		label = "case"
	} else {
		label = "`" + label + "`"
	}
	first, _ := v.f.Lines(n)
	to, _ := v.f.Lines(next)
	v.sayLines(first, to, "", fill{"case": label})
}

// mayLeave reports whether a statement leaves under a condition: the special values are
// done, and the other values continue with the next case.
func (v *visitor) mayLeave(c child) bool {
	if c.kind.role != syntax.If {
		return false
	}
	for _, part := range v.parts(c.Node) {
		if part.kind.role == syntax.Parens || part.field == "condition" {
			continue
		}
		for range 3 {
			p := v.parts(part.Node)
			if v.leaves(part) {
				return true
			}
			if !part.kind.role.Is(syntax.Block, syntax.Else, syntax.ExpressionStatement, syntax.If) || len(p) == 0 {
				break
			}
			part = p[len(p)-1]
		}
	}
	return false
}

// grows matches an assignment that adds bits or factors to a value, such as |= and *=.
var grows = regexp.MustCompile(`[\w\])]\s*(?:[*/|&^]=|<<=)`)

// countedSwitch matches the head of a switch over a number of things, such as argc or a
// length.
var countedSwitch = regexp.MustCompile(`(?i)^switch\s*\(.*(?:arg(?:c|s|uments)\b|_args|len\b|length|count|\bsize|remain|\bleft\b|[&%]\s*\d)`)

// cascade reports whether a case does a part of the work of the next case, as in a
// conversion of units, or belongs to a switch over a number of things.
func (v *visitor) cascade(n, next *syntax.Node) bool {
	a, b := v.caseBody(n), v.caseBody(next)
	if a != "" && a == b || grows.MatchString(a) && grows.MatchString(b) {
		return true
	}
	for _, label := range []string{v.caseValue(n), v.caseValue(next)} {
		if strings.Contains(label, "argc") || strings.Contains(label, "len ") || strings.Contains(label, "<") {
			return true
		}
	}
	at := v.around(0).node
	return at != nil && countedSwitch.Match(v.f.Source[at.StartByte():min(int(at.StartByte())+2*quotedBytes, int(at.EndByte()))]) ||
		lexerBreak.MatchString(v.text(next))
}

// lexerBreak matches a case that only ends another case of a generated lexer.
var lexerBreak = regexp.MustCompile(`^case \d+:\s*break;\s*$`)

// caseValue returns the value that a case matches.
func (v *visitor) caseValue(n *syntax.Node) string {
	t, _, _ := strings.Cut(string(v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+quotedBytes)]), ":")
	return strings.TrimSpace(strings.TrimPrefix(t, "case "))
}

// completes reports whether the code after a statement runs after it; false if that is not
// certain.
func (v *visitor) completes(n *syntax.Node, depth int) bool {
	k := v.kind(n)
	if depth > 12 || strings.HasPrefix(k.name, "preproc") {
		return false
	}
	switch k.role {
	case syntax.ExpressionStatement:
		p := v.parts(n)
		if len(p) != 1 {
			return false
		}
		switch p[0].kind.role {
		case syntax.Call, syntax.Await:
			name := v.callee(p[0].Node)
			head := v.f.Source[p[0].StartByte():min(p[0].EndByte(), p[0].StartByte()+quotedBytes)]
			return name != "" && name != strings.ToUpper(name) && !neverReturns.MatchString(name) && !bytes.Contains(head, []byte("(ERROR")) && !bytes.Contains(head, []byte("(FATAL"))
		case syntax.Assign, syntax.AugAssign, syntax.Update, syntax.New:
			return true
		}
	case syntax.Variable, syntax.Assign:
		return true
	case syntax.Block:
		if p := v.parts(n); len(p) > 0 {
			return v.completes(p[len(p)-1].Node, depth+1)
		}
	case syntax.If:
		var branches []*syntax.Node
		otherwise := false
		for _, c := range v.children(n) {
			switch {
			case c.field == "consequence" || c.field == "body":
				branches = append(branches, c.Node)
			case c.field == "alternative" || c.kind.role.Is(syntax.Else, syntax.ElseIf):
				otherwise = otherwise || c.kind.role != syntax.ElseIf
				branches = append(branches, c.Node)
			}
		}
		return !otherwise || slices.ContainsFunc(branches, func(b *syntax.Node) bool { return v.completes(b, depth+1) })
	case syntax.Else, syntax.ElseIf:
		if p := v.parts(n); len(p) > 0 {
			return v.completes(p[len(p)-1].Node, depth+1)
		}
	case syntax.Loop:
		head := strings.Join(strings.Fields(string(v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+quotedBytes)])), "")
		return !strings.HasPrefix(head, "do") && !strings.HasPrefix(head, "while(true") && !strings.HasPrefix(head, "while(1") && !strings.HasPrefix(head, "for(;;")
	case syntax.Try:
		for _, c := range v.children(n) {
			if c.kind.role == syntax.Finally {
				return false
			}
		}
		body := n.ChildByFieldName("body")
		return body != nil && v.completes(body, depth+1)
	}
	return false
}
