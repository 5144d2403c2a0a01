package texts

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

// Doc is what a documentation comment says: of the whole, and of each
// parameter, the result and the like.
type Doc struct {
	// Text is what it says of the whole.
	Text string
	tags []docTag
}

// docTag is what a documentation says of one thing, such as "the parameter `x`" or "the
// tag "@since 3"".
type docTag struct{ thing, text string }

// described are the nouns for what tags are about.
var described = map[string]string{
	"param": "parameter", "arg": "parameter", "argument": "parameter", "tparam": "type parameter", "typeparam": "type parameter",
	"property": "property", "prop": "property",
	"throws": "exception", "throw": "exception", "exception": "exception", "raises": "exception",
	"return": "return value", "returns": "return value",
}

// docSections are the headings of numpydoc and of Google's style, with the tags that
// what stands below them is read as.
var docSections = map[string]string{
	"parameters": "@param", "args": "@param", "arguments": "@param", "raises": "@raises", "attributes": "@property",
	"returns": "@return", "yields": "@return",
}

var (
	// tagForms are other forms of a tag with its name: of reStructuredText and of C#.
	tagForms = []*regexp.Regexp{
		regexp.MustCompile(`^:(param|returns?|raises)(?:\s+(?:[^:]*\s)?([^\s:]+))?:`),
		regexp.MustCompile(`^<(param|typeparam|returns|exception)(?:\s+(?:name|cref)="([^"]*)")?>`),
	}
	// sectionItem is one item below a heading: "fruit (Fruit): what is weighed".
	sectionItem = regexp.MustCompile(`^(\*{0,2}\w+)(?: : .*$|\s*(?:\([^()]*\))?:)`)
	// A word after @ may be somebody's name, too.
	knownTag = regexp.MustCompile(`^[@\\](param|arg|argument|tparam|typeparam|property|prop|returns?|throws?|exception|raises?|` +
		`see|since|deprecated|example|author|version|type|var|default|private|public|protected|internal|` +
		`method|class|override|todo|file|static|readonly|callback|typedef|extends|implements|apiNote|implNote|` +
		`covers|dataProvider|license|copyright|warning)\b(?:\[[\w, ]*\])?\s*(.*)$`)
	// textTag begins the text as a whole.
	textTag = regexp.MustCompile(`^[@\\](?:brief|summary|description|desc|details|note)\s+`)
	// documentedNames are a type, a name and a text: of PHP, and of JSDoc, Javadoc
	// and Doxygen.
	documentedNames = []*regexp.Regexp{
		regexp.MustCompile(`^(\S{1,200})\s+&?\.{0,3}(\$\w+)\s*(.*)$`),
		regexp.MustCompile(`^(\{[^{}]*\}\s*|)\[?([$*&.]*[\w$][\w$.]*)\S*\s*(.*)$`),
	}
	underlined = regexp.MustCompile(`^[-=*#~/_+ ]{3,}$`)
)

// IsDoc tells whether a comment is documentation: by its sign or by a tag.
func IsDoc(s string) bool {
	tagged := func(line string) bool { return tagOf(line).thing != "" }
	return DocMark(strings.TrimSpace(s)) != "" || slices.ContainsFunc(commentLines(s), tagged)
}

// ReadDoc reads the text of a documentation comment or of a docstring. What goes on behind
// a tag, up to an empty line, belongs to it; examples in fences are left out.
func ReadDoc(s string) Doc {
	var d Doc
	goesOn, fenced, section := false, false, ""
	for _, text := range commentLines(s) {
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
			continue
		}
		if text == "" {
			goesOn = false
		}
		if fenced || text == "" || underlined.MatchString(text) {
			continue
		}
		if tag, ok := docSections[strings.ToLower(strings.TrimRight(text, ":"))]; ok {
			if goesOn, section = false, tag; tag != "@return" {
				continue
			}
			text, section = tag, ""
		} else if section != "" && sectionItem.MatchString(text) {
			text = section + " " + sectionItem.ReplaceAllString(text, "$1 ")
		}
		if t := tagOf(text); t.thing != "" && len(d.tags) < limits.DocTags {
			d.tags, goesOn = append(d.tags, t), true
		} else if text = textTag.ReplaceAllString(text, ""); goesOn {
			d.tags[len(d.tags)-1].text += " " + text
		} else {
			d.Text += " " + text
		}
	}
	d.Text = plainDoc(d.Text)
	for i := range d.tags {
		d.tags[i].text = plainDoc(d.tags[i].text)
	}
	return d
}

// Result is what the documentation says of the result.
func (d Doc) Result() string {
	for _, t := range d.tags {
		if t.thing == "the return value" {
			return t.text
		}
	}
	return ""
}

// tagOf reads a line that begins with a tag. Of another line it returns nothing.
func tagOf(line string) docTag {
	for _, r := range tagForms {
		line = r.ReplaceAllString(line, "@$1 $2 ")
	}
	m := knownTag.FindStringSubmatch(line)
	if m == nil {
		return docTag{}
	}
	noun := described[m[1]]
	if noun == "" {
		return docTag{thing: "the tag " + Quoted("@"+m[1]+" "+m[2])}
	}
	t := docTag{thing: "the " + noun, text: m[2]}
	if noun == "return value" {
		return t
	}
	for _, r := range documentedNames {
		if m := r.FindStringSubmatch(t.text); m != nil {
			thing := t.thing + " " + phrase.Code(strings.TrimRight(m[2], "."))
			return docTag{thing: thing, text: m[1] + " " + strings.TrimLeft(m[3], "-–: ")}
		}
	}
	return t
}

// DocsChanged compares two documentations, the text of the whole and then tag by tag, so
// that no word is taken for one of another tag. It has the noun and of name the new one.
func DocsChanged(noun, of string, from, to Doc) (all []fact.Slots) {
	if from.Text != to.Text {
		all = append(all, Retold(noun+of, from.Text, to.Text, BesideWords)...)
	}
	old, now := map[string]string{}, map[string]bool{}
	for _, t := range from.tags {
		old[t.thing] = t.text
	}
	for _, t := range to.tags {
		now[t.thing] = true
		switch x, ok := old[t.thing]; {
		case ok && x != t.text:
			all = append(all, Retold("the documentation of "+t.thing+of, x, t.text, BesideWords)...)
		case !ok:
			all = append(all, fact.Slots{Form: "describes", Object: noun + of, Detail: t.thing, New: Quoted(t.text)})
		}
	}
	for _, t := range from.tags {
		if !now[t.thing] {
			all = append(all, fact.Slots{Form: "silent", Object: noun + of, Detail: t.thing})
		}
	}
	return all
}

// Docs tells of documentation that came or went: a noun, and of what it is.
func Docs(text, noun, of string, added bool) []fact.Slots {
	d := ReadDoc(text)
	ofIt := phrase.Either(of == "", "", " of "+of)
	says, s := cmp.Or(d.Text, Plain(text)), fact.Slots{Form: "docs", Object: "the " + noun + ofIt}
	if !added {
		s.Old = Quoted(says)
		return []fact.Slots{s}
	}
	fresh := "the new " + noun + ofIt
	s.Object, s.Of = phrase.Either(noun == "documentation", noun, phrase.An(noun)), of
	all := GoesOn(s, fresh, says, 2)
	things := phrase.Uniq(phrase.Each(d.tags, func(t docTag) string { return t.thing }))
	if things = slices.DeleteFunc(things, func(s string) bool { return strings.HasPrefix(s, "the tag ") }); d.Text != "" && len(things) > 0 {
		all = append(all, fact.Slots{Form: "describes", Object: fresh, Detail: phrase.List(things)})
	}
	return all
}
