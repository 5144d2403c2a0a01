package data

import (
	"cmp"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/phrase"
)

// Beginnings of trails in files that people have nouns for.
const (
	workflow = `(?i)\.github/workflows/[^:]*:`
	compose  = `(?i)compose[^/:]*\.ya?ml:`
)

// nouns are what nodes are called whose trails, behind the paths of their files, fit. The first that fits is taken.
var nouns = []struct {
	at  *regexp.Regexp
	one string
}{
	{regexp.MustCompile(workflow + `.*/steps/-$`), "step"},
	{regexp.MustCompile(workflow + `/jobs/[^/]+$`), "job"},
	{regexp.MustCompile(workflow + `/on/[^/]+/branches/-$`), "branch"},
	{regexp.MustCompile(workflow + `/on/[^/]+$`), "trigger"},
	{regexp.MustCompile(workflow + `.*/env/[^/]+$`), "environment variable"},
	{regexp.MustCompile(workflow + `.*/with/[^/]+$`), "input"},
	{regexp.MustCompile(workflow + `.*/permissions/[^/]+$`), "permission"},
	{regexp.MustCompile(workflow + `.*/needs/-$`), "dependency"},
	{regexp.MustCompile(compose + `/services/[^/]+/environment/[^/]+$`), "environment variable"},
	{regexp.MustCompile(compose + `/services/[^/]+/ports/-$`), "port mapping"},
	{regexp.MustCompile(compose + `/services/[^/]+/volumes/-$`), "volume mount"},
	{regexp.MustCompile(compose + `/services/[^/]+/depends_on/-$`), "dependency"},
	{regexp.MustCompile(compose + `/services/[^/]+$`), "service"},
	{regexp.MustCompile(compose + `/volumes/[^/]+$`), "volume"},
	{regexp.MustCompile(compose + `/networks/[^/]+$`), "network"},
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
	for at, i := t.file.Path()+":"+trail(n), 0; i < len(nouns) && n.Type == "" && t.format == outline.YAML; i++ {
		if nouns[i].at.MatchString(at) {
			return nouns[i].one
		}
	}
	return cmp.Or(n.Type, phrase.Either(n.Kind == outline.Item, "item", "key"))
}
