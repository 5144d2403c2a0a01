package symbolic

import (
	"cmp"
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// Documents: Markdown.

const (
	listedWords = 6         // of a text among others
	wDocs       = wText + 5 // documents rank above comments in code
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
	return quote(firstPassage(s, listedWords), maxProse)
}

// documentEdit tells what became of a section or a block.
func (t *teller) documentEdit(e outline.Edit) {
	n := cmp.Or(e.New, e.Old)
	where := ""
	if s := n.Up(outline.Section); s != nil {
		where = "the section " + quote(plainText(s.Name), maxCode)
	}
	switch {
	case e.Renamed:
		t.wording(e, wDocs+5, "heading-changed", "", "the heading", plainText(e.Old.Name), plainText(e.New.Name))
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
			what += " on " + quoteText(p[1])
		}
	}
	if x == y { // only its marks differ, or where a link leads
		x, y = a.Value, b.Value
	}
	t.wording(e, wDocs, rule, where, what, x, y)
}

// texts tells what a text says that came, in at most limit claims.
func (t *teller) texts(e outline.Edit, rule, where, first, subject, text string, limit int) {
	for i, p := range passages(text, wordsSaid, limit) {
		if i > 0 {
			first, where = subject+" goes on to say ", ""
		}
		t.claim(e, wDocs, rule, where, first+quoteText(p))
	}
}

// blockCame tells that a block came or went.
func (t *teller) blockCame(e outline.Edit, n *outline.Node, where string, added bool) {
	v := verb(added)
	text := plainText(n.Value)
	switch {
	case n.Kind == outline.Section:
		name := quote(plainText(n.Name), maxCode)
		t.claim(e, wDocs+5, "heading-"+v, "", "the section "+name+" was "+v).named("section", name)
		if added {
			t.sectionSays(n, "the new section "+name)
		}
	case n.Kind == outline.Code:
		t.claim(e, wDocs, "example-"+v, where, exampleNoun(n)+" was "+v)
	case n.Kind == outline.Item && text != "":
		t.claim(e, wDocs, "list-item-"+v, where, "the "+cmp.Or(n.Type, "list item")+" "+quoteText(firstPassage(text, wordsSaid))+" was "+v)
	case !strings.ContainsFunc(text, unicode.IsLetter): // nothing to be read
	case added:
		t.texts(e, "prose-added", where, "a paragraph was added that says ", "the new paragraph", text, 3)
	default:
		t.texts(e, "prose-removed", where, "a paragraph was removed that said ", "", text, 1)
	}
}

// exampleNoun is a code example with its first line.
func exampleNoun(n *outline.Node) string {
	s := "a code example"
	if n.Type != "" {
		s += " in " + code(n.Type)
	}
	if first, _, _ := strings.Cut(n.Value, "\n"); first != "" {
		s += " that begins with " + code(first)
	}
	return s
}

// maxSectionClaims bounds what is said of what a new section holds.
const maxSectionClaims = 8

// sectionSays tells what a new section holds. The items of its lists are said together.
func (t *teller) sectionSays(n *outline.Node, subject string) {
	from := len(t.facts)
	n.Walk(func(k *outline.Node) {
		text := plainText(k.Value)
		switch e := (outline.Edit{New: k}); {
		case len(t.facts)-from >= maxSectionClaims, !strings.ContainsFunc(text, unicode.IsLetter):
		case k.Kind == outline.Paragraph:
			t.texts(e, "prose-added", "", subject+" says ", "it", text, 2)
		case k.Kind == outline.Item:
			f := t.claim(e, wDocs, "list-added", "", subject+" lists "+slot)
			f.many, f.names = f.what, []string{listed(text)}
		case k.Kind == outline.Code:
			t.claim(e, wDocs, "example-added", "", subject+" has "+exampleNoun(k))
		}
	})
}
