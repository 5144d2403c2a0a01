// Package models is the store of downloaded sentence models. It fetches a model from the
// Hugging Face hub, keeps it in a folder, finds it by name, checks it and describes it. It
// does not run models, and imports no package of this module.
//
// A model is a folder org--name@commit in the store, with the hub's files and a manifest (see
// Manifest). The manifest is written last: a folder without a manifest is no model. A file
// that is being fetched is in the hidden folder .pull, until its size and checksum are those
// that the hub announced.
//
// The hub's listing is read into the types of go-huggingface, the library that hugot
// downloads with, and the requests are the same. This package fetches the bytes itself,
// because hugot.DownloadModel (v0.7.7) and the hub.Repo below it (v0.4.1) have faults that no
// later check can mend: a server's ETag becomes a path unchecked, so that a hostile server
// writes outside the download folder; a connection that breaks within a body is a success;
// neither the context nor a timeout reaches the request for the listing, whose size is not
// bounded; a download cannot be resumed; and DownloadModel puts 1_Pooling/config.json and
// config.json into one place. A test shows the first two faults, and fails when the library
// has mended them.
package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// EnvDir is the environment variable that names the store's folder.
const EnvDir = "CRSCORE_MODELS"

// pulling is the folder of the store for incomplete files. It has a folder and a lock file
// for each model.
const pulling = ".pull"

// ID names a model on the hub.
type ID struct {
	Name string // org/name
	// Revision is a commit, a branch or a tag. Empty means main in a pull, and any downloaded
	// commit in a look-up.
	Revision string
}

// String returns org/name or, with a revision, org/name@revision.
func (id ID) String() string {
	if id.Revision == "" {
		return id.Name
	}
	return id.Name + "@" + id.Revision
}

var (
	// The hub's own rules, less the names without an organisation.
	namePart = regexp.MustCompile(`^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$`)
	revision = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/-]{0,127}$`)
	commit   = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// ErrName is wrapped by the error of a text that cannot be a model's name.
var ErrName = errors.New("not a model's name, which looks like org/name or org/name@revision")

// ParseID reads org/name or org/name@revision.
func ParseID(s string) (ID, error) {
	name, rev, pinned := strings.Cut(s, "@")
	bad := pinned && (!revision.MatchString(rev) || strings.Contains(rev, "..") || strings.Contains(rev, "//") || strings.HasSuffix(rev, "/"))
	org, base, ok := strings.Cut(name, "/")
	for _, part := range []string{org, base} {
		bad = bad || !namePart.MatchString(part) || strings.Contains(part, "..") || strings.Contains(part, "--")
	}
	if bad || !ok {
		return ID{}, fmt.Errorf("%.200q is %w", s, ErrName)
	}
	return ID{Name: name, Revision: rev}, nil
}

// folder is the name of the folder without the commit. Names on the hub have no double hyphen.
func (id ID) folder() string { return strings.ReplaceAll(id.Name, "/", "--") }

// Store is a folder of models. Several processes may use it at once.
type Store struct {
	// Dir is the absolute path of the folder, which need not exist.
	Dir string
}

// Open returns the store in dir. If dir is empty, the store is in $CRSCORE_MODELS, else in
// crscore/models in the user's cache folder. Open creates nothing.
func Open(dir string) (*Store, error) {
	if dir == "" {
		dir = os.Getenv(EnvDir)
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place for downloaded models: %w; set %s or give a folder with --dir", err, EnvDir)
		}
		dir = filepath.Join(cache, "crscore", "models")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder of downloaded models: %w", err)
	}
	return &Store{abs}, nil
}

// Builtin is the name of the built-in model on the command line.
const Builtin = "builtin"

// Model is a model of the store.
type Model struct {
	Manifest
	// Dir is the folder with the model's files.
	Dir string
	// Err says why the model cannot be used: its manifest cannot be read, or files are missing
	// or have another size. Manifest.Verify compares checksums, too.
	Err error
}

// ID is the model's name with its commit.
func (m *Model) ID() ID { return ID{m.Name, m.Revision} }

// List returns the models of the store, sorted by name and commit. A store that does not
// exist is empty.
func (s *Store) List() ([]Model, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the folder of downloaded models: %w", err)
	}
	var all []Model
	for _, e := range entries {
		flat, rev, ok := strings.Cut(e.Name(), "@")
		id, err := ParseID(strings.Replace(flat, "--", "/", 1))
		if !ok || err != nil || !commit.MatchString(rev) {
			continue // no model of the store
		}
		id.Revision = rev
		all = append(all, s.model(id))
	}
	slices.SortFunc(all, func(a, b Model) int {
		return strings.Compare(a.Name+"@"+a.Revision, b.Name+"@"+b.Revision)
	})
	return all, nil
}

// model reads the model of a name and commit.
func (s *Store) model(id ID) Model {
	dir := filepath.Join(s.Dir, id.folder()+"@"+id.Revision)
	man, err := ReadManifest(os.DirFS(dir))
	if err == nil && (man.Name != id.Name || man.Revision != id.Revision) {
		err = fmt.Errorf("%s is that of %s@%s", ManifestName, man.Name, man.Revision)
	}
	m := Model{Manifest: man, Dir: dir, Err: err}
	if err != nil {
		m.Manifest = Manifest{Name: id.Name, Revision: id.Revision}
		return m
	}
	for _, f := range man.Compare(os.DirFS(dir)) {
		if f.State != Intact {
			m.Err = errors.Join(m.Err, fmt.Errorf("%s: %s", f.Path, f.State))
		}
	}
	return m
}

// NotPulledError says that the store lacks a model.
type NotPulledError struct{ ID ID }

// Error names the model and the command that downloads it.
func (e *NotPulledError) Error() string {
	return fmt.Sprintf("model %s is not downloaded: run crscore models pull %s", e.ID, e.ID)
}

// Find is Store.Find for the store of Open(""). It finds a folder also where there is no
// place for a store.
func Find(name string) (Model, error) {
	s, err := Open("")
	if err != nil {
		if isDir(name) { // Without a HOME there is no store, but there are folders.
			return Model{Dir: name}, nil
		}
		return Model{}, err
	}
	return s.Find(name)
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// Find returns the model of a name: a model of the store, for org/name or org/name@revision,
// else a folder of that name (then only Dir is set). The store has precedence, because the
// work tree under review may have a folder of any name, which must not replace a pulled model.
// The revision is the revision of the pull, or seven or more digits of the commit. Without a
// revision the store must have only one commit of the model.
//
// The error is a NotPulledError where the store lacks the model, and wraps ErrName where name
// cannot be a name. Find returns a damaged model with the error.
func (s *Store) Find(name string) (Model, error) {
	id, err := ParseID(name)
	if err != nil {
		if isDir(name) {
			return Model{Dir: name}, nil
		}
		return Model{}, fmt.Errorf("no folder %.200q, and %w", name, err)
	}
	all, err := s.List()
	if err != nil {
		return Model{}, err
	}
	var found []Model
	for _, m := range all {
		if m.Name == id.Name && m.is(id.Revision) {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0 && isDir(name):
		return Model{Dir: name}, nil
	case len(found) == 0:
		return Model{}, &NotPulledError{id}
	case len(found) > 1:
		var ids []string
		for _, m := range found {
			ids = append(ids, m.ID().String())
		}
		return Model{}, fmt.Errorf("%s may be any of %s: name one, or remove the others with crscore models rm", id, strings.Join(ids, ", "))
	case found[0].Err != nil:
		reason := strings.ReplaceAll(found[0].Err.Error(), "\n", "; ") // one line each
		return found[0], fmt.Errorf("model %s is damaged (%s): run crscore models pull %[1]s", found[0].ID(), reason)
	}
	return found[0], nil
}

// is reports whether rev names the model's revision.
func (m *Model) is(rev string) bool {
	return rev == "" || slices.Contains(m.Refs, rev) || len(rev) >= 7 && strings.HasPrefix(m.Revision, rev)
}

// Remove deletes the models of a name, all commits where id has no revision, and the rest of
// interrupted pulls. It returns the deleted folders.
func (s *Store) Remove(ctx context.Context, id ID) (gone []string, err error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(s.Dir, pulling)); err == nil {
		unlock, err := s.lock(ctx, id, func(string) {})
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	if part := filepath.Join(s.Dir, pulling, id.folder()); id.Revision == "" && s.Partial(id) > 0 {
		if err := os.RemoveAll(part); err != nil {
			return nil, fmt.Errorf("removing what an interrupted pull left: %w", err)
		}
		gone = append(gone, part)
	}
	for _, m := range all {
		if m.Name != id.Name || !m.is(id.Revision) {
			continue
		}
		// A folder without a manifest is no model, so the manifest is deleted first.
		if err := os.Remove(filepath.Join(m.Dir, ManifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, fmt.Errorf("removing %s: %w", m.ID(), err)
		}
		if err := os.RemoveAll(m.Dir); err != nil {
			return gone, fmt.Errorf("removing %s: %w", m.ID(), err)
		}
		gone = append(gone, m.Dir)
	}
	if len(gone) == 0 {
		return nil, &NotPulledError{id}
	}
	return gone, nil
}

// Partial returns the bytes that an interrupted or running pull of id has fetched.
func (s *Store) Partial(id ID) (size int64) {
	// A file that cannot be read is of no use to the next pull.
	_ = fs.WalkDir(os.DirFS(filepath.Join(s.Dir, pulling)), id.folder(), func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() {
			size += st.Size()
		}
		return nil
	})
	return size
}

// Partials returns the names of models with interrupted or running pulls.
func (s *Store) Partials() ([]ID, error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir, pulling))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the folder of downloaded models: %w", err)
	}
	var ids []ID
	for _, e := range entries {
		id, err := ParseID(strings.Replace(e.Name(), "--", "/", 1))
		if e.IsDir() && err == nil && s.Partial(id) > 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
