package data

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/phrase"
)

// dialect is what a file of keys is for, which tells what its keys and items are called.
type dialect struct {
	file  *regexp.Regexp // fits the path of the file, in lower case
	nouns []string       // a path of keys and its noun each
}

// dialects are those that have nouns. In a path, * is any key, ** any number of them,
// and [] an item of a list.
var dialects = []dialect{
	{regexp.MustCompile(`\.github/workflows/`), []string{
		"**.steps[] step", "jobs.* job", "on.*.branches[] branch", "on.* trigger", "on[] trigger",
		"**.env.* environment variable", "**.with.* input", "**.permissions.* permission", "**.needs[] dependency",
	}},
	{regexp.MustCompile(`compose[^/]*\.ya?ml$`), []string{
		"services.*.environment.* environment variable", "services.*.environment[] environment variable",
		"services.*.ports[] port mapping", "services.*.volumes[] volume mount", "services.*.depends_on[] dependency",
		"services.* service", "volumes.* volume", "networks.* network",
	}},
}

// nounsOf returns the nouns of a file, which its name tells.
func nounsOf(path string) []string {
	for _, d := range dialects {
		if d.file.MatchString(strings.ToLower(path)) {
			return d.nouns
		}
	}
	return nil
}

// trail is the way from the root to a node, as the paths of nouns write it. It begins
// anew below what a hunk leaves open.
func trail(n *outline.Node) []string {
	var out []string
	for p := n; p != nil && p.Kind != outline.Root && len(out) < 50; p = p.Parent {
		out = append(out, phrase.Either(p.Kind == outline.Item, "[]", p.Name))
		if p.Loose {
			out = append(out, "?")
			break
		}
	}
	slices.Reverse(out)
	return out
}

// fits tells whether a trail is on a path.
func fits(path string, at []string) bool {
	ps := strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
	if ps[0] == "**" {
		ps = ps[1:]
		at = at[max(0, len(at)-len(ps)):]
	}
	return slices.EqualFunc(ps, at, func(p, k string) bool { return p == k || p == "*" && k != "[]" && k != "?" })
}

// hasNoun tells whether a node is more than a key or an item.
func (t *teller) hasNoun(n *outline.Node) bool {
	one := t.nounOf(n)
	return one != "key" && one != "item" && one != ""
}

// nounOf says what a node is called: "step", "property", or else "key" or "item". It is
// empty for an element or a text.
func (t *teller) nounOf(n *outline.Node) string {
	switch n.Kind {
	case outline.Key, outline.Item:
	default:
		return ""
	}
	if n.Type == "" && len(t.nouns) > 0 {
		at := trail(n)
		for _, x := range t.nouns {
			if path, noun, _ := strings.Cut(x, " "); fits(path, at) {
				return noun
			}
		}
	}
	return cmp.Or(n.Type, phrase.Either(n.Kind == outline.Item, "item", "key"))
}
