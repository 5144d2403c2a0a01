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
		var from fact.Slots
		if module != "" && module != name {
			from.Of = phrase.Code(module)
		}
		shown := phrase.Either(len(name) > phrase.CodeRunes, tree.LastName(name), name) // the end says more than the beginning
		w.add(n, "import-"+fact.Verb(added), "", from, phrase.Code(shown))
	}
}

// imported returns the module of an import and the names it brings in; where
// there are no names of their own, the module is the name.
func imported(n tree.Node) (module string, names []string) {
	if m := tree.RequireName(n); m != "" { // `const fs = require("fs")`
		return m, []string{tree.NameOf(n)}
	}
	m := n.Child("module_name", "source")
	if !m.Ok() {
		return importText(n)
	}
	module = strings.Trim(tree.OneLine(m.Text()), `"'`)
	for _, k := range n.Find(200, nil, syntax.Identifier) {
		if !m.Contains(k) && !k.Parent().Is(syntax.Identifier) && k.Field() != "alias" { // `a` of `a as b`
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
	if k := strings.LastIndex(s, "::"); k >= 0 && n.Traits().OuterAttributes { // `a::b` of Rust
		return s[:k], []string{s[k+len("::"):]}
	}
	return "", splitList(s) // `import a, b`
}

// regrouped says once of the names that went from a module and came from it that they only stand otherwise,
// as where `import {a, b}` was split in two.
func (w *writer) regrouped() {
	if w.Full() { // no more can be said in the place of what went and came
		return
	}
	for _, gone := range w.Facts {
		for _, come := range w.Facts {
			if gone.Rule.ID != "import-removed" || come.Rule.ID != "import-added" || gone.Slots != come.Slots {
				continue
			}
			gone.Names = slices.DeleteFunc(gone.Names, func(name string) bool {
				i := slices.Index(come.Names, name)
				if i >= 0 {
					come.Names = slices.Delete(come.Names, i, i+1)
					w.Add("imports-regrouped", "", come.Lines, fact.Slots{}, name)
				}
				return i >= 0
			})
		}
	}
	w.Facts = slices.DeleteFunc(w.Facts, func(f *fact.Fact) bool { return strings.HasPrefix(f.Rule.ID, "import-") && len(f.Names) == 0 })
	w.Facts = fact.MergeNames(w.Facts)
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
