package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

const (
	gitTimeout  = 60 * time.Second
	maxBlob     = syntax.MaxFileBytes // a larger old text would not be parsed
	maxAllBlobs = 64 << 20            // nor is more asked for than this of all files together
)

// gitChange asks git for a change: of a range as git diff understands it, or of
// the work tree against HEAD. The old texts come from git's objects; the hunks
// then give the new ones.
func gitChange(ctx context.Context, rng string, opts change.Options) (*change.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	what, rev := "the range "+rng, rng
	if rng == "" {
		what, rev = "the work tree", "HEAD"
		if _, err := git(ctx, 1<<10, nil, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
			// Before the first commit everything is new: against the empty tree.
			empty, err := git(ctx, 1<<10, strings.NewReader(""), "hash-object", "-t", "tree", "--stdin")
			if err != nil {
				return nil, fmt.Errorf("asking git for the diff of %s: %w", what, err)
			}
			rev = strings.TrimSpace(string(empty))
		}
	}
	// The user's own settings must not shape the diff, nor may the change's
	// .gitattributes run a conversion.
	args := []string{
		"-c", "core.quotePath=true", "-c", "core.fsmonitor=false", "diff", "--no-ext-diff", "--no-textconv", "--no-color",
		"--find-renames", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0",
		"--diff-algorithm=default", "--submodule=short", "--no-relative", "--ignore-submodules=dirty", "--end-of-options", rev, "--",
	}
	diff, err := git(ctx, change.DefaultMaxBytes, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("asking git for the diff of %s: %w", what, err)
	}
	if len(bytes.TrimSpace(diff)) == 0 {
		if rng == "" {
			return nil, errors.New("the work tree has no changes against HEAD (new files are seen after git add); give --diff or --range")
		}
		return nil, fmt.Errorf("the range %s has no changes", rng)
	}
	c, err := change.Parse(diff, opts)
	if err != nil {
		return nil, fmt.Errorf("reading git's diff of %s: %w", what, err)
	}
	blobs, err := gitBlobs(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("asking git for the old texts: %w", err)
	}
	opts.Texts = func(f *change.File, side change.Side) (string, bool) {
		if side == change.New {
			return "", false
		}
		t, ok := blobs[f.OldID]
		return t, ok
	}
	if c, err = change.Parse(diff, opts); err != nil {
		return nil, err
	}
	for i := range c.Files {
		if f := &c.Files[i]; f.Binary && f.Lang != lang.Unknown {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s: git calls it binary (do .gitattributes say so?); its text was not looked at", f.Path()))
		}
	}
	if rng == "" {
		if n := untracked(ctx); n > 0 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("untracked files are not part of the change (git add -N makes them): %d", n))
		}
	}
	return c, nil
}

// untracked counts the files that git does not know and does not ignore. It is
// for a warning only, so a failure counts none.
func untracked(ctx context.Context) int {
	out, err := git(ctx, 16<<20, nil, "ls-files", "--others", "--exclude-standard", "-z", "--full-name", ":/")
	if err != nil {
		return 0
	}
	return bytes.Count(out, []byte{0})
}

// gitBlobs reads the old texts of a change by their object names.
func gitBlobs(ctx context.Context, c *change.Change) (map[string]string, error) {
	var ids strings.Builder
	seen := map[string]bool{}
	for i := range c.Files {
		f := &c.Files[i]
		if f.OldID != "" && f.Status != change.Added && len(f.Hunks) > 0 && !f.Submodule() && !seen[f.OldID] {
			seen[f.OldID] = true
			ids.WriteString(f.OldID + "\n")
		}
	}
	blobs := map[string]string{}
	if ids.Len() == 0 {
		return blobs, nil
	}
	// Sizes first, so that large objects are never read.
	sizes, err := git(ctx, maxAllBlobs, strings.NewReader(ids.String()), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	var small strings.Builder
	total := 0
	for _, l := range strings.Split(string(sizes), "\n") {
		f := strings.Fields(l)
		if len(f) != 3 || f[1] != "blob" {
			continue
		}
		if n, err := strconv.Atoi(f[2]); err == nil && n <= maxBlob && total+n <= maxAllBlobs {
			total += n
			small.WriteString(f[0] + "\n")
		}
	}
	all, err := git(ctx, 2*maxAllBlobs, strings.NewReader(small.String()), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for r := bufio.NewReader(bytes.NewReader(all)); ; {
		head, err := r.ReadString('\n')
		if err != nil {
			return blobs, nil
		}
		f := strings.Fields(head)
		if len(f) != 3 {
			continue
		}
		n, err := strconv.Atoi(f[2])
		if err != nil || n < 0 || n > maxBlob {
			return nil, fmt.Errorf("git cat-file answered %q", strings.TrimSpace(head))
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		blobs[f[0]] = string(text)
		if _, err := r.Discard(1); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
	}
}

// git runs git and returns what it prints, up to a limit.
func git(ctx context.Context, limit int64, stdin io.Reader, args ...string) ([]byte, error) {
	var out []byte
	err := gitPipe(ctx, stdin, func(r io.Reader) (err error) {
		out, err = io.ReadAll(io.LimitReader(r, limit+1))
		if int64(len(out)) > limit {
			err = fmt.Errorf("%w: more than the limit of %d MiB", change.ErrTooLarge, limit>>20)
		}
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// gitPipe runs git and has its output read while it comes. Its process group is
// killed when ctx ends or reading does with an error, so that nothing it started
// stays behind.
func gitPipe(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Env = append(cmd.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.Stdin = stdin
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return errors.New("git is not installed; give the change with --diff")
		}
		return err
	}
	readErr := read(out)
	if readErr != nil && !errors.Is(readErr, io.EOF) && !errors.Is(readErr, io.ErrUnexpectedEOF) {
		_ = cmd.Cancel()
	}
	err = cmd.Wait()
	msg, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && cmd.ProcessState.Exited() && msg != "": // by itself
		return errors.New(msg)
	case readErr != nil:
		return readErr
	}
	return err
}
