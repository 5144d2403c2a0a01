package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"

	"crscore/internal/journal"
)

// errCrash is what every call gets after a crash: nobody is there any more.
var errCrash = errors.New("crash")

// page is the size of what a crash keeps or loses of a write, small to tear much.
const page = 4

// testDisk is a disk in memory that knows what was synced. The fault comes at a
// call that changes or syncs something, counted from 1.
type testDisk struct {
	files map[string]*inode // by their present names
	safe  map[string]*inode // by those that are synced
	names []func(map[string]*inode)
	// of dirs, too
	dirs, safeDirs map[string]bool
	locked         map[string]bool

	calls int
	at    int      // call of the fault; 0 for none
	fault error    // errCrash is final, others are not
	half  bool     // a write at the fault is done by half
	pause func()   // before a change
	log   []string // of the calls
}

type inode struct {
	now, safe []byte
	pending   []change // since the last sync
}

// change is a write at a place or, without bytes, a truncation to it.
type change struct {
	at int
	b  []byte
}

func newDisk() *testDisk {
	return &testDisk{
		files: map[string]*inode{}, safe: map[string]*inode{},
		dirs: map[string]bool{".": true}, safeDirs: map[string]bool{".": true}, locked: map[string]bool{},
	}
}

// call counts a call and returns its fault.
func (d *testDisk) call(what string) error {
	d.calls++
	d.log = append(d.log, what)
	if d.at == 0 || d.calls < d.at || d.calls > d.at && d.fault != errCrash {
		return nil
	}
	return d.fault
}

func (d *testDisk) gone() error {
	if d.at > 0 && d.calls >= d.at && d.fault == errCrash {
		return errCrash
	}
	return nil
}

func (d *testDisk) Mkdir(dir string) error {
	dir = filepath.ToSlash(dir)
	if d.dirs[dir] {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	}
	if err := d.call("mkdir"); err != nil {
		return err
	}
	d.dirs[dir] = true
	return nil
}

func (d *testDisk) IsDir(string) error { return d.gone() }

func (d *testDisk) List(string) ([]string, error) {
	var names []string
	for name := range d.files {
		names = append(names, filepath.Base(name))
	}
	slices.Sort(names)
	return names, d.gone()
}

func (d *testDisk) Open(name string, mode openMode) (journal.Disk, error) {
	name = filepath.ToSlash(name)
	if err := d.gone(); err != nil {
		return nil, err
	}
	f := d.files[name]
	if f == nil && mode != toMake {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if f == nil {
		if err := d.call("create " + name); err != nil {
			return nil, err
		}
		f = &inode{}
		d.rename(func(m map[string]*inode) { m[name] = f })
	}
	return &testFile{disk: d, name: name, inode: f}, nil
}

func (d *testDisk) rename(op func(map[string]*inode)) {
	op(d.files)
	d.names = append(d.names, op)
}

func (d *testDisk) Rename(from, to string) error {
	from, to = filepath.ToSlash(from), filepath.ToSlash(to)
	if err := d.call("rename"); err != nil {
		return err
	}
	f := d.files[from]
	d.rename(func(m map[string]*inode) {
		delete(m, from)
		m[to] = f
	})
	return nil
}

func (d *testDisk) Remove(name string) error {
	name = filepath.ToSlash(name)
	switch {
	case filepath.Base(name) == lockName: // no file here
		return d.gone()
	case d.dirs[name]:
		if err := d.call("rmdir"); err != nil {
			return err
		}
		delete(d.dirs, name)
		return nil
	}
	if err := d.call("remove " + name); err != nil {
		return err
	}
	d.rename(func(m map[string]*inode) { delete(m, name) })
	return nil
}

func (d *testDisk) RemoveLock(name string, unlock func() error) error {
	return errors.Join(d.Remove(name), unlock())
}

func (d *testDisk) SyncDir(dir string) error {
	dir = filepath.ToSlash(dir)
	if err := d.call("sync " + dir); err != nil {
		return err
	}
	if dir == "." {
		maps.Copy(d.safeDirs, d.dirs)
		return nil
	}
	d.safe, d.names = maps.Clone(d.files), nil
	return nil
}

func (d *testDisk) Lock(name string) (func() error, error) {
	name = filepath.ToSlash(name)
	if err := d.gone(); err != nil {
		return nil, err
	}
	if d.locked[name] {
		return nil, ErrLocked
	}
	d.locked[name] = true
	return func() error { delete(d.locked, name); return nil }, nil
}

// killed is the disk after the end of the process alone: nothing is lost.
func (d *testDisk) killed() *testDisk {
	n := *d
	n.locked, n.calls, n.at, n.half, n.log = map[string]bool{}, 0, 0, false, nil
	return &n
}

// lost is the disk after the loss of the machine: of what was not synced some is
// there, some is not, and some is zeros.
func (d *testDisk) lost(rnd *rand.Rand) *testDisk {
	n := newDisk()
	n.dirs, n.safeDirs = maps.Clone(d.safeDirs), maps.Clone(d.safeDirs)
	if rnd.IntN(2) == 0 {
		n.dirs, n.safeDirs = maps.Clone(d.dirs), maps.Clone(d.dirs)
	}
	n.safe = maps.Clone(d.safe)
	for _, op := range d.names {
		if rnd.IntN(2) == 0 {
			op(n.safe)
		}
	}
	for name, f := range n.safe {
		if !n.dirs[filepath.Dir(name)] {
			delete(n.safe, name)
			continue
		}
		b := f.lost(rnd)
		n.safe[name] = &inode{now: b, safe: bytes.Clone(b)}
	}
	n.files = maps.Clone(n.safe)
	return n
}

func (f *inode) lost(rnd *rand.Rand) []byte {
	b := bytes.Clone(f.safe)
	mode := rnd.IntN(4)
	for _, c := range f.pending {
		switch {
		case mode == 0, mode == 1 && rnd.IntN(2) == 0: // not there
		case c.b == nil:
			b = b[:min(c.at, len(b))]
		default:
			c.b = bytes.Clone(c.b)
			for i := 0; mode >= 2 && i < len(c.b); i += page {
				if rnd.IntN(mode+1) == 0 { // its length is there, it is not
					clear(c.b[i:min(i+page, len(c.b))])
				}
			}
			b = c.apply(b)
		}
	}
	return b
}

func (c change) apply(b []byte) []byte {
	if c.b == nil {
		return b[:min(c.at, len(b))]
	}
	for len(b) < c.at+len(c.b) {
		b = append(b, 0)
	}
	copy(b[c.at:], c.b)
	return b
}

type testFile struct {
	disk  *testDisk
	name  string
	inode *inode
	at    int
}

func (f *testFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.disk.gone(); err != nil {
		return 0, err
	}
	return bytes.NewReader(f.inode.now).ReadAt(p, at)
}

func (f *testFile) change(c change) {
	f.inode.now = c.apply(f.inode.now)
	f.inode.pending = append(f.inode.pending, c)
}

func (f *testFile) Write(p []byte) (int, error) {
	err := f.disk.call(fmt.Sprintf("write %s", f.name))
	n := len(p)
	if err != nil {
		if n = 0; f.disk.half && f.disk.calls == f.disk.at {
			n = len(p) / 2
		}
	}
	if n > 0 {
		f.change(change{f.at, bytes.Clone(p[:n])})
		f.at += n
	}
	return n, err
}

func (f *testFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekEnd:
		offset += int64(len(f.inode.now))
	case io.SeekCurrent:
		offset += int64(f.at)
	}
	f.at = int(offset)
	return offset, f.disk.gone()
}

func (f *testFile) Truncate(size int64) error {
	if int(size) == len(f.inode.now) {
		return f.disk.gone()
	}
	if err := f.disk.call("truncate " + f.name); err != nil {
		return err
	}
	f.change(change{at: int(size)})
	return nil
}

func (f *testFile) Sync() error {
	if err := f.disk.call("sync " + f.name); err != nil {
		return err
	}
	f.inode.safe, f.inode.pending = bytes.Clone(f.inode.now), nil
	return nil
}

func (f *testFile) Close() error { return nil }

// diskFull is what a full disk says.
var diskFull = &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
