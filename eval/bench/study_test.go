package bench

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/eval/resample"
	"crscore/score"
)

func options(m Matcher) Options {
	return Options{Matcher: m, Lines: 1, Assign: Best, Missing: CountMissed, By: Parts(), Tiers: true, Explain: true, Bootstrap: resample.Bootstrap{Resamples: 100, Workers: 1}}
}

// byWord says that texts with a first letter in common mean the same; it cannot judge "?".
type byWord struct{ Lines }

func (byWord) Match(_ context.Context, pairs []Pair) ([]Verdict, error) {
	out := make([]Verdict, len(pairs))
	for i, p := range pairs {
		switch same := p.Generated[0] == p.Reference[0]; {
		case p.Generated[0] == '?':
			out[i].Undecided = "no idea"
		case same:
			out[i] = Verdict{Score: .5, Same: true}
		}
	}
	return out, nil
}

func judgedAs(text string, from int, more string) string {
	return fmt.Sprintf(`{"note": %q, "path": "a", "side": "right", "from_line": %d, "to_line": %d%s}`, text, from, from, more)
}

// comment is a line of text for AACR-Bench's reader.
func comment(text string, from int) string {
	return fmt.Sprintf("a right %d %d %s <notesplit />\n", from, from, text)
}

// TestStudy counts a case that can be counted by hand.
func TestStudy(t *testing.T) {
	truth := truthOf(t, strings.Join([]string{judgedAs("a", 1, `, "category": "X", "is_ai_comment": true`), judgedAs("b", 5, `, "category": "Y"`)}, ","), judgedAs("c", 1, ""), "", judgedAs("d", 1, ""))
	invalid := truthOf(t, judgedAs("z", 20, ""))
	b := New(truth, invalid)
	full, silent := &System{Name: "full"}, &System{Name: "silent"}
	full.Add(b, "comments_r0_10.txt", []byte(comment("a again", 2)+comment("a once more", 1)+comment("x", 5)+comment("z", 21)+comment("?", 1)), "")
	full.Add(b, "comments_r1_11.txt", []byte(comment("c", 4)), "")
	full.Add(b, "comments_r2_12.txt", []byte(comment("y", 4)), "")
	silent.Add(b, "comments_r0_10.txt", nil, "")
	rep, err := Study(t.Context(), b, []*System{full, silent}, options(byWord{}))
	if err != nil {
		t.Fatal(err)
	}
	s := rep.Systems[0]
	if s.Answered != 3 || s.Missing != 1 || s.Comments != 7 || s.Lines.Matches != 2 || s.Full.Matches != 1 || s.Invalid != 1 || s.Neither != 5 || s.Undecided != 1 {
		t.Errorf("%+v", s)
	}
	approx(t, "P", s.Full.Precision, 1.0/7)
	approx(t, "R", s.Full.Recall, 1.0/4)
	approx(t, "F1", s.Full.F1, 2.0/11)
	approx(t, "line P", s.Lines.Precision, 2.0/7)
	approx(t, "neither", s.NeitherShare, 5.0/7)
	var tiers []string
	for _, tier := range s.Tiers {
		tiers = append(tiers, fmt.Sprintf("%s %d/%d", tier.Value, tier.Full.Matches, tier.Lines.Matches))
	}
	if got := strings.Join(tiers, ", "); got != "exact 1/2, ≤1 1/2, ≤3 2/3, file 2/3" {
		t.Error(got)
	}
	// The second comment is nearer, and so it is the match.
	if m := rep.Cases[0].Matches; len(m) != 1 || m[0].Comment != 2 || m[0].Reference != 1 || *m[0].Distance != 0 {
		t.Errorf("%+v", m)
	}
	if u := rep.Cases[0].Unmatched; len(u) != 4 || !u[2].Invalid || u[1].Invalid {
		t.Errorf("%+v", u)
	}
	if q := rep.Systems[1]; q.Full.Precision.Value != nil || q.Full.Precision.Undefined != "no comments" || *q.Full.Recall.Value != 0 || q.Full.F1.Value != nil {
		t.Errorf("%+v", q)
	}
	weighted(t, rep)
	o := options(byWord{})
	o.Missing = Skip
	if rep, err = Study(t.Context(), b, []*System{full}, o); err != nil {
		t.Fatal(err)
	}
	approx(t, "R without the missing", rep.Systems[0].Full.Recall, 1.0/3)
	o.By = []string{"size"}
	if _, err = Study(t.Context(), b, []*System{full}, o); err == nil {
		t.Error("parted by size")
	}
}

// weighted: the parts of each kind have all references and all matches.
func weighted(t *testing.T, rep *Report) {
	t.Helper()
	for _, s := range rep.Systems {
		sums := map[string][3]float64{}
		for _, p := range s.Slices {
			sum := sums[p.By]
			sum[0] += float64(p.References)
			sum[1] += float64(p.Full.Matches)
			if p.References > 0 {
				sum[2] += *p.Full.Recall.Value * float64(p.References)
			}
			sums[p.By] = sum
		}
		for by, sum := range sums {
			if int(sum[0]) != rep.References || int(sum[1]) != s.Full.Matches || math.Abs(sum[2]-sum[1]) > 1e-9 {
				t.Errorf("%s by %s: %v, want %d references, %d matches", s.Name, by, sum, rep.References, s.Full.Matches)
			}
		}
		if len(sums) != len(Parts()) {
			t.Errorf("parts: %v", sums)
		}
	}
}

func approx(t *testing.T, what string, e resample.Estimate, want float64) {
	t.Helper()
	if e.Value == nil || math.Abs(*e.Value-want) > 1e-12 {
		t.Errorf("%s is %s, want %g", what, e.String(), want)
	}
}

// TestUpstream: the greedy order, and precision and recall rounded before F1.
func TestUpstream(t *testing.T) {
	b := New(truthOf(t, strings.Join([]string{judgedAs("a", 2, ""), judgedAs("a", 1, ""), judgedAs("c", 9, "")}, ",")), nil)
	s := &System{Name: "s"}
	s.Add(b, "comments_r0_10.txt", []byte(comment("a", 1)+comment("a", 3)+comment("x", 50)), "")
	o := options(byWord{})
	best, err := Study(t.Context(), b, []*System{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Assign = Upstream
	upstream, err := Study(t.Context(), b, []*System{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	approx(t, "best", best.Systems[0].Full.F1, 2.0/3)
	approx(t, "upstream P", upstream.Systems[0].Full.Precision, .333)
	approx(t, "upstream F1", upstream.Systems[0].Full.F1, .333)
	if rows := upstream.Rows(); *rows[0].Con != .333 || rows[0].Review != "s" || rows[0].Signature != upstream.Signature {
		t.Errorf("%+v", rows)
	}
	if !strings.Contains(upstream.Signature, "matcher=lines/1 written=forms/1 lines=1 assign=upstream missing=missed data=sha256:") {
		t.Error(upstream.Signature)
	}
}

// TestDeterminism: the order of files and systems changes no byte of a system's numbers.
func TestDeterminism(t *testing.T) {
	b := New(truthOf(t, judgedAs("a", 1, ""), judgedAs("b", 2, ""), judgedAs("c", 1, "")), nil)
	files := []string{"comments_r0_10.txt", "comments_r1_11.txt", "comments_r2_12.txt"}
	csv := func(files []string, workers int) string {
		s := &System{Name: "s"}
		for _, f := range files {
			s.Add(b, f, []byte(comment("a", 1)+comment("b", 2)), "")
		}
		o := options(byWord{})
		o.Bootstrap.Workers = workers
		rep, err := Study(t.Context(), b, []*System{s}, o)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := rep.CSV(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	one := csv(files, 1)
	slices.Reverse(files)
	if two := csv(files, 4); one != two {
		t.Errorf("%s\n%s", one, two)
	}
}

// TestPublished computes F1 of the published table from P and R, and the matches by recall and by
// precision where the number of comments is given.
func TestPublished(t *testing.T) {
	page, err := os.ReadFile("../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	const references, hunks = 1505, 4300
	rows := 0
	for _, m := range regexp.MustCompile(`(?m)^\| (?:no context|BM25 †|embedding retrieval|Claude Code) \| .*$`).FindAllString(string(page), -1) {
		cells := strings.Split(m, "|")
		number := func(i int) float64 {
			v, err := strconv.ParseFloat(strings.TrimSpace(cells[i]), 64)
			if err != nil {
				return math.NaN()
			}
			return v
		}
		rows++
		comments := number(3) * hunks
		for _, at := range []int{4, 7} {
			r, p, f1 := number(at), number(at+1), number(at+2)
			if math.IsNaN(r) && strings.Contains(m, "BM25") && at == 4 {
				continue
			}
			// P has one decimal, R and F1 have two, and comments per hunk three digits.
			if low, high := score.HarmonicMean(p-.05, r-.005), score.HarmonicMean(p+.05, r+.005); !(f1 >= low-.005 && f1 <= high+.005) {
				t.Errorf("%s: F1 of %g and %g is from %.2f to %.2f", m, p, r, low, high)
			}
			byRecall, byPrecision := r/100*references, p/100*comments
			if off := (.05/p + .005) * byPrecision; !math.IsNaN(comments) && !(math.Abs(byRecall-byPrecision) <= off+1) {
				t.Errorf("%s: %.1f matches by recall, %.1f by precision", m, byRecall, byPrecision)
			}
		}
	}
	if rows != 20 {
		t.Errorf("%d rows", rows)
	}
}

// BenchmarkStudy is 196 pull requests, five systems and 2,000 comments of each with the matcher sts.
func BenchmarkStudy(b *testing.B) {
	words := strings.Fields("the lock of queue is never released when parse fails so close reader before return and check nil value empty list loop index test name")
	sentence := func(seed int) string {
		var out []string
		for i := range 24 {
			out = append(out, words[(seed*7+i*i*(seed%11+1))%len(words)])
		}
		return strings.Join(out[:12], " ") + ". " + strings.Join(out[12:], " ") + "."
	}
	var pulls []string
	for i := range 196 {
		var list []string
		for k := range 8 {
			list = append(list, judgedAs(sentence(i*8+k), 3*k+1, ""))
		}
		pulls = append(pulls, strings.Join(list, ","))
	}
	bm := New(truthOf(b, pulls...), nil)
	var systems []*System
	for s := range 5 {
		sys := &System{Name: fmt.Sprint(s)}
		for i := range 196 {
			var text strings.Builder
			for k := range 11 {
				text.WriteString(comment(sentence(s*5000+i*11+k), 2*k+1))
			}
			sys.Add(bm, fmt.Sprintf("comments_r%d_%d.txt", i, i+10), []byte(text.String()), "")
		}
		systems = append(systems, sys)
	}
	m := builtin(b)
	o := options(m)
	o.Bootstrap = resample.Bootstrap{}
	for b.Loop() {
		rep, err := Study(b.Context(), bm, systems, o)
		if err != nil || rep.Systems[4].Comments < 2000 {
			b.Fatal(err)
		}
	}
}

// TestMatchedIsNotInvalid: a comment that matches a reference is no hit on a known-invalid comment.
func TestMatchedIsNotInvalid(t *testing.T) {
	b := New(truthOf(t, judgedAs("a", 1, "")), truthOf(t, judgedAs("a", 1, "")))
	s := &System{Name: "s"}
	s.Add(b, "comments_r0_10.txt", []byte(comment("a", 1)), "")
	rep, err := Study(t.Context(), b, []*System{s}, options(byWord{}))
	if err != nil {
		t.Fatal(err)
	}
	if got := rep.Systems[0]; got.Full.Matches != 1 || got.Invalid != 0 || got.Neither != 0 {
		t.Errorf("%+v", got)
	}
}
