package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the types of the page anew")

// TestTypes writes the schemas of openapi.json as types, for the scripts of the page.
func TestTypes(t *testing.T) {
	const file = "page/api.d.ts"
	var doc struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	want.WriteString("// Made from openapi.json: go test ./internal/server -run TestTypes -update\n")
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		s := doc.Components.Schemas[name]
		fmt.Fprintf(&want, "\n%sexport type %s = %s;\n", s.comment(""), name, s.typescript(t, ""))
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.String(), string(got)); d != "" {
		t.Errorf("%s is not what openapi.json says (-update writes it), -want +got:\n%s", file, d)
	}
}

// schema is a schema as openapi.json has them.
type schema struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Enum        []string
	AnyOf       []schema
	Items       *schema
	Properties  map[string]schema
	Required    []string
}

func (s schema) comment(indent string) string {
	if s.Description == "" {
		return ""
	}
	return indent + "/** " + s.Description + " */\n"
}

func (s schema) typescript(t *testing.T, indent string) string {
	var of []string
	each := func(kind any) string {
		switch kind {
		case "array":
			if s.Items == nil {
				return "Array<unknown>"
			}
			return "Array<" + s.Items.typescript(t, indent) + ">"
		case "object":
			if s.Properties == nil {
				return "object"
			}
			return s.object(t, indent)
		case "integer":
			return "number"
		case "string", "number", "boolean", "null":
			return kind.(string)
		}
		t.Fatalf("no type for %v", kind)
		return ""
	}
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndex(s.Ref, "/")+1:]
	case s.Enum != nil:
		for _, v := range s.Enum {
			of = append(of, fmt.Sprintf("%q", v))
		}
	case s.AnyOf != nil:
		for _, one := range s.AnyOf {
			of = append(of, one.typescript(t, indent))
		}
	default:
		kinds, many := s.Type.([]any)
		if !many {
			kinds = []any{s.Type}
		}
		for _, kind := range kinds {
			of = append(of, each(kind))
		}
	}
	return strings.Join(of, " | ")
}

func (s schema) object(t *testing.T, indent string) string {
	text, deeper := "{\n", indent+"\t"
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p, optional := s.Properties[name], "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		text += p.comment(deeper) + deeper + name + optional + ": " + p.typescript(t, deeper) + ";\n"
	}
	return text + indent + "}"
}
