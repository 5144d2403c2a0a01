package change

import "crscore/internal/lang"

// Addition returns the change that adds a file. Its whole text is known; it has no hunks.
// An empty l means the language of the path. Line ends and bytes that are not text are
// treated as by Parse.
func Addition(path, text string, l lang.Name) *Change {
	if l == lang.Unknown {
		l = lang.FromPath(path)
	}
	text, _ = clean(text)
	empty := ""
	return &Change{Files: []File{{NewPath: path, Status: Added, Lang: l, whole: [2]*string{&empty, &text}}}}
}
