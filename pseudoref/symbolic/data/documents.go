package data

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
)

// Documents: Markdown.

const (
	listedWords   = 6              // of a text among others
	docsWeight    = fact.Text + 5  // documents rank above comments in code
	headingWeight = docsWeight + 5 // the name of a section tells most

	sectionClaims = 8 // of what a new section holds
)

var (
	mdLink   = regexp.MustCompile(`(!?)\[([^\[\]]*)\]\(\s*([^()\s]+(?:\([^()\s]*\))?)[^()]*\)`)
	mdHalf   = regexp.MustCompile(`!?\[([^\[\]]+)\]\((?:\s|$)`) // its target is not there
	mdRef    = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`)
	mdStars  = regexp.MustCompile("\\*{1,3}([^*`]+)\\*{1,3}")
	mdUnders = regexp.MustCompile("(^|[\\s(])_{1,3}([^_`]+)_{1,3}($|[\\s).,:;!?])")
	htmlTag  = regexp.MustCompile(`</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>|<[A-Za-z][\w.-]*\s[^<>]*$`)
)

// plainText takes the marks out of a text. Code is left as it is.
func plainText(s string) string {
	s = mdHalf.ReplaceAllString(mdRef.ReplaceAllString(mdLink.ReplaceAllString(s, "$2"), "$1"), "$1 ")
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 { // outside of backticks
		p := htmlTag.ReplaceAllString(parts[i], " ")
		parts[i] = mdUnders.ReplaceAllString(mdStars.ReplaceAllString(p, "$1"), "$1$2$3")
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(strings.Join(parts, "`")), " "), ".")
}

// documentEdit tells what became of a section or a block. The section around it is its place.
func (t *teller) documentEdit(e outline.Edit) {
	n := cmp.Or(e.New, e.Old)
	around := n.Parent
	for around.Kind != outline.Section && around.Kind != outline.Root {
		around = around.Parent
	}
	where := phrase.Either(around.Kind == outline.Section, t.block(around), "")
	what, rule := "the text", "prose-changed"
	switch {
	case e.Renamed:
		t.wording(e, "heading-changed", "", "the heading", plainText(e.Old.Name), plainText(n.Name))
		return
	case e.Old == nil || e.New == nil:
		t.blockCame(e, where)
		return
	case n.Kind == outline.Code:
		what = "the code example"
	case n.Kind == outline.Item:
		what, rule = "the "+cmp.Or(n.Type, "list item"), "list-item-changed"
	}
	x, y := plainText(e.Old.Value), plainText(n.Value)
	if x == y || n.Kind == outline.Code { // only its marks differ, or where a link leads
		x, y = e.Old.Value, n.Value
	}
	t.wording(e, rule, where, what, x, y)
}

// block names a block: "the section "Usage"", "the list item "Lid"".
func (t *teller) block(n *outline.Node) string {
	switch n.Kind {
	case outline.Section:
		return "the section " + phrase.Quote(plainText(n.Name), phrase.CodeRunes)
	case outline.Code:
		first, _, _ := strings.Cut(n.Value, "\n")
		return "a code example" + phrase.Either(first == "", "", " that begins with "+phrase.Code(first))
	}
	return "the " + cmp.Or(n.Type, "list item") + " " + texts.Quoted(plainText(n.Value))
}

// blockCame tells that a block came or went, where the section around it is its place. A new
// section is told by its heading and by what it says, because a review speaks of both.
func (t *teller) blockCame(e outline.Edit, where string) {
	n, added := cmp.Or(e.New, e.Old), e.New != nil
	v, text := fact.Verb(added), plainText(n.Value)
	switch {
	case n.Kind == outline.Section:
		name := strings.TrimPrefix(t.block(n), "the section ")
		t.say(e, "heading-"+v, "", fact.Slots{}, name)
		from := len(t.Facts)
		n.Walk(func(k *outline.Node) bool {
			if added && k.Kind != outline.Section {
				t.sectionSays(k, "the new section "+name)
			}
			return len(t.Facts)-from < sectionClaims
		})
	case n.Kind == outline.Code:
		t.say(e, "prose-"+v, where, fact.Slots{Form: "example", Object: t.block(n)})
	case !legible(text):
	case n.Kind == outline.Item:
		t.say(e, "list-item-"+v, where, fact.Slots{Form: "single", Object: t.block(n)})
	case added: // a long paragraph says up to three things
		for _, s := range texts.GoesOn(fact.Slots{}, "the new paragraph", text, 3) {
			t.say(e, "prose-added", phrase.Either(s.Form == "", where, ""), s)
		}
	default:
		t.say(e, "prose-removed", where, fact.Slots{Old: texts.Quoted(text)})
	}
}

// sectionSays tells what a block of a new section says. The items of its lists are said
// together, because they are merged as names.
func (t *teller) sectionSays(n *outline.Node, section string) {
	text, e := plainText(n.Value), outline.Edit{New: n}
	switch {
	case !legible(text):
	case n.Kind == outline.Paragraph:
		for _, s := range texts.GoesOn(fact.Slots{Form: "section", Object: section}, "it", text, 2) {
			t.say(e, "prose-added", "", s)
		}
	case n.Kind == outline.Item:
		item := phrase.Quote(phrase.FirstPassage(text, listedWords), phrase.ProseRunes)
		t.say(e, "list-added", "", fact.Slots{Object: section}, item)
	case n.Kind == outline.Code:
		t.say(e, "prose-added", "", fact.Slots{Form: "section example", Object: t.block(n), Of: section})
	}
}

// documentRules are the rules about sections and blocks.
func documentRules() []fact.Rule {
	return slices.Concat(
		fact.Both("heading", headingWeight, "the section{|s} {names} {was|were} {added}"),
		fact.Reworded("heading", headingWeight),
		fact.Reworded("prose", fact.Value),
		[]fact.Rule{
			fact.Claim("list-added", docsWeight, "{object} lists {names}"),
			fact.Claim("prose-added", fact.Value, "a paragraph was added that says {new}").Or("section", "{object} says {new}").
				Or(fact.GoesOn, "{object} goes on to say {new}").Or("line", "text saying {detail} was added").
				Or("example", "{object} was added").Or("section example", "{of} has {object}"),
			fact.Claim("prose-removed", fact.Value, "a paragraph was removed that said {old}").
				Or("line", "text saying {detail} was removed").
				Or("example", "{object} was removed"),
		})
}
