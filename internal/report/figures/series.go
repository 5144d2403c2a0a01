package figures

import "strconv"

// seriesClass is the class with the colour and dashes of a series. Classes repeat; series that
// share one have different marks.
func seriesClass(i int) string { return "s" + strconv.Itoa(i%len(seriesDashes)) }

// mark is the sign of a series at a place; the first series, whose dashes suffice, have none.
func mark(series int, x, y float64) []part {
	const r = 4
	class, d := "ring ", ""
	switch series / len(seriesDashes) {
	case 0:
		return nil
	case 1:
		d = circle(x, y, r)
	case 2:
		d = "M" + point(x-r, y-r) + "H" + px(x+r) + "V" + px(y+r) + "H" + px(x-r) + "Z"
	default:
		class, d = "disc ", "M"+point(x-r, y+r)+"L"+point(x, y-r)+"L"+point(x+r, y+r)+"Z"
	}
	return []part{{Class: class + seriesClass(series), D: d}}
}

// marksAlong puts some marks on a curve, not at the places of its neighbours' marks.
func marksAlong(series, n int, at func(i int) (x, y float64, ok bool)) (out []part) {
	step := every(n, 6)
	for i := series % step; i < n; i += step {
		if x, y, ok := at(i); ok {
			out = append(out, mark(series, x, y)...)
		}
	}
	return out
}

// swatch is the sign of a series in a legend, a kind of path.
func swatch(kind string, series int) func(x, y float64) []part {
	return func(x, y float64) []part {
		d := line(x+2, y, x+28, y)
		if kind == "dots" {
			d = "M" + point(x+15, y) + "h0"
		}
		return append([]part{{Class: kind + " " + seriesClass(series), D: d}}, mark(series, x+15, y)...)
	}
}

// legend puts the signs and names of series below a drawing, as many in a row as fit.
func (f *frame) legend(items []legendItem) {
	row := f.font * rowHeight
	x, y := 0.0, f.H+row
	for _, it := range items {
		for k, name := range f.wrap(it.Name, f.W-40, regular) {
			wide := 36 + f.textWidth(name, regular)
			if x > 0 && x+wide > f.W || k > 0 {
				x, y = 0, y+row
			}
			if k == 0 {
				f.Parts = append(f.Parts, it.sign(x, y-f.font*0.35)...)
			}
			f.text("label", x+34, y, "start", name)
			x += wide + 16
		}
	}
	f.H = y + f.font*0.4
}
