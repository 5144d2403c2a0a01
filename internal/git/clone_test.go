package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/gittest"
)

func TestClonePath(t *testing.T) {
	dir := t.TempDir()
	mkdirs := func(paths ...string) {
		for _, p := range paths {
			if err := os.MkdirAll(filepath.Join(dir, p), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	mkdirs("redis/redis/.git", "two/one/.git", "one/.git", "evil")
	gittest.Write(t, filepath.Join(dir, "bare.git/HEAD"), "")
	mkdirs("bare.git/objects")
	if err := os.Symlink("one", filepath.Join(dir, "acme__one")); err != nil {
		t.Fatal(err)
	}
	for repo, want := range map[string]string{
		"redis/redis": "redis/redis", "acme/one": "one", "acme/bare": "bare.git", "acme/evil": "", "../..": "", "one/..": "", "./one": "",
		"two/one": "error: two/one has several clones: DIR/two/one, DIR/one; leave one of them there",
	} {
		got, err := ClonePath(dir, repo)
		if err != nil {
			got = "error: " + strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		if want != "" && err == nil {
			want = filepath.Join(dir, want)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", repo, got, want)
		}
	}
}

func FuzzRemoteRepo(f *testing.F) {
	for url, want := range map[string]string{
		"https://github.com/acme/shop": "acme/shop", "https://user:secret@github.com/acme/shop.git": "acme/shop", "git@github.com:acme/shop.git/": "acme/shop",
		"ssh://git@host:22/a/acme/shop.git": "acme/shop", "/srv/acme/shop": "", "file:///srv/acme/shop": "", "": "", "../shop": "", "https://host/shop": "",
	} {
		if got := remoteRepo(url); got != want {
			f.Errorf("%s: %q, want %q", url, got, want)
		}
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		if got := remoteRepo(url); got != "" && strings.Count(got, "/") != 1 {
			t.Errorf("%q: %q", url, got)
		}
	})
}
