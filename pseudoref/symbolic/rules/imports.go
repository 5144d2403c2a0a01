package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// maxImports bounds the imports of a file that are looked at.
const maxImports = 300

// keywords are the words by which an import begins.
var keywords = regexp.MustCompile(`^(?:(?:pub|global|import|static|using|use|function|const|` +
	`#include|extern crate|require(?:_relative)?|source) )*`)

// alias finds imports that name otherwise what they bring in.
var alias = regexp.MustCompile(`\bas\b`)

// importsOf lists the imports at the top of a tree.
func importsOf(t *tree.Tree) []tree.Node {
	var out []tree.Node
	for c := 1; t != nil && c < t.Len() && len(out) < maxImports; c = t.At(c).Last() {
		if i := t.At(c); i.Is(syntax.Import) {
			out = append(out, i)
		}
	}
	return out
}

// leftImports says which imports nothing uses any more.
func (w *writer) leftImports(b *tree.Tree) {
	if b == nil || w.oldWords == nil || w.newWords == nil || !b.Root().Traits().ImportsBind {
		return
	}
	for _, i := range importsOf(b) {
		if w.fresh[i] || alias.MatchString(i.Text()) {
			continue
		}
		_, names := imported(i)
		for _, name := range names {
			name = tree.LastName(name)
			if phrase.SimpleName(name) && w.oldWords.Of(name) > 1 && w.newWords.Of(name) == 1 && !usedBeside(i, name) {
				w.add(i, "import-left", "", fact.Slots{}, phrase.Code(name))
			}
		}
	}
}

// usedBeside tells whether a name stands in the file beside its import.
func usedBeside(i tree.Node, name string) bool {
	return tree.StandsIn(i.Root(), name, false) > tree.StandsIn(i, name, false)
}

// imports says which names an import brings in.
func (w *writer) imports(n tree.Node, added bool) {
	module, names := imported(n)
	w.importNames(n, module, names, added)
}

// importNames says that names came from a module, or no longer do.
func (w *writer) importNames(n tree.Node, module string, names []string, added bool) {
	for _, name := range names {
		if added && strings.HasSuffix(name, everything) {
			w.add(n, "wildcard-import", "", fact.Slots{})
		}
		if !w.importedBeside(n, module, name) {
			w.imported(n, module, name, added)
		}
	}
}

// imported says that a name is imported, or no longer.
func (w *writer) imported(n tree.Node, module, name string, added bool) {
	var from fact.Slots
	if module != "" && module != name { // some are named like their module
		from.Of = phrase.Code(module)
	}
	if last := tree.LastName(name); len(name) > phrase.MaxCode && last != "" {
		name = last
	}
	w.add(n, "import-"+fact.Verb(added), "", from, phrase.Code(name))
	w.importUse(n, tree.LastName(name), added)
}

// importChanged says which names of an import came and went.
func (w *writer) importChanged(a, b tree.Node) {
	if w.done[b] {
		return
	}
	w.done[b] = true
	ma, na := imported(a)
	mb, nb := imported(b)
	if ma == mb {
		old := na
		na = slices.DeleteFunc(slices.Clone(na), func(s string) bool { return slices.Contains(nb, s) })
		nb = slices.DeleteFunc(nb, func(s string) bool { return slices.Contains(old, s) })
	}
	w.importNames(a, ma, na, false)
	w.importNames(b, mb, nb, true)
}

// importUse says that an added import is not used. Only some languages import a
// name that whoever uses the import must write.
func (w *writer) importUse(n tree.Node, name string, added bool) {
	if !added || !n.Traits().ImportsBind || w.newWords == nil || !phrase.SimpleName(name) || name == "React" { // JSX uses React unseen
		return
	}
	i := n.Under(syntax.Import)
	if !i.Ok() {
		i = n
	}
	if module, _ := imported(i); module == "__future__" || i.Traits().Public == syntax.PublicByExport && module == "" && !tree.IsRequire(n) {
		return // brings in no name
	}
	if !usedBeside(i, name) && !alias.MatchString(i.Text()) {
		w.add(n, "import-unused", "", fact.Slots{}, phrase.Code(name))
	}
}

// importedBeside tells whether the other side imports a name from the same
// module too, in another statement.
func (w *writer) importedBeside(n tree.Node, module, name string) bool {
	if w.same == nil || module == "" {
		return false
	}
	t := w.same.Old
	if n.Tree == t {
		t = w.same.New
	}
	return slices.ContainsFunc(importsOf(t), func(i tree.Node) bool {
		m, names := imported(i)
		return m == module && slices.Contains(names, name)
	})
}

// everything stands for the names of a wildcard import.
const everything = "*"

// imported returns the module of an import and the names it brings in; where
// there are no names of their own, the module is the name.
func imported(n tree.Node) (module string, names []string) {
	if m := tree.RequireName(n); m != "" {
		return m, []string{tree.NameOf(n)}
	}
	if m := n.Child("module_name", "source"); m.Ok() {
		module = strings.Trim(tree.OneLine(m.Text()), `"'`)
		for _, k := range n.Find(200, nil, syntax.Identifier) {
			if !m.Contains(k) && !k.Parent().Is(syntax.Identifier) && k.Field() != "alias" {
				names = append(names, k.Text())
			}
		}
		switch {
		case len(names) > 0:
			return module, phrase.Uniq(names)
		case strings.Contains(n.Text(), "*"):
			return module, []string{everything}
		}
		return "", []string{module}
	}
	return importText(n)
}

// importText is imported for an import that the tree does not take apart.
func importText(n tree.Node) (module string, names []string) {
	if p := n.Child("path"); p.Ok() && (n.Kind() == "preproc_include" || n.Kind() == "import_spec") {
		return "", []string{strings.Trim(tree.OneLine(p.Text()), "`\"<> ")}
	}
	s := strings.Trim(keywords.ReplaceAllString(tree.OneLine(n.Text()), ""), `;"'<> `)
	if from, names, ok := strings.Cut(strings.TrimPrefix(s, "from "), " import "); ok {
		return from, splitList(names)
	}
	if k := strings.Index(s, "{"); k > 0 && strings.HasSuffix(s, "}") { // use a\{b, c}
		return strings.TrimRight(s[:k], `\:.`), splitList(s[k+1 : len(s)-1])
	}
	if m, name, ok := phrase.CutLast(s, "::"); ok && n.Traits().OuterAttributes { // Rust
		return m, []string{name}
	}
	return "", splitList(s)
}

// regrouped puts one fact in the place of imports that went and came with the
// same names: they only stand otherwise.
func (w *writer) regrouped() {
	var gone, come *fact.Fact
	for _, f := range w.Facts {
		switch f.Rule.ID {
		case "import-removed":
			gone = f
		case "import-added":
			come = f
		}
	}
	if gone == nil || come == nil || gone.Slots != come.Slots || len(gone.Names) == 0 {
		return
	}
	if a, b := slices.Sorted(slices.Values(gone.Names)), slices.Sorted(slices.Values(come.Names)); slices.Equal(a, b) {
		come.As(w.Rules.Get("imports-regrouped"), fact.Slots{})
		w.Facts = slices.DeleteFunc(w.Facts, func(f *fact.Fact) bool { return f == gone })
	}
}

func importRules() []fact.Rule {
	return append(fact.Both("import", fact.Import, "the import{|s} of {names}[ from {of}] {was|were} {added}"),
		fact.Implication("import-left", "nothing uses the imported {names} any more"),
		fact.Implication("import-unused", "the imported {names} {is|are} not mentioned anywhere else in the file"),
		fact.Claim("imports-regrouped", fact.Format, "the import{|s} of {names} {stands|stand} in another {place|order} or form, and "+
			"{brings in the same name|bring in the same names}"),
		fact.Implication("wildcard-import", "the wildcard import brings in every name, which hides where a name comes from"),
	)
}
