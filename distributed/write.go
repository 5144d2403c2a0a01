package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// ending is that of the output files of the pipeline.
const ending = ".jsonl"

// temporary stands behind the name of a file that is not whole yet.
const temporary = ".tmp-"

// writeFn writes the output files.
type writeFn struct{ Dir string }

// ProcessElement writes a file. A runner may do so again, also at the same time: the bytes are
// the same. It emits nothing: another step can wait for the end of its output.
func (f *writeFn) ProcessElement(ctx context.Context, name string, next func(*Out) bool, _ func(string, Out)) error {
	var parts []Out
	for part := (Out{}); next(&part); part = (Out{}) {
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b Out) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), bytes.Compare(a.Text, b.Text))
	})
	texts := make([][]byte, len(parts))
	for i, part := range parts {
		texts[i] = part.Text
	}
	return writeFile(ctx, f.Dir+"/"+name+ending, texts...)
}

// writeFile writes a file under a temporary name, and renames it when it is whole.
func writeFile(ctx context.Context, path string, texts ...[]byte) (err error) {
	fs, err := openFS(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	name := path + temporary + rand.Text()
	if err := writeTexts(ctx, fs, name, texts); err != nil {
		return fmt.Errorf("writing %s: %w", name, errors.Join(err, remove(ctx, fs, name)))
	}
	if err := filesystem.Rename(ctx, fs, name, path); err != nil {
		return fmt.Errorf("renaming to %s: %w", path, errors.Join(err, remove(ctx, fs, name)))
	}
	return nil
}

func writeTexts(ctx context.Context, fs filesystem.Interface, name string, texts [][]byte) error {
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := w.Write(text); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	return w.Close()
}

func remove(ctx context.Context, fs filesystem.Interface, name string) error {
	if r, ok := fs.(filesystem.Remover); ok {
		return r.Remove(ctx, name)
	}
	return nil
}
