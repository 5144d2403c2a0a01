package change

import (
	"fmt"
	"iter"
	"maps"
	"net/url"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Paths finds the files of a change by the paths that people, bots and tools write.
type Paths struct {
	named   [2]map[string]int // index by name, of each side; the first of equal names
	lengths map[int]bool      // of all names, in bytes
	below   map[string]int    // paths below each folder that holds files of the change
	most    map[claim]int     // the most paths below a folder that holds the file
}

// claim is a file that a folder of a system holds.
type claim struct {
	file   int
	system byte
}

// NewPaths returns the Paths of a change. paths are all paths that will be looked for: together
// they show the folder that the change is in, so that Find does not take a file of the same name
// in another folder for the changed file.
func NewPaths(c *Change, paths ...string) *Paths {
	p := &Paths{lengths: make(map[int]bool), below: make(map[string]int), most: make(map[claim]int)}
	for side := range p.named {
		p.named[side] = make(map[string]int)
	}
	for i := range c.Files {
		for side, name := range [2]string{Old: c.Files[i].OldPath, New: c.Files[i].NewPath} {
			for _, name := range []string{name, norm.NFC.String(name)} {
				if _, twice := p.named[side][name]; !twice && name != "" {
					p.named[side][name], p.lengths[len(name)] = i, true
				}
			}
		}
	}
	both, outside := []Side{New, Old}, make(map[string]bool)
	for _, text := range paths {
		if _, ok := p.inside(text, both); !ok {
			for _, s := range readings(text) {
				outside[s] = system(s) != 0
			}
		}
	}
	maps.DeleteFunc(outside, func(_ string, is bool) bool { return !is })
	for s := range outside {
		if n, _, ok := p.holder(s, both); ok {
			p.below[s[:n]] = 0
		}
	}
	for s := range outside {
		for n := range p.holders(s) {
			p.below[s[:n]]++
		}
	}
	for s := range outside {
		if n, file, ok := p.folder(s, both); ok {
			c := claim{file, system(s)}
			p.most[c] = max(p.most[c], p.below[s[:n]])
		}
	}
	return p
}

// Find returns the index of the file that a text names on one of the sides, of which the first
// is preferred. A name of the change as it stands is that file, whatever it looks like. Else
// the text may have a/, b/, ./ or / before it, backslashes, percent-escapes, quotes as git
// writes them, be a URI of a file, or a path to a folder or a drive with the change in it; the
// longest name that fits its end is meant. The error says why there is no such file.
func (p *Paths) Find(text string, sides ...Side) (int, error) {
	if i, ok := p.inside(text, sides); ok {
		return i, nil
	}
	for _, s := range readings(text) {
		n, file, ok := p.folder(s, sides)
		switch {
		case !ok:
		case p.below[s[:n]] < p.most[claim{file, system(s)}]:
			return -1, fmt.Errorf("%s is not taken for the file of that name in the diff: more paths are in another folder", text)
		default:
			return file, nil
		}
	}
	return -1, fmt.Errorf("the diff has no file %s", text)
}

// inside finds the file of a path that begins where the names of the change begin.
func (p *Paths) inside(text string, sides []Side) (int, bool) {
	if i, ok := p.name(text, sides); ok || text == "" {
		return i, ok
	}
	list := readings(text)
	for _, s := range list {
		if i, ok := p.name(s, sides); ok {
			return i, true
		}
	}
	for _, s := range list {
		for _, before := range []string{"a/", "b/", "/"} {
			if rest, ok := strings.CutPrefix(s, before); ok {
				if i, ok := p.name(rest, sides); ok {
					return i, true
				}
			}
		}
	}
	return -1, false
}

func (p *Paths) name(s string, sides []Side) (int, bool) {
	if !p.lengths[len(s)] {
		return -1, false
	}
	for _, side := range sides {
		if i, ok := p.named[side][s]; ok {
			return i, true
		}
	}
	return -1, false
}

// folder finds the outermost folder of a path outside, n bytes long, that holds files of the
// change by what is known, and the file in it.
func (p *Paths) folder(s string, sides []Side) (n, file int, ok bool) {
	for n := range p.holders(s) {
		file, ok = p.name(s[n:], sides)
		return n, file, ok
	}
	return p.holder(s, sides)
}

// holder finds the outermost folder that would hold a file of the change by this path alone.
func (p *Paths) holder(s string, sides []Side) (n, file int, ok bool) {
	for i := range len(s) {
		if s[i] == '/' && system(s) != 0 {
			if file, ok := p.name(s[i+1:], sides); ok {
				return i + 1, file, true
			}
		}
	}
	return 0, -1, false
}

// holders are the lengths of the known folders above a path, the outermost first.
func (p *Paths) holders(s string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < len(s) && len(p.below) > 0; i++ {
			if s[i] == '/' {
				if _, known := p.below[s[:i+1]]; known && !yield(i+1) {
					return
				}
			}
		}
	}
}

// system tells the paths outside apart, which begin at a root, a folder above or a drive; it is
// 0 for other paths. All folders of such a path are tried, so its length is limited.
func system(s string) byte {
	if len(s) <= MaxPath && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "../") || onDrive(s)) {
		return s[0]
	}
	return 0
}

func onDrive(s string) bool {
	return len(s) > 2 && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') && s[1:3] == ":/"
}

// CleanPath is a text that names a file, in the form of the names of a change: with slashes,
// without "./" and the like. The address of a page stays as it is.
func CleanPath(text string) string {
	if list := readings(text); len(list) > 0 {
		return list[0]
	}
	return text
}

// readings are the clean paths that a text can mean, the likeliest first. There are none for
// an empty text and for the address of a page.
func readings(text string) []string {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, `"`) {
		if name, err := wholeName(s); err == nil {
			s = name
		}
	}
	s = strings.ReplaceAll(s, `\`, "/")
	// A text may be encoded or not, or be decoded once too often.
	list := []string{s, decoded(s), (&url.URL{Path: s}).EscapedPath()}
	switch {
	case s == "":
		return nil
	case len(s) >= 5 && strings.EqualFold(s[:5], "file:"):
		s = s[5:]
		if host, ok := strings.CutPrefix(s, "//"); ok {
			// Another host stays, as a folder: some tools write file://src/x.go. ? and # are
			// parts of names that were not encoded: a URI of a file has no query.
			s = "/" + strings.TrimPrefix(host, "localhost/")
		}
		list = []string{decoded(s), s}
	case strings.Contains(s, "://"):
		return nil
	}
	for i, s := range list {
		s = norm.NFC.String(path.Clean(s))
		if d := strings.TrimPrefix(s, "/"); onDrive(d) {
			s = strings.ToUpper(d[:1]) + d[1:]
		}
		list[i] = s
	}
	return list
}

// decoded is a text without percent-escapes; a text with a wrong escape stays.
func decoded(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return strings.ToValidUTF8(d, "\ufffd")
	}
	return s
}
