package aboutness

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordLists string

// list is a section of words.txt: words between "# NAME" and the next section.
func list(name string) []string {
	_, rest, _ := strings.Cut(wordLists, "# "+name+"\n")
	section, _, _ := strings.Cut(rest, "\n# ")
	return strings.Fields(section)
}

// stemSet has the stems of words.
func stemSet(stems func(string) string, words []string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range words {
		for s := range strings.FieldsSeq(stems(w)) {
			out[s] = true
		}
	}
	return out
}

// pointers are words of a sentence that only points at names.
var pointers = map[string]bool{"see": true, "compare": true, "cf": true, "cc": true, "like": true, "e.g": true}

// proposal has the words of a section that come before, or behind, a name that the comment proposes.
var proposal = func() func(section string) map[string]bool {
	all := sync.OnceValue(func() map[string]map[string]bool {
		out := make(map[string]map[string]bool)
		for _, section := range []string{"proposals", "proposers", "names"} {
			out[section] = make(map[string]bool)
			for _, w := range list(section) {
				out[section][w] = true
			}
		}
		return out
	})
	return func(section string) map[string]bool { return all()[section] }
}()

// libraries are names, and first parts of names, of well-known libraries.
var libraries = sync.OnceValue(func() map[string]bool {
	out := make(map[string]bool)
	for _, w := range list("libraries") {
		out[w] = true
	}
	return out
})

// near is how many tokens may stand between a proposal and what it proposes, before and after it.
const near = 4

// markForeign finds the names of a sentence that a comment about the hunk may well have and the
// hunk not: those of libraries and exceptions, and those that the comment proposes. asks says that
// the sentence asks something.
func markForeign(parts []part, asks bool) {
	for _, p := range parts {
		asks = asks || !p.name && proposal("proposers")[strings.ToLower(p.text)]
	}
	at := -near - 1 // of the last proposal
	before := len(parts) + near
	for i := len(parts) - 1; i >= 0; i-- {
		if p := &parts[i]; p.name {
			p.foreign = before-i <= near || asks
		} else if proposal("names")[strings.ToLower(p.text)] {
			before = i
		}
	}
	for i := range parts {
		p := &parts[i]
		if !p.name {
			if proposal("proposals")[strings.ToLower(p.text)] {
				at = i
			}
			continue
		}
		name := strings.TrimSuffix(strings.Trim(p.text, "`\"“”( )[]{};,?!"), "(")
		p.foreign = p.foreign || i-at <= near || strings.HasPrefix(name, "@") || expr().exception.MatchString(strings.TrimRight(name, "()")) ||
			libraries()[strings.ToLower(name)] || libraries()[strings.ToLower(expr().head.FindString(name))] ||
			p.text[0] != '`' && strings.Contains(name, " ")
	}
}
