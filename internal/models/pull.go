package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/gomlx/go-huggingface/hub"

	"crscore/internal/limits"
	"crscore/internal/system"
)

// Defaults of PullOptions.
const (
	DefaultMaxBytes    = 8 << 30
	DefaultIdleTimeout = time.Minute
	DefaultRetries     = 4
)

// PullOptions set up a pull. The zero value has the defaults.
type PullOptions struct {
	Endpoint string // address of the hub; DefaultEndpoint when empty
	Token    string // for private and gated models
	// File is the ONNX file to fetch. Empty means the first of DefaultFiles that the model has.
	File     string
	MaxBytes int64 // of all files together; 0 means DefaultMaxBytes
	// IdleTimeout is how long a connection may be silent; 0 means DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Retries is how often a request with a temporary error is sent again in a row without
	// progress; 0 means DefaultRetries, a negative number never. The first wait is Backoff, or
	// 1 second; each further wait is twice as long.
	Retries   int
	Backoff   time.Duration
	UserAgent string
	// Progress gets the bytes so far and their total, which grows with data files that the ONNX
	// file names. It may be nil.
	Progress func(done, total int64)
	// Note gets messages for the user who waits. It may be nil.
	Note func(string)
}

func (o *PullOptions) fill() {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	if o.Backoff == 0 {
		o.Backoff = time.Second
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
}

// Pull fetches the missing files of a model from the hub into the store, and checks all files.
// It resolves the revision to a commit once: all files are of that commit. It resumes an
// earlier pull that was interrupted.
//
// An error leaves the store's models as they were. The next pull uses the fetched files,
// unless they are wrong or the disk is full. Temporary errors (no network, an overloaded hub)
// do not satisfy Permanent.
func (s *Store) Pull(ctx context.Context, id ID, o PullOptions) (Model, error) {
	o.fill()
	if o.File != "" {
		if err := checkPath(o.File); err != nil || path.Ext(o.File) != ".onnx" {
			return Model{}, permanent{fmt.Errorf("%.100q is not the name of an ONNX file in a model, such as %s", o.File, DefaultFiles[1])}
		}
	}
	if _, err := ParseID(id.String()); err != nil {
		return Model{}, permanent{err}
	}
	c, err := newClient(o)
	if err != nil {
		return Model{}, permanent{err}
	}
	c.sleeping = func(err error, wait time.Duration) { o.Note(fmt.Sprintf("%v; trying again in %v", err, wait)) }
	defer c.http.CloseIdleConnections()
	// A commit in the store needs no network.
	if commit.MatchString(id.Revision) {
		if m := s.model(id); m.Err == nil && m.has(o.File) {
			if ok, err := m.intact(ctx); ok || err != nil {
				return m, err
			}
		}
	}
	p := &pull{client: c, opts: o, store: s, ref: id.Revision, id: id, tmp: path.Join(pulling, id.folder())}
	if p.ref == "" {
		p.ref, p.id.Revision = "main", "main"
	}
	// Nothing is written before the hub has listed the model.
	err = p.look(ctx)
	if err == nil {
		err = p.bring(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return Model{}, ctx.Err()
	case err != nil:
		return Model{}, err
	}
	return s.model(p.id), nil
}

// permanent is an error that the same command would get again.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent reports whether a pull that failed with err would fail again, because of its
// arguments or of the hub's files.
func Permanent(err error) bool {
	var p permanent
	var status *StatusError
	return errors.As(err, &p) || errors.As(err, &status) && !status.temporary()
}

// lock waits until no other process pulls the model. The folder for incomplete files must
// exist.
func (s *Store) lock(ctx context.Context, id ID, note func(string)) (unlock func(), err error) {
	file := filepath.Join(s.Dir, pulling, id.folder()+".lock")
	for {
		if err := system.CheckRegular(file); err != nil {
			return nil, s.disk(fmt.Errorf("locking: %w", err))
		}
		l := flock.New(file)
		ok, err := l.TryLock()
		if err == nil && !ok {
			note(fmt.Sprintf("another process works on %s: waiting for it", id.Name))
			_, err = l.TryLockContext(ctx, 200*time.Millisecond)
		}
		if err != nil {
			return nil, s.disk(fmt.Errorf("locking: %w", err))
		}
		// The process before may have removed the file: a lock on a file without a name keeps
		// no process out.
		mine, err1 := l.Stat()
		named, err2 := os.Stat(file)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return func() { _ = system.RemoveLock(file, l.Close) }, nil
		}
		_ = l.Close()
	}
}

// disk adds advice to an error of the file system.
func (s *Store) disk(err error) error {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case system.Full(err):
		return fmt.Errorf("the disk is full: %w; make room, or choose another folder with --dir or $%s", err, EnvDir)
	}
	return fmt.Errorf("the folder of downloaded models, %s, cannot be written: %w; choose another with --dir or $%s", s.Dir, err, EnvDir)
}

// has reports whether the manifest has the ONNX file or, for an empty name, a default one.
func (m *Manifest) has(file string) bool {
	for _, f := range m.Files {
		if file != "" && f.Path == file || file == "" && (f.Path == DefaultFiles[0] || f.Path == DefaultFiles[1]) {
			return true
		}
	}
	return false
}

func (m *Model) intact(ctx context.Context) (bool, error) {
	files, err := m.Verify(ctx, os.DirFS(m.Dir))
	for _, f := range files {
		if f.State != Intact {
			return false, nil
		}
	}
	return err == nil, err
}

// pull is one run of Pull.
type pull struct {
	*client
	opts  PullOptions
	store *Store
	ref   string // the revision of the user
	id    ID     // with the commit, once it is known
	tmp   string // folder in root for incomplete files

	at    map[string]*hub.FileInfo // the hub's files
	names []string                 // the files to have

	root  *os.Root        // the store's folder; no name or link leads out of it
	old   Model           // the commit in the store
	right map[string]bool // files of old that are right
	plan  []remote        // the files to fetch

	done, total int64
}

// look asks the hub for its files and chooses from them.
func (p *pull) look(ctx context.Context) error {
	l, err := p.list(ctx, p.id)
	if err != nil {
		return err
	}
	p.id.Revision = l.Commit
	p.at = files(l)
	if p.names, err = choose(p.at, p.opts.File); err != nil {
		return permanent{fmt.Errorf("%s %w", p.id.Name, err)}
	}
	return nil
}

// prepare compares the chosen files with the store, and plans the missing ones.
func (p *pull) prepare(ctx context.Context) error {
	p.old = p.store.model(p.id)
	p.plan, p.total, p.right = nil, 0, make(map[string]bool)
	names := slices.Clone(p.names)
	files, err := p.old.Verify(ctx, os.DirFS(p.old.Dir))
	if err != nil {
		return err
	}
	for _, f := range files {
		p.right[f.Path] = f.State == Intact
		if !p.right[f.Path] && p.at[f.Path] != nil {
			names = append(names, f.Path)
		}
	}
	for _, name := range names {
		if err := p.need(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// bring fetches the planned files, and makes a model of them.
func (p *pull) bring(ctx context.Context) (err error) {
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if len(p.plan) == 0 && slices.Contains(p.old.Refs, p.ref) {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(p.store.Dir, pulling), 0o755); err != nil {
		return p.store.disk(err)
	}
	unlock, err := p.store.lock(ctx, p.id, p.opts.Note)
	if err != nil {
		return err
	}
	defer unlock()
	if p.root, err = os.OpenRoot(p.store.Dir); err != nil {
		return p.store.disk(err)
	}
	defer p.root.Close()
	defer func() {
		// A wrong file must not be resumed, and a full disk needs room.
		if err != nil && ctx.Err() == nil && (Permanent(err) || system.Full(err)) {
			err = errors.Join(err, p.root.RemoveAll(p.tmp))
		}
	}()
	// Another process may have pulled the model meanwhile.
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := p.clean(); err != nil {
		return p.store.disk(err)
	}
	var files []File
	for i := 0; i < len(p.plan); i++ { // the plan grows
		f := p.plan[i]
		got, err := p.fetch(ctx, f)
		if err != nil {
			return err
		}
		files = append(files, got)
		if path.Ext(f.Path) != ".onnx" {
			continue
		}
		data, err := p.external(f)
		if err != nil {
			return err
		}
		for _, name := range data {
			if p.at[name] == nil {
				return permanent{fmt.Errorf("%s of %s keeps data in %s, which the hub does not have", f.Path, p.id.Name, name)}
			}
			if err := p.need(ctx, name); err != nil {
				return err
			}
		}
	}
	return p.publish(files)
}

// need adds a file to the plan, unless the store has it.
func (p *pull) need(ctx context.Context, name string) error {
	if p.right[name] || slices.ContainsFunc(p.plan, func(f remote) bool { return f.Path == name }) {
		return nil
	}
	f, err := p.remote(ctx, p.id, p.at[name])
	if err != nil {
		return err
	}
	if p.plan = append(p.plan, f); len(p.plan) > limits.ModelFiles {
		return permanent{fmt.Errorf("%s has more than %d files to fetch", p.id.Name, limits.ModelFiles)}
	}
	if f.Size > p.opts.MaxBytes-p.total {
		return permanent{fmt.Errorf("%s has more than %d bytes to fetch (%s alone has %d): allow more with --max-bytes, or choose a smaller file with --file",
			p.id.Name, p.opts.MaxBytes, f.Path, f.Size)}
	}
	p.total += f.Size
	return nil
}

// key is the name of a file that is being fetched. It depends on the content, so that no file
// of another commit is resumed.
func (f remote) key() string {
	sum := sha256.Sum256([]byte(f.Path + "\x00" + f.Sum))
	return hex.EncodeToString(sum[:12])
}

func (p *pull) part(f remote) string { return path.Join(p.tmp, f.key()) }

// clean creates the folder for incomplete files, and removes useless files from it.
func (p *pull) clean() error {
	if err := p.root.MkdirAll(p.tmp, 0o755); err != nil {
		return err
	}
	useful := make(map[string]bool, len(p.plan))
	for _, f := range p.plan {
		useful[f.key()] = true
	}
	entries, err := fs.ReadDir(p.root.FS(), p.tmp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !useful[e.Name()] || !e.Type().IsRegular() {
			if err := p.root.RemoveAll(path.Join(p.tmp, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// external returns the files of the hub with the tensors of a fetched ONNX file.
func (p *pull) external(f remote) ([]string, error) {
	in, err := p.root.Open(p.part(f))
	if err != nil {
		return nil, p.store.disk(err)
	}
	defer in.Close()
	files, err := externalData(in, f.Path)
	if err != nil {
		return nil, permanent{fmt.Errorf("%s of the hub: %w", p.id.Name, err)}
	}
	return files, nil
}

// publish makes a model of the fetched files: a new folder, or more files in an existing
// folder. It writes the manifest last.
func (p *pull) publish(files []File) error {
	man := Manifest{Name: p.id.Name, Revision: p.id.Revision, Refs: p.old.Refs, Files: p.old.Files}
	man.add(p.ref, files)
	final := p.id.folder() + "@" + p.id.Revision
	if len(man.Files) > limits.ModelFiles {
		return permanent{fmt.Errorf("%s would have more than %d files: remove it and pull again what is needed", man.Name, limits.ModelFiles)}
	}
	b, err := man.encode()
	if err != nil {
		return err
	}
	into := final
	if len(p.old.Files) == 0 {
		// There is no folder, or a folder that is no model, which is removed.
		if err := p.root.RemoveAll(final); err != nil {
			return p.store.disk(err)
		}
		into = path.Join(p.tmp, "new")
	}
	for _, f := range p.plan {
		if err := p.move(p.part(f), path.Join(into, f.Path)); err != nil {
			return p.store.disk(err)
		}
	}
	draft := path.Join(p.tmp, "manifest")
	if err := p.write(draft, b); err != nil {
		return p.store.disk(err)
	}
	if err := p.move(draft, path.Join(into, ManifestName)); err != nil {
		return p.store.disk(err)
	}
	if into != final {
		if err := p.move(into, final); err != nil {
			return p.store.disk(err)
		}
	}
	if err := p.root.RemoveAll(p.tmp); err != nil {
		return p.store.disk(err)
	}
	return nil
}

// move renames a file within the store. It replaces whatever has the new name.
func (p *pull) move(from, to string) error {
	dir := path.Dir(to)
	if err := p.root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if st, err := p.root.Lstat(to); err == nil && !st.Mode().IsRegular() {
		if err := p.root.RemoveAll(to); err != nil {
			return err
		}
	}
	if err := system.RenameIn(p.root, from, to); err != nil {
		return err
	}
	if d, err := p.root.Open(dir); err == nil {
		_ = d.Sync() // not every system can; the checksums show losses
		d.Close()
	}
	return nil
}

// write writes a file and syncs it to the disk.
func (p *pull) write(name string, b []byte) error {
	f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}
