// Package phrase puts code and facts into English: names of nodes, clauses for conditions,
// verb phrases for statements, quotations, articles, lists, the templates of rules and the
// limit of words. It is the only room with English; rules fill slots with its phrases.
//
// What decides whether a fact holds may not come in.
package phrase

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/pseudoref/symbolic/fact"
)

// Fill puts slots into the template of a rule. all is the text for {names}, and several
// says that there are several of them: then {was|were} is "were". A part in square
// brackets is left out if a slot in it is empty. Backticks in slots stay as they are.
func Fill(template string, s fact.Slots, all string, several bool) string {
	var out strings.Builder
	start, missing := -1, false // of the part in brackets
	for i := 0; i < len(template); i++ {
		switch c := template[i]; c {
		case '[':
			start, missing = out.Len(), false
		case ']':
			if missing {
				kept := out.String()[:start]
				out.Reset()
				out.WriteString(kept)
			}
			start = -1
		case '{':
			end := i + strings.IndexByte(template[i:], '}')
			text := slotText(template[i+1:end], s, all, several)
			missing = missing || text == ""
			out.WriteString(text)
			i = end
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// slotText is what stands for a slot of a template.
func slotText(name string, s fact.Slots, all string, several bool) string {
	switch name {
	case "objects":
		return Either(several, Several(s.Object), s.Object)
	case "names":
		return all
	}
	if slot := s.Named(name); slot != nil {
		return *slot
	}
	one, many, _ := strings.Cut(name, "|")
	return Either(several, many, one)
}

// Several returns the plural of a noun.
func Several(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	for _, end := range []string{"ch", "sh", "s", "x"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// choice is a word for one name and a word for several in a template.
var choice = regexp.MustCompile(`\{([^{}|]*)\|[^{}]*\}`)

// Show returns a template as a sentence for the reader of the catalogue: with its slots and
// optional parts, and the words for one name.
func Show(template string) string {
	s := choice.ReplaceAllString(template, "$1")
	return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] + "."
}
