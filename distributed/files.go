package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"cloud.google.com/go/storage"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"   // gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // paths
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"    // s3://
	"google.golang.org/api/googleapi"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// fileSystems says for errors where files may be: the imports above.
const fileSystems = "a path of this machine and of all workers, gs://BUCKET/NAME or s3://BUCKET/NAME"

// patterns are the characters by which a name is a pattern.
const patterns = `*?[\`

// scheme returns what stands before the :// of a name, empty for a path.
func scheme(name string) string {
	s, _, is := strings.Cut(name, "://")
	if !is {
		return ""
	}
	return s
}

// open opens the file system of an argument.
func open(ctx context.Context, flag, name string) (filesystem.Interface, error) {
	if strings.TrimSpace(name) == "" {
		return nil, fmt.Errorf("--%s is empty", flag)
	}
	fs, err := openFS(ctx, name)
	if err != nil && scheme(name) != "" && strings.Contains(err.Error(), "not registered") {
		return nil, fmt.Errorf("--%s %s: there is no file system for %s://: give %s", flag, name, scheme(name), fileSystems)
	}
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, name, err)
	}
	return fs, nil
}

// listFiles returns the files that match patterns: in the order of the patterns, those of a
// pattern by name, none twice.
func listFiles(ctx context.Context, globs []string) ([]File, error) {
	var files []File
	seen := map[string]bool{}
	for _, glob := range globs {
		names, err := match(ctx, glob)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if whole := absolute(name); !seen[whole] {
				seen[whole] = true
				files = append(files, File{Index: len(files), Path: name})
			}
		}
	}
	if len(files) > limits.InputFiles {
		return nil, fmt.Errorf("--data: %d files are more than the limit of %d: join small files, or run several jobs", len(files), limits.InputFiles)
	}
	return files, nil
}

// absolute returns the name of a file that means the same in every folder.
func absolute(name string) string {
	if path, err := filepath.Abs(name); err == nil && scheme(name) == "" {
		return path
	}
	return name
}

// match returns the files that match a pattern, by name.
func match(ctx context.Context, glob string) ([]string, error) {
	fs, err := open(ctx, "data", glob)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, glob)
	if err != nil {
		return nil, fmt.Errorf("--data %s: %w", glob, err)
	}
	if names = slices.DeleteFunc(names, isFolder); scheme(glob) == "" {
		if names, err = plainFiles(glob, names); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("--data %s: there is no such file", glob)
	}
	slices.Sort(names)
	return names, nil
}

// isFolder reports whether a name is that of an empty object which stands for a folder in a bucket.
func isFolder(name string) bool { return strings.HasSuffix(name, "/") }

// plainFiles leaves out what a pattern finds and is no file: a folder, or a pipe, which a worker
// would wait for. A name that is there is no pattern, whatever its characters.
func plainFiles(glob string, names []string) ([]string, error) {
	st, err := os.Stat(glob)
	switch {
	case err == nil && st.IsDir():
		return nil, fmt.Errorf("--data %s is a folder: give a pattern, as in '%s/*.jsonl.gz'", glob, strings.TrimSuffix(glob, "/"))
	case err == nil:
		return []string{glob}, nil
	}
	return slices.DeleteFunc(names, func(name string) bool {
		st, err := os.Stat(name)
		return err == nil && !st.Mode().IsRegular()
	}), nil
}

// checkClaims refuses an input whose first change does not know the sets of claims that are asked
// for, as crscore score does. A first file that cannot be read is the job's to tell.
func checkClaims(ctx context.Context, file File, sets []string) error {
	if len(sets) == 0 {
		return nil
	}
	fs, err := open(ctx, "data", file.Path)
	if err != nil {
		return err
	}
	defer fs.Close()
	in, err := fs.OpenRead(ctx, file.Path)
	if err != nil {
		return nil
	}
	defer in.Close()
	lines, err := dataset.NewLines(file.Path, in)
	for err == nil || errors.As(err, new(*dataset.LineError)) {
		var text []byte
		var number int
		if text, number, err = lines.Next(); err != nil {
			continue
		}
		rec, bad := dataset.Decode(text, number)
		if bad == nil {
			if err := rec.CheckClaimSets(sets); err != nil {
				return fmt.Errorf("%s: %w", file.Path, err)
			}
			return nil
		}
	}
	return nil
}

// checkOut refuses an output folder in which files could be mixed or lost.
func checkOut(ctx context.Context, dir string) error {
	fs, err := open(ctx, "out", dir)
	if err != nil {
		return err
	}
	defer fs.Close()
	switch {
	case !utf8.ValidString(dir):
		return fmt.Errorf("--out %s: the name of the folder is not UTF-8, and would be another one on its way to the workers", dir)
	case strings.ContainsAny(dir, patterns):
		return fmt.Errorf("--out %s: the name of the folder cannot have one of %s", dir, patterns)
	}
	var names []string
	if scheme(dir) == "" {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("--out: %w", err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	} else if names, err = outputFiles(ctx, fs, dir); err != nil {
		return fmt.Errorf("--out %s: %w", dir, err)
	}
	if len(names) > 0 {
		return fmt.Errorf("--out %s is not empty (%s is in it): results of two jobs must not mix", dir, names[0])
	}
	return nil
}

// outputFiles lists the files of an output folder.
func outputFiles(ctx context.Context, fs filesystem.Interface, dir string) ([]string, error) {
	top, err := fs.List(ctx, dir+"/*")
	if err != nil {
		return nil, err
	}
	below, err := fs.List(ctx, dir+"/*/*")
	return slices.DeleteFunc(append(top, below...), isFolder), err
}

// sweep removes what workers that died have left behind.
func sweep(ctx context.Context, dir string) error {
	fs, err := openFS(ctx, dir)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := outputFiles(ctx, fs, dir)
	for _, name := range names {
		if strings.Contains(name[len(dir):], temporary) {
			err = errors.Join(err, remove(ctx, fs, name))
		}
	}
	return err
}

// unreadable reports whether a file cannot be read, however often it is tried.
func unreadable(err error) bool {
	for _, is := range []error{
		fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR, syscall.ELOOP, syscall.ENOTDIR, syscall.ENXIO, storage.ErrObjectNotExist,
	} {
		if errors.Is(err, is) {
			return true
		}
	}
	var google *googleapi.Error
	if errors.As(err, &google) {
		return google.Code == http.StatusForbidden || google.Code == http.StatusNotFound
	}
	// The file system of s3:// does not wrap the errors that it formats.
	return strings.Contains(err.Error(), "StatusCode: 403") || strings.Contains(err.Error(), "StatusCode: 404")
}

// byRel orders systems as the table has them.
func byRel(a, b system) int {
	rel := func(s system) float64 {
		if s.Rel == nil {
			return -1
		}
		return *s.Rel
	}
	return cmp.Or(cmp.Compare(rel(b), rel(a)), cmp.Compare(a.System, b.System))
}
