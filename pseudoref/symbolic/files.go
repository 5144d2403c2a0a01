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
	if f.Path() == "" {
		return // a hunk alone
	}
	name, noun := code(path.Base(f.Path())), "file"
	if f.Submodule() { // its text is the name of a commit, which nobody wrote
		noun = "submodule"
	}
	event := func(id, what string) { w.say(tree.Node{}, wFile, id, "", what) }
	switch {
	case f.Status == change.Added:
		event("file-added", "the new "+noun+" "+name+" was added")
	case f.Status == change.Deleted:
		event("file-deleted", "the "+noun+" "+name+" was deleted")
	case f.Status == change.Renamed && path.Dir(f.OldPath) != path.Dir(f.NewPath):
		event("file-moved", "the "+noun+" "+code(f.OldPath)+" was moved to "+code(f.NewPath))
	case f.Status == change.Renamed:
		event("file-renamed", "the "+noun+" "+code(path.Base(f.OldPath))+" was renamed to "+name)
	case f.Status == change.Copied:
		event("file-copied", "the "+noun+" "+name+" was copied from "+code(f.OldPath))
	case f.Submodule():
		event("submodule-changed", "the submodule "+name+" was moved to another commit")
	case f.Binary:
		event("binary-changed", "the binary file "+name+" was changed")
	}
	if f.OldMode == "" || f.NewMode == "" || f.OldMode == f.NewMode {
		return
	}
	what := "the mode of " + name + " was changed from " + f.OldMode + " to " + f.NewMode
	if strings.HasSuffix(f.NewMode, "755") {
		what = name + " was made executable"
	}
	w.say(tree.Node{}, wDetail, "mode-changed", "", what)
}
