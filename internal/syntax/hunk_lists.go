package syntax

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// A hunk of nothing but lines that end in a comma lies in a list that began before
// it: an object, the arguments of a call. Grammars read such lines as something
// else, and without an error: a field, a tuple, a docstring.

var (
	// bound matches a line that sets a variable, and typed one that declares a
	// parameter or a field: both may end in a comma.
	bound = regexp.MustCompile(`^(?:(?:var|let|const)\s|[\w$.]+\s*=[^=>])`)
	typed = regexp.MustCompile(`^[\w$]+\??:\s*(?:(?:string|number|boolean|any|unknown|void|object|never)\b|[A-Z]\w*(?:<.*>)?(?:\[\])?\s*(?:\||,$|=))`)
	// notLists matches a heading of what has members with commas of its own.
	notLists = regexp.MustCompile(`\b(?:enum|interface|type|union)\b`)
	// importing matches a heading that ends within the braces of an import.
	importing = regexp.MustCompile(`^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{[^}]*$`)
)

// listed reports whether both sides of a hunk are lines of a list.
func listed(t *Table, section string, texts [2]string) bool {
	if len(t.rows) == 0 || importing.MatchString(section) || notLists.MatchString(section) {
		return false
	}
	commas := 0
	for _, text := range texts {
		low := -1
		var lines []string
		for _, line := range strings.Split(text, "\n") {
			body := strings.TrimSpace(line)
			if body == "" || strings.HasPrefix(body, "//") || strings.HasPrefix(body, "#") && t.hash {
				continue
			}
			if in := len(indentation(line)); low < 0 || in < low {
				low = in
			}
			lines = append(lines, line)
		}
		for _, line := range lines {
			if len(indentation(line)) > low {
				continue
			}
			body := strings.TrimSpace(line)
			switch {
			case strings.HasSuffix(body, ","):
				commas++
			case strings.ContainsRune("([{", rune(body[len(body)-1])) && !strings.HasSuffix(body, ") {"), strings.ContainsRune(")]}", rune(body[0])):
			default:
				return false
			}
			if typed.MatchString(body) || !t.indented && bound.MatchString(body) {
				return false
			}
		}
		if n := len(lines); n > 0 && !strings.HasSuffix(strings.TrimSpace(lines[n-1]), ",") {
			return false
		}
	}
	return commas > 0
}
