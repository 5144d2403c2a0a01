package data

import (
	"cmp"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/phrase"
)

// noun is what a node is called whose trail fits.
type noun struct {
	at  *regexp.Regexp
	one string
}

// dialects are what files of keys are for, by their paths in lower case: their keys and items
// have nouns. The first noun that fits is taken.
var dialects = []struct {
	file  *regexp.Regexp
	nouns []noun
}{
	{regexp.MustCompile(`\.github/workflows/`), []noun{
		{regexp.MustCompile(`/steps/-$`), "step"},
		{regexp.MustCompile(`^/jobs/[^/]+$`), "job"},
		{regexp.MustCompile(`^/on/[^/]+/branches/-$`), "branch"},
		{regexp.MustCompile(`^/on/[^/]+$`), "trigger"},
		{regexp.MustCompile(`/env/[^/]+$`), "environment variable"},
		{regexp.MustCompile(`/with/[^/]+$`), "input"},
		{regexp.MustCompile(`/permissions/[^/]+$`), "permission"},
		{regexp.MustCompile(`/needs/-$`), "dependency"},
	}},
	{regexp.MustCompile(`compose[^/]*\.ya?ml$`), []noun{
		{regexp.MustCompile(`^/services/[^/]+/environment/[^/]+$`), "environment variable"},
		{regexp.MustCompile(`^/services/[^/]+/ports/-$`), "port mapping"},
		{regexp.MustCompile(`^/services/[^/]+/volumes/-$`), "volume mount"},
		{regexp.MustCompile(`^/services/[^/]+/depends_on/-$`), "dependency"},
		{regexp.MustCompile(`^/services/[^/]+$`), "service"},
		{regexp.MustCompile(`^/volumes/[^/]+$`), "volume"},
		{regexp.MustCompile(`^/networks/[^/]+$`), "network"},
	}},
}

// nounsOf returns the nouns of a file, which its name tells.
func nounsOf(path string) []noun {
	for _, d := range dialects {
		if d.file.MatchString(strings.ToLower(path)) {
			return d.nouns
		}
	}
	return nil
}

// trail is the way from the root to a node, with a hyphen for an item: "/jobs/build/steps/-".
// It begins with a question mark below what a hunk leaves open.
func trail(n *outline.Node) string {
	way := ""
	for ; n.Kind != outline.Root; n = n.Parent {
		way = "/" + phrase.Either(n.Kind == outline.Item, "-", n.Name) + way
		if n.Loose {
			return "?" + way
		}
	}
	return way
}

// hasNoun tells whether a node is more than a key or an item.
func (t *teller) hasNoun(n *outline.Node) bool {
	one := t.nounOf(n)
	return one != "key" && one != "item" && one != ""
}

// nounOf says what a node is called: "step", "property", or else "key" or "item". It is
// empty for an element or a text.
func (t *teller) nounOf(n *outline.Node) string {
	if n.Kind != outline.Key && n.Kind != outline.Item {
		return ""
	}
	if n.Type == "" && len(t.nouns) > 0 {
		at := trail(n)
		for _, x := range t.nouns {
			if x.at.MatchString(at) {
				return x.one
			}
		}
	}
	return cmp.Or(n.Type, phrase.Either(n.Kind == outline.Item, "item", "key"))
}
