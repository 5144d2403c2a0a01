package adapter

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"strings"
	"unicode/utf8"
)

// JSON returns a Parse for an output that is one JSON document.
func JSON(tables ...Table) func(stdout []byte) (Report, error) {
	return Read(func(stdout []byte) (document any, err error) {
		err = json.Unmarshal(stdout, &document)
		return document, err
	}, tables...)
}

// JSONLines returns a Parse for an output of JSON objects, one on each line.
func JSONLines(tables ...Table) func(stdout []byte) (Report, error) {
	return Read(func(stdout []byte) (any, error) {
		if len(stdout) > 0 && !bytes.HasSuffix(stdout, []byte("\n")) {
			return nil, errors.New("the last line has no end")
		}
		list := []any{}
		for line := range bytes.Lines(stdout) {
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}, tables...)
}

// XML returns a Parse for an output that is one XML document.
func XML(tables ...Table) func(stdout []byte) (Report, error) { return Read(decodeXML, tables...) }

// text is a text in XML, which may be a number.
type text string

// xmlNode is an element of XML.
type xmlNode struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []xmlNode  `xml:",any"`
}

// fieldsOf returns what is in an object of JSON, or in an element of XML.
func fieldsOf(v any) (map[string]any, bool) {
	node, ok := v.(*xmlNode)
	if !ok {
		fields, ok := v.(map[string]any)
		return fields, ok && fields != nil
	}
	fields := map[string]any{"text": text(strings.TrimSpace(node.Text))}
	for _, a := range node.Attrs {
		fields[a.Name.Local] = text(a.Value)
	}
	for i := range node.Nodes {
		n := &node.Nodes[i]
		list, _ := fields[n.XMLName.Local].([]any)
		fields[n.XMLName.Local] = append(list, n)
	}
	return fields, true
}

// decodeXML reads an output that is exactly one XML document. Tools copy code into their
// output, so characters that XML does not allow are read as "?".
func decodeXML(stdout []byte) (any, error) {
	text := bytes.Map(func(r rune) rune {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return '?'
		}
		return r
	}, stdout)
	d := xml.NewDecoder(bytes.NewReader(text))
	var root xmlNode
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return nil, errors.New("there is text after the end of the XML")
	}
	return &xmlNode{Nodes: []xmlNode{root}}, nil
}
