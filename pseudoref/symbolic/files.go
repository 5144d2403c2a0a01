package symbolic

import (
	"path"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
)

// fileEvents says what happened to the file as a whole.
func (w *writer) fileEvents() {
	f := w.file
	name := code(path.Base(f.Path()))
	if f.Path() == "" {
		name = "the file"
	}
	if f.Submodule() {
		// Its text is the name of a commit, which nobody wrote.
		what := map[change.Status]string{change.Added: "added", change.Deleted: "removed"}[f.Status]
		if what == "" {
			what = "moved to another commit"
		}
		w.say(tree.Node{}, wFile, "submodule-changed", "", "the submodule "+name+" was "+what)
		return
	}
	switch f.Status {
	case change.Added:
		w.say(tree.Node{}, wFile, "file-added", "", "the new file "+name+" was added")
	case change.Deleted:
		w.say(tree.Node{}, wFile, "file-deleted", "", "the file "+name+" was deleted")
	case change.Renamed:
		if path.Dir(f.OldPath) != path.Dir(f.NewPath) {
			w.say(tree.Node{}, wFile, "file-moved", "", "the file "+code(f.OldPath)+" was moved to "+code(f.NewPath))
		} else {
			w.say(tree.Node{}, wFile, "file-renamed", "", "the file "+code(path.Base(f.OldPath))+" was renamed to "+name)
		}
	case change.Copied:
		w.say(tree.Node{}, wFile, "file-copied", "", "the file "+name+" was copied from "+code(f.OldPath))
	}
	if f.Binary && f.Status == change.Modified {
		w.say(tree.Node{}, wFile, "binary-changed", "", "the binary file "+name+" was changed")
	}
	if f.OldMode != "" && f.NewMode != "" && f.OldMode != f.NewMode {
		switch {
		case strings.HasSuffix(f.NewMode, "755"):
			w.say(tree.Node{}, wDetail, "mode-changed", "", name+" was made executable")
		case strings.HasSuffix(f.OldMode, "755"):
			w.say(tree.Node{}, wDetail, "mode-changed", "", name+" is no longer executable")
		default:
			w.say(tree.Node{}, wDetail, "mode-changed", "", "the mode of "+name+" was changed from "+f.OldMode+" to "+f.NewMode)
		}
	}
}
