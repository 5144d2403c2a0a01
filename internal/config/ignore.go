package config

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"crscore/internal/limits"
)

// Ignore silences findings of some rules in files by their path.
type Ignore struct {
	// Pattern is a pattern of paths in the style of .gitignore, with the wildcards *, ** and ?.
	Pattern string
	Rules   []string // IDs, or "all"
	path    *regexp.Regexp
}

// Matches reports whether findings of a rule are silenced in a file. The path is
// relative to the root of the work tree, with slashes.
func (i *Ignore) Matches(path, rule string) bool {
	return (slices.Contains(i.Rules, allRules) || slices.Contains(i.Rules, rule)) && i.path.MatchString(path)
}

// allRules stands for every rule.
const allRules = "all"

// newIgnore compiles a pattern as .gitignore has them: * and ? stand for characters of
// one name, ** for any number of folders; a pattern without a slash matches a file or
// folder anywhere; and a folder stands for all that is in it. It becomes a regular
// expression, which takes linear time, because the pattern may come with a change.
func newIgnore(pattern string, rules []string) (Ignore, error) {
	switch {
	case pattern == "" || len(pattern) > limits.IgnoreBytes:
		return Ignore{}, errors.New("a pattern of paths has from 1 to 400 bytes")
	case strings.ContainsAny(pattern, "[]{}\\!"):
		return Ignore{}, errors.New(`a pattern of paths may have the wildcards *, ** and ?, but no ! [ ] { } or \`)
	}
	p, anywhere := strings.TrimSuffix(pattern, "/"), ""
	if !strings.Contains(p, "/") {
		anywhere = "(?:.*/)?"
	}
	var b strings.Builder
	for p = strings.TrimPrefix(p, "/"); p != ""; {
		switch {
		case strings.HasPrefix(p, "**/"):
			b.WriteString("(?:.*/)?")
			p = p[3:]
		case strings.HasPrefix(p, "**"):
			b.WriteString(".*")
			p = p[2:]
		case p[0] == '*':
			b.WriteString("[^/]*")
			p = p[1:]
		case p[0] == '?':
			b.WriteString("[^/]")
			p = p[1:]
		default:
			n := strings.IndexAny(p, "*?")
			if n < 0 {
				n = len(p)
			}
			b.WriteString(regexp.QuoteMeta(p[:n]))
			p = p[n:]
		}
	}
	path, err := regexp.Compile("(?s)^" + anywhere + b.String() + "(?:/.*)?$")
	return Ignore{Pattern: pattern, Rules: rules, path: path}, err
}
