// Package answercache caches the answers of language models and of analyzers on disk. Nine
// reviews of one change cost one call, and a run that was killed does not repeat its calls.
// The package does not know the meaning of questions and answers, and imports no package of
// this module that does.
//
// The answers are in an SQLite database that several processes may use at once. A row has
// the key, the answer and a checksum of both; a damaged row is absent. A damaged database is
// renamed, and replaces the last damaged one. Above a limit of size the oldest answers are
// deleted first.
package answercache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/mattn/go-sqlite3"

	"crscore/internal/system"
)

// DefaultMaxBytes is the default limit of size: room for the answers to about 100,000 changes.
const DefaultMaxBytes = 256_000_000

// schema is the version of the table. A database with another version is left alone.
const schema = 1

// application marks the file as a database of this program: "CRSC".
const applicationID = 0x43525343

// wait is how long a process waits for another process that writes.
const wait = 5 * time.Second

// Options set up a cache. The zero value has the defaults.
type Options struct {
	// MaxBytes is the approximate limit of the database; 0 means DefaultMaxBytes. An answer
	// larger than a sixteenth of it is not kept.
	MaxBytes int64
	// Note gets messages for the user, from several goroutines. It may be nil.
	Note func(string)
}

// Answers is an open cache. It is safe for concurrent use.
type Answers struct {
	path string
	max  int64
	note func(string)

	mu   sync.RWMutex // held for writing while db is replaced
	db   *sql.DB
	file os.FileInfo // the file of db
}

// Path returns the path of the user's cache: crscore/answers.db in the user's cache folder.
func Path() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for a cache: %w", err)
	}
	return filepath.Join(dir, "crscore", "answers.db"), nil
}

// Open opens the cache in the file path, and creates a missing file. It renames a damaged
// file, or a file that is no database. An error means that no cache is possible there.
func Open(ctx context.Context, path string, o Options) (*Answers, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("the cache: %w", err)
	}
	a := &Answers{path: path, max: o.MaxBytes, note: o.Note}
	// The answers are about the user's code, so the folder is private.
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the cache: %w", err)
	}
	unlock, err := a.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

// lock keeps other processes from opening or renaming the database meanwhile: a file must
// not be renamed between the opening of it and of its log.
func (a *Answers) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	// What is no file, such as a pipe, would let this process wait without an end.
	for _, suffix := range [...]string{"", ".lock", "-wal", "-shm", "-journal"} {
		if err := system.CheckRegular(a.path + suffix); err != nil {
			return nil, fmt.Errorf("the cache: %w", err)
		}
	}
	l := flock.New(a.path + ".lock")
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("the cache: locking: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// open opens the database, after renaming a damaged one. The lock is held.
func (a *Answers) open(ctx context.Context) error {
	err := a.connect(ctx)
	if damaged(err) {
		if err = a.setAside(err); err == nil {
			err = a.connect(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("the cache %s: %w", a.path, err)
	}
	return nil
}

func (a *Answers) connect(ctx context.Context) error {
	// SQLite creates its other files with the permissions of this file.
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if a.file, err = os.Stat(a.path); err != nil {
		return err
	}
	params := url.Values{
		"_busy_timeout": {fmt.Sprint(wait.Milliseconds())}, "_txlock": {"immediate"}, "_synchronous": {"NORMAL"},
	}
	path := filepath.ToSlash(a.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // before a drive
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: params.Encode()}
	db := sql.OpenDB(connector(name.String()))
	db.SetMaxOpenConns(1) // calls take microseconds; one connection never waits for the locks of another
	if err := a.prepare(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	a.db = db
	return nil
}

// connector opens connections to a database.
type connector string

// Driver implements driver.Connector.
func (connector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		// SQLite deletes the log by name when the last connection is closed. After this
		// database was renamed, that would be the log of the new database.
		return c.SetFileControlInt("main", sqlite3.SQLITE_FCNTL_PERSIST_WAL, 1)
	}}
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(string(c)) }

// prepare creates the table of a new database, and checks that an existing database is
// a cache of this version.
func (a *Answers) prepare(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var application, version, tables int
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)").
		Scan(&application, &version, &tables); err != nil {
		return err
	}
	end := tx.Commit
	switch {
	case tables == 0:
		for _, q := range []string{
			fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", schema),
			"CREATE TABLE answers (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, sum BLOB NOT NULL, made INTEGER NOT NULL)",
		} {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return err
			}
		}
	case application != applicationID || version != schema:
		return errForeign
	default: // check that it can be written
		end = tx.Rollback
		var e sqlite3.Error
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schema)); errors.As(err, &e) && e.Code == sqlite3.ErrReadonly {
			a.note(fmt.Sprintf("the cache %s cannot be written: what is there is used, and nothing is added", a.path))
			return nil
		} else if err != nil {
			return err
		}
	}
	if err := end(); err != nil {
		return err
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("SQLite cannot share it (journal mode %s)", mode)
	}
	_, err = db.ExecContext(ctx, "PRAGMA journal_size_limit = 4194304")
	return err
}

var errForeign = errors.New("it was made by another version of crscore, or by another program")

// damaged reports whether an error means that the file is damaged or no database.
func damaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB || e.ExtendedCode == sqlite3.ErrIoErrShortRead)
}

// Aside returns the path to which a damaged database at path is renamed.
func Aside(path string) string { return path + ".damaged" }

// setAside renames the database. The lock is held.
func (a *Answers) setAside(why error) error {
	to := Aside(a.path)
	for _, suffix := range [...]string{"-wal", "-shm", ""} {
		err := os.Rename(a.path+suffix, to+suffix)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(to + suffix) // of an older damaged database
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			// Windows renames no file that another process uses.
			return fmt.Errorf("it is damaged, and it cannot be set aside: %w", err)
		}
	}
	a.note(fmt.Sprintf("the cache %s is damaged (%v): it was set aside as %s, and a new one begins", a.path, why, filepath.Base(to)))
	return nil
}

// Close closes the cache.
func (a *Answers) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.db.Close()
}

// do runs f on the database. If the database is damaged, or its file is gone, do replaces it
// and runs f once more.
func (a *Answers) do(ctx context.Context, what string, f func(*sql.DB) error) error {
	a.mu.RLock()
	db, err := a.db, error(nil)
	there := a.there()
	if there {
		err = f(db)
	}
	a.mu.RUnlock()
	if !there || damaged(err) {
		if err = a.replace(ctx, db, err); err == nil {
			a.mu.RLock()
			defer a.mu.RUnlock()
			err = f(a.db)
		}
	}
	if err != nil {
		return fmt.Errorf("the cache: %s: %w", what, err)
	}
	return nil
}

// there reports whether the open database is the file that other processes find.
func (a *Answers) there() bool {
	// It does not open the file: closing it would release the locks of this process.
	now, err := os.Stat(a.path)
	return err == nil && os.SameFile(now, a.file)
}

// replace renames a damaged database and opens a new one, unless this process or another has
// done so meanwhile.
func (a *Answers) replace(ctx context.Context, bad *sql.DB, why error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.db != bad {
		return nil
	}
	unlock, err := a.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_ = bad.Close() // it is known to be damaged
	if a.there() {
		if err := a.setAside(why); err != nil {
			return err
		}
	}
	return a.open(ctx)
}

// name is the key as the database stores it.
func name(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// checksum covers the key, too, so that a row cannot answer for another key.
func checksum(name, value []byte) []byte {
	h := sha256.New()
	h.Write(name)
	h.Write(value)
	return h.Sum(nil)
}

// Get returns the value of a key.
func (a *Answers) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	k := name(key)
	err = a.do(ctx, "reading", func(db *sql.DB) error {
		var sum []byte
		err := db.QueryRowContext(ctx, "SELECT value, sum FROM answers WHERE key = ?", k).Scan(&value, &sum)
		ok = err == nil && bytes.Equal(sum, checksum(k, value))
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	if !ok {
		value = nil
	}
	return value, ok, err
}

// Put stores the value of a key, and replaces an older value.
func (a *Answers) Put(ctx context.Context, key string, value []byte) error {
	if int64(len(value)) > a.max/16 {
		return fmt.Errorf("the cache: an answer of %d bytes is larger than the limit of %d", len(value), a.max/16)
	}
	k := name(key)
	if value == nil {
		value = []byte{} // which is not NULL
	}
	return a.do(ctx, "writing", func(db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		if err := a.makeRoom(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO answers (key, value, sum, made) VALUES (?, ?, ?, ?)",
			k, value, checksum(k, value), time.Now().Unix()); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// makeRoom deletes the oldest answers, a sixteenth at a time, while too much of the database
// is in use. The file does not shrink, but later answers use the room.
func (a *Answers) makeRoom(ctx context.Context, tx *sql.Tx) error {
	for {
		var used int64
		if err := tx.QueryRowContext(ctx, usedBytes).Scan(&used); err != nil {
			return err
		}
		if used <= a.max/16*15 {
			return nil
		}
		r, err := tx.ExecContext(ctx, "DELETE FROM answers WHERE id IN (SELECT id FROM answers ORDER BY id LIMIT (SELECT 1 + count(*)/16 FROM answers))")
		if err != nil {
			return err
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			return err
		}
	}
}

const usedBytes = "SELECT (p.page_count - f.freelist_count) * s.page_size FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s"

// Info describes a cache.
type Info struct {
	// Path is the file, Answers the number of answers; the times are those of the oldest
	// and the newest answer.
	Path    string    `json:"path"`
	Answers int64     `json:"answers"`
	Bytes   int64     `json:"bytes"` // of all its files on disk
	Max     int64     `json:"max_bytes"`
	Oldest  time.Time `json:"oldest,omitzero"`
	Newest  time.Time `json:"newest,omitzero"`
	// SetAside is the path of a damaged database that was renamed.
	SetAside string `json:"set_aside,omitempty"`
}

// Info returns the number, the age and the size of the answers.
func (a *Answers) Info(ctx context.Context) (Info, error) {
	info := Info{Path: a.path, Max: a.max}
	err := a.do(ctx, "reading", func(db *sql.DB) error {
		var oldest, newest sql.NullInt64
		if err := db.QueryRowContext(ctx, "SELECT count(*), min(made), max(made) FROM answers").Scan(&info.Answers, &oldest, &newest); err != nil {
			return err
		}
		if oldest.Valid {
			info.Oldest, info.Newest = time.Unix(oldest.Int64, 0).UTC(), time.Unix(newest.Int64, 0).UTC()
		}
		return nil
	})
	info.Bytes, info.SetAside = Files(a.path)
	return info, err
}

// Files returns the bytes on disk of the cache at path, with those of a renamed damaged
// database, and the path of the latter.
func Files(path string) (total int64, aside string) {
	for _, base := range [...]string{path, Aside(path)} {
		for _, suffix := range [...]string{"", "-wal", "-shm"} {
			if st, err := os.Stat(base + suffix); err == nil {
				total += st.Size()
				if base != path && suffix == "" {
					aside = base
				}
			}
		}
	}
	return total, aside
}

// Clear deletes all answers and a renamed damaged database, and returns what it deleted.
func Clear(ctx context.Context, path string) (gone Info, err error) {
	gone.Path = path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		_, gone.SetAside = Files(path)
		return gone, remove(Aside(path)) // there is nothing to clear, and no file is created
	}
	a, err := Open(ctx, path, Options{})
	if errors.Is(err, errForeign) {
		gone.Bytes, gone.SetAside = Files(path)
		return gone, errors.Join(remove(path), remove(Aside(path)))
	}
	if err != nil {
		return gone, err
	}
	gone, err = a.Info(ctx)
	if err == nil {
		err = a.do(ctx, "clearing", func(db *sql.DB) error {
			for _, q := range []string{"DELETE FROM answers", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
				if _, err := db.ExecContext(ctx, q); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = errors.Join(err, a.Close(), remove(Aside(path)))
	left, _ := Files(path)
	gone.Bytes -= left
	return gone, err
}

// remove deletes a database with its other files.
func remove(base string) error {
	for _, suffix := range [...]string{"-wal", "-shm", ""} {
		if err := os.Remove(base + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the cache: %w", err)
		}
	}
	return nil
}
