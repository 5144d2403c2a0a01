package sts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"crscore/sts/builtin"
	"crscore/sts/internal/limits"
	"crscore/sts/tokenizer"
)

// newBuiltin loads the built-in model for a test.
func newBuiltin(t testing.TB, opts EncoderOptions) *ModelEncoder {
	t.Helper()
	e, err := NewBuiltin(context.Background(), opts)
	return opened(t, e, err)
}

// opened is a new encoder that is closed when the test ends.
func opened(t testing.TB, e *ModelEncoder, err error) *ModelEncoder {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func encode(t testing.TB, e *ModelEncoder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Encode(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(vectors), len(texts))
	}
	return vectors
}

// bertTokenizer is a tokenizer.json with everything that BERT's has: special
// tokens around the text, punctuation, pieces.
func bertTokenizer(t testing.TB) []byte {
	t.Helper()
	vocab := map[string]int{}
	for _, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "is", "par", "##ser", "##s", "what", "##ever", "naive", "don", "'", "t", ".", ",", "broken", "cafe"} {
		vocab[token] = len(vocab)
	}
	added := []map[string]any{}
	for id, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"} {
		added = append(added, map[string]any{"id": id, "content": token, "special": true})
	}
	data, err := json.Marshal(map[string]any{
		"added_tokens":   added,
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}},
		"model":          map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocab},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bertModel is a model directory with the built-in vectors behind bertTokenizer.
func bertModel(t testing.TB) fstest.MapFS {
	t.Helper()
	onnx, err := fs.ReadFile(builtin.Model(), "model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"model.onnx":     {Data: onnx},
		"tokenizer.json": {Data: bertTokenizer(t)},
		"config.json":    {Data: []byte(`{"max_position_embeddings": 64, "vocab_size": 100}`)},
	}
}

// serial leaves a test out under -short, which is for the race detector: the test does
// one thing after the other, and takes many times as long there.
func serial(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("no goroutines meet here")
	}
}

func cosine32(a, b []float32) float64 {
	var sum float64
	for k := range a {
		sum += float64(a[k]) * float64(b[k])
	}
	return sum
}

func TestEncodeMeaning(t *testing.T) {
	e := newBuiltin(t, EncoderOptions{})
	v := encode(t, e,
		"The parser throws an exception when the token is missing.",
		"Raise an error in `parseTokens` if a token does not exist",
		"Please update the copyright year in the readme.",
	)
	for i := range v {
		if n := cosine32(v[i], v[i]); math.Abs(n-1) > 1e-5 {
			t.Errorf("vector %d has squared length %v, want 1", i, n)
		}
	}
	near, far := cosine32(v[0], v[1]), cosine32(v[0], v[2])
	if near < far+0.2 {
		t.Errorf("similarity of related texts %.3f, of unrelated ones %.3f", near, far)
	}
}

func TestEncodeNothing(t *testing.T) {
	e := newBuiltin(t, EncoderOptions{})
	// An empty batch would take the process down.
	for _, texts := range [][]string{nil, {}} {
		v, err := e.Encode(context.Background(), texts)
		if err != nil || len(v) != 0 {
			t.Errorf("no texts give %v, %v", v, err)
		}
	}
	for _, text := range []string{"", " \t\n", "\x00\x00", "\xff\xfe", "?! -- {}", "日本語日本語", strings.Repeat(" ", 1<<20)} {
		v := encode(t, e, text)[0]
		if len(v) != e.Dim() || slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Errorf("%.20q does not give the zero vector", text)
		}
	}
}

func TestStopWordsArePooledOnlyWhenAlone(t *testing.T) {
	e := newBuiltin(t, EncoderOptions{})
	v := encode(t, e, "the cache is not valid", "cache valid", "why is this here", "here", "why is this")
	if !slices.Equal(v[0], v[1]) {
		t.Error("stop words change the vector of a text with other words")
	}
	if cosine32(v[2], v[2]) == 0 || cosine32(v[3], v[3]) == 0 {
		t.Error("a text of stop words has no vector")
	}
	if slices.Equal(v[2], v[4]) {
		t.Error("a text of stop words does not use all of them")
	}
}

func newTokenReader(t testing.TB, file []byte, maxTokens int) *tokenReader {
	t.Helper()
	tok, err := tokenizer.New(file)
	if err != nil {
		t.Fatal(err)
	}
	return &tokenReader{tokenizer: tok, maxTokens: maxTokens, stop: NewStopWords()}
}

func TestTokensBecomeWords(t *testing.T) {
	r := newTokenReader(t, bertTokenizer(t), 512)
	tests := []struct{ text, want string }{ // want: the pooled tokens
		{"The parsers", "par ##ser ##s"},
		{"the whatever", "what ##ever"}, // "what" is a stop word, "whatever" is not
		{"whatever what", "what ##ever"},
		// The tokenizer's offsets are out of step after the first accent.
		{"é café, the parser don't", "[UNK] cafe par ##ser '"},
		{"日本 the café", "[UNK] [UNK] cafe"},
		{"the is.", "the is ."}, // nothing but stop words: all of them
		{"", ""},
	}
	for _, tt := range tests {
		got := r.read(tt.text, nil)
		var pooled []string
		for i, id := range got.ids {
			if got.pooled[i] {
				name := r.tokenizer.Name(id)
				pooled = append(pooled, name)
			}
		}
		if s := strings.Join(pooled, " "); s != tt.want {
			t.Errorf("%q pools %q, want %q", tt.text, s, tt.want)
		}
	}
}

func TestLongTextIsCutAndCounted(t *testing.T) {
	r := newTokenReader(t, bertTokenizer(t), 8)
	for n := range 300 {
		got := r.read(strings.Repeat("broken ", n), nil)
		if n == 0 {
			if len(got.ids) != 0 {
				t.Errorf("no text has tokens %v", got.ids)
			}
			continue
		}
		// [CLS], at most six words, [SEP].
		want := min(n, 6) + 2
		if len(got.ids) != want || got.ids[0] != 2 || got.ids[want-1] != 3 || got.pooled[0] || got.pooled[want-1] {
			t.Fatalf("%d words: ids %v, pooled %v, want %d with special tokens at both ends", n, got.ids, got.pooled, want)
		}
		if got.cut != (n > 6) {
			t.Fatalf("%d words: cut is %v", n, got.cut)
		}
	}

	e, err := NewEncoder(context.Background(), bertModel(t), EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	encode(t, e, strings.Repeat("parser ", 100), "parser", strings.Repeat("broken ", 62), strings.Repeat("broken ", 63))
	if got, want := e.Stats(), (EncoderStats{Texts: 4, Cut: 2}); got != want {
		t.Errorf("stats are %+v, want %+v", got, want)
	}
}

func TestHugeTexts(t *testing.T) {
	serial(t)
	bert, err := NewEncoder(context.Background(), bertModel(t), EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer bert.Close()
	texts := map[string]string{
		"words":     strings.Repeat("parser cache ", 1<<20/13),
		"one word":  strings.Repeat("a", 1<<20),
		"camel":     strings.Repeat("aB", 1<<19),
		"slashes":   strings.Repeat("/", 1<<20),
		"controls":  strings.Repeat("\x01", 1<<20),
		"invalid":   strings.Repeat("\xff", 1<<20),
		"umlauts":   strings.Repeat("ü", 1<<19),
		"stop":      strings.Repeat("the ", 1<<18),
		"combining": strings.Repeat("e\u0301", 1<<18),
	}
	for _, e := range []*ModelEncoder{newBuiltin(t, EncoderOptions{}), bert} {
		for name, text := range texts {
			start := time.Now()
			encode(t, e, text)
			if took := time.Since(start); took > 10*time.Second { // Quadratic steps take minutes.
				t.Errorf("%s: 1 MB of %q took %v", e.Signature().String(), name, took)
			}
		}
	}
}

// sampleTexts are different texts of many lengths.
func sampleTexts(n int) []string {
	words := strings.Fields(`parser token cache error null check method argument return value test rename
		variable loop condition exception import the a is this should not refactor handleRequest user_id`)
	rng := rand.New(rand.NewPCG(1, 1))
	texts := make([]string, n)
	for i := range texts {
		length := 1 + rng.IntN(30)
		if i%20 == 0 {
			length = rng.IntN(700)
		}
		for range length {
			texts[i] += words[rng.IntN(len(words))] + " "
		}
	}
	return texts
}

func TestVectorsDoNotDependOnCompany(t *testing.T) {
	e := newBuiltin(t, EncoderOptions{Workers: 3})
	texts := sampleTexts(400)
	want := encode(t, e, texts...)
	same := func(what string, got [][]float32, at []int) {
		t.Helper()
		for i := range got {
			for k := range got[i] {
				if math.Float32bits(got[i][k]) != math.Float32bits(want[at[i]][k]) {
					t.Fatalf("%s: text %d has other bits", what, at[i])
				}
			}
		}
	}
	order := rand.New(rand.NewPCG(2, 2)).Perm(len(texts))
	shuffled := make([]string, len(texts))
	for i, o := range order {
		shuffled[i] = texts[o]
	}
	same("shuffled", encode(t, e, shuffled...), order)
	alone := 60
	if testing.Short() {
		alone = 5
	}
	for i := range alone {
		same("alone", encode(t, e, texts[i]), []int{i})
	}
	other := newBuiltin(t, EncoderOptions{Workers: 1})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			from := g * 50
			at := make([]int, 50)
			for i := range at {
				at[i] = from + i
			}
			for _, enc := range []*ModelEncoder{e, other} {
				got, err := enc.Encode(context.Background(), texts[from:from+50])
				if err != nil {
					t.Error(err)
					return
				}
				for i := range got {
					if !slices.Equal(got[i], want[at[i]]) {
						t.Errorf("concurrently: text %d has another vector", at[i])
					}
				}
			}
		})
	}
	wg.Wait()
}

// A static model is sent the pooled tokens only and adds them up itself. That
// gives what every model gets: the mean of the token vectors that are pooled.
func TestStaticAddsUp(t *testing.T) {
	serial(t)
	e := newBuiltin(t, EncoderOptions{})
	if !e.tokens.static || !e.session.info().pooled {
		t.Fatal("the built-in model is not static, or gives no sums")
	}
	files := fstest.MapFS{}
	for _, name := range []string{"model.onnx", "tokenizer.json", "config.json"} {
		data, err := fs.ReadFile(builtin.Model(), name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: bytes.ReplaceAll(data, []byte(`"model_type": "static"`), []byte(`"model_type": "bert"`))}
	}
	plain, err := NewEncoder(t.Context(), files, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if plain.Static() || plain.session.info().pooled {
		t.Fatal("the other encoder is static, too")
	}
	texts := append(sampleTexts(100), "why is this here", "")
	want, got := encode(t, plain, texts...), encode(t, e, texts...)
	for i := range texts {
		for k := range want[i] {
			if d := got[i][k] - want[i][k]; d > 1e-6 || d < -1e-6 {
				t.Fatalf("%q: value %d is %v, want %v", texts[i], k, got[i][k], want[i][k])
			}
		}
	}
}

// Every shape is a compiled graph that is kept for ever; and where texts run
// together, the matrix product must have nothing left over.
func TestFewShapes(t *testing.T) {
	for _, g := range []goSession{{lengths: lengths, tokens: transformerTokens}, {lengths: staticLengths, tokens: staticTokens}, {lengths: lengths, tokens: 1}} {
		shapes := map[[2]int]bool{}
		for n := 1; n <= limits.Tokens; n++ {
			length, rows := g.shape(n)
			if length < n || rows < 1 || g.tokens != staticTokens && rows > 1 && length%12 != 0 {
				t.Fatalf("%d tokens run in %d rows of length %d", n, rows, length)
			}
			shapes[[2]int{rows, length}] = true
		}
		if len(shapes) > 12 {
			t.Errorf("%d shapes", len(shapes))
		}
	}
}

func TestCancel(t *testing.T) {
	e := newBuiltin(t, EncoderOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v, err := e.Encode(ctx, []string{"parser"}); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("cancelled before: %v, %v", v, err)
	}
	texts := sampleTexts(5000)
	want := encode(t, e, texts[:100]...)
	for delay := time.Millisecond; delay < 40*time.Millisecond; delay *= 3 {
		ctx, cancel := context.WithTimeout(context.Background(), delay)
		v, err := e.Encode(ctx, texts)
		cancel()
		if err != nil && (err != context.DeadlineExceeded || v != nil) {
			t.Errorf("cancelled after %v: %d vectors, error %v", delay, len(v), err)
		}
	}
	if got := encode(t, e, texts[:100]...); !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
		t.Error("vectors are others after a cancelled call")
	}
}

func TestClose(t *testing.T) {
	e, err := NewBuiltin(context.Background(), EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				if _, err := e.Encode(context.Background(), []string{"parser", "cache"}); err != nil {
					if !errors.Is(err, ErrEncoderClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

func TestLoadConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			e, err := NewBuiltin(context.Background(), EncoderOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			defer e.Close()
			if _, err := e.Encode(context.Background(), []string{"parser"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestBuiltinNeedsNoDisk(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("TMPDIR", "/nonexistent")
	t.Chdir("/")
	e := newBuiltin(t, EncoderOptions{})
	if v := encode(t, e, "parser")[0]; cosine32(v, v) == 0 {
		t.Error("no vector")
	}
}

func TestSignature(t *testing.T) {
	a := newBuiltin(t, EncoderOptions{})
	b := newBuiltin(t, EncoderOptions{MaxTokens: 100})
	for _, field := range strings.Fields(a.Signature().String()) {
		if key, value, ok := strings.Cut(field, "="); !ok || key == "" || value == "" {
			t.Errorf("field %q of the signature is not key=value", field)
		}
	}
	if a.Signature().String() == b.Signature().String() {
		t.Errorf("the maximum length is not in the signature %q", a.Signature().String())
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(mod, []byte("github.com/knights-analytics/hugot v"+hugotVersion)) {
		t.Errorf("go.mod has another hugot than %s", hugotVersion)
	}
}

// The same model gives other bits with other vector instructions, so it has
// another signature; the built-in model gives the same ones. Which are taken is
// decided once in a process.
func TestSignatureNamesVectorInstructions(t *testing.T) {
	const child = "CRSCORE_TEST_VECTORS"
	if dir := os.Getenv(child); dir != "" {
		e, err := OpenEncoder(context.Background(), dir, EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		b := newBuiltin(t, EncoderOptions{})
		fmt.Println(b.Signature().String(), encode(t, b, "alpha beta gamma delta"))
		fmt.Println(e.Signature().String())
		fmt.Println(encode(t, e, "alpha beta gamma delta"))
		return
	}
	if !SIMD() {
		t.Skip("this build has no vector instructions")
	}
	dir := smallModel(t, nil)
	var builtins, others, vectors []string
	for _, off := range []string{"X=", "GOMLX_SIMD_AVX512=0", "GODEBUG=cpu.all=off"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSignatureNamesVectorInstructions$")
		cmd.Env = append(os.Environ(), child+"="+dir, off)
		out, err := cmd.CombinedOutput()
		lines := strings.Split(string(out), "\n")
		if err != nil || len(lines) < 3 {
			t.Fatalf("%v: %s", err, out)
		}
		// Scores may differ on a processor without FMA, these vectors do not.
		lines[0] = strings.Replace(lines[0], "arch=amd64-nofma", "arch=amd64", 1)
		builtins, others, vectors = append(builtins, lines[0]), append(others, lines[1]), append(vectors, lines[2])
	}
	for i := range others {
		for k := range i {
			if builtins[i] != builtins[k] {
				t.Errorf("built-in model:\n%s\n%s", builtins[i], builtins[k])
			}
			if same := vectors[i] == vectors[k]; same != (others[i] == others[k]) {
				t.Errorf("same vectors: %v\n%s\n%s", same, others[i], others[k])
			}
		}
	}
}

func TestBadModels(t *testing.T) {
	serial(t)
	tests := []struct {
		name   string
		change func(fstest.MapFS)
		opts   EncoderOptions
		want   string
	}{
		{"no configuration", func(m fstest.MapFS) { delete(m, "config.json") }, EncoderOptions{}, "config.json"},
		{"broken configuration", func(m fstest.MapFS) { m["config.json"].Data = []byte("{") }, EncoderOptions{}, "config.json"},
		{"unknown rules", func(m fstest.MapFS) { m["config.json"].Data = []byte(`{"crscore_text":"x/9"}`) }, EncoderOptions{}, `"x/9"`},
		{"no tokenizer", func(m fstest.MapFS) { delete(m, "tokenizer.json") }, EncoderOptions{}, "tokenizer.json"},
		{"broken tokenizer", func(m fstest.MapFS) { m["tokenizer.json"].Data = []byte("[") }, EncoderOptions{}, "tokenizer.json"},
		{"other tokenizer", func(m fstest.MapFS) { m["tokenizer.json"].Data = []byte(`{"model":{"type":"Pieces","vocab":{"a":0}}}`) }, EncoderOptions{}, `"Pieces"`},
		{"no model", func(m fstest.MapFS) { delete(m, "model.onnx") }, EncoderOptions{}, "model.onnx"},
		{"no ONNX", func(m fstest.MapFS) { m["model.onnx"].Data = []byte("not a model") }, EncoderOptions{}, "model.onnx"},
		{"empty ONNX", func(m fstest.MapFS) { m["model.onnx"].Data = nil }, EncoderOptions{}, "model.onnx"},
		{"half an ONNX", func(m fstest.MapFS) { m["model.onnx"].Data = m["model.onnx"].Data[:1<<20] }, EncoderOptions{}, "model.onnx"},
		{"more tokens than rows", func(m fstest.MapFS) {
			m["tokenizer.json"].Data = bytes.Replace(m["tokenizer.json"].Data, []byte(`"cafe":18`), []byte(`"cafe":50000`), 1)
		}, EncoderOptions{}, "50000"},
		{"too few tokens", func(fstest.MapFS) {}, EncoderOptions{MaxTokens: 2}, "at least 3"},
		{"negative tokens", func(fstest.MapFS) {}, EncoderOptions{MaxTokens: -1}, "at least 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := bertModel(t)
			tt.change(dir)
			e, err := NewEncoder(context.Background(), dir, tt.opts)
			if err == nil {
				e.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
		})
	}
}

func TestCodeWords(t *testing.T) {
	tests := []struct{ text, want, stems string }{
		{"parseHTTPHeader_v2", "parse http header v 2", "pars http header v 2"},
		{"The parsing isn't done", "the parsing isn t done", "the pars isn t done"},
		{"SHA256sum XMLParser aB Ab ABc", "sha 256 sum xml parser a b ab a bc", "sha 256 sum xml parser a b ab a bc"},
		{"  a--b\x00c\xffd\n", "a b c d", "a b c d"},
		{"Größe naïve ÄÖÜ", "größe naïve äöü", "größe naïve äöü"},
		{"because very does", "because very does", "because very does"}, // stop words are not stemmed
		{"", "", ""},
		{"!", "", ""},
	}
	for _, tt := range tests {
		if got := CodeWords(tt.text, false); got != tt.want {
			t.Errorf("CodeWords(%q, false) = %q, want %q", tt.text, got, tt.want)
		}
		if got := CodeWords(tt.text, true); got != tt.stems {
			t.Errorf("CodeWords(%q, true) = %q, want %q", tt.text, got, tt.stems)
		}
	}
}

// The cache of stems changes nothing, also when it is full.
func TestTextPreparation(t *testing.T) {
	serial(t)
	prepare, err := TextPreparation(TextCodeStems)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * keptStems {
		text := fmt.Sprintf("parsing %c%c%c%cings", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576)
		if got, want := prepare(text), CodeWords(text, true); got != want {
			t.Fatalf("%q gives %q, want %q", text, got, want)
		}
	}
	if _, err := TextPreparation("nothing/9"); err == nil {
		t.Error("unknown rules are no error")
	}
}

func FuzzCodeWords(f *testing.F) {
	for _, s := range []string{"parseHTTPHeader_v2", "a\xffb", "ÄÖü1", "don't", "\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := CodeWords(s, false)
		if !utf8.ValidString(words) {
			t.Errorf("%q gives invalid UTF-8 %q", s, words)
		}
		if again := CodeWords(words, false); strings.ReplaceAll(again, " ", "") != strings.ReplaceAll(words, " ", "") {
			t.Errorf("%q gives %q, which gives %q", s, words, again)
		}
		if strings.Join(strings.Fields(words), " ") != words {
			t.Errorf("%q gives %q: not one space between words", s, words)
		}
		CodeWords(s, true)
	})
}

func ExampleCodeWords() {
	fmt.Println(CodeWords("parseHTTPHeader() throws IOExceptions", false))
	fmt.Println(CodeWords("parseHTTPHeader() throws IOExceptions", true))
	// Output:
	// parse http header throws io exceptions
	// pars http header throw io except
}
