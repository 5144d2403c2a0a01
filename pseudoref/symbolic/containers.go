package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// Images of containers: Dockerfiles.

var (
	installs = regexp.MustCompile(`^(?:sudo\s+)?(?:DEBIAN_FRONTEND=\S+\s+)?(apt-get|apt|apk|yum|dnf|microdnf|zypper|pip3?|python3? -m pip|npm|yarn|pnpm|gem|go|cargo|brew|poetry)\s+(?:-\S+\s+)*(install|add|get|i)\b\s*(.*)$`)
	aptClean = regexp.MustCompile(`rm -rf? /var/lib/apt/lists`)
	chores   = regexp.MustCompile(`^(?:sudo )?(?:(?:apt-get|apt|apk|yum|dnf) (?:-\S+ )*(?:update|clean|autoclean|autoremove|makecache)\b|rm -rf? /var/(?:lib/apt|cache))`)
	curlPipe = regexp.MustCompile(`(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b`)
)

// packages lists what a command installs; ok is false for other commands.
func packages(cmd string) (names []string, tool string, ok bool) {
	m := installs.FindStringSubmatch(cmd)
	if m == nil {
		return nil, "", false
	}
	skip := false
	for _, w := range strings.Fields(m[3]) {
		switch {
		case skip:
			skip = false
		case w == "-r" || w == "-t" || w == "-c" || w == "--virtual" || w == "--repository":
			skip = true
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "$") || strings.ContainsAny(w, "|<>&"):
		default:
			names = append(names, strings.Trim(w, `"'`))
		}
	}
	return names, m[1], true
}

// imageEdit tells what became of an instruction.
func (t *teller) imageEdit(e outline.Edit) {
	n := e.New
	if n == nil {
		n = e.Old
	}
	if n.Kind != outline.Instruction {
		t.instructionPart(e, n)
		return
	}
	word := "the `" + n.Type + "` instruction"
	switch {
	case e.Moved:
		t.claim(e, wBehaviour, "instruction-moved", "", word+" for "+code(t.given(n))+" was moved to another place")
	case e.Old != nil && e.New != nil:
		t.instructionChanged(e)
	default:
		t.instructionCame(e, n, e.New != nil)
	}
}

// given is what an instruction works on, in short.
func (t *teller) given(n *outline.Node) string {
	if n.Value != "" {
		return n.Value
	}
	var out []string
	for _, k := range n.Kids {
		switch k.Kind {
		case outline.Item:
			out = append(out, k.Value)
		case outline.Key:
			out = append(out, k.Name)
		}
	}
	return strings.Join(out, " ")
}

func (t *teller) instructionChanged(e outline.Edit) {
	a, b := e.Old, e.New
	x, y := apart(t.given(a), t.given(b))
	if a.Type != b.Type {
		t.claim(e, wBehaviour, "instruction-changed", "", "`"+b.Type+"` is now used instead of `"+a.Type+"` for "+code(t.given(b)))
		return
	}
	if e.Renamed && a.Value == b.Value {
		t.claim(e, wDeclare, "stage-renamed", "", "the build stage "+code(a.Name)+" is now called "+code(b.Name))
		return
	}
	switch b.Type {
	case "FROM":
		if a.Value == b.Value {
			return
		}
		what := "the base image"
		if b.Name != "" {
			what += " of the stage " + code(b.Name)
		}
		an, at := imageParts(a.Value)
		bn, bt := imageParts(b.Value)
		if an == bn && strings.HasPrefix(at, "sha256:") && strings.HasPrefix(bt, "sha256:") {
			t.claim(e, wSignature, "base-image-changed", "", what+" "+code(bn)+" was pinned to another digest")
			return
		}
		t.claim(e, wSignature, "base-image-changed", "", what+" was changed from "+x+" to "+y)
		switch order := compareVersions(at, bt); {
		case an != bn:
			t.implies(e, "base-image-other", "packages and paths of "+code(an)+" may be missing or differ in "+code(bn))
		case order < 0 && major(at) != major(bt) && major(bt) < 1000:
			t.implies(e, "major-upgrade", "the new major version "+code(bt)+" of "+code(bn)+" may bring breaking changes")
		case order > 0:
			t.implies(e, "base-image-downgraded", "the base image "+code(bn)+" was downgraded")
		case strings.Contains(bt, "alpine") && !strings.Contains(at, "alpine"):
			t.implies(e, "base-image-other", "Alpine uses musl and other packages, so native libraries may not work as before")
		}
		t.unpinnedImage(e, b)
	case "USER":
		t.claim(e, wBehaviour, "user-changed", "", "the container now runs as "+y+" instead of "+x)
		t.asRoot(e, b)
	case "WORKDIR":
		t.claim(e, wBehaviour, "instruction-changed", "", "the working directory was changed from "+x+" to "+y)
	case "CMD", "ENTRYPOINT":
		what := map[string]string{"CMD": "the default command", "ENTRYPOINT": "the entry point"}[b.Type]
		t.claim(e, wBehaviour, "instruction-changed", "", what+" of the image was changed from "+x+" to "+y)
		if strings.HasPrefix(a.Value, "[") != strings.HasPrefix(b.Value, "[") {
			form := map[bool]string{true: "the command no longer runs in a shell, so it gets signals itself", false: "the command now runs in a shell, which does not pass signals on"}[strings.HasPrefix(b.Value, "[")]
			t.implies(e, "command-form", form)
		}
	case "COPY", "ADD":
		t.claim(e, wBehaviour, "instruction-changed", "", "`"+b.Type+"` now copies "+y+" instead of "+x)
	case "RUN", "ENV", "ARG", "LABEL", "EXPOSE", "VOLUME":
	default:
		t.claim(e, wBehaviour, "instruction-changed", "", "the `"+b.Type+"` instruction was changed from "+x+" to "+y)
	}
}

func (t *teller) unpinnedImage(e outline.Edit, n *outline.Node) {
	name, tag := imageParts(n.Value)
	stage := false
	for _, k := range t.root.Kids {
		stage = stage || k.Type == "FROM" && k.Name == n.Value
	}
	if (tag == "" || tag == "latest") && name != "scratch" && !stage && !strings.Contains(name, "$") {
		t.implies(e, "unpinned-version", "the base image "+code(name)+" is not pinned to a version, so it can change unnoticed")
	}
}

func (t *teller) asRoot(e outline.Edit, n *outline.Node) {
	if n.Value == "root" || n.Value == "0" {
		t.implies(e, "runs-as-root", "the container runs as root, which gives an intruder more rights")
	}
}

func (t *teller) instructionCame(e outline.Edit, n *outline.Node, added bool) {
	v := verb(added)
	rule := "instruction-" + v
	given := code(t.given(n))
	switch n.Type {
	case "FROM":
		if n.Name != "" {
			t.claim(e, wDeclare, "stage-"+v, "", "the build stage "+code(n.Name)+" from "+code(n.Value)+" was "+v)
		} else {
			t.claim(e, wDeclare, "stage-"+v, "", "a build stage from "+code(n.Value)+" was "+v)
		}
		if added {
			t.unpinnedImage(e, n)
		}
	case "USER":
		if added {
			t.claim(e, wBehaviour, "user-added", "", "the container now runs as the user "+given)
			t.asRoot(e, n)
			return
		}
		t.claim(e, wBehaviour, "user-removed", "", "the container no longer runs as the user "+given)
		if t.whole && !t.has("USER") {
			t.implies(e, "runs-as-root", "without `USER` the container runs as root")
		}
	case "ENV", "ARG", "LABEL", "EXPOSE", "VOLUME":
		for _, k := range n.Kids {
			if k.Kind != outline.Attribute {
				t.instructionPart(sided(k, added), k)
			}
		}
	case "RUN":
		installing := false
		for _, k := range n.Of(outline.Item) {
			installing = installing || installs.MatchString(k.Value)
		}
		for _, k := range n.Kids {
			if k.Kind == outline.Item && !(installing && chores.MatchString(k.Value)) {
				t.instructionPart(sided(k, added), k)
			}
		}
	case "COPY", "ADD":
		what := given
		if w := strings.Fields(n.Value); len(w) == 2 {
			what = code(w[0]) + " to " + code(w[1])
			if w[0] == "." {
				what = "the whole build context to " + code(w[1])
			}
		}
		from := ""
		for _, k := range n.Kids {
			if s, ok := strings.CutPrefix(k.Name, "--from="); ok {
				from = " from " + code(s)
			}
		}
		if added {
			t.claim(e, wBehaviour, rule, "", "the image now copies "+what+from)
			if n.Type == "ADD" && !strings.Contains(n.Value, "http") && !strings.Contains(n.Value, ".tar") && !strings.Contains(n.Value, ".tgz") {
				t.implies(e, "add-not-copy", "`ADD` does more than `COPY`, which is enough for plain files")
			}
			if f := strings.Fields(n.Value); len(f) == 2 && f[0] == "." && from == "" {
				t.implies(e, "copies-all", "`COPY .` takes in everything that `.dockerignore` does not name")
			}
			return
		}
		t.claim(e, wBehaviour, rule, "", "the image no longer copies "+what+from)
	case "CMD", "ENTRYPOINT":
		what := map[string]string{"CMD": "the default command", "ENTRYPOINT": "the entry point"}[n.Type]
		t.claim(e, wBehaviour, rule, "", what+" "+given+" was "+v+" "+toFrom(added)+" the image")
	case "WORKDIR":
		if added {
			t.claim(e, wBehaviour, rule, "", "the working directory is now set to "+given)
		} else {
			t.claim(e, wBehaviour, rule, "", "the working directory is no longer set to "+given)
		}
	case "HEALTHCHECK":
		t.claim(e, wBehaviour, rule, "", "a health check was "+v)
	default:
		t.claim(e, wBehaviour, rule, "", "the `"+n.Type+"` instruction "+given+" was "+v)
	}
}

// has tells whether the new side has an instruction.
func (t *teller) has(kind string) bool {
	for _, k := range t.root.Kids {
		if k.Type == kind {
			return true
		}
	}
	return false
}

// sided is the edit of a part of what came or went.
func sided(n *outline.Node, added bool) outline.Edit {
	if added {
		return outline.Edit{New: n}
	}
	return outline.Edit{Old: n}
}

// instructionPart tells what became of a variable, a port or a command.
func (t *teller) instructionPart(e outline.Edit, n *outline.Node) {
	in := n.Parent.Type
	both := e.Old != nil && e.New != nil
	added := e.New != nil
	v := verb(added)
	switch {
	case n.Kind == outline.Attribute:
		t.claim(e, wDetail, "flag-"+v, "", "the flag "+code(n.Name)+" was "+v+" "+toFrom(added)+" the `"+in+"` instruction")
	case n.Kind == outline.Key:
		noun := map[string]string{"ENV": "environment variable", "ARG": "build argument", "LABEL": "label"}[in]
		rule := strings.ReplaceAll(noun, " ", "-")
		switch {
		case e.Renamed:
			t.claim(e, wDeclare, rule+"-renamed", "", "the "+noun+" "+code(e.Old.Name)+" was renamed to "+code(e.New.Name))
		case both:
			x, y := apart(e.Old.Value, e.New.Value)
			what := "the " + noun + " " + code(n.Name)
			if e.Old.Value == "" || e.New.Value == "" {
				t.claim(e, wValue, rule+"-changed", "", what+" was set to "+y)
				return
			}
			if compareVersions(e.Old.Value, e.New.Value) < 0 && strings.Contains(strings.ToLower(n.Name), "version") {
				t.claim(e, wValue, rule+"-changed", "", what+" was raised from "+x+" to "+y)
				return
			}
			t.claim(e, wValue, rule+"-changed", "", what+" was changed from "+x+" to "+y)
		case added && n.Value != "" && !looksSecret(n):
			t.claim(e, wDeclare, rule+"-added", "", "the "+noun+" "+code(n.Name)+" was added with the value "+code(n.Value)).condensed(code(n.Name), "the "+noun+"s "+slot+" were added")
		default:
			t.claim(e, wDeclare, rule+"-"+v, "", "the "+noun+" "+code(n.Name)+" was "+v).condensed(code(n.Name), "the "+noun+"s "+slot+" were "+v)
		}
		if added && looksSecret(n) {
			t.implies(e, "hardcoded-secret", "the value of "+code(n.Name)+" looks like a secret, which stays in the layers of the image")
		}
	case in == "EXPOSE":
		if both {
			t.claim(e, wValue, "port-changed", "", "the exposed port was changed from "+code(e.Old.Value)+" to "+code(e.New.Value))
			return
		}
		f := t.claim(e, wValue, "port-"+v, "", "the port "+slot+" is "+map[bool]string{true: "now", false: "no longer"}[added]+" exposed")
		f.many, f.names = "the ports "+slot+" are "+map[bool]string{true: "now", false: "no longer"}[added]+" exposed", []string{code(n.Value)}
	case in == "VOLUME":
		t.claim(e, wValue, "volume-"+v, "", "the volume "+code(n.Value)+" was "+v)
	case e.Moved:
		t.claim(e, wBehaviour, "command-moved", "", "the command "+code(n.Value)+" was moved to another place")
	case both:
		t.commandChanged(e)
	default:
		t.commandCame(e, n, added)
	}
}

func (t *teller) commandChanged(e outline.Edit) {
	a, b := e.Old.Value, e.New.Value
	pa, _, okA := packages(a)
	pb, tool, okB := packages(b)
	if okA && okB {
		gone, come := missing(pa, pb), missing(pb, pa)
		// Another version of a package is no other package.
		var versions [][2]string
		for i := 0; i < len(gone); i++ {
			for j := range come {
				if x, y := packageName(gone[i]), packageName(come[j]); x == y {
					versions = append(versions, [2]string{gone[i], come[j]})
					gone, come = append(gone[:i:i], gone[i+1:]...), append(come[:j:j], come[j+1:]...)
					i--
					break
				}
			}
		}
		for _, v := range versions {
			x, y := strings.Trim(v[0][len(packageName(v[0])):], "=@~<>"), strings.Trim(v[1][len(packageName(v[1])):], "=@~<>")
			t.claim(e, wBehaviour, "package-version", "", "the installed version of "+code(packageName(v[1]))+" was changed from "+orNone(x)+" to "+orNone(y))
		}
		if len(come) > 0 {
			t.claim(e, wBehaviour, "package-added", "", "the image now also installs "+list(codes(come))+" with `"+tool+"`")
		}
		if len(gone) > 0 {
			t.claim(e, wBehaviour, "package-removed", "", "the image no longer installs "+list(codes(gone))+" with `"+tool+"`")
		}
		if len(come)+len(gone)+len(versions) == 0 {
			x, y := apart(a, b)
			t.claim(e, wDetail, "command-changed", "", orElse(commandWords(a, b), "the command "+x+" was changed to "+y))
		}
		return
	}
	if what := commandWords(a, b); what != "" {
		t.claim(e, wBehaviour, "command-changed", "", what)
		return
	}
	x, y := apart(a, b)
	t.claim(e, wBehaviour, "command-changed", "", "the command "+x+" was changed to "+y)
}

// commandWords says which words of a long command changed; empty where that
// says less than both commands.
func commandWords(a, b string) string {
	x, y := strings.Fields(a), strings.Fields(b)
	name := 0
	for name < min(len(x), len(y), 3) && x[name] == y[name] && !strings.HasPrefix(x[name], "-") && !strings.ContainsAny(x[name], "/.$") {
		name++
	}
	if name == 0 || len(a)+len(b) < maxCode || len(y) == name || len(x) == name {
		return ""
	}
	gone, come := missing(x, y), missing(y, x)
	cmd := code(strings.Join(x[:name], " "))
	g, c := code(strings.Join(gone, " ")), code(strings.Join(come, " "))
	switch {
	case len(gone) == 0 && len(come) == 0 || len(gone)+len(come) > 6:
		return ""
	case len(gone) == 0:
		return "the command " + cmd + " is now also given " + c
	case len(come) == 0:
		return "the command " + cmd + " is no longer given " + g
	}
	return "the command " + cmd + " is now given " + c + " instead of " + g
}

var packageVersion = regexp.MustCompile(`(?:[=~<>]=?|@).*$`)

func packageName(s string) string {
	n := min(len(s), 1) // an @ in front is a part of the name
	return s[:n] + packageVersion.ReplaceAllString(s[n:], "")
}

func orNone(s string) string {
	if s == "" {
		return "any"
	}
	return code(s)
}

func (t *teller) commandCame(e outline.Edit, n *outline.Node, added bool) {
	v := verb(added)
	if names, tool, ok := packages(n.Value); ok && len(names) > 0 {
		how := map[bool]string{true: "the image now installs ", false: "the image no longer installs "}[added]
		t.claim(e, wBehaviour, "package-"+v, "", how+list(codes(names))+" with `"+tool+"`")
		if added && t.whole && strings.HasPrefix(tool, "apt") && !aptClean.MatchString(t.given(n.Parent)) {
			t.implies(e, "apt-lists-kept", "the lists of `apt` stay in the layer, which makes the image larger")
		}
		return
	}
	f := t.claim(e, wBehaviour, "command-"+v, "", "the command "+slot+" was "+v+" "+toFrom(added)+" the build")
	f.many, f.names = "the commands "+slot+" were "+v+" "+toFrom(added)+" the build", []string{code(n.Value)}
	if added && curlPipe.MatchString(n.Value) {
		t.implies(e, "unchecked-download", "a downloaded script is run without a check of what it is")
	}
}
