// Package split cuts a dataset in JSON Lines into parts, for runs that each read one of them.
// A part is a file of whole lines in the order of the dataset. The package knows lines, bytes
// and checksums; what a line means may not come in.
//
// # The directory
//
//	part-001-of-008.jsonl.gz  the parts; their texts joined in order are the text of the dataset
//	split.json                the [Manifest], written last: without it the split is not finished
//	lock                      only while a process cuts
//
// Files have names that end in .new until they are complete. The bytes of all files depend on
// the text of the dataset, its name and the number of parts alone.
package split

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/gzip"

	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/system"
)

// ManifestName is the file that describes the parts.
const ManifestName = "split.json"

// Version is the version of the directory's format.
const Version = 1

// Manifest describes a dataset and its parts.
type Manifest struct {
	// Version is the version of the format.
	Version int `json:"crscore_split"`
	// Name is the name of the dataset's file, without its folder.
	Name string `json:"name"`
	// Lines counts the lines of the dataset.
	Lines int `json:"lines"`
	// Bytes is the size of its text: unpacked, without a byte order mark.
	Bytes int64 `json:"bytes"`
	// SHA256 is the checksum of that text, as the run.json of a run has it.
	SHA256 string `json:"sha256"`
	// Parts are the parts, in order.
	Parts []Part `json:"parts"`
}

// Part is a part of the dataset.
type Part struct {
	// File is the name of its file.
	File string `json:"file"`
	// First is the number of its first line in the dataset, counted from 1.
	First int `json:"first"`
	// Lines counts its lines; a part may have none.
	Lines int `json:"lines"`
	// Bytes is the size of its text, unpacked.
	Bytes int64 `json:"bytes"`
	// SHA256 is the checksum of its text.
	SHA256 string `json:"sha256"`
	// Before is the state of the SHA-256 of the dataset's text before the part. With it, a run
	// over the part takes the checksums of a run over the whole dataset.
	Before []byte `json:"before"`
}

// Last is the number of the last line, which comes before First in an empty part.
func (p Part) Last() int { return p.First + p.Lines - 1 }

// fileName is the name of the file of a part, counted from 1. Names sort in order.
func fileName(i, of int) string {
	width := max(3, len(fmt.Sprint(of)))
	return fmt.Sprintf("part-%0*d-of-%0*d.jsonl.gz", width, i, width, of)
}

// Dir returns the folder of a dataset that was cut, by its name or that of its manifest. It is
// empty for anything else.
func Dir(name string) string {
	if filepath.Base(name) == ManifestName {
		name = filepath.Dir(name)
	}
	if st, err := os.Stat(filepath.Join(name, ManifestName)); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return name
}

// DirOf returns the folder of a part by the name of its file, and the shard that it is. The
// folder is empty for a file that is no part.
func DirOf(name string) (dir, shard string) {
	i, of, ok := isPart(filepath.Base(name))
	if dir = Dir(filepath.Dir(name)); !ok || dir == "" {
		return "", ""
	}
	return dir, fmt.Sprintf("%d/%d", i, of)
}

// Open reads the manifest of a directory.
func Open(dir string) (*Manifest, error) {
	name := filepath.Join(dir, ManifestName)
	f, err := system.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, limits.SplitBytes+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func parse(text []byte) (*Manifest, error) {
	if len(text) > limits.SplitBytes {
		return nil, fmt.Errorf("it is larger than the limit of %d MiB", limits.SplitBytes>>20)
	}
	// The version first: another one may have other fields.
	var v struct {
		Version int `json:"crscore_split"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("it does not describe the parts of a dataset: %w", err)
	}
	switch {
	case v.Version == 0:
		return nil, errors.New(`it does not describe the parts of a dataset: "crscore_split" is missing`)
	case v.Version != Version:
		return nil, fmt.Errorf("this is a split of version %d, but this program reads version %d: split the dataset again", v.Version, Version)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("it does not describe the parts of a dataset: %w", err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("it was changed: %w", err)
	}
	return &m, nil
}

// check returns an error unless the parts follow each other, are those of the dataset, and
// have the files that Cut makes.
func (m *Manifest) check() error {
	if len(m.Parts) < 1 || len(m.Parts) > limits.Parts {
		return fmt.Errorf("it has %d parts, but must have from 1 to %d", len(m.Parts), limits.Parts)
	}
	last, size := 0, int64(0)
	for i := range m.Parts {
		p := &m.Parts[i]
		switch want := fileName(i+1, len(m.Parts)); {
		case p.File != want:
			return fmt.Errorf("the file of part %d is %q, not %s", i+1, p.File, want)
		case p.First != last+1 || p.Lines < 0 || p.Lines > m.Lines-last:
			return fmt.Errorf("the lines of part %d do not follow those before it", i+1)
		case p.Bytes < 0 || p.Bytes > m.Bytes-size:
			return fmt.Errorf("part %d has %d bytes", i+1, p.Bytes)
		}
		if _, err := m.through(i - 1); err != nil {
			return fmt.Errorf("part %d: %w", i+1, err)
		}
		last, size = p.Last(), size+p.Bytes
	}
	if last != m.Lines || size != m.Bytes {
		return fmt.Errorf("its parts have %d lines and %d bytes of %d and %d", last, size, m.Lines, m.Bytes)
	}
	return nil
}

// Start is where a part, counted from 1, begins.
func (m *Manifest) Start(number int) *dataset.Start {
	p := m.Parts[number-1]
	return &dataset.Start{Lines: p.First - 1, Sum: p.Before}
}

// through is the checksum of the dataset's text up to the end of a part, counted from 0.
func (m *Manifest) through(i int) (string, error) {
	if i == len(m.Parts)-1 {
		return m.SHA256, nil
	}
	sum, err := dataset.SumOf(m.Parts[i+1].Before)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Verify returns an error unless the file of a part, counted from 1, has the part that was cut.
func (m *Manifest) Verify(dir string, number int) error {
	p := m.Parts[number-1]
	f, err := system.Open(filepath.Join(dir, p.File), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	in, err := gzip.NewReader(f)
	if err == nil {
		_, err = io.Copy(sum, in)
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", f.Name(), err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != p.SHA256 {
		return m.changed(p)
	}
	return nil
}

func (m *Manifest) changed(p Part) error {
	return fmt.Errorf("%s is not the part that %s describes: one of them was changed; split the dataset again", p.File, ManifestName)
}

// Check returns an error unless a part that was read from its Start to its end, with the line
// and the checksum that a reader has there, is the one that was cut.
func (m *Manifest) Check(number, line int, sum string) error {
	want, err := m.through(number - 1)
	if err != nil {
		return err
	}
	if p := m.Parts[number-1]; line != p.Last() || sum != want {
		return m.changed(p)
	}
	return nil
}
