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
	case e.Moved:
		what, text := t.blockNoun(n), listed(plainText(n.Name+n.Value))
		to := "another place"
		if from, s := e.Old.Up(outline.Section), e.New.Up(outline.Section); from != nil && s != nil && from.Name != s.Name {
			to = where
		}
		t.claim(e, wDocs, "block-moved", "", what+" was moved to "+to).condensed(text, "the blocks "+slot+" were moved to "+to)
	case e.Renamed:
		t.wording(e, wDocs+5, "heading-changed", "", "the heading", plainText(e.Old.Name), plainText(e.New.Name))
	case n.Kind == outline.Item && n.Parent.Kind == outline.Code:
		t.exampleLine(e, where)
	case e.Old != nil && e.New != nil:
		t.blockChanged(e, where)
	default:
		t.blockCame(e, n, where, e.New != nil)
	}
}

func (t *teller) blockNoun(n *outline.Node) string {
	switch n.Kind {
	case outline.Section:
		return "the section " + quote(plainText(n.Name), maxCode)
	case outline.Code:
		return "the code example"
	case outline.Item:
		return "the " + cmp.Or(n.Type, "list item") + " " + quoteText(firstPassage(plainText(n.Value), wordsSaid))
	}
	return "the paragraph " + listed(plainText(n.Value))
}

// blockChanged tells how the text of a block became another.
func (t *teller) blockChanged(e outline.Edit, where string) {
	a, b := e.Old, e.New
	what, rule := "the text", "prose-changed"
	switch b.Kind {
	case outline.Code:
		t.claim(e, wDocs, "example-changed", where, "the language of the code example was changed from "+code(a.Type)+" to "+code(b.Type))
		return
	case outline.Item:
		what, rule = "the "+cmp.Or(b.Type, "list item"), "list-item-changed"
		x, y := headWords.FindStringSubmatch(plainText(a.Value)), headWords.FindStringSubmatch(plainText(b.Value))
		if x != nil && y != nil && x[1] == y[1] && len(strings.Fields(x[1])) <= 4 {
			head := x[1]
			if head[0] != '`' {
				head = quote(head, maxCode)
			}
			what += " on " + head
		}
	}
	x, y := plainText(a.Value), plainText(b.Value)
	if x == y { // only its marks differ, or where a link leads
		x, y = a.Value, b.Value
	}
	t.wording(e, wDocs, rule, where, what, x, y)
}

// texts tells what a text says that came, in at most limit claims.
func (t *teller) texts(e outline.Edit, rule, where, first, subject, text string, limit int) {
	words := wordsSaid
	if where != "" {
		words = min(words, max(8, maxWords-countWords(where)-1-countWords(first)))
	}
	for i, p := range passages(text, words, limit) {
		if i > 0 {
			first, where = subject+" goes on to say ", ""
		}
		t.claim(e, wDocs, rule, where, first+quoteText(p))
	}
}

// exampleLine tells of a line of a code example.
func (t *teller) exampleLine(e outline.Edit, where string) {
	n, noun := cmp.Or(e.New, e.Old), "the code example"
	if n.Parent.Type != "" {
		noun = "the code example in " + code(n.Parent.Type)
	}
	if x := code(n.Value); e.Old != nil && e.New != nil {
		x, y := apart(e.Old.Value, e.New.Value)
		t.claim(e, wDocs, "example-changed", where, noun+" now says "+y+" instead of "+x).condensed(y, noun+" now says "+slot)
	} else {
		tail := " " + verb(e.New != nil) + " " + toFrom(e.New != nil) + " " + noun
		t.claim(e, wDocs, "example-changed", where, x+" was"+tail).condensed(x, slot+" were"+tail)
	}
}

// blockCame tells that a block came or went.
func (t *teller) blockCame(e outline.Edit, n *outline.Node, where string, added bool) {
	v := verb(added)
	text := plainText(n.Value)
	switch {
	case n.Kind == outline.Section:
		what, tail := t.blockNoun(n), ""
		var subs []string
		for _, k := range n.Of(outline.Section) {
			subs = append(subs, quote(plainText(k.Name), maxCode))
		}
		if len(subs) > 0 {
			tail = " with the section" + plurals(subs) + " " + list(subs)
		}
		t.claim(e, wDocs+5, "heading-"+v, "", what+" was "+v+tail).condensed(listed(plainText(n.Name)), "the sections "+slot+" were "+v)
		if added {
			t.sectionSays(n, "the new "+strings.TrimPrefix(what, "the "))
		}
	case n.Kind == outline.Code:
		t.claim(e, wDocs, "example-"+v, where, exampleNoun(n)+" was "+v)
	case n.Kind == outline.Item && text != "":
		noun := cmp.Or(n.Type, "list item")
		t.claim(e, wDocs, "list-item-"+v, where, t.blockNoun(n)+" was "+v).condensed(listed(text), "the "+several(noun)+" "+slot+" were "+v)
	case !strings.ContainsFunc(n.Value, unicode.IsLetter):
	case !strings.ContainsFunc(text, unicode.IsLetter):
		t.claim(e, wDocs, "prose-"+v, where, "the markup "+code(n.Value)+" was "+v)
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
	if len(n.Kids) > 0 {
		s += " that begins with " + code(n.Kids[0].Value)
	}
	return s
}

// maxSectionClaims bounds what is said of what a new section holds.
const maxSectionClaims = 5

// sectionSays tells what a new section holds.
func (t *teller) sectionSays(n *outline.Node, subject string) {
	from := len(t.facts)
	var items []string
	var at *outline.Node
	flush := func() {
		if len(items) > 0 && len(t.facts)-from < maxSectionClaims {
			t.claim(outline.Edit{New: at}, wDocs, "list-added", "", subject+" lists "+listOf(items, 3, "and"))
		}
		items = nil
	}
	budget := 200
	n.Walk(func(k *outline.Node) {
		if budget--; budget < 0 || len(t.facts)-from >= maxSectionClaims || k.Parent.Kind == outline.Code {
			return
		}
		text := plainText(k.Value)
		if k.Kind != outline.Item && k.Kind != outline.Comment || len(items) == 3 {
			flush()
		}
		switch {
		case k.Kind == outline.Paragraph && strings.ContainsFunc(text, unicode.IsLetter):
			t.texts(outline.Edit{New: k}, "prose-added", "", subject+" says ", "it", text, 2)
		case k.Kind == outline.Item && text != "":
			if items = append(items, listed(text)); len(items) == 1 {
				at = k
			}
		case k.Kind == outline.Code:
			t.claim(outline.Edit{New: k}, wDocs, "example-added", "", subject+" has "+exampleNoun(k))
		}
	})
	flush()
}
