package models

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gomlx/go-huggingface/hub"
)

// DefaultFiles are the usual paths of the full-precision ONNX file, the first choice first.
var DefaultFiles = [2]string{"model.onnx", "onnx/model.onnx"}

// needed are the files without which a model cannot run.
var needed = []string{"tokenizer.json", "config.json"}

// useful are patterns of the other files to fetch: tokenizer, pooling and licence.
var useful = []string{
	"tokenizer_config.json", "special_tokens_map.json",
	"modules.json", "sentence_*_config.json", "config_sentence_transformers.json", "[0-9]*_*/config.json",
	"README.md", "LICENSE*", "NOTICE*",
}

// choose returns the files of a repository to fetch: small files first, so that their faults
// are found early, then the ONNX file, named or a default, and files that look like its data.
// The ONNX file itself names its data files, after it is fetched. The error says what is
// missing, and follows the model's name.
func choose(at map[string]*hub.FileInfo, file string) ([]string, error) {
	onnx, err := chooseONNX(at, file)
	if err != nil {
		return nil, err
	}
	var data []string
	rest := slices.Clone(needed)
	for _, name := range needed {
		if at[name] == nil {
			return nil, fmt.Errorf("has no %s: it cannot be run", name)
		}
	}
	for name := range at {
		if strings.HasPrefix(name, onnx+"_data") || strings.HasPrefix(name, onnx+".data") {
			data = append(data, name)
		}
		for _, pattern := range useful {
			if ok, _ := path.Match(pattern, name); ok { // the patterns are good
				rest = append(rest, name)
			}
		}
	}
	slices.Sort(rest)
	slices.Sort(data)
	return slices.Concat(slices.Compact(rest), []string{onnx}, data), nil
}

func chooseONNX(at map[string]*hub.FileInfo, file string) (string, error) {
	wanted := DefaultFiles[:]
	if file != "" {
		wanted = []string{file}
	}
	for _, name := range wanted {
		if at[name] != nil {
			return name, nil
		}
	}
	var others []string
	for name := range at {
		if path.Ext(name) == ".onnx" && checkPath(name) == nil {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return "", errors.New("has no ONNX export: make one (optimum-cli export onnx does) and give its folder instead of the name")
	}
	slices.Sort(others)
	if len(others) > 20 {
		others = append(others[:20], "…")
	}
	return "", fmt.Errorf("has no %s: choose with --file one of %s", strings.Join(wanted, " or "), strings.Join(others, ", "))
}
