package symbolic

import (
	"path"
	"strconv"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// What a project depends on, and in which version.

// dependency is a thing that is depended on.
type dependency struct {
	noun          string // "dependency", "action"
	name, version string
	note          string // the comment behind it, where it may say the version of a commit
}

// dependencyKeys are the tables whose keys are names and whose values are
// versions.
var dependencyKeys = map[string]string{
	"dependencies": "dependency", "devdependencies": "development dependency", "peerdependencies": "peer dependency", "optionaldependencies": "optional dependency",
	"dev-dependencies": "development dependency", "build-dependencies": "build dependency", "require": "dependency", "require-dev": "development dependency",
	"packages": "dependency", "dev-packages": "development dependency", "requires": "build requirement", "resolutions": "resolution", "engines": "engine",
}

var (
	versionLike = regexp.MustCompile(`^(?:[\^~=<>!vV]{0,2}\s*v?\d+(?:\.[\dxX*]+)*\S*|\*|latest|workspace:\S*)(?:\s*(?:,|\|\||\s|-)\s*[\^~=<>!]{0,2}\s*v?\d[\w.*+-]*)*$`)
	versionNum  = regexp.MustCompile(`\d+(?:\.\d+)*`)
	commitID    = regexp.MustCompile(`^[0-9a-f]{40}$`)
	spec        = regexp.MustCompile(`^([A-Za-z0-9@][\w./@-]*?(?:\[[^\]]*\])?)\s*((?:[=<>!~^]=?)[^;]*)?(?:;.*)?$`)
)

// dependencyOf tells what a node says of a dependency.
func (t *teller) dependencyOf(n *outline.Node) (dependency, bool) {
	d := dependency{noun: "dependency", name: n.Name, version: n.Value, note: n.Note}
	parent := strings.ToLower(n.Parent.Name)
	switch {
	case n.Kind == outline.Key && strings.Contains(n.Type, "dependency"), n.Kind == outline.Key && n.Type == "plugin":
		d.noun = n.Type
	case n.Kind == outline.Key && len(n.Kids) == 0 && dependencyKeys[parent] != "" && parent != "requires" && versionLike.MatchString(n.Value):
		d.noun = dependencyKeys[parent]
	case n.Kind == outline.Key && len(n.Kids) > 0 && dependencyKeys[parent] != "" && n.Get("version") != "" && t.format == outline.TOML:
		d.noun, d.version = dependencyKeys[parent], n.Get("version")
	case n.Kind == outline.Key && n.Loose && len(n.Kids) == 0 && !notDependency(n.Name) && versionLike.MatchString(n.Value) && (t.manifestName() || t.format == outline.JSON && strings.IndexByte("^~", n.Value[0]) >= 0):
	case n.Kind == outline.Key && n.Loose && len(n.Kids) > 0 && t.format == outline.TOML && inlineDependency(n):
		d.version = n.Get("version")
	case n.Kind == outline.Item && t.format == outline.TOML && len(n.Kids) == 0 && (dependencyKeys[parent] != "" || strings.HasSuffix(parent, "dependencies") || n.Parent.Parent != nil && strings.HasSuffix(n.Parent.Parent.Name, "dependencies")):
		m := spec.FindStringSubmatch(n.Value)
		if m == nil {
			return d, false
		}
		d.name, d.version = m[1], m[2]
		if parent == "requires" {
			d.noun = "build requirement"
		}
	case n.Kind == outline.Key && n.Name == "uses" && strings.Contains(n.Value, "@"):
		d.noun = "action"
		d.name, d.version, _ = strings.Cut(n.Value, "@")
		if strings.Contains(d.name, ".github/workflows") {
			d.noun = "workflow"
		}
	case n.Kind == outline.Key && n.Name == "image" && len(n.Kids) == 0 && n.Value != "":
		d.noun = "image"
		d.name, d.version = imageParts(n.Value)
	case n.Kind == outline.Key && (n.Name == "version" || n.Name == "rev") && n.Parent.Kind == outline.Item && (n.Parent.Get("name") != "" || n.Parent.Get("repo") != ""):
		d.name = n.Parent.Get("name")
		if d.name == "" {
			d.name, d.noun = n.Parent.Get("repo"), "hook repository"
			d.name = d.name[strings.LastIndexByte(d.name, '/')+1:]
		}
	default:
		return d, false
	}
	return d, true
}

// inlineDependency tells whether a table is what Cargo and Poetry say of a
// dependency.
func inlineDependency(n *outline.Node) bool {
	for _, k := range n.Kids {
		switch k.Name {
		case "version", "path", "features", "default-features", "optional", "git", "branch", "package", "extras", "markers", "python", "registry":
		default:
			return false
		}
	}
	return versionLike.MatchString(n.Get("version"))
}

func (t *teller) manifestName() bool {
	switch strings.ToLower(path.Base(t.file.Path())) {
	case "package.json", "composer.json", "cargo.toml", "bower.json", "pipfile":
		return true
	}
	return false
}

func notDependency(name string) bool {
	switch name {
	case "version", "edition", "rust-version", "node", "npm", "yarn", "pnpm", "php", "name", "resolver", "lockfileVersion", "packageManager", "port":
		return true
	}
	return false
}

// imageParts splits the reference of an image into its name and its tag.
func imageParts(s string) (name, tag string) {
	if i := strings.IndexByte(s, '@'); i > 0 {
		return s[:i], s[i+1:]
	}
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, '/') && !strings.Contains(s[i:], "}") {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// dependencyEdit tells what became of a dependency. It answers false where the
// edit is about something else.
func (t *teller) dependencyEdit(e outline.Edit) bool {
	if e.Moved || e.Renamed {
		return false
	}
	if e.Old != nil && e.New != nil {
		at, bt := e.Old, e.New
		if (bt.Name == "version" || bt.Name == "rev") && bt.Parent.Kind == outline.Key && at.Parent.Kind == outline.Key {
			if _, ok := t.dependencyOf(bt.Parent); ok {
				at, bt = at.Parent, bt.Parent
			}
		}
		a, okA := t.dependencyOf(at)
		b, okB := t.dependencyOf(bt)
		if !okA || !okB {
			return false
		}
		if a.name != b.name {
			where := ""
			if b.noun == "image" || b.noun == "action" {
				where = t.in(e.New, " of ")
			} else {
				return false
			}
			t.claim(e, wSignature, b.noun+"-changed", "", "the "+b.noun+where+" was changed from "+code(e.Old.Value)+" to "+code(e.New.Value))
			t.risks(e)
			return true
		}
		where := ""
		if b.noun == "image" {
			where = t.in(e.New, " of ")
			if k, _ := e.New.Parent.Identity(); e.New.Parent.Kind == outline.Item && k == "image" {
				where = t.in(e.New.Parent, " of ") // the item is known by the image itself
			}
		}
		t.versionChanged(e, a, b, where)
		return true
	}
	n, added := e.New, true
	if n == nil {
		n, added = e.Old, false
	}
	d, ok := t.dependencyOf(n)
	if !ok || d.noun == "image" || d.noun == "action" || n.Name == "version" && n.Type == "" && n.Kind == outline.Key && n.Parent.Kind == outline.Item {
		return false
	}
	v := verb(added)
	head := "the " + d.noun + " " + code(d.name) + " was " + v
	if added && strings.Trim(d.version, "*") != "" {
		head += " with the version " + code(strings.TrimPrefix(d.version, "=="))
	}
	many := strings.TrimSuffix(d.noun, "y") + "ies"
	if !strings.HasSuffix(d.noun, "y") {
		many = d.noun + "s"
	}
	t.claim(e, wDeclare, one2rule(d.noun)+"-"+v, "", head).condensed(code(d.name), "the "+many+" "+slot+" were "+v)
	if added && !pinned(d.version) && (d.version == "*" || d.version == "latest" || d.version == "" && t.format == outline.Requirements) {
		t.implies(e, "unpinned-version", "the version of "+code(d.name)+" is not limited, so builds may take in a new one unnoticed")
	}
	return true
}

// versionChanged tells that a version is another now.
func (t *teller) versionChanged(e outline.Edit, a, b dependency, where string) {
	name := code(b.name)
	what := "the " + b.noun + " " + name + where
	many := strings.TrimSuffix(b.noun, "y") + "ies"
	if !strings.HasSuffix(b.noun, "y") {
		many = b.noun + "s"
	}
	rule := one2rule(b.noun)
	x, y := a.version, b.version
	if pinned(x) == pinned(y) {
		x, y = strings.TrimPrefix(x, "=="), strings.TrimPrefix(y, "==")
	}
	from, to := code(x), code(y)
	if commitID.MatchString(x) && commitID.MatchString(y) && compareVersions(a.note, b.note) < 0 {
		x, y = a.note, b.note // both are pinned to commits, whose versions are told
		from, to = code(x), code(y)
	}
	switch order := compareVersions(x, y); {
	case x == y && a.noun != b.noun:
		t.claim(e, wImport, "dependency-kind", "", "the "+a.noun+" "+name+" is now "+an(b.noun)).condensed(name, "what was "+an(a.noun)+" is now "+an(b.noun)+": "+slot)
	case x == "":
		t.claim(e, wSignature, rule+"-pinned", "", "the version of "+what+" is now limited to "+to).condensed(name, "the versions of "+slot+" are now limited")
	case y == "":
		t.claim(e, wSignature, rule+"-unpinned", "", "the version of "+what+" is no longer limited to "+from).condensed(name, "the versions of "+slot+" are no longer limited")
	case commitID.MatchString(y) && !commitID.MatchString(x):
		t.claim(e, wSignature, rule+"-pinned", "", what+" is now pinned to a commit instead of "+from).condensed(name, "the "+many+" "+slot+" are now pinned to commits")
	case commitID.MatchString(y) || strings.HasPrefix(y, "sha256:"):
		t.claim(e, wSignature, rule+"-changed", "", what+" was pinned to another commit or digest").condensed(name, "the "+many+" "+slot+" were pinned to other commits")
	case order < 0:
		t.claim(e, wSignature, rule+"-upgraded", "", what+" was upgraded from "+from+" to "+to).condensed(name, "the "+many+" "+slot+" were upgraded")
		if m, n := major(x), major(y); m >= 0 && m != n && n < 1000 {
			t.implies(e, "major-upgrade", "the new major version "+strconv.Itoa(n)+" of "+name+" may bring breaking changes")
		}
	case order > 0:
		t.claim(e, wSignature, rule+"-downgraded", "", what+" was downgraded from "+from+" to "+to).condensed(name, "the "+many+" "+slot+" were downgraded")
	case !pinned(x) && pinned(y):
		t.claim(e, wSignature, rule+"-pinned", "", what+" is now pinned to exactly "+to+" instead of "+from).condensed(name, "the "+many+" "+slot+" are now pinned to exact versions")
	case pinned(x) && !pinned(y):
		t.claim(e, wSignature, rule+"-unpinned", "", what+" is no longer pinned: "+to+" instead of exactly "+from).condensed(name, "the "+many+" "+slot+" are no longer pinned to exact versions")
	default:
		t.claim(e, wSignature, rule+"-changed", "", "the version of "+what+" was changed from "+from+" to "+to).condensed(name, "the versions of "+slot+" were changed")
	}
	t.risks(e)
}

// pinned tells whether a version is one, not a range.
func pinned(v string) bool {
	v = strings.TrimPrefix(strings.TrimSpace(v), "==")
	return v != "" && strings.IndexAny(v[:1], "0123456789v") == 0 && !strings.ContainsAny(v, "*xX,|<> ")
}

// versionParts reads the first version number in a text.
func versionParts(s string) []int {
	var out []int
	for _, p := range strings.Split(versionNum.FindString(s), ".") {
		if n, err := strconv.Atoi(p); err == nil && len(out) < 8 {
			out = append(out, n)
		}
	}
	return out
}

// compareVersions orders two versions by their first numbers; 0 where they are
// alike or say nothing.
func compareVersions(a, b string) int {
	if !versionStart.MatchString(a) || !versionStart.MatchString(b) {
		return 0
	}
	x, y := versionParts(a), versionParts(b)
	for i := range max(len(x), len(y)) {
		m, n := 0, 0
		if i < len(x) {
			m = x[i]
		}
		if i < len(y) {
			n = y[i]
		}
		if m != n {
			if i >= len(x) || i >= len(y) { // "3" and "3.1": how much is said
				return 0
			}
			return map[bool]int{true: -1, false: 1}[m < n]
		}
	}
	return 0
}

var versionStart = regexp.MustCompile(`^(?:[\^~=<>!vV\s]|release-|v)*\d`)

func major(v string) int {
	if p := versionParts(v); versionStart.MatchString(v) && len(p) > 0 {
		return p[0]
	}
	return -1
}
