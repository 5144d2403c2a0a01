package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
)

// doc is what a documentation comment says: of the whole, and of each
// parameter, the result and the like.
type doc struct {
	text string
	tags []docTag
}

// docTag is what a documentation says of one thing: "describes the parameter `x`", and
// the text. Of another tag than these it is what the documentation says with it.
type docTag struct{ does, text string }

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
	sectionItem = regexp.MustCompile(`^(\*{0,2}\w+)(?: : .*$|\s*(?:\([^()]*\))?:)`)
	// A word after @ may be somebody's name, too.
	knownTag = regexp.MustCompile(`^[@\\](param|arg|argument|tparam|typeparam|property|prop|returns?|throws?|exception|raises?|see|since|deprecated|` +
		`example|author|version|type|var|default|private|public|protected|internal|method|class|override|todo|file|static|readonly|callback|` +
		`typedef|extends|implements|apiNote|implNote|covers|dataProvider|license|copyright|warning)\b(?:\[[\w, ]*\])?\s*(.*)$`)
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

// isDocText tells whether a comment is documentation: by its sign or by a tag.
func isDocText(s string) bool {
	if docMark(strings.TrimSpace(s)) != "" {
		return true
	}
	for _, l := range commentLines(s) {
		if _, ok := tagOf(l); ok {
			return true
		}
	}
	return false
}

// maxTags bounds the tags that are read of a documentation.
const maxTags = 100

// readDoc reads the text of a documentation comment or of a docstring.
func readDoc(s string) doc {
	var d doc
	goesOn, fenced, section := false, false, "" // the last tag; an example
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
		if t, ok := tagOf(text); ok && len(d.tags) < maxTags {
			d.tags, goesOn = append(d.tags, t), true
		} else if text = textTag.ReplaceAllString(text, ""); goesOn {
			d.tags[len(d.tags)-1].text += " " + text
		} else {
			d.text += " " + text
		}
	}
	d.text = plainDoc(d.text)
	for i := range d.tags {
		d.tags[i].text = plainDoc(d.tags[i].text)
	}
	return d
}

// tagOf reads a line that begins with a tag.
func tagOf(line string) (docTag, bool) {
	for _, r := range tagForms {
		line = r.ReplaceAllString(line, "@$1 $2 ")
	}
	m := knownTag.FindStringSubmatch(line)
	if m == nil {
		return docTag{}, false
	}
	noun := described[m[1]]
	if noun == "" {
		return docTag{does: "says " + quoteText(firstPassage("@"+m[1]+" "+m[2], wordsSaid))}, true
	}
	t := docTag{"describes the " + noun, m[2]}
	if noun == "return value" {
		return t, true
	}
	for _, r := range documentedNames {
		if m := r.FindStringSubmatch(t.text); m != nil {
			return docTag{t.does + " " + code(strings.TrimRight(m[2], ".")), m[1] + " " + strings.TrimLeft(m[3], "-–: ")}, true
		}
	}
	return t, true
}

// docsChanged compares two documentations.
func (w *writer) docsChanged(n tree.Node, rule, where, noun, of string, from, to doc) {
	if from.text != to.text {
		w.retell(n, rule, wText, where, "the "+noun+of, from.text, to.text)
	}
	old, now := map[string]string{}, map[string]bool{}
	for _, t := range from.tags {
		old[t.does] = t.text
	}
	for _, t := range to.tags {
		now[t.does] = true
		x, ok := old[t.does]
		switch {
		case ok && x != t.text:
			w.retell(n, rule, wText, where, "the documentation of "+strings.TrimPrefix(t.does, "describes ")+of, x, t.text)
		case !ok && t.text != "":
			w.say(n, wText, rule, where, "the "+noun+of+" now "+t.does+" as "+quoteText(firstPassage(t.text, wordsSaid)))
		case !ok:
			w.say(n, wText, rule, where, "the "+noun+of+" now "+t.does)
		}
	}
	for _, t := range from.tags {
		if !now[t.does] {
			w.say(n, wText, rule, where, "the "+noun+of+" no longer "+t.does)
		}
	}
}
