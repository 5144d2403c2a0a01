package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/change"
	"crscore/internal/gittest"
)

// benchTruth writes a truth file with a pull request of acme/shop, and comments on its files.
func benchTruth(t *testing.T, source, target string, paths ...string) string {
	t.Helper()
	var list []string
	for _, p := range paths {
		list = append(list, fmt.Sprintf(`{"note": "About %s.", "path": %[1]q, "side": "right", "from_line": 1, "to_line": 1}`, p))
	}
	file := filepath.Join(t.TempDir(), "truth.json")
	gittest.Write(t, file, fmt.Sprintf(`[{"githubPrUrl": "https://github.com/acme/shop/pull/1", "source_commit": %q, "target_commit": %q,
		"project_main_language": "Python", "comments": [%s]}]`, source, target, strings.Join(list, ",")))
	return file
}

// shop makes the current directory a repository with a pull request. The base branch has gone on
// since: a diff of two dots would show later.py.
func shop(t *testing.T) (git func(...string) string, source, target string) {
	t.Helper()
	git = gittest.New(t)
	lines := strings.Repeat("x = 1\ny = 2\n", 10)
	gittest.Write(t, "a b é.py", "def spelling.Bytes(items):\n    return 0\n")
	gittest.Write(t, "crlf.py", "a = 1\r\nb = 2\r\n")
	gittest.Write(t, "old.py", lines+"z = 3\n")
	gittest.Write(t, "latin.py", "# caf\xe9\n")
	gittest.Write(t, "image.bin", "a\x00b")
	gittest.Write(t, ".gitattributes", "*.py -diff\n")
	git("add", ".")
	git("commit", "-qm", "base")
	git("branch", "-M", "main")
	git("checkout", "-qb", "work")
	gittest.Write(t, "a b é.py", "def spelling.Bytes(items):\n    return len(items)\n")
	gittest.Write(t, "crlf.py", "a = 1\r\nb = 3\r\n")
	git("mv", "old.py", "new.py")
	gittest.Write(t, "new.py", lines+"z = 4\n")
	gittest.Write(t, "latin.py", "# caf\xe9s\n")
	gittest.Write(t, "image.bin", "a\x00c")
	git("commit", "-qam", "work")
	target = git("rev-parse", "HEAD")
	git("checkout", "-q", "main")
	gittest.Write(t, "later.py", "later = 1\n")
	git("add", ".")
	git("commit", "-qm", "later")
	return git, git("rev-parse", "HEAD"), target
}

// datasetOf runs crscore bench dataset.
func datasetOf(args ...string) answer {
	var out, errs bytes.Buffer
	code := Main(append([]string{"bench", "dataset"}, args...), strings.NewReader(""), &out, &errs)
	return answer{code, out.String(), errs.String()}
}

// Every layout and kind of clone gives the diff of three dots, whatever is checked out or around.
func TestBenchDatasetDiff(t *testing.T) {
	git, source, target := shop(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	truth := benchTruth(t, source, target, "new.py")
	gittest.Write(t, ".git/info/attributes", "*.py diff\n") // for plain git
	git("config", "core.quotePath", "true")
	want := git("diff", "--full-index", "-M", source+"..."+target) + "\n"
	if strings.Contains(want, "later.py") || !strings.Contains(want, "+z = 4") {
		t.Fatal(want)
	}
	for _, test := range []struct{ path, kind string }{
		{"acme/shop", ""}, {"acme__shop", ""}, {"shop", ""}, {"acme/shop.git", "--bare"}, {"acme__shop.git", "--mirror"}, {"shop.git", "--bare"},
		{"shop", "worktree"}, {"shop", "link"}, {"shop", "replaced"}, {"shop", "shallow"},
	} {
		t.Run(test.path+" "+test.kind, func(t *testing.T) {
			dir := t.TempDir()
			at := filepath.Join(dir, test.path)
			switch test.kind {
			case "":
				git("clone", "-q", here, at)
			case "shallow": // with the merge base
				git("clone", "-q", "--depth=2", "--no-single-branch", "file://"+here, at)
			case "worktree":
				git("worktree", "add", "-q", "--detach", at, "main")
			case "link":
				if err := os.Symlink(here, at); err != nil {
					t.Fatal(err)
				}
			case "replaced":
				git("clone", "-q", here, at)
				git("-C", at, "replace", target, source)
				gittest.Write(t, filepath.Join(at, ".git/info/grafts"), target+"\n")
			default:
				git("clone", "-q", test.kind, here, at)
			}
			t.Setenv("GIT_DIR", "/nonexistent")
			got := datasetOf("--truth", truth, "--clones", dir)
			var row struct {
				ID, Lang, Diff string
				Reviews        []struct{ ID, Text string }
			}
			if err := json.Unmarshal([]byte(got.out), &row); err != nil || got.code != exitDone {
				t.Fatalf("exit code %d: %v\n%s", got.code, err, got.errs)
			}
			if row.Diff != strings.ToValidUTF8(want, "\ufffd") {
				t.Errorf("diff:\n%s\nwant:\n%s", row.Diff, want)
			}
			if row.ID != "acme__shop@"+target[:7] || row.Lang != "python" || len(row.Reviews) != 1 || row.Reviews[0].ID != "msg" {
				t.Errorf("%+v", row)
			}
			if !strings.Contains(got.errs, "the diff has 2 bytes that are not UTF-8 text") {
				t.Error(got.errs)
			}
		})
	}
}

func TestBenchDatasetFiles(t *testing.T) {
	_, source, target := shop(t)
	dir := t.TempDir()
	if err := os.Symlink(mustAbs(t, "."), filepath.Join(dir, "shop")); err != nil {
		t.Fatal(err)
	}
	truth := benchTruth(t, source, target, "new.py", "crlf.py", "a b é.py", "old.py", "image.bin", "later.py", "")
	got := datasetOf("--truth", truth, "--invalid", benchTruth(t, source, target, "new.py"), "--clones", dir, "--per", "file")
	var rows []string
	for line := range strings.Lines(got.out) {
		var row struct {
			ID, Lang, Path, Diff, Old, New string
			Reviews                        []struct {
				ID    string
				Valid bool
			}
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		c, err := change.Parse([]byte(row.Diff), change.Options{Old: &row.Old})
		if err != nil || len(c.Files) != 1 {
			t.Fatal(err, c)
		}
		if text, ok := c.Files[0].Whole(change.New); !ok || text != row.New || row.ID != "acme__shop@"+target[:7]+":"+row.Path || row.Lang != "python" {
			t.Errorf("%+v, new text %q", row, text)
		}
		rows = append(rows, fmt.Sprint(row.Path, row.Reviews))
	}
	if want := `a b é.py[{valid-1 true}]
crlf.py[{valid-1 true}]
new.py[{valid-1 true} {valid-2 true} {invalid-1 false}]`; strings.Join(rows, "\n") != want {
		t.Errorf("%q", rows)
	}
	if !strings.Contains(got.errs, `comments on files without lines in the diff, left out: 3 (the first: on "image.bin")`) || got.code != exitDone {
		t.Error(got)
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// Each reason for a missing row is said.
func TestBenchDatasetMissing(t *testing.T) {
	const unshallow = "the clone is shallow: git fetch --unshallow gets its history"
	for _, test := range []struct {
		name string
		// set makes the clone at a path, and may change the commits.
		set  func(t *testing.T, git func(...string) string, at string, source, target *string)
		want string
	}{
		{"force push", func(_ *testing.T, git func(...string) string, at string, _, target *string) {
			git("checkout", "-q", "work")
			git("commit", "-q", "--amend", "-m", "pushed again")
			git("checkout", "-q", "main")
			git("clone", "-q", "file://"+git("rev-parse", "--show-toplevel"), at)
		}, "target_commit is gone: the clone has no commit TARGET (git fetch origin TARGET gets it if the server still has it)"},
		{"a branch with the name of the commit", func(_ *testing.T, git func(...string) string, at string, _, target *string) {
			*target = "abcdef0"
			git("branch", *target)
			git("clone", "-q", "--mirror", ".", at)
		}, "target_commit is gone"},
		{"base is gone", func(_ *testing.T, git func(...string) string, at string, source, _ *string) {
			*source = strings.Repeat("ab", 20)
			git("clone", "-q", ".", at)
		}, "source_commit is gone: the clone has no commit abab"},
		{"no source", func(_ *testing.T, git func(...string) string, at string, source, _ *string) {
			*source = "main"
			git("clone", "-q", ".", at)
		}, "the merge base is unknown: source_commit is no commit in hexadecimal"},
		{"shallow", func(_ *testing.T, git func(...string) string, at string, _, _ *string) {
			git("clone", "-q", "--depth=1", "file://"+git("rev-parse", "--show-toplevel"), at)
		}, "(" + unshallow + ", or git fetch origin TARGET"},
		{"shallow without the merge base", func(_ *testing.T, git func(...string) string, at string, _, _ *string) {
			git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+git("rev-parse", "--show-toplevel"), at)
		}, "the merge base is unknown (" + unshallow + ")"},
		{"shallow with another merge base", func(t *testing.T, git func(...string) string, at string, source, target *string) {
			commit := func(name string) { git("commit", "-q", "--allow-empty", "-m", name) }
			first := git("rev-parse", "main~1")
			git("checkout", "-q", "-B", "main", first)
			commit("common")
			git("branch", "-f", "work")
			for _, name := range []string{"main", "work"} { // each merges another branch from the first commit
				git("checkout", "-q", "-b", name+"-side", first)
				commit(name + " side")
				git("checkout", "-q", name)
				commit(name + " 1")
				commit(name + " 2")
				git("merge", "-q", "--no-ff", "-m", "merge", name+"-side")
				git("branch", "-qD", name+"-side")
			}
			*source, *target = git("rev-parse", "main"), git("rev-parse", "work")
			git("clone", "-q", "--depth=3", "--no-single-branch", "file://"+git("rev-parse", "--show-toplevel"), at)
			if base := git("-C", at, "merge-base", *source, *target); base == git("merge-base", *source, *target) {
				t.Error("git finds the merge base in the shallow clone")
			}
		}, "the merge base is not certain (" + unshallow + ")"},
		{"unrelated", func(_ *testing.T, git func(...string) string, at string, source, _ *string) {
			git("checkout", "-q", "--orphan", "alone")
			git("commit", "-qm", "alone")
			*source = git("rev-parse", "HEAD")
			git("clone", "-q", ".", at)
		}, "there is no merge base"},
		{"no change", func(_ *testing.T, git func(...string) string, at string, source, target *string) {
			*target = *source
			git("clone", "-q", ".", at)
		}, "nothing changes from the merge base to target_commit"},
		{"partial", func(_ *testing.T, git func(...string) string, at string, _, _ *string) {
			git("config", "uploadpack.allowFilter", "true")
			git("clone", "-q", "--filter=blob:none", "file://"+git("rev-parse", "--show-toplevel"), at)
		}, "(this is a partial clone, and crscore fetches nothing: `git fetch --refetch --no-filter`"},
		{"partial, and gone", func(_ *testing.T, git func(...string) string, at string, _, target *string) {
			*target = strings.Repeat("ab", 20)
			git("config", "uploadpack.allowFilter", "true")
			git("clone", "-q", "--filter=blob:none", "file://"+git("rev-parse", "--show-toplevel"), at)
		}, "target_commit is gone"},
		{"too large", func(t *testing.T, git func(...string) string, at string, _, target *string) {
			git("checkout", "-q", "work")
			gittest.Write(t, "large.txt", strings.Repeat(strings.Repeat("x", 79)+"\n", change.DefaultMaxBytes/80+1))
			git("add", ".")
			git("commit", "-qm", "large")
			*target = git("rev-parse", "HEAD")
			git("clone", "-q", ".", at)
		}, "printed more than the limit of 32768 KiB"},
		{"another's", func(t *testing.T, git func(...string) string, at string, _, _ *string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give files away")
			}
			git("clone", "-q", ".", at)
			if err := errors.Join(os.Chown(at, 12345, -1), os.Chown(at+"/.git", 12345, -1)); err != nil {
				t.Fatal(err)
			}
		}, "git config --global --add safe.directory "},
		{"an empty .git in a repository", func(t *testing.T, git func(...string) string, at string, _, _ *string) {
			git("clone", "-q", ".", filepath.Dir(filepath.Dir(at)))
			if err := os.MkdirAll(at+"/.git", 0o700); err != nil {
				t.Fatal(err)
			}
		}, "not a git repository"},
	} {
		t.Run(test.name, func(t *testing.T) {
			git, source, target := shop(t)
			dir := t.TempDir()
			test.set(t, git, filepath.Join(dir, "acme", "shop"), &source, &target)
			got := datasetOf("--truth", benchTruth(t, source, target, "new.py"), "--clones", dir)
			want := strings.ReplaceAll(test.want, "TARGET", target)
			if got.code != exitIncomplete || got.out != "" || !strings.Contains(got.errs, want) || !strings.Contains(got.errs, "acme__shop@"+target[:7]+": no row: ") ||
				!strings.Contains(got.errs, "incomplete: pull requests without a row: 1 of 1") {
				t.Errorf("%+v\nwant %s", got, want)
			}
		})
	}
}
