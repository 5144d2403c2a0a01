package spelling

import (
	"fmt"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// counted is a number with its noun, the first or second word that ends in s, and a verb.
var counted = regexp.MustCompile(`%d (?:more )?(?:[a-z]+?|[a-z-]+ [a-z]+?)(s)\b( are\b| were\b| have\b)?`)

// Count is fmt.Sprintf for messages with counted nouns: of the format "%d changes are new", 1 makes
// "1 change is new". The format has no verbs with indexes or stars.
func Count(format string, args ...any) string {
	for _, at := range slices.Backward(counted.FindAllStringSubmatchIndex(format, -1)) {
		verb := strings.Count(strings.ReplaceAll(format[:at[0]], "%%", ""), "%")
		if verb >= len(args) || fmt.Sprint(args[verb]) != "1" {
			continue
		}
		rest := format[at[3]:]
		if at[4] >= 0 {
			one := map[string]string{" are": " is", " were": " was", " have": " has"}
			rest = one[format[at[4]:at[5]]] + format[at[5]:]
		}
		format = format[:at[2]] + rest
	}
	return fmt.Sprintf(format, args...)
}
