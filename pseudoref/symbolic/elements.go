package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// What elements are called and what they say.

// elementNoun names an element by what tells it from others: "the link to
// `/a`", "the `email` input `address`", "the `<div>` with the class `box`".
func elementNoun(n *outline.Node) string {
	get := func(names ...string) string {
		for _, a := range names {
			if v := n.Get(a); v != "" {
				return v
			}
		}
		return ""
	}
	text := firstText(n)
	tag := "`<" + n.Name + ">`"
	switch n.Name {
	case "a":
		if h := get("href", ":href"); h != "" && text != "" {
			return "the link " + quote(text, maxCode) + " to " + code(h)
		} else if h != "" {
			return "the link to " + code(h)
		}
	case "img":
		if s := get("src", ":src"); s != "" {
			return "the image " + code(s)
		}
	case "script":
		if s := get("src"); s != "" {
			return "the script " + code(s)
		}
		return "the inline script"
	case "style":
		return "the inline style sheet"
	case "link":
		if s := get("href"); s != "" {
			switch get("rel") {
			case "stylesheet":
				return "the style sheet " + code(s)
			case "icon", "shortcut icon":
				return "the icon " + code(s)
			}
			return "the `<link>` to " + code(s)
		}
	case "input", "textarea", "select":
		if s := get("name", "id", "v-model", "bind:value"); s != "" {
			if ty := get("type"); ty != "" {
				return "the " + code(ty) + " input " + code(s)
			}
			return "the " + tag + " " + code(s)
		}
		if ty := get("type"); ty != "" {
			return "the " + code(ty) + " input"
		}
	case "form":
		if s := get("action"); s != "" {
			return "the form for " + code(s)
		}
	case "meta":
		if s := get("name", "property", "http-equiv", "charset"); s != "" {
			return "the `<meta>` element " + code(s)
		}
	case "h1", "h2", "h3", "h4", "h5", "h6", "button", "label", "title", "th", "td", "option", "li", "p", "summary", "legend", "dt", "dd", "pre", "code":
		if text != "" {
			noun := map[byte]string{'h': "heading", 'b': "button", 'l': "label", 't': "title", 'o': "option"}[n.Name[0]]
			switch n.Name {
			case "th":
				noun = "table heading"
			case "td":
				noun = "table cell"
			case "p":
				noun = "paragraph"
			case "dt", "dd", "pre", "code":
				noun = tag
			case "li":
				noun = "list item"
			case "summary", "legend":
				noun = n.Name
			}
			return "the " + noun + " " + quote(text, maxCode)
		}
	}
	if n.Name == "ul" || n.Name == "ol" {
		if items := len(n.Of(outline.Element)); items > 0 && get("id") == "" && get("class") == "" {
			return "the list of " + plural(items, "item")
		}
	}
	switch n.Name {
	case "tr":
		if text != "" {
			return "the table row for " + listed(text)
		}
	case "span", "strong", "em", "b", "i", "small", "u", "mark", "kbd", "samp", "var", "sub", "sup", "caption", "figcaption", "blockquote":
		if text != "" && get("id") == "" {
			return "the " + tag + " " + quote(text, maxCode)
		}
	}
	if s := get("id"); s != "" {
		return "the " + tag + " " + code("#"+s)
	}
	if s := get("name"); s != "" {
		return "the " + tag + " " + code(s)
	}
	if s := get("class", "className"); s != "" {
		return "the " + tag + " with the class " + code(s)
	}
	if text != "" && len(n.Of(outline.Element)) == 0 {
		return "the " + tag + " " + quote(text, maxCode)
	}
	return "the " + tag + " element"
}

// firstText is the first text in an element.
func firstText(n *outline.Node) string {
	budget, found := 60, ""
	n.Walk(func(k *outline.Node) {
		if budget--; budget > 0 && found == "" && k.Kind == outline.Text {
			found = untemplated(k.Value)
		}
	})
	return found
}

// allText is what a reader of an element sees.
func allText(n *outline.Node) string {
	budget := 400
	var all []string
	n.Walk(func(k *outline.Node) {
		if budget--; budget > 0 && k.Kind == outline.Text {
			all = append(all, untemplated(k.Value))
		}
	})
	return strings.Join(strings.Fields(strings.Join(all, " ")), " ")
}

var (
	templateTag  = regexp.MustCompile(`\{%-?\s*(.*?)\s*-?%\}`)
	templateNote = regexp.MustCompile(`\{#.*?#\}|\{\{!--.*?--\}\}`)
)

// untemplated takes what a template engine reads out of a text.
func untemplated(s string) string {
	if !strings.Contains(s, "{%") && !strings.Contains(s, "{#") {
		return s
	}
	return strings.Join(strings.Fields(templateNote.ReplaceAllString(templateTag.ReplaceAllString(s, " "), " ")), " ")
}
