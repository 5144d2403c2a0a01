package analyzers

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

type memory map[string][]byte

func (m memory) Get(_ context.Context, key string) ([]byte, bool, error) {
	v, ok := m[key]
	return v, ok, nil
}

func (m memory) Put(_ context.Context, key string, value []byte) error {
	m[key] = value
	return nil
}

type brokenCache struct{}

func (brokenCache) Get(context.Context, string) ([]byte, bool, error) {
	return nil, true, errors.New("no")
}
func (brokenCache) Put(context.Context, string, []byte) error { return errors.New("no") }

// TestCache: what was analysed once is not analysed again, unless anything that
// shapes the answer is another one; what failed is tried anew.
func TestCache(t *testing.T) {
	const finds = `for f; do grep -q BROKEN "$f" && echo "$f - broken" || { grep -q BAD "$f" && echo "$f 1 $f is bad"; }; done; exit 0`
	tool, options := script(t, finds)
	cache := memory{}
	options.Cache = cache
	files := texts("BAD", "good", "BROKEN")
	states := func(r Result) (out []State) {
		for _, f := range r.Files {
			out = append(out, f.State)
		}
		return out
	}
	first, err := Run(t.Context(), tool, files, options)
	if err != nil || !slices.Equal(states(first), []State{Found, Clean, Failed}) || len(cache) != 2 {
		t.Fatalf("%+v, %v; %d kept", first, err, len(cache))
	}
	// The same program, that would now fail, had it to do anything.
	crash := options
	_, broken := script(t, "exit 7")
	if err := os.Rename(broken.Paths["toy"], options.Paths["toy"]); err != nil {
		t.Fatal(err)
	}
	run := func(name string, tool Tool, options Options, files []File, want ...State) {
		t.Helper()
		r, err := Run(t.Context(), tool, files, options)
		if err != nil || !slices.Equal(states(r), want) {
			t.Errorf("%s: %v, %v; want %v", name, states(r), err, want)
		}
		if want[0] == Found && (len(r.Files[0].Findings) != 1 || r.Files[0].Findings[0] != first.Files[0].Findings[0]) {
			t.Errorf("%s: %+v, first %+v", name, r.Files[0], first.Files[0])
		}
	}
	run("same", tool, crash, files, Found, Clean, Failed)
	other := slices.Clone(files)
	other[0].Text, other[1].Path = "BAD too", "dir/other.py"
	run("other texts", tool, crash, other, Failed, Failed, Failed)
	configured := tool
	configured.Config = nil
	run("other configuration", configured, crash, files, Failed, Failed, Failed)
	prepared := tool
	prepared.Prepare = strings.ToUpper
	run("other text seen", prepared, crash, files, Found, Failed, Failed)
	_, second := script(t, "exit 7")
	second.Cache = cache
	run("other program", tool, second, files, Failed, Failed, Failed)
	for k := range cache {
		cache[k] = []byte(`{"findings": nul`)
	}
	run("damaged", tool, crash, files, Failed, Failed, Failed)
	_, options = script(t, finds)
	options.Cache = brokenCache{}
	run("broken", tool, options, files, Found, Clean, Failed)
}
