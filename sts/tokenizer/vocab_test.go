package tokenizer

import (
	"encoding/json"
	"maps"
	"testing"
)

// FuzzVocab holds the quick way to read a vocabulary against the usual one.
func FuzzVocab(f *testing.F) {
	for _, s := range []string{
		`{"a":0,"##b":21}`, "{\n  \"a\": 1,\n  \"ä,:\": 2\n}", `{"a":1,"a":2}`, `{"\u0061":1}`, `{}`, `{"a":-1}`, `{"a":1.5}`, `{"a":null}`, `{"a":{"b":1}}`,
		"{\"\xff\":1}", `{"a":99999999999}`, `{"a":1e3}`, `{"a":"b","c":1}`, `[["a",0]]`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return // Its caller is the decoder, which has looked.
		}
		var want map[string]int
		err := json.Unmarshal(data, &want)
		if got, ok := plainIDs(data); ok && (err != nil || !maps.Equal(got, want)) {
			t.Errorf("%q: %v, want %v, %v", data, got, want, err)
		}
	})
}

func TestPlainIDs(t *testing.T) {
	if got, ok := plainIDs([]byte("{\n \"a\": 1,\n \"##, :\": 2 }")); !ok || !maps.Equal(got, map[string]int{"a": 1, "##, :": 2}) {
		t.Errorf("%v, %v", got, ok)
	}
}
