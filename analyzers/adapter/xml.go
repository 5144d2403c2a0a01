package adapter

import (
	"bytes"
	"encoding/xml"
	"errors"
)

// XML reads an output that is one XML document and nothing else.
func XML(stdout []byte, v any) error {
	d := xml.NewDecoder(bytes.NewReader(stdout))
	if err := d.Decode(v); err != nil {
		return err
	}
	if len(bytes.TrimSpace(stdout[d.InputOffset():])) > 0 {
		return errors.New("there is more after the end of the XML")
	}
	return nil
}
