package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// ManifestName is the name of the manifest in a model's folder.
const ManifestName = "crscore-model.json"

// Manifest lists the files of a pulled model. It does not depend on time and place, so the
// same pull writes the same bytes.
type Manifest struct {
	Name     string `json:"name"`     // org/name
	Revision string `json:"revision"` // the commit, 40 hexadecimal digits
	// Refs are the revisions of the pulls, sorted: branches, tags or commits that the hub
	// resolved to Revision.
	Refs  []string `json:"refs"`
	Files []File   `json:"files"` // sorted by path
}

// File is a file of a model.
type File struct {
	Path   string `json:"path"`   // below the model's folder, with slashes
	Size   int64  `json:"size"`   // in bytes
	SHA256 string `json:"sha256"` // hexadecimal
}

var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ReadManifest reads and checks the manifest of a model's folder.
func ReadManifest(dir fs.FS) (Manifest, error) {
	b, err := readSmall(dir, ManifestName, limits.ModelManifest)
	if err != nil {
		return Manifest{}, fmt.Errorf("reading the manifest: %w", err)
	}
	m, err := parseManifest(b)
	if err != nil {
		return Manifest{}, fmt.Errorf("reading %s: %w", ManifestName, err)
	}
	return m, nil
}

func parseManifest(b []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return Manifest{}, err
	}
	if id, err := ParseID(m.Name); err != nil || id.Revision != "" {
		return Manifest{}, fmt.Errorf("name %.200q is not org/name", m.Name)
	}
	if !commit.MatchString(m.Revision) {
		return Manifest{}, fmt.Errorf("revision %.200q is not a commit", m.Revision)
	}
	for _, ref := range m.Refs {
		if _, err := ParseID(m.Name + "@" + ref); err != nil {
			return Manifest{}, fmt.Errorf("reference %.200q is not one", ref)
		}
	}
	if len(m.Files) == 0 || len(m.Files) > limits.ModelFiles {
		return Manifest{}, fmt.Errorf("%d files, want 1 to %d", len(m.Files), limits.ModelFiles)
	}
	for i, f := range m.Files {
		if err := checkPath(f.Path); err != nil {
			return Manifest{}, err
		}
		if i > 0 && m.Files[i-1].Path >= f.Path {
			return Manifest{}, fmt.Errorf("file %q is out of order", f.Path)
		}
		if f.Size < 0 || !sha256Hex.MatchString(f.SHA256) {
			return Manifest{}, fmt.Errorf("file %q has no right size and checksum", f.Path)
		}
	}
	return m, nil
}

// checkPath refuses paths that leave the model's folder on any system, and paths that cannot
// be printed.
func checkPath(name string) error {
	odd := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`\:*?"<>|`, r) })
	if odd || !fs.ValidPath(name) || name == "." || len(name) > limits.ModelPath || path.Base(name) == ManifestName {
		return fmt.Errorf("%.100q is not the name of a file in a model's folder", name)
	}
	return nil
}

// Bytes is the size of all files.
func (m *Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// State is the result of comparing a file with the manifest.
type State string

// The states. Only Verify finds WrongSum, because only Verify reads the content of a file.
const (
	Intact    State = "ok"
	Missing   State = "missing"
	Irregular State = "not a regular file"
	WrongSize State = "wrong size"
	WrongSum  State = "wrong checksum"
	Unread    State = "unreadable"
)

// FileState is a file of the manifest with its state.
type FileState struct {
	File
	// State is Intact, or tells how the file differs.
	State State `json:"state"`
}

// Compare compares the sizes of the files of a model's folder with its manifest. It does not
// read the files.
func (m *Manifest) Compare(dir fs.FS) []FileState {
	states := make([]FileState, len(m.Files))
	for i, f := range m.Files {
		states[i] = FileState{f, compare(dir, f)}
	}
	return states
}

// Verify is Compare with checksums: it reads the files. It returns only errors of ctx.
func (m *Manifest) Verify(ctx context.Context, dir fs.FS) ([]FileState, error) {
	states := m.Compare(dir)
	for i, f := range states {
		if f.State != Intact {
			continue
		}
		sum, err := sumFile(ctx, dir, f.Path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			states[i].State = Unread
		case sum != f.SHA256:
			states[i].State = WrongSum
		}
	}
	return states, nil
}

func compare(dir fs.FS, want File) State {
	st, err := fs.Lstat(dir, want.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing
	case err != nil:
		return Unread
	case !st.Mode().IsRegular():
		return Irregular
	case st.Size() != want.Size:
		return WrongSize
	}
	return Intact
}

func sumFile(ctx context.Context, dir fs.FS, name string) (string, error) {
	f, err := dir.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, reader{ctx, f}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// reader stops when its context is done: reading a large file takes long.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// add adds files and a revision to the manifest. A file replaces a file of the same path.
func (m *Manifest) add(ref string, files []File) {
	all := make(map[string]File, len(m.Files)+len(files))
	for _, f := range slices.Concat(m.Files, files) {
		all[f.Path] = f
	}
	m.Files = m.Files[:0:0]
	for _, f := range all {
		m.Files = append(m.Files, f)
	}
	slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if !slices.Contains(m.Refs, ref) {
		m.Refs = append(slices.Clone(m.Refs), ref)
		slices.Sort(m.Refs)
	}
}

// encode returns the manifest as JSON.
func (m *Manifest) encode() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	return append(b, '\n'), err
}

// readSmall reads a file of at most limit bytes.
func readSmall(dir fs.FS, name string, limit int64) ([]byte, error) {
	// The check comes before opening the file, which would wait for a pipe.
	if st, err := fs.Stat(dir, name); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return b, nil
}
