package adapter

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"
	"unicode/utf8"
)

// JSON returns a Parse for an output that is one JSON document. read adds what the document says
// to the report.
func JSON[T any](read func(in T, r *Report) error) func(stdout []byte) (Report, error) {
	return document(json.Unmarshal, read)
}

// XML returns a Parse for an output that is one XML document.
func XML[T any](read func(in T, r *Report) error) func(stdout []byte) (Report, error) {
	return document(unmarshalXML, read)
}

func document[T any](unmarshal func([]byte, any) error, read func(in T, r *Report) error) func([]byte) (Report, error) {
	return func(stdout []byte) (Report, error) {
		var in T
		if err := unmarshal(stdout, &in); err != nil {
			return Report{}, err
		}
		var r Report
		if err := read(in, &r); err != nil {
			return Report{}, err
		}
		return r, nil
	}
}

// unmarshalXML reads an output that is exactly one XML document. Tools copy code into their
// output, so characters that XML does not allow are read as "?".
func unmarshalXML(stdout []byte, v any) error {
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
