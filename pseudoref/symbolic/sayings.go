package symbolic

import (
	"strings"
	"unicode"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Phrases for expressions that are too long to be quoted: a quotation that is cut
// loses what matters, which mostly stands at the end.

// fallbacks are the operators whose right side is used where the left is missing.
var fallbacks = map[string]bool{"||": true, "??": true, "?:": true, "or": true}

// phrase says what a long expression is, or "" where nothing better is known than
// its text.
func phrase(n tree.Node) string {
	k := n.NamedKids()
	switch n.Role() {
	case syntax.Binary:
		if len(k) != 2 {
			return ""
		}
		op := tree.Operator(n)
		if boolean(n, 0) {
			return "whether " + holds(n)
		}
		switch {
		case fallbacks[op] && n.Traits().CallWord == "":
			var out []string
			for _, x := range treediff.Flatten(n, op) {
				out = append(out, say(x))
			}
			if len(out) == 2 {
				return out[0] + " or, failing that, " + out[1]
			}
			return "the first of " + list(out) + " that is set"
		case op == "+" || op == ".":
			return sum(n, op)
		case op == "%" && k[0].Is(syntax.String):
			var out []string
			for _, v := range values(k[1]) {
				out = append(out, say(v))
			}
			return "the text " + quote(tree.Unquoted(k[0].Text()), shortCode) + " filled with " + list(out)
		}
	case syntax.Unary:
		if len(k) == 1 && boolean(n, 0) {
			return "whether " + holds(n)
		}
	case syntax.Index:
		if len(k) == 2 && k[0].Size()+k[1].Size() > maxCode {
			return "the entry " + say(k[1]) + " of " + say(k[0])
		}
	case syntax.Member:
		if len(k) == 2 && k[0].Is(syntax.Call, syntax.Index, syntax.Await) && k[1].Is(syntax.Identifier) {
			return code(k[1].Text()) + " of " + say(k[0])
		}
	}
	return ""
}

// sum says what a sum or a text is made of, where some of it is text.
func sum(n tree.Node, op string) string {
	terms := treediff.Flatten(n, op)
	texts := 0
	var out []string
	for _, t := range terms {
		if tree.Strip(t).Is(syntax.String) {
			texts++
			if !worded(tree.Unquoted(t.Text())) {
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

// wordKinds are the kinds of nodes that are the words of a text.
var wordKinds = regexp.MustCompile(`content|escape|fragment|string`)

// filled says what is put into a long text with values in it, or "".
func filled(n tree.Node) string {
	var in []string
	words := ""
	for _, k := range n.NamedKids() {
		if k.Is(syntax.String) || wordKinds.MatchString(k.Kind()) {
			continue
		}
		if len(in) == 0 {
			words = strings.TrimRight(strings.Trim(string(n.Src[n.Start():k.Start()]), "fFrR\"'` "), "${# ")
		}
		if x := k.NamedKids(); len(x) > 0 && !k.Is(syntax.Identifier, syntax.Member, syntax.Index, syntax.Call) {
			k = x[0]
		}
		in = append(in, say(k))
	}
	switch in = uniq(in); {
	case len(in) == 0 || n.Size() <= maxCode:
		return ""
	case !worded(words):
		return "a text made of " + list(in)
	}
	return quote(words, maxCode*3/4) + " with " + list(in) + " in it"
}
