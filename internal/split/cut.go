package split

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/klauspost/compress/gzip"

	"crscore/internal/limits"
	"crscore/internal/system"
)

// lockName is the file that a process locks while it cuts, and unfinished is what the name of
// an incomplete file ends in.
const (
	lockName   = "lock"
	unfinished = ".new"
)

// ErrLocked is the error of a second process.
var ErrLocked = errors.New("another process splits a dataset into it")

// Source is the dataset.
type Source struct {
	// Name is the name of its file.
	Name string
	// Open returns its text, unpacked and without a byte order mark. It is called twice.
	Open func() (io.Reader, error)
}

// Cut cuts a dataset into parts of about equal sizes, and writes them to a directory, which
// must be new or empty. What an earlier process left there that was stopped is overwritten. A
// directory with the same parts stays as it is; made is false then. Memory does not grow with
// the dataset or the length of its lines.
func Cut(ctx context.Context, src Source, parts int, dir string) (_ *Manifest, made bool, err error) {
	if parts < 1 || parts > limits.Parts {
		return nil, false, fmt.Errorf("the number of parts is %d, but must be from 1 to %d", parts, limits.Parts)
	}
	m := &Manifest{Version: Version, Name: filepath.Base(src.Name), Parts: make([]Part, parts)}
	if err := m.measure(ctx, src); err != nil {
		return nil, false, err
	}
	if m.Lines == 0 {
		return nil, false, errors.New("it is empty: there is nothing to split")
	}
	c := &cutter{m: m, dir: dir}
	if made, err = c.cut(ctx, src); err != nil {
		return nil, false, err
	}
	return m, made, nil
}

// measure counts the lines and bytes of the text, and takes its checksum.
func (m *Manifest) measure(ctx context.Context, src Source) error {
	sum := sha256.New()
	err := pieces(ctx, src, func(text []byte, end bool) error {
		sum.Write(text)
		m.Bytes += int64(len(text))
		if end {
			m.Lines++
		}
		return nil
	})
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// pieces reads a text in pieces of bounded size, and tells which end a line.
func pieces(ctx context.Context, src Source, use func(text []byte, end bool) error) error {
	text, err := src.Open()
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(text, 1<<16)
	open := false // a line was begun
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		piece, err := in.ReadSlice('\n')
		last := errors.Is(err, io.EOF)
		if err != nil && !last && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("reading %s: %w", src.Name, err)
		}
		if open = open || len(piece) > 0; open {
			end := err == nil || last
			if err := use(piece, end); err != nil {
				return err
			}
			open = !end
		}
		if last {
			return nil
		}
	}
}

// cutter writes the parts.
type cutter struct {
	m   *Manifest
	dir string

	at     int // the part that is written, counted from 0
	file   *os.File
	packed *gzip.Writer
	text   hash.Hash // of the part
	whole  hash.Hash // of all text so far
	lines  int       // of the parts before
	bytes  int64     // of the parts before
}

// cut makes the directory, and writes the parts to it unless they are there.
func (c *cutter) cut(ctx context.Context, src Source) (made bool, err error) {
	err = os.Mkdir(c.dir, 0o777)
	if err == nil {
		defer func() {
			if err != nil {
				_ = os.Remove(c.dir) // if it is empty
			}
		}()
	} else if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	if there, err := c.look(); err != nil || there {
		return false, err
	}
	lock := flock.New(c.path(lockName))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return false, fmt.Errorf("locking %s: %w", c.dir, err)
	case !ok:
		return false, fmt.Errorf("%s: %w: wait for its end, or name another directory", c.dir, ErrLocked)
	}
	defer func() { err = errors.Join(err, system.RemoveLock(c.path(lockName), lock.Close)) }()
	if there, err := c.look(); err != nil || there { // it was cut before the lock
		return false, err
	}
	if err := c.write(ctx, src); err != nil {
		return false, errors.Join(err, c.discard())
	}
	return true, c.publish()
}

func (c *cutter) path(name string) string { return filepath.Join(c.dir, name) }

// look reports whether the parts are in the directory. The error is that of a directory with
// anything else, but for what a process left that was stopped.
func (c *cutter) look() (there bool, err error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return false, err
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	if names[ManifestName] {
		m, err := Open(c.dir)
		if err != nil {
			return false, err
		}
		if m.SHA256 != c.m.SHA256 || len(m.Parts) != len(c.m.Parts) {
			return false, fmt.Errorf("%s has the %d parts of %s already: name another directory", c.dir, len(m.Parts), m.Name)
		}
		for _, p := range m.Parts {
			if !names[p.File] {
				return false, fmt.Errorf("%s was cut before, but %s is missing: name another directory", c.dir, p.File)
			}
		}
		*c.m = *m
		return true, nil
	}
	for _, e := range entries {
		if !isLeft(e.Name(), names[ManifestName+unfinished]) || !e.Type().IsRegular() {
			return false, fmt.Errorf("%s is not empty (it has %s): name a new directory", c.dir, e.Name())
		}
	}
	return false, nil
}

// isPart returns the number of a part by the name of its file.
func isPart(name string) (i, of int, ok bool) {
	n, err := fmt.Sscanf(name, "part-%d-of-%d.jsonl.gz", &i, &of)
	return i, of, err == nil && n == 2 && name == fileName(i, of)
}

// isLeft reports whether a process that was stopped may have left a file: the parts have their
// names only when the manifest is complete.
func isLeft(name string, complete bool) bool {
	stem, open := strings.CutSuffix(name, unfinished)
	_, _, part := isPart(stem)
	return name == lockName || open && (part || stem == ManifestName) || part && complete
}

// write writes the parts and the manifest under the names of incomplete files.
func (c *cutter) write(ctx context.Context, src Source) (err error) {
	if err := c.discard(); err != nil { // of an earlier process, that had other parts
		return err
	}
	defer func() {
		if c.file != nil {
			err = errors.Join(err, c.file.Close())
		}
	}()
	c.whole = sha256.New()
	if err := c.begin(); err != nil {
		return err
	}
	inside := false // a line
	err = pieces(ctx, src, func(text []byte, end bool) error {
		if !inside && c.full() {
			if err := c.next(); err != nil {
				return err
			}
		}
		p := &c.m.Parts[c.at]
		if inside = !end; end {
			p.Lines++
		}
		p.Bytes += int64(len(text))
		c.text.Write(text)
		c.whole.Write(text)
		_, err := c.packed.Write(text)
		return err
	})
	for err == nil && c.at < len(c.m.Parts)-1 { // empty ones
		err = c.next()
	}
	if err == nil {
		err = c.end()
	}
	if err != nil {
		return err
	}
	if c.lines != c.m.Lines || c.bytes != c.m.Bytes || hex.EncodeToString(c.whole.Sum(nil)) != c.m.SHA256 {
		return fmt.Errorf("%s has changed while it was read", src.Name)
	}
	text, err := json.MarshalIndent(c.m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.Create(c.path(ManifestName + unfinished))
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// full reports whether the next line begins a new part. A part ends where its size is nearest
// to its share of the text that is left, going by the mean line, but leaves a line for each
// part behind it.
func (c *cutter) full() bool {
	p := c.m.Parts[c.at]
	parts := len(c.m.Parts) - c.at
	if p.Lines == 0 || parts == 1 {
		return false
	}
	share := float64(c.m.Bytes-c.bytes) / float64(parts)
	mean := float64(c.m.Bytes) / float64(c.m.Lines)
	return float64(p.Bytes)+mean/2 >= share || c.m.Lines-c.lines-p.Lines < parts
}

// begin opens the file of a part.
func (c *cutter) begin() (err error) {
	p := &c.m.Parts[c.at]
	p.File, p.First = fileName(c.at+1, len(c.m.Parts)), c.lines+1
	if p.Before, err = c.whole.(encoding.BinaryMarshaler).MarshalBinary(); err != nil {
		return err
	}
	if c.file, err = os.Create(c.path(p.File + unfinished)); err != nil {
		return err
	}
	c.text, c.packed = sha256.New(), gzip.NewWriter(c.file)
	return nil
}

// end completes the file of a part.
func (c *cutter) end() error {
	p := &c.m.Parts[c.at]
	p.SHA256 = hex.EncodeToString(c.text.Sum(nil))
	c.lines, c.bytes = c.lines+p.Lines, c.bytes+p.Bytes
	err := c.packed.Close()
	if err == nil {
		err = c.file.Sync()
	}
	err = errors.Join(err, c.file.Close())
	c.file = nil
	return err
}

// next goes on with the next part.
func (c *cutter) next() error {
	if err := c.end(); err != nil {
		return err
	}
	c.at++
	return c.begin()
}

// publish gives all files their names, the manifest at last.
func (c *cutter) publish() error {
	for _, p := range c.m.Parts {
		if err := system.Rename(c.path(p.File+unfinished), c.path(p.File)); err != nil {
			return err
		}
	}
	return system.Rename(c.path(ManifestName+unfinished), c.path(ManifestName))
}

// discard removes the files of a split that is not finished: the manifest, which makes the
// parts known as such, at last.
func (c *cutter) discard() error {
	entries, err := os.ReadDir(c.dir)
	for _, e := range entries { // sorted
		if name := e.Name(); name != lockName && isLeft(name, true) {
			err = errors.Join(err, os.Remove(c.path(name)))
		}
	}
	return err
}
