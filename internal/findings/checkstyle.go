package findings

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

func readCheckstyle(text []byte) ([]Finding, error) {
	var found []Finding
	var file *string
	root := false
	// Token by token, for a finding is all that has to be held.
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if token == nil {
			switch {
			case !errors.Is(err, io.EOF):
				return nil, err // it says the line
			case !root:
				return nil, errors.New("there is no <checkstyle>")
			}
			return found, nil
		}
		line, _ := d.InputPos()
		if end, ok := token.(xml.EndElement); ok && end.Name.Local == "file" {
			file = nil
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch {
		case !root && e.Name.Local != "checkstyle":
			return nil, fmt.Errorf("line %d: <%s> instead of <checkstyle>", line, Text(e.Name.Local, 40))
		case !root:
			root = true
		case e.Name.Local == "file":
			name := attr(e, "name")
			file = &name
		case e.Name.Local == "error":
			if file == nil {
				return nil, fmt.Errorf("line %d: <error> outside of <file>", line)
			}
			f := Finding{Path: *file, Rule: attr(e, "source"), Message: attr(e, "message"), Severity: Warning}
			if f.Line, err = number(e, "line"); err == nil {
				f.Column, err = number(e, "column")
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			switch attr(e, "severity") {
			case "ignore":
				continue
			case "error":
				f.Severity = Error
			case "info":
				f.Severity = Info
			}
			found = append(found, f)
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number is an attribute that counts something, 0 when it is not there.
func number(e xml.StartElement, name string) (int, error) {
	s := attr(e, name)
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("the %s is %q", name, Text(s, 40))
	}
	return n, nil
}
