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
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/gomlx/go-huggingface/hub"
)

// Defaults of PullOptions.
const (
	DefaultMaxBytes    = 8 << 30
	DefaultIdleTimeout = time.Minute
	DefaultRetries     = 4
)

// PullOptions sets up a pull. The zero value is a good choice.
type PullOptions struct {
	Endpoint string // address of the hub; DefaultEndpoint when empty
	Token    string // for private and gated models
	// File is the ONNX file to fetch; the first of DefaultFiles that the model has
	// when empty.
	File     string
	MaxBytes int64 // of all files together; 0 means DefaultMaxBytes
	// IdleTimeout is how long a connection may be silent; 0 means
	// DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Retries is how often a request that failed for a reason that may pass is
	// sent again in a row without any progress; 0 means DefaultRetries, negative
	// never. The waits between grow from Backoff, 1 second when 0, by doubling.
	Retries   int
	Backoff   time.Duration
	UserAgent string
	// Progress is told the bytes that are there of those to fetch; total grows
	// when files turn up that the ONNX file needs. May be nil.
	Progress func(done, total int64)
	// Note is told what a person who waits should know. May be nil.
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

// Pull fetches a model from the hub into the store, or what of it is missing,
// and checks all of it. The revision is resolved to a commit once, and every file
// is of that commit. What an earlier pull left half done is continued.
//
// An error leaves the store's models as they were. What was fetched stays for the
// next pull, unless it is wrong or the disk is full. Errors that may pass
// (no network, an overloaded hub) do not satisfy Permanent.
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
	// A commit that is there needs no network.
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
	// Nothing is written before the hub has said that it has the model.
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

// permanent is an error that the same command will meet again.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent tells whether a pull that failed with err is bound to fail again:
// because of what was asked for, or of what the hub holds.
func Permanent(err error) bool {
	var p permanent
	var status *StatusError
	return errors.As(err, &p) || errors.As(err, &status) && !status.temporary()
}

// lock waits until no other process pulls the model. The folder for what is
// pulled must be there.
func (s *Store) lock(ctx context.Context, id ID, note func(string)) (unlock func(), err error) {
	file := filepath.Join(s.Dir, pulling, id.folder()+".lock")
	for {
		l := flock.New(file)
		ok, err := l.TryLock()
		if err == nil && !ok {
			note(fmt.Sprintf("another process works on %s: waiting for it", id.Name))
			_, err = l.TryLockContext(ctx, 200*time.Millisecond)
		}
		if err != nil {
			return nil, s.disk(fmt.Errorf("locking: %w", err))
		}
		// The one before us removes the file. A lock on what has no name any more
		// keeps nobody out.
		mine, err1 := l.Stat()
		named, err2 := os.Stat(file)
		if err1 == nil && err2 == nil && os.SameFile(mine, named) {
			return func() {
				_ = os.Remove(file) // where that is not possible, the next lock takes it
				_ = l.Close()
			}, nil
		}
		_ = l.Close()
	}
}

// disk says what to do about an error of the file system.
func (s *Store) disk(err error) error {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case full(err):
		return fmt.Errorf("the disk is full: %w; make room, or choose another folder with --dir or $%s", err, EnvDir)
	}
	return fmt.Errorf("the folder of downloaded models, %s, cannot be written: %w; choose another with --dir or $%s", s.Dir, err, EnvDir)
}

func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// has tells whether the manifest has an ONNX file, or one of those that are
// pulled when none is named.
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
	ref   string // as asked for
	id    ID     // with the commit, once that is known
	tmp   string // folder in root for what is not complete

	at    map[string]*hub.FileInfo // what the hub has
	names []string                 // what is wanted of it

	root  *os.Root        // of the store; no name or link leads out of it
	old   Model           // what is there of the commit
	right map[string]bool // its files that need not be fetched
	plan  []remote        // what is fetched

	done, total int64
}

// look asks the hub what it has and chooses.
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

// prepare compares what is chosen with what is there, and plans the rest.
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

// bring fetches what is chosen and missing, and makes a model of it.
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
		// What is wrong must not be continued, and a full disk wants its room back.
		if err != nil && ctx.Err() == nil && (Permanent(err) || full(err)) {
			err = errors.Join(err, p.root.RemoveAll(p.tmp))
		}
	}()
	// Another process may have been at work meanwhile.
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

// need puts a file into the plan, unless it is there.
func (p *pull) need(ctx context.Context, name string) error {
	if p.right[name] || slices.ContainsFunc(p.plan, func(f remote) bool { return f.Path == name }) {
		return nil
	}
	f, err := p.remote(ctx, p.id, p.at[name])
	if err != nil {
		return err
	}
	if p.plan = append(p.plan, f); len(p.plan) > maxFiles {
		return permanent{fmt.Errorf("%s has more than %d files to fetch", p.id.Name, maxFiles)}
	}
	if f.Size > p.opts.MaxBytes-p.total {
		return permanent{fmt.Errorf("%s has more than %d bytes to fetch (%s alone has %d): allow more with --max-bytes, or choose a smaller file with --file",
			p.id.Name, p.opts.MaxBytes, f.Path, f.Size)}
	}
	p.total += f.Size
	return nil
}

// key names a file that is being fetched. It depends on the content, so that
// nothing of another commit is continued.
func (f remote) key() string {
	sum := sha256.Sum256([]byte(f.Path + "\x00" + f.Sum))
	return hex.EncodeToString(sum[:12])
}

func (p *pull) part(f remote) string { return path.Join(p.tmp, f.key()) }

// clean makes the folder for what is fetched and removes what is of no use there.
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

// external returns the files of the model, as the hub names them, in which a
// fetched ONNX file keeps tensors.
func (p *pull) external(f remote) ([]string, error) {
	in, err := p.root.Open(p.part(f))
	if err != nil {
		return nil, p.store.disk(err)
	}
	defer in.Close()
	files, err := externalData(in, f.Size, f.Path)
	if err != nil {
		return nil, permanent{fmt.Errorf("%s of the hub: %w", p.id.Name, err)}
	}
	return files, nil
}

// publish makes a model of the fetched files: a new folder at once, or more files
// in one that is there, the manifest last.
func (p *pull) publish(files []File) error {
	man := Manifest{Name: p.id.Name, Revision: p.id.Revision, Refs: p.old.Refs, Files: p.old.Files}
	man.add(p.ref, files)
	final := p.id.folder() + "@" + p.id.Revision
	if len(man.Files) > maxFiles {
		return permanent{fmt.Errorf("%s would have more than %d files: remove it and pull again what is needed", man.Name, maxFiles)}
	}
	b, err := man.encode()
	if err != nil {
		return err
	}
	into := final
	if len(p.old.Files) == 0 {
		// Nothing is there, or a folder that is no model: what is in it is not known,
		// and not kept.
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

// move renames within the store. What is not a file makes place.
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
	if err := p.root.Rename(from, to); err != nil {
		return err
	}
	if d, err := p.root.Open(dir); err == nil {
		_ = d.Sync() // not every system can; the checksums tell what was lost
		d.Close()
	}
	return nil
}

// write makes a file that is on the disk when it returns.
func (p *pull) write(name string, b []byte) error {
	f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}
