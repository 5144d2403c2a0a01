package figures

import (
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// The pages are made of gomponents, which escapes each text and attribute. A template of the
// standard library calls methods by their names, so that the linker keeps every exported method
// of every type: 6 MB of the command.

// head is a page up to its title.
const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
`

// element makes a node of its attributes and what it contains.
type element = func(...g.Node) g.Node

// ownLine is a node on a line of its own.
func ownLine(n g.Node) g.Node { return g.Group{n, g.Raw("\n")} }

// texts are elements with a text each.
func texts(of element, list []string, with ...g.Node) g.Node {
	return g.Map(list, func(s string) g.Node { return ownLine(of(g.Group(with), g.Text(s))) })
}

// some is an element with a text, and nothing without one.
func some(of element, text string, with ...g.Node) g.Node {
	return g.If(text != "", ownLine(of(g.Group(with), g.Text(text))))
}

func svgPath(class, d string, inside ...g.Node) g.Node {
	return g.El("path", h.Class(class), g.Attr("d", d), g.Group(inside))
}

func (v view) markup() g.Node {
	return g.Group{g.Raw(head), ownLine(h.TitleEl(g.Text(v.Title))), h.StyleEl(g.Raw(v.CSS)), g.Raw("\n</head>\n<body>\n<header>\n"),
		ownLine(h.H1(g.Text(v.Title))), texts(h.P, v.Lead, h.Class("lead")),
		g.Map(v.Warnings, func(s string) g.Node {
			return ownLine(h.P(h.Class("warning"), h.Strong(g.Text("Warning:")), g.Text(" "+s)))
		}),
		g.Raw("</header>\n"),
		g.If(len(v.Sections) > 1, ownLine(h.Nav(h.Aria("label", "Contents"), h.Ol(g.Raw("\n"), g.Map(v.Sections, func(s sectionView) g.Node {
			return ownLine(h.Li(h.A(h.Href("#"+s.ID), g.Text(s.Title))))
		}))))),
		ownLine(h.Main(g.Raw("\n"), g.Map(v.Sections, sectionView.markup))),
		g.If(len(v.Foot) > 0, ownLine(h.Footer(g.Raw("\n"), texts(h.P, v.Foot)))),
		g.Raw("</body>\n</html>\n")}
}

func (s sectionView) markup() g.Node {
	return ownLine(h.Section(h.ID(s.ID), g.Raw("\n"), ownLine(h.H2(g.Text(s.Title))), texts(h.P, s.Text),
		ownLine(h.Div(h.Class("figures"), g.Raw("\n"), g.Map(s.Blocks, block.markup)))))
}

func (b block) markup() g.Node {
	return ownLine(h.Figure(h.ID(b.ID), g.If(b.wide(), h.Class("full")), g.Raw("\n"),
		some(h.H3, b.Title), texts(h.P, b.Notes),
		g.Iff(b.Legend != nil, func() g.Node { return b.Legend.markup() }),
		g.Map(b.Drawings, drawing.markup),
		some(h.P, b.Key, h.Class("small")),
		g.Iff(b.Data != nil, func() g.Node { return folded("Numbers of this figure", b.Data) }),
		g.Iff(b.Table != nil, func() g.Node {
			if b.Table.Folded {
				return folded(fmt.Sprintf("The table, rows: %d", len(b.Table.Rows)), b.Table)
			}
			return b.Table.markup()
		}),
		g.Map(b.Cases, caseView.markup)))
}

func (l legend) markup() g.Node {
	return ownLine(h.Ul(h.Class(l.Class), g.Map(l.Items, func(i legendItem) g.Node {
		sign := g.Map(i.sign(0, 5), func(p part) g.Node { return svgPath(p.Class, p.D) })
		return h.Li(h.SVG(h.Width("30"), h.Height("10"), h.Aria("hidden", "true"), sign), g.Text(" "+i.Name))
	})))
}

func (d drawing) markup() g.Node {
	return ownLine(h.SVG(h.Class("drawing "+d.Class), g.Attr("viewBox", fmt.Sprint("0 0 ", d.W, " ", d.H)), h.Role("img"),
		h.Aria("labelledby", d.ID+"-title"), h.Aria("describedby", d.ID+"-desc"), g.Raw("\n"),
		ownLine(h.TitleEl(h.ID(d.ID+"-title"), g.Text(d.Title))),
		ownLine(g.El("desc", h.ID(d.ID+"-desc"), g.Text(d.Desc))),
		g.Map(d.Parts, part.markup)))
}

func (p part) markup() g.Node {
	switch {
	case p.Text != "":
		return ownLine(g.El("text", h.Class(p.Class), g.Attr("x", fmt.Sprint(p.X)), g.Attr("y", fmt.Sprint(p.Y)), g.Attr("text-anchor", p.Anchor), g.Text(p.Text)))
	case p.D != "":
		return ownLine(svgPath(p.Class, p.D, g.If(p.Tip != "", h.TitleEl(g.Text(p.Tip)))))
	}
	return nil
}

func folded(summary string, t *tableView) g.Node {
	return ownLine(h.Details(h.Summary(g.Text(summary)), g.Raw("\n"), t.markup()))
}

func (t tableView) markup() g.Node {
	numbers := h.Class("num")
	heads := g.Map(t.Columns, func(c Column) g.Node {
		if c.Name == "" {
			return h.Td()
		}
		return h.Th(h.Scope("col"), g.If(c.Numbers, numbers), g.Text(c.Name))
	})
	row := func(r Row) g.Node {
		if r.Group != "" {
			return ownLine(h.Tr(h.Class("group"), h.Th(h.Scope("colgroup"), h.ColSpan(strconv.Itoa(t.Span)), g.Text(r.Group))))
		}
		tr := g.Group{g.If(r.Marked, h.Class("marked"))}
		for i, c := range r.Cells {
			switch {
			case t.Columns[i].Numbers:
				tr = append(tr, h.Td(numbers, g.Text(c)))
			case c != "" && i == 0:
				tr = append(tr, h.Th(h.Scope("row"), g.Text(c)))
			default:
				tr = append(tr, h.Td(g.Text(c)))
			}
		}
		return ownLine(h.Tr(tr))
	}
	return g.Group{
		ownLine(h.Div(h.Class("scroll"), h.TabIndex("0"), h.Role("group"), h.Aria("label", t.Title),
			h.Table(g.Raw("\n"), ownLine(h.THead(h.Tr(heads))), ownLine(h.TBody(g.Raw("\n"), g.Map(t.Rows, row)))))),
		texts(h.P, t.Footnotes, h.Class("small")),
	}
}

func (c caseView) markup() g.Node {
	facts := g.Map(c.Facts, func(s string) g.Node { return g.Group{h.Span(g.Text(s)), g.Text(" ")} })
	links := g.Map(c.Links, func(l linkView) g.Node {
		class := "unmatched"
		if l.Matched {
			class = "matched"
		}
		return svgPath(class, l.D, h.TitleEl(g.Text(l.Tip)))
	})
	class, between := "pair", g.Node(nil)
	if len(links) == 0 {
		class = "pair unlinked"
	} else {
		between = ownLine(h.SVG(h.Class("links"), g.Attr("viewBox", "0 0 100 1000"), g.Attr("preserveAspectRatio", "none"), h.Aria("hidden", "true"), links))
	}
	return ownLine(h.Article(h.Class("case"), g.Raw("\n"), ownLine(h.H4(g.Text(c.Title))),
		g.If(len(facts) > 0, ownLine(h.P(h.Class("facts"), facts))),
		ownLine(h.Div(h.Class(class), g.Raw("\n"), c.Sides[0].markup(), between, c.Sides[1].markup())),
		texts(h.P, c.Notes, h.Class("small"))))
}

func (s side) markup() g.Node {
	return g.Group{
		ownLine(h.P(h.Class("side"), g.Text(s.Name))),
		ownLine(h.Ol(g.Map(s.Items, itemView.markup))),
		some(h.P, s.More, h.Class("small more")),
	}
}

func (v itemView) markup() g.Node {
	sign := g.Group{h.Class("sign"), g.Text(v.Sign)}
	if v.Means != "" {
		sign = append(sign, h.Role("img"), h.Aria("label", v.Means), h.Title(v.Means))
	}
	text := g.Map(v.spans(), func(s span) g.Node {
		return g.Group{g.Text(s.Text), g.If(s.Code != "", h.Code(g.Text(s.Code)))}
	})
	return ownLine(h.Li(h.Value(strconv.Itoa(v.N)), g.If(v.Mark != "", h.Class(v.Mark)), h.Span(sign), h.Span(
		g.Textf("%d. ", v.N), g.If(v.Kind != "", g.Group{h.Span(h.Class("kind"), g.Text(v.Kind)), g.Text(" ")}), g.El("bdi", text),
		g.If(v.To != "", g.Group{g.Text(" "), h.Span(h.Class("to"), g.Text(v.To))}),
		g.If(len(v.Code) > 0, h.Pre(g.Map(v.Code, func(s string) g.Node { return ownLine(g.Text(s)) }))))))
}
