package findings

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"crscore/internal/limits"
)

func readCheckstyle(text []byte) ([]Finding, error) {
	var found []Finding
	var file *string
	root, depth := false, 0
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = charset
	// Token by token, for a finding is all that has to be held.
	for {
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
		var e xml.StartElement
		switch t := token.(type) {
		case xml.EndElement:
			if depth--; t.Name.Local == "file" {
				file = nil
			}
			continue
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return nil, fmt.Errorf("line %d: a text outside of <checkstyle>", line)
			}
			continue
		case xml.StartElement:
			e = t
			depth++
		default:
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
		case e.Name.Local == "exception" && file != nil: // which is not the same as that it found nothing
			return nil, fmt.Errorf("line %d: the tool says that it failed on %s", line, Text(*file, limits.FindingText))
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

// charset reads regional encodings and the encodings of Windows. UTF-16 was decoded before,
// by its mark.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "utf-16":
		return in, nil
	case "iso-8859-1", "latin1", "windows-1252", "cp1252": // the last two are the others with more signs
		return charmap.Windows1252.NewDecoder().Reader(in), nil
	case "iso-8859-15":
		return charmap.ISO8859_15.NewDecoder().Reader(in), nil
	}
	return nil, errors.New("UTF-8, UTF-16, ISO-8859-1, ISO-8859-15 and Windows-1252 are what is read")
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// number reads an attribute that is a number. It returns 0 if there is none.
func number(e xml.StartElement, name string) (int, error) {
	s := attr(e, name)
	if s == "" {
		return 0, nil
	}
	n, err := LineNumber([]byte(s))
	if err != nil {
		return 0, fmt.Errorf("the %s is %q", name, Text(s, 40))
	}
	return n, nil
}
