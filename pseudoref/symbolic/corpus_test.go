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

// trees parses both sides of a diff; the caller closes them.
func trees(t testing.TB, diff string, opts change.Options) *syntax.Trees {
	t.Helper()
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := syntax.Parse(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

// claims runs the whole way from a diff to claims.
func claims(t testing.TB, diff string, opts change.Options) []pseudoref.Ref {
	t.Helper()
	return limited(t, diff, opts, 0)
}

func limited(t testing.TB, diff string, opts change.Options, limit int) []pseudoref.Ref {
	t.Helper()
	parsed := trees(t, diff, opts)
	said, err := symbolic.Claims(context.Background(), parsed, symbolic.Options{Max: limit})
	if err != nil {
		t.Fatal(err)
	}
	return said.Refs
}

// TestCorpus makes claims of real changes, which lie beside the repository,
// from whole files and from hunks alone. It checks their form and number; with
// -v it prints them, and with CRSCORE_CLAIMS=FILE it writes those from whole
// files there, as JSON lines.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set")
	}
	rows := readRows(t, filepath.Join(dir, "dev.jsonl"))
	t.Run("files", func(t *testing.T) { corpus(t, rows, true, os.Getenv("CRSCORE_CLAIMS")) })
	t.Run("hunks", func(t *testing.T) { corpus(t, rows, false, "") })
}

func readRows(t *testing.T, name string) []row {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []row
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var r row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// pasted lists the changed lines of more than 30 characters, names apart, that a
// claim holds as a whole.
func pasted(claim, diff string) []string {
	var out []string
	for _, l := range strings.Split(diff, "\n") {
		if !strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "-") {
			continue
		}
		if l = strings.Trim(strings.Join(strings.Fields(l[1:]), " "), " ;,{}()[]"); len(l) > 30 && strings.ContainsAny(l, " (=") && strings.Contains(claim, l) {
			out = append(out, l)
		}
	}
	return out
}

func corpus(t *testing.T, rows []row, whole bool, save string) {
	var out *json.Encoder
	if save != "" {
		o, err := os.Create(save)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		out = json.NewEncoder(o)
		out.SetEscapeHTML(false)
	}
	var counts []int
	for _, r := range rows {
		l, _ := lang.Lookup(r.Lang)
		opts := change.Options{Path: r.Path, Lang: l}
		if whole {
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
			if n := len(strings.Fields(c.Text)); n > 25 {
				t.Errorf("%s: %d words: %s", r.ID, n, c.Text)
			}
			for _, l := range pasted(c.Text, r.Diff) {
				t.Errorf("%s: %q is a changed line: %s", r.ID, l, c.Text)
			}
		}
		if out != nil {
			if err := out.Encode(map[string]any{"id": r.ID, "claims": refs}); err != nil {
				t.Fatal(err)
			}
		}
	}
	sort.Ints(counts)
	n, sum := len(counts), 0
	for _, c := range counts {
		sum += c
	}
	t.Logf("%d changes; claims: min %d, 10%% %d, 25%% %d, median %d, 75%% %d, 90%% %d, max %d; %d claims",
		n, counts[0], counts[n/10], counts[n/4], counts[n/2], counts[n*3/4], counts[n*9/10], counts[n-1], sum)
	if counts[0] == 0 {
		t.Error("a change got no claims")
	}
	// The median hunk has three changed lines.
	if m, least := counts[n/2], map[bool]int{true: 3, false: 2}[whole]; m < least || m > 5 {
		t.Errorf("the median change has %d claims", m)
	}
}
