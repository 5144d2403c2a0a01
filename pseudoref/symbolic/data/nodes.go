package data

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// The nodes of all formats that are no documents: what has a name and a value, or other
// nodes below it. Only the nouns differ: a key, a step, a property, a column, an element.

// nodeEdit tells what became of a node.
func (t *teller) nodeEdit(e outline.Edit) {
	n := cmp.Or(e.New, e.Old)
	switch {
	case t.dependencyEdit(e):
	case e.Moved:
		t.say(e, "key-moved", "", fact.Slots{Object: cmp.Or(t.ownLabel(n), "an item"), Old: t.above(e.Old), New: t.above(n)})
	case e.Renamed:
		x, y := phrase.Apart(e.Old.Name, n.Name)
		s := fact.Slots{Form: "exchanged", Object: "the " + cmp.Or(t.nounOf(e.Old), "key") + " " + x + t.in(n, " of "), New: y}
		if n.Type != "" { // a selector or a statement is no name
			t.say(e, "key-changed", "", s)
			return
		}
		t.say(e, "key-renamed", "", s)
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
		one = cmp.Or(one, "item")
		if strings.Contains(name, " ") && (key == "name" || prose(name) && n.Type == "") {
			return "the " + one + " " + phrase.Quote(name, phrase.MaxCode)
		}
	}
	switch {
	case name == "":
		return ""
	case one != "":
		return "the " + one + " " + phrase.CodeTo(name, phrase.MaxCode*3/2)
	}
	return phrase.Code(name)
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
				return phrase.Code(dotted(keys)) + " of " + l
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
	return phrase.Code(dotted(keys))
}

// dotted joins keys, the innermost first, to a path of at most three.
func dotted(keys []string) string {
	keys = slices.Clone(keys[:min(len(keys), 3)])
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
		return phrase.Code(n.Name) + t.in(n, " of ")
	}
	return t.above(n, n.Name)
}

// nodeChanged tells how the value of a node became another.
func (t *teller) nodeChanged(e outline.Edit) {
	a, b, p := e.Old, e.New, e.New.Parent
	rule := ruleOf(b) + "-changed"
	switch whole := t.subject(b); {
	case b.Kind == outline.Item && len(a.Kids)+len(b.Kids) > 0, len(a.Kids) > 0 && len(b.Kids) > 0: // what is in them tells it
	case b.Kind == outline.Item:
		of, one := t.in(b, " of "), cmp.Or(t.nounOf(b), "item")
		if x, y := phrase.Apart(a.Value, b.Value); strings.Contains(b.Value, "\n") || wordy(a.Value, b.Value) {
			t.wording(e, rule, "", "the "+one+of, a.Value, b.Value)
		} else {
			t.say(e, rule, "", fact.Slots{Form: "exchanged", Object: "the " + one + " " + x + of, New: y})
		}
	case b.Kind == outline.Text && p.Kind != outline.Element:
		t.wording(e, "line-changed", "", "the line", a.Value, b.Value)
	case b.Kind == outline.Text:
		t.wording(e, "text-changed", "", "the text of "+phrase.Code("<"+p.Name+">"), a.Value, b.Value)
	case strings.HasPrefix(whole, "`"):
		t.valueChanged(e, rule, whole, "the value of "+whole)
	default:
		t.valueChanged(e, rule, whole, whole)
	}
}

// valueChanged tells how the value of something became another. The subject is the whole
// where that has a noun, else its value.
func (t *teller) valueChanged(e outline.Edit, rule, whole, subject string) {
	a, b := e.Old, e.New
	if strings.Contains(a.Value+b.Value, "\n") || b.Kind == outline.Element || wordy(a.Value, b.Value) && (b.Type == "" || len(a.Value) > phrase.MaxCode) {
		t.wording(e, rule, "", "the text of "+whole, a.Value, b.Value)
		return
	}
	if len(b.Kids) > 0 {
		t.say(e, rule, "", fact.Slots{Form: "holds", Object: whole, New: cmp.Or(t.contents(b), "a list")})
		return
	}
	x, y := phrase.Apart(a.Value, b.Value)
	if len(a.Kids) > 0 {
		t.say(e, rule, "", fact.Slots{Form: fact.Now, Object: whole, New: y})
		return
	}
	form := ""
	if order := compareVersions(a.Value, b.Value); order != 0 && aboutVersions.MatchString(b.Name) {
		form = map[int]string{-1: "raised", 1: "lowered"}[order]
	}
	t.say(e, rule, "", fact.Slots{Form: form, Object: subject, Old: x, New: y})
}

var aboutVersions = regexp.MustCompile(`(?i)version$|^(?:rev|tag|toolchain|go)$`)

// prose tells whether a value is a text to be read.
func prose(s string) bool { return strings.Count(s, " ") >= 3 }

// wordy tells whether two values are best compared word by word.
func wordy(a, b string) bool {
	return prose(a) && prose(b) || len(a) > phrase.MaxCode && len(b) > phrase.MaxCode && strings.Contains(b, " ")
}

// nodeCame tells that a node came or went.
func (t *teller) nodeCame(e outline.Edit, n *outline.Node, added bool) {
	one, label := t.nounOf(n), t.ownLabel(n)
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
			one = cmp.Or(one, "item")
			t.say(e, "list-item-"+fact.Verb(added), "", fact.Slots{Form: "single", Object: phrase.An(one) + " with " + c, Detail: t.in(n, " "+phrase.ToFrom(added)+" ")})
			if added {
				t.settings(n, one)
			}
		}
		return
	}
	t.namedCame(e, n, added)
}

// namedCame tells that a node with a name came or went, and what it holds.
func (t *teller) namedCame(e outline.Edit, n *outline.Node, added bool) {
	label, value := t.ownLabel(n), n.Value
	one := cmp.Or(t.nounOf(n), map[outline.Kind]string{outline.Key: "key", outline.Item: "item"}[n.Kind])
	s := fact.Slots{Object: one, Detail: t.in(n, " "+phrase.ToFrom(added)+" ")}
	names := []string{strings.TrimPrefix(label, "the "+one+" ")}
	single := n.Kind == outline.Element
	if n.Kind == outline.Item {
		value = n.Get("value")
	}
	switch {
	case len(n.Kids) > 0 && added && n.Kind != outline.Item:
		s.Detail += strings.TrimSuffix(" with "+t.contents(n), " with ")
	case value == "" || looksSecret(n) || strings.Contains(value, "\n") || prose(value) && n.Type == "":
	case added:
		s.New = phrase.Code(value)
	case len(value) <= phrase.MaxCode && n.Kind == outline.Key:
		single, s.Old = true, phrase.Code(value)
	}
	if single {
		s.Form, s.Object, names = "single", label, nil
	}
	id := ruleOf(n) + "-" + fact.Verb(added)
	if f := t.say(e, id, "", s, names...); one != "key" && one != "item" {
		f.Weight = fact.Declare
	}
	switch {
	case !added:
	case n.Kind == outline.Element:
		t.says(e, n)
	case value == "" || n.Kind == outline.Key:
		t.settings(n, strings.TrimPrefix(label, "the "))
	}
}

// says tells what a new element says, where that is long.
func (t *teller) says(e outline.Edit, n *outline.Node) {
	text := strings.Join(textsOf(n), " ")
	if len([]rune(text)) <= phrase.MaxCode || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	object := "the new " + phrase.Code("<"+n.Name+">")
	for _, s := range texts.GoesOn(fact.Slots{Form: "says", Object: object}, object, strings.ReplaceAll(text, "\n", " "), 3) {
		t.say(e, "text-added", "", s)
	}
}

// textCame tells of a text between elements, or of a line that the format does not know.
func (t *teller) textCame(e outline.Edit, n *outline.Node, added bool) {
	markup := t.format == outline.HTML || t.format == outline.XML
	switch {
	case !strings.ContainsFunc(n.Value, func(r rune) bool { return r >= 0x80 || tree.WordByte(byte(r)) }), n.Loose && markup && scripted.MatchString(n.Value):
	case markup:
		t.say(e, "text-"+fact.Verb(added), "", fact.Slots{Form: "single", Object: "the text " + phrase.QuoteText(phrase.FirstPassage(n.Value, texts.WordsSaid))})
	default:
		t.say(e, "line-"+fact.Verb(added), "", fact.Slots{Object: "line"}, phrase.Code(n.Value))
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

// contents says what is under a node: "the keys `a` and `b`", "the items `x` and `y`". It
// is empty where something there has no name.
func (t *teller) contents(n *outline.Node) string {
	noun := ""
	var names []string
	for _, k := range n.Kids {
		one, name := cmp.Or(t.nounOf(k), "key"), k.Name
		switch {
		case k.Kind == outline.Item:
			one = cmp.Or(t.nounOf(k), "item")
			_, name = k.Identity()
		case k.Kind != outline.Key || k.Type == outline.Attribute && slices.Contains(identifying, name):
			continue
		}
		if noun = cmp.Or(noun, one); noun != one {
			continue
		}
		if name == "" {
			return ""
		}
		names = append(names, phrase.Code(name))
	}
	switch names = phrase.Uniq(names); {
	case len(n.Kids) == 1 && n.Kids[0].Kind == outline.Key && n.Kids[0].Value != "" && len(names) == 1 && !looksSecret(n.Kids[0]):
		return names[0] + " set to " + phrase.Code(n.Kids[0].Value)
	case len(names) > 1:
		return "the " + phrase.Several(noun) + " " + phrase.List(names)
	case len(names) == 1:
		return "the " + noun + " " + names[0]
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
		v := phrase.CodeTo(k.Value, phrase.MaxCode*3/2)
		if prose(k.Value) {
			v = phrase.QuoteText(phrase.FirstPassage(k.Value, 8))
		}
		sets = append(sets, phrase.Code(prefix+k.Name)+" to "+v)
	}
	for _, k := range n.Kids {
		tell(k, "")
		for i := 0; k.Kind == outline.Key && k.Type != outline.StyleRule && i < len(k.Kids); i++ {
			tell(k.Kids[i], k.Name+".")
		}
	}
	for k := 0; k < len(sets); k += 2 {
		t.say(outline.Edit{New: n}, "key-sets", "", fact.Slots{Object: of, New: phrase.ListOf(sets[k:min(k+2, len(sets))], 2, "and")})
	}
}

// identifying are the attributes that tell an element from others, best first.
var identifying = []string{"id", "name", "href", "src", "action", "property", "class", "className"}

// elementNoun names an element by what tells it from others: "the `<a>` element "Start"".
// An attribute that the claim is about does not.
func elementNoun(n *outline.Node, except string) string {
	s := "the `<" + n.Name + ">` element"
	text := ""
	if all := textsOf(n); len(all) == 1 || len(all) == 2 { // the first of many tells nothing
		text = " " + phrase.Quote(all[0], phrase.MaxCode)
	}
	if text != "" && len(n.Of(outline.Element)) == 0 {
		return s + text
	}
	for _, a := range identifying {
		if v := n.Kid(a); v != nil && v.Type == outline.Attribute && v.Value != "" && a != except {
			return s + " " + phrase.Code(v.Value)
		}
	}
	return s + text
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

func nodeRules() []fact.Rule {
	valued := func(id string) []fact.Rule {
		return fact.Listed(id, fact.Sentence{Form: "raised", Text: "{object} was raised from {old} to {new}"},
			fact.Sentence{Form: "lowered", Text: "{object} was lowered from {old} to {new}"},
			fact.Sentence{Form: "holds", Text: "{object} now holds {new}"})
	}
	text := fact.Listed("text")
	text[0] = text[0].With(fact.Sentence{Form: "says", Text: "{object} says {new}", Weight: fact.Detail},
		fact.Sentence{Form: fact.GoesOn, Text: "{object} goes on to say {new}", Weight: fact.Detail})
	return slices.Concat(valued("attribute"), valued("element"), valued("key"), valued("list-item"), text, []fact.Rule{
		fact.Claim("key-renamed", fact.Declare, "{object} was renamed to {new}"),
		fact.Claim("key-moved", fact.Declare, "{object} was moved[ from {old}][ to {new}]"),
		fact.Claim("key-sets", fact.Detail, "the new {object} sets {new}"),
	})
}
