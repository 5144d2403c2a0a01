// Package git asks git for changes, projects and files of a repository that nobody trusts. One
// function runs git, with everything turned off that a repository can configure to run: external
// diffs, text conversions, filters, the file monitor, hooks, lazy fetches and prompts.
package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"crscore/internal/limits"
	"crscore/internal/system"
)

// Timeout is how long the questions about one change may take together.
const Timeout = 60 * time.Second

// Repository is the git repository around the current directory, or a clone. It is not trusted:
// none of its settings runs a program or reaches the network.
type Repository struct {
	dir     string          // of a clone; empty for the current directory
	env     []string        // more of git's environment, for a clone
	off     []string        // arguments that turn its filters off
	filters map[string]bool // names of the filters that would convert the work tree's files
	partial bool            // a partial clone, which may lack objects
}

// Open finds the repository around the current directory.
func Open(ctx context.Context) (*Repository, error) {
	r := &Repository{filters: map[string]bool{}}
	if _, err := r.output(ctx, 1<<16, nil, "rev-parse", "--git-dir"); err != nil {
		if strings.Contains(err.Error(), "not a git repository") {
			return nil, errors.New("this is not a git repository" + r.instead())
		}
		return nil, err
	}
	return r, r.configure(ctx)
}

// Version asks git for its version.
func Version(ctx context.Context) (string, error) {
	out, err := new(Repository).output(ctx, 1<<10, nil, "version")
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "git version "), err
}

// instead is the advice where git cannot be asked for a change.
func (r *Repository) instead() string {
	if r.dir != "" {
		return ""
	}
	return ": give the change with --diff"
}

// configure finds the filters in the configuration, which have to be turned off by name.
func (r *Repository) configure(ctx context.Context) error {
	names, err := r.output(ctx, limits.GitConfig, nil, "config", "--list", "--name-only", "-z")
	if err != nil {
		return fmt.Errorf("reading git's configuration: %w", err)
	}
	keys := strings.Split(string(names), "\x00")
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		last := key[strings.LastIndexByte(key, '.')+1:]
		name, isFilter := strings.CutPrefix(key, "filter.")
		switch {
		case isFilter && strings.Contains(key, "="):
			return fmt.Errorf("git's configuration has the filter %q, which cannot be turned off because of its name%s", name, r.instead())
		case isFilter && len(r.off) >= 2*limits.GitFilters:
			return fmt.Errorf("git's configuration has more than %d settings of filters%s", limits.GitFilters, r.instead())
		case isFilter && last == "required":
			r.off = append(r.off, "-c", key+"=false")
		case isFilter:
			r.off = append(r.off, "-c", key+"=")
			if last == "clean" || last == "process" {
				r.filters[strings.TrimSuffix(name, "."+last)] = true
			}
		case key == "extensions.partialclone", strings.HasPrefix(key, "remote.") && last == "promisor":
			r.partial = true
		}
	}
	return nil
}

// workTree returns the root of the work tree. A hostile repository may set it to any folder,
// to have private files read. So the folder must have a .git, unless the user has named it
// in the environment.
func (r *Repository) workTree(ctx context.Context) (string, error) {
	out, err := r.output(ctx, 1<<16, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	dir := strings.TrimSuffix(string(out), "\n")
	if os.Getenv("GIT_DIR") != "" || os.Getenv("GIT_WORK_TREE") != "" {
		return dir, nil
	}
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return "", fmt.Errorf("the repository's own configuration sets its work tree to %s, which has no .git: set GIT_WORK_TREE to use it", dir)
	}
	return dir, nil
}

// lacks returns advice for a repository that may lack objects, else "".
func (r *Repository) lacks() string {
	if !r.partial {
		return ""
	}
	return " (this is a partial clone, and crscore fetches nothing: `git fetch --refetch --no-filter` fetches the missing objects)"
}

// output runs git and returns its output, up to a limit.
func (r *Repository) output(ctx context.Context, limit int64, stdin io.Reader, args ...string) ([]byte, error) {
	var out []byte
	err := r.pipe(ctx, stdin, func(stdout io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(stdout, limit+1))
		if int64(len(out)) > limit {
			err = fmt.Errorf("git %s printed more than the limit of %d KiB", args[0], limit>>10)
		}
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// pipe runs git while read reads its output. It is the only function that runs git. It kills
// git's process group when ctx ends or read fails.
//
// diffFlags turn off external diffs and conversions to text, which only some commands have.
func (r *Repository) pipe(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	all := slices.Concat([]string{
		"--no-pager",
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null",
		// These run no program; they change the diff.
		"-c", "core.quotePath=true",
		"-c", "core.attributesFile=/dev/null",
		"-c", "core.bigFileThreshold=512m",
		"-c", "diff.suppressBlankEmpty=false",
	}, r.off, args)
	cmd := exec.CommandContext(ctx, "git", all...)
	cmd.WaitDelay = time.Second
	cmd.Dir = r.dir
	cmd.Env = append(environment(cmd.Environ(), r.dir != ""), r.env...)
	cmd.Stdin = stdin
	var stderr prefixWriter
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	group, err := system.Start(cmd)
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return errors.New("git is not installed" + r.instead())
		}
		return err
	}
	defer group.Kill()
	readErr := read(out)
	ended := readErr == nil || errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF) // git closed its output
	if !ended {
		group.Kill()
	}
	err = cmd.Wait()
	msg := reason(string(stderr.text))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("git %s timed out: %w", args[0], ctx.Err())
	case ctx.Err() != nil:
		return ctx.Err()
	case !ended:
		return readErr
	case err != nil && msg != "":
		return errors.New(msg + r.lacks())
	case err != nil && !exitedSilently(err): // an old git dies of SIGPIPE when it cannot fetch
		return fmt.Errorf("git %s: %w%s", args[0], err, r.lacks())
	case err != nil:
		return err
	}
	return readErr
}

// exitedSilently reports whether git has exited with an error code and no message, which is
// its "no" to some questions.
func exitedSilently(err error) bool {
	exit := new(exec.ExitError)
	return errors.As(err, &exit) && exit.Exited()
}

// environment is the environment for git. Of git's variables it keeps those that name the places
// of the user's configuration and, except for a clone, of the repository: others run programs,
// change diffs or write traces.
func environment(env []string, clone bool) []string {
	places := []string{
		"GIT_EXEC_PATH",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	}
	if !clone {
		places = append(places,
			"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
			"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=") // Windows takes any case
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(places, name) &&
			!strings.HasPrefix(name, "GIT_CONFIG_KEY_") && !strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	})
	return append(env, "LC_ALL=C",
		"GIT_OPTIONAL_LOCKS=0",  // the index is not written
		"GIT_NO_LAZY_FETCH=1",   // a partial clone fetches nothing;
		"GIT_ALLOW_PROTOCOL=",   // git before 2.39.4 does not know that, but this
		"GIT_TERMINAL_PROMPT=0", // no questions, in a window neither
		"GIT_ASKPASS=",
	)
}

// reason returns the reason in git's standard error: the last fatal error with the advice
// below it, else the first line.
func reason(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	from, to := 0, 1
	for i, l := range lines {
		if strings.HasPrefix(l, "fatal: ") {
			from, to = i, len(lines)
		}
	}
	said := strings.Join(strings.Fields(strings.Join(lines[from:to], " ")), " ")
	said = strings.TrimPrefix(strings.TrimPrefix(said, "fatal: "), "error: ")
	return said[:min(len(said), 2000)]
}

// prefixWriter keeps the first limits.GitErrors bytes that are written to it.
type prefixWriter struct{ text []byte }

func (s *prefixWriter) Write(p []byte) (int, error) {
	s.text = append(s.text, p[:min(len(p), limits.GitErrors-len(s.text))]...)
	return len(p), nil
}
