package symbolic_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic"
)

// row is what is read of a line of dev.jsonl.
type row struct {
	ID, Lang, Path, Diff string
	Old, New             *string
}

// claims runs the whole way from a diff to claims.
func claims(t testing.TB, diff string, opts change.Options) []pseudoref.Ref {
	t.Helper()
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	refs, err := symbolic.Claims(context.Background(), trees, symbolic.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

// TestCorpus makes claims of real changes, which lie beside the repository.
// It checks their form and number; with -v it prints them, and with
// CRSCORE_CLAIMS=FILE writes them there, as JSON lines.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set")
	}
	f, err := os.Open(filepath.Join(dir, "dev.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out *json.Encoder
	if name := os.Getenv("CRSCORE_CLAIMS"); name != "" {
		o, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		out = json.NewEncoder(o)
		out.SetEscapeHTML(false)
	}
	var counts []int
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var r row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		l, _ := lang.Lookup(r.Lang)
		opts := change.Options{Path: r.Path, Lang: l}
		if os.Getenv("CRSCORE_HUNKS") == "" {
			opts.Texts = func(_ *change.File, side change.Side) (string, bool) {
				p := r.New
				if side == change.Old {
					p = r.Old
				}
				if p == nil {
					return "", false
				}
				return *p, true
			}
		}
		refs := claims(t, r.Diff, opts)
		counts = append(counts, len(refs))
		if testing.Verbose() {
			t.Logf("===== %s %s\n%s", r.ID, r.Lang, r.Diff)
		}
		for _, c := range refs {
			if testing.Verbose() {
				t.Logf("  [%s] %s (%s %d-%d)", c.Rule, c.Text, c.Side, c.StartLine, c.EndLine)
			}
			if n := len(strings.Fields(c.Text)); n > 40 {
				t.Errorf("%s: %d words: %s", r.ID, n, c.Text)
			}
		}
		if out != nil {
			if err := out.Encode(map[string]any{"id": r.ID, "claims": refs}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	sort.Ints(counts)
	n := len(counts)
	t.Logf("%d changes; claims: min %d, 10%% %d, 25%% %d, median %d, 75%% %d, 90%% %d, max %d", n, counts[0], counts[n/10], counts[n/4], counts[n/2], counts[n*3/4], counts[n*9/10], counts[n-1])
	if m := counts[n/2]; m < 4 || m > 8 {
		t.Errorf("the median change has %d claims, want 4 to 8", m)
	}
}
