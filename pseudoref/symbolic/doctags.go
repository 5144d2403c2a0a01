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

// docTag is what a documentation says of one thing. Its kind is the noun for
// that thing, "parameter". Of another tag it is "@tag", and its text is its name,
// since there may be several with that tag.
type docTag struct{ kind, name, text string }

// tagKinds are the nouns for what tags stand for; "" stands for the text as a whole.
var tagKinds = map[string]string{
	"param": "parameter", "arg": "parameter", "argument": "parameter", "tparam": "type parameter", "property": "property", "prop": "property",
	"return": "return value", "returns": "return value", "throws": "exception", "throw": "exception", "exception": "exception",
	"raises": "exception", "raise": "exception", "typeparam": "type parameter",
	"brief": "", "summary": "", "description": "", "desc": "", "details": "", "note": "",
}

// docSections are the headings of numpydoc and of Google's style, with the tags that
// what stands below them is read as.
var docSections = map[string]string{
	"parameters": "@param", "args": "@param", "arguments": "@param", "raises": "@raises", "attributes": "@property", "returns": "@return", "yields": "@return",
}

var (
	// tagForms are other forms of a tag with its name: of reStructuredText and of C#.
	tagForms = []*regexp.Regexp{
		regexp.MustCompile(`^:(param|returns?|raises)(?:\s+(?:[^:]*\s)?([^\s:]+))?:`),
		regexp.MustCompile(`^<(param|typeparam|returns|exception)(?:\s+(?:name|cref)="([^"]*)")?>`),
	}
	sectionItem = regexp.MustCompile(`^(\*{0,2}\w+)(?: : .*$|\s*(?:\([^()]*\))?:)`)
	atTag       = regexp.MustCompile(`^[@\\]([A-Za-z][\w-]*)(?:\[[\w, ]*\])?(?:\s+(.*)|(\(.*))?$`)
	// otherTags are known, so that a word after @ that is somebody's name is no tag.
	otherTags = regexp.MustCompile(`^(?:see|since|deprecated|example|author|version|type|var|default|private|public|protected|internal|method|class|override|todo|file|static|` +
		`readonly|async|function|name|callback|typedef|extends|implements|fires|apiNote|implNote|group|covers|dataProvider|test|package|license|copyright|warning)$`)
	// documentedNames are a type, a name and a text: of PHP, and of JSDoc, Javadoc and Doxygen.
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
			if goesOn = t.kind != ""; goesOn {
				d.tags = append(d.tags, t)
				continue
			}
			text = t.text
		}
		if goesOn {
			d.tags[len(d.tags)-1].text += " " + text
		} else {
			d.text += " " + text
		}
	}
	d.text = plainDoc(d.text)
	for i := range d.tags {
		t := &d.tags[i]
		if t.text = plainDoc(t.text); t.kind[0] == '@' {
			t.name = t.text
		}
	}
	return d
}

// tagOf reads a line that begins with a tag.
func tagOf(line string) (docTag, bool) {
	for _, r := range tagForms {
		line = r.ReplaceAllString(line, "@$1 $2 ")
	}
	m := atTag.FindStringSubmatch(line)
	if m == nil {
		return docTag{}, false
	}
	kind, ok := tagKinds[m[1]]
	t := docTag{kind: kind, text: m[2] + strings.Trim(m[3], "()")}
	switch {
	case !ok:
		t.kind = "@" + m[1]
		return t, otherTags.MatchString(m[1])
	case kind == "" || kind == "return value":
		return t, true
	}
	for _, r := range documentedNames {
		if m := r.FindStringSubmatch(t.text); m != nil {
			t.name, t.text = strings.TrimRight(m[2], "."), m[1]+" "+strings.TrimLeft(m[3], "-–: ")
			break
		}
	}
	return t, true
}

// thing names what a tag is about: "the parameter `x`".
func (t docTag) thing() string {
	switch {
	case t.kind[0] == '@':
		return "the tag " + code(t.kind)
	case t.name == "":
		return "the " + t.kind
	}
	return "the " + t.kind + " " + code(t.name)
}

// came says that a documentation has a tag now, or had one.
func (t docTag) came(noun string, added bool) string {
	now := map[bool]string{true: " now ", false: " no longer "}[added]
	if t.kind[0] == '@' {
		return noun + now + "says " + quoteText(firstPassage(t.kind+" "+t.text, wordsSaid))
	}
	if now += "describes " + t.thing(); added && t.text != "" {
		now += " as " + quoteText(firstPassage(t.text, wordsSaid))
	}
	return noun + now
}

// docsChanged compares two documentations.
func (w *writer) docsChanged(n tree.Node, rule, where, noun, of string, from, to doc) {
	if from.text != to.text {
		w.retell(n, rule, wText, where, "the "+noun+of, from.text, to.text)
	}
	type key struct{ kind, name string }
	old, kept := map[key]docTag{}, map[key]bool{}
	for _, t := range from.tags {
		old[key{t.kind, t.name}] = t
	}
	for _, t := range to.tags {
		k := key{t.kind, t.name}
		x, ok := old[k]
		kept[k] = true
		if !ok {
			w.say(n, wText, rule, where, t.came("the "+noun+of, true))
		} else if x.text != t.text {
			w.retell(n, rule, wText, where, "the documentation of "+t.thing()+of, x.text, t.text)
		}
	}
	for _, t := range from.tags {
		if !kept[key{t.kind, t.name}] {
			w.say(n, wText, rule, where, t.came("the "+noun+of, false))
		}
	}
}
