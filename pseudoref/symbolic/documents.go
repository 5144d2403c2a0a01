package symbolic

import (
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// Documents: Markdown.

// maxListed is the length of a quoted text among others, and listedWords that
// of an item of a list among others.
const (
	maxListed   = maxCode * 3 / 4
	listedWords = 6
)

// wDocs ranks what is said of documents above comments in code.
const wDocs = wText + 5

var (
	mdLink   = regexp.MustCompile(`(!?)\[([^\[\]]*)\]\(\s*([^()\s]+(?:\([^()\s]*\))?)[^()]*\)`)
	mdHalf   = regexp.MustCompile(`!?\[([^\[\]]+)\]\((?:\s|$)`) // its target is not there
	checkBox = regexp.MustCompile(`^\[[ xX]\]\s+`)
	mdRef    = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`)
	mdDef    = regexp.MustCompile(`^\[([^\[\]]+)\]:\s*(\S+)`)
	mdStars  = regexp.MustCompile("\\*{1,3}([^*`]+)\\*{1,3}")
	mdUnders = regexp.MustCompile("(^|[\\s(])_{1,3}([^_`]+)_{1,3}($|[\\s).,:;!?])")
	altText  = regexp.MustCompile(`<img\b[^<>]*?\balt\s*=\s*"([^"]*)"[^<>]*>?`)
	htmlTag  = regexp.MustCompile(`</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>`)
	htmlOpen = regexp.MustCompile(`<[A-Za-z][\w.-]*\s[^<>]*$`)
)

// documentEdit tells what became of a section or a block.
func (t *teller) documentEdit(e outline.Edit) {
	n := e.New
	if n == nil {
		n = e.Old
	}
	where := ""
	if s := n.Up(outline.Section); s != nil {
		where = "the section " + quote(plainText(s.Name), maxCode)
	}
	switch {
	case n.Kind == outline.Key:
		t.keyEdit(e)
	case e.Moved:
		what := t.blockNoun(n)
		from, to := e.Old.Up(outline.Section), e.New.Up(outline.Section)
		if from != nil && to != nil && from.Name != to.Name {
			t.claim(e, wDocs, "block-moved", "", what+" was moved from the section "+quote(from.Name, maxCode)+" to "+quote(to.Name, maxCode)).
				condensed(quote(blockText(n), maxCode/2), "the blocks "+slot+" were moved to the section "+quote(to.Name, maxCode))
		} else {
			t.claim(e, wDocs, "block-moved", "", what+" was moved to another place").condensed(quote(blockText(n), maxCode/2), "the blocks "+slot+" were moved to another place")
		}
	case e.Renamed:
		from, to := plainText(e.Old.Name), plainText(e.New.Name)
		if max(len(from), len(to)) > maxCode || misspelt(from, to) {
			t.wording(e, wDocs+5, "heading-changed", "", "the heading", from, to)
			return
		}
		t.claim(e, wDocs+5, "heading-changed", "", "the heading "+quote(from, maxCode)+" was changed to "+quote(to, maxCode))
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
		return "the list item " + quote(plainText(n.Value), maxListed)
	case outline.Row:
		return "the table row for " + quote(plainText(n.Kids[0].Value), maxListed)
	}
	return "the paragraph " + quote(plainText(n.Value), maxCode)
}

// reheaded joins a heading that went with the one that came in its place, where
// nothing is known to stand below them.
func reheaded(edits []outline.Edit) []outline.Edit {
	out := edits[:0:0]
	for i := 0; i < len(edits); i++ {
		if e := edits[i]; i+1 < len(edits) && e.New == nil && e.Around == nil && e.Old.Kind == outline.Section && len(e.Old.Kids) == 0 {
			if f := edits[i+1]; f.Old == nil && f.Around == nil && f.New.Kind == outline.Section && len(f.New.Kids) == 0 {
				out = append(out, outline.Edit{Old: e.Old, New: f.New, Renamed: true})
				i++
				continue
			}
		}
		out = append(out, edits[i])
	}
	return out
}

// blockText is the first text of a block.
func blockText(n *outline.Node) string {
	for len(n.Kids) > 0 && n.Value == "" && n.Name == "" {
		n = n.Kids[0]
	}
	return plainText(n.Name + n.Value)
}

// plainText takes the marks out of a text. Code is left as it is.
func plainText(s string) string {
	s = checkBox.ReplaceAllString(s, "")
	s = mdHalf.ReplaceAllString(mdRef.ReplaceAllString(mdLink.ReplaceAllString(s, "$2"), "$1"), "$1 ")
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 { // outside of backticks
		p := altText.ReplaceAllString(parts[i], "$1")
		p = htmlOpen.ReplaceAllString(htmlTag.ReplaceAllString(p, " "), " ")
		parts[i] = mdUnders.ReplaceAllString(mdStars.ReplaceAllString(p, "$1"), "$1$2$3")
	}
	return strings.TrimSuffix(strings.Join(strings.Fields(strings.Join(parts, "`")), " "), ".")
}

func (t *teller) blockChanged(e outline.Edit, where string) {
	a, b := e.Old, e.New
	if b.Kind == outline.Item && b.Parent.Kind == outline.Code {
		t.exampleLine(e, where)
		return
	}
	if b.Kind == outline.Row {
		t.rowChanged(e, where)
		return
	}
	if b.Kind == outline.Code {
		t.claim(e, wDocs, "example-changed", where, "the language of the code example was changed from "+code(a.Type)+" to "+code(b.Type))
		return
	}
	if t.links(e, a.Value, b.Value, where) {
		return
	}
	what := "the text"
	switch b.Kind {
	case outline.Item:
		what = "the list item"
		if head := headOf(plainText(b.Value)); head != "" && head == headOf(plainText(a.Value)) {
			what += " on " + head
		}
	case outline.Text:
		what = "a table cell"
	}
	rule := "prose-changed"
	if b.Kind == outline.Item {
		rule = "list-item-changed"
	}
	x, y := plainText(a.Value), plainText(b.Value)
	if old, now := mdRef.FindAllString(a.Value, 50), mdRef.FindAllString(b.Value, 50); x == y && len(old) != len(now) {
		diff := append(missing(now, old), missing(old, now)...)
		t.claim(e, wDocs, "link-"+verb(len(now) > len(old)), where, "the link"+plurals(diff)+" "+list(codes(diff))+was(diff)+" "+verb(len(now) > len(old)))
		return
	}
	if x == y {
		t.claim(e, wFormat, "formatting-only", where, "only the marks in "+what+" "+quote(x, maxCode)+" were changed")
		return
	}
	t.wording(e, wDocs, rule, where, what, x, y)
}

// headWords are what an item of a list begins with and is about.
var headWords = regexp.MustCompile("^(`[^`]+`|[\\pL\\d][\\pL\\d ./_-]{1,30}?)(?:\\s+[-–—]\\s|:\\s|,\\s)")

// headOf quotes them, or is empty.
func headOf(s string) string {
	m := headWords.FindStringSubmatch(s)
	switch {
	case m == nil || len(strings.Fields(m[1])) > 4:
		return ""
	case m[1][0] == '`':
		return m[1]
	}
	return quote(m[1], maxListed)
}

// texts tells what a text says that came, in at most limit claims.
func (t *teller) texts(e outline.Edit, rule, where, first, subject, text string, limit int) {
	words := wordsSaid
	if where != "" {
		words = min(words, max(8, maxWords-countWords(where)-1-countWords(first)))
	}
	for i, p := range passagesOf(text, words, wordsSaid, limit) {
		if i > 0 {
			first, where = subject+" goes on to say ", ""
		}
		t.claim(e, wDocs, rule, where, first+quoteText(p))
	}
}

var exampleComment = regexp.MustCompile(`^(?:#|//|--)\s*(.*)$`)

// exampleLine tells of a line of a code example.
func (t *teller) exampleLine(e outline.Edit, where string) {
	rule, noun := "example-changed", "the code example"
	if n := e.New; n != nil && n.Parent.Type != "" {
		noun = "the code example in " + code(n.Parent.Type)
	}
	remark := func(n *outline.Node) string {
		if n == nil {
			return ""
		}
		if m := exampleComment.FindStringSubmatch(n.Value); m != nil && prose(m[1]) {
			return m[1]
		}
		return ""
	}
	x, y := remark(e.Old), remark(e.New)
	switch {
	case x != "" && y != "":
		t.wording(e, wDocs, rule, where, "a comment in "+noun, x, y)
	case y != "" && e.Old == nil:
		t.texts(e, rule, where, "a comment was added to "+noun+" that says ", "the comment", y, 1)
	case e.Old != nil && e.New != nil:
		x, y := apart(e.Old.Value, e.New.Value)
		t.claim(e, wDocs, rule, where, noun+" now says "+y+" instead of "+x).condensed(y, noun+" now says "+slot)
	case e.New != nil:
		y := code(e.New.Value)
		t.claim(e, wDocs, rule, where, y+" was added to "+noun).condensed(y, slot+" were added to "+noun)
	default:
		x := code(e.Old.Value)
		t.claim(e, wDocs, rule, where, x+" was removed from "+noun).condensed(x, slot+" were removed from "+noun)
	}
}

// listed is a text among others.
func listed(s string) string {
	if p := passages(s, listedWords, 1); len(p) > 0 {
		return quote(p[0], maxProse)
	}
	return quote(s, maxListed)
}

func (t *teller) blockCame(e outline.Edit, n *outline.Node, where string, added bool) {
	v := verb(added)
	if n.Kind == outline.Item && n.Parent.Kind == outline.Code {
		t.exampleLine(e, where)
		return
	}
	switch n.Kind {
	case outline.Section:
		what := "the section " + quote(plainText(n.Name), maxCode)
		tail := ""
		var subs []string
		for _, k := range n.Of(outline.Section) {
			subs = append(subs, quote(plainText(k.Name), maxCode))
		}
		examples := n.Of(outline.Code)
		switch {
		case len(subs) > 0:
			tail = " with the section" + plurals(subs) + " " + list(subs)
		case len(examples) > 0 && examples[0].Type != "":
			tail = " with a code example in " + code(examples[0].Type)
		case len(examples) > 0:
			tail = " with a code example"
		}
		t.claim(e, wDocs+5, "heading-"+v, "", what+" was "+v+tail).condensed(listed(plainText(n.Name)), "the sections "+slot+" were "+v)
		if added {
			t.sectionSays(n, what)
		}
	case outline.Code:
		what := "a code example"
		if n.Type != "" {
			what += " in " + code(n.Type)
		}
		if len(n.Kids) > 0 {
			what += " that begins with " + code(n.Kids[0].Value)
		}
		t.claim(e, wDocs, "example-"+v, where, what+" was "+v)
	case outline.Row:
		var cells []string
		for _, k := range n.Kids {
			if k.Value != "" {
				cells = append(cells, k.Value)
			}
		}
		if len(cells) > 0 {
			first, rest := plainText(cells[0]), plainText(strings.Join(cells[1:], ", "))
			what := "the table row for " + listed(first)
			if p := passages(rest, 12, 1); added && len(p) > 0 {
				what += ", which says " + quoteText(p[0]) + ","
			}
			t.claim(e, wDocs, "row-"+v, where, what+" was "+v).condensed(listed(first), "the table rows for "+slot+" were "+v)
		}
	case outline.Item:
		text := plainText(n.Value)
		if text == "" {
			return
		}
		t.claim(e, wDocs, "list-item-"+v, where, "the list item "+quoteText(firstPassage(text, wordsSaid))+" was "+v).condensed(listed(text), "the list items "+slot+" were "+v)
	case outline.Text:
		if n.Value != "" {
			t.claim(e, wDocs, "prose-"+v, where, "a table cell saying "+quote(plainText(n.Value), maxCode)+" was "+v)
		}
	default:
		if m := mdDef.FindStringSubmatch(n.Value); m != nil {
			t.claim(e, wDocs, "link-"+v, "", "the target "+code(m[2])+" of the link "+code(m[1])+" was "+v).condensed(code(m[1]), "the targets of the links "+slot+" were "+v)
			return
		}
		if !strings.ContainsFunc(n.Value, unicode.IsLetter) {
			return
		}
		if m := mdLink.FindStringSubmatch(n.Value); m != nil && m[1] == "!" && m[0] == n.Value {
			t.claim(e, wDocs, "image-"+v, where, "the image "+code(m[3])+" was "+v)
			return
		}
		text := plainText(n.Value)
		if !strings.ContainsFunc(text, unicode.IsLetter) {
			t.claim(e, wDocs, "prose-"+v, where, "the markup "+code(n.Value)+" was "+v)
			return
		}
		for _, m := range mdLink.FindAllStringSubmatch(n.Value, 3) {
			if m[1] == "" && added {
				t.claim(e, wDocs, "link-added", where, "a link "+quote(plainText(m[2]), maxListed)+" to "+code(m[3])+" was added")
			}
		}
		if added {
			t.texts(e, "prose-added", where, "a paragraph was added that says ", "the new paragraph", text, 3)
		} else {
			t.texts(e, "prose-removed", where, "a paragraph was removed that said ", "", text, 1)
		}
	}
}

// maxSectionClaims bounds what is said of what a new section holds.
const maxSectionClaims = 5

// sectionSays tells what a new section holds.
func (t *teller) sectionSays(n *outline.Node, what string) {
	subject := "the new section " + strings.TrimPrefix(what, "the section ")
	from := len(t.facts)
	var items []string
	var at *outline.Node
	flush := func() {
		if len(items) > 0 {
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
		case k.Kind == outline.Code && len(k.Kids) > 0 && n.Type != "":
			t.claim(outline.Edit{New: k}, wDocs, "example-added", "", subject+" has a code example in "+code(k.Type)+" that begins with "+code(k.Kids[0].Value))
		case k.Kind == outline.Row && len(k.Kids) > 1:
			t.claim(outline.Edit{New: k}, wDocs, "row-added", "", subject+" has a table row for "+listed(plainText(k.Kids[0].Value)))
		}
	})
	if len(t.facts)-from < maxSectionClaims {
		flush()
	}
}
