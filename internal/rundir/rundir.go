// Package rundir keeps the results of a run over a dataset in a directory. The run can be
// stopped at any moment, by a crash of the machine too, and the next start resumes it. The
// package handles result lines as bytes, blocks of matrices, and places in a dataset. It
// knows nothing of the content of a line or of engines.
//
// # The directory
//
//	run.json      the [Manifest], written at the start, and again at the end with the
//	              checksum of the dataset
//	scores.jsonl  the result lines of all changes, in the order of the dataset
//	matrices.crsm similarity matrices (see the package matrices), if asked for
//	journal       a line for each finished change, and a line for the end
//	lock          locked (flock) by the process that uses the directory; the kernel
//	              releases it when the process ends
//
// A line of the journal is text, with single spaces between the columns:
//
//	line      number of the change's line in the dataset, counted from 1
//	text      SHA-256 of the dataset's text up to the end of that line, first 16 digits
//	scores    size of scores.jsonl after the change's result lines
//	matrices  size of matrices.crsm after its block; "-" without a block
//	rows      CRC-32C of its result lines
//	sum       CRC-32C of the columns before it, with the spaces between them
//
// The last line of a finished run is:
//
//	"end", lines of the dataset, malformed lines, text (all 64 digits), scores, matrices, sum
//
// # The order of writes
//
// A change is finished when its line of the journal is on the disk. crscore writes the
// block of a change, then its result lines. A commit is: fsync of matrices and scores;
// writing the journal's lines of all changes since the last commit, at most limits.JournalBatch;
// fsync of the journal. So every line of the journal describes bytes that are safe.
//
// The next start cuts all files after the last good line of the journal, since the rest was
// never finished. It does so before its first write: a run that is refused, for its dataset
// too, leaves the directory as it was. A new run makes the files and syncs the directory
// before run.json gets its name; a directory without run.json is empty. At the end crscore
// writes run.json again after the end of the journal is safe; if a crash comes between the
// two, the next start does it.
//
// Nothing depends on the moments of commits: a run that was stopped many times ends with
// the same files as a run without a stop.
//
// # When a run can be resumed
//
// The signature and the options in run.json must be the same. The dataset is identified by
// the checksum of its text, packed or not, from a file or a pipe: crscore reads every
// finished line again and compares it with the journal. Later lines may change: the results
// belong to the text whose checksum is at the end of the journal and in run.json.
package rundir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"crscore/internal/journal"
	"crscore/internal/matrices"
	"crscore/internal/system"
)

// Names of the files of a run.
const (
	ManifestName = "run.json"      // the Manifest
	ScoresName   = "scores.jsonl"  // the result lines
	MatricesName = "matrices.crsm" // similarity matrices

	journalName = "journal"
	lockName    = "lock"
	newManifest = ManifestName + ".new"
)

// Place is the place of a change in the dataset.
type Place struct {
	Line int // counted from 1
	// Text is the SHA-256 of the text up to the end of the line, in hexadecimal.
	Text string
}

// End describes a dataset that was read to its end.
type End struct {
	Text      string `json:"sha256"`    // SHA-256 of the text, in hexadecimal
	Lines     int    `json:"lines"`     // of the dataset
	Malformed int    `json:"malformed"` // lines that are no records; in a shard only its own
}

// Change is a change of the dataset with its results.
type Change struct {
	Place
	// Rows are its result lines, each with a line end.
	Rows []byte
	// Block holds its matrices. It is nil in a run without matrices, and for a change
	// without any.
	Block *matrices.Block
}

// Run is an open run directory. One goroutine, which reads the dataset, may call Done while
// another goroutine calls the other methods.
type Run struct {
	dir      string
	disk     disk
	manifest Manifest
	unlock   func() error
	made     bool // this process made the directory
	locks    bool // this process made the lock file

	runFiles
	blocks      *matrices.Writer // nil without matrices, and before the first write
	replay      *replay          // the finished changes of earlier starts
	good        int64            // valid bytes of the journal
	settled     bool             // the files have been cut to what is finished
	untold      bool             // run.json is not that of the finished run
	found, torn int              // finished changes at the start, and those that were cut off
	end         *end             // of a finished run

	mu      sync.Mutex // for commits by the clock
	last    entry      // of the last change, whether committed or not
	left    int        // changes without a block, in a run with matrices
	pending []byte     // lines of the journal that are not written yet
	batch   int        // their number
	timer   *time.Timer
	synced  time.Time     // the end of the last commit: the first comes at once
	cost    time.Duration // of the last commit
	done    int           // changes that are finished
	err     error         // final
	told    bool          // err was returned to the caller
}

// Open starts a run in a new directory, or resumes a run with the same manifest. It calls
// kept with the result lines of each finished change, in order. Only one process can have a
// directory open.
func Open(dir string, m Manifest, kept func(rows []byte) error) (*Run, error) {
	dir = filepath.Clean(dir)
	r, err := open(osDisk{}, dir, m, kept)
	if err != nil {
		return nil, (&Run{dir: dir}).named(err)
	}
	return r, nil
}

func (r *Run) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the run directory %s: %w", r.dir, full(err))
}

func open(d disk, dir string, m Manifest, kept func(rows []byte) error) (_ *Run, err error) {
	r := &Run{dir: dir, disk: d, manifest: m}
	if err := r.make(); err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			return
		}
		if r.locks && !r.made {
			err = errors.Join(err, r.removeLock())
		}
		err = errors.Join(err, r.close())
	}()
	end, fresh, err := r.look()
	if err == nil && fresh {
		err = r.start()
	}
	if err != nil {
		return nil, err
	}
	if err := r.resume(end, kept); err != nil {
		return nil, cured(err)
	}
	return r, nil
}

// look returns the end in run.json, or reports that a new run can start here.
func (r *Run) look() (e *End, fresh bool, err error) {
	was, e, err := readManifest(r.disk, r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, r.empty()
	}
	if err != nil {
		return nil, false, err
	}
	return e, false, was.mismatch(r.manifest)
}

// make makes the directory if needed, and locks it. A directory that is refused stays as it
// is, without a lock file.
func (r *Run) make() error {
	err := r.disk.Mkdir(r.dir)
	if r.made = err == nil; errors.Is(err, fs.ErrExist) {
		if err = r.disk.IsDir(r.dir); err == nil {
			_, _, err = r.look()
		}
	}
	if err != nil {
		return err
	}
	names, err := r.disk.List(r.dir)
	if err != nil {
		return err
	}
	unlock, err := r.disk.Lock(r.path(lockName))
	r.unlock, r.locks = unlock, err == nil && !slices.Contains(names, lockName)
	return err
}

func (r *Run) path(name string) string { return filepath.Join(r.dir, name) }

// empty returns an error if the directory holds anything but the empty files of a start
// that crashed.
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
			f, err := openFile(r.disk, r.dir, name, toRead)
			if err != nil {
				return err
			}
			n, err := f.Size()
			if err := errors.Join(err, f.Close()); err != nil {
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
	// Syncing the parent directory may not be permitted.
	if err := r.disk.SyncDir(filepath.Dir(r.dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, name := range r.manifest.names() {
		f, err := openFile(r.disk, r.dir, name, toMake)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return err
		}
	}
	if err := r.disk.SyncDir(r.dir); err != nil {
		return err
	}
	return r.manifest.write(r.disk, r.dir, nil)
}

// resume opens the files and finds what is finished. e is the end in run.json.
func (r *Run) resume(e *End, kept func(rows []byte) error) error {
	if err := r.open(r.disk, r.dir, r.manifest, toWrite); err != nil {
		return err
	}
	in := r.read(r.manifest)
	if err := r.check(in, kept); err != nil {
		return err
	}
	if err := e.fits(r.end); err != nil {
		return err
	}
	if r.end != nil {
		if err := r.checkEnd(in); err != nil {
			return err
		}
	}
	// A killed process may have written everything, but not synced it.
	if err := r.journal.Sync(); err != nil {
		return err
	}
	return r.disk.SyncDir(r.dir)
}

// settle cuts unfinished results off the files, before the first write.
func (r *Run) settle() (err error) {
	if r.settled {
		return nil
	}
	r.settled = true
	if err := r.cut(); err != nil || r.matrices == nil {
		return err
	}
	if r.last.matrices == 0 {
		r.blocks, err = matrices.NewWriter(r.matrices, r.manifest.Matrices)
	} else {
		r.blocks = matrices.Continue(r.matrices, r.found-r.left)
	}
	return err
}

// cut cuts the files to what is finished.
func (r *Run) cut() error {
	if err := r.journal.Cut(r.good); err != nil {
		return err
	}
	// After a crash, old bytes must not follow new lines.
	if err := r.journal.Sync(); err != nil {
		return err
	}
	if err := r.scores.Cut(r.last.scores); err != nil || r.matrices == nil {
		return err
	}
	return r.matrices.Cut(r.last.matrices)
}

// check reads what is finished.
func (r *Run) check(in *reading, kept func(rows []byte) error) error {
	for r.end == nil {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if r.end = line.end; r.end != nil {
			break
		}
		c, err := in.of(line.entry)
		if err == nil && kept != nil {
			err = kept(c.Rows)
		}
		if err != nil {
			return err
		}
		if r.found++; r.matrices != nil && !line.block {
			r.left++
		}
		r.last = line.entry
	}
	if r.found > 0 {
		r.replay = &replay{log: newLog(r.journal.Section(in.good))}
	}
	r.done, r.torn, r.good = r.found, in.lost, in.good
	return nil
}

// checkEnd checks that nothing follows the last change of a finished run.
func (r *Run) checkEnd(in *reading) (err error) {
	sizes := map[*journal.File]int64{r.scores: r.end.scores, r.matrices: r.end.matrices}
	for f, size := range sizes {
		if f == nil {
			continue
		}
		if n, err := f.Size(); err != nil {
			return err
		} else if n != size {
			return fmt.Errorf("%s has %d bytes, but the run wrote %d: it was changed", f.Name, n, size)
		}
	}
	if r.matrices != nil && r.left == 0 { // a file that lacks blocks has no end mark
		if _, err := in.block(r.end.matrices); !errors.Is(err, io.EOF) {
			return cmp.Or(err, fmt.Errorf("%s has more blocks than %s", MatricesName, journalName))
		}
	}
	r.untold, err = r.tellsNot()
	return err
}

// tellsNot reports whether run.json has not the text that a finished run gives it: the end
// may be missing, or somebody may have written the same in another form.
func (r *Run) tellsNot() (bool, error) {
	want, err := r.manifest.text(&r.end.End)
	if err != nil {
		return false, err
	}
	text, err := readText(r.disk, r.dir)
	return !bytes.Equal(text, want), err
}

// Changes returns how many changes were finished when the run was opened.
func (r *Run) Changes() int { return r.found }

// Cut returns how many good lines of the journal followed a damaged line when the run was
// opened. Their changes are scored again.
func (r *Run) Cut() int { return r.torn }

// Kept returns how many changes are finished now.
func (r *Run) Kept() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// Finished reports whether the run was finished when it was opened.
func (r *Run) Finished() bool { return r.end != nil }

// LeftOut returns how many changes lack a block in a run with matrices.
func (r *Run) LeftOut() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// Done reports whether the change at a place is finished. The caller asks for each change of
// the dataset in order. The error names the first line that differs from the earlier
// dataset.
func (r *Run) Done(p Place) (bool, error) {
	if r.replay == nil {
		return false, r.named(r.longer(p.Line))
	}
	done, more, err := r.replay.at(p)
	if err == nil && !more {
		r.replay, err = nil, r.longer(p.Line)
	}
	return done, r.named(err)
}

// longer returns an error if the dataset of a finished run has grown.
func (r *Run) longer(line int) error {
	if r.end == nil {
		return nil
	}
	return fmt.Errorf("the run is finished, but the dataset is not the one that it read: line %d is behind its last change", line)
}

// cure is what one can do about a damaged file.
const cure = "restore it, or start anew in another directory"

// cured adds the cure to an error that has none and is not the system's.
func cured(err error) error {
	if errors.As(err, new(*fs.PathError)) || errors.As(err, new(syscall.Errno)) || strings.HasSuffix(err.Error(), "another directory") {
		return err
	}
	return fmt.Errorf("%w: %s", err, cure)
}

// full adds the cure to the error of a full disk.
func full(err error) error {
	if system.Full(err) {
		return fmt.Errorf("the disk is full: %w; what is finished is safe: make room and start the run again", err)
	}
	return err
}
