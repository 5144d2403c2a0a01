package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	requirement = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*((?:[=<>!~]=?|@)[^#;]*)?(?:;.*)?(?:\s#.*)?$`)
	goRequire   = regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)(?:\s*//\s*(.*))?$`)
	goLine      = regexp.MustCompile(`^(module|go|toolchain|replace|exclude|retract)\s+(.+)$`)
	gradleDep   = regexp.MustCompile(`^([a-zA-Z]+)[\s(]+(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([^"':@]+))?[^"']*["']\)*\s*\{?$`)
	gradlePair  = regexp.MustCompile(`^\w+[\s(]+["']([^"']+)["'],\s*["'](\d[^"']*)["']\)*\s*\{?$`)
	gradlePlug  = regexp.MustCompile(`^id[\s(]+["']([\w.-]+)["']\)?(?:\s+version\s+["']([^"']+)["'])?`)
	gradleSet   = regexp.MustCompile(`^(?:(?:def|val|var)\s+)?([\w.]+)\s*=\s*["']?([^"'{}()]+?)["']?$`)
)

// manifest reads the dependencies in a build file, as nodes of the Type "dependency".
// Other lines are texts.
func (b *builder) manifest() {
	parent, block := b.root, ""
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		add := func(kind, name, value string) {
			b.add(parent, Node{Kind: Key, Type: kind, Name: name, Value: strings.TrimSpace(value), First: row, Last: row})
		}
		var m []string
		switch {
		case text == "":
			continue
		case strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//"):
			b.comment(parent, row, strings.TrimLeft(text, "#/ "))
			continue
		case b.format == Requirements:
			if m = requirement.FindStringSubmatch(text); m != nil {
				add("dependency", m[1], m[2])
				continue
			}
		case b.format == GoMod:
			if text == ")" {
				block = ""
				continue
			}
			if rest, ok := strings.CutSuffix(text, "("); ok {
				block = strings.TrimSpace(rest)
				continue
			}
			if m = goRequire.FindStringSubmatch(text); m != nil && (block == "" || block == "require") {
				kind := "dependency"
				if strings.Contains(m[3], "indirect") {
					kind = "indirect dependency"
				}
				add(kind, m[1], m[2])
				continue
			}
			if m = goLine.FindStringSubmatch(text); m != nil {
				name, value := m[1], m[2]
				if from, to, ok := strings.Cut(value, "=>"); ok {
					name, value = name+" "+strings.TrimSpace(from), to
				}
				add("", name, value)
				continue
			}
		case b.format == Gradle:
			if m = gradleDep.FindStringSubmatch(text); m != nil {
				add("dependency", m[2], m[3])
				continue
			}
			if m = gradlePair.FindStringSubmatch(text); m != nil {
				add("dependency", m[1], m[2])
				continue
			}
			if m = gradlePlug.FindStringSubmatch(text); m != nil {
				add("plugin", m[1], m[2])
				continue
			}
			if m = gradleSet.FindStringSubmatch(text); m != nil {
				add("", m[1], m[2])
				continue
			}
		}
		b.add(parent, Node{Kind: Text, Value: text, First: row, Last: row})
	}
}
