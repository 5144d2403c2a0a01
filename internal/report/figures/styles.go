package figures

import (
	"fmt"
	"slices"
	"strings"

	"crscore/internal/report/paper"
)

// colour is a colour of the page, light and dark. Those of series differ for colour-blind people
// too and have a contrast of at least 4.5 to the background: they are those of text as well.
type colour struct{ name, light, dark string }

var palette = []colour{
	{"bg", "#ffffff", "#15171a"},
	{"card", "#f6f6f4", "#1f2226"},
	{"fg", "#1b1b1b", "#e8e8e6"},
	{"soft", "#575757", "#b0b0ae"},
	{"rule", "#d9d9d6", "#3e4248"},
	{"c0", "#0b5fa5", "#6db8ff"},
	{"c1", "#b03a06", "#ff9d6e"},
	{"c2", "#00705a", "#4fd1b0"},
	{"c3", "#86368c", "#c398cf"},
	{"c4", "#78441e", "#dcc552"},
	{"c5", "#3f4650", "#c8ced6"},
	{"good", "#00705a", "#4fd1b0"},
	{"bad", "#b03a06", "#ff9d6e"},
}

// seriesDashes are the dashes of the series' lines, which tell them apart without colours. Series
// beyond them have marks as well.
var seriesDashes = [][]float64{nil, {7, 4}, {2, 4}, {9, 4, 2, 4}, {12, 5}, {5, 2, 1, 2, 1, 2}}

// style is how a part of a drawing looks. Colours are names of the palette, or c for that of the
// series. Lengths are for a font of 13 pixels.
type style struct {
	class                      string
	stroke, fill               string
	width                      float64
	strokeOpacity, fillOpacity float64 // 0 is opaque
	dash                       []float64
	dashed                     bool // as the series
	miter                      bool
	bold                       bool
	halo                       bool // of the background around it
}

// pathStyles and textStyles are the styles of all drawings, on screen and on paper. Of the classes
// of a part, the later in the list wins.
var (
	pathStyles = []style{
		{class: "grid", stroke: "rule", width: 1},
		{class: "base", stroke: "soft", width: 1},
		{class: "line", stroke: "c", width: 2.2, dashed: true},
		{class: "dots", stroke: "c", width: 7},
		{class: "at", stroke: "c", width: 8},
		{class: "disc", fill: "c", stroke: "c", width: 1.8},
		{class: "ring", fill: "bg", stroke: "c", width: 1.8},
		{class: "bar", stroke: "c", width: 1.5},
		{class: "band", fill: "c", fillOpacity: 0.15},
		{class: "steps", fill: "c", fillOpacity: 0.16, stroke: "c", width: 1.8, dashed: true, miter: true},
		{class: "leader", stroke: "soft", width: 0.7},
		{class: "marker", stroke: "fg", width: 1.3, dash: []float64{4, 3}},
		{class: "interval", fill: "fg", fillOpacity: 0.09},
		{class: "better1", fill: "c0", fillOpacity: 0.12},
		{class: "better2", fill: "c0", fillOpacity: 0.26},
		{class: "better3", fill: "c0", fillOpacity: 0.42},
		{class: "worse1", fill: "c1", fillOpacity: 0.12},
		{class: "worse2", fill: "c1", fillOpacity: 0.26},
		{class: "worse3", fill: "c1", fillOpacity: 0.42},
		{class: "point", stroke: "soft", width: 3},
		{class: "up", fill: "c0"},
		{class: "down", fill: "bg", stroke: "c1", width: 1.3},
		{class: "whisker", stroke: "c0", width: 1.3},
		{class: "box", fill: "c0", fillOpacity: 0.18, stroke: "c0", width: 1.3},
		{class: "median", stroke: "c0", width: 2.5},
		{class: "mean", fill: "c1", stroke: "bg", width: 1},
		{class: "mean-interval", stroke: "c1", width: 2.5},
		{class: "values", stroke: "fg", strokeOpacity: 0.4, width: 3.2},
		{class: "few", strokeOpacity: 0.6, width: 4.5},
	}
	textStyles = []style{
		{class: "tick", fill: "soft"},
		{class: "axis", fill: "soft"},
		{class: "name", fill: "c", bold: true},
		{class: "label", fill: "fg"},
		{class: "marker", fill: "fg", bold: true, halo: true},
		{class: "strong", bold: true},
		{class: "halo", halo: true},
	}
)

// haloWidth is the width of the background around a text.
const haloWidth = 4

// drawingCSS is the style sheet of drawings, and the colours of the page.
func drawingCSS() string {
	var b strings.Builder
	colours := func(of func(c colour) string) {
		for _, c := range palette {
			fmt.Fprintf(&b, " --%s: %s;", c.name, of(c))
		}
	}
	b.WriteString(":root { color-scheme: light dark;")
	colours(func(c colour) string { return c.light })
	b.WriteString(" }\n@media (prefers-color-scheme: dark) { :root {")
	colours(func(c colour) string { return c.dark })
	b.WriteString(" } }\npath { fill: none; stroke-linecap: round; stroke-linejoin: round; }\ntext { fill: var(--fg); }\n")
	for i, dash := range seriesDashes {
		fmt.Fprintf(&b, ".s%d { --c: var(--c%[1]d); --dash: %s; }\n", i, dashes(dash))
	}
	for _, s := range pathStyles {
		b.WriteString("path." + s.class + s.css())
	}
	for _, s := range textStyles {
		b.WriteString("text." + s.class + s.css())
	}
	return b.String()
}

func dashes(dash []float64) string {
	if dash == nil {
		return "none"
	}
	return strings.Trim(fmt.Sprint(dash), "[]")
}

// css are the declarations of a style.
func (s style) css() string {
	var b strings.Builder
	say := func(property string, value any, need bool) {
		if need {
			fmt.Fprintf(&b, " %s: %v;", property, value)
		}
	}
	say("fill", "var(--"+s.fill+")", s.fill != "")
	say("fill-opacity", s.fillOpacity, s.fillOpacity != 0)
	say("stroke", "var(--"+s.stroke+")", s.stroke != "")
	say("stroke-opacity", s.strokeOpacity, s.strokeOpacity != 0)
	say("stroke-width", s.width, s.width != 0)
	say("stroke-dasharray", dashes(s.dash), s.dash != nil)
	say("stroke-dasharray", "var(--dash)", s.dashed)
	say("stroke-linejoin", "miter", s.miter)
	say("font-weight", 600, s.bold)
	say("stroke", "var(--bg)", s.halo)
	say("stroke-width", fmt.Sprintf("%dpx", haloWidth), s.halo)
	say("stroke-dasharray", "none", s.halo)
	say("paint-order", "stroke", s.halo)
	return " {" + b.String() + " }\n"
}

// styleOf is the style of a part's classes.
func styleOf(classes string, text bool) (out style) {
	styles := pathStyles
	if text {
		out.fill, styles = "fg", textStyles
	}
	own := strings.Fields(classes)
	var series style
	for i, dash := range seriesDashes {
		if slices.Contains(own, seriesClass(i)) {
			series = style{stroke: fmt.Sprintf("c%d", i), dash: dash}
		}
	}
	for _, s := range styles {
		if !slices.Contains(own, s.class) {
			continue
		}
		out.class = s.class
		for _, c := range []struct{ to, from *string }{{&out.stroke, &s.stroke}, {&out.fill, &s.fill}} {
			if *c.from == "c" {
				*c.from = series.stroke
			}
			if *c.from != "" {
				*c.to = *c.from
			}
		}
		for _, v := range []struct{ to, from *float64 }{
			{&out.width, &s.width}, {&out.strokeOpacity, &s.strokeOpacity}, {&out.fillOpacity, &s.fillOpacity},
		} {
			if *v.from != 0 {
				*v.to = *v.from
			}
		}
		if s.dash != nil {
			out.dash = s.dash
		}
		if s.dashed {
			out.dash = series.dash
		}
		out.miter, out.bold, out.halo = out.miter || s.miter, out.bold || s.bold, out.halo || s.halo
	}
	return out
}

// onPaper is the style in print, for a unit of points to a pixel.
func (s style) onPaper(unit float64) paper.Style {
	if s.halo {
		s.stroke, s.width, s.dash = "bg", haloWidth, nil
	}
	out := paper.Style{
		Stroke: printed(s.stroke, s.strokeOpacity), Fill: printed(s.fill, s.fillOpacity), Width: s.width * unit, Miter: s.miter,
	}
	for _, v := range s.dash {
		out.Dash = append(out.Dash, v*unit)
	}
	return out
}

// printed is a colour of the palette on white paper.
func printed(name string, opacity float64) paper.Color {
	for _, c := range palette {
		if c.name == name {
			if out, err := paper.Hex(c.light); err == nil {
				if opacity != 0 {
					out.Opacity = opacity
				}
				return out
			}
		}
	}
	return paper.Color{}
}
