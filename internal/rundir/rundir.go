// Package rundir keeps a run over a dataset in a directory of its own, so that it
// can be stopped at any moment, by the loss of the machine too, and goes on where
// it was when it is started again. It knows result lines as bytes, blocks of
// matrices, and places in a dataset; how a line is made, what stands in it, and
// engines may not come in.
//
// # The directory
//
//	run.json      what the run is of: the [Manifest], written at the start, and at the
//	              end once more with the checksum of the dataset
//	scores.jsonl  the result lines of all changes, in the order of the dataset
//	matrices.crsm similarity matrices (see the package matrices), if asked for
//	journal       what is finished: a line a change, and one at the end
//	lock          held (flock) by the process that works on the directory; the
//	              kernel lets go of it when that ends, however it ends
//
// A line of the journal is text, its columns parted by single spaces:
//
//	line      number of the change's line in the dataset, counted from 1
//	text      SHA-256 of the dataset's text up to the end of that line, 16 digits of it
//	scores    bytes of scores.jsonl up to the end of the change's result lines
//	matrices  bytes of matrices.crsm up to the end of its block; "-" without one
//	rows      CRC-32C of its result lines
//	sum       CRC-32C of the columns before it, with the spaces between them
//
// and of a run that is through, the last one:
//
//	"end", lines of the dataset, malformed ones among them, text (all 64 digits),
//	scores, matrices, sum
//
// # The order
//
// A change is finished when its line of the journal is on the disk, and nothing
// else says so. The block of a change is written, then its result lines. A commit
// is: fsync of matrices and scores, then the journal's lines of all changes since
// the commit before, at most maxBatch, then fsync of the journal. So a line of
// the journal speaks of bytes that are safe, whatever is lost. Started again, a
// run cuts all files behind the last good line of the journal: what is cut was
// never finished. The files themselves are made, and the directory is synced,
// before run.json takes its name; a directory without one holds nothing yet. When the
// end of the journal is safe, run.json is written anew, and the next start does that
// where a crash came between the two.
//
// Nothing else is written, and nothing depends on the moments of commits: the
// files of a run that was stopped often are those of one that was not.
//
// # What makes a run the same
//
// run.json has the signature and the options that shape the result lines; all of it
// must be as it was. The dataset is known by the checksum of its text, packed or
// not, from a file or a pipe: every line that was finished is read again and held
// against the journal, so no file is read twice by one process. Lines that the run has
// not come to may change: results are always those of the text whose checksum
// stands at the end of the journal, and in run.json.
package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"crscore/internal/matrices"
)

// Names of the files of a run.
const (
	ManifestName = "run.json"
	ScoresName   = "scores.jsonl"
	MatricesName = "matrices.crsm"

	journalName = "journal"
	lockName    = "lock"
	newManifest = ManifestName + ".new"
)

// Place is where a change stands in the dataset.
type Place struct {
	Line int
	// Text is the SHA-256 of the text up to the end of the line, in hexadecimal.
	Text string
}

// End is what is known of a dataset that was read to its end.
type End struct {
	Lines     int    // all that were read
	Malformed int    // those that are no records; of a shard its own
	Text      string // SHA-256 of the text, in hexadecimal
}

// Change is what a run keeps of a change of the dataset.
type Change struct {
	Place
	// Rows are its result lines, each with its line end.
	Rows []byte
	// Block are its matrices. It is nil in a run without them, and for a change
	// that has none.
	Block *matrices.Block
}

// LeftOut is a block that may not stand in a matrix file. The change is kept
// without it.
type LeftOut struct{ Err error }

func (e *LeftOut) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *LeftOut) Unwrap() error { return e.Err }

// Run is a directory that is worked on. A goroutine that reads the dataset may call
// Done beside another one that calls the other methods.
type Run struct {
	dir      string
	disk     disk
	manifest Manifest
	unlock   func() error

	scores, matrices, journal file
	blocks                    *matrices.Writer // nil without matrices
	replay                    *replay          // of what was finished before
	found, cut                int              // changes that were, and lines of such that were cut off
	end                       *end             // of a run that is through

	mu      sync.Mutex // for commits by the clock
	last    entry      // of the journal, or of what waits for it
	left    int        // changes without a block, in a run with matrices
	pending []byte     // lines of the journal that are not written yet
	batch   int        // how many
	timer   *time.Timer
	synced  time.Time     // the end of the last commit: the first comes at once
	cost    time.Duration // of the last commit
	done    int           // changes that are finished
	err     error         // final
	told    bool          // the caller knows it
}

// Open starts a run in a new directory, or goes on with one that is there and of
// the same manifest. The result lines of each finished change are handed to kept,
// in order. Only one process can have a directory open.
func Open(dir string, m Manifest, kept func(rows []byte) error) (*Run, error) {
	dir = filepath.Clean(dir)
	r, err := open(osDisk{}, dir, m, kept)
	if err != nil {
		return nil, fmt.Errorf("the run directory %s: %w", dir, full(err))
	}
	return r, nil
}

func open(d disk, dir string, m Manifest, kept func(rows []byte) error) (_ *Run, err error) {
	r := &Run{dir: dir, disk: d, manifest: m}
	if err := r.make(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	end, fresh, err := r.look()
	if err == nil && fresh {
		err = r.start()
	}
	if err != nil {
		return nil, err
	}
	if err := r.goOn(end, kept); err != nil {
		return nil, err
	}
	return r, nil
}

// look tells the end that run.json has, or that there is no run yet and may be one.
func (r *Run) look() (e *End, fresh bool, err error) {
	was, e, err := readManifest(r.disk, r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, r.empty()
	}
	if err != nil {
		return nil, false, err
	}
	return e, false, was.same(r.manifest)
}

// make makes the directory, where it is not there, and locks it. One that is refused is
// left as it is, without a lock.
func (r *Run) make() error {
	err := r.disk.Mkdir(r.dir)
	if errors.Is(err, fs.ErrExist) {
		if err = r.disk.IsDir(r.dir); err == nil {
			_, _, err = r.look()
		}
	}
	if err != nil {
		return err
	}
	unlock, err := r.disk.Lock(r.path(lockName))
	r.unlock = unlock
	return err
}

func (r *Run) path(name string) string { return filepath.Join(r.dir, name) }

// data are the files that grow.
func (r *Run) data() []string {
	if r.manifest.Matrices == "" {
		return []string{ScoresName, journalName}
	}
	return []string{ScoresName, MatricesName, journalName}
}

// empty is an error if the directory holds anything. What a crash left of an earlier
// start is empty, and may be there.
func (r *Run) empty() error {
	names, err := r.disk.List(r.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		switch name {
		case lockName, newManifest:
			continue
		case ScoresName, MatricesName, journalName:
			n, err := r.size(name)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
		}
		return fmt.Errorf("it has the file %s but no %s: this is no run directory, and a new one must be empty", name, ManifestName)
	}
	return nil
}

// start makes the files of a new run.
func (r *Run) start() error {
	// Somebody else may have made the directory where we may not look.
	if err := r.disk.SyncDir(filepath.Dir(r.dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, name := range r.data() {
		f, err := r.disk.Open(r.path(name), toMake)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := r.disk.SyncDir(r.dir); err != nil {
		return err
	}
	return r.manifest.write(r.disk, r.dir, nil)
}

func (r *Run) size(name string) (int64, error) {
	f, err := r.disk.Open(r.path(name), toRead)
	if err != nil {
		return 0, err
	}
	n, err := f.Seek(0, io.SeekEnd)
	return n, errors.Join(err, f.Close())
}

// goOn opens the files, finds what is finished and cuts the rest. The end is that of
// run.json.
func (r *Run) goOn(e *End, kept func(rows []byte) error) (err error) {
	for _, f := range []struct {
		name string
		to   *file
	}{{ScoresName, &r.scores}, {MatricesName, &r.matrices}, {journalName, &r.journal}} {
		if f.name == MatricesName && r.manifest.Matrices == "" {
			continue
		}
		if *f.to, err = r.disk.Open(r.path(f.name), toWrite); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is missing", f.name)
			}
			return err
		}
	}
	good, err := r.check(kept)
	if err == nil {
		err = e.fits(r.end)
	}
	if err != nil {
		return err
	}
	if r.end == nil {
		if err := cut(r.journal, good); err != nil {
			return fmt.Errorf("%s: %w", journalName, err)
		}
	}
	// A process that was killed may have left all as it should be, but not synced; and
	// what is written next must not meet an old end behind it after a crash.
	if err := r.journal.Sync(); err != nil {
		return fmt.Errorf("%s: %w", journalName, err)
	}
	if err := r.disk.SyncDir(r.dir); err != nil {
		return err
	}
	if r.end != nil {
		if err := r.through(); err != nil || e != nil {
			return err
		}
		return r.manifest.write(r.disk, r.dir, &r.end.End)
	}
	if err := cut(r.scores, r.last.scores); err != nil {
		return fmt.Errorf("%s: %w", ScoresName, err)
	}
	if r.matrices == nil {
		return nil
	}
	return r.goOnMatrices()
}

// check reads journal and result lines side by side, and returns how many bytes
// of the journal are good.
func (r *Run) check(kept func(rows []byte) error) (good int64, err error) {
	j := newJournal(r.journal)
	rows := newRows(r.scores)
	for {
		line, err := j.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		if r.end = line.end; r.end != nil {
			break
		}
		text, err := rows.of(line.entry)
		if err != nil {
			return 0, err
		}
		if kept != nil {
			if err := kept(text); err != nil {
				return 0, err
			}
		}
		if r.found++; r.manifest.Matrices != "" && !line.block {
			r.left++
		}
		r.last = line.entry
	}
	if r.found > 0 {
		f, err := r.disk.Open(r.path(journalName), toRead)
		if err != nil {
			return 0, err
		}
		r.replay = &replay{file: f, journal: newJournal(f)}
	}
	r.done, r.cut = r.found, j.lost
	return j.good, nil
}

// through checks a run that needs nothing any more.
func (r *Run) through() error {
	for _, f := range []struct {
		name string
		file file
		size int64
	}{{ScoresName, r.scores, r.end.scores}, {MatricesName, r.matrices, r.end.matrices}} {
		if f.file == nil {
			continue
		}
		n, err := f.file.Seek(0, io.SeekEnd)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if n != f.size {
			return fmt.Errorf("%s has %d bytes, but the run wrote %d: it was changed", f.name, n, f.size)
		}
	}
	if r.matrices == nil {
		return nil
	}
	if err := r.readMatrices(); err != nil {
		return fmt.Errorf("%s: %w", MatricesName, err)
	}
	return nil
}

// readMatrices reads the matrices of a run that is through.
func (r *Run) readMatrices() error {
	if _, err := r.matrices.Seek(0, io.SeekStart); err != nil {
		return err
	}
	blocks, err := matrices.NewReader(r.matrices)
	if err != nil {
		return err
	}
	if stem := blocks.Stem(); stem != r.manifest.Matrices {
		return fmt.Errorf("it was made with %q, and not with %q", stem, r.manifest.Matrices)
	}
	n := 0
	for ; err == nil; n++ {
		_, err = blocks.Next()
	}
	n--
	switch whole := errors.Is(err, io.EOF); {
	case !whole && !(r.left > 0 && errors.Is(err, matrices.ErrTruncated)): // without an end, where it is not whole
		return err
	case n != r.found-r.left:
		return fmt.Errorf("it has %d blocks of the %d that were finished", n, r.found-r.left)
	}
	return nil
}

// goOnMatrices cuts the matrices to what is finished, and checks them.
func (r *Run) goOnMatrices() error {
	n, err := r.matrices.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("%s: %w", MatricesName, err)
	}
	if n < r.last.matrices {
		return fmt.Errorf("%s has %d bytes of the %d that were finished: its end is lost", MatricesName, n, r.last.matrices)
	}
	if err := cut(r.matrices, r.last.matrices); err != nil {
		return fmt.Errorf("%s: %w", MatricesName, err)
	}
	blocks := 0
	w, lost, err := matrices.Continue(r.matrices, r.manifest.Matrices, func(*matrices.Block) error { blocks++; return nil })
	if err == nil && (lost > 0 || blocks != r.found-r.left) {
		err = fmt.Errorf("it has %d whole blocks of the %d that were finished", blocks, r.found-r.left)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", MatricesName, err)
	}
	r.blocks = w
	return nil
}

// cut shortens a file that is longer than size, and goes to its end.
func cut(f file, size int64) error {
	n, err := f.Seek(0, io.SeekEnd)
	if err != nil || n <= size {
		return err
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err = f.Seek(size, io.SeekStart)
	return err
}

// Changes is how many changes were finished when the run was opened.
func (r *Run) Changes() int { return r.found }

// Cut counts lines of the journal that were good, but stood behind one that was not,
// when the run was opened: their changes are no longer finished.
func (r *Run) Cut() int { return r.cut }

// Kept counts the changes that are finished now.
func (r *Run) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// Finished tells whether the run was through when it was opened.
func (r *Run) Finished() bool { return r.end != nil }

// LeftOut counts the changes without a block in a run with matrices.
func (r *Run) LeftOut() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// Done tells whether the change at a place is finished. It is asked of each change of
// the dataset in turn; the error says where the dataset is another one than it was.
func (r *Run) Done(p Place) (bool, error) {
	if r.replay == nil {
		return false, r.longer(p.Line)
	}
	done, more, err := r.replay.at(p)
	if err != nil {
		return false, fmt.Errorf("the run directory %s: %w", r.dir, err)
	}
	if !more {
		err := r.replay.file.Close()
		if r.replay = nil; err != nil {
			return false, fmt.Errorf("the run directory %s: %w", r.dir, err)
		}
		if !done {
			return false, r.longer(p.Line)
		}
	}
	return done, nil
}

// longer is an error when the dataset of a finished run has more changes now.
func (r *Run) longer(line int) error {
	if r.end == nil {
		return nil
	}
	return fmt.Errorf("the run directory %s: the run is finished, but the dataset is not the one that it read: line %d is behind its last change", r.dir, line)
}

// Full tells whether an error is that of a full disk.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// full says of an error what a person can do about it.
func full(err error) error {
	if Full(err) {
		return fmt.Errorf("the disk is full: %w; what is finished is safe: make room and start the run again", err)
	}
	return err
}
