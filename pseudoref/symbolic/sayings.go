package symbolic

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/internal/syntax"
)

// Phrases for expressions that are too long to be quoted: a quotation that is cut
// loses what matters, which mostly stands at the end.

// fallbacks are the operators whose right side is used where the left is missing.
var fallbacks = map[string]bool{"||": true, "??": true, "?:": true, "or": true}

// phrase says what a long expression is, or "" where nothing better is known than
// its text.
func phrase(n item) string {
	k := n.namedKids()
	switch n.role() {
	case syntax.Binary:
		if len(k) != 2 {
			return ""
		}
		op := operator(n)
		if boolean(n, 0) {
			return "whether " + holds(n)
		}
		switch {
		case fallbacks[op] && n.traits().CallWord == "":
			var out []string
			for _, x := range flatten(n, op) {
				out = append(out, say(x))
			}
			if len(out) == 2 {
				return out[0] + " or, failing that, " + out[1]
			}
			return "the first of " + list(out) + " that is set"
		case op == "+" || op == ".":
			return sum(n, op)
		case op == "%" && k[0].is(syntax.String):
			var out []string
			for _, v := range values(k[1]) {
				out = append(out, say(v))
			}
			return "the text " + quote(unquoted(k[0].text()), shortCode) + " filled with " + list(out)
		}
	case syntax.Unary:
		if len(k) == 1 && boolean(n, 0) {
			return "whether " + holds(n)
		}
	case syntax.Index:
		if len(k) == 2 && k[0].size()+k[1].size() > maxCode {
			return "the entry " + say(k[1]) + " of " + say(k[0])
		}
	case syntax.Member:
		if len(k) == 2 && k[0].is(syntax.Call, syntax.Index, syntax.Await) && k[1].is(syntax.Identifier) {
			return code(k[1].text()) + " of " + say(k[0])
		}
	}
	return ""
}

// sum says what a sum or a text is made of, where some of it is text.
func sum(n item, op string) string {
	terms := flatten(n, op)
	texts := 0
	var out []string
	for _, t := range terms {
		if strip(t).is(syntax.String) {
			texts++
			if !worded(unquoted(t.text())) {
				continue
			}
		}
		out = append(out, say(t))
	}
	if texts == 0 || len(out) == 0 {
		return ""
	}
	return "a text made of " + list(out)
}

// worded tells whether there is a letter in a text.
func worded(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// filled says what is put into a long text with values in it, or "".
func filled(n item) string {
	text := unquoted(n.text())
	if utf8.RuneCountInString(oneLine(text)) <= maxCode {
		return ""
	}
	var in []string
	var rest strings.Builder
	at := n.node().start
	for _, k := range n.namedKids() {
		if k.is(syntax.String) || strings.Contains(k.kind(), "content") || strings.Contains(k.kind(), "escape") || strings.Contains(k.kind(), "fragment") || strings.Contains(k.kind(), "string") {
			continue
		}
		v := k
		if x := k.namedKids(); len(x) > 0 && !k.is(syntax.Identifier, syntax.Member, syntax.Index, syntax.Call) {
			v = x[0]
		}
		rest.Write(n.src[at:k.node().start])
		at = k.node().end
		in = append(in, say(v))
	}
	if in = uniq(in); len(in) == 0 {
		return ""
	}
	rest.Write(n.src[at:n.node().end])
	if !worded(unquoted(rest.String())) {
		return "a text made of " + list(in)
	}
	words := oneLine(text)
	for _, mark := range []string{"${", "#{", "{", "$"} {
		if i := strings.Index(words, mark); i >= 0 && worded(words[:i]) {
			words = words[:i]
			break
		}
	}
	if len(words) > maxCode || !worded(words) {
		words = strings.TrimSpace(words)
	}
	return quote(strings.TrimSpace(words), maxCode*3/4) + " with " + list(in) + " in it"
}
