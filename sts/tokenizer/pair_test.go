package tokenizer

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPairReference compares pairs with what Hugging Face's library gave for them
// (testdata/make.mjs), cut ones and empty ones among them.
func TestPairReference(t *testing.T) {
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Texts  []string
		Pairs  [][3]int // two texts, and the most tokens
		Paired map[string][]struct{ IDs, Types []int }
	}
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected.Paired) != 6 || len(expected.Pairs) < 50 {
		t.Fatalf("only %d tokenizers and %d pairs", len(expected.Paired), len(expected.Pairs))
	}
	for name, want := range expected.Paired {
		tok := load(t, name)
		p, err := tok.Pair()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		cuts := 0
		for i, pair := range expected.Pairs {
			a, b := idsOf(tok.Encode(expected.Texts[pair[0]])), idsOf(tok.Encode(expected.Texts[pair[1]]))
			n, m := LongestFirst(len(a), len(b), pair[2]-p.Special())
			ids, types := p.Join(a[:n], b[:m])
			if !slices.Equal(ids, want[i].IDs) || !slices.Equal(types, want[i].Types) {
				t.Errorf("%s: %.40q and %.40q, cut to %d, give\n\t%s %v\nwant\n\t%s %v", name,
					expected.Texts[pair[0]], expected.Texts[pair[1]], pair[2], tok.show(ids), types, tok.show(want[i].IDs), want[i].Types)
			}
			if n+m < len(a)+len(b) {
				cuts++
			}
		}
		if cuts < 5 {
			t.Errorf("%s: only %d pairs are cut", name, cuts)
		}
	}
}

func idsOf(tokens []Token) []int {
	ids := make([]int, len(tokens))
	for i, token := range tokens {
		ids[i] = token.ID
	}
	return ids
}

// pairing is a tokenizer.json with a post_processor.
func pairing(post string) []byte {
	return []byte(`{"model":{"type":"WordLevel","unk_token":"u","vocab":{"u":0,"c":1,"s":2}},"post_processor":` + post + `}`)
}

// pairTemplate is a post_processor with a template for pairs.
func pairTemplate(pair string) string {
	return `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":0}}],"pair":` + pair +
		`,"special_tokens":{"[S]":{"id":"[S]","ids":[2],"tokens":["s"]},"[X]":{"id":"[X]","ids":[9],"tokens":["x"]}}}`
}

func TestBadPairs(t *testing.T) {
	const a, s, b = `{"Sequence":{"id":"A","type_id":0}}`, `{"SpecialToken":{"id":"[S]","type_id":0}}`, `{"Sequence":{"id":"B","type_id":1}}`
	good := pairTemplate("[" + strings.Join([]string{a, s, b}, ",") + "]")
	tests := []struct{ post, want string }{
		{good, ""},
		{`{"type":"Sequence","processors":[{"type":"ByteLevel"},` + good + `]}`, ""},
		{pairTemplate("[" + strings.Join([]string{b, s, a}, ",") + "]"), ""},
		{`null`, "the file has no post_processor that says how to pair two texts"},
		{`{"type":"ByteLevel"}`, "the file has no post_processor that says how to pair two texts"},
		{`{"type":"Sequence","processors":[]}`, "the file has no post_processor that says how to pair two texts"},
		{`{"type":"Sequence","processors":[null,` + good + `,` + good + `]}`, "a sequence of two that pair texts"},
		{`{"type":"TemplateProcessing","single":[` + a + `]}`, "the file has no post_processor that says how to pair two texts"},
		{pairTemplate(`[` + a + `,` + b + `]`), "the pair has no special token between its two texts"},
		{pairTemplate(`[` + s + `,` + a + `,` + b + `,` + s + `]`), "the pair has no special token between its two texts"},
		{pairTemplate(`[` + a + `,` + s + `]`), "1 places for the first text and 0 for the second"},
		{pairTemplate(`[` + a + `,` + s + `,` + b + `,` + b + `]`), "1 places for the first text and 2 for the second"},
		{pairTemplate(`[]`), "0 places for the first text and 0"},
		{pairTemplate(`null`), "0 places for the first text and 0"},
		{pairTemplate(`"$A [S] $B"`), "template of the pair: json: cannot unmarshal string"},
		{pairTemplate(`[{"Sequence":{"id":"C","type_id":0}}]`), "part 1 is neither a special token nor the text A or B"},
		{pairTemplate(`[` + a + `,{}]`), "part 2 is neither a special token nor the text A or B"},
		{pairTemplate(`[{"SpecialToken":{"id":"[Y]","type_id":0}}]`), `special token "[Y]" is not defined`},
		{pairTemplate(`[` + a + `,{"SpecialToken":{"id":"[X]","type_id":0}},` + b + `]`), "token id 9, which is not in the vocabulary"},
		{pairTemplate(`[` + a + `,` + s + `,{"Sequence":{"id":"B","type_id":-1}}]`), "token type -1"},
	}
	for _, tt := range tests {
		tok, err := New(pairing(tt.post))
		if err != nil {
			t.Errorf("%s: %v", tt.post, err) // An encoder that reads no pairs takes it.
			continue
		}
		_, err = tok.Pair()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s gives the error %v, want %q", tt.post, err, tt.want)
		}
	}
}

// FuzzPair reads anything as a post_processor, and pairs texts of any lengths with it.
func FuzzPair(f *testing.F) {
	f.Add(`{"type":"BertProcessing","sep":["s",2],"cls":["c",1]}`, uint16(5), uint16(7), uint16(9))
	f.Add(`{"type":"RobertaProcessing","sep":["s",2],"cls":["c",1]}`, uint16(0), uint16(70), uint16(9))
	f.Add(pairTemplate(`[{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[S]","type_id":1}},{"Sequence":{"id":"B","type_id":2}}]`), uint16(9), uint16(9), uint16(8))
	f.Add(`{"type":"Sequence","processors":[{"type":"ByteLevel"},null]}`, uint16(1), uint16(1), uint16(0))
	f.Fuzz(func(t *testing.T, post string, n, m, limit uint16) {
		tok, err := New(pairing(post))
		if err != nil {
			return
		}
		p, err := tok.Pair()
		if err != nil {
			return
		}
		room := max(0, int(limit)-p.Special())
		first, second := LongestFirst(int(n), int(m), room)
		if first > int(n) || second > int(m) || first+second != min(int(n)+int(m), room) {
			t.Errorf("%d and %d tokens are cut to %d and %d in %d", n, m, first, second, room)
		}
		ids, types := p.Join(slices.Repeat([]int{0}, first), slices.Repeat([]int{0}, second))
		if want := first + second + p.Special(); len(ids) != want || len(types) != want {
			t.Errorf("%d tokens and %d types, want %d", len(ids), len(types), want)
		}
		for i, id := range ids {
			if id > 2 || id < 0 || types[i] < 0 || types[i] > p.MaxType() {
				t.Errorf("id %d of type %d, the largest type is %d", id, types[i], p.MaxType())
			}
		}
	})
}
