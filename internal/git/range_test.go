package git

import (
	"os"
	"slices"
	"strings"
	"testing"

	"crscore/internal/gittest"
)

func TestSides(t *testing.T) {
	git := gittest.New(t)
	sides := func(rng string) []string {
		r, err := Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		old, now, err := r.sides(t.Context(), rng)
		if err != nil {
			return []string{err.Error()}
		}
		return []string{old, now}
	}
	if got, want := sides(""), []string{git("hash-object", "-t", "tree", "/dev/null"), ""}; !slices.Equal(got, want) {
		t.Errorf("before the first commit: %q", got)
	}
	before, _ := Trees("")
	if got := filesOf(t, before); len(got) > 0 {
		t.Errorf("before the first commit: %q", got)
	}
	if got := sides("HEAD~1..HEAD"); got[0] != "no such revision: HEAD~1" {
		t.Errorf("before the first commit: %q", got)
	}
	gittest.Write(t, "file", "x")
	git("add", ".")
	git("commit", "-q", "-m", "base")
	base := git("rev-parse", "HEAD")
	git("checkout", "-q", "-b", "topic")
	git("commit", "-q", "--allow-empty", "-m", "topic")
	topic := git("rev-parse", "HEAD")
	git("tag", "-a", "-m", "x", "tagged")
	tag := git("rev-parse", "tagged")
	git("checkout", "-q", "-b", "other", base)
	git("commit", "-q", "--allow-empty", "-m", "other")
	other := git("rev-parse", "HEAD")
	git("merge", "-q", "-m", "merge", "topic")
	git("branch", "merged")
	git("reset", "-q", "--hard", other)
	git("checkout", "-q", "--orphan", "alone")
	git("commit", "-q", "-m", "alone")
	git("checkout", "-q", "other")
	for rng, want := range map[string][]string{
		"":                       {other, ""},
		"topic":                  {topic, ""},
		"other..topic":           {other, topic},
		"other...topic":          {base, topic},
		"other...tagged":         {base, tag},
		"topic...":               {base, other},
		"topic^!":                {base, topic},
		"..topic":                {other, topic},
		"HEAD^..":                {base, other},
		":/base..topic^{/topic}": {base, topic},
		"topic^{tree}":           {git("rev-parse", "topic^{tree}"), ""},
		"^topic":                 {"no such revision: ^topic"},
		"none..topic":            {"no such revision: none"},
		"topic..none":            {"no such revision: none"},
		"topic...none":           {"no such revision: none"},
		"other..topic^^^":        {"no such revision: topic^^^"},
		"topic..--all":           {"no such revision: --all"},
		"--output=x":             {"no such revision: --output=x"},
		"-- file":                {"no such revision: -- file"},
		"--":                     {"no such revision: --"},
		"file":                   {"no such revision: file"},
		"file..file":             {"no such revision: file"},
		"HEAD commit 5":          {"no such revision: HEAD commit 5"},
		"HEAD:file..HEAD:file":   {"no such revision: HEAD:file is a file"},
		"HEAD\nHEAD..HEAD":       {`no such revision: "HEAD\nHEAD"`},
		"merged^!":               {"merged is a merge: name the parent to compare with, as in merged^1..merged"},
		"other...alone":          {"other and alone have no common ancestor (in a shallow clone, git fetch --unshallow fetches the history)"},
		strings.Repeat("7", 40):  {"no such revision: " + strings.Repeat("7", 40)},
	} {
		if got := sides(rng); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", rng, got, want)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("git has written a file")
	}
}
