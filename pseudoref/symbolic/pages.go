package symbolic

import (
	"slices"
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// Markup: HTML, the templates of Vue and Svelte, XML.

var scripted = regexp.MustCompile(`=>|;\s|;$|\)\s*\{|^import .* from |^\}|=\s*\w+\(`)

// markupEdit tells what became of an element, an attribute or a text.
func (t *teller) markupEdit(e outline.Edit) {
	n := e.New
	if n == nil {
		n = e.Old
	}
	if t.format == outline.XML && t.artifactEdit(e) {
		return
	}
	switch n.Kind {
	case outline.Attribute:
		t.attributeEdit(e, n)
	case outline.Text:
		t.markupText(e, n)
	case outline.Element:
		t.elementEdit(e, n)
	}
}

func (t *teller) elementEdit(e outline.Edit, n *outline.Node) {
	added := e.New != nil
	v := verb(added)
	noun := elementNoun(n)
	switch {
	case strings.HasPrefix(n.Name, "?") || strings.HasPrefix(n.Name, "!"):
		t.claim(e, wDetail, "element-"+v, "", "the "+code("<"+n.Name+">")+" declaration was "+v)
	case e.Around != nil && added:
		t.claim(e, wDeclare, "element-wrapped", "", elementNoun(e.Around)+" is now wrapped in "+noun)
	case e.Around != nil:
		t.claim(e, wDeclare, "element-unwrapped", "", elementNoun(e.Around)+" is no longer wrapped in "+noun)
	case e.Moved:
		t.claim(e, wValue, "element-moved", "", noun+" was moved to another place")
	case e.Old != nil && e.New != nil:
		if e.Old.Value != e.New.Value { // a script or a style sheet within
			t.linesChanged(e, noun)
		}
	default:
		where := ""
		if p := n.Parent; p.Kind == outline.Element && (p.Get("id") != "" || slices.Contains([]string{"head", "form", "nav", "header", "footer", "ul", "ol", "table", "select", "main"}, p.Name)) {
			where = " " + toFrom(added) + " " + elementNoun(p)
			if p.Get("id") == "" && p.Get("class") == "" {
				where = " " + toFrom(added) + " the `<" + p.Name + ">`"
			}
		}
		f := t.claim(e, wDeclare, "element-"+v, "", noun+" was "+v+where+t.holdsWhat(n, added))
		f.condensed(strings.TrimPrefix(noun, "the "), slot+" were "+v+where)
		t.elementSays(e, n, noun, added)
		if added {
			budget := 200
			n.Walk(func(k *outline.Node) {
				if budget--; budget < 0 {
					return
				}
				if k != n && k.Kind == outline.Element {
					switch k.Name {
					case "a", "img", "form", "input", "button", "script", "link", "iframe", "table", "select", "textarea":
						if n.First != k.First {
							t.claim(outline.Edit{New: k}, wDetail, "element-content", "", noun+" holds "+elementNoun(k)).condensed(strings.TrimPrefix(elementNoun(k), "the "), noun+" holds "+slot)
						}
					}
				}
				if k.Kind == outline.Element {
					t.elementRisks(outline.Edit{New: k}, k)
				}
			})
		}
	}
}

// calledInScript are the functions that a script calls.
var calledInScript = regexp.MustCompile(`([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\s*\(`)

// elementSays tells what a new or a removed element says, where its name does
// not, and what a new script does.
func (t *teller) elementSays(e outline.Edit, n *outline.Node, noun string, added bool) {
	if t.format != outline.HTML {
		return
	}
	if n.Name == "script" && n.Value != "" && added {
		var calls []string
		for _, m := range calledInScript.FindAllStringSubmatch(n.Value, 40) {
			switch m[1] {
			case "function", "if", "for", "while", "switch", "catch", "return":
			default:
				calls = append(calls, code(m[1]))
			}
		}
		if calls = uniq(calls); len(calls) > 0 {
			t.claim(e, wDetail, "script-calls", "", "the new script calls "+list(calls))
		}
		return
	}
	text := allText(n)
	if len([]rune(text)) <= maxCode || !strings.ContainsFunc(text, unicode.IsLetter) {
		return
	}
	of := "the new `<" + n.Name + ">`"
	if !added {
		of = "the removed `<" + n.Name + ">`"
	}
	says, limit := " says ", 3
	if !added {
		says, limit = " said ", 1
	}
	for i, p := range passages(text, wordsSaid, limit) {
		if i > 0 {
			says = " goes on to say "
		}
		t.claim(e, wDetail, "text-"+verb(added), "", of+says+quoteText(p))
	}
}

// holdsWhat says what attributes an element brings, where its name does not.
func (t *teller) holdsWhat(n *outline.Node, added bool) string {
	if !added {
		return ""
	}
	var names []string
	if t.format == outline.XML {
		for _, k := range n.Of(outline.Element) {
			names = append(names, code("<"+k.Name+">"))
		}
		if names = uniq(names); len(names) > 0 {
			return " with " + list(names)
		}
	}
	for _, k := range n.Kids {
		if k.Kind == outline.Attribute {
			switch k.Name {
			case "id", "class", "className", "href", "src", "name", "type", "rel", "alt", "action":
			default:
				names = append(names, code(k.Name))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " with the attribute" + plurals(names) + " " + list(names)
}

func (t *teller) attributeEdit(e outline.Edit, n *outline.Node) {
	of := " of " + elementNoun(n.Parent)
	if n.Parent.Kind != outline.Element {
		of = ""
	}
	a := code(n.Name)
	switch {
	case n.Name == "class" || n.Name == "className":
		t.classes(e, of)
		return
	case e.Old != nil && e.New != nil:
		x, y := apart(e.Old.Value, e.New.Value)
		switch {
		case n.Parent.Name == "a" && n.Name == "href":
			t.claim(e, wValue, "link-changed", "", "the link"+linkText(n.Parent)+" now points to "+y+" instead of "+x)
		case prose(e.Old.Value) && prose(e.New.Value):
			t.wording(e, wValue, "attribute-changed", "", "the attribute "+a, e.Old.Value, e.New.Value)
		default:
			if n.Name == "id" || n.Name == "name" || n.Name == "href" || n.Name == "src" {
				of = " of the `<" + n.Parent.Name + ">` element"
			}
			t.claim(e, wValue, "attribute-changed", "", "the attribute "+a+of+" was changed from "+x+" to "+y)
		}
	case e.New != nil && n.Value != "":
		t.claim(e, wValue, "attribute-added", "", "the attribute "+a+" with the value "+code(n.Value)+" was added to "+elementNoun(n.Parent)).condensed(a, "the attributes "+slot+" were added to "+elementNoun(n.Parent))
	default:
		v := verb(e.New != nil)
		t.claim(e, wValue, "attribute-"+v, "", "the attribute "+a+" was "+v+" "+toFrom(e.New != nil)+" "+elementNoun(n.Parent)).condensed(a, "the attributes "+slot+" were "+v+" "+toFrom(e.New != nil)+" "+elementNoun(n.Parent))
	}
	if e.New != nil {
		t.elementRisks(e, n.Parent)
	} else if n.Name == "alt" && n.Parent.Name == "img" {
		t.implies(e, "alt-missing", "without `alt` text the image says nothing to screen readers")
	}
}

func linkText(n *outline.Node) string {
	for _, k := range n.Kids {
		if k.Kind == outline.Text {
			return " " + quote(k.Value, maxCode)
		}
	}
	return ""
}

// classes says which classes an element got and lost.
func (t *teller) classes(e outline.Edit, of string) {
	var a, b []string
	if e.Old != nil {
		a = strings.Fields(e.Old.Value)
	}
	if e.New != nil {
		b = strings.Fields(e.New.Value)
	}
	gone, come := missing(a, b), missing(b, a)
	n := e.New
	if n == nil {
		n = e.Old
	}
	noun := "`<" + n.Parent.Name + ">`"
	if id := n.Parent.Get("id"); id != "" {
		noun += " " + code("#"+id)
	}
	switch {
	case len(gone) == 1 && len(come) == 1:
		t.claim(e, wValue, "class-changed", "", "the class "+code(gone[0])+" of the "+noun+" was replaced by "+code(come[0]))
	case len(gone) > 0 && len(come) > 0:
		t.claim(e, wValue, "class-changed", "", "the classes "+list(codes(gone))+" of the "+noun+" were replaced by "+list(codes(come)))
	case len(come) > 0:
		t.claim(e, wValue, "class-added", "", "the class"+map[bool]string{true: "es", false: ""}[len(come) > 1]+" "+list(codes(come))+was(come)+" added to the "+noun)
	case len(gone) > 0:
		t.claim(e, wValue, "class-removed", "", "the class"+map[bool]string{true: "es", false: ""}[len(gone) > 1]+" "+list(codes(gone))+was(gone)+" removed from the "+noun)
	}
}

func (t *teller) markupText(e outline.Edit, n *outline.Node) {
	if !strings.ContainsFunc(n.Value, func(r rune) bool { return r >= 0x80 || wordByte(byte(r)) }) {
		return
	}
	if n.Loose && scripted.MatchString(n.Value) {
		return // a script whose tag the hunk does not show
	}
	in := ""
	if n.Parent.Kind == outline.Element {
		in = " of the `<" + n.Parent.Name + ">`"
	}
	switch {
	case e.Moved:
	case e.Old != nil && e.New != nil:
		if t.format == outline.XML && !prose(e.Old.Value) {
			x, y := apart(e.Old.Value, e.New.Value)
			t.claim(e, wValue, "value-changed", "", "the value"+in+" was changed from "+x+" to "+y)
			return
		}
		x, y := untemplated(e.Old.Value), untemplated(e.New.Value)
		if x == y || x == "" || y == "" {
			x, y = e.Old.Value, e.New.Value
		}
		t.wording(e, wValue, "text-changed", "", "the text"+in, x, y)
	default:
		v := verb(e.New != nil)
		for _, m := range templateTag.FindAllStringSubmatch(n.Value, 5) {
			if !strings.HasPrefix(m[1], "end") && m[1] != "" {
				t.claim(e, wValue, "template-tag-"+v, "", "the template tag "+code(m[1])+" was "+v).condensed(code(m[1]), "the template tags "+slot+" were "+v)
			}
		}
		to := strings.Replace(in, " of ", " "+toFrom(e.New != nil)+" ", 1)
		limit := 2
		if e.New == nil {
			limit = 1
		}
		for i, p := range passages(untemplated(n.Value), wordsSaid, limit) {
			if i > 0 {
				t.claim(e, wValue, "text-"+v, "", "the new text goes on to say "+quoteText(p))
				continue
			}
			t.claim(e, wValue, "text-"+v, "", "the text "+quoteText(p)+" was "+v+to)
		}
	}
}

// elementRisks says what follows from an element that came or changed.
func (t *teller) elementRisks(e outline.Edit, n *outline.Node) {
	if t.format != outline.HTML {
		return
	}
	attrs := func(name string) bool { return n.Kid(name) != nil }
	bound := func(name string) bool {
		return attrs(name) || attrs(":"+name) || attrs("v-bind:"+name) || attrs("["+name+"]")
	}
	changed := ""
	if k := e.New; k != nil && k.Kind == outline.Attribute {
		changed = k.Name
	}
	fresh := changed == ""
	switch n.Name {
	case "img":
		if fresh && !bound("alt") && bound("src") {
			t.implies(e, "alt-missing", "the image has no `alt` text for screen readers")
		}
	case "a":
		if (fresh || changed == "target") && n.Get("target") == "_blank" && !strings.Contains(n.Get("rel"), "noopener") && strings.HasPrefix(n.Get("href"), "http") {
			t.implies(e, "noopener-missing", "a link that opens another site in a new tab should have `rel=\"noopener\"`")
		}
	case "script":
		src := n.Get("src")
		if (fresh || changed == "src") && (strings.HasPrefix(src, "http") || strings.HasPrefix(src, "//")) && !attrs("integrity") {
			t.implies(e, "integrity-missing", "a script from another site is loaded without an `integrity` check")
		}
		if (fresh || changed == "src") && src != "" && !attrs("defer") && !attrs("async") && n.Parent.Name == "head" && n.Get("type") != "module" {
			t.implies(e, "blocking-script", "a script in the head without `defer` or `async` delays the page")
		}
	case "input", "textarea", "select":
		ty := n.Get("type")
		if fresh && !bound("id") && !bound("aria-label") && !bound("aria-labelledby") && n.Parent.Name != "label" && ty != "hidden" && ty != "submit" && ty != "button" {
			t.implies(e, "label-missing", "no label can be tied to the input, for it has neither an `id` nor an `aria-label`")
		}
	case "form":
		if fresh && attrs("action") && !attrs("method") && !strings.Contains(n.Get("action"), "search") {
			t.implies(e, "form-method", "without `method` the form sends its values in the address")
		}
	}
	for _, k := range n.Kids {
		if k.Kind != outline.Attribute || !fresh && k != e.New {
			continue
		}
		switch {
		case strings.HasPrefix(k.Name, "on") && len(k.Name) > 4 && k.Name == strings.ToLower(k.Name) && !strings.Contains(k.Name, ":"):
			t.implies(e, "inline-handler", "the inline handler "+code(k.Name)+" does not work under a strict content security policy")
		case k.Name == "v-html":
			t.implies(e, "raw-html", "`v-html` shows its value as markup, which allows cross-site scripting if users control it")
		case k.Name == "style" && t.format == outline.HTML:
			t.implies(e, "inline-style", "the inline style is better kept in a style sheet")
		}
	}
}

// artifactEdit tells what became of the dependency in a build file of Maven or
// .NET. It answers false where the edit is about something else.
func (t *teller) artifactEdit(e outline.Edit) bool {
	if e.Moved || e.Renamed {
		return false
	}
	artifact := func(n *outline.Node) (dependency, bool) {
		if n == nil {
			return dependency{}, false
		}
		d := dependency{noun: "dependency"}
		for _, k := range n.Kids {
			if k.Kind == outline.Element && len(k.Of(outline.Text)) > 0 {
				switch k.Name {
				case "artifactId":
					d.name = k.Of(outline.Text)[0].Value
				case "version":
					d.version = k.Of(outline.Text)[0].Value
				}
			}
		}
		if d.name == "" && strings.HasSuffix(n.Name, "Reference") || n.Name == "PackageVersion" {
			d.name, d.version = n.Get("Include"), n.Get("Version")
			if d.name == "" {
				d.name = n.Get("Update")
			}
			if n.Name == "ProjectReference" || n.Name == "Reference" {
				d.noun = "reference"
			}
		}
		switch n.Name {
		case "parent", "plugin":
			d.noun = n.Name
		case "dependency", "exclusion", "artifactItem", "extension", "path":
		default:
			if !strings.HasSuffix(n.Name, "Reference") && n.Name != "PackageVersion" {
				return d, false
			}
		}
		return d, d.name != "" && n.Name != "exclusion"
	}
	if e.Old != nil && e.New != nil {
		// The text of a version, or the attribute.
		up := func(n *outline.Node) *outline.Node {
			switch {
			case n.Kind == outline.Text && n.Parent.Name == "version":
				return n.Parent.Parent
			case n.Kind == outline.Attribute && n.Name == "Version":
				return n.Parent
			}
			return nil
		}
		a, okA := artifact(up(e.Old))
		b, okB := artifact(up(e.New))
		if !okA || !okB || a.name != b.name {
			return false
		}
		t.versionChanged(e, a, b, "")
		return true
	}
	n := e.New
	if n == nil {
		n = e.Old
	}
	d, ok := artifact(n)
	if !ok || n.Kind != outline.Element {
		return false
	}
	v := verb(e.New != nil)
	tail := ""
	if e.New != nil && d.version != "" {
		tail = " with the version " + code(d.version)
	}
	many := strings.TrimSuffix(d.noun, "y") + "ies"
	if !strings.HasSuffix(d.noun, "y") {
		many = d.noun + "s"
	}
	t.claim(e, wDeclare, d.noun+"-"+v, "", "the "+d.noun+" "+code(d.name)+" was "+v+tail).condensed(code(d.name), "the "+many+" "+slot+" were "+v)
	return true
}
