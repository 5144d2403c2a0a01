package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// doc is what a documentation comment says: of the whole, and of each
// parameter, the result and the like.
type doc struct {
	text string
	tags []docTag
}

// docTag is what a documentation says of one thing. Its kind is the noun for
// that thing, "parameter"; of a tag that is not known it is "@tag".
type docTag struct{ kind, name, typ, text string }

// tagKinds are the nouns for what the tags of the documentation formats stand
// for; "" stands for the text as a whole.
var tagKinds = map[string]string{
	"param": "parameter", "arg": "parameter", "argument": "parameter", "parameter": "parameter", "keyword": "parameter",
	"tparam": "type parameter", "typeparam": "type parameter", "template": "type parameter",
	"property": "property", "prop": "property", "ivar": "attribute", "cvar": "attribute", "attribute": "attribute",
	"return": "return value", "returns": "return value", "yield": "yielded value", "yields": "yielded value",
	"throws": "exception", "throw": "exception", "exception": "exception", "raises": "exception", "raise": "exception",
	"brief": "", "summary": "", "description": "", "desc": "", "remarks": "", "details": "", "para": "", "note": "", "type": "@type", "rtype": "@rtype",
}

// docSections are the headings of numpydoc and of Google's style.
var docSections = map[string]string{
	"parameters": "parameter", "args": "parameter", "arguments": "parameter", "attributes": "attribute", "raises": "exception",
	"returns": "return value", "yields": "yielded value",
}

var (
	docItem       = regexp.MustCompile(`^(\*{0,2}\w+)(?: : (\S.*)|(?:\s*\(([^()]*)\))?:\s*(.*))$`) // of a section
	atTag         = regexp.MustCompile(`^[@\\]([A-Za-z][\w-]*)(?:\[[\w, ]*\])?(?:\s+(.*)|(\(.*))?$`)
	fieldTag      = regexp.MustCompile(`^:(\w+)(?:\s+([^:]*?))?:(?:\s+(.*))?$`)
	xmlTag        = regexp.MustCompile(`^<(summary|remarks|param|typeparam|returns|exception|example|value|para)\b([^<>]*)>\s*(.*)$`)
	xmlName       = regexp.MustCompile(`(?:name|cref)\s*=\s*"([^"]*)"`)
	docType       = regexp.MustCompile(`^\{((?:[^{}]|\{[^{}]*\})*)\}\s*(.*)$`)
	docName       = regexp.MustCompile(`^(\[[^\]]*\]|[$*&.]*[\w$][\w$.\[\]]*)(?:\s+(?:-+|–)?\s*(.*))?$`)
	typeFirst     = regexp.MustCompile(`^(\S{1,200})\s+(&?\.{0,3}\$\w.*)$`)    // of PHP
	annotationTag = regexp.MustCompile(`^(?:[A-Z]{2,}|[A-Z][a-z]+)[A-Za-z]*$`) // of PHP
	mdDefinition  = regexp.MustCompile(`^\[[^\[\]]+\]:\s`)
	underlined    = regexp.MustCompile(`^[-=~]{3,}$`)
	knownAtTags   = regexp.MustCompile(`^(?:see|since|deprecated|example|author|version|type|var|default|private|public|protected|internal|method|memberof|class|constructor|override|todo|link|code|file|fileoverview|module|namespace|static|readonly|async|function|name|callback|typedef|extends|implements|mixin|fires|listens|inheritDoc|inheritdoc|apiNote|implNote|serial|group|covers|dataProvider|test|requires|throws?|package|license|copyright|ingroup|pre|post|sa|file|warning|attention|def|fn)$`)
)

// isDocText tells whether a comment is documentation: by its sign or by a tag.
func isDocText(s string) bool {
	if docMark(strings.TrimSpace(s)) != "" {
		return true
	}
	for _, l := range commentLines(s) {
		if m := atTag.FindStringSubmatch(l.text); m != nil {
			if _, ok := tagKinds[m[1]]; ok || knownTag(m[1]) {
				return true
			}
		}
	}
	return false
}

// knownTag tells whether a word after @ is a tag, and no one's name.
func knownTag(s string) bool { return knownAtTags.MatchString(s) || annotationTag.MatchString(s) }

// maxTags bounds the tags that are read of a documentation.
const maxTags = 100

// readDoc reads the text of a documentation comment or of a docstring.
func readDoc(s string) doc {
	var d doc
	at := -1 // the tag that the line goes on with
	fenced, section := false, ""
	for _, l := range commentLines(s) {
		text := l.text
		switch {
		case text == "" && at >= 0 && d.tags[at].kind != "@example":
			at = -1
		case strings.HasPrefix(text, "```"):
			fenced = !fenced
		}
		if text == "" || strings.HasPrefix(text, "```") || fenced || underlined.MatchString(text) || mdDefinition.MatchString(text) {
			continue // examples and addresses are no sentences
		}
		if kind, ok := docSections[strings.ToLower(strings.TrimSuffix(text, ":"))]; ok {
			if section, at = kind, -1; !strings.HasSuffix(kind, " value") {
				continue
			}
			text = "@" + strings.Fields(kind)[0]
		}
		t, ok := tagOf(text)
		if m := docItem.FindStringSubmatch(text); !ok && m != nil && section != "" {
			t, ok = docTag{section, m[1], m[2] + m[3], m[4]}, true
		}
		if ok && len(d.tags) < maxTags {
			if at, text = -1, t.text; t.kind != "" {
				d.tags = append(d.tags, t)
				at, text = len(d.tags)-1, ""
			}
		}
		if at >= 0 {
			d.tags[at].text = strings.TrimSpace(d.tags[at].text + " " + text)
		} else {
			d.text = strings.TrimSpace(d.text + " " + text)
		}
	}
	d.text = plainDoc(d.text)
	for i := range d.tags {
		d.tags[i].text = plainDoc(d.tags[i].text)
	}
	return d
}

// tagOf reads a line that begins with a tag: @param of JSDoc and its like, :param:
// of reStructuredText or <param> of C#.
func tagOf(line string) (docTag, bool) {
	if m := atTag.FindStringSubmatch(line); m != nil {
		kind, ok := tagKinds[m[1]]
		if !ok && knownTag(m[1]) {
			kind, ok = "@"+m[1], true
		}
		return aboutName(kind, m[2]+strings.Trim(m[3], "()")), ok
	}
	if m := fieldTag.FindStringSubmatch(line); m != nil {
		kind := tagKinds[m[1]]
		t := docTag{kind: kind, text: m[3]}
		if names := strings.Fields(m[2]); len(names) > 0 {
			t.name, t.typ = names[len(names)-1], strings.Join(names[:len(names)-1], " ")
		}
		return t, kind != ""
	}
	if m := xmlTag.FindStringSubmatch(line); m != nil {
		t := docTag{kind: tagKinds[m[1]], text: m[3]}
		if n := xmlName.FindStringSubmatch(m[2]); n != nil {
			t.name = n[1]
		}
		return t, true
	}
	return docTag{}, false
}

// aboutName reads the type and the name that follow a tag.
func aboutName(kind, rest string) docTag {
	t := docTag{kind: kind}
	if m := docType.FindStringSubmatch(rest); m != nil {
		t.typ, rest = m[1], m[2]
	} else if m := typeFirst.FindStringSubmatch(rest); m != nil && kind == "parameter" {
		t.typ, rest = m[1], m[2]
	}
	switch kind {
	case "parameter", "type parameter", "property", "exception", "attribute":
		if m := docName.FindStringSubmatch(rest); m != nil && !(kind == "exception" && t.typ != "") {
			name, _, _ := strings.Cut(strings.Trim(m[1], "[]"), "=")
			t.name, rest = strings.TrimRight(name, ".:"), m[2]
		} else if t.typ != "" {
			t.name, t.typ = t.typ, ""
		}
	}
	t.text = strings.TrimLeft(rest, "-–: ")
	return t
}
