package sts

import (
	"context"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"crscore/sts/builtin"
)

// hugotBuiltin is the built-in model, run by hugot from its files.
func hugotBuiltin(t testing.TB, pooling string) *ModelEncoder {
	e, err := NewEncoder(t.Context(), builtin.Model(), EncoderOptions{Name: builtin.Name, Pooling: pooling})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if _, ok := e.session.(*goSession); !ok {
		t.Fatalf("the files are run by %T", e.session)
	}
	return e
}

func rowsBuiltin(t testing.TB, pooling string) *ModelEncoder {
	e, err := NewBuiltin(t.Context(), EncoderOptions{Pooling: pooling})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if _, ok := e.session.(*rowsSession); !ok {
		t.Fatalf("the built-in model is run by %T", e.session)
	}
	return e
}

// everyText are the lines of the module's test data, every token alone, and texts of tokens by chance.
func everyText(t testing.TB, e *ModelEncoder) []string {
	texts := []string{"", " ", "the", "[PAD] [UNK]", "\x00\xff", strings.Repeat("parse the header ", 400), strings.Repeat("x", 100_000)}
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		texts = append(texts, strings.Split(string(data), "\n")...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 1000 {
		t.Fatalf("there are %d texts only", len(texts))
	}
	names := make([]string, 0, 1<<15)
	for id := range e.tokens.tokenizer.MaxID() + 1 {
		names = append(names, strings.TrimPrefix(e.tokens.tokenizer.Name(id), "##"))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 1000 {
		var words []string
		for range 1 + rng.IntN(1+n/2) {
			words = append(words, names[rng.IntN(len(names))])
		}
		texts = append(texts, strings.Join(words, []string{" ", "", "_"}[rng.IntN(3)]))
	}
	return append(texts, names...)
}

// Hugot runs the built-in model's files to the bits that the rows are read to, and both have one
// signature: rows, profiles and matrices of either go on with the other.
func TestRowsAreHugots(t *testing.T) {
	for _, pooling := range []string{PoolingPaper, PoolingModel} {
		rows, hugot := rowsBuiltin(t, pooling), hugotBuiltin(t, pooling)
		if a, b := rows.Signature().String(), hugot.Signature().String(); a != b {
			t.Errorf("signatures\n%s\n%s", a, b)
		}
		if rows.Dim() != hugot.Dim() || !slices.Equal(rows.Notes(), hugot.Notes()) || rows.maxTokens != hugot.maxTokens {
			t.Errorf("%d %q %d, want %d %q %d", rows.Dim(), rows.Notes(), rows.maxTokens, hugot.Dim(), hugot.Notes(), hugot.maxTokens)
		}
		texts := everyText(t, rows)
		if testing.Short() || pooling == PoolingModel { // every token was looked up before
			texts = texts[:3000]
		}
		sameBits(t, texts, encodeAll(t, rows, texts), encodeAll(t, hugot, texts))
		if rows.Stats() != hugot.Stats() {
			t.Errorf("counted %+v, want %+v", rows.Stats(), hugot.Stats())
		}
	}
}

func encodeAll(t testing.TB, e *ModelEncoder, texts []string) [][]float32 {
	vectors, err := e.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func sameBits(t testing.TB, texts []string, got, want [][]float32) {
	t.Helper()
	bits := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	for i := range want {
		if !slices.EqualFunc(got[i], want[i], bits) {
			t.Fatalf("text %d, %.200q: other bits", i, texts[min(i, len(texts)-1)])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d vectors, want %d", len(got), len(want))
	}
}

func TestRowsOfTokensAreHugots(t *testing.T) {
	rows, hugot := rowsBuiltin(t, ""), hugotBuiltin(t, "")
	texts := everyText(t, rows)[:2000]
	var all [2][]TokenVectors
	for i, e := range []*ModelEncoder{rows, hugot} {
		tokens, err := e.TokenEncoder(LastLayer)
		if err != nil {
			t.Fatal(err)
		}
		if want := rows.identity.String() + " output=last_hidden_state"; tokens.Signature().String() != want {
			t.Errorf("signature %s, want %s", tokens.Signature(), want)
		}
		if all[i], err = tokens.Encode(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range texts {
		if !slices.Equal(all[0][i].IDs, all[1][i].IDs) {
			t.Fatalf("%.200q: %v, want %v", text, all[0][i].IDs, all[1][i].IDs)
		}
		sameBits(t, []string{text}, all[0][i].Vectors, all[1][i].Vectors)
	}
}

// The signature is as old as the model: what has been scored with it goes on.
func TestBuiltinSignature(t *testing.T) {
	want := "encoder=crscore-static-2@sha256:9292cff51001 backend=hugot-0.7.7-go arch=" + Arch() + " text=code-stems/1 maxtokens=512 pooling=mean-no-stop-words"
	for _, backend := range []string{"", BackendGo} {
		e, err := NewBuiltin(t.Context(), EncoderOptions{Backend: backend})
		if err != nil {
			t.Fatal(err)
		}
		if e.Signature().String() != want {
			t.Errorf("%s\nwant %s", e.Signature(), want)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReadRows(t *testing.T) {
	for name, onnx := range map[string]string{
		"empty": "", "no table": "\x10\x06\x42\x01F\x4a\x10", "cut": "\x10\x06\x42\x01E\x4a\x10abc", "no size": "\x10\x06\x42\x01E\x4a\xff",
		"empty table": "\x10\x06\x42\x01E\x4a\x00", "another width": "\x10\x06\x42\x01E\x4a\x05abcde",
	} {
		if r, err := readRows(onnx, 16); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r, err := readRows("\x10\x06\x42\x01E\x4a\x20aaaabbbbccccddddeeeeffffgggghhhhrest", 16)
	if err != nil || len(r.table) != 32 || r.width != 4 || r.graph().vocab != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rowsBuiltin(t, "").session.run(ctx, 4, 1, []tokenized{{ids: []int{0}}}); err == nil {
		t.Error("runs after the end")
	}
}

// A start neither copies the model nor reads its vocabulary: together they have 13 MB.
func TestBuiltinIsReadInPlace(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rowsBuiltin(t, "")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
		t.Errorf("opening the built-in model takes %d bytes", n)
	} else {
		t.Logf("%d bytes", n)
	}
}

func FuzzRows(f *testing.F) {
	rows, hugot := rowsBuiltin(f, ""), hugotBuiltin(f, "")
	f.Add("`put` now requires a ttl, so every existing caller breaks.")
	f.Add("HTTPHeader_v2 the İ 日本語 \xff ##a [PAD]")
	f.Fuzz(func(t *testing.T, text string) {
		texts := []string{text, text + text, ""}
		sameBits(t, texts, encodeAll(t, rows, texts), encodeAll(t, hugot, texts))
	})
}
