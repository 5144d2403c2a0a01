package viewer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// copier writes the records of a table as JSON Lines.
type copier struct {
	to  *text
	out *bufio.Writer
}

func newCopier(name string) (*copier, error) {
	to, err := newTemp(name)
	if err != nil {
		return nil, err
	}
	return &copier{to, bufio.NewWriterSize(to, 1<<16)}, nil
}

// row is a record in the interchange format.
type row struct {
	ID      string              `json:"id"`
	Lang    string              `json:"lang,omitempty"`
	Path    string              `json:"path,omitempty"`
	Diff    string              `json:"diff"`
	Old     *string             `json:"old,omitempty"`
	New     *string             `json:"new,omitempty"`
	Claims  map[string][]string `json:"claims,omitempty"`
	Smells  []string            `json:"smells,omitzero"`
	Reviews []rowReview         `json:"reviews"`
}

type rowReview struct {
	ID    string         `json:"id"`
	Text  *string        `json:"text,omitempty"` // nil for a review that cannot be scored
	Human *dataset.Human `json:"human,omitempty"`
}

// flush ends the copy, if there is one.
func (c *copier) flush() error {
	if c == nil {
		return nil
	}
	return c.out.Flush()
}

func (c *copier) write(rec *dataset.Record) (offset, size int64, err error) {
	out := row{
		ID: rec.ID, Lang: rec.Lang, Path: rec.Path, Diff: rec.Diff, Old: rec.Old, New: rec.New,
		Claims: rec.Claims, Smells: rec.Smells, Reviews: make([]rowReview, len(rec.Reviews)),
	}
	for i, r := range rec.Reviews {
		out.Reviews[i] = rowReview{ID: r.ID, Human: r.Human}
		if r.Err == nil {
			out.Reviews[i].Text = &r.Text
		}
	}
	line, err := json.Marshal(out)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", rec.Where(), err)
	}
	offset, size = c.to.size, int64(len(line)+1)
	if c.to.size += size; c.to.size > limits.CopyBytes {
		return 0, 0, fmt.Errorf("its copy is larger than the limit of %d GiB", int64(limits.CopyBytes)>>30)
	}
	_, err = c.out.Write(append(line, '\n'))
	return offset, size, err
}

// parseRecord reads a line of JSON Lines, without the texts of some fields.
func parseRecord(line []byte, without ...string) (*dataset.Record, error) {
	form := dataset.Options{Format: "jsonl", NoDiff: true, Interchange: true, Without: without}
	r, err := dataset.Open(dataset.Source{Text: bytes.NewReader(line)}, form)
	if err != nil {
		return nil, err
	}
	rec, err := r.Next()
	return &rec, err
}
