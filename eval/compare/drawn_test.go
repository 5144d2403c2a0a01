package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crscore/internal/report/figures"
)

// drawnOf is the page with figures of so many systems, the first the best by a step.
func drawnOf(t *testing.T, n int, step float64, o Options) (*Report, []figures.Section) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id,review,lang,score\n")
	for change := range 40 {
		for s := range n {
			fmt.Fprintf(&b, "c%d,system-with-a-name-that-is-longer-than-others-%02d,go,%.4f\n", change, s, 1-step*float64(s)+0.05*r.Float64())
		}
	}
	rep, err := Study(t.Context(), read(t, b.String()), o)
	if err != nil {
		t.Fatal(err)
	}
	return &rep, rep.Page(true).Sections
}

// find returns the figure of a type.
func find[F figures.Figure](t *testing.T, sections []figures.Section) (out F) {
	t.Helper()
	found := 0
	for _, s := range sections {
		for _, f := range s.Figures {
			if f, ok := f.(F); ok {
				if _, dots := any(f).(figures.Dots); dots && s.Title != "Differences" {
					continue // those of the means
				}
				out = f
				found++
			}
		}
	}
	if found != 1 {
		t.Fatalf("%d figures of %T", found, out)
	}
	return out
}

// TestAllSystemsAreDrawn: no system is left out of the figures, which are in the order of the means, and
// no name is cut.
func TestAllSystemsAreDrawn(t *testing.T) {
	for _, n := range []int{2, 10, 40} {
		rep, sections := drawnOf(t, n, 0.1, Options{})
		boxes, matrix := find[figures.Boxes](t, sections), find[figures.Dots](t, sections)
		if len(boxes.Groups) != n || len(matrix.Rows) != n*(n-1)/2 {
			t.Errorf("%d systems: %d boxes, %d differences", n, len(boxes.Groups), len(matrix.Rows))
		}
		for i, b := range boxes.Groups {
			if want := fmt.Sprintf("system-with-a-name-that-is-longer-than-others-%02d", i); b.Name != want || len(b.Values) != 40 {
				t.Errorf("box %d is %s with %d values, want %s", i, b.Name, len(b.Values), want)
			}
		}
		if len(rep.Pairs) > 1 {
			m := find[figures.Matrix](t, sections)
			if len(m.Names) != n || len(m.Contrasts) != n*(n-1)/2 {
				t.Errorf("%d systems: a matrix of %d and %d pairs", n, len(m.Names), len(m.Contrasts))
			}
		}
	}
	if _, sections := drawnOf(t, 1, 0.1, Options{}); len(sections) != 2 || len(find[figures.Boxes](t, sections).Groups) != 1 {
		t.Errorf("one system has %d parts", len(sections)) // with that of the language
	}
}

// TestForest: all pairs of ten systems are drawn, else those from the best or from the baseline. The
// others are in the numbers.
func TestForest(t *testing.T) {
	for _, c := range []struct {
		systems, shown, rows int
		baseline             string
	}{
		{10, 0, 45, ""},
		{11, 10, 55, ""},
		{11, 0, 10, "system-with-a-name-that-is-longer-than-others-03"},
	} {
		_, sections := drawnOf(t, c.systems, 0.1, Options{Baseline: c.baseline})
		d := find[figures.Dots](t, sections)
		if d.Shown != c.shown || len(d.Rows) != c.rows {
			t.Errorf("%d systems: %d of %d rows are drawn, want %d of %d", c.systems, d.Shown, len(d.Rows), c.shown, c.rows)
		}
		if c.shown > 0 && !strings.HasPrefix(d.Rows[c.shown-1].Name, "system-with-a-name-that-is-longer-than-others-00 − ") {
			t.Errorf("the last row that is drawn is %s", d.Rows[c.shown-1].Name)
		}
	}
}

// TestMatrixSaysWhatThePairsSay: sign, size, p-values and which is better are those of the pairs, also
// where lower is better.
func TestMatrixSaysWhatThePairsSay(t *testing.T) {
	for _, lower := range []bool{false, true} {
		rep, _ := drawnOf(t, 4, 0.004, Options{})
		rep.LowerIsBetter = lower
		m := find[figures.Matrix](t, rep.Page(true).Sections)
		for i, c := range m.Contrasts {
			p := rep.Pairs[i]
			if m.Names[c.A] != p.A || m.Names[c.B] != p.B || c.Difference != *p.Difference.Value || c.Corrected != *p.Corrected || c.P != *p.Difference.P ||
				c.Low != p.Difference.Interval[0] || c.High != p.Difference.Interval[1] || c.Significant != p.Differs() || c.Better == lower {
				t.Errorf("lower %v: %+v is not %+v", lower, c, p)
			}
		}
		for _, is := range []bool{false, true} {
			if !slices.ContainsFunc(m.Contrasts, func(c figures.Contrast) bool { return c.Significant == is }) {
				t.Errorf("no pair has significant %v", is)
			}
		}
	}
}

// TestTableIsFolded: HTML has the table of pairs behind the figures, folded; text has it in sight.
func TestTableIsFolded(t *testing.T) {
	rep, sections := drawnOf(t, 3, 0.1, Options{})
	table := func(s []figures.Section) (figures.Table, int) {
		last := len(s[1].Figures) - 1
		return s[1].Figures[last].(figures.Table), last
	}
	if f, at := table(sections); !f.Folded || at != 2 {
		t.Errorf("in HTML it is folded: %v, after %d figures", f.Folded, at)
	}
	if f, at := table(rep.Page(false).Sections); f.Folded || at != 1 {
		t.Errorf("in text it is folded: %v, after %d figures", f.Folded, at)
	}
}
