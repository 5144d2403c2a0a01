// Package config reads the two files that set what the flags leave open: the
// user's own, and the .crscore.yaml that lies in the work tree.
//
// The second comes with the change under review and is not trusted: it may set
// thresholds of smells and nothing else, no program, model, host, path or rule. A
// setting that is not understood is an error with its place, never passed over.
// What a setting does is the business of those who are handed it; the names of
// rules and tools are handed in.
package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// ProjectFile is the name of the file in a work tree.
	ProjectFile = ".crscore.yaml"
	// Env is the environment variable that names the user's file.
	Env = "CRSCORE_CONFIG"
	// MaxBytes is the largest file that is read.
	MaxBytes = 1 << 20
)

// Config is what the files say. The zero value says nothing.
type Config struct {
	// Files are those that were found, the strongest first.
	Files []File
	// Claims and Smells are lists of sources as the flags of these names take
	// them; empty where no file has one.
	Claims, Smells Text
	// Thresholds are those of smells, and Rules which of them are on, by ID.
	Thresholds map[string]int
	Rules      map[string]bool
	Tools      Tools
}

// Tools say where external analyzers are and how long they may take.
type Tools struct {
	// Paths are programs by the name of the tool. All paths are absolute.
	Paths       map[string]Text
	NodeModules []Text
	Timeout     time.Duration // 0 where no file has one
}

// File is a file that was found.
type File struct {
	Path string
	// Project tells that it is the work tree's and not the user's.
	Project bool
}

// Text is a text with its place, for those who find a fault with it.
type Text struct {
	Value string
	Place Place
}

// Place is where something stands in a file, counted from 1.
type Place struct {
	Path         string
	Line, Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Column) }

// Names are those that a file may use.
type Names struct {
	// Rules are all rules of smells, Thresholds those that have one.
	Rules, Thresholds []string
	Tools             []string
}

// Options say which files are read.
type Options struct {
	// File is the user's, which must be there. Empty means $CRSCORE_CONFIG, which
	// must be there too, else crscore/config.yaml in the user's configuration
	// folder, if there is one.
	File string
	// Project tells to look for the work tree's.
	Project bool
	Names   Names
}

// Load reads the files. What the user's says counts before what the work tree's
// says: whoever runs the command has the last word.
func Load(opts Options) (Config, error) {
	var c Config
	path, err := userFile(opts.File)
	if err != nil {
		return Config{}, err
	}
	if path != "" {
		if err := c.read(File{Path: path}, opts.Names); err != nil {
			return Config{}, err
		}
	}
	if !opts.Project {
		return c, nil
	}
	if path, err = projectFile(); err != nil || path == "" {
		return c, err
	}
	var p Config
	if err := p.read(File{path, true}, opts.Names); err != nil {
		return Config{}, err
	}
	c.Files = append(c.Files, p.Files...)
	maps.Copy(p.Thresholds, c.Thresholds)
	c.Thresholds = p.Thresholds
	return c, nil
}

func (c *Config) read(f File, names Names) error {
	text, err := readFile(f)
	if err != nil {
		return err
	}
	c.Files = append(c.Files, f)
	c.Thresholds, c.Rules, c.Tools.Paths = map[string]int{}, map[string]bool{}, map[string]Text{}
	return c.parse(f, text, names)
}

func readFile(f File) ([]byte, error) {
	flags := os.O_RDONLY
	if f.Project {
		// A link could lead to a secret, of which an error would show a part, and a
		// pipe would be waited for.
		flags |= syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	}
	file, err := os.OpenFile(f.Path, flags, 0)
	if f.Project && errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link, which is not followed; put the text itself there", f.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	defer file.Close()
	if st, err := file.Stat(); err == nil && (st.IsDir() || f.Project && !st.Mode().IsRegular()) {
		return nil, fmt.Errorf("the configuration %s is not a file", f.Path)
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("the configuration %s is larger than the limit of %d MiB", f.Path, MaxBytes>>20)
	}
	return text, nil
}

// userFile finds the user's file, "" if there is none. One that is named must be
// there.
func userFile(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if named = os.Getenv(Env); named != "" {
		return named, nil
	}
	path, err := UserFile()
	if err != nil {
		return "", nil // without a home there are no settings at home
	}
	return existing(path)
}

// UserFile is where the user's file lies unless it is named.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for a configuration: %w", err)
	}
	return filepath.Join(dir, "crscore", "config.yaml"), nil
}

// projectFile finds the work tree's file: in the root of the git work tree around
// the current directory, so that the same change has the same numbers from every
// folder of it; outside of one in the current directory alone, since those above
// may be anyone's.
func projectFile() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", nil // it was deleted
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
			return existing(filepath.Join(root, ProjectFile))
		}
		if root == filepath.Dir(root) {
			return existing(filepath.Join(dir, ProjectFile))
		}
	}
}

// existing returns path, or "" where there is none. A folder that may not be
// entered, such as another user's home, counts as without.
func existing(path string) (string, error) {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return path, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	default:
		return "", fmt.Errorf("the configuration: %w", err)
	}
}
