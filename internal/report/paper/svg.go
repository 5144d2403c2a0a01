package paper

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteSVG writes the drawing as SVG. Texts are outlines, because programs other than browsers
// take a font in the file for none; their words are labels for screen readers.
func (d Drawing) WriteSVG(w io.Writer) error {
	marks, err := d.marks()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" `+
		`width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" role="img">`+"\n", short(d.W), short(d.H))
	if d.Title != "" {
		fmt.Fprintf(&b, "<title>%s</title>\n", escape(d.Title))
	}
	if d.Desc != "" {
		fmt.Fprintf(&b, "<desc>%s</desc>\n", escape(d.Desc))
	}
	glyphs := map[string]string{}
	var body bytes.Buffer
	for _, m := range marks {
		if m.line == nil {
			fmt.Fprintf(&body, `<path d="%s"%s/>`+"\n", m.path.data(), m.Style.svg())
			continue
		}
		l := m.line
		unit := l.size / float64(l.em())
		label := fmt.Sprintf(`aria-label="%s"`, escape(l.asked))
		if m.Fill.Opacity == 0 { // it is behind the words
			label = `aria-hidden="true"`
		}
		m.Width /= unit
		fmt.Fprintf(&body, `<g %s%s transform="translate(%s %s) scale(%.6f)">`, label, m.Style.svg(), short(l.x), short(l.y), unit)
		for _, g := range l.glyphs {
			id := fmt.Sprintf("%s%x", map[bool]string{false: "r", true: "b"}[l.bold], g.r)
			if _, ok := glyphs[id]; !ok {
				glyphs[id] = g.outline().data()
			}
			if glyphs[id] != "" {
				fmt.Fprintf(&body, `<use xlink:href="#%s" x="%.0f"/>`, id, g.at*float64(g.in.em))
			}
		}
		body.WriteString("</g>\n")
	}
	b.WriteString("<defs>\n")
	var ids []string
	for id, data := range glyphs {
		if data != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		fmt.Fprintf(&b, `<path id="%s" d="%s"/>`+"\n", id, glyphs[id])
	}
	fmt.Fprintf(&b, "</defs>\n<rect width=\"%s\" height=\"%s\" fill=\"#fff\"/>\n", short(d.W), short(d.H))
	b.Write(body.Bytes())
	b.WriteString("</svg>\n")
	_, err = w.Write(b.Bytes())
	return err
}

// em is the size of an em in units of the line's font.
func (l *line) em() int {
	if len(l.glyphs) == 0 {
		return 1
	}
	return int(l.glyphs[0].in.em)
}

// svg is the style as attributes.
func (s Style) svg() string {
	var b strings.Builder
	paint := func(name string, c Color) {
		if c.Opacity == 0 {
			if name == "fill" {
				b.WriteString(` fill="none"`) // it is black by default
			}
			return
		}
		fmt.Fprintf(&b, ` %s="#%02x%02x%02x"`, name, c.R, c.G, c.B)
		if c.Opacity < 1 {
			fmt.Fprintf(&b, ` %s-opacity="%s"`, name, short(c.Opacity))
		}
	}
	paint("fill", s.Fill)
	paint("stroke", s.Stroke)
	if s.Stroke.Opacity == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, ` stroke-width="%s" stroke-linecap="round"`, short(s.Width))
	if !s.Miter {
		b.WriteString(` stroke-linejoin="round"`)
	}
	if len(s.Dash) > 0 {
		var dash []string
		for _, v := range s.Dash {
			dash = append(dash, short(v))
		}
		fmt.Fprintf(&b, ` stroke-dasharray="%s"`, strings.Join(dash, " "))
	}
	return b.String()
}

// escape is a text for XML. Characters that XML cannot have become U+FFFD.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder has no errors
	return b.String()
}
