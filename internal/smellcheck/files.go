package smellcheck

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
	"crscore/smells"
)

// Reader reads a file, or standard input for "-".
type Reader func(name string) ([]byte, error)

// File is a file to be parsed, or a path that could not be read.
type File struct {
	path string
	lang lang.Name // empty: told by the path
	err  error
}

// Files lists, by name, the files that are named and the files in folders whose
// extension tells a language that is parsed. l is the language of the files that are
// named, empty if their paths tell it.
func Files(paths []string, l lang.Name) ([]File, error) {
	known := func(p string) bool { return slices.Contains(smells.Languages(), lang.FromPath(p)) }
	var out []File
	for _, p := range paths {
		if p != "-" {
			info, err := os.Stat(p)
			if err != nil {
				return nil, err
			}
			if info.IsDir() {
				out = append(out, filesIn(p, known)...)
				continue
			}
		}
		if !known(p) && l == lang.Unknown {
			return nil, fmt.Errorf("%s: the language is unknown or not one of %s; name it with --lang", stdio.Name(p), lang.Join(smells.Languages()))
		}
		out = append(out, File{path: p, lang: l})
	}
	// A file that is named twice is read once; its language was given with its name.
	slices.SortStableFunc(out, func(a, b File) int { return cmp.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b File) bool { return a.path == b.path }), nil
}

// filesIn lists the files in a folder, which may be a link to a folder. Hidden
// files and folders, node_modules and links are left out.
func filesIn(root string, known func(string) bool) (out []File) {
	_ = fs.WalkDir(os.DirFS(root), ".", func(f string, d fs.DirEntry, err error) error {
		path := filepath.Join(root, filepath.FromSlash(f))
		switch hidden := f != "." && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			out = append(out, File{path: path, err: err})
		case d.IsDir() && (hidden || d.Name() == "node_modules" && f != "."):
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden && known(f):
			out = append(out, File{path: path})
		}
		return nil
	})
	return out
}

// read returns the text of the file.
func (f *File) read(open Reader) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	text, err := open(f.path)
	if err != nil {
		return "", err
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return "", fmt.Errorf("not a text: there is a zero byte in line %d", 1+bytes.Count(text[:i], []byte("\n")))
	}
	return string(text), nil
}

// warnBroken names files with syntax errors, each as file:line.
func warnBroken(log *terminal.Log, files []string) {
	n := len(files)
	if n == 0 {
		return
	}
	more := ""
	if n > limits.BrokenFiles {
		more = spelling.Count(", and %d more files", n-limits.BrokenFiles)
	}
	log.Warn(fmt.Sprintf("syntax errors, around which less may be found: %s%s", strings.Join(files[:min(n, limits.BrokenFiles)], ", "), more))
}
