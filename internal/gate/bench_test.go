package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crscore"
	"crscore/change"
	"crscore/change/changetest"
	"crscore/internal/comments"
)

// kinds are functions of five lines in several languages, with places for two numbers.
var kinds = []struct{ ext, function string }{
	{"py", `def total_%d_%d(orders, limit=10):
    for order in orders:
        if order.price > limit:
            log.debug("%%s", order)
    return sum(orders) / len(orders)
`},
	{"go", `func total_%d_%d(orders []Order, limit int) (float64, error) {
	if len(orders) > limit {
		return 0, errors.New("too many orders")
	}
	return sum(orders) / float64(len(orders)), nil }
`},
	{"java", `    int total_%d_%d(List<Order> orders, int limit) {
        try { for (Order order : orders) { log.debug(order.toString()); } }
        catch (Exception e) { }
        return orders.stream().mapToInt(Order::price).sum() / orders.size();
    }
`},
	{"ts", `export function total_%d_%d(orders: Order[], limit: number): number {
  for (const order of orders) { if (order.price == limit) console.log(order); }
  const sum = orders.reduce((all, order) => all + order.price, 0);
  return sum / orders.length;
}
`},
}

// large is a change of 500 lines in four files, each with an old function that goes
// for every four new ones, with as many comments on it.
func large(n int) (diff string, list []comments.Comment) {
	var b strings.Builder
	for f, kind := range kinds {
		path := fmt.Sprintf("svc/mod%d.%s", f, kind.ext)
		fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n", path, path, path, path)
		for k := range 5 { // a hunk has 25 lines, and 6 of context
			fmt.Fprintf(&b, "@@ -%d,11 +%d,26 @@\n \n \n \n", 100*k+1, 115*k+1)
			for i := range 5 {
				sign := "+"
				if i == 0 {
					sign = "-"
				}
				for line := range strings.Lines(fmt.Sprintf(kind.function, f, 5*k+i)) {
					b.WriteString(sign + line)
				}
			}
			b.WriteString(" \n \n \n")
		}
	}
	for i := range n {
		f, k := i%4, i/4%5
		list = append(list, on(fmt.Sprintf("svc/mod%d.%s", f, kinds[f].ext), 115*k+5+i%20,
			fmt.Sprintf("`total_%d_%d` divides by the length of `orders`, which fails for an empty list. Is `limit` checked in case %d?", f, 5*k+1, i)))
	}
	return b.String(), list
}

func TestLarge(t *testing.T) {
	diff, list := large(20)
	c, changed := changetest.Parse(t, diff), 0
	for _, f := range c.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op != change.Context {
					changed++
				}
			}
		}
	}
	if changed != 500 || len(list) != 20 {
		t.Errorf("%d lines, %d comments", changed, len(list))
	}
	places := placesIn(c, nil, nil)
	for _, comment := range list {
		if at := places.of(comment); strings.Contains(at.note, "the diff has no") {
			t.Errorf("%+v: %s", comment, at.note)
		}
	}
}

// BenchmarkJudge is a warm engine's work on a large change, parsing included, with
// as many comments as a bot has and with far more.
func BenchmarkJudge(b *testing.B) {
	ctx := context.Background()
	e, err := crscore.New(ctx, crscore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for _, n := range []int{20, 10_000} {
		diff, list := large(n)
		for _, keep := range []int{5, n / 2} {
			b.Run(fmt.Sprintf("comments=%d/keep=%d", n, keep), func(b *testing.B) {
				for b.Loop() {
					d, err := Judge(ctx, e, crscore.Input{Change: changetest.Parse(b, diff)}, list, Policy{DropOffTopic: true, MaxComments: keep})
					if err != nil || d.Outcome != Pass {
						b.Fatalf("%s %s, %v", d.Outcome, d.Reasons, err)
					}
				}
			})
		}
	}
}

// BenchmarkCold is the command from its start to its end, as it is released: gate of
// a large change with 20 comments, and beside it what the start alone takes, with the
// built-in model (version) and without (help). The least time is told, too, which is
// that of the machine undisturbed, and the time of processors.
func BenchmarkCold(b *testing.B) {
	dir := b.TempDir()
	bin := filepath.Join(dir, "crscore")
	if out, err := exec.Command("make", "-s", "-C", "../..", "build", "BIN="+bin).CombinedOutput(); err != nil {
		b.Skipf("make build: %v\n%s", err, out)
	}
	diff, list := large(20)
	review := struct {
		Comments []map[string]any `json:"comments"`
	}{}
	for _, c := range list {
		review.Comments = append(review.Comments, map[string]any{"path": c.Path, "line": c.EndLine, "body": c.Body})
	}
	text, err := json.Marshal(review)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "pr.diff"), []byte(diff), 0o600), os.WriteFile(filepath.Join(dir, "review.json"), text, 0o600))
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"gate", []string{"gate", "--diff", "pr.diff", "--comments", "review.json", "--drop-off-topic", "--max-comments", "10"}},
		{"version", []string{"version"}}, {"help", []string{"--help"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			least, busy := time.Duration(math.MaxInt64), time.Duration(0)
			for b.Loop() {
				cmd := exec.Command(bin, c.args...)
				cmd.Dir = dir
				start := time.Now()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				least = min(least, time.Since(start))
				busy += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(busy.Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(least.Microseconds())/1000, "least-ms/op")
		})
	}
}

// FuzzPlace looks for comments that no place can be found for.
func FuzzPlace(f *testing.F) {
	f.Add("a.go", "", true, 2, 3, 0)
	f.Add(`C:\now.go`, "was.go", false, 5, 5, 0)
	f.Add("file:///x/now.go", "", false, 0, 0, 3)
	c := changetest.Parse(f, twoFiles)
	f.Fuzz(func(t *testing.T, path, oldPath string, old bool, first, last, line int) {
		comment := comments.Comment{Path: path, OldPath: oldPath, Side: comments.New, StartLine: first, EndLine: last, DiffLine: line}
		if old {
			comment.Side = comments.Old
		}
		p := placesIn(c, refs(), nil)
		at := p.of(p.settle(comment))
		if now := p.onNew(p.settle(comment)); now.Side == comments.Old && now.EndLine > 0 && now.Path != path {
			t.Errorf("%+v: %+v", comment, now)
		}
		if len(at.refs) == 0 || at.scope == ScopeChange && len(at.refs) != len(refs()) || strings.ContainsAny(at.note, "\n\x1b") {
			t.Errorf("%+v: %+v", comment, at)
		}
	})
}
