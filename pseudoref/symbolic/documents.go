package symbolic

import (
	"regexp"
	"strings"
	"unicode"

	"crscore/internal/outline"
)

// Documents: Markdown.

// maxListed is the length of a quoted text among others.
const maxListed = maxCode * 3 / 4

// wDocs ranks what is said of documents above comments in code.
const wDocs = wText + 5

var (
	mdLink  = regexp.MustCompile(`(!?)\[([^\[\]]*)\]\(\s*([^()\s]+(?:\([^()\s]*\))?)[^()]*\)`)
	mdRef   = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`)
	mdDef   = regexp.MustCompile(`^\[([^\[\]]+)\]:\s*(\S+)`)
	mdMarks = regexp.MustCompile("[*_]{1,3}([^*_`]+)[*_]{1,3}")
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
		t.claim(e, wDocs+5, "heading-changed", "", "the heading "+quote(plainText(e.Old.Name), maxCode)+" was changed to "+quote(plainText(e.New.Name), maxCode))
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

// blockText is the first text of a block.
func blockText(n *outline.Node) string {
	for len(n.Kids) > 0 && n.Value == "" && n.Name == "" {
		n = n.Kids[0]
	}
	return plainText(n.Name + n.Value)
}

// plainText takes the marks out of a text.
func plainText(s string) string {
	s = mdRef.ReplaceAllString(mdLink.ReplaceAllString(s, "$2"), "$1")
	return strings.TrimSuffix(strings.TrimSpace(mdMarks.ReplaceAllString(s, "$1")), ".")
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
	if similar := wordLikeness(x, y); similar < 0.4 && prose(x) && prose(y) {
		t.claim(e, wDocs, rule, where, what+" "+quote(x, maxCode)+" was rewritten to "+quote(y, maxCode))
		return
	}
	t.wording(e, wDocs, rule, where, what, x, y)
}

// rowChanged tells which cells of a row were changed.
func (t *teller) rowChanged(e outline.Edit, where string) {
	a, b := e.Old.Kids, e.New.Kids
	name := ""
	var said []string
	for i := range min(len(a), len(b)) {
		switch x, y := plainText(a[i].Value), plainText(b[i].Value); {
		case x == y && name == "" && len(x) > 0:
			name = quote(x, maxListed)
		case x == y:
		default:
			p, q := quote(x, maxListed), quote(y, maxListed)
			if p == q {
				p, q = apart(x, y)
			}
			said = append(said, p+" became "+q)
		}
	}
	what := "in a table row"
	if name != "" {
		what = "in the table row for " + name
	}
	switch {
	case len(a) != len(b) || len(said) == 0:
		t.claim(e, wDocs, "row-changed", where, what+", the cells were changed")
	case len(strings.Fields(strings.Join(said, " "))) > 10:
		t.claim(e, wDocs, "row-changed", where, what+", "+said[0])
	default:
		t.claim(e, wDocs, "row-changed", where, what+", "+listOf(said, 2, "and"))
	}
}

// links says that links or images were added, removed or led elsewhere. It
// answers true when nothing else in the text changed.
func (t *teller) links(e outline.Edit, a, b, where string) bool {
	old, now := mdLink.FindAllStringSubmatch(a, 50), mdLink.FindAllStringSubmatch(b, 50)
	changed := false
	for _, y := range now {
		for _, x := range old {
			if x[1] == y[1] && x[2] == y[2] && x[3] != y[3] && !hasLink(old, y) {
				from, to := apart(x[3], y[3])
				t.claim(e, wDocs, "link-changed", where, "the "+linkNoun(y)+" "+quote(plainText(y[2]), maxCode)+" now points to "+to+" instead of "+from)
				changed = true
				break
			}
		}
	}
	for _, y := range now {
		if !changed && y[1] == "" && !hasTitle(old, y[2]) {
			t.claim(e, wDocs, "link-added", where, "a link "+quote(plainText(y[2]), maxListed)+" to "+code(y[3])+" was added")
			if plainText(a) == plainText(b) {
				return true
			}
		}
	}
	for _, x := range old {
		if !changed && x[1] == "" && !hasTitle(now, x[2]) {
			t.claim(e, wDocs, "link-removed", where, "the link "+quote(plainText(x[2]), maxListed)+" to "+code(x[3])+" was removed")
			if plainText(a) == plainText(b) {
				return true
			}
		}
	}
	blank := func(s string) string { return mdLink.ReplaceAllString(s, "$1[$2]") }
	return changed && blank(a) == blank(b)
}

func hasLink(ls [][]string, l []string) bool {
	for _, x := range ls {
		if x[0] == l[0] {
			return true
		}
	}
	return false
}

func hasTitle(ls [][]string, title string) bool {
	for _, x := range ls {
		if x[2] == title {
			return true
		}
	}
	return false
}

func linkNoun(m []string) string {
	if m[1] == "!" {
		return "image"
	}
	return "link"
}

func (t *teller) exampleLine(e outline.Edit, where string) {
	rule, noun := "example-changed", "the code example"
	switch {
	case e.Old != nil && e.New != nil:
		x, y := apart(e.Old.Value, e.New.Value)
		t.claim(e, wDocs, rule, where, noun+" now says "+y+" instead of "+x).condensed(quote(e.New.Value, maxCode/2), noun+" was changed: it now says "+slot)
	case e.New != nil:
		f := t.claim(e, wDocs, rule, where, slot+" was added to "+noun)
		f.many, f.names = slot+" were added to "+noun, []string{"`" + strings.ReplaceAll(cut(oneLine(e.New.Value), maxListed), "`", "'") + "`"}
	default:
		f := t.claim(e, wDocs, rule, where, slot+" was removed from "+noun)
		f.many, f.names = slot+" were removed from "+noun, []string{"`" + strings.ReplaceAll(cut(oneLine(e.Old.Value), maxListed), "`", "'") + "`"}
	}
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
		f := t.claim(e, wDocs+5, "heading-"+v, "", what+" was "+v+tail)
		f.condensed(quote(plainText(n.Name), maxCode), "the sections "+slot+" were "+v)
		if !added {
			return
		}
		for _, k := range n.Kids {
			if k.Kind == outline.Paragraph {
				t.claim(outline.Edit{New: k}, wDocs, "prose-added", "", "the new section "+quote(plainText(n.Name), maxCode)+" says "+quote(plainText(k.Value), 2*maxCode))
				break
			}
			if items := n.Of(outline.Item); k.Kind == outline.Item {
				t.claim(outline.Edit{New: k}, wDocs, "list-added", "", "the new section "+quote(plainText(n.Name), maxCode)+" lists "+plural(len(items), "item")+", the first being "+quote(plainText(k.Value), maxCode))
				break
			}
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
			f := t.claim(e, wDocs, "row-"+v, where, "the table row for "+slot+" was "+v)
			f.many, f.names = "the table rows for "+slot+" were "+v, []string{quote(plainText(cells[0]), maxListed)}
		}
	case outline.Item:
		f := t.claim(e, wDocs, "list-item-"+v, where, "the list item "+slot+" was "+v)
		f.many, f.names = "the list items "+slot+" were "+v, []string{quote(plainText(n.Value), maxListed)}
	case outline.Text:
		if n.Value != "" {
			t.claim(e, wDocs, "prose-"+v, where, "a table cell saying "+quote(plainText(n.Value), maxCode)+" was "+v)
		}
	default:
		if m := mdDef.FindStringSubmatch(n.Value); m != nil {
			f := t.claim(e, wDocs, "link-"+v, "", "the link target "+slot+" was "+v)
			f.many, f.names = "the link targets "+slot+" were "+v, []string{code(m[1])}
			return
		}
		if !strings.ContainsFunc(n.Value, unicode.IsLetter) {
			return
		}
		if m := mdLink.FindStringSubmatch(n.Value); m != nil && m[1] == "!" && m[0] == n.Value {
			t.claim(e, wDocs, "image-"+v, where, "the image "+code(m[3])+" was "+v)
			return
		}
		t.claim(e, wDocs, "prose-"+v, where, "a paragraph saying "+quote(plainText(n.Value), 2*maxCode)+" was "+v)
	}
}
