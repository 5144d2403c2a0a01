package server

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzHandlers sends any body to every route that takes one: the answer is one that
// openapi.json has, and no bug.
func FuzzHandlers(f *testing.F) {
	e, err := engines()
	if err != nil {
		f.Fatal(err)
	}
	s, err := New(Options{Timeout: 20 * time.Second})
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Warm(context.Background(), e); err != nil {
		f.Fatal(err)
	}
	d, err := described()
	if err != nil {
		f.Fatal(err)
	}
	paths := []string{"/v1/score", "/v1/gate", "/v1/refs"}
	for i, path := range paths {
		for _, example := range d.at(d.doc, "paths", path, "post", "requestBody", "content", "application/json", "examples") {
			b, err := json.Marshal(example.(map[string]any)["value"])
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), string(b))
		}
	}
	for i, body := range []string{
		"", "{", "null", "[]", `"x"`, `{"diff":null}`, `{"diff":"@@ -1 +1 @@\n-a\n+b\n"}`, `{"diff":"@@ -1 +1 @@\n-a\n+b\n","lang":"py","reviews":[{"text":""},{}]}`,
		`{"diff":"@@ -1 +1 @@\n-a\n+b\n","tau":1e999,"reviews":[{"text":"b"}]}`, `{"diff":"x","diff":"y"}`, `{"Diff":"x"}`, "{\"diff\":\"\xff\"}", `{"diff":"\ud800"}`,
		`{"diff":"@@ -1 +1 @@\n-a\n+b\n","comments":[{"body":"b","path":"a","line":-1}],"kept":true}`, `{"diff":"","comments":"x","comments_format":"sarif"}`,
		`{"diff":"@@ -1 +1 @@\n-a\n+b\n","comments":{"version":"2.1.0","runs":[]},"policy":{"max_comments":-1}}`, strings.Repeat("[", 20000),
	} {
		f.Add(uint8(i), body)
	}
	f.Fuzz(func(t *testing.T, route uint8, body string) {
		path := paths[int(route)%len(paths)]
		r := httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if err := d.check("POST", path, answer{w.Code, w.Result().Header, w.Body.String()}); err != nil {
			t.Error(err)
		}
	})
}
