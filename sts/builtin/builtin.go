// Package builtin holds the sentence model that is part of the binary: the embedded
// files of a Hugging Face model directory, their checksum, the scoring profiles and the
// word frequencies. README.md is the model's card. The command train makes the model;
// package sts runs it.
package builtin

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Name is the model's name with its version. It changes with every new model.
const Name = "crscore-static-2"

// SumsFile is the list of checksums beside a model, in the format of sha256sum.
const SumsFile = "SHA256SUMS"

//go:embed model
var files embed.FS

// Model is the built-in model's directory: model.onnx, tokenizer.json,
// config.json and SHA256SUMS.
func Model() fs.FS {
	dir, err := fs.Sub(files, "model")
	if err != nil {
		// Sub fails on an invalid path only, and this one is a constant.
		panic(err)
	}
	return dir
}

// Dim is the number of values of the model's vectors.
const Dim = 384

//go:embed model/model.onnx
var onnx string

// ONNX is the model's file model.onnx. It is no copy, as a file of Model is.
func ONNX() string { return onnx }

//go:embed tokenizer.bin
var packed string

// Tokenizer is the model's file tokenizer.json in the form of tokenizer.NewPacked, which a
// program reads in place. A test holds the two together.
func Tokenizer() string { return packed }

//go:embed profile.json
var profiles []byte

// Profiles returns the scoring modes of the built-in model with the pair similarity as JSON,
// the default mode first: their parameters, the signature of the measurement, and the rule
// that chose them (see score.ParseProfiles).
func Profiles() []byte { return profiles }

//go:embed profile-hybrid.json
var hybridProfiles []byte

// HybridProfiles returns the scoring modes with the hybrid similarity, as Profiles does.
func HybridProfiles() []byte { return hybridProfiles }

//go:embed words.tsv
var words []byte

// Words is the table of word frequencies that belongs to the built-in model (see
// sts.ParseLexicon), counted in the sentences that the model was trained on.
func Words() []byte { return words }

// modelFiles are the files that shape a model's vectors.
var modelFiles = []string{"config.json", "model.onnx", "tokenizer.json"}

// Checksum is the SHA-256, in hexadecimal, of the model directory's SHA256SUMS. For a
// directory without that file it is the sum of the list that Sums makes, which is the same
// for the same model. The built-in model has the file, because hashing 17 MB at every
// start takes time; a test checks the file.
func Checksum(dir fs.FS) (string, error) {
	sums, err := fs.ReadFile(dir, SumsFile)
	if errors.Is(err, fs.ErrNotExist) {
		var made string
		made, err = Sums(dir)
		sums = []byte(made)
	}
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(sums)
	return hex.EncodeToString(sum[:]), nil
}

// Sums lists the SHA-256 of the files that shape a model's vectors, sorted by name, in the
// format of sha256sum.
func Sums(dir fs.FS) (string, error) {
	var out strings.Builder
	for _, name := range modelFiles {
		f, err := dir.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("reading %s: %w", name, err)
		}
		fmt.Fprintf(&out, "%x  %s\n", h.Sum(nil), name)
	}
	return out.String(), nil
}

//go:embed pairs.json
var pairs []byte

// Pairs are the models of the pair similarity, which were trained with the built-in model
// (see sts.PairModels).
func Pairs() []byte { return pairs }
