package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"crscore/internal/server/page"
)

// spec is openapi.json as tests use it.
type spec struct {
	doc      map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	seen     map[string]bool // "path status"
}

// described reads openapi.json once; every answer of every test is held against it.
var described = sync.OnceValues(func() (*spec, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPI))
	if err != nil {
		return nil, err
	}
	s := &spec{doc: v.(map[string]any), compiler: jsonschema.NewCompiler(), seen: make(map[string]bool)}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	// A client may not mind new fields; here none may be forgotten.
	for _, schema := range s.doc["components"].(map[string]any)["schemas"].(map[string]any) {
		walk(schema, func(o map[string]any) {
			if o["type"] == "object" && o["properties"] != nil {
				o["additionalProperties"] = false
			}
		})
	}
	return s, s.compiler.AddResource("mem:///openapi.json", v)
})

// walk visits all objects of a JSON value.
func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walk(v[k], visit)
		}
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	}
}

// at follows names from an object of the document, and references on the way.
func (s *spec) at(v any, names ...string) map[string]any {
	for {
		o, _ := v.(map[string]any)
		if to, ok := o["$ref"].(string); ok {
			v = s.at(s.doc, strings.Split(strings.TrimPrefix(to, "#/"), "/")...)
			continue
		}
		if len(names) == 0 || o == nil {
			return o
		}
		v, names = o[names[0]], names[1:]
	}
}

// valid holds a JSON text against a schema of the document.
func (s *spec) valid(schema map[string]any, text string) error {
	to, ok := schema["$ref"].(string)
	if !ok {
		return nil // any JSON, or a text
	}
	s.mu.Lock()
	compiled, err := s.compiler.Compile("mem:///openapi.json" + to)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return compiled.Validate(v)
}

// operation is that of a request. A method that its path has not is told by the others.
func (s *spec) operation(method, path string) map[string]any {
	if method == "HEAD" {
		method = "GET"
	}
	item := s.at(s.doc, "paths", path)
	if op := s.at(item, strings.ToLower(method)); op != nil {
		return op
	}
	for _, op := range item {
		return op.(map[string]any)
	}
	return nil
}

// check holds an answer against the document.
func (s *spec) check(method, path string, a answer) error {
	path, _, _ = strings.Cut(path, "?")
	if s.at(s.doc, "paths", path) == nil {
		if slices.Contains(page.Paths(), path) || a.status == 404 || a.status == 421 {
			return nil
		}
		return fmt.Errorf("%s is not in openapi.json", path)
	}
	res := s.at(s.operation(method, path), "responses", strconv.Itoa(a.status))
	if res == nil {
		return fmt.Errorf("openapi.json has no status %d for %s", a.status, path)
	}
	s.mu.Lock()
	s.seen[path+" "+strconv.Itoa(a.status)] = true
	s.mu.Unlock()
	for name, h := range s.at(res, "headers") {
		if value := a.header.Get(name); value == "" {
			return fmt.Errorf("the answer %d of %s has no %s", a.status, path, name)
		} else if schema := s.at(h, "schema"); schema["type"] == "integer" {
			if _, err := strconv.Atoi(value); err != nil {
				return fmt.Errorf("%s is %q", name, value)
			}
		}
	}
	content := s.at(res, "content")
	if content == nil || method == "HEAD" {
		return nil
	}
	typ, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || content[typ] == nil {
		return fmt.Errorf("the answer %d of %s is %q, which openapi.json does not say", a.status, path, a.header.Get("Content-Type"))
	}
	schema, _ := content[typ].(map[string]any)["schema"].(map[string]any)
	if err := s.valid(schema, a.body); strings.Contains(typ, "json") && err != nil {
		return fmt.Errorf("the answer %d of %s: %w\n%s", a.status, path, err, a.body)
	}
	return nil
}

// TestOpenAPI holds the document against itself.
func TestOpenAPI(t *testing.T) {
	s, err := described()
	if err != nil {
		t.Fatal(err)
	}
	used, ids := make(map[string]bool), make(map[string]bool)
	walk(s.doc, func(o map[string]any) {
		if to, ok := o["$ref"].(string); ok {
			if used[to] = true; s.at(o) == nil {
				t.Errorf("nothing is at %s", to)
			}
		}
		if id, ok := o["operationId"].(string); ok {
			if ids[id] {
				t.Errorf("two operations are %s", id)
			}
			if ids[id] = true; o["responses"] == nil || o["summary"] == nil || o["security"] == nil {
				t.Errorf("operation %s lacks something", id)
			}
		}
	})
	for kind, list := range s.doc["components"].(map[string]any) {
		for name := range list.(map[string]any) {
			if kind != "securitySchemes" && !used["#/components/"+kind+"/"+name] {
				t.Errorf("%s %s is not used", kind, name)
			}
		}
	}
	for name := range s.at(s.doc, "components", "schemas") {
		if _, err := s.compiler.Compile("mem:///openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
	// It has the routes of the service, and no others.
	srv, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	routes := make(map[string]bool)
	for path, methods := range srv.routes {
		for m := range methods {
			if path == "/" || !slices.Contains(page.Paths(), path) {
				routes[m+" "+path] = true
			}
		}
	}
	for path := range s.at(s.doc, "paths") {
		for m := range s.at(s.doc, "paths", path) {
			r := strings.ToUpper(m) + " " + path
			if !routes[r] {
				t.Errorf("the service has no %s", r)
			}
			delete(routes, r)
		}
	}
	for r := range routes {
		t.Errorf("openapi.json has no %s", r)
	}
}

// TestStatuses: every status that the document has is one that the service answers, with
// the examples of the document.
func TestStatuses(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	const token = "0123456789abcdef"
	plain := start(t, Options{ReadTimeout: 5 * time.Second})
	small := start(t, Options{MaxBody: 10})
	slow := start(t, Options{ReadTimeout: 50 * time.Millisecond})
	locked := start(t, Options{Token: token})
	full := start(t, Options{Workers: 1})
	full.places.fill()
	broken := start(t, Options{})
	broken.warm.Store(&warm{}) // an engine that is not there is a bug
	unready := start(t, Options{}, cold)

	for path := range d.at(d.doc, "paths") {
		op := d.at(d.doc, "paths", path, "post")
		if op == nil {
			plain.want(200, "GET", path, "")
			plain.want(200, "HEAD", path, "")
			plain.want(405, "POST", path, "")
			continue
		}
		media := d.at(op, "requestBody", "content", "application/json")
		body := ""
		for name, example := range media["examples"].(map[string]any) {
			b, err := json.Marshal(example.(map[string]any)["value"])
			if err != nil {
				t.Fatal(err)
			}
			if err := d.valid(media["schema"].(map[string]any), string(b)); err != nil {
				t.Errorf("%s, example %s: %v", path, name, err)
			}
			body = string(b)
			plain.want(200, "POST", path, body)
			locked.want(200, "POST", path, body, "Authorization: Bearer "+token)
		}
		plain.want(400, "POST", path, "{")
		plain.want(400, "POST", path, `{"file": "/etc/passwd"}`)
		locked.want(401, "POST", path, body)
		plain.want(403, "POST", path, body, "Origin: http://other.example")
		plain.want(405, "GET", path, "")
		if a := slow.raw("POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{", "POST", path); a.status != 408 {
			t.Errorf("%s: %d for a body that does not come", path, a.status)
		}
		small.want(413, "POST", path, body)
		plain.want(415, "POST", path, body, "Content-Type: text/plain")
		plain.want(421, "POST", path, body, "Host: other.example")
		full.want(429, "POST", path, body)
		broken.want(500, "POST", path, body)
		unready.want(503, "POST", path, body)
	}
	for _, path := range []string{"/readyz", "/"} {
		unready.want(503, "GET", path, "")
	}
	locked.want(401, "GET", "/metrics", "")
	locked.want(200, "GET", "/metrics", "", "Authorization: Bearer "+token)
	for _, path := range []string{"/metrics", "/openapi.json", "/"} {
		plain.want(421, "GET", path, "", "Host: other.example")
	}
	home := plain.want(200, "GET", "/", "")
	plain.want(304, "GET", "/", "", "If-None-Match: "+home.header.Get("ETag"))
	for _, path := range page.Paths() {
		plain.want(200, "GET", path, "", "Range: bytes=0-1")
	}
	plain.want(404, "GET", "/v1", "")

	for path := range d.at(d.doc, "paths") {
		for method := range d.at(d.doc, "paths", path) {
			for status := range d.at(d.doc, "paths", path, method, "responses") {
				if !d.seen[path+" "+status] {
					t.Errorf("nothing has made %s answer %s", path, status)
				}
			}
		}
	}
}
