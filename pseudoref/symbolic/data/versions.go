package data

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/fact"
)

// What a project depends on, and in which version.

// dependency is a thing that is depended on.
type dependency struct {
	noun          string // "dependency", "action"
	name, version string
}

// dependencyKeys are the tables whose keys are names and whose values are versions.
var dependencyKeys = map[string]string{
	"dependencies": "dependency", "devdependencies": "development dependency", "peerdependencies": "peer dependency", "optionaldependencies": "optional dependency",
	"dev-dependencies": "development dependency", "build-dependencies": "build dependency", "require": "dependency", "require-dev": "development dependency",
	"packages": "dependency", "dev-packages": "development dependency", "requires": "build requirement", "resolutions": "resolution", "engines": "engine",
}

var (
	versionLike  = regexp.MustCompile(`^(?:[\^~=<>!vV]{0,2}\s*v?\d+(?:\.[\dxX*]+)*\S*|\*|latest|workspace:\S*)(?:\s*(?:,|\|\||\s|-)\s*[\^~=<>!]{0,2}\s*v?\d[\w.*+-]*)*$`)
	versionStart = regexp.MustCompile(`^(?:[\^~=<>!vV\s]|release-|v)*\d`)
	versionNum   = regexp.MustCompile(`\d+(?:\.\d+)*`)
	artifact     = regexp.MustCompile(`^(?:dependency|parent|plugin|\w*Reference|PackageVersion)$`)
	manifestName = regexp.MustCompile(`^(?:package\.json|composer\.json|cargo\.toml|bower\.json|pipfile)$`)
	ownVersion   = regexp.MustCompile(`^(?:version|edition|rust-version|node|npm|yarn|pnpm|php|name|resolver|lockfileVersion|packageManager|port)$`)
)

// dependencyOf tells what a node says of a dependency.
func (t *teller) dependencyOf(n *outline.Node) (dependency, bool) {
	d := dependency{noun: "dependency", name: n.Name, version: n.Value}
	if n.Parent == nil {
		return d, false
	}
	parent := strings.ToLower(n.Parent.Name)
	if len(n.Kids) > 0 {
		d.version = map[bool]string{true: n.Get("version")}[t.format == outline.TOML]
	}
	table := dependencyKeys[parent]
	switch {
	case n.Kind == outline.Element && artifact.MatchString(n.Name):
		d.name, d.version = cmp.Or(n.Get("artifactId"), n.Get("Include"), n.Get("Update")), cmp.Or(n.Get("version"), n.Get("Version"))
		return d, d.name != ""
	case n.Type == "plugin" || strings.HasSuffix(n.Type, "dependency"):
		d.noun = n.Type
	case n.Type == "base image", n.Kind == outline.Key && n.Name == "image" && len(n.Kids) == 0 && n.Value != "":
		d.noun = cmp.Or(n.Type, "image")
		d.name, d.version = imageParts(n.Value)
	case n.Kind != outline.Key || n.Type != "":
		return d, false
	case n.Name == "uses" && strings.Contains(n.Value, "@"):
		d.noun = "action"
		d.name, d.version, _ = strings.Cut(n.Value, "@")
	default:
		d.noun = cmp.Or(table, d.noun)
		return d, versionLike.MatchString(d.version) && (table != "" || n.Loose && t.looseDependency(n, d))
	}
	return d, true
}

// looseDependency tells whether a key whose table a hunk does not show names a dependency.
func (t *teller) looseDependency(n *outline.Node, d dependency) bool {
	known := manifestName.MatchString(strings.ToLower(path.Base(t.file.Path()))) || t.format == outline.JSON && strings.IndexByte("^~", d.version[0]) >= 0
	return !ownVersion.MatchString(n.Name) && (known || len(n.Kids) > 0)
}

// imageParts splits the reference of an image into its name and its tag.
func imageParts(s string) (name, tag string) {
	s, _, _ = strings.Cut(s, " ")
	if i := strings.LastIndexAny(s, ":@"); i > strings.LastIndexByte(s, '/') && !strings.Contains(s[i:], "}") {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// dependencyEdit tells what became of a dependency. It answers false where the edit is
// about something else.
func (t *teller) dependencyEdit(e outline.Edit) bool {
	if e.Renamed {
		return false
	}
	if e.Old != nil && e.New != nil {
		a, okA := t.dependencyOf(t.versioned(e.Old))
		b, okB := t.dependencyOf(t.versioned(e.New))
		if !okA || !okB || a.name != b.name || a.version == b.version {
			return false
		}
		t.versionChanged(e, a, b)
		return true
	}
	n, added := cmp.Or(e.New, e.Old), e.New != nil
	d, ok := t.dependencyOf(n)
	if !ok || n.Name == "uses" || n.Name == "image" || d.noun == "base image" {
		return false
	}
	version := ""
	if added && strings.Trim(d.version, "*") != "" {
		version = phrase.Code(strings.TrimPrefix(d.version, "=="))
	}
	t.say(e, "dependency-"+fact.Verb(added), "", fact.Slots{Object: d.noun, New: version}, phrase.Code(d.name))
	return true
}

// versioned returns the node of the dependency whose version an edit is about.
func (t *teller) versioned(n *outline.Node) *outline.Node {
	p := n.Parent
	switch {
	case n.Kind == outline.Text && p.Name == "version":
		return p.Parent
	case n.Type == outline.Attribute && n.Name == "Version":
		return p
	}
	return n
}

// versionChanged tells that a version is another now.
func (t *teller) versionChanged(e outline.Edit, a, b dependency) {
	name, in := phrase.Code(b.name), ""
	if b.noun == "image" {
		in = t.in(e.New, " of ")
	}
	x, y := cmp.Or(a.version, "any"), cmp.Or(b.version, "any")
	if strings.HasPrefix(x, "==") == strings.HasPrefix(y, "==") {
		x, y = strings.TrimPrefix(x, "=="), strings.TrimPrefix(y, "==")
	}
	s := fact.Slots{Object: "the " + b.noun + " " + name + in, Old: phrase.Code(x), New: phrase.Code(y)}
	id := map[int]string{-1: "dependency-upgraded", 1: "dependency-downgraded"}[compareVersions(x, y)]
	switch {
	case id == "":
		s.Object = "the version of " + s.Object
		t.say(e, "dependency-changed", "", s)
		return
	case in == "":
		s.Form, s.Object = "named", b.noun
		t.say(e, id, "", s, name)
	default:
		t.say(e, id, "", s)
	}
	if m, n := versionParts(x), versionParts(y); id == "dependency-upgraded" && m[0] != n[0] && n[0] < 1000 {
		t.say(e, "major-upgrade", "", fact.Slots{Object: name, New: strconv.Itoa(n[0])})
	}
}

func versionRules() []fact.Rule {
	graded := func(id, verb string) fact.Rule {
		return fact.Claim(id, fact.Signature, "{object} was "+verb+" from {old} to {new}").
			Or("named", "the {objects} {names} {was|were} "+verb+" from {old} to {new}")
	}
	return slices.Concat(
		fact.Both("dependency", fact.Declare, "the {objects} {names} {was|were} {added}[ with the version {new}]"),
		fact.Changed("dependency", fact.Signature),
		[]fact.Rule{
			graded("dependency-upgraded", "upgraded"),
			graded("dependency-downgraded", "downgraded"),
			fact.Implication("major-upgrade", "the new major version {new} of {object} may bring breaking changes"),
		},
	)
}

// versionParts reads the first version number in a text; it has at least one part.
func versionParts(s string) []int {
	var out []int
	for _, p := range strings.SplitN(versionNum.FindString(s), ".", 8) {
		n, _ := strconv.Atoi(p)
		out = append(out, n)
	}
	return out
}

// compareVersions orders two versions by their first numbers; 0 where they are alike,
// say nothing, or one says only the beginning of the other.
func compareVersions(a, b string) int {
	if !versionStart.MatchString(a) || !versionStart.MatchString(b) {
		return 0
	}
	x, y := versionParts(a), versionParts(b)
	k := min(len(x), len(y))
	return slices.Compare(x[:k], y[:k])
}
