package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
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

// Token.Text and Word put a text together again.
func TestTokensCoverText(t *testing.T) {
	for name, tests := range map[string]map[string]string{
		"bert":         {"The parsers, café": "the|par|sers|,|cafe"},
		"roberta":      {"The parsers, don't": "The|parsers|,|don|'t"},
		"xlmr":         {"the parsers, don't": "the|parsers,|don't"},
		"bytefallback": {"the cache": "the▁cache"}, // there is no pre-tokenizer
	} {
		for text, want := range tests {
			tok := load(t, name)
			var words []string
			last := -1
			for _, token := range tok.Encode(text) {
				if token.Word != last {
					words, last = append(words, ""), token.Word
				}
				words[len(words)-1] += token.Text
			}
			if name == "bert" {
				want = strings.Replace(want, "par|sers", "parsers", 1)
			}
			got := strings.Trim(strings.Join(words, "|"), "▁")
			if got != want {
				t.Errorf("%s: %q has the words %q, want %q", name, text, got, want)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	tests := []struct{ file, want string }{
		{`{`, "unexpected end"},
		{`{}`, "the file has no model"},
		{`{"model":{"type":"WordPiece","vocab":{}}}`, "the vocabulary is empty"},
		{`{"model":{"type":"WordPiece","vocab":{"a":0}}}`, "there is no unk_token"},
		{`{"model":{"type":"WordPiece","vocab":{"a":0},"unk_token":"b"}}`, `unk_token "b" is not in the vocabulary`},
		{`{"model":{"type":"WordPiece","vocab":{"[UNK]":-1}}}`, `token "[UNK]" has the id -1`},
		{`{"model":{"type":"Lattice","vocab":{"a":0}}}`, `type "Lattice" is not supported`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`, `merge "a" "b" is not in the vocabulary`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":["ab"]}}`, `merge "ab" is no pair`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1}}`, "dropout"},
		{`{"model":{"type":"Unigram","vocab":{"a":0}}}`, "the vocabulary has no scores"},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":5}}`, "unk_id is 5, and there are 1 tokens"},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]],"unk_id":0,"byte_fallback":true}}`, "byte_fallback needs the token <0x00>"},
		{`{"model":{"type":"Unigram","vocab":[["a",-1]]},"pre_tokenizer":{"type":"ByteLevel"}}`, "with the pre_tokenizer ByteLevel it is not supported"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"ByteLevel"},{"type":"Digits"}]}}`, "ByteLevel is supported as the last"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\s+(?!\\S)"},"behavior":"Isolated"}}`, "regular expression"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"Split","pattern":{"String":" "},"behavior":"Shuffled"}}`, `behavior "Shuffled" is not supported`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}}`, "too short"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////w=="}}`, "says 4294967295 bytes"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"post_processor":{"type":"TemplateProcessing","single":[]}}`, "0 places for the text"},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X"}}]}}`, `special token "X" is not defined`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"added_tokens":[{"id":1,"content":""}]}`, "added token 1 is empty"},
	}
	for _, tt := range tests {
		if _, err := New([]byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s gives the error %v, want %q", tt.file, err, tt.want)
		}
	}
}

// charsMap1 is a character map that puts text for an "a".
func charsMap1(text string) string {
	trie := make([]byte, 4*256)
	binary.LittleEndian.PutUint32(trie[4*'a':], 'a'|1<<8|1<<10) // a key ends here, its value is in the unit beside
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(trie)))
	return base64.StdEncoding.EncodeToString(append(append(data, trie...), text+"\x00"...))
}

// A text that grows as it is normalized stays within bounds and valid.
func TestGrowingTexts(t *testing.T) {
	const file = `{"normalizer":%s,"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1]]}}`
	longer := `{"type":"Replace","pattern":{"String":"a"},"content":"aaaaaaaaaaaaaaaa"}`
	for name, normalizer := range map[string]string{
		"replace": `{"type":"Sequence","normalizers":[` + strings.Repeat(longer+",", 9) + longer + `]}`,
		"map":     `{"type":"Precompiled","precompiled_charsmap":"` + charsMap1(strings.Repeat("é", 1000)+"b") + `"}`,
		"invalid": `{"type":"Precompiled","precompiled_charsmap":"` + charsMap1("\x80\xe2") + `"}`,
	} {
		tok, err := New(fmt.Appendf(nil, file, normalizer))
		if err != nil {
			t.Fatal(err)
		}
		text := tok.normalizer.apply(strings.Repeat("a", 10000))
		if len(text) > 1<<20 || !utf8.ValidString(text) {
			t.Errorf("%s: %d bytes, valid: %v", name, len(text), utf8.ValidString(text))
		}
		tok.Encode("aaa")
	}
	if _, err := New(fmt.Appendf(nil, file, `{"type":"Prepend","prepend":"`+strings.Repeat("x", 300)+`"}`)); err == nil || !strings.Contains(err.Error(), "type Prepend: 300 bytes") {
		t.Errorf("error %v", err)
	}
}

// TestHugeTexts shows that the cost of a text is linear: four times the text may take
// ten times as long, but not sixteen. It measures texts that take long enough to tell,
// and until the shortest times agree, since other programs disturb single measurements.
func TestHugeTexts(t *testing.T) {
	for _, name := range []string{"bert", "roberta", "modernbert", "xlmr", "sentencepiece", "bytefallback", "steps"} {
		tok := load(t, name)
		for what, unit := range map[string]string{"word": "a", "words": "the parser ", "spaces": " ", "umlauts": "ü", "marks": "e\u0301", "mask": "<mask>", "quotes": "'s", "unknown": "\U0001F980"} {
			took := func(size int) time.Duration {
				text := strings.Repeat(unit, size/len(unit))
				start := time.Now()
				tok.Encode(text)
				return time.Since(start)
			}
			long := took(64 << 10)
			short := time.Hour
			for tries := 0; long > 100*time.Millisecond; tries++ {
				if short = min(short, took(16<<10)); long <= 10*short {
					break
				}
				if tries == 20 {
					t.Errorf("%s: 64 KB of %s took %v, 16 KB %v", name, what, long, short)
					break
				}
				long = min(long, took(64<<10))
			}
		}
	}
}

// FuzzNew reads anything as a tokenizer.json, and cuts a text with it.
func FuzzNew(f *testing.F) {
	for _, name := range []string{"bert", "roberta", "xlmr", "bytefallback", "steps"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "the parser don't é")
	}
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"],"unk_token":"a","fuse_unk":true}}`), "abxb")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		tok, err := New(file)
		if err != nil {
			return
		}
		top := tok.MaxID()
		for _, token := range tok.Encode(strings.ToValidUTF8(text, "")) {
			if token.ID < 0 || token.ID > top {
				t.Errorf("id %d, the largest is %d", token.ID, top)
			}
		}
	})
}

// FuzzEncode cuts any text with every kind of tokenizer.
func FuzzEncode(f *testing.F) {
	var all []*Tokenizer
	for _, name := range []string{"bert", "roberta", "modernbert", "xlmr", "sentencepiece", "bytefallback", "steps"} {
		all = append(all, load(f, name))
	}
	for _, text := range []string{"", "the parser", " a<mask> b", "é\u0301\u200d", "'s 't", "\x00\u2028"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		for _, tok := range all {
			last := 0
			for _, token := range tok.Encode(text) {
				if tok.Name(token.ID) == "" || token.Word < last {
					t.Errorf("%s: %q has the token %+v after word %d", tok.Kind(), text, token, last)
				}
				last = token.Word
			}
		}
	})
}
