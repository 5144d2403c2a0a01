package builtin

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"crscore/sts/tokenizer"
)

var update = flag.Bool("update", false, "make tokenizer.bin of the model's tokenizer.json")

// What a start reads in place says what tokenizer.json says.
func TestTokenizerIsPacked(t *testing.T) {
	data, err := fs.ReadFile(Model(), "tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := tokenizer.Pack(data)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("tokenizer.bin", packed, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(packed, []byte(Tokenizer())) {
		t.Error("tokenizer.bin is not of tokenizer.json: run go test ./sts/builtin -run TestTokenizerIsPacked -update")
	}
}

// The checksum in signatures is the one of the list; the list must be true.
func TestSumsFileIsTrue(t *testing.T) {
	listed, err := fs.ReadFile(Model(), SumsFile)
	if err != nil {
		t.Fatal(err)
	}
	made, err := Sums(Model())
	if err != nil {
		t.Fatal(err)
	}
	if made != string(listed) {
		t.Errorf("%s says\n%sbut the files have\n%s", SumsFile, listed, made)
	}
	sum, err := Checksum(Model())
	if err != nil || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(sum) {
		t.Errorf("checksum is %q, %v", sum, err)
	}
}

func TestModelIsSmall(t *testing.T) {
	const limit = 24 << 20
	var total int64
	err := fs.WalkDir(Model(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil || total > limit {
		t.Errorf("the model has %d bytes (%v), the limit is %d", total, err, limit)
	}
}

func TestChecksum(t *testing.T) {
	dir := fstest.MapFS{
		"model.onnx":     {Data: []byte("a")},
		"tokenizer.json": {Data: []byte("b")},
		"config.json":    {Data: []byte("c")},
	}
	without, err := Checksum(dir)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := Sums(dir)
	if err != nil {
		t.Fatal(err)
	}
	dir[SumsFile] = &fstest.MapFile{Data: []byte(sums)}
	if with, err := Checksum(dir); err != nil || with != without {
		t.Errorf("with the list %q, %v; without %q", with, err, without)
	}
	delete(dir, SumsFile)
	dir["config.json"].Data = []byte("d")
	if other, err := Checksum(dir); err != nil || other == without {
		t.Errorf("another configuration has the checksum %q, %v", other, err)
	}
	delete(dir, "model.onnx")
	if sum, err := Checksum(dir); err == nil {
		t.Errorf("without a model the checksum is %q", sum)
	}
}
