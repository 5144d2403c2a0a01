package data

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// dialect is what a file of keys is for, which tells what its keys and items are called.
type dialect struct {
	file   *regexp.Regexp   // of the path; nil where it says nothing
	keys   string           // all of which stand at the top; "" where they say nothing
	format []outline.Format // that has these keys
	nouns  string           // see nounOf
}

// dialects are those that have nouns. In a path, * is any key, ** any number of them,
// and [] an item of a list.
var dialects = []dialect{
	{regexp.MustCompile(`\.github/workflows/`), "jobs on", []outline.Format{outline.YAML}, "**.steps[] step; jobs.* job; on.*.branches[] branch; on.* trigger; on[] trigger; " +
		"**.env.* environment variable; **.with.* input; **.permissions.* permission; **.needs[] dependency"},
	{regexp.MustCompile(`compose[^/]*\.ya?ml$`), "services version", []outline.Format{outline.YAML}, "services.*.environment.* environment variable; services.*.environment[] environment variable; " +
		"services.*.ports[] port mapping; services.*.volumes[] volume mount; services.*.depends_on[] dependency; services.* service; volumes.* volume; networks.* network"},
	{nil, "apiVersion kind", []outline.Format{outline.YAML}, "**.env[] environment variable; **.containers[] container; **.ports[] port; **.volumes[] volume; **.volumeMounts[] volume mount; " +
		"**.labels.* label; **.annotations.* annotation; rules[] rule"},
	{regexp.MustCompile(`(?:package|composer)\.json$`), "", nil, "scripts.* script; files[] published file"},
	{regexp.MustCompile(`(?:^|/)\.env[^/]*$|\.env$`), "", nil, "* environment variable"},
}

// nounsOf returns the nouns of a file, by its name or else by the keys of either side.
func nounsOf(path string, format outline.Format, sides ...*outline.Node) []string {
	for _, d := range dialects {
		fits := d.file != nil && d.file.MatchString(strings.ToLower(path))
		for _, r := range sides {
			all := d.keys != "" && slices.Contains(d.format, format)
			for _, k := range strings.Fields(d.keys) {
				all = all && r.Kid(k) != nil
			}
			fits = fits || all
		}
		if fits {
			return strings.Split(d.nouns, "; ")
		}
	}
	return nil
}

// trail is the way from the root to a node, as the paths of nouns write it. It begins
// anew below what a hunk leaves open.
func trail(n *outline.Node) []string {
	var out []string
	for p := n; p != nil && p.Kind != outline.Root && p.Type != outline.Document && len(out) < 50; p = p.Parent {
		if p.Kind == outline.Item {
			out = append(out, "[]")
		} else {
			out = append(out, p.Name)
		}
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
		if ps = ps[1:]; len(at) < len(ps) {
			return false
		}
		at = at[len(at)-len(ps):]
	}
	return slices.EqualFunc(ps, at, func(p, k string) bool { return p == k || p == "*" && k != "[]" && k != "?" })
}

// nounOf says what a key or an item is called; it is empty where it is only that.
func (t *teller) nounOf(n *outline.Node) string {
	switch {
	case n.Kind != outline.Key && n.Kind != outline.Item || n.Type == outline.Document:
		return ""
	case n.Type != "":
		return n.Type
	case len(t.nouns) > 0:
		at := trail(n)
		for _, x := range t.nouns {
			if path, noun, _ := strings.Cut(x, " "); fits(path, at) {
				return noun
			}
		}
	}
	return ""
}
