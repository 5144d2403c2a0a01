package tokenizer

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

func packed(t testing.TB, data []byte) *Tokenizer {
	t.Helper()
	made, err := Pack(data)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := NewPacked(string(made))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// same compares a packed tokenizer with the one of the file.
func same(t *testing.T, got, want *Tokenizer, texts ...string) {
	t.Helper()
	if got.Kind() != want.Kind() || got.MaxID() != want.MaxID() {
		t.Errorf("%s to %d, want %s to %d", got.Kind(), got.MaxID(), want.Kind(), want.MaxID())
	}
	for id := -1; id <= want.MaxID()+1; id++ {
		name := want.Name(id)
		if got.Name(id) != name {
			t.Errorf("%d is %q, want %q", id, got.Name(id), name)
		}
		texts = append(texts, name)
	}
	for _, text := range texts {
		if g, w := got.Encode(text), want.Encode(text); !slices.Equal(g, w) {
			t.Errorf("%q: %v, want %v", text, g, w)
		}
		gotID, gotOK := got.ID(text)
		if id, ok := want.ID(text); gotID != id || gotOK != ok {
			t.Errorf("%q is %d, %v, want %d, %v", text, gotID, gotOK, id, ok)
		}
	}
}

func TestPacked(t *testing.T) {
	data, err := os.ReadFile("testdata/bert.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	got := packed(t, data)
	same(t, got, want, expectedTexts(t)...)
	gotPrefix, gotSuffix := got.Special()
	prefix, suffix := want.Special()
	if !slices.Equal(gotPrefix, prefix) || !slices.Equal(gotSuffix, suffix) {
		t.Errorf("special tokens %v %v, want %v %v", gotPrefix, gotSuffix, prefix, suffix)
	}
}

func expectedTexts(t *testing.T) []string {
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Texts []string `json:"texts"`
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Texts) < 10 {
		t.Fatalf("%d texts, %v", len(file.Texts), err)
	}
	return file.Texts
}

func TestPackRefuses(t *testing.T) {
	for name, test := range map[string]struct{ vocab, want string }{
		"a gap":         {`{"[UNK]":0,"a":2}`, "packed ids are those from 0 to 1"},
		"an id twice":   {`{"[UNK]":0,"a":1,"b":1}`, "packed ids are those from 0 to 2"},
		"an empty name": {`{"[UNK]":0,"":1}`, "packed ids are"},
		"nothing":       {`{}`, "the vocabulary is empty"},
	} {
		_, err := Pack([]byte(`{"model":{"type":"WordPiece","vocab":` + test.vocab + `}}`))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, file := range []string{"mpnet.json", "roberta.json", "xlmr.json"} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if made, err := Pack(data); err == nil {
			if want, err := New(data); err != nil || want.Kind() != "WordPiece" {
				t.Errorf("%s of the kind %s is packed in %d bytes", file, want.Kind(), len(made))
			}
		}
	}
}

func TestPackedIsCut(t *testing.T) {
	made, err := Pack([]byte(`{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(made) - len("[UNK]a") {
		if _, err := NewPacked(string(made[:n])); err == nil {
			t.Errorf("%d bytes of %d are a tokenizer", n, len(made))
		}
	}
	if _, err := NewPacked("\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00{}"); err == nil {
		t.Error("without a model it is a tokenizer")
	}
}

// FuzzPacked holds what a packed vocabulary finds against the map of the same names.
func FuzzPacked(f *testing.F) {
	f.Add("a b ##c abc", "abca bc")
	f.Add("ä ##ä x ##x", "äxä xäx ä")
	f.Fuzz(func(t *testing.T, names, text string) {
		ids := map[string]int{"[UNK]": 0}
		for name := range strings.FieldsSeq(strings.ToValidUTF8(names, "")) {
			if _, ok := ids[name]; !ok {
				ids[name] = len(ids)
			}
		}
		data, err := json.Marshal(map[string]any{"pre_tokenizer": map[string]string{"type": "WhitespaceSplit"},
			"model": map[string]any{"type": "WordPiece", "vocab": ids}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := New(data)
		if err != nil {
			t.Fatal(err)
		}
		same(t, packed(t, data), want, strings.ToValidUTF8(text, " "))
	})
}
