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
	file  *regexp.Regexp // of the path, in lower case; nil where it says nothing
	keys  string         // all of which stand at the top; "" where they say nothing
	nouns []string       // a path and its noun each
}

// dialects are those that have nouns. In a path, * is any key, ** any number of them,
// and [] an item of a list.
var dialects = []dialect{
	{regexp.MustCompile(`\.github/workflows/`), "jobs on", []string{
		"**.steps[] step", "jobs.* job", "on.*.branches[] branch", "on.* trigger", "on[] trigger",
		"**.env.* environment variable", "**.with.* input", "**.permissions.* permission", "**.needs[] dependency",
	}},
	{regexp.MustCompile(`compose[^/]*\.ya?ml$`), "services version", []string{
		"services.*.environment.* environment variable", "services.*.environment[] environment variable",
		"services.*.ports[] port mapping", "services.*.volumes[] volume mount", "services.*.depends_on[] dependency",
		"services.* service", "volumes.* volume", "networks.* network",
	}},
	{nil, "apiVersion kind", []string{
		"**.env[] environment variable", "**.containers[] container", "**.ports[] port", "**.volumes[] volume",
		"**.volumeMounts[] volume mount", "**.labels.* label", "**.annotations.* annotation", "rules[] rule",
	}},
	{regexp.MustCompile(`(?:package|composer)\.json$`), "", []string{"scripts.* script", "files[] published file"}},
	{regexp.MustCompile(`(?:^|/)\.env[^/]*$|\.env$`), "", []string{"* environment variable"}},
}

// nounsOf returns the nouns of a file, by its name or else by the keys of either side.
func nounsOf(path string, sides ...*outline.Node) []string {
	for _, d := range dialects {
		lacks := func(n *outline.Node) bool {
			return d.keys == "" || slices.ContainsFunc(strings.Fields(d.keys), func(k string) bool { return n.Kid(k) == nil })
		}
		if d.file != nil && d.file.MatchString(strings.ToLower(path)) || !lacks(sides[0]) || !lacks(sides[1]) {
			return d.nouns
		}
	}
	return nil
}

// trail is the way from the root to a node, as the paths of nouns write it. It begins
// anew below what a hunk leaves open.
func trail(n *outline.Node) []string {
	var out []string
	for p := n; p != nil && p.Kind != outline.Root && p.Type != outline.Document && len(out) < 50; p = p.Parent {
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

// nounOf says what a node is called: "step", "property", or else "key", "item" or
// "document".
func (t *teller) nounOf(n *outline.Node) string {
	switch n.Kind {
	case outline.Root:
		return outline.Document
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
