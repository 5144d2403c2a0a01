package prompt

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "crscore/internal/lazyregexp"
)

// Block puts a text between lines that the text cannot contain, such as "=== CHANGE
// 0123456789ab" and "=== END OF CHANGE 0123456789ab" for the name CHANGE: they have a checksum
// of the text. No line of the text may begin like them; Render and Quote write such texts.
func Block(name, text string) string {
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12]
	return fmt.Sprintf("=== %s %s\n%s=== END OF %s %s\n", name, id, text, name, id)
}

// Quote makes a text of many lines safe for a prompt: each line is defused and begins with
// "| ", so that no line can look like the end of a block.
func Quote(text string) string {
	var b strings.Builder
	for _, line := range lineEnd.Split(strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")), -1) {
		b.WriteString(strings.TrimRight("| "+Defuse(line), " ") + "\n")
	}
	return b.String()
}

var lineEnd = regexp.MustCompile(`\r\n?|[\n\x{2028}\x{2029}]`)

// marks matches the marks that chat templates put around turns, and Ollama's marks for
// images. A tokenizer may read them anywhere as its own marks. An untrusted text could
// then end its turn, or ask for an image that does not exist.
var marks = regexp.MustCompile(`(?i)([<\[])([|｜][^|｜<>\s]{1,64}[|｜]>|/?(?:s|bos|eos|unk|pad|think|<?sys>|(?:start|end)_of_\w{1,20})>|/?(?:inst|system_prompt|available_tools|tool_(?:calls|results)|img-\d+)\])`)

// Defuse makes a text safe for a prompt: on one line, without control characters, and with a
// space inside each mark of a chat template.
func Defuse(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', unicode.Is(unicode.Bidi_Control, r):
			return ' '
		}
		return r
	}, s)
	return marks.ReplaceAllString(s, "$1 $2")
}

// Tokens guesses how many tokens a model makes of a text, rather too many than
// too few: four letters make one, and so does every digit, mark and run of spaces.
func Tokens(s string) int {
	n, letters, space := 0, 0, false
	for _, r := range s {
		switch {
		case r > unicode.MaxASCII:
			n, letters, space = n+2, 0, false
		case unicode.IsLetter(r):
			if letters%4 == 0 {
				n++
			}
			letters, space = letters+1, false
		case unicode.IsSpace(r):
			if !space && letters == 0 || r == '\n' {
				n++
			}
			letters, space = 0, true
		default:
			n, letters, space = n+1, 0, false
		}
	}
	return n
}

// Cut shortens s to at most n bytes without breaking a rune.
func Cut(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
