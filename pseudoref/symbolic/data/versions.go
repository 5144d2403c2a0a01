package data

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

// What a project depends on, and in which version.

// dependency is a thing that is depended on: an "action", "actions/checkout", "v3".
type dependency struct{ noun, name, version string }

// dependencyKeys are the tables whose keys are names and whose values are versions.
var dependencyKeys = map[string]string{
	"dependencies": "dependency", "require": "dependency", "packages": "dependency", "peerdependencies": "peer dependency",
	"devdependencies": "development dependency", "dev-dependencies": "development dependency", "require-dev": "development dependency",
	"build-dependencies": "build dependency", "requires": "build requirement", "engines": "engine",
	"optionaldependencies": "optional dependency",
}

var (
	versionLike = regexp.MustCompile(`^(?:[\^~=<>!vV]{0,2}\s*v?\d\S*|\*|workspace:\S*)$`)
	// versionStart fits what can be compared with another version: ">=1.2", "release-3", and
	// not the hash of a commit, "192e21d".
	versionStart = regexp.MustCompile(`^(?:[\^~=<>!vV\s]|release-)*\d+(?:[^\da-f]|$)`)
	versionNum   = regexp.MustCompile(`\d+(?:\.\d+)*`)
	// artifact fits the elements of Maven and NuGet that name a dependency.
	artifact = regexp.MustCompile(`^(?:dependency|parent|plugin|\w*Reference|PackageVersion)$`)
	// manifestName fits files whose loose keys with versions are dependencies.
	manifestName = regexp.MustCompile(`^(?:package\.json|composer\.json|cargo\.toml|bower\.json|pipfile)$`)
	// ownVersion are keys beside those of dependencies, whose values look like versions.
	ownVersion = regexp.MustCompile(`^(?:version|edition|rust-version|node|npm|yarn|pnpm|php|name|resolver|lockfileVersion|port)$`)
	// imageTag splits the reference of an image into its name and its tag.
	imageTag = regexp.MustCompile(`^(\S+?)(?:[:@]([^\s/}]+))?(?:\s.*)?$`)
)

// dependencyOf tells what a node says of a dependency.
func (t *teller) dependencyOf(n *outline.Node) (dependency, bool) {
	d := dependency{noun: "dependency", name: n.Name, version: n.Value}
	if len(n.Kids) > 0 {
		d.version = phrase.Either(t.format == outline.TOML, n.Get("version"), "")
	}
	switch {
	case n.Parent == nil:
		return d, false
	case n.Kind == outline.Element && artifact.MatchString(n.Name):
		d.name, d.version = cmp.Or(n.Get("artifactId"), n.Get("Include"), n.Get("Update")), cmp.Or(n.Get("version"), n.Get("Version"))
		return d, d.name != ""
	case n.Type == "plugin" || strings.HasSuffix(n.Type, "dependency"): // of a format of lines
		d.noun = n.Type
	case n.Type == "base image", n.Kind == outline.Key && n.Name == "image" && n.Value != "":
		m := imageTag.FindStringSubmatch(n.Value)
		if d.noun = cmp.Or(n.Type, "image"); m != nil {
			d.name, d.version = m[1], m[2]
		}
		return d, m != nil
	case n.Kind != outline.Key || n.Type != "":
		return d, false
	case n.Name == "uses" && strings.Contains(n.Value, "@"): // actions/checkout@v3
		d.noun = "action"
		d.name, d.version, _ = strings.Cut(n.Value, "@")
	default:
		table := dependencyKeys[strings.ToLower(n.Parent.Name)]
		d.noun = cmp.Or(table, d.noun)
		// The table may not be in the hunk.
		known := len(n.Kids) > 0 || manifestName.MatchString(strings.ToLower(path.Base(t.file.Path()))) || strings.IndexAny(d.version, "^~") == 0
		return d, versionLike.MatchString(d.version) && (table != "" || n.Loose && known && !ownVersion.MatchString(n.Name))
	}
	return d, true
}

// dependencyEdit tells what became of a dependency. It answers false where the edit is about something else.
func (t *teller) dependencyEdit(e outline.Edit) bool {
	if e.Old != nil && e.New != nil {
		a, okA := t.dependencyOf(versioned(e.Old))
		b, okB := t.dependencyOf(versioned(e.New))
		if !okA || !okB || a.name != b.name || a.version == b.version {
			return false
		}
		t.versionChanged(e, a, b)
		return true
	}
	n, added := cmp.Or(e.New, e.Old), e.New != nil
	d, ok := t.dependencyOf(n)
	if !ok || d.noun == "action" || strings.HasSuffix(d.noun, "image") {
		return false // what uses it came or went, such as a step
	}
	version := "" // what it was no longer matters where it went
	if added && strings.Trim(d.version, "*") != "" {
		version = phrase.Code(strings.TrimPrefix(d.version, "=="))
	}
	t.say(e, "dependency-"+fact.Verb(added), "", fact.Slots{Object: d.noun, New: version}, phrase.Code(d.name))
	return true
}

// versioned returns the node of the dependency whose version an edit is about.
func versioned(n *outline.Node) *outline.Node {
	p := n.Parent
	switch {
	case n.Kind == outline.Text && p.Name == "version": // of Maven
		return p.Parent
	case n.Type == outline.Attribute && n.Name == "Version": // of NuGet
		return p
	}
	return n
}

// versionChanged tells that a version is another now.
func (t *teller) versionChanged(e outline.Edit, a, b dependency) {
	x, y := cmp.Or(a.version, "any"), cmp.Or(b.version, "any")
	// "==1.0" that became ">=1.0" keeps its sign.
	if strings.HasPrefix(x, "==") == strings.HasPrefix(y, "==") {
		x, y = strings.TrimPrefix(x, "=="), strings.TrimPrefix(y, "==")
	}
	name, s := phrase.Code(b.name), fact.Slots{Object: b.noun}
	s.Old, s.New = phrase.Apart(x, y)
	was, now := versionParts(x), versionParts(y)
	k := min(len(was), len(now)) // "3" says nothing against "3.1"
	switch slices.Compare(was[:k], now[:k]) {
	case 0: // `latest`, or a hash
		s.Object = "the version of the " + b.noun + " " + name
		t.say(e, "dependency-changed", "", s)
	case 1:
		t.say(e, "dependency-downgraded", "", s, name)
	case -1:
		t.say(e, "dependency-upgraded", "", s, name)
		if was[0] != now[0] && now[0] < 1000 { // no year
			t.say(e, "major-upgrade", "", fact.Slots{Object: name, New: strconv.Itoa(now[0])})
		}
	}
}

// versionRules are the rules about dependencies.
func versionRules() []fact.Rule {
	return slices.Concat(
		fact.Both("dependency", fact.Declare, "the {objects} {names} {was|were} {added}[ with the version {new}]"),
		fact.Changed("dependency", fact.Signature),
		[]fact.Rule{
			fact.Claim("dependency-upgraded", fact.Signature, "the {objects} {names} {was|were} upgraded from {old} to {new}"),
			fact.Claim("dependency-downgraded", fact.Signature, "the {objects} {names} {was|were} downgraded from {old} to {new}"),
			fact.Implication("major-upgrade", "the new major version {new} of {object} may bring breaking changes"),
		})
}

// versionParts reads the first version number in a text, or nothing where it cannot be compared with another.
func versionParts(s string) (out []int) {
	if versionStart.MatchString(s) {
		for _, p := range strings.SplitN(versionNum.FindString(s), ".", 8) {
			n, _ := strconv.Atoi(p)
			out = append(out, n)
		}
	}
	return out
}
