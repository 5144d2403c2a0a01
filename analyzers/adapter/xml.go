package adapter

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"unicode/utf8"
)

// XML reads an output that is exactly one XML document. Tools copy code into their
// output, so characters that XML does not allow are read as "?".
func XML(stdout []byte, v any) error {
	text := bytes.Map(func(r rune) rune {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return '?'
		}
		return r
	}, stdout)
	d := xml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(v); err != nil {
		return err
	}
	if len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return errors.New("there is text after the end of the XML")
	}
	return nil
}
