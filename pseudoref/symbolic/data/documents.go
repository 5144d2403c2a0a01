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
)

// Documents: Markdown.

const (
	listedWords   = 6             // of a text among others
	docsWeight    = fact.Text + 5 // documents rank above comments in code
	headingWeight = docsWeight + 5
)

var (
	mdLink   = regexp.MustCompile(`(!?)\[([^\[\]]*)\]\(\s*([^()\s]+(?:\([^()\s]*\))?)[^()]*\)`)
	mdHalf   = regexp.MustCompile(`!?\[([^\[\]]+)\]\((?:\s|$)`) // its target is not there
	checkBox = regexp.MustCompile(`^\[[ xX]\]\s+`)
	mdRef    = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`)
	mdStars  = regexp.MustCompile("\\*{1,3}([^*`]+)\\*{1,3}")
	mdUnders = regexp.MustCompile("(^|[\\s(])_{1,3}([^_`]+)_{1,3}($|[\\s).,:;!?])")
	altText  = regexp.MustCompile(`<img\b[^<>]*?\balt\s*=\s*"([^"]*)"[^<>]*>?`)
	htmlTag  = regexp.MustCompile(`</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>|<[A-Za-z][\w.-]*\s[^<>]*$`)
	// headWords are what an item of a list begins with and is about.
	headWords = regexp.MustCompile("^(`[^`]+`|[\\pL\\d][\\pL\\d ./_-]{1,30}?)(?:\\s+[-–—]\\s|:\\s|,\\s)")
)

// plainText takes the marks out of a text. Code is left as it is.
func plainText(s string) string {
	s = checkBox.ReplaceAllString(s, "")
	s = mdHalf.ReplaceAllString(mdRef.ReplaceAllString(mdLink.ReplaceAllString(s, "$2"), "$1"), "$1 ")
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 { // outside of backticks
		p := htmlTag.ReplaceAllString(altText.ReplaceAllString(parts[i], "$1"), " ")
		parts[i] = mdUnders.ReplaceAllString(mdStars.ReplaceAllString(p, "$1"), "$1$2$3")
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(strings.Join(parts, "`")), " "), ".")
}

// listed is a text among others.
func listed(s string) string {
	return phrase.Quote(phrase.FirstPassage(s, listedWords), phrase.MaxProse)
}

// documentEdit tells what became of a section or a block.
func (t *teller) documentEdit(e outline.Edit) {
	n := cmp.Or(e.New, e.Old)
	where := ""
	if s := n.Up(outline.Section); s != nil {
		where = "the section " + phrase.Quote(plainText(s.Name), phrase.MaxCode)
	}
	switch {
	case e.Renamed:
		t.wording(e, "heading-changed", "", "the heading", plainText(e.Old.Name), plainText(e.New.Name))
	case e.Old != nil && e.New != nil:
		t.blockChanged(e, where)
	default:
		t.blockCame(e, n, where, e.New != nil)
	}
}

// blockChanged tells how the text of a block became another.
func (t *teller) blockChanged(e outline.Edit, where string) {
	a, b := e.Old, e.New
	what, rule, x, y := "the text", "prose-changed", plainText(a.Value), plainText(b.Value)
	switch b.Kind {
	case outline.Code:
		what, rule, x, y = "the code example", "example-changed", a.Value, b.Value
	case outline.Item:
		what, rule = "the "+cmp.Or(b.Type, "list item"), "list-item-changed"
		if p, q := headWords.FindStringSubmatch(x), headWords.FindStringSubmatch(y); p != nil && q != nil && p[1] == q[1] {
			what += " on " + phrase.QuoteText(p[1])
		}
	}
	if x == y { // only its marks differ, or where a link leads
		x, y = a.Value, b.Value
	}
	t.wording(e, rule, where, what, x, y)
}

// texts tells what a text says that came, in at most limit facts, the first of them as s.
func (t *teller) texts(e outline.Edit, where string, s fact.Slots, object, text string, limit int) {
	for i, s := range texts.GoesOn(s, object, text, limit) {
		t.say(e, "prose-added", phrase.Either(i == 0, where, ""), s)
	}
}

// blockCame tells that a block came or went.
func (t *teller) blockCame(e outline.Edit, n *outline.Node, where string, added bool) {
	v := fact.Verb(added)
	text := plainText(n.Value)
	switch {
	case n.Kind == outline.Section:
		name := phrase.Quote(plainText(n.Name), phrase.MaxCode)
		t.say(e, "heading-"+v, "", fact.Slots{}, name)
		if added {
			t.sectionSays(n, "the new section "+name)
		}
	case n.Kind == outline.Code:
		t.say(e, "example-"+v, where, fact.Slots{Object: exampleNoun(n)})
	case n.Kind == outline.Item && text != "":
		one := "the " + cmp.Or(n.Type, "list item") + " " + phrase.QuoteText(phrase.FirstPassage(text, texts.WordsSaid))
		t.say(e, "list-item-"+v, where, fact.Slots{Form: "single", Object: one})
	case !strings.ContainsFunc(text, unicode.IsLetter): // nothing to be read
	case added:
		t.texts(e, where, fact.Slots{}, "the new paragraph", text, 3)
	default:
		for _, p := range phrase.Passages(text, texts.WordsSaid, 1) {
			t.say(e, "prose-removed", where, fact.Slots{Old: phrase.QuoteText(p)})
		}
	}
}

// exampleNoun is a code example with its first line.
func exampleNoun(n *outline.Node) string {
	s := "a code example"
	if n.Type != "" {
		s += " in " + phrase.Code(n.Type)
	}
	if first, _, _ := strings.Cut(n.Value, "\n"); first != "" {
		s += " that begins with " + phrase.Code(first)
	}
	return s
}

// maxSectionClaims bounds what is said of what a new section holds.
const maxSectionClaims = 8

// sectionSays tells what a new section holds. The items of its lists are said together.
func (t *teller) sectionSays(n *outline.Node, subject string) {
	from := len(t.Facts)
	n.Walk(func(k *outline.Node) {
		text := plainText(k.Value)
		switch e := (outline.Edit{New: k}); {
		case len(t.Facts)-from >= maxSectionClaims, !strings.ContainsFunc(text, unicode.IsLetter):
		case k.Kind == outline.Paragraph:
			t.texts(e, "", fact.Slots{Form: "section", Object: subject}, "it", text, 2)
		case k.Kind == outline.Item:
			t.say(e, "list-added", "", fact.Slots{Object: subject}, listed(text))
		case k.Kind == outline.Code:
			t.say(e, "example-added", "", fact.Slots{Form: "section", Object: exampleNoun(k), Of: subject})
		}
	})
}

func documentRules() []fact.Rule {
	return slices.Concat(
		fact.Both("example", docsWeight, "{object} was {added}", fact.Sentence{Form: "section", Text: "{of} has {object}"}),
		fact.Reworded("example", docsWeight),
		fact.Both("heading", headingWeight, "the section{|s} {names} {was|were} {added}"),
		fact.Reworded("heading", headingWeight),
		fact.Reworded("prose", fact.Value),
		[]fact.Rule{
			fact.Claim("list-added", docsWeight, "{object} lists {names}"),
			fact.Claim("prose-added", fact.Value, "a paragraph was added that says {new}").Or("section", "{object} says {new}").
				Or(fact.GoesOn, "{object} goes on to say {new}").Or("line", "text saying {detail} was added"),
			fact.Claim("prose-removed", fact.Value, "a paragraph was removed that said {old}").Or("line", "text saying {detail} was removed"),
		})
}
