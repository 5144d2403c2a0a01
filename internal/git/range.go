package git

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// sides returns the objects that a range compares. An empty new side is the work tree.
func (r *Repository) sides(ctx context.Context, rng string) (old, now string, err error) {
	if rng == "" {
		old, err = r.head(ctx)
		return old, "", err
	}
	if a, b, ok := strings.Cut(rng, "..."); ok {
		ids, err := r.resolve(ctx, cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD"))
		if err != nil {
			return "", "", err
		}
		base, err := r.output(ctx, 1<<10, nil, "merge-base", ids[0], ids[1])
		if exitedSilently(err) {
			return "", "", fmt.Errorf("%s and %s have no common ancestor (in a shallow clone, git fetch --unshallow fetches the history)", cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD"))
		}
		return strings.TrimSpace(string(base)), ids[1], err
	}
	a, b, ok := strings.Cut(rng, "..")
	if commit, all := strings.CutSuffix(rng, "^!"); !ok && all { // the change of one commit
		if _, err := r.resolve(ctx, commit+"^2"); err == nil {
			return "", "", fmt.Errorf("%s is a merge: name the parent to compare with, as in %s^1..%s", commit, commit, commit)
		}
		a, b, ok = commit+"^", commit, true
	}
	if !ok {
		ids, err := r.resolve(ctx, rng)
		if err != nil {
			return "", "", err
		}
		return ids[0], "", nil
	}
	ids, err := r.resolve(ctx, cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD"))
	if err != nil {
		return "", "", err
	}
	return ids[0], ids[1], nil
}

// noRevision is the error of a name that no object has.
type noRevision struct{ error }

// resolve returns the object names of revisions. git reads the revisions from standard
// input, where it takes none for a flag or a path.
func (r *Repository) resolve(ctx context.Context, revisions ...string) ([]string, error) {
	for _, rev := range revisions {
		if strings.ContainsFunc(rev, unicode.IsControl) {
			return nil, fmt.Errorf("no such revision: %q", rev)
		}
	}
	out, err := r.output(ctx, 1<<20, strings.NewReader(strings.Join(revisions, "\n")+"\n"), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(revisions) {
		return nil, fmt.Errorf("git cat-file gave %d answers to %d questions", len(answers), len(revisions))
	}
	ids := make([]string, len(answers))
	for i, answer := range answers {
		f := strings.Fields(answer)
		isObject := false
		if len(f) == 3 {
			_, err := strconv.ParseInt(f[2], 10, 64)
			isObject = err == nil
		}
		switch {
		case !isObject && strings.HasSuffix(answer, " ambiguous"):
			return nil, fmt.Errorf("ambiguous revision: several objects have names that begin with %s", revisions[i])
		case !isObject:
			return nil, noRevision{fmt.Errorf("no such revision: %s", revisions[i])}
		case f[1] == "blob":
			return nil, fmt.Errorf("no such revision: %s is a file", revisions[i])
		}
		ids[i] = f[0]
	}
	return ids, nil
}

// head returns the last commit, or the empty tree where there is none.
func (r *Repository) head(ctx context.Context) (string, error) {
	id, err := r.output(ctx, 1<<10, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	if exitedSilently(err) {
		id, err = r.output(ctx, 1<<10, strings.NewReader(""), "hash-object", "-t", "tree", "--stdin")
	}
	return strings.TrimSpace(string(id)), err
}
