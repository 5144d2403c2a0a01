package change

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"crscore/internal/limits"
)

// Paths finds the files of a change by the paths that people, bots and tools write.
type Paths struct {
	named [2]map[string]int // index by name, of each side; the first of equal names
	below map[string]int    // paths below each folder that holds files of the change
	most  map[claim]int     // the most paths below a folder that holds the file
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
	p := &Paths{[2]map[string]int{{}, {}}, map[string]int{}, map[claim]int{}}
	for i := range c.Files {
		for side, name := range [2]string{Old: c.Files[i].OldPath, New: c.Files[i].NewPath} {
			for _, name := range []string{name, norm.NFC.String(name)} {
				if _, twice := p.named[side][name]; !twice && name != "" {
					p.named[side][name] = i
				}
			}
		}
	}
	both, outside := []Side{New, Old}, map[string]byte{}
	for _, text := range paths {
		if p.inside(text, both) >= 0 {
			continue
		}
		for _, s := range readings(text) {
			if in := system(s); in != 0 {
				outside[s] = in
			}
		}
	}
	for s := range outside {
		if n, _ := p.first(s, both, false); n > 0 {
			p.below[s[:n]] = 0
		}
	}
	for s := range outside {
		for n := 1; n <= len(s); n++ {
			if s[n-1] != '/' {
				continue
			}
			if _, known := p.below[s[:n]]; known {
				p.below[s[:n]]++
			}
		}
	}
	for s, in := range outside {
		if n, file := p.folder(s, both); file >= 0 {
			p.most[claim{file, in}] = max(p.most[claim{file, in}], p.below[s[:n]])
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
	if i := p.inside(text, sides); i >= 0 {
		return i, nil
	}
	for _, s := range readings(text) {
		n, file := p.folder(s, sides)
		switch {
		case file < 0:
		case p.below[s[:n]] < p.most[claim{file, system(s)}]:
			return -1, fmt.Errorf("%s is not taken for the file of that name in the diff: more paths are in another folder", text)
		default:
			return file, nil
		}
	}
	return -1, fmt.Errorf("the diff has no file %s", text)
}

// inside finds the file of a path that begins where the names of the change begin, -1 for none.
func (p *Paths) inside(text string, sides []Side) int {
	if i := p.name(text, sides); i >= 0 {
		return i
	}
	list := readings(text)
	for _, before := range []string{"", "a/", "b/", "/"} {
		for _, s := range list {
			if rest, ok := strings.CutPrefix(s, before); ok {
				if i := p.name(rest, sides); i >= 0 {
					return i
				}
			}
		}
	}
	return -1
}

func (p *Paths) name(s string, sides []Side) int {
	for _, side := range sides {
		if i, ok := p.named[side][s]; ok {
			return i
		}
	}
	return -1
}

// folder finds the outermost folder of a path outside, n bytes long, that is known to hold files
// of the change, or else would hold a file by this path alone. file is the file in it, -1 for
// none.
func (p *Paths) folder(s string, sides []Side) (n, file int) {
	if system(s) == 0 {
		return 0, -1
	}
	if n, file := p.first(s, sides, true); n > 0 {
		return n, file
	}
	return p.first(s, sides, false)
}

func (p *Paths) first(s string, sides []Side, known bool) (n, file int) {
	for i := range len(s) {
		if s[i] != '/' {
			continue
		}
		_, is := p.below[s[:i+1]]
		if file := p.name(s[i+1:], sides); is && known || file >= 0 && !known {
			return i + 1, file
		}
	}
	return 0, -1
}

// system tells the paths outside apart, which begin at a root, a folder above or a drive; it is
// 0 for other paths. All folders of such a path are tried, so it has limits.
func system(s string) byte {
	outside := strings.HasPrefix(s, "/") || strings.HasPrefix(s, "../") || onDrive(s)
	if !outside || len(s) > limits.PathBytes || strings.Count(s, "/") > 256 {
		return 0
	}
	return s[0]
}

func onDrive(s string) bool {
	return len(s) > 2 && s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' && s[1:3] == ":/"
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
	if name, err := wholeName(s); err == nil { // git quotes names
		s = name
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
