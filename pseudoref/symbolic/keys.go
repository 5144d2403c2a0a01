package symbolic

import (
	"slices"
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// Keys and items: YAML, JSON, TOML, INI, properties, environment files and the
// lists of what a build depends on.

// keyEdit tells what became of a key or an item.
func (t *teller) keyEdit(e outline.Edit) {
	if t.dependencyEdit(e) {
		return
	}
	switch {
	case e.Moved:
		t.keyMoved(e)
	case e.Renamed:
		one, _ := t.nounOf(e.New)
		if one == "" {
			one = "key"
		}
		t.claim(e, wDeclare, one2rule(one)+"-renamed", "", "the "+one+" "+code(e.Old.Name)+t.in(e.New, " of ")+" was renamed to "+code(e.New.Name))
	case e.Old != nil && e.New != nil:
		t.keyChanged(e)
	case e.New != nil:
		t.keyCame(e, e.New, true)
	default:
		t.keyCame(e, e.Old, false)
	}
	t.risks(e)
}

// one2rule makes a rule of a noun: "environment-variable".
func one2rule(noun string) string { return strings.ReplaceAll(noun, " ", "-") }

// label is what a node is called: "the service `web`", "the step "Build"", or
// "`server`" for a key. It is empty for an item without a name.
func (t *teller) label(n *outline.Node) string {
	one, _ := t.nounOf(n)
	name := n.Name
	if n.Kind == outline.Item {
		key := ""
		key, name = n.Identity()
		if name == "" {
			return ""
		}
		if key == "kind" {
			kind, of, _ := strings.Cut(name, " ")
			return "the " + kind + " " + code(of)
		}
		if one == "" {
			one = "item"
		}
		if key == "name" && strings.Contains(name, " ") {
			return "the " + one + " " + quote(name, maxCode)
		}
	}
	if one != "" {
		return "the " + one + " " + code(name)
	}
	return code(name)
}

// above names what a node stands in: "`server`", "`resources.limits` of the
// container `web`", "the service `web`". It is empty at the top. What has a noun
// of its own needs no list around it.
func (t *teller) above(n *outline.Node) string {
	var keys []string
	own, _ := t.nounOf(n)
	for p := n.Parent; p != nil && p.Kind != outline.Root; p = p.Parent {
		one, _ := t.nounOf(p)
		if one != "" || p.Kind == outline.Item {
			if l := t.label(p); l != "" {
				if len(keys) > 0 {
					return code(dotted(keys)) + " of " + l
				}
				return l
			}
			continue // an item without a name
		}
		if p.Name != "" && own == "" {
			keys = append(keys, p.Name)
		}
		own = ""
		if p.Loose {
			break
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return code(dotted(keys))
}

// dotted joins keys, the innermost first, to a path of at most three.
func dotted(keys []string) string {
	keys = slices.Clone(keys[:min(len(keys), 3)])
	for len(keys) > 1 && len(strings.Join(keys, ".")) > maxCode {
		keys = keys[:len(keys)-1]
	}
	slices.Reverse(keys)
	return strings.Join(keys, ".")
}

// in is above with a preposition before it, or nothing. What is only known to
// stand somewhere below a heading is said to stand under it.
func (t *teller) in(n *outline.Node, preposition string) string {
	a := t.above(n)
	if a == "" {
		return ""
	}
	for p := n; p.Kind != outline.Root; p = p.Parent {
		if p != n && (p.Kind == outline.Key || t.label(p) != "") {
			break // what is said
		}
		if p.Loose && p.Parent.Heading {
			return " under " + a
		}
	}
	return preposition + a
}

// subject names a key by its path: "`spec.replicas`", "`image` of the container
// `web`".
func (t *teller) subject(n *outline.Node) string {
	one, _ := t.nounOf(n)
	if one != "" {
		return "the " + one + " " + code(n.Name) + t.in(n, " of ")
	}
	keys := []string{n.Name}
	for p := n.Parent; p != nil && p.Kind == outline.Key && p.Name != "" && !(n.Loose && p.Loose); p = p.Parent {
		if one, _ := t.nounOf(p); one != "" {
			return code(dotted(keys)) + " of " + t.label(p)
		}
		keys = append(keys, p.Name)
		if p.Loose {
			return code(dotted(keys))
		}
	}
	last := n
	for range len(keys) - 1 {
		last = last.Parent
	}
	return code(dotted(keys)) + t.in(last, " of ")
}

// keyChanged tells how the value of a key became another.
func (t *teller) keyChanged(e outline.Edit) {
	a, b := e.Old, e.New
	if b.Kind == outline.Text {
		t.textEdit(e, "")
		return
	}
	if b.Kind == outline.Item {
		t.itemChanged(e)
		return
	}
	one, _ := t.nounOf(b)
	if b.Name == "value" && b.Parent.Kind == outline.Item && len(b.Kids)+len(a.Kids) == 0 {
		if o, _ := t.nounOf(b.Parent); o != "" && b.Parent.Get("name") != "" {
			x, y := apart(a.Value, b.Value)
			t.claim(e, wValue, one2rule(o)+"-changed", "", "the "+o+" "+code(b.Parent.Get("name"))+t.in(b.Parent, " of ")+" was changed from "+x+" to "+y)
			return
		}
	}
	rule := "key-changed"
	if one != "" {
		rule = one2rule(one) + "-changed"
	}
	s := t.subject(b)
	subject := "the value of " + s
	if one != "" {
		subject = s
	}
	switch {
	case len(b.Kids) > 0 && len(a.Kids) > 0:
	case len(b.Kids) > 0:
		t.claim(e, wValue, rule, "", s+" now holds "+t.contents(b)+t.instead(a))
	case len(a.Kids) > 0:
		t.claim(e, wValue, rule, "", s+" is now "+code(b.Value)+" instead of "+t.contents(a))
	case a.Value == b.Value && a.Quoted != b.Quoted:
		t.claim(e, wValue, "quotes-"+verb(b.Quoted), "", "the quotes around the value "+code(b.Value)+" of "+s+" were "+verb(b.Quoted))
	case strings.Contains(a.Value, "\n") || strings.Contains(b.Value, "\n"):
		t.linesChanged(e, s)
	case prose(a.Value) && prose(b.Value) || len(a.Value) > maxCode && len(b.Value) > maxCode && strings.Contains(b.Value, " "):
		t.wording(e, wValue, rule, "", "the text of "+s, a.Value, b.Value)
	case a.Value == "":
		t.claim(e, wValue, rule, "", subject+" was set to "+code(b.Value))
	case b.Value == "":
		t.claim(e, wValue, rule, "", subject+" was emptied, it was "+code(a.Value))
	default:
		x, y := apart(a.Value, b.Value)
		if spoken.MatchString(a.Value) && spoken.MatchString(b.Value) {
			x, y = quote(a.Value, 2*maxCode), quote(b.Value, 2*maxCode)
		}
		t.claim(e, wValue, rule, "", subject+" was "+direction(b.Name, a.Value, b.Value)+" from "+x+" to "+y).condensed(s, "the values of "+slot+" were changed")
	}
}

func (t *teller) instead(a *outline.Node) string {
	if a.Value == "" {
		return ""
	}
	return " instead of " + code(a.Value)
}

var aboutVersions = regexp.MustCompile(`(?i)version$|^(?:rev|tag|toolchain|go)$`)

// direction is the verb for a value that became another.
func direction(name, from, to string) string {
	if aboutVersions.MatchString(name) {
		switch compareVersions(from, to) {
		case -1:
			return "raised"
		case 1:
			return "lowered"
		}
	}
	return "changed"
}

// prose tells whether a value is a text to be read.
func prose(s string) bool { return strings.Count(s, " ") >= 3 }

// apart quotes two values so that both show where they differ.
func apart(a, b string) (string, string) {
	x, y := code(a), code(b)
	if x != y {
		return x, y
	}
	i := 0
	ra, rb := []rune(oneLine(a)), []rune(oneLine(b))
	for i < len(ra) && i < len(rb) && ra[i] == rb[i] {
		i++
	}
	// From the beginning of the word, if that is near.
	start := i
	for start > 0 && i-start < maxCode/2 && (unicode.IsLetter(ra[start-1]) || unicode.IsDigit(ra[start-1]) || strings.ContainsRune("._-", ra[start-1])) {
		start--
	}
	i = start
	return code("…" + string(ra[min(i, len(ra)):])), code("…" + string(rb[min(i, len(rb)):]))
}

// spoken is what a person reads rather than a machine.
var spoken = regexp.MustCompile(`^\p{Lu}[\pL\d',.!?-]* (?:[\pL\d',.!?-]+ ?)+$`)

// linesChanged tells how a text of several lines, such as a script, changed.
func (t *teller) linesChanged(e outline.Edit, s string) {
	a, b := strings.Split(e.Old.Value, "\n"), strings.Split(e.New.Value, "\n")
	gone, come := missing(a, b), missing(b, a)
	noun, rule := "line", "text-changed"
	if n := e.New.Name; n == "run" || n == "script" || n == "command" || n == "before_script" {
		noun, rule = "command", "command-changed"
	}
	switch {
	case len(gone) == 0 && len(come) == 0:
		t.claim(e, wValue, rule, "", "the order or the spacing of the lines of "+s+" was changed")
	case len(gone) == 0 && len(come) <= 3:
		t.claim(e, wValue, rule, "", "the "+noun+plurals(come)+" "+list(codes(come))+was(come)+" added to "+s)
	case len(come) == 0 && len(gone) <= 3:
		t.claim(e, wValue, rule, "", "the "+noun+plurals(gone)+" "+list(codes(gone))+was(gone)+" removed from "+s)
	case len(gone) == 1 && len(come) == 1:
		x, y := apart(gone[0], come[0])
		t.claim(e, wValue, rule, "", "in "+s+", "+x+" was replaced by "+y)
	case len(gone) == 0:
		t.claim(e, wValue, rule, "", plural(len(come), noun)+" were added to "+s+", such as "+code(come[0]))
	case len(come) == 0:
		t.claim(e, wValue, rule, "", plural(len(gone), noun)+" were removed from "+s+", such as "+code(gone[0]))
	default:
		t.claim(e, wValue, rule, "", "in "+s+", "+plural(len(gone), noun)+was(gone)+" replaced by "+code(come[0])+more(len(come)-1))
	}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return " and " + plural(n, "more line")
}

func plurals(xs []string) string {
	if len(xs) > 1 {
		return "s"
	}
	return ""
}

func was(xs []string) string {
	if len(xs) > 1 {
		return " were"
	}
	return " was"
}

// missing lists the lines of a that b has not.
func missing(a, b []string) []string {
	in := map[string]bool{}
	for _, s := range b {
		in[strings.TrimSpace(s)] = true
	}
	var out []string
	for _, s := range a {
		if s = strings.TrimSpace(s); s != "" && !in[s] {
			out = append(out, s)
		}
	}
	return out
}

// keyMoved tells that a key or an item stands elsewhere.
func (t *teller) keyMoved(e outline.Edit) {
	if e.New.Kind == outline.Text {
		return
	}
	l := t.label(e.New)
	if l == "" {
		l = "an item"
	} else if strings.HasPrefix(l, "`") {
		l = "the key " + l
	}
	from, to := t.above(e.Old), t.above(e.New)
	switch {
	case from == to:
		return
	case from == "":
		t.claim(e, wValue, "key-moved", "", l+" was moved to "+to)
	case to == "":
		t.claim(e, wValue, "key-moved", "", l+" was moved out of "+from)
	default:
		t.claim(e, wValue, "key-moved", "", l+" was moved from "+from+" to "+to)
	}
}

// keyCame tells that a key or an item came or went.
func (t *teller) keyCame(e outline.Edit, n *outline.Node, added bool) {
	v := verb(added)
	prep := " " + toFrom(added) + " "
	one, many := t.nounOf(n)
	if n.Kind == outline.Text {
		t.textEdit(e, v)
		return
	}
	if n.Kind == outline.Item {
		t.itemCame(e, n, added)
		return
	}
	if one == "" && len(n.Kids) > 0 && t.dependencies(n) {
		for _, k := range n.Kids {
			t.dependencyEdit(sided(k, added))
		}
		return
	}
	if one == "" && len(n.Kids) > 0 && t.named(n) {
		for _, k := range n.Kids {
			if k.Kind == outline.Key || k.Kind == outline.Item {
				t.keyCame(sided(k, added), k, added)
			}
		}
		return
	}
	rule, weight := "key-"+v, wValue
	if one != "" {
		rule, weight = one2rule(one)+"-"+v, wDeclare
	} else {
		one, many = "key", "keys"
	}
	place := t.in(n, prep)
	head := "the " + one + " " + code(n.Name) + " was " + v + place
	all := "the " + many + " " + slot + " were " + v + place
	var f *fact
	switch {
	case len(n.Kids) > 0 && added:
		f = t.claim(e, weight, rule, "", head+with(t.contents(n)))
		t.settings(n, one+" "+code(n.Name))
	case strings.Contains(n.Value, "\n") || prose(n.Value):
		f = t.claim(e, weight, rule, "", head)
		if text := strings.ReplaceAll(n.Value, "\n", " "); added && !looksSecret(n) {
			for i, p := range passages(text, wordsSaid, 2) {
				says := " says "
				if i > 0 {
					says = " goes on to say "
				}
				t.claim(e, wDetail, "text-added", "", "the new "+one+" "+code(n.Name)+says+quoteText(p))
			}
		}
	case n.Value != "" && added && !looksSecret(n):
		f = t.claim(e, weight, rule, "", head+" with the value "+code(n.Value))
	case n.Value != "" && !added && len(n.Value) <= maxCode && !looksSecret(n):
		f = t.claim(e, weight, rule, "", "the "+one+" "+code(n.Name)+", which was "+code(n.Value)+", was removed"+place)
	default:
		f = t.claim(e, weight, rule, "", head)
	}
	f.condensed(code(n.Name), all)
}

// named tells whether everything under a key has a noun, so that it need not be
// said where it stands.
func (t *teller) named(n *outline.Node) bool {
	for _, k := range n.Kids {
		if one, _ := t.nounOf(k); one == "" && k.Kind != outline.Comment {
			return false
		}
	}
	return true
}

// dependencies tells whether everything under a key is one.
func (t *teller) dependencies(n *outline.Node) bool {
	for _, k := range n.Kids {
		if d, ok := t.dependencyOf(k); k.Kind != outline.Comment && (!ok || d.noun == "image" || d.noun == "action") {
			return false
		}
	}
	return true
}

func with(s string) string {
	if s == "" {
		return ""
	}
	return " with " + s
}

// contents says what is under a key: "the keys `a` and `b`", "the items `x` and
// `y`".
func (t *teller) contents(n *outline.Node) string {
	var keys, items []string
	if s := n.Kid("steps"); s != nil && len(s.Kids) > 0 {
		for _, k := range s.Of(outline.Item) {
			_, name := k.Identity()
			if name == "" {
				name, _, _ = strings.Cut(k.Get("run"), "\n")
			}
			if name != "" {
				items = append(items, code(name))
			}
		}
		if len(items) > 0 {
			return "the step" + plurals(items) + " " + list(items)
		}
	}
	steps := 0
	noun := "item"
	for _, k := range n.Kids {
		switch k.Kind {
		case outline.Key:
			keys = append(keys, code(k.Name))
		case outline.Item:
			if _, v := k.Identity(); v != "" && !strings.Contains(v, "\n") {
				items = append(items, code(v))
			}
			steps++
			if one, _ := t.nounOf(k); one != "" {
				noun = one
			}
		}
	}
	switch {
	case len(keys) == 1 && n.Kids[0].Value != "" && !looksSecret(n.Kids[0]):
		return keys[0] + " set to " + code(n.Kids[0].Value)
	case len(keys) > 0:
		return "the key" + plurals(keys) + " " + list(keys)
	case len(items) > 0 && len(items) == steps:
		return "the " + noun + plurals(items) + " " + list(items)
	case steps > 0:
		return plural(steps, noun)
	}
	return ""
}

// textEdit tells of lines that the format does not know.
func (t *teller) textEdit(e outline.Edit, v string) {
	if e.Old != nil && e.New != nil {
		t.claim(e, wDetail, "line-changed", "", lineChange(e.Old.Value, e.New.Value))
		return
	}
	n := e.New
	if n == nil {
		n = e.Old
	}
	if !strings.ContainsFunc(n.Value, func(r rune) bool { return r >= 0x80 || wordByte(byte(r)) }) {
		return
	}
	f := t.claim(e, wDetail, "line-"+v, "", "the line "+slot+" was "+v)
	f.many, f.names = "the lines "+slot+" were "+v, []string{code(n.Value)}
}
