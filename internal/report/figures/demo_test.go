package figures

import (
	"math"
	"math/rand/v2"

	"crscore/internal/report"
)

// demo is a page with every kind of figure. All of it is made up.
func demo() Page {
	r := rand.New(rand.NewPCG(1, 2))
	var at, con, comp, rel, f1, low, high []float64
	for i := range 101 {
		x := float64(i) / 100
		at = append(at, x)
		c, m := 1/(1+math.Exp(14*(x-0.42))), 1/(1+math.Exp(11*(x-0.24)))
		con, comp, rel = append(con, c), append(comp, m), append(rel, 2*c*m/(c+m))
		low, high = append(low, 2*c*m/(c+m)-0.05), append(high, 2*c*m/(c+m)+0.05)
		f := math.NaN()
		if i > 8 && i < 93 {
			f = 0.7 * math.Exp(-12*(x-0.37)*(x-0.37))
		}
		f1 = append(f1, f)
	}
	normal := func(n int, mean, sd float64) (out []float64) {
		for range n {
			out = append(out, max(0, min(1, mean+sd*r.NormFloat64())))
		}
		return out
	}
	var groups []Box
	for label := 1; label <= 5; label++ {
		n := []int{80, 230, 900, 140, 3}[label-1]
		mean := 0.08 + 0.13*float64(label)
		groups = append(groups, Box{Sample{string(rune('0' + label)), normal(n, mean, 0.16)}, mean - 0.2/math.Sqrt(float64(n)), mean + 0.2/math.Sqrt(float64(n))})
	}
	return Page{
		Title: "Agreement with human labels",
		Lead:  "Rel agrees with the labels of 1,353 reviews with Spearman's ρ = 0.61 [0.57, 0.65].\n\nAll numbers on this page are made up.",
		Sections: []Section{
			{Title: "The threshold", Text: "What the scores would be with other thresholds.", Figures: []Figure{
				Lines{Title: "Scores over τ", X: Axis{Label: "threshold τ"}, Y: Axis{Label: "mean score, F1", Min: 0, Max: 1}, At: at,
					Series:  []Series{{Name: "Con", Y: con}, {Name: "Comp", Y: comp}, {Name: "Rel", Y: rel, Low: low, High: high}, {Name: "F1 of the links", Y: f1}},
					Markers: []Marker{{X: 0.36, Label: "chosen τ 0.36", Low: 0.31, High: 0.4}, {X: 0.73, Label: "the paper's τ 0.7314"}}},
				Lines{Title: "Similarity and addressed points", Note: "The curve is fitted, the points are observed.", X: Axis{Label: "similarity"}, Y: Axis{Label: "share of pairs that people linked"},
					At:     []float64{0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95},
					Series: []Series{{Name: "fitted", Y: []float64{0.01, 0.03, 0.09, 0.22, 0.42, 0.62, 0.78, 0.88, 0.93, 0.96}}, {Name: "observed", Y: []float64{0, 0.04, 0.07, 0.25, 0.38, 0.66, 0.74, 0.9, math.NaN(), 1}, Low: []float64{0, 0.01, 0.03, 0.2, 0.33, 0.58, 0.6, 0.7}, High: []float64{0.03, 0.07, 0.12, 0.3, 0.44, 0.74, 0.85, 0.97}, Dots: true}}},
				Histogram{Title: "Similarity of linked and other pairs", X: Axis{Label: "best similarity of a review to a point", Min: 0, Max: 1},
					Groups:  []Sample{{"linked", normal(412, 0.52, 0.15)}, {"not linked", normal(2210, 0.3, 0.11)}},
					Markers: []Marker{{X: 0.36, Label: "chosen τ 0.36"}}},
			}},
			{Title: "By label", Figures: []Figure{
				Boxes{Title: "Rel by human label", X: "human label", Y: Axis{Label: "Rel", Min: 0, Max: 1}, Groups: groups},
				Table{Title: "Systems", Note: "Sorted by the labels.", Columns: []Column{{"system", false}, {"reviews", true}, {"Rel", true}, {"95% interval", true}, {"human rel", true}, {"rank, ours", true}, {"rank, human", true}},
					Rows: []Row{{Group: "large models"}, {Cells: []string{"alpha-70b-instruct", "271", "0.44", "[0.41, 0.47]", "3.9", "1", "1"}}, {Cells: []string{"beta-chat", "271", "0.37", "[0.34, 0.40]", "3.1", "2", "3"}, Marked: true},
						{Group: "small models"}, {Cells: []string{"gamma-7b", "271", "0.35", "[0.32, 0.38]", "3.2", "3", "2"}}, {Cells: []string{"delta-1b", "270", "0.11", "[0.09, 0.13]", "1.4", "4", "4"}}},
					Footnotes: []string{"One review of delta-1b is unscored and counts as 0."}},
			}},
			{Title: "Metrics", Figures: []Figure{
				Dots{Title: "Spearman's ρ of some metrics", Note: "A ring is a control.", X: "Spearman's ρ with rel", Rows: []Dot{
					{Name: "ours, soft", Value: 0.61, Low: 0.57, High: 0.65, Marked: true}, {Name: "n-grams", Value: 0.35, Low: 0.3, High: 0.41},
					{Name: "length", Value: 0.2, Low: 0.13, High: 0.26, Hollow: true}, {Name: "no interval", Value: 0.1}, {Name: "edit distance", Value: -0.12, Low: -0.18, High: -0.07},
					{Name: "no value", Value: math.NaN()},
				}},
			}},
			{Title: "Differences", Figures: []Figure{tournament(9), tournament(40)}},
			{Title: "Worst cases", Figures: []Figure{
				Cases{Title: "Rated too low", Note: "The metric ranks these reviews far below where people do.", Cases: []Case{
					{Title: "change 17, review beta-chat", Facts: []string{"human rel 5", "Rel 0.08", "Con 0.50", "Comp 0.04"},
						Sentences: []Item{{Text: "This will break when the queue is empty, because first() returns nothing then.", Mark: report.Good}, {Text: "Have you thought about what the callers expect?", Mark: report.Partly}},
						Refs: []Item{{Text: "The method next returns the first job of the queue.", Kind: "claim", Mark: report.Good}, {Text: "The loop ends when the queue is empty.", Kind: "claim", Mark: report.Good},
							{Text: "Function drain is 64 lines long and does three things.", Kind: "smell", Mark: report.Bad}, {Text: "A caller that waits for a job is not woken.", Kind: "implication", Mark: report.Partly}},
						Links: []Link{{1, 2, 0.52, true}, {1, 1, 0.41, true}, {2, 4, 0.22, false}}},
					{Title: "change 4, review <script>alert(1)</script>", Facts: []string{"human rel 4"}, Note: "The review says nothing that can be compared.", Refs: []Item{{Text: "a\u202eb\x1b[31m", Mark: report.Bad}}},
				}},
			}},
		},
		Foot: "crscore/0.1 encoder=made-up tau=0.36",
	}
}

// tournament is a matrix of so many items, the best first.
func tournament(n int) Matrix {
	m := Matrix{Title: "Differences", Of: "difference of mean Rel"}
	for i := range n {
		m.Names = append(m.Names, []string{"alpha-70b-instruct", "beta", "a name of several words"}[i%3])
		for k := range i {
			d := 0.03 * float64(i-k)
			m.Contrasts = append(m.Contrasts, Contrast{A: k, B: i, Difference: d, Low: d - 0.05, High: d + 0.05,
				P: math.Exp(-100 * d), Corrected: min(1, 10*math.Exp(-100*d)), Significant: i-k > 1, Better: true})
		}
	}
	return m
}

// few is a page of a few values, whose HTML can be read.
func few() Page {
	return Page{Title: "A few", Lead: "One paragraph.\n\nAnother one.", Foot: "The end.", Sections: []Section{{"All", "Text.", []Figure{
		Lines{"Curves", "A note.", Axis{Label: "x"}, Axis{Label: "y"}, []float64{0, 1, 2, 3},
			[]Series{{Name: "one", Y: []float64{1, math.NaN(), 3, 4}}, {Name: "two", Y: []float64{0, 1, 2, 3}, Low: []float64{0, 0, 1, 2}, High: []float64{1, 2, 3, 4}}, {Name: "seen", Y: []float64{2, 2}, Dots: true}},
			[]Marker{{X: 2, Label: "here", Low: 1.5, High: 2.5}}},
		Histogram{"Counts", "", Axis{Label: "value", Min: 0, Max: 1}, 2, []Sample{{"a", []float64{0.1, 0.2, 0.9}}, {"b", []float64{0.8}}}, true, nil},
		Boxes{"Boxes", "", "label", Axis{Label: "value"}, []Box{{Sample{"1", []float64{1, 2, 3, 4, 9}}, 3, 4.5}, {Sample{Name: "2"}, 0, 0}}},
		Dots{"Dots", "", "value", []Dot{{"a", 1, 0.5, 1.5, true, false}, {"b", 0.5, 0, 0, false, true}}, 0},
		Matrix{"Matrix", "A note.", "difference", []string{"a", "b", "c"}, []Contrast{{0, 1, 0.2, 0.1, 0.3, 0.001, 0.003, true, true}, {1, 2, -0.05, -0.1, 0.1, 0.2, 0.4, false, false}}},
		Table{"Table", "A note.", []Column{{"name", false}, {"n", true}}, []Row{{Group: "group"}, {Cells: []string{"a", "1"}}, {Cells: []string{"b"}, Marked: true}}, []string{"A footnote."}, true},
		Cases{"Cases", "", []Case{{Title: "change 1", Facts: []string{"human 5"}, Sentences: []Item{{Text: "One.", Code: "   12 +a < b\n   13  c\n"}}, Refs: []Item{{Text: "A.", Kind: "claim", Mark: report.Good}, {Text: "B.", Mark: report.Bad}}, Links: []Link{{1, 1, 0.5, true}}, Note: "A note.", Names: [2]string{"Comments"}}}},
	}}}}
}

// beyond is a page whose values leave the axes that are asked for.
func beyond() Page {
	axis := Axis{Label: "from 0 to 1", Min: 0, Max: 1}
	values := []float64{-5, 0.2, 0.4, 7, 0.6, 0.8}
	markers := []Marker{{X: -3, Label: "far left"}, {X: 0.5, Label: "wide", Low: -9, High: 9}, {X: 1, Label: "at the right edge"}, {X: 4, Label: "far right", Low: 3, High: 5}}
	var names []Series
	for range 9 {
		names = append(names, Series{Name: "the same end", Y: []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.02}})
	}
	return Page{Title: "Beyond", Sections: []Section{{Title: "Beyond the axes", Figures: []Figure{
		Lines{Title: "Curves", X: axis, Y: axis, At: []float64{-1, 0.1, 0.3, 0.5, 0.9, 2}, Markers: markers,
			Series: []Series{{Name: "line", Y: values, Low: []float64{-9, -9, -9, -9, -9, -9}, High: []float64{9, 9, 9, 9, 9, 9}}, {Name: "dots", Y: values, Low: []float64{0, 0, 0, 0, 0, 0}, High: []float64{9, 9, 9, 9, 9, 9}, Dots: true}}},
		Lines{Title: "Names", X: axis, Y: axis, At: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, Series: names},
		Histogram{Title: "Counts", X: axis, Groups: []Sample{{"a", values}}, Markers: markers},
		Boxes{Title: "Boxes", X: "group", Y: axis, Groups: []Box{{Sample{"a", values}, -2, 3}, {Sample{"b", []float64{5, 6, 7}}, 0, 0}, {Sample{"c", []float64{-5, -6}}, -6, -5}}},
	}}}}
}
