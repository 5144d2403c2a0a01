package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func load(t testing.TB, name string) *Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := New(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return tok
}

func (t *Tokenizer) show(ids []int) string {
	var names []string
	for _, id := range ids {
		names = append(names, t.Name(id))
	}
	return strings.Join(names, " ")
}

// TestReference compares with what Hugging Face's library gave (testdata/make.mjs).
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Texts []string
		IDs   map[string][][]int
	}
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected.IDs) < 8 || len(expected.Texts) < 40 {
		t.Fatalf("only %d tokenizers and %d texts", len(expected.IDs), len(expected.Texts))
	}
	for name, want := range expected.IDs {
		t.Run(name, func(t *testing.T) {
			tok := load(t, name)
			prefix, suffix := tok.Special()
			for i, text := range expected.Texts {
				got := slices.Clone(prefix)
				for _, token := range tok.Encode(text) {
					got = append(got, token.ID)
				}
				got = append(got, suffix...)
				if !slices.Equal(got, want[i]) {
					t.Errorf("%.60q gives\n\t%s\nwant\n\t%s", text, tok.show(got), tok.show(want[i]))
				}
			}
		})
	}
}
