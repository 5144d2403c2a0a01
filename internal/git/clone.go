package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/limits"
)

// CloneNames are the names that a clone of OWNER/NAME can have.
func CloneNames(repo string) []string {
	owner, name, _ := strings.Cut(repo, "/")
	names := []string{repo, owner + "__" + name, name}
	return append(names, names[0]+".git", names[1]+".git", names[2]+".git")
}

// ClonePath finds the clone of OWNER/NAME in a folder. It is empty where there is none. Several
// are an error.
func ClonePath(dir, repo string) (string, error) {
	if strings.Contains("/"+repo+"/", "/../") || strings.Contains("/"+repo+"/", "/./") {
		return "", nil // leads to another folder
	}
	var found, same []string
	for _, name := range CloneNames(repo) {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		bare := exists(real, "HEAD") && exists(real, "objects")
		if err == nil && (bare || exists(real, ".git")) && !slices.Contains(same, real) {
			found, same = append(found, path), append(same, real)
		}
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return filepath.Abs(same[0])
	}
	return "", fmt.Errorf("%s has several clones: %s; leave one of them there", repo, strings.Join(found, ", "))
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// OpenClone opens the clone at an absolute path without links. git decides whether it trusts the
// folder's owner. No variable of git's environment, no repository around the folder and nothing
// that is checked out has a part in the answers.
func OpenClone(ctx context.Context, path string) (*Repository, error) {
	r := &Repository{dir: path, filters: map[string]bool{}, env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(path)}}
	out, err := r.output(ctx, 1<<16, nil, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	r.dir = strings.TrimSuffix(string(out), "\n")
	r.env = []string{
		"GIT_DIR=" + r.dir,
		"GIT_WORK_TREE=" + r.dir, "GIT_INDEX_FILE=/nonexistent/index", // no attributes of files that are checked out
		"GIT_GRAFT_FILE=/nonexistent/grafts", "GIT_NO_REPLACE_OBJECTS=1", // the history and the objects that the commits name
	}
	return r, r.configure(ctx)
}

// remoteRepo returns OWNER/NAME of the URL of a remote, "" for one that names none, such as a
// local path. Neither a user nor a password is in it.
func remoteRepo(url string) string {
	scheme, path, ok := strings.Cut(url, "://")
	if ok {
		_, path, ok = strings.Cut(path, "/")
	} else {
		scheme, path, ok = strings.Cut(url, ":") // user@host:path
	}
	parts := strings.Split(strings.TrimSuffix(strings.TrimRight(path, "/"), ".git"), "/")
	if n := len(parts); ok && scheme != "file" && n >= 2 {
		return strings.Join(parts[n-2:], "/")
	}
	return ""
}

// OtherRemote returns OWNER/NAME of a remote, if the clone has remotes and all are of
// repositories other than repo.
func (r *Repository) OtherRemote(ctx context.Context, repo string) (string, error) {
	out, err := r.output(ctx, limits.GitConfig, nil, "config", "-z", "--get-regexp", `^remote\..*\.url$`)
	if err != nil && !exitedSilently(err) {
		return "", err
	}
	other := ""
	for entry := range strings.SplitSeq(string(out), "\x00") {
		_, url, _ := strings.Cut(entry, "\n")
		switch of := remoteRepo(url); {
		case strings.EqualFold(of, repo):
			return "", nil
		case of != "":
			other = of
		}
	}
	return other, nil
}

// unshallow is advice for a shallow clone.
const unshallow = "the clone is shallow: git fetch --unshallow gets its history"

// commit returns the object name of a commit, whose name in hexadecimal may be cut.
func (r *Repository) commit(ctx context.Context, what, id string) (string, error) {
	ids, err := r.resolve(ctx, id+"^{commit}")
	switch {
	case errors.As(err, new(noRevision)), err == nil && !strings.HasPrefix(ids[0], id): // a branch may have the name
		advice := "git fetch origin " + id + " gets it if the server still has it"
		if shallow, _ := r.isShallow(ctx); shallow {
			advice = unshallow + ", or " + advice
		}
		return "", fmt.Errorf("%s is gone: the clone has no commit %s (%s)", what, id, advice)
	case err != nil:
		return "", fmt.Errorf("looking for %s: %w", what, err)
	}
	return ids[0], nil
}

func (r *Repository) isShallow(ctx context.Context) (bool, error) {
	out, err := r.output(ctx, 1<<10, nil, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(string(out)) == "true", err
}

// mergeBase returns the merge base of two commits. In a shallow clone it may be unknown: where
// the history is cut between both and their merge base, another could be nearer.
func (r *Repository) mergeBase(ctx context.Context, a, b string) (string, error) {
	shallow, err := r.isShallow(ctx)
	if err != nil {
		return "", err
	}
	base, err := r.output(ctx, 1<<10, nil, "merge-base", a, b)
	switch {
	case exitedSilently(err) && shallow:
		return "", errors.New("the merge base is unknown (" + unshallow + ")")
	case exitedSilently(err):
		return "", errors.New("there is no merge base: source_commit and target_commit have no common ancestor")
	case err != nil || !shallow:
		return strings.TrimSpace(string(base)), err
	}
	cut, err := r.output(ctx, 1<<20, nil, "rev-list", "--max-parents=0", a+"..."+b)
	if len(cut) > 0 {
		err = errors.New("the merge base is not certain (" + unshallow + ")")
	}
	return strings.TrimSpace(string(base)), err
}

// PullDiff is the change of a pull request.
type PullDiff struct {
	Base string // the merge base, in hexadecimal
	Text []byte // the diff
	*change.Change
}

// Pull asks the clone for the diff of a pull request, from the merge base to its head. The
// commits of the base branch and of the head are in hexadecimal, and may be cut.
func (r *Repository) Pull(ctx context.Context, base, head string) (*PullDiff, error) {
	if base == "" {
		return nil, errors.New("the merge base is unknown: source_commit is no commit in hexadecimal")
	}
	target, err := r.commit(ctx, "target_commit", head)
	if err != nil {
		return nil, err
	}
	source, err := r.commit(ctx, "source_commit", base)
	if err != nil {
		return nil, err
	}
	d := &PullDiff{}
	if d.Base, err = r.mergeBase(ctx, source, target); err != nil {
		return nil, err
	}
	if d.Text, err = r.diff(ctx, d.Base, target); err != nil {
		return nil, fmt.Errorf("asking git for the diff: %w", err)
	}
	if len(bytes.TrimSpace(d.Text)) == 0 {
		return nil, errors.New("nothing changes from the merge base to target_commit")
	}
	if d.Change, err = change.Parse(d.Text, change.Options{}); err != nil {
		return nil, fmt.Errorf("reading git's diff: %w", err)
	}
	d.Warnings = append(d.Warnings, binaryWarnings(d.Change)...)
	return d, nil
}
