package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"crscore/internal/models/hubtest"
)

func TestParseID(t *testing.T) {
	for text, want := range map[string]ID{
		"mixedbread-ai/mxbai-embed-large-v1": {Name: "mixedbread-ai/mxbai-embed-large-v1"},
		"a/b":                                {Name: "a/b"},
		"A_b.c/_x@v1.0":                      {"A_b.c/_x", "v1.0"},
		"a/b@refs/pr/1":                      {"a/b", "refs/pr/1"},
	} {
		if got, err := ParseID(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "a", "a/", "/b", "a/b/c", "../x", "a/..", "a/b..c", "a--b/c", "a/b--c", "a/-b", "a/b.", "a/b@", "a/b@..", "a/b@x/../y",
		"a/b@-x", "a/b@x y", "a/b@/x", "a/b@x/", "a b/c", "a/b\n", "a/\x00", "ä/b", "a/" + strings.Repeat("x", 97), "a/b@c@d", `a\b/c`, "http://a/b",
	} {
		if got, err := ParseID(text); !errors.Is(err, ErrName) {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Setenv(EnvDir, "")
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_CACHE_HOME", "/cache")
	if s, err := Open(""); err != nil || s.Dir != filepath.FromSlash("/cache/crscore/models") {
		t.Error(s, err)
	}
	t.Setenv(EnvDir, "/store")
	if s, err := Open(""); err != nil || s.Dir != filepath.FromSlash("/store") {
		t.Error(s, err)
	}
	if s, err := Open("/named"); err != nil || s.Dir != filepath.FromSlash("/named") {
		t.Error(s, err)
	}
	t.Setenv(EnvDir, "")
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	if _, err := Open(""); err == nil || !strings.Contains(err.Error(), "set CRSCORE_MODELS or give a folder with --dir") {
		t.Error(err)
	}
}

// TestFind looks up by name, by revision and by folder, and removes.
func TestFind(t *testing.T) {
	h, s := newHub(t, nil), newStore(t)
	m, err := s.Pull(t.Context(), ID{testName, "v1.0"}, quick(h.Endpoint("")))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{testName, testName + "@v1.0", testName + "@" + hubtest.Commit, testName + "@" + hubtest.Commit[:7], m.Dir} {
		if got, err := s.Find(name); err != nil || got.Dir != m.Dir {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	var not *NotPulledError
	for _, name := range []string{"test-org/other", testName + "@main", testName + "@" + hubtest.Commit[:6]} {
		if _, err := s.Find(name); !errors.As(err, &not) || !strings.Contains(err.Error(), "run crscore models pull "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Find("no-such-folder"); !errors.Is(err, ErrName) || !strings.Contains(err.Error(), `no folder "no-such-folder"`) {
		t.Error(err)
	}
	// A folder of that name does not stand in for what was pulled.
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(testName, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find(testName); err != nil || got.Dir != m.Dir {
		t.Error(got, err)
	}
	if got, err := newStore(t).Find(testName); err != nil || got.Dir != testName {
		t.Error(got, err)
	}
	for _, name := range []string{EnvDir, "HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	if got, err := Find(testName); err != nil || got.Dir != testName {
		t.Error(got, err)
	}
	if _, err := Find("a/b"); err == nil || !strings.Contains(err.Error(), "set CRSCORE_MODELS") {
		t.Error(err)
	}
	t.Setenv(EnvDir, s.Dir)
	if err := os.RemoveAll(testName); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(testName); err != nil || got.Dir != m.Dir {
		t.Error(got, err)
	}

	if err := os.Truncate(filepath.Join(m.Dir, "config.json"), 3); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find(testName); err == nil || got.Dir != m.Dir || !strings.Contains(err.Error(), "is damaged (config.json: wrong size): run crscore models pull "+testName) {
		t.Error(got, err)
	}
	// Folders that are no models do not count.
	for _, dir := range []string{"x", "a--b", "a--b@main", ".pull", "..@" + hubtest.Commit} {
		if err := os.MkdirAll(filepath.Join(s.Dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := s.List(); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
	if gone, err := s.Remove(t.Context(), ID{Name: testName}); err != nil || !cmp.Equal(gone, []string{m.Dir}) {
		t.Error(gone, err)
	}
	if _, err := s.Remove(t.Context(), ID{Name: testName}); !errors.As(err, &not) {
		t.Error(err)
	}
}

func TestVerify(t *testing.T) {
	man := Manifest{Name: "a/b", Revision: hubtest.Commit}
	dir := fstest.MapFS{}
	for name, b := range hubtest.Files(10) {
		dir[name] = &fstest.MapFile{Data: b}
		sum, err := sumFile(t.Context(), dir, name)
		if err != nil {
			t.Fatal(err)
		}
		man.add("main", []File{{name, int64(len(b)), sum}})
	}
	dir["config.json"].Data[3] ^= 1
	delete(dir, "README.md")
	dir["modules.json"].Data = dir["modules.json"].Data[1:]
	dir["tokenizer.json"].Mode = os.ModeDir
	for _, tt := range []struct {
		sums bool
		want map[string]State
	}{
		{true, map[string]State{"config.json": WrongSum, "README.md": Missing, "modules.json": WrongSize, "tokenizer.json": Irregular}},
		{false, map[string]State{"README.md": Missing, "modules.json": WrongSize, "tokenizer.json": Irregular}},
	} {
		got := make(map[string]State)
		files := man.Compare(dir)
		if tt.sums {
			var err error
			if files, err = man.Verify(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range files {
			if f.State != Intact {
				got[f.Path] = f.State
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("sums %v (-want +got):\n%s", tt.sums, diff)
		}
	}
}

func TestVerifyCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	man := Manifest{Files: []File{{Path: "x", Size: 3}}}
	if _, err := man.Verify(ctx, fstest.MapFS{"x": {Data: []byte("abc")}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDescribe(t *testing.T) {
	files := fstest.MapFS{}
	for name, b := range hubtest.Files(1000) {
		files[name] = &fstest.MapFile{Data: b}
	}
	files["onnx/model.onnx"].Data = hubtest.ONNX(1000, "model.onnx_data")
	files["onnx/model.onnx_data"] = &fstest.MapFile{Data: make([]byte, 500)}
	got, err := Describe(files)
	if err != nil {
		t.Fatal(err)
	}
	want := Card{
		Architecture: "BertModel", Type: "bert", Dim: 384, Layers: 6, Positions: 512, Vocabulary: 30522, MaxTokens: 256,
		Tokenizer: "WordPiece", Pooling: []string{"mean_tokens"}, Normalized: true, Prompts: []string{"query"}, License: "apache-2.0",
		ONNX: []ONNX{
			{"onnx/model.onnx", int64(len(files["onnx/model.onnx"].Data)) + 500, []string{"onnx/model.onnx_data"}},
			{"onnx/model_quantized.onnx", int64(len(files["onnx/model_quantized.onnx"].Data)), nil},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	delete(files, "onnx/model.onnx_data")
	delete(files, "tokenizer.json")
	files["config.json"].Data = []byte("<html>")
	files["onnx/model_quantized.onnx"].Data = nil
	got, err = Describe(files)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"config.json: invalid character", "no tokenizer.json", "onnx/model.onnx keeps data in onnx/model.onnx_data, which is not there", "onnx/model_quantized.onnx: not an ONNX model"} {
		if i >= len(got.Problems) || !strings.HasPrefix(got.Problems[i], want) {
			t.Errorf("problems %q, want %q", got.Problems, want)
		}
	}
	if _, err := Describe(fstest.MapFS{"x": {}}); !errors.Is(err, ErrNoModel) {
		t.Error(err)
	}
	if c, err := Describe(fstest.MapFS{"config.json": {Data: []byte("{}")}}); err != nil || len(c.Problems) != 2 {
		t.Error(c.Problems, err)
	}
}

// TestExternalData finds tensors with data elsewhere wherever they may stand, or refuses what may
// have them. The paths are field numbers of onnx.proto, from the model down to the tensor.
func TestExternalData(t *testing.T) {
	wrap := func(n protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
	}
	for _, c := range []struct {
		path    []protowire.Number
		refused bool
	}{
		{[]protowire.Number{7, 5}, false}, {[]protowire.Number{7, 1, 5, 5}, false}, {[]protowire.Number{7, 1, 5, 6, 5}, false},
		{[]protowire.Number{7, 15, 1}, true}, {[]protowire.Number{7, 15, 2}, true}, {[]protowire.Number{7, 1, 5, 10}, true},
		{[]protowire.Number{7, 1, 5, 22, 1}, true}, {[]protowire.Number{7, 1, 5, 23, 2}, true}, {[]protowire.Number{7, 1, 5, 11, 1, 5, 6, 15, 1}, true},
		{[]protowire.Number{25, 7, 5, 5}, true}, {[]protowire.Number{25, 7, 5, 6, 5}, true},
	} {
		b := wrap(13, append(wrap(1, []byte("location")), wrap(2, []byte("w.bin"))...))
		for _, n := range slices.Backward(c.path) {
			b = wrap(n, b)
		}
		got, err := externalData(bytes.NewReader(b), "onnx/model.onnx")
		if c.refused {
			if err == nil || !strings.Contains(err.Error(), "not supported") {
				t.Errorf("%v: %q, %v", c.path, got, err)
			}
		} else if err != nil || !slices.Equal(got, []string{"onnx/w.bin"}) {
			t.Errorf("%v: %q, %v", c.path, got, err)
		}
	}
	var deep []byte // graphs in attributes of nodes of graphs
	for range 40 {
		deep = wrap(1, wrap(5, wrap(6, deep)))
	}
	deep = wrap(7, deep)
	if _, err := externalData(bytes.NewReader(deep), "x.onnx"); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("nested too deep: %v", err)
	}
}

func TestDocumented(t *testing.T) {
	for _, k := range Documented() {
		if id, err := ParseID(k.Name); err != nil || id.Revision != "" || k.What == "" || k.Use == "" {
			t.Errorf("%+v: %v", k, err)
		}
	}
}

// FuzzManifest reads manifests; what is taken is written back the same.
func FuzzManifest(f *testing.F) {
	m := Manifest{Name: "a/b", Revision: hubtest.Commit, Refs: []string{"main"}, Files: []File{{"config.json", 3, strings.Repeat("0", 64)}, {"onnx/model.onnx", 5, strings.Repeat("f", 64)}}}
	b, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(bytes.ReplaceAll(b, []byte("config.json"), []byte("../x")))
	f.Add(bytes.ReplaceAll(b, []byte("a/b"), []byte("..")))
	f.Add([]byte(`{"files":[{}]}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseManifest(b)
		if err != nil {
			return
		}
		for _, file := range m.Files {
			if !filepath.IsLocal(filepath.FromSlash(file.Path)) {
				t.Errorf("%q leads out of the folder", file.Path)
			}
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		m2, err := parseManifest(again)
		if err != nil || !cmp.Equal(m, m2) {
			t.Errorf("%v after %s", err, again)
		}
	})
}

// FuzzListing reads a hub's answers and chooses from them.
func FuzzListing(f *testing.F) {
	for _, text := range []string{
		`{"sha":"` + hubtest.Commit + `","siblings":[{"rfilename":"onnx/model.onnx","size":5,"lfs":{"sha256":"` + strings.Repeat("0", 64) + `","size":9}},{"rfilename":"config.json","size":2,"blobId":"` + hubtest.Commit + `"},{"rfilename":"tokenizer.json","size":-2,"blobId":"x"}]}`,
		`{"sha":"main","siblings":[null]}`, `{"sha":1}`, `[]`, `<html>`,
		`{"sha":"` + hubtest.Commit + `","siblings":[{"rfilename":"model.onnx"},{"rfilename":"model.onnx"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseListing(b)
		if err != nil {
			return
		}
		at := files(l)
		names, err := choose(at, "")
		if err != nil {
			return
		}
		for _, name := range names {
			if at[name] == nil {
				t.Fatalf("%q is not on the hub", name)
			}
			r, err := announced(at[name])
			if err == nil && (r.Size < 0 || !filepath.IsLocal(filepath.FromSlash(r.Path))) {
				t.Errorf("%+v", r)
			}
		}
	})
}

// FuzzONNX walks through ONNX files.
func FuzzONNX(f *testing.F) {
	f.Add(hubtest.ONNX(10))
	f.Add(hubtest.ONNX(10, "a.bin", "../b.bin"))
	f.Add(hubtest.ONNX(100)[:50])
	f.Add(bytes.Repeat([]byte{0x3a, 0x7f}, 200))
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := externalData(bytes.NewReader(b), "onnx/model.onnx")
		for _, file := range files {
			if err != nil || !filepath.IsLocal(filepath.FromSlash(file)) {
				t.Errorf("%q, %v", file, err)
			}
		}
	})
}

// FuzzDescribe reads cards from the small files of a model.
func FuzzDescribe(f *testing.F) {
	files := hubtest.Files(10)
	for _, name := range []string{"config.json", "tokenizer.json", "modules.json", "1_Pooling/config.json", "README.md"} {
		f.Add(name, files[name])
		f.Add(name, []byte("[[null]]"))
	}
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		dir := fstest.MapFS{}
		for name, b := range files {
			dir[name] = &fstest.MapFile{Data: b}
		}
		if _, ok := dir[name]; !ok {
			return
		}
		dir[name] = &fstest.MapFile{Data: b}
		c, err := Describe(dir)
		if err != nil {
			t.Fatal(err) // the ONNX file is there
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	})
}
