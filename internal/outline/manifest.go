package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// manifestLine is a line of a build file: what Type the node gets; its name and its
// value are the submatches. Other lines are texts.
type manifestLine struct {
	kind string
	line *regexp.Regexp
}

var manifestLines = map[Format][]manifestLine{
	Requirements: {
		{"dependency", regexp.MustCompile(`^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*((?:[=<>!~]=?|@)[^#;]*)?(?:;.*)?(?:\s#.*)?$`)},
	},
	GoMod: {
		{"indirect dependency", regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)\s*//.*\bindirect\b`)},
		{"", regexp.MustCompile(`^(module|go|toolchain)\s+(.+)$`)},
		{"", regexp.MustCompile(`^((?:replace|exclude|retract)\s+.+?)(?:\s+=>\s+(.+))?$`)},
		{"dependency", regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)`)},
	},
	Gradle: {
		{"dependency", regexp.MustCompile(`^[a-zA-Z]+[\s(]+(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([^"':@]+))?[^"']*["']\)*\s*\{?$`)},
		{"dependency", regexp.MustCompile(`^\w+[\s(]+["']([^"']+)["'],\s*["'](\d[^"']*)["']\)*\s*\{?$`)},
		{"plugin", regexp.MustCompile(`^id[\s(]+["']([\w.-]+)["']\)?(?:\s+version\s+["']([^"']+)["'])?`)},
		{"", regexp.MustCompile(`^(?:(?:def|val|var)\s+)?([\w.]+)\s*=\s*["']?([^"'{}()]+?)["']?$`)},
	},
}

// manifest reads the dependencies in a build file.
func (b *builder) manifest() {
lines:
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "", b.format == GoMod && (text == ")" || strings.HasSuffix(text, "(")):
			continue
		case strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//"):
			b.comment(b.root, row, text)
			continue
		}
		for _, l := range manifestLines[b.format] {
			if m := l.line.FindStringSubmatch(text); m != nil {
				b.add(b.root, Node{Kind: Key, Type: l.kind, Name: m[1], Value: strings.TrimSpace(m[2]), First: row})
				continue lines
			}
		}
		b.add(b.root, Node{Kind: Text, Value: text, First: row})
	}
}
