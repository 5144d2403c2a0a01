package rules

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// maxImports bounds the imports of a file that are looked at.
const maxImports = 300

// everything stands for the names of a wildcard import.
const everything = "*"

// keywords are the words by which an import begins.
var keywords = regexp.MustCompile(`^(?:(?:pub|global|import|static|using|use|function|const|` +
	`#include|extern crate|require(?:_relative)?|source) )*`)

// imports says which names an import brings in.
func (w *writer) imports(n tree.Node, added bool) {
	module, names := imported(n)
	w.importNames(n, module, names, added)
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
		if slices.Contains(na, everything) && !slices.Contains(nb, everything) {
			w.add(b, "import-narrowed", "", fact.Slots{Of: phrase.Code(mb)}, phrase.Each(nb, phrase.Code)...)
			return
		}
		without := func(xs, ys []string) []string {
			return slices.DeleteFunc(slices.Clone(xs), func(s string) bool { return slices.Contains(ys, s) })
		}
		na, nb = without(na, nb), without(nb, na)
	}
	w.importNames(a, ma, na, false)
	w.importNames(b, mb, nb, true)
}

// importNames says that names came from a module, or no longer do. Of `import a.b` the
// module is the name.
func (w *writer) importNames(n tree.Node, module string, names []string, added bool) {
	for _, name := range names {
		if added && strings.HasSuffix(name, everything) {
			w.add(n, "wildcard-import", "", fact.Slots{})
		}
		if w.importedBeside(n, module, name) { // as where `import {a, b}` was split in two
			continue
		}
		var from fact.Slots
		if module != "" && module != name {
			from.Of = phrase.Code(module)
		}
		shown := phrase.Either(len(name) > phrase.MaxCode, tree.LastName(name), name) // the end says more than the beginning
		w.add(n, "import-"+fact.Verb(added), "", from, phrase.Code(shown))
	}
}

// importedBeside tells whether the other side imports a name from the same
// module too, in another statement.
func (w *writer) importedBeside(n tree.Node, module, name string) bool {
	if w.same == nil || module == "" {
		return false
	}
	t, looked := phrase.Either(n.Tree == w.same.Old, w.same.New, w.same.Old), 0
	for c := 1; c < t.Len() && looked < maxImports; c = t.At(c).Last() {
		if i := t.At(c); i.Is(syntax.Import) {
			looked++
			if m, names := imported(i); m == module && slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}

// imported returns the module of an import and the names it brings in; where
// there are no names of their own, the module is the name.
func imported(n tree.Node) (module string, names []string) {
	if m := tree.RequireName(n); m != "" {
		return m, []string{tree.NameOf(n)}
	}
	m := n.Child("module_name", "source")
	if !m.Ok() {
		return importText(n)
	}
	module = strings.Trim(tree.OneLine(m.Text()), `"'`)
	for _, k := range n.Find(200, nil, syntax.Identifier) {
		if !m.Contains(k) && !k.Parent().Is(syntax.Identifier) && k.Field() != "alias" {
			names = append(names, k.Text())
		}
	}
	switch {
	case len(names) > 0:
		return module, phrase.Uniq(names)
	case strings.Contains(n.Text(), everything):
		return module, []string{everything} // `from a import *`
	}
	return "", []string{module}
}

// importText is imported for an import that the tree does not take apart, such as
// `use a\{b, c}` of PHP or `use a::b` of Rust.
func importText(n tree.Node) (module string, names []string) {
	if p := n.Child("path"); p.Ok() && (n.Kind() == "preproc_include" || n.Kind() == "import_spec") {
		return "", []string{strings.Trim(tree.OneLine(p.Text()), "`\"<> ")}
	}
	s := strings.Trim(keywords.ReplaceAllString(tree.OneLine(n.Text()), ""), `;"'<> `)
	if from, names, ok := strings.Cut(strings.TrimPrefix(s, "from "), " import "); ok { // of Python
		return from, splitList(names)
	}
	if k := strings.Index(s, "{"); k > 0 && strings.HasSuffix(s, "}") { // of PHP and Rust: `a::{b, c}`
		return strings.TrimRight(s[:k], `\:.`), splitList(s[k+1 : len(s)-1])
	}
	if k := strings.LastIndex(s, "::"); k >= 0 && n.Traits().OuterAttributes {
		return s[:k], []string{s[k+len("::"):]}
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
	if gone == nil || come == nil || gone.Slots != come.Slots || len(gone.Names) == 0 { // something else came or went
		return
	}
	if a, b := slices.Sorted(slices.Values(gone.Names)), slices.Sorted(slices.Values(come.Names)); slices.Equal(a, b) {
		come.As(w.Rules.Get("imports-regrouped"), fact.Slots{})
		w.Facts = slices.DeleteFunc(w.Facts, func(f *fact.Fact) bool { return f == gone })
	}
}

// importRules are the rules about imported names.
func importRules() []fact.Rule {
	return append(fact.Both("import", fact.Import, "the import{|s} of {names}[ from {of}] {was|were} {added}"),
		fact.Claim("import-narrowed", fact.Import, "only {names} {is|are} imported from {of} now, instead of every name"),
		fact.Claim("imports-regrouped", fact.Format, "the import{|s} of {names} {stands|stand} in another {place|order} or form, and "+
			"{brings in the same name|bring in the same names}"),
		fact.Implication("wildcard-import", "the wildcard import brings in every name, which hides where a name comes from"),
	)
}
