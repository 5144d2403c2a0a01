package symbolic

import (
	"path"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/change"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// fileEvents says what happened to the file as a whole.
func (w *writer) fileEvents() {
	f := w.file
	if f.Path() == "" {
		return // a hunk alone
	}
	name, noun := phrase.Code(path.Base(f.Path())), "file "
	if f.Submodule() { // its text is the name of a commit, which nobody wrote
		noun = "submodule "
	}
	event := func(id, object, to string) {
		w.add(tree.Node{}, id, "", fact.Slots{Object: object, New: to})
	}
	switch {
	case f.Status == change.Added:
		event("file-added", noun+name, "")
	case f.Status == change.Deleted:
		event("file-deleted", noun+name, "")
	case f.Status == change.Renamed && path.Dir(f.OldPath) != path.Dir(f.NewPath):
		event("file-moved", noun+phrase.Code(f.OldPath), phrase.Code(f.NewPath))
	case f.Status == change.Renamed:
		event("file-renamed", noun+phrase.Code(path.Base(f.OldPath)), name)
	case f.Status == change.Copied:
		event("file-copied", noun+name, phrase.Code(f.OldPath))
	case f.Submodule():
		event("submodule-changed", name, "")
	case f.Binary:
		event("binary-changed", name, "")
	}
	if f.OldMode == "" || f.NewMode == "" || f.OldMode == f.NewMode {
		return
	}
	form := phrase.Either(strings.HasSuffix(f.NewMode, "755"), "executable", "")
	w.add(tree.Node{}, "mode-changed", "", fact.Slots{Form: form, Object: name, Old: f.OldMode, New: f.NewMode})
}

func fileRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("file-added", fact.File, "the new {object} was added"),
		fact.Claim("file-deleted", fact.File, "the {object} was deleted"),
		fact.Claim("file-moved", fact.File, "the {object} was moved to {new}"),
		fact.Claim("file-renamed", fact.File, "the {object} was renamed to {new}"),
		fact.Claim("file-copied", fact.File, "the {object} was copied from {new}"),
		fact.Claim("submodule-changed", fact.File, "the submodule {object} was moved to another commit"),
		fact.Claim("binary-changed", fact.File, "the binary file {object} was changed"),
		fact.Claim("mode-changed", fact.Detail, "the mode of {object} was changed from {old} to {new}").
			Or("executable", "{object} was made executable"),
	}
}
