package change

import "crscore/internal/lang"

// Addition is the change that adds a file: its whole text is known, and there is
// no hunk. An empty l is told from the path. Line ends are normalised and what is
// not text is replaced, as Parse does it.
func Addition(path, text string, l lang.Name) *Change {
	if l == lang.Unknown {
		l = lang.FromPath(path)
	}
	text, _ = clean(text)
	empty := ""
	return &Change{Files: []File{{NewPath: path, Status: Added, Lang: l, whole: [2]*string{&empty, &text}}}}
}
