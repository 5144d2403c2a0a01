package adapter

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"unicode/utf8"
)

// XML reads an output that is one XML document and nothing else. Tools copy parts
// of the code into it, so characters that XML may not have are taken for "?".
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
		return errors.New("there is more after the end of the XML")
	}
	return nil
}
