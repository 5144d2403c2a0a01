package dataset

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Text is a plain file with a review a line, gzipped or not.
type Text struct {
	// ID is the id of its reviews.
	ID string
	// Name is the name of the file, for errors.
	Name string
	// Lines is the content.
	Lines io.Reader
}

// NewPairs starts reading texts side by side: line 7 of all is the change "7", whose
// reviews are in the order of the texts. An empty line is an empty review. Texts with
// different numbers of lines end with an error that tells the numbers.
func NewPairs(texts ...Text) *Reader {
	p := &pairs{texts: texts, lines: make([]lines, len(texts))}
	for i, t := range texts {
		p.lines[i].raw = t.Lines
	}
	return newReader(p)
}

// pairs reads records from texts.
type pairs struct {
	texts []Text
	lines []lines
}

func (p *pairs) next(only func(number int) bool) (Record, error) {
	for {
		rec, err := p.read()
		if only == nil || errors.Is(err, io.EOF) || only(p.count()) {
			return rec, err
		}
	}
}

// read returns the next record.
func (p *pairs) read() (Record, error) {
	rec := Record{Reviews: make([]Review, len(p.texts))}
	var bad error
	ended := 0
	for i := range p.lines {
		text, err := p.lines[i].text()
		switch {
		case errors.Is(err, io.EOF):
			ended++
		case errors.As(err, new(*LineError)):
			bad = fmt.Errorf("%s: %w", p.texts[i].Name, errors.Unwrap(err))
		case err != nil:
			return Record{}, fmt.Errorf("%s: %w", p.texts[i].Name, err)
		}
		rec.Reviews[i] = Review{ID: p.texts[i].ID, Text: text}
	}
	rec.Line = p.count()
	rec.Number, rec.ID = rec.Line, strconv.Itoa(rec.Line)
	switch {
	case ended == len(p.texts):
		return Record{}, io.EOF
	case ended > 0:
		return Record{}, p.unequal()
	case bad != nil:
		return Record{}, &LineError{Line: rec.Line, Err: bad}
	}
	return rec, nil
}

// unequal counts the lines of all texts. The error tells them.
func (p *pairs) unequal() error {
	numbers := make([]string, len(p.texts))
	for i := range p.lines {
		for {
			_, err := p.lines[i].text()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && !errors.As(err, new(*LineError)) {
				return fmt.Errorf("%s: %w", p.texts[i].Name, err)
			}
		}
		numbers[i] = fmt.Sprintf("%s has %d", p.texts[i].Name, p.lines[i].line)
	}
	return fmt.Errorf("the numbers of lines differ: %s; each line of one file belongs to the same line of the others",
		strings.Join(numbers, ", "))
}

func (p *pairs) count() int {
	most := 0
	for i := range p.lines {
		most = max(most, p.lines[i].line)
	}
	return most
}

func (p *pairs) seen() string { return "the files are empty" }

func (*pairs) keepSum() {}

func (*pairs) sum() string { return "" }

func (*pairs) span() (offset, size int64) { return 0, 0 }

func (*pairs) about() string { return "" }

func (*pairs) emptyCells() int { return 0 }

// text returns the next line without its end.
func (l *lines) text() (string, error) {
	if err := l.open(); err != nil {
		return "", err
	}
	b, err := l.read()
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), nil
}
