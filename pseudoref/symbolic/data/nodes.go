package data

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
)

// The nodes of all formats that are no documents: what has a name and a value, or other
// nodes below it. Only the nouns differ: a key, a step, a property, a column, an element.

// toldSettings are the values of what came that are told.
const toldSettings = 6

// nodeEdit tells what became of a node.
func (t *teller) nodeEdit(e outline.Edit) {
	n := cmp.Or(e.New, e.Old)
	switch {
	case !e.Renamed && t.dependencyEdit(e): // a dependency of another name went and came
	case e.Renamed:
		x, y := phrase.Apart(e.Old.Name, n.Name)
		id := "key-renamed"
		if n.Type != "" { // a selector or a statement is no name
			id = "key-changed"
		}
		t.say(e, id, "", fact.Slots{Form: "exchanged", Object: "the " + t.nounOf(e.Old) + " " + x + t.in(n, " of "), New: y})
	case e.Old != nil && e.New != nil:
		t.nodeChanged(e)
	case n.Kind != outline.Text:
		t.nodeCame(e, n, e.New != nil)
	case !legible(n.Value): // a bracket
	case t.format == outline.HTML || t.format == outline.XML:
		t.say(e, "text-"+fact.Verb(e.New != nil), "", fact.Slots{Form: "single", Object: "the text " + texts.Quoted(n.Value)})
	default:
		t.say(e, "line-"+fact.Verb(e.New != nil), "", fact.Slots{Object: "line"}, phrase.Code(n.Value))
	}
}

// legible tells whether a text has a letter or a digit.
func legible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// subjects begin the IDs of the rules about nodes of a kind: "key-added".
var subjects = map[outline.Kind]string{outline.Key: "key", outline.Item: "list-item", outline.Element: "element", outline.Text: "line"}

// called names a node with its noun: "the service `web`", "the step "Build"", "the key
// `server`". A node without a name is only "the item".
func (t *teller) called(n *outline.Node) string {
	if n.Kind == outline.Element {
		return elementNoun(n, "")
	}
	one := "the " + t.nounOf(n)
	switch {
	case n.Identity == "":
		return one
	case n.Kind == outline.Item && strings.Contains(n.Identity, " "):
		return one + " " + phrase.Quote(n.Identity, phrase.ProseRunes)
	default: // a key, also one with spaces
		return one + " " + phrase.CodeTo(n.Identity, phrase.CodeRunes*3/2)
	}
}

// above names what a node stands in: "`server`", "`resources.limits` of the container `web`", "the service `web`". It
// is empty at the top. What has a noun of its own needs no list around it. A path may begin with some keys.
func (t *teller) above(n *outline.Node, keys ...string) string {
	own, in := t.hasNoun(n), ""
	// The way up ends at the first node with a name of its own.
	for p := n.Parent; p.Kind != outline.Root && in == ""; p = p.Parent {
		switch {
		case p.Kind == outline.Element && n.Type == outline.Attribute:
			in = elementNoun(p, n.Value)
		case p.Kind != outline.Key && p.Identity != "", p.Kind == outline.Element, p.Kind == outline.Key && t.hasNoun(p):
			in = t.called(p)
		case p.Kind == outline.Key && !own: // `server` of `server.hosts`
			keys = append(keys, p.Name)
		}
		own = own && p.Kind != outline.Key
		if p.Loose { // the hunk does not show what is above
			break
		}
	}
	if len(keys) == 0 {
		return in
	}
	keys = slices.Clone(keys[:min(len(keys), 3)]) // further up, a path tells little
	slices.Reverse(keys)
	return phrase.Code(strings.Join(keys, ".")) + phrase.Either(in == "", "", " of "+in)
}

// in is above with a preposition before it, or nothing. What is only known to stand
// somewhere below a heading is said to stand under it.
func (t *teller) in(n *outline.Node, preposition string) string {
	a := t.above(n)
	if a == "" {
		return ""
	}
	return phrase.Either(n.Loose && n.Parent.Heading, " under ", preposition) + a
}

// subject names what has a value: "`spec.replicas`", "the property `color` of the style
// rule `a`". A node with a noun of its own is not named by the keys around it.
func (t *teller) subject(n *outline.Node) string {
	switch {
	case t.hasNoun(n) || n.Kind != outline.Key:
		return t.called(n) + t.in(n, " of ")
	case n.Loose: // no path leads to it
		return phrase.Code(n.Name) + t.in(n, " of ")
	}
	return t.above(n, n.Name)
}

// nodeChanged tells how the value of a node became another.
func (t *teller) nodeChanged(e outline.Edit) {
	a, b := e.Old, e.New
	rule, one, whole := subjects[b.Kind]+"-changed", "the "+t.nounOf(b), t.subject(b)
	x, y := phrase.Apart(a.Value, b.Value)
	wordy := strings.Contains(a.Value+b.Value, "\n") || prose(a.Value) && prose(b.Value) && (b.Type == "" || b.Kind == outline.Item)
	kids := len(a.Kids) + len(b.Kids)
	object := phrase.Either(strings.HasPrefix(whole, "`"), "the value of ", "") + whole
	switch {
	// What is in them tells it.
	case len(a.Kids) > 0 && len(b.Kids) > 0 && b.Kind != outline.Element, b.Kind == outline.Item && kids > 0:
	case b.Kind == outline.Text && b.Parent.Kind == outline.Element:
		t.wording(e, "text-changed", "", "the text of "+phrase.Code("<"+b.Parent.Name+">"), a.Value, b.Value)
	case b.Kind == outline.Text:
		t.wording(e, rule, "", "the line", a.Value, b.Value)
	case b.Kind == outline.Item && wordy:
		t.wording(e, rule, "", one+t.in(b, " of "), a.Value, b.Value)
	case b.Kind == outline.Item:
		t.say(e, rule, "", fact.Slots{Form: "exchanged", Object: one + " " + x + t.in(b, " of "), New: y})
	case b.Kind == outline.Element || wordy:
		t.wording(e, rule, "", "the text of "+whole, a.Value, b.Value)
	case kids > 0: // it had a value, or has one now
		now := phrase.Either(len(b.Kids) > 0, cmp.Or(t.contents(b), "a list"), y)
		t.say(e, rule, "", fact.Slots{Form: "exchanged", Object: object, New: now})
	default:
		t.say(e, rule, "", fact.Slots{Object: object, Old: x, New: y})
	}
}

// prose tells whether a value is a text to be read.
func prose(s string) bool { return strings.Count(s, " ") >= 3 }

// nodeCame tells that a node came or went, and what it holds.
func (t *teller) nodeCame(e outline.Edit, n *outline.Node, added bool) {
	one, called, value, holds := t.nounOf(n), t.called(n), n.Value, t.contents(n)
	s := fact.Slots{Object: one, Detail: t.in(n, " "+phrase.ToFrom(added)+" ")}
	names := []string{strings.TrimPrefix(called, "the "+one+" ")}
	if n.Kind == outline.Item { // what identifies it is its name: {name: DEBUG, value: "1"}
		value = n.Get("value")
	}
	shown := quotable(n, value) && (n.Type != "" || !prose(value))
	if n.Kind != outline.Item && added && holds != "" {
		s.Detail += " with " + holds
	}
	switch {
	case called == "the "+one && holds == "": // "an item was added" says nothing
		return
	case called == "the "+one:
		s.Form, s.Object, names = "single", phrase.An(one)+" with "+holds, nil
	case n.Kind == outline.Element, n.Kind == outline.Item && n.Type != "" && strings.Contains(n.Value, " "): // a statement is no name
		s.Form, s.Object, names = "single", called, nil
	case shown && added:
		s.New = phrase.Code(value)
	case shown && n.Kind == outline.Key && len(value) <= phrase.CodeRunes: // "the key `x`, which was `1`, was removed"
		s.Form, s.Object, s.Old, names = "single", called, phrase.Code(value), nil
	}
	rule := subjects[n.Kind] + "-" + fact.Verb(added)
	f := t.say(e, rule, "", s, names...)
	if t.hasNoun(n) { // a service weighs more than any key
		f.Weight = fact.Declare
	}
	all, _ := textsOf(n)
	switch text := strings.Join(all, " "); {
	case added && n.Kind == outline.Element && len(text) > phrase.CodeRunes: // its name does not show the whole text
		t.say(e, "text-added", "", fact.Slots{Form: "single", Object: "the text " + texts.Quoted(text)})
	case added && n.Kind != outline.Element && s.New == "":
		t.settings(n, strings.TrimPrefix(called, "the "))
	}
}

// contents says what is under a node: "the keys `a` and `b`", "the items `x` and `y`". It
// is empty where nothing there has a name.
func (t *teller) contents(n *outline.Node) string {
	noun := ""
	var names []string
	for _, k := range n.Kids {
		if k.Kind != outline.Key && k.Kind != outline.Item || k.Type == outline.Attribute && k.Value == n.Identity {
			continue // the claim names an element by it
		}
		one := t.nounOf(k)
		noun = cmp.Or(noun, one)
		if name := k.Identity; name != "" && noun == one {
			names = append(names, phrase.Code(name))
		}
	}
	names = phrase.Uniq(names)
	switch {
	case len(names) == 0:
		return ""
	// A single value is shorter to tell than that there is one.
	case len(n.Kids) == 1 && n.Kids[0].Kind == outline.Key && quotable(n.Kids[0], n.Kids[0].Value):
		return names[0] + " set to " + phrase.Code(n.Kids[0].Value)
	}
	return "the " + phrase.Many(len(names), noun) + " " + phrase.List(names)
}

// settings says which values the keys below a node that came have, two in a claim. A single
// one is told as what is under the node.
func (t *teller) settings(n *outline.Node, of string) {
	var sets []string
	for _, k := range n.Kids {
		if k.Kind == outline.Key && quotable(k, k.Value) && k.Value != n.Identity && len(n.Kids) > 1 {
			v := phrase.Either(prose(k.Value), phrase.QuoteText(phrase.FirstPassage(k.Value, 8)), phrase.CodeTo(k.Value, phrase.CodeRunes*3/2))
			sets = append(sets, phrase.Code(k.Name)+" to "+v)
		}
	}
	for two := range slices.Chunk(sets[:min(len(sets), toldSettings)], 2) {
		t.say(outline.Edit{New: n}, "key-sets", "", fact.Slots{Object: of, New: phrase.List(two)})
	}
}

// elementNoun names an element by what tells it from others: "the `<a>` element "Start"".
// A value that the claim is about does not.
func elementNoun(n *outline.Node, except string) string {
	s := "the `<" + n.Name + ">` element"
	all, flat := textsOf(n)
	told := n.Identity != "" && n.Identity != except
	switch few := len(all) == 1 || len(all) == 2; { // the first of many tells nothing
	case few && (flat || !told):
		return s + " " + phrase.Quote(all[0], phrase.CodeRunes)
	case told:
		return s + " " + phrase.Code(n.Identity)
	}
	return s
}

// textsOf are the texts among the first nodes in an element, in order, and whether there are no elements among these.
func textsOf(n *outline.Node) (all []string, flat bool) {
	flat = true
	limit := limits.NamingNodes
	n.Walk(func(k *outline.Node) bool {
		if k.Kind == outline.Text {
			all = append(all, k.Value)
		}
		flat = flat && (k == n || k.Kind != outline.Element)
		limit--
		return limit > 0
	})
	return all, flat
}

var (
	secretKey = regexp.MustCompile(`(?i)(?:^|[_.-])(?:password|passwd|pwd|secret|api_?key|access_?key|(?:auth_?)?token|` +
		`private_?key|secret_?key)s?$|(?:Password|Secret|ApiKey|AccessKey|Token|PrivateKey)$`)
	placeholder = regexp.MustCompile(`(?i)^(?:[$<*!%@#/]|\{\{|x{3,}|\.\.\.|https?:|null$|none$|true$|false$|` +
		`your|example|dummy|test|change|replace|todo|file:|env|enc\[|arn:|secrets?[./])|^\d{1,4}$| `)
)

// quotable tells whether a claim about a new or removed node may quote its value: no secret, and one line only.
func quotable(n *outline.Node, value string) bool {
	secret := len(value) >= 6 && secretKey.MatchString(n.Identity) && !placeholder.MatchString(value)
	return value != "" && !secret && !strings.Contains(value, "\n")
}

// nodeRules are the rules about what is no document.
func nodeRules() []fact.Rule {
	lists := slices.Concat(fact.Listed("element"), fact.Listed("key"), fact.Listed("list-item"), fact.Listed("text"))
	return slices.Concat(fact.Listed("attribute")[:2], lists, []fact.Rule{
		fact.Claim("key-renamed", fact.Declare, "{object} was renamed to {new}"),
		fact.Claim("key-sets", fact.Detail, "the new {object} sets {new}"),
	})
}
