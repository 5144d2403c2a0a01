// Package config reads the two files that set what the flags leave open: the user's
// own, and the .crscore.yaml of the project.
//
// The second file comes with a change and is not trusted. It may set
// rules of claims, and rules, thresholds and ignored paths of smells, and nothing else:
// no program, model, host or path of the machine. A setting that is not understood is an error with its
// place. The callers apply the settings; they hand in the names of rules and tools.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"crscore/internal/limits"
	"crscore/internal/system"
)

const (
	// ProjectFile is the name of the project's file, in the root of the work tree.
	ProjectFile = ".crscore.yaml"
	// Env is the environment variable that names the user's file.
	Env = "CRSCORE_CONFIG"
)

// Config is the content of the files. The zero value has no settings.
type Config struct {
	// Files are the files that were found, the strongest first.
	Files []File
	// Claims and Smells are lists of sources, as the flags with these names take them.
	// They are empty if no file sets them.
	Claims, Smells Text
	// Thresholds are the thresholds of smells by the ID of the rule.
	Thresholds map[string]int
	// Rules tells which rules of smells are on, and ClaimRules which rules of claims,
	// both by ID.
	Rules, ClaimRules map[string]bool
	// Ignore silences findings by their path. It has an effect in smells check only,
	// not on scores.
	Ignore []Ignore
	Tools  Tools
}

// Tools say where external analyzers are and how long they may take.
type Tools struct {
	// Paths are programs by the name of the tool. All paths are absolute.
	Paths       map[string]Text
	NodeModules []Text
	Timeout     time.Duration // 0 if no file sets it
}

// File is a file that was found.
type File struct {
	// Path is the path of the file, or COMMIT:PATH for a file of a commit.
	Path string
	// Project says that the file belongs to the project, not to the user.
	Project bool
	// InTree says that the file lies in the work tree and that somebody named it, or looked
	// for it there. A change under review may have written it.
	InTree bool
}

// Source is a project's file with its text.
type Source struct {
	File
	// Text is the content of the file.
	Text []byte
}

// Text is a text with its place, for errors of the callers.
type Text struct {
	// Value is the text, Place its place in the file.
	Value string
	Place Place
}

// Place is a place in a file.
type Place struct {
	// Path is the file. Line and Column are counted from 1.
	Path         string
	Line, Column int
}

// String returns the place as path:line:column.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Column) }

// Names are the names that a file may use.
type Names struct {
	// Rules are all rules of smells, Thresholds the rules with a threshold.
	Rules, Thresholds []string
	// ClaimRules are all rules of claims.
	ClaimRules []string
	Tools      []string
}

// Options say which files to read.
type Options struct {
	// File is the user's file, which must exist. Empty means the file in $CRSCORE_CONFIG,
	// which must exist, too, or else crscore/config.yaml in the user's configuration
	// folder, if it exists. A file with the name ProjectFile stands for the project's file:
	// it may set no more than that, and Project is not asked.
	File string
	// Project gives the project's file, nil if there is none. A nil Project reads none.
	Project func() (*Source, error)
	Names   Names
}

// Load reads the files. The user's settings take precedence over the project's: whoever
// runs the command has the last word.
func Load(opts Options) (Config, error) {
	var c Config
	path, named, err := userFile(opts.File)
	if err != nil {
		return Config{}, err
	}
	if path != "" {
		f := File{Path: path, Project: filepath.Base(path) == ProjectFile, InTree: named && inTree(path)}
		text, err := readFile(f)
		if err != nil {
			return Config{}, err
		}
		if err := c.take(Source{f, text}, opts.Names); err != nil || f.Project {
			return c, err
		}
	}
	if opts.Project == nil {
		return c, nil
	}
	project, err := opts.Project()
	if err != nil {
		return Config{}, err
	}
	if project == nil {
		return c, nil
	}
	var p Config
	if err := p.take(*project, opts.Names); err != nil {
		return Config{}, err
	}
	c.Files = append(c.Files, p.Files...)
	maps.Copy(p.Thresholds, c.Thresholds)
	c.Thresholds = p.Thresholds
	c.Rules, c.ClaimRules = stronger(c.Rules, p.Rules), stronger(c.ClaimRules, p.ClaimRules)
	c.Ignore = append(c.Ignore, p.Ignore...)
	return c, nil
}

// stronger returns the rules that the user's file and the project's file set together.
func stronger(user, project map[string]bool) map[string]bool {
	if _, all := user[allRules]; all {
		return user // it decides every rule
	}
	maps.Copy(project, user)
	return project
}

func (c *Config) take(s Source, names Names) error {
	c.Files = append(c.Files, s.File)
	c.makeMaps()
	return c.parse(s.File, s.Text, names)
}

// makeMaps makes the maps that parse fills.
func (c *Config) makeMaps() {
	c.Thresholds, c.Tools.Paths = map[string]int{}, map[string]Text{}
	c.Rules, c.ClaimRules = map[string]bool{}, map[string]bool{}
}

func readFile(f File) ([]byte, error) {
	open := os.Open
	if f.Project {
		// A link could lead to a secret, of which an error would show a part. Reading a
		// pipe could wait forever.
		open = system.OpenRegular
	}
	file, err := open(f.Path)
	switch {
	case errors.Is(err, system.ErrLink):
		return nil, fmt.Errorf("%s is a link, which is not followed; replace the link by the file", f.Path)
	case errors.Is(err, system.ErrNotRegular):
		return nil, fmt.Errorf("the configuration %s is not a file", f.Path)
	case err != nil:
		return nil, fmt.Errorf("opening the configuration: %w", err)
	}
	defer file.Close()
	if st, err := file.Stat(); err == nil && st.IsDir() {
		return nil, fmt.Errorf("the configuration %s is not a file", f.Path)
	}
	text, err := io.ReadAll(io.LimitReader(file, limits.ConfigBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(text) > limits.ConfigBytes {
		return nil, fmt.Errorf("the configuration %s is larger than the limit of %d MiB", f.Path, limits.ConfigBytes>>20)
	}
	return text, nil
}

// userFile finds the user's file, "" if there is none, and whether somebody named it. A
// file that is named must exist.
func userFile(file string) (path string, named bool, err error) {
	if path = cmp.Or(file, os.Getenv(Env)); path != "" {
		return path, true, nil
	}
	if path, err = UserFile(); err != nil {
		return "", false, nil // without a home there are no settings at home
	}
	path, err = existing(path)
	return path, false, err
}

// inTree reports whether a path leads into Root.
func inTree(path string) bool {
	root, err := Root()
	if err != nil {
		return false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// UserFile returns the path of the user's file if none is named.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the configuration folder: %w", err)
	}
	return filepath.Join(dir, "crscore", "config.yaml"), nil
}

// InWorkTree reads the project's file in Root, nil if there is none, so that a project has
// the same settings from every folder. Outside of git it is in the current directory alone,
// because the folders above may be anyone's. The result has the place of the file beside an
// error of reading it, too.
func InWorkTree() (*Source, error) {
	root, err := Root()
	if err != nil {
		return nil, nil // the current directory was deleted
	}
	path, err := existing(filepath.Join(root, ProjectFile))
	if err != nil || path == "" {
		return nil, err
	}
	s := &Source{File: File{Path: path, Project: true, InTree: true}}
	s.Text, err = readFile(s.File)
	return s, err
}

// Root is the folder of the project's file: the root of the git work tree around the
// current directory, or the current directory outside of git.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for the work tree: %w", err)
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
			return root, nil
		}
		if root == filepath.Dir(root) {
			return dir, nil
		}
	}
}

// existing returns path if it exists, else "". A path in a folder that may not be entered,
// such as another user's home, is treated as missing.
func existing(path string) (string, error) {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return path, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	default:
		return "", fmt.Errorf("finding the configuration: %w", err)
	}
}

// OfTree are warnings about settings that the change itself may have made.
func (c Config) OfTree() (warnings []string) {
	for _, f := range c.Files {
		if f.InTree {
			warnings = append(warnings, fmt.Sprintf("the settings of %s shaped this result; it lies in the work tree, so the change may have written it", f.Path))
		}
	}
	return warnings
}
