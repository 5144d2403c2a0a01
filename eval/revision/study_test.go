package revision

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"crscore/eval/resample"
	"crscore/internal/dataset"
)

// filled is a study of rows that are written as "tool perturbation id of EXM EM REE"; ? is unscored.
func filled(t *testing.T, rows string) *Study {
	t.Helper()
	var s Study
	for i, line := range strings.Split(strings.TrimSpace(rows), "\n") {
		f := strings.Fields(line)
		rev := dataset.Revision{Line: i + 1, Tool: f[0], Perturbation: strings.Trim(f[1], "-"), ID: f[2], Of: f[3]}
		scores := &Scores{EXM: f[4] == "1", EM: f[5] == "1", InfiniteREE: f[6] == "inf", BLEU4: .5, CodeBLEU: CodeBLEU{Score: .25}}
		if v, err := strconv.ParseFloat(f[6], 64); err == nil && !math.IsInf(v, 0) {
			scores.REE = &v
		}
		if f[4] == "?" {
			scores = nil
		}
		if err := s.Add(&rev, scores); err != nil {
			t.Fatal(err)
		}
	}
	return &s
}

func reportOf(t *testing.T, s *Study, which Instances) *Report {
	t.Helper()
	r, err := s.Report(context.Background(), which, resample.Bootstrap{Resamples: 100})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func value(e resample.Estimate) float64 {
	if e.Value == nil {
		return math.NaN()
	}
	return *e.Value
}

func TestStudy(t *testing.T) {
	s := filled(t, `
a -  1    1 1 1 0
a -  2    2 1 1 0
a -  3    3 0 1 2
a -  4    4 ? 0 -
a p1 1#p1 1 0 1 1
a p1 1#p  1 1 1 0
a p1 2#p1 2 0 0 -
a p1 3#p1 3 1 1 inf
a p1 4#p1 4 1 1 0
a p1 5#p1 5 1 1 0
a p2 1#p2 1 1 1 0
a p2 2#p2 2 ? 0 -
b -  1    1 1 1 0
b -  2    2 0 0 -
b p1 1#p1 1 0 0 -
`)
	// Six rows of p1 are scored, three of originals that a solved: 0, 1, 0 are exact, 1, 1, 0 have all edits.
	for which, want := range map[Instances]struct {
		rows, infinite, solved  int
		exm, em, ree, dEXM, dEM float64
	}{
		All:    {6, 1, 3, 4. / 6, 5. / 6, 1. / 4, 200. / 3, 100. / 3},
		Own:    {3, 0, 3, 1. / 3, 2. / 3, 1. / 2, 200. / 3, 100. / 3},
		Common: {2, 0, 2, 1. / 2, 1, 1. / 2, 50, 0}, // b solved 1 alone
	} {
		r := reportOf(t, s, which)
		a := r.Tools[0]
		n := a.Perturbations[1]
		if n.Perturbation != "p1" || n.Rows != want.rows || n.InfiniteREE != want.infinite || n.Solved != want.solved || !near(value(n.EXM), want.exm) ||
			!near(value(n.EM), want.em) || !near(value(n.REE), want.ree) || !near(value(n.DropEXM), want.dEXM) || !near(value(n.DropEM), want.dEM) ||
			value(n.BLEU4) != .5 || value(n.CodeBLEU) != .25 {
			t.Errorf("%s: %+v", which, n)
		}
		if a.Worst != "p1" || !near(*a.WorstDropEXM, want.dEXM) || a.Unscored != 2 || a.WithoutOriginal != 2 || r.Unscored != 2 || r.Rows != 15 {
			t.Errorf("%s: %+v of %+v", which, a, r)
		}
		b := r.Tools[1].Perturbations[1]
		if b.REE.Value != nil || b.REE.Undefined != "no answer with EM has a finite REE" || b.DropEXM.Interval != nil ||
			b.DropEXM.Undefined != "no interval: fewer than two changes" {
			t.Errorf("%s: %+v", which, b)
		}
	}
	first := reportOf(t, s, All).Tools[0].Perturbations[0]
	if first.Rows != 3 || first.DropEXM.Undefined != "the originals are not perturbed" {
		t.Errorf("%+v", first)
	}
	if err := s.Add(&dataset.Revision{Line: 99, Tool: "b", Perturbation: "p1", ID: "1#p1"}, &Scores{}); err == nil ||
		!strings.Contains(err.Error(), `line 99: the row "1#p1" of tool "b", perturbation "p1", is on line 15 too`) {
		t.Error(err)
	}
	if _, err := new(Study).Report(context.Background(), All, resample.Bootstrap{}); err == nil {
		t.Error("no rows are no error")
	}
	if _, err := s.Report(context.Background(), All, resample.Bootstrap{Resamples: 3}); err == nil {
		t.Error("three draws are no error")
	}
}

// TestStudyDraws: an original is drawn with all of its rows. Of ten originals with the same ten rows each, no draw
// differs from another.
func TestStudyDraws(t *testing.T) {
	var rows strings.Builder
	for of := range 10 {
		fmt.Fprintf(&rows, "a - %d %[1]d 1 1 0\n", of)
		for k := range 10 {
			fmt.Fprintf(&rows, "a p1 %d#%d %[1]d %[3]d 1 0\n", of, k, k%2)
		}
	}
	n := reportOf(t, filled(t, rows.String()), All).Tools[0].Perturbations[1]
	if n.DropEXM.Interval == nil || *n.DropEXM.Interval != [2]float64{50, 50} {
		t.Errorf("%+v", n.DropEXM)
	}
}

func TestPage(t *testing.T) {
	r := reportOf(t, filled(t, "a - 1 1 1 1 0\na p1 1#p1 1 0 1 .5\n=b - 1 1 ? 0 -"), All)
	var b bytes.Buffer
	if err := r.CSV(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\na,,exm,1,0,1,,,", "\na,p1,delta_exm,1,1,100,,,no interval", "\na,p1,ree,1,1,0.5,"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %s", &b, want)
		}
	}
	b.Reset()
	if err := r.Page().WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "| **p1** | 1 | 100.000 [undefined] | 0.000 [undefined] |") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// TestPublished holds the arithmetic of the published table in docs/revision.md against the study: each percentage is a share of
// the instances beside it, and no smaller number of instances has all ten.
func TestPublished(t *testing.T) {
	page, err := os.ReadFile("../../docs/revision.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (p[1-9]) \| (\d+) \|(.*)\|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) != 9 {
		t.Fatalf("%d perturbations", len(rows))
	}
	for _, row := range rows {
		instances, _ := strconv.Atoi(row[2])
		var percentages []string
		for _, cell := range regexp.MustCompile(`(\d+\.\d)\*?/(\d+\.\d)/`).FindAllStringSubmatch(row[3], -1) {
			percentages = append(percentages, cell[1:]...)
		}
		if len(percentages) != 10 {
			t.Fatalf("%s: %q", row[1], percentages)
		}
		least := 1
		for ; !shares(percentages, least); least++ {
		}
		if least != instances {
			t.Errorf("%s: %d instances, the page says %d", row[1], least, instances)
		}
		for _, p := range percentages {
			want, _ := strconv.ParseFloat(p, 64)
			lost := int(math.Round(want * float64(instances) / 100))
			var lines strings.Builder
			for i := range instances {
				exact := 1
				if i < lost {
					exact = 0
				}
				fmt.Fprintf(&lines, "a - %d %[1]d 1 1 0\na %s %[1]d#p %[1]d %[3]d 1 0\n", i, row[1], exact)
			}
			got := value(reportOf(t, filled(t, lines.String()), Common).Tools[0].Perturbations[1].DropEXM)
			if printed := strconv.FormatFloat(got, 'f', 1, 64); printed != p {
				t.Errorf("%s: %d of %d is %s, the paper has %s", row[1], lost, instances, printed, p)
			}
		}
	}
}

// shares reports whether each percentage is a share of n, rounded to a decimal.
func shares(percentages []string, n int) bool {
	for _, p := range percentages {
		v, _ := strconv.ParseFloat(p, 64)
		if k := math.Round(v * float64(n) / 100); strconv.FormatFloat(100*k/float64(n), 'f', 1, 64) != p {
			return false
		}
	}
	return true
}
