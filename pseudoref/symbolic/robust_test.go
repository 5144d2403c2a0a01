package symbolic_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/smells"
)

var (
	robustChanges = flag.Int("changes", 20_000, "how many changes TestRobust draws")
	robustSeed    = flag.Uint64("seed", 1, "the seed that TestRobust draws changes with")
)

// commit is a line of a corpus of commits. The lines of Diff begin with "+", "-" or "@", the
// header of a hunk. It does not tell which hunk is of which file.
type commit struct {
	Repo, Message string
	Files, Diff   []string
}

// TestRobust makes claims and looks for smells in random commits of a corpus, and fails on a
// panic, an error, much work, a quotation without an end, and if more than a claim in ten
// thousand has more than 25 words.
// The corpus is a folder of *.jsonl.gz files, each line a commit. All hunks of a commit are
// read as changes of one of its files, so some of them are in a language that the parser
// does not expect.
//
//	CRSCORE_CORPUS=DIR go test ./pseudoref/symbolic -run TestRobust -changes 20000 -seed 1
func TestRobust(t *testing.T) {
	dir := os.Getenv("CRSCORE_CORPUS")
	if dir == "" {
		t.Skip("CRSCORE_CORPUS is not set")
	}
	random := rand.New(rand.NewPCG(*robustSeed, 0))
	claims, long, slowest := 0, 0, time.Duration(0)
	drawn := draw(t, dir, random)
	for _, c := range drawn {
		diff := c.diff()
		if diff == "" {
			continue
		}
		path, start := c.Files[random.IntN(len(c.Files))], cpuTime(t)
		refs, err := robust(path, diff)
		took := cpuTime(t) - start
		var faults []string
		if err != nil {
			faults = append(faults, err.Error())
		}
		if took > 5*time.Second {
			faults = append(faults, fmt.Sprint("took ", took))
		}
		for _, r := range refs {
			if !quoted.MatchString(r.Text) {
				faults = append(faults, fmt.Sprintf("a quotation without an end in a claim of %s: %s", r.Rule, r.Text))
			}
			if n := len(strings.Fields(r.Text)); n > phrase.ClaimWords {
				t.Logf("%d words in a claim of %s: %s", n, r.Rule, r.Text)
				long++
			}
		}
		for _, fault := range faults {
			title, _, _ := strings.Cut(c.Message, "\n")
			t.Errorf("%s, %q, %s: %s", c.Repo, title, path, fault)
		}
		claims, slowest = claims+len(refs), max(slowest, took)
	}
	t.Logf("%d changes, %d claims, %d of them too long; the slowest change took %v", len(drawn), claims, long, slowest)
	if long*10_000 > claims {
		t.Errorf("%d of %d claims have more than %d words", long, claims, phrase.ClaimWords)
	}
}

// draw returns random commits of a corpus, each as likely as the others.
func draw(t *testing.T, dir string, random *rand.Rand) []commit {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no *.jsonl.gz in %s: %v", dir, err)
	}
	var lines [][]byte
	seen := 0
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		text, err := gzip.NewReader(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sc := bufio.NewScanner(text)
		sc.Buffer(nil, 64<<20)
		for ; sc.Scan(); seen++ {
			if at := random.IntN(seen + 1); len(lines) < *robustChanges {
				lines = append(lines, slices.Clone(sc.Bytes()))
			} else if at < len(lines) {
				lines[at] = slices.Clone(sc.Bytes())
			}
		}
		if err := sc.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var out []commit
	for _, line := range lines {
		var c commit
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Files) > 0 && len(c.Diff) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// diff returns the diff of a commit with headers that count its lines.
func (c *commit) diff() string {
	var b strings.Builder
	at, head, body, counts := 1, "", "", [2]int{}
	for _, line := range append(slices.Clone(c.Diff), "@") {
		switch line[:min(1, len(line))] {
		case "-":
			body, counts[0] = body+line+"\n", counts[0]+1
		case "+":
			body, counts[1] = body+line+"\n", counts[1]+1
		case "@":
			if body != "" {
				fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@ %s\n%s", at, counts[0], at, counts[1], head, body)
			}
			at, head, body, counts = at+max(counts[0], counts[1])+50, line[1:], "", [2]int{}
		} // others are ends of lines that the corpus cut in two
	}
	return b.String()
}

// robust makes the claims of a change and looks for its smells. A panic is an error.
func robust(path, diff string) (refs []pseudoref.Ref, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := change.Parse([]byte(diff), change.Options{Path: path})
	if err != nil {
		return nil, err
	}
	trees, err := syntax.Parse(ctx, c)
	if err != nil {
		return nil, err
	}
	said, err := symbolic.Claims(ctx, trees, symbolic.Options{})
	if err != nil {
		return nil, err
	}
	_, err = smells.Detect(ctx, trees, smells.Options{})
	return said.Refs, err
}

// quoted is a text of which each quotation has an end.
var quoted = regexp.MustCompile("(?s)^(?:[^`\"“”]|`` .*? ``|`[^`]+`|\"[^\"]*\"|“[^”]*”)*$")

func TestQuoted(t *testing.T) {
	for claim, want := range map[string]bool{
		"`` a` `` and `b` say \"c\" and “d \"e\"”.": true,
		"`a is now `b`.": false,
		"It says \"a.":   false,
		"It says “a.":    false,
	} {
		if got := quoted.MatchString(claim); got != want {
			t.Errorf("%s: %t, want %t", claim, got, want)
		}
	}
}
