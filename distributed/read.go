package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"crscore/internal/dataset"
)

// readFn reads the lines of a file. It is not textio.Read, which loses lines of packed files
// without a word: it divides them by their packed size.
type readFn struct{ ShardLines int }

// ProcessElement reads a file. What is wrong with its content is a dead letter, and what is wrong
// with the way to it an error: the runner tries again.
func (f *readFn) ProcessElement(ctx context.Context, file File, emit func(Line), out func(string, Out), counts func(string, Sum)) error {
	dead := func(line int, err error) error {
		count(ctx, counts, deadLetters, 1)
		letter := deadLetter{File: file.Path, Line: line, Reason: err.Error()}
		return tellLine(out, shardName(deadDir, file.Index, line, f.ShardLines), line, letter)
	}
	count(ctx, counts, filesRead, 1)
	fs, err := openFS(ctx, file.Path)
	if err != nil {
		return err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, file.Path)
	switch {
	case err != nil && unreadable(err):
		count(ctx, counts, unreadableFiles, 1)
		return dead(0, err)
	case err != nil:
		return fmt.Errorf("opening %s: %w", file.Path, err)
	}
	defer in.Close()
	text := &source{r: in}
	lines, err := dataset.NewLines(file.Path, text)
	for err == nil {
		var line []byte
		var number int
		line, number, err = lines.Next()
		var bad *dataset.LineError
		switch {
		case err == nil:
			emit(Line{File: file, Number: number, Text: slices.Clone(line)})
		case errors.As(err, &bad):
			count(ctx, counts, malformedLines, 1)
			err = dead(bad.Line, bad.Err)
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case text.err != nil && !unreadable(text.err):
		return fmt.Errorf("reading %s: %w", file.Path, text.err)
	}
	count(ctx, counts, unreadableFiles, 1)
	return dead(0, err)
}

// source remembers an error of the way to a file, which is none of its content.
type source struct {
	r   io.Reader
	err error
}

// Read reads.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// openFS opens the file system of a path. Some of Beam's panic where they lack settings.
func openFS(ctx context.Context, path string) (fs filesystem.Interface, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("file system of %s: %v", path, p)
		}
	}()
	return filesystem.New(ctx, path)
}
