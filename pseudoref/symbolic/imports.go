package symbolic

import (
	"slices"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// leftImports says which imports nothing uses any more.
func (w *writer) leftImports(b *tree) {
	if b == nil || w.oldWords == nil || w.newWords == nil || !b.root().traits().ImportsBind {
		return
	}
	k := 0
	for _, i := range b.root().kids() {
		if !i.is(syntax.Import) || w.fresh[i] {
			continue
		}
		if k++; k > maxImports {
			break
		}
		_, names := imported(i)
		for _, name := range names {
			if name = lastName(name); simpleName(name) && w.oldWords.of(name) > 1 && w.newWords.of(name) == 1 && standsIn(b.root(), name, false) <= standsIn(i, name, false) && !alias.MatchString(i.text()) {
				w.names(i, wFollows, "import-left", "", "nothing uses the imported "+slot+" any more", "nothing uses the imported "+slot+" any more", code(name)).kind = implication
			}
		}
	}
}

// imports says which names an import brings in.
func (w *writer) imports(n item, added bool) {
	module, ns := imported(n)
	v := verb(added)
	what, whats := "the import of ", "the imports of "
	if m := n.first(syntax.Modifier); m.ok() && strings.HasPrefix(m.text(), "pub") {
		what, whats = "the re-export of ", "the re-exports of "
	}
	from := ""
	if module != "" {
		from = " from " + code(module)
	}
	for _, name := range ns {
		if name == everything {
			w.say(n, wImport, "import-"+v, "", "the wildcard import"+from+" was "+v)
			continue
		}
		if w.importedBeside(n, module, name) {
			continue
		}
		if len(name) > maxCode && lastName(name) != "" {
			name = lastName(name)
		}
		of := from
		if name == module {
			of = "" // named like its module
		}
		w.names(n, wImport, "import-"+v, "", what+slot+of+" was "+v, whats+slot+of+" were "+v, code(name))
		w.importUse(n, lastName(name), added)
	}
	if added && strings.HasSuffix(strings.TrimRight(oneLine(n.text()), "; "), "*") {
		w.follows(n, "wildcard-import", "the wildcard import brings in every name, which hides where a name comes from")
	}
}

// wildcard and alias find imports that bring in names which they do not name,
// or name otherwise.
var (
	wildcard = regexp.MustCompile(`(?m)^\s*(?:import|from)\b.*\*`)
	alias    = regexp.MustCompile(`\bas\b`)
)

// importUse says that an added import is not used, or a removed one still is.
// Only some languages import a name that whoever uses the import must write.
func (w *writer) importUse(n item, name string, added bool) {
	if !n.traits().ImportsBind {
		return
	}
	i := n
	if x := n.under(syntax.Import); x.ok() {
		i = x
	}
	if module, _ := imported(i); module == "__future__" || i.traits().Public == syntax.PublicByExport && module == "" && !isRequire(n) {
		return // brings in no name
	}
	if w.newWords == nil || !simpleName(name) || alias.MatchString(i.text()) || name == "React" { // JSX uses React unseen
		return
	}
	switch {
	case added && standsIn(n.root(), name, false) <= standsIn(i, name, false):
		w.names(n, wFollows, "import-unused", "", "the imported "+slot+" is not mentioned anywhere else in the file", "the imported "+slot+" are not mentioned anywhere else in the file", code(name)).kind = implication
	case !added && w.newWords.of(name) > 0 && w.reads(len(w.newText)) && uses(w.newText, name) && !wildcard.Match(w.newText):
		w.names(n, wFollows, "import-still-used", "", "the file still uses "+slot+" after its import was removed", "the file still uses "+slot+" after their imports were removed", code(name)).kind = implication
	}
}

// maxImports bounds the imports of a file that are looked at.
const maxImports = 300

// importedBeside tells whether the other side imports a name from the same
// module too, in another statement, and says so where the new side does it twice.
func (w *writer) importedBeside(n item, module, name string) bool {
	if w.same == nil || module == "" {
		return false
	}
	t := w.same.old
	if n.tree == t {
		t = w.same.new
	}
	if !importedIn(t, module, name, item{}) {
		return false
	}
	if n.frag.Side == change.New {
		i := n
		if x := n.under(syntax.Import); x.ok() {
			i = x
		}
		if importedIn(n.tree, module, name, i) {
			w.names(n, wImport, "import-twice", "", slot+" is now imported twice from "+code(module), slot+" are now imported twice from "+code(module), code(name))
		}
	}
	return true
}

// importedIn tells whether a statement at the top of a tree, other than one, imports
// a name from a module.
func importedIn(t *tree, module, name string, but item) bool {
	k := 0
	for c := 1; c < len(t.nodes); c = t.nodes[c].last {
		i := item{t, c}
		if !i.is(syntax.Import) || i == but {
			continue
		}
		if k++; k > maxImports {
			break
		}
		if m, ns := imported(i); m == module && slices.Contains(ns, name) {
			return true
		}
	}
	return false
}

// everything stands for the names of a wildcard import.
const everything = "*"

// imported returns the module of an import and the names it brings in; where
// there are no names of their own, the module is the name.
func imported(n item) (module string, names []string) {
	if m := n.child("module_name", "source"); m.ok() {
		module = strings.Trim(oneLine(m.text()), `"'`)
		for _, k := range n.find(200, nil, syntax.Identifier) {
			if k.node().parent >= 0 && !m.contains(k) && !k.parent().is(syntax.Identifier) && k.field() != "alias" {
				names = append(names, k.text())
			}
		}
		if len(names) == 0 {
			if strings.Contains(n.text(), "*") {
				return module, []string{everything}
			}
			return "", []string{module}
		}
		return module, uniq(names)
	}
	if n.kind() == "import_statement" {
		for _, k := range n.namedKids() {
			names = append(names, oneLine(k.text()))
		}
		if len(names) > 0 {
			return "", names
		}
	}
	s := strings.TrimRight(oneLine(n.text()), "; ")
	if m := n.first(syntax.Modifier); m.ok() {
		s = strings.TrimSpace(strings.TrimPrefix(s, oneLine(m.text())))
	}
	if from, names, ok := strings.Cut(strings.TrimPrefix(s, "from "), " import "); ok && strings.HasPrefix(s, "from ") {
		return from, splitList(names)
	}
	if k := strings.Index(s, "{"); k > 0 && strings.HasSuffix(s, "}") { // use a\{b, c}
		s = withoutKeyword(s)
		k = strings.Index(s, "{")
		return strings.TrimRight(s[:k], `\:.`), splitList(s[k+1 : len(s)-1])
	}
	if n.traits().OuterAttributes { // Rust
		if m, name, ok := cutLast(withoutKeyword(s), "::"); ok {
			return m, []string{name}
		}
	}
	if p := n.child("path"); n.kind() == "preproc_include" && p.ok() {
		return "", []string{strings.Trim(oneLine(p.text()), `"<> `)}
	}
	if p := n.child("path"); p.ok() && n.kind() == "import_spec" { // Go
		s = oneLine(p.text())
	}
	return "", []string{strings.Trim(withoutKeyword(s), `;"'<> `)}
}

// withoutKeyword takes off the words by which an import begins.
func withoutKeyword(s string) string {
	for _, p := range []string{"import ", "static ", "using ", "use ", "function ", "const ", "#include ", "extern crate ", "require_relative ", "require ", "source "} {
		s = strings.TrimPrefix(s, p)
	}
	return s
}

func isRequire(n item) bool { return requireName(n) != "" }

// required lists the names that a declaration such as
// const { join } = require("path") brings in.
func required(n item) []string {
	for _, p := range n.find(4, nil, syntax.Collection) {
		if pattern(p) {
			var out []string
			for _, k := range p.namedKids() {
				if v := k.child("value", "left"); v.ok() {
					k = v
				}
				out = append(out, oneLine(k.text()))
			}
			return out
		}
	}
	return []string{nameOf(n)}
}

// requireName returns the module of a declaration such as
// const fs = require("fs"), or "".
func requireName(n item) string {
	if !n.is(syntax.Variable, syntax.Declarator) {
		return ""
	}
	v := valueOf(n)
	for i := 0; i < 4 && v.is(syntax.Member); i++ {
		if k := v.namedKids(); len(k) > 0 {
			v = k[0]
		}
	}
	if !v.is(syntax.Call) || callee(v) != "require" {
		return ""
	}
	if s := arguments(v).find(1, nil, syntax.String); len(s) == 1 {
		return unquoted(s[0].text())
	}
	return ""
}

func (w *writer) importChanged(a, b item) {
	ma, na := imported(a)
	mb, nb := imported(b)
	if ma != mb && slices.Equal(na, nb) && ma != "" {
		w.say(b, wImport, "import-source", "", list(codes(nb))+" is now imported from "+code(mb)+" instead of "+code(ma))
		return
	}
	if ma == mb && ma != "" {
		from := " from " + code(ma)
		for _, x := range na {
			if !slices.Contains(nb, x) {
				w.names(a, wImport, "import-removed", "", "the import of "+slot+from+" was removed", "the imports of "+slot+from+" were removed", code(x))
				w.importUse(a, lastName(x), false)
			}
		}
		for _, x := range nb {
			if !slices.Contains(na, x) {
				if w.importedBeside(b, mb, x) {
					continue
				}
				w.names(b, wImport, "import-added", "", "the import of "+slot+from+" was added", "the imports of "+slot+from+" were added", code(x))
				w.importUse(b, lastName(x), true)
			}
		}
		return
	}
	w.imports(a, false)
	w.imports(b, true)
}

// importPart says how the module or a name of an import changed.
func (w *writer) importPart(a, b item, e edit) {
	i := b.under(syntax.Import)
	module, names := imported(i)
	if m := i.child("module_name", "source"); m.contains(b) {
		old, before := imported(a.under(syntax.Import))
		names = slices.DeleteFunc(names, func(s string) bool { return !slices.Contains(before, s) })
		if len(names) == 0 && module != "" {
			return // the names are said to come and go
		}
		if len(names) == 0 || module == "" {
			module, old = unquoted(b.text()), unquoted(a.text())
		}
		what := list(codes(names))
		if module == "" || what == "" {
			what = "the module"
		}
		w.say(b, wImport, "import-source", "", verbFor(names, what)+" now imported from "+code(module)+" instead of "+code(old))
		return
	}
	w.part(a, edit{old: a, oldIn: a.under(syntax.Import)}, false)
	w.part(b, edit{new: b, newIn: i}, true)
}

func verbFor(names []string, what string) string {
	if len(names) > 1 {
		return what + " are"
	}
	return what + " is"
}

func codes(xs []string) []string {
	var out []string
	for _, x := range xs {
		out = append(out, code(x))
	}
	return out
}

// exported says that a name of a list of exports was added or removed.
func (w *writer) exported(n, in item, added bool) {
	name := n.child("alias")
	if !name.ok() {
		name = n.child("name")
	}
	if !name.ok() {
		name = n
	}
	from := ""
	if src := in.child("source"); src.ok() {
		from = " from " + say(src)
	}
	is, are := " is now exported", " are now exported"
	if !added {
		is, are = " is no longer exported", " are no longer exported"
	}
	w.names(n, wSignature, "export-"+verb(added), "", slot+is+from, slot+are+from, code(name.text()))
}
