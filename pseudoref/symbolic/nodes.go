package symbolic

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// The nodes of all formats that are no documents: what has a name and a value, or other
// nodes below it. Only the nouns differ: a key, a step, a property, a column, an element.

// nodeEdit tells what became of a node.
func (t *teller) nodeEdit(e outline.Edit) {
	n := cmp.Or(e.New, e.Old)
	switch {
	case n.Kind == outline.Element && strings.Trim(n.Name, "?!") != n.Name:
		t.claim(e, wDetail, "element-"+verb(e.New != nil), "", "the "+code("<"+n.Name+">")+" declaration was "+verb(e.New != nil))
	case t.dependencyEdit(e):
	case e.Moved:
		t.nodeMoved(e)
	case e.Renamed && e.Old.Name != "" && e.New.Name != "":
		was, verb := t.ownLabel(e.Old), " was renamed to "
		if n.Type == outline.StyleRule || n.Type == "at-rule" {
			verb = " was changed to "
		}
		x, y := apart(e.Old.Name, e.New.Name)
		t.claim(e, wDeclare, ruleOf(n)+"-renamed", "", strings.Replace(was, code(e.Old.Name), x, 1)+t.in(e.New, " of ")+verb+y)
	case e.Renamed:
	case e.Old != nil && e.New != nil:
		t.nodeChanged(e)
	default:
		t.nodeCame(e, n, e.New != nil)
	}
}

// ruleOf is what the rules about a node are called.
func ruleOf(n *outline.Node) string {
	switch {
	case n.Kind == outline.Item:
		return "list-item"
	case n.Kind == outline.Element:
		return "element"
	case n.Type == outline.Attribute:
		return n.Type
	}
	return "key"
}

// label is what a node is called: "the service `web`", "the step "Build"", or "`server`"
// for a key. It is empty for a node without a name.
func (t *teller) label(n *outline.Node) string {
	one, name := t.nounOf(n), n.Name
	switch {
	case n.Kind == outline.Element:
		return elementNoun(n, "")
	case n.Kind == outline.Item:
		key := ""
		key, name = n.Identity()
		if kind, of, _ := strings.Cut(name, " "); key == "kind" {
			return "the " + kind + " " + code(of)
		}
		one = cmp.Or(one, "item")
		if strings.Contains(name, " ") && (key == "name" || prose(name) && n.Type == "") {
			return "the " + one + " " + quote(name, maxCode)
		}
	}
	switch {
	case name == "":
		return ""
	case one != "":
		return "the " + one + " " + codeTo(name, maxCode*3/2)
	}
	return code(name)
}

// ownLabel is label with a noun for everything that has a name.
func (t *teller) ownLabel(n *outline.Node) string {
	l := t.label(n)
	if strings.HasPrefix(l, "`") {
		return "the key " + l
	}
	return l
}

// above names what a node stands in: "`server`", "`resources.limits` of the container
// `web`", "the service `web`". It is empty at the top. What has a noun of its own needs
// no list around it. A path may begin with some keys.
func (t *teller) above(n *outline.Node, keys ...string) string {
	own := t.nounOf(n)
	for p := n.Parent; p != nil && p.Kind != outline.Root; p = p.Parent {
		l := t.label(p)
		if p.Kind == outline.Element && n.Type == outline.Attribute {
			l = elementNoun(p, n.Name)
		}
		switch {
		case l != "" && (p.Kind != outline.Key || t.nounOf(p) != ""):
			if len(keys) > 0 {
				return code(dotted(keys)) + " of " + l
			}
			return l
		case p.Kind != outline.Key:
			continue // an item without a name
		case p.Name != "" && own == "":
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

// in is above with a preposition before it, or nothing. What is only known to stand
// somewhere below a heading is said to stand under it.
func (t *teller) in(n *outline.Node, preposition string) string {
	a := t.above(n)
	if a == "" {
		return ""
	}
	if n.Loose && n.Parent.Heading {
		return " under " + a
	}
	return preposition + a
}

// subject names what has a value: "`spec.replicas`", "the property `color` of the style
// rule `a`".
func (t *teller) subject(n *outline.Node) string {
	switch {
	case t.nounOf(n) != "" || n.Kind != outline.Key:
		return t.label(n) + t.in(n, " of ")
	case n.Loose:
		return code(n.Name) + t.in(n, " of ")
	}
	return t.above(n, n.Name)
}

func tag(n *outline.Node) string { return "the " + code("<"+n.Name+">") }

// nodeChanged tells how the value of a node became another.
func (t *teller) nodeChanged(e outline.Edit) {
	a, b := e.Old, e.New
	rule := ruleOf(b) + "-changed"
	switch p := b.Parent; {
	case b.Kind == outline.Item && len(a.Kids)+len(b.Kids) > 0, len(a.Kids) > 0 && len(b.Kids) > 0: // what is in them tells it
	case b.Kind == outline.Item:
		one := cmp.Or(t.nounOf(b), "item")
		if x, y := apart(a.Value, b.Value); strings.Contains(b.Value, "\n") || wordy(a.Value, b.Value) {
			t.wording(e, wValue, rule, "", "the "+one+t.in(b, " of "), a.Value, b.Value)
		} else {
			t.claim(e, wValue, rule, "", "the "+one+" "+x+t.in(b, " of ")+" was changed to "+y).condensed(x, "the "+several(one)+" "+slot+t.in(b, " of ")+" were changed")
		}
	case b.Kind == outline.Text && p.Kind != outline.Element:
		t.wording(e, wDetail, "line-changed", "", "the line", a.Value, b.Value)
	case b.Kind == outline.Text && (t.format != outline.XML || prose(a.Value)):
		t.wording(e, wValue, "text-changed", "", "the text of "+tag(p), a.Value, b.Value)
	case b.Kind == outline.Text:
		t.valueChanged(e, "value-changed", tag(p), "the value of "+tag(p))
	case b.Name == "value" && p.Kind == outline.Item && p.Get("name") != "" && t.nounOf(p) != "": // a variable with a name and a value
		t.valueChanged(e, rule, t.subject(p), t.subject(p))
	case strings.HasPrefix(t.subject(b), "`"):
		t.valueChanged(e, rule, t.subject(b), "the value of "+t.subject(b))
	default:
		t.valueChanged(e, rule, t.subject(b), t.subject(b))
	}
}

// valueChanged tells how the value of something became another. The subject is the whole
// where that has a noun, else its value.
func (t *teller) valueChanged(e outline.Edit, rule, whole, subject string) {
	a, b := e.Old, e.New
	x, y := apart(a.Value, b.Value)
	switch {
	case len(b.Kids) > 0:
		t.claim(e, wValue, rule, "", whole+" now holds "+t.contents(b))
	case len(a.Kids) > 0:
		t.claim(e, wValue, rule, "", whole+" is now "+y+" instead of "+t.contents(a))
	case a.Value == b.Value && a.Type != b.Type:
	case a.Value == b.Value:
		t.claim(e, wValue, rule, "", "the quotes around the value "+code(a.Value)+" of "+whole+" were "+verb(b.Quoted))
	case strings.Contains(a.Value+b.Value, "\n"), b.Kind == outline.Element, wordy(a.Value, b.Value) && (b.Type == "" || len(a.Value) > maxCode):
		t.wording(e, wValue, rule, "", "the text of "+whole, a.Value, b.Value)
	default:
		verb := "changed"
		if order := compareVersions(a.Value, b.Value); order != 0 && aboutVersions.MatchString(b.Name) {
			verb = map[int]string{-1: "raised", 1: "lowered"}[order]
		}
		t.claim(e, wValue, rule, "", subject+" was "+verb+" from "+x+" to "+y).condensed(whole, "the values of "+slot+" were changed")
	}
}

var aboutVersions = regexp.MustCompile(`(?i)version$|^(?:rev|tag|toolchain|go)$`)

// prose tells whether a value is a text to be read.
func prose(s string) bool { return strings.Count(s, " ") >= 3 }

// wordy tells whether two values are best compared word by word.
func wordy(a, b string) bool {
	return prose(a) && prose(b) || len(a) > maxCode && len(b) > maxCode && strings.Contains(b, " ")
}

// apart quotes two values so that both show where they differ.
func apart(a, b string) (string, string) {
	x, y := code(a), code(b)
	if x != y {
		return x, y
	}
	i := 0
	ra, rb := []rune(tree.OneLine(a)), []rune(tree.OneLine(b))
	for i < len(ra) && i < len(rb) && ra[i] == rb[i] {
		i++
	}
	// From the beginning of the word, if that is near.
	start := i
	for start > 0 && i-start < maxCode/2 && (unicode.IsLetter(ra[start-1]) || unicode.IsDigit(ra[start-1]) || strings.ContainsRune("._-", ra[start-1])) {
		start--
	}
	return code("…" + string(ra[start:])), code("…" + string(rb[start:]))
}

func plurals(xs []string) string {
	if len(xs) > 1 {
		return "s"
	}
	return ""
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

// nodeMoved tells that a node stands elsewhere.
func (t *teller) nodeMoved(e outline.Edit) {
	if e.New.Kind == outline.Text {
		return
	}
	l := cmp.Or(t.ownLabel(e.New), "an item")
	from, to := t.above(e.Old), t.above(e.New)
	switch {
	case from == to:
		if !t.keyed() {
			t.claim(e, wValue, ruleOf(e.New)+"-moved", "", l+" was moved to another place")
		}
	default:
		t.claim(e, wValue, ruleOf(e.New)+"-moved", "", l+" was moved from "+cmp.Or(from, "the top")+" to "+cmp.Or(to, "the top"))
	}
}

// nodeCame tells that a node came or went.
func (t *teller) nodeCame(e outline.Edit, n *outline.Node, added bool) {
	v, place := verb(added), t.in(n, " "+toFrom(added)+" ")
	one := t.nounOf(n)
	label := t.ownLabel(n)
	switch {
	case n.Kind == outline.Text:
		t.textCame(e, n, added)
		return
	case n.Kind == outline.Key && len(n.Kids) > 0 && one == "" && t.grouping(n), n.Kind != outline.Element && label == "" && n.Type != "":
		for _, k := range n.Kids { // they tell where they stand
			t.edit(sided(k, added))
		}
		return
	case label == "":
		if c := t.contents(n); c != "" {
			t.claim(e, wValue, "list-item-"+v, "", an(cmp.Or(one, "item"))+" with "+c+" was "+v+place)
			if added {
				t.settings(n, cmp.Or(one, "item"))
			}
		}
		return
	}
	t.namedCame(e, n, added)
}

// namedCame tells that a node with a name came or went, and what it holds.
func (t *teller) namedCame(e outline.Edit, n *outline.Node, added bool) {
	v, place := verb(added), t.in(n, " "+toFrom(added)+" ")
	rule, label := ruleOf(n)+"-"+v, t.ownLabel(n)
	one := cmp.Or(t.nounOf(n), map[outline.Kind]string{outline.Key: "key", outline.Item: "item"}[n.Kind])
	weight := wDeclare
	if one == "key" || one == "item" {
		weight = wValue
	}
	name := strings.TrimPrefix(label, "the "+one+" ")
	head, all := label+" was "+v+place, "the "+several(one)+" "+slot+" were "+v+place
	value, long := n.Value, strings.Contains(n.Value, "\n") || prose(n.Value) && n.Type == ""
	switch n.Kind {
	case outline.Element:
		name = strings.TrimPrefix(label, "the ")
		all = slot + " were " + v + place
	case outline.Item:
		if value, long = n.Get("value"), false; len(n.Kids) == 0 {
			f := t.claim(e, weight, rule, "", strings.Replace(head, name, slot, 1))
			f.many, f.names = all, []string{name}
			return
		}
	}
	told := value != "" && !looksSecret(n)
	switch {
	case len(n.Kids) > 0 && added && n.Kind != outline.Item:
		head += strings.TrimSuffix(" with "+t.contents(n), " with ")
	case long || !told:
	case added:
		head += " with the value " + code(value)
	case len(value) <= maxCode && n.Kind == outline.Key:
		head = label + ", which was " + code(value) + ", was " + v + place
	}
	if f := t.claim(e, weight, rule, "", head); n.Type != "statement" { // of which each does something else
		f.condensed(name, all)
	}
	switch of := strings.TrimPrefix(label, "the "); {
	case n.Kind == outline.Element:
		t.says(e, strings.Join(textsOf(n), " "), tag(n), added)
	case added && long && told:
		t.says(e, n.Value, "the "+of, added)
	case added && (value == "" || n.Kind == outline.Key):
		t.settings(n, of)
	}
}

// says tells what a text says that came or went with a node, where it is long.
func (t *teller) says(e outline.Edit, text, of string, added bool) {
	if len([]rune(text)) <= maxCode || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	of, says, limit := strings.Replace(of, "the ", "the new ", 1), " says ", 3
	if !added {
		of, says, limit = strings.Replace(of, "the new ", "the removed ", 1), " said ", 1
	}
	for i, p := range passages(strings.ReplaceAll(text, "\n", " "), wordsSaid, limit) {
		if i > 0 {
			says = " goes on to say "
		}
		t.claim(e, wDetail, "text-"+verb(added), "", of+says+quoteText(p))
	}
}

// textCame tells of a text between elements, or of a line that the format does not know.
func (t *teller) textCame(e outline.Edit, n *outline.Node, added bool) {
	v := verb(added)
	markup := t.format == outline.HTML || t.format == outline.XML
	switch {
	case !strings.ContainsFunc(n.Value, func(r rune) bool { return r >= 0x80 || tree.WordByte(byte(r)) }), n.Loose && markup && scripted.MatchString(n.Value):
	case !markup:
		f := t.claim(e, wDetail, "line-"+v, "", "the line "+slot+" was "+v)
		f.many, f.names = "the lines "+slot+" were "+v, []string{code(n.Value)}
	default:
		in := ""
		if n.Parent.Kind == outline.Element {
			in = " " + toFrom(added) + " " + tag(n.Parent)
		}
		t.claim(e, wValue, "text-"+v, "", "the text "+quoteText(firstPassage(n.Value, wordsSaid))+" was "+v+in)
	}
}

// scripted is a line of a script whose tag a hunk does not show.
var scripted = regexp.MustCompile(`=>|;\s|;$|\)\s*\{|^import .* from |^\}|=\s*\w+\(`)

// sided is the edit of a part of what came or went.
func sided(n *outline.Node, added bool) outline.Edit {
	if added {
		return outline.Edit{New: n}
	}
	return outline.Edit{Old: n}
}

// grouping tells whether everything under a key has a noun or is a dependency, so that
// the key need not be told.
func (t *teller) grouping(n *outline.Node) bool {
	for _, k := range n.Kids {
		d, ok := t.dependencyOf(k)
		if k.Kind != outline.Comment && t.nounOf(k) == "" && (!ok || d.noun == "image" || d.noun == "action") {
			return false
		}
	}
	return true
}

// contents says what is under a node: "the keys `a` and `b`", "the items `x` and `y`".
func (t *teller) contents(n *outline.Node) string {
	nodes := n.Kids
	if s := n.Kid("steps"); s != nil && len(s.Kids) > 0 {
		nodes = s.Kids // of a job
	}
	noun, unnamed := "", 0
	var names []string
	for _, k := range nodes {
		one, name := t.nounOf(k), k.Name
		switch {
		case k.Kind == outline.Item:
			one = cmp.Or(one, "item")
			if _, name = k.Identity(); name == "" {
				name, _, _ = strings.Cut(k.Get("run"), "\n")
			}
		case k.Kind == outline.Element && t.format == outline.XML:
			one, name = "element", "<"+name+">"
		case k.Kind != outline.Key || k.Type == outline.Attribute && slices.Contains(identifying, name):
			continue
		default:
			one = cmp.Or(one, "key")
		}
		if noun = cmp.Or(noun, one); noun == one && name != "" {
			names = append(names, code(name))
		} else if noun == one {
			unnamed++
		}
	}
	switch names = uniq(names); {
	case len(nodes) == 1 && nodes[0].Kind == outline.Key && nodes[0].Value != "" && len(names) == 1 && !looksSecret(nodes[0]):
		return names[0] + " set to " + code(nodes[0].Value)
	case len(names) > 1 && unnamed == 0:
		return "the " + several(noun) + " " + list(names)
	case len(names) == 1 && unnamed == 0:
		return "the " + noun + " " + names[0]
	case len(names)+unnamed > 0:
		return plural(len(names)+unnamed, noun)
	}
	return ""
}

// manifestKeys are said with the name of a manifest.
var manifestKeys = []string{"apiVersion", "kind", "name"}

// maxSettings bounds the values of what came that are told.
const maxSettings = 6

// settings says which values the keys below a node that came have, and those below them.
func (t *teller) settings(n *outline.Node, of string) {
	var sets []string
	key, own := n.Identity()
	tell := func(k *outline.Node, prefix string) {
		if k.Kind != outline.Key || len(k.Kids) > 0 || k.Value == "" || strings.Contains(k.Value, "\n") || looksSecret(k) || len(sets) == maxSettings ||
			own == k.Value || key == "kind" && slices.Contains(manifestKeys, k.Name) || len(n.Kids) == 1 && k == n.Kids[0] {
			return // its claim says it
		}
		v := codeTo(k.Value, maxCode*3/2)
		if prose(k.Value) {
			v = quoteText(firstPassage(k.Value, 8))
		}
		name := code(prefix + k.Name)
		if k.Parent.Type == outline.StyleRule && prefix != "" {
			name = code(k.Name) + " of " + code(k.Parent.Name)
		}
		sets = append(sets, name+" to "+v)
	}
	for _, k := range n.Kids {
		tell(k, "")
		for i := 0; k.Kind == outline.Key && i < len(k.Kids); i++ {
			tell(k.Kids[i], k.Name+".")
		}
	}
	for k := 0; k < len(sets); k += 2 {
		t.claim(outline.Edit{New: n}, wDetail, "key-sets", "", "the new "+of+" sets "+listOf(sets[k:min(k+2, len(sets))], 2, "and"))
	}
}

// elementNouns are what some elements are called.
var elementNouns = map[string]string{
	"a": "link", "img": "image", "script": "script", "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading", "button": "button",
	"label": "label", "title": "title", "option": "option", "p": "paragraph", "li": "list item", "tr": "table row", "td": "table cell", "th": "table heading",
}

// identifying are the attributes that tell an element from others, best first.
var identifying = []string{"id", "name", "href", "src", "action", "property", "class", "className"}

// elementNoun names an element by what tells it from others: "the link "Start" to `/a`",
// "the `<div>` element `#main`". An attribute that the claim is about does not.
func elementNoun(n *outline.Node, except string) string {
	s := "the " + cmp.Or(elementNouns[n.Name], "`<"+n.Name+">` element")
	text := ""
	if all := textsOf(n); len(all) > 0 && (elementNouns[n.Name] != "" || len(n.Of(outline.Element)) == 0) {
		text = all[0]
	}
	if text != "" && elementNouns[n.Name] != "" {
		s += " " + quote(text, maxCode)
		if h := n.Get("href"); h != "" && except != "href" {
			s += " to " + code(h)
		}
		return s
	}
	for _, a := range identifying {
		switch v := n.Kid(a); {
		case v == nil || v.Type != outline.Attribute || v.Value == "" || a == except:
		case a == "id":
			return s + " " + code("#"+v.Value)
		case strings.HasPrefix(a, "class"):
			return s + " " + code("."+strings.Join(strings.Fields(v.Value), "."))
		default:
			return s + " " + code(v.Value)
		}
	}
	if text != "" {
		return s + " " + quote(text, maxCode)
	}
	return s
}

// textsOf are the texts in an element, in order.
func textsOf(n *outline.Node) []string {
	budget := 400
	var all []string
	n.Walk(func(k *outline.Node) {
		if budget--; budget > 0 && k.Kind == outline.Text {
			all = append(all, k.Value)
		}
	})
	return all
}

var (
	secretKey   = regexp.MustCompile(`(?i)(?:^|[_.-])(?:password|passwd|pwd|secret|api_?key|access_?key|(?:auth_?)?token|private_?key|client_?secret|secret_?key)s?$|(?:Password|Secret|ApiKey|AccessKey|Token|PrivateKey)$`)
	placeholder = regexp.MustCompile(`(?i)^(?:[$<*!%@#/]|\{\{|x{3,}|\.\.\.|https?:|null$|none$|true$|false$|your|example|dummy|test|change|replace|todo|file:|env|enc\[|arn:|secrets?[./])|^\d{1,4}$| `)
)

// looksSecret tells whether a key holds what a claim should not repeat.
func looksSecret(n *outline.Node) bool {
	name, value := n.Name, n.Value
	if n.Kind == outline.Item {
		if name, value = n.Get("name"), n.Get("value"); name == "" {
			name, value, _ = strings.Cut(n.Value, "=")
		}
	}
	return len(value) >= 6 && secretKey.MatchString(name) && !placeholder.MatchString(value)
}
