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
	"parameters": "parameter", "other parameters": "parameter", "args": "parameter", "arguments": "parameter", "keyword args": "parameter", "keyword arguments": "parameter",
	"returns": "return value", "return": "return value", "yields": "yielded value", "raises": "exception", "attributes": "attribute",
	"notes": "", "note": "", "examples": "@example", "example": "@example", "see also": "@see", "references": "@see", "warns": "@warns", "todo": "@todo",
}

var (
	atTag         = regexp.MustCompile(`^[@\\]([A-Za-z][\w-]*)(?:\[[\w, ]*\])?(?:\s+(.*)|(\(.*))?$`)
	fieldTag      = regexp.MustCompile(`^:(\w+)(?:\s+([^:]*?))?:(?:\s+(.*))?$`)
	xmlTag        = regexp.MustCompile(`^<(summary|remarks|param|typeparam|returns|exception|example|value|para)\b([^<>]*)>\s*(.*)$`)
	xmlName       = regexp.MustCompile(`(?:name|cref)\s*=\s*"([^"]*)"`)
	docType       = regexp.MustCompile(`^(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\[([\w:<>, ]+)\])\s*(.*)$`)
	docName       = regexp.MustCompile(`^(\[[^\]]*\]|[$*&.]*[\w$][\w$.\[\]]*)(?:\s+(?:-+|–)?\s*(.*))?$`)
	googleItem    = regexp.MustCompile(`^(\*{0,2}[\w.]+)(?:\s*\(([^()]*)\))?\s*:\s*(.*)$`)
	numpyItem     = regexp.MustCompile(`^(\*{0,2}\w+(?:, \*{0,2}\w+)*)\s*(?::\s*(.*))?$`)
	typeFirst     = regexp.MustCompile(`^([^$]{1,200}?)\s+(&?\.{0,3}\$\w+)(?:\s+(.*))?$`)
	annotationTag = regexp.MustCompile(`^(?:[A-Z]{2,}|[A-Z][a-z]+)[A-Za-z]*$`) // of PHP
	bracketed     = regexp.MustCompile(`<[^<>]*>|\([^()]*\):?|\{[^{}]*\}`)
	typeAlone     = regexp.MustCompile(`^((?:[\\\w$?]+(?:<[^<>]*>)?(?:\[\])?\|?)+)(?:\s+(.*))?$`)
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

// readDoc reads the text of a documentation comment or of a docstring.
func readDoc(s string) doc {
	var d doc
	at := -1 // the tag that the line goes on with
	section, indent, item := "", 0, -1
	lines, fenced := commentLines(s), false
	add := func(t docTag) {
		if len(d.tags) < 100 {
			d.tags = append(d.tags, t)
			at = len(d.tags) - 1
		}
	}
	more := func(text string) {
		if at >= 0 {
			d.tags[at].text = strings.TrimSpace(d.tags[at].text + " " + text)
		} else {
			d.text = strings.TrimSpace(d.text + " " + text)
		}
	}
	for i, l := range lines {
		text := l.text
		if text == "" {
			if at >= 0 && section == "" && d.tags[at].kind != "@example" {
				at = -1
			}
			continue
		}
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
			continue
		}
		if fenced || underlined.MatchString(text) || mdDefinition.MatchString(text) {
			continue // examples and addresses are no sentences
		}
		if rest := strings.TrimLeft(text, "#"); rest != text && strings.HasPrefix(rest, " ") {
			text = strings.TrimSpace(rest) + ":"
		}
		heading := strings.ToLower(strings.TrimSuffix(text, ":"))
		kind, known := docSections[heading]
		if next := i + 1; known && (strings.HasSuffix(text, ":") && text != ":" || next < len(lines) && underlined.MatchString(lines[next].text)) {
			section, indent, item, at = kind, l.indent, -1, -1
			if kind == "" {
				section = ""
			} else if kind == "return value" || kind == "yielded value" || strings.HasPrefix(kind, "@") {
				add(docTag{kind: kind})
			}
			continue
		}
		if m := atTag.FindStringSubmatch(text); m != nil {
			if kind, ok := tagKinds[m[1]]; ok || knownTag(m[1]) {
				section = ""
				if !ok {
					kind = "@" + m[1]
				}
				if kind == "" {
					at = -1
					more(m[2])
					continue
				}
				add(tagOf(kind, m[2]+strings.Trim(m[3], "()")))
				continue
			}
		}
		if m := fieldTag.FindStringSubmatch(text); m != nil {
			if kind, ok := tagKinds[m[1]]; ok && kind != "" {
				section = ""
				t := docTag{kind: kind, text: m[3]}
				if names := strings.Fields(m[2]); len(names) > 0 {
					t.name, t.typ = names[len(names)-1], strings.Join(names[:len(names)-1], " ")
				}
				add(t)
				continue
			}
		}
		if m := xmlTag.FindStringSubmatch(text); m != nil {
			kind := tagKinds[m[1]]
			if m[1] == "example" || m[1] == "value" {
				kind = "@" + m[1]
			}
			section = ""
			if at = -1; kind != "" {
				t := docTag{kind: kind}
				if n := xmlName.FindStringSubmatch(m[2]); n != nil {
					t.name = n[1]
				}
				add(t)
			}
			more(m[3])
			continue
		}
		if section != "" && l.indent >= indent && (l.indent > indent || !strings.HasSuffix(text, ".")) {
			first := item < 0 || l.indent <= item
			switch {
			case !first || strings.HasPrefix(section, "@"):
			case section == "return value" || section == "yielded value":
				item = -1
			default:
				if m := googleItem.FindStringSubmatch(text); m != nil && l.indent > indent {
					item = l.indent
					add(docTag{kind: section, name: m[1], typ: m[2], text: m[3]})
					continue
				}
				if m := numpyItem.FindStringSubmatch(text); m != nil {
					item = l.indent
					add(docTag{kind: section, name: m[1], typ: m[2]})
					continue
				}
			}
		} else if section != "" && l.indent <= indent {
			section, at = "", -1
		}
		more(text)
	}
	d.text = plainDoc(d.text)
	for i := range d.tags {
		d.tags[i].text = plainDoc(d.tags[i].text)
	}
	return d
}

// tagOf reads what follows a tag that begins with @ or \.
func tagOf(kind, rest string) docTag {
	t := docTag{kind: kind}
	if m := docType.FindStringSubmatch(rest); m != nil {
		t.typ, rest = m[1]+m[2], m[3]
	} else if m := typeFirst.FindStringSubmatch(rest); m != nil && kind == "parameter" && !strings.Contains(bracketed.ReplaceAllString(bracketed.ReplaceAllString(m[1], ""), ""), " ") {
		t.typ, rest = m[1], m[2]+" "+m[3]
	} else if m := typeAlone.FindStringSubmatch(rest); m != nil && (kind == "return value" || kind == "@var" || kind == "@type") && typeLike(m[1]) {
		t.typ, rest = m[1], m[2]
	}
	switch kind {
	case "parameter", "type parameter", "property", "exception", "attribute":
		if m := docName.FindStringSubmatch(rest); m != nil && !(kind == "exception" && t.typ != "") {
			name, _, _ := strings.Cut(strings.Trim(m[1], "[]"), "=")
			t.name, rest = strings.TrimRight(name, ".:"), m[2]
			if u := docType.FindStringSubmatch(rest); u != nil && t.typ == "" && u[2] != "" {
				t.typ, rest = u[2], u[3]
			}
		} else if t.typ != "" {
			t.name, t.typ = t.typ, ""
		}
	}
	t.text = strings.TrimLeft(rest, "-–: ")
	return t
}

// typeLike tells whether a word can only be a type.
func typeLike(s string) bool {
	switch strings.TrimPrefix(s, "?") {
	case "string", "int", "integer", "float", "bool", "boolean", "array", "mixed", "void", "null", "self", "static", "callable", "iterable", "object":
		return true
	}
	return strings.ContainsAny(s, `|\<[`)
}
