//go:build unix

package system

import (
	"cmp"
	"os"
	"strings"
)

// Colors reports whether a terminal understands the escape sequences of colours.
func Colors(*os.File) bool { return os.Getenv("TERM") != "dumb" }

// Signs reports whether terminals show signs beyond ASCII. Where no locale is set, as in many
// containers, the terminal is most likely one of today.
func Signs() bool {
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"), "utf-8"))
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}
