// Package figures draws what a study found: curves, histograms, boxes, tables and
// single cases, collected on a [Page] that is written as one HTML file without
// scripts and network, and as text for a terminal. Both show the same figures.
//
// Studies choose the numbers and the words. Here they are laid out, and only what
// a drawing needs is computed: bins, quartiles, ticks. Text may come from
// anywhere; it is shown as text. Numbers that are not finite are gaps. No package
// of studies, scores or datasets may come in.
package figures

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"crscore/internal/report"
)

// Page is a report with figures.
type Page struct {
	Title string
	// Lead says in a sentence or a few what was found. An empty line parts
	// paragraphs, here and in the texts of sections.
	Lead     string
	Sections []Section
	// Foot is what stands small at the end: signatures, how to make it again.
	Foot string
}

// Section is a part of a page with its own heading.
type Section struct {
	Title, Text string
	Figures     []Figure
}

// Figure is something that a page can show: [Lines], [Histogram], [Boxes], [Table]
// or [Cases], by value.
type Figure interface {
	html(n int) block
	text(p printer)
}

// Axis says what a direction of a drawing shows. With Min < Max it has this range,
// else that of the data. What lies beyond a given range is not drawn.
type Axis struct {
	Label    string
	Min, Max float64
}

// Marker is a value on the horizontal axis that a drawing points out.
type Marker struct {
	X     float64
	Label string // such as "chosen τ 0.18"
	// Low and High are an interval around X, drawn where Low < High.
	Low, High float64
}

// WriteText writes the page for a terminal of so many columns; 0 means 80.
func (p Page) WriteText(w io.Writer, width int) error {
	var b bytes.Buffer
	pr := printer{report.Printer{W: &b, Opts: report.TextOptions{Width: width}}}
	pr.title(p.Title, "=")
	pr.paragraphs(p.Lead)
	for _, s := range p.Sections {
		pr.title(s.Title, "-")
		pr.paragraphs(s.Text)
		for _, f := range s.Figures {
			f.text(pr)
		}
	}
	pr.paragraphs(p.Foot)
	_, err := w.Write(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
	return err
}

// WriteHTML writes the page as one file that needs nothing else.
func (p Page) WriteHTML(w io.Writer) error {
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, p.view()); err != nil {
		return err
	}
	return b.Flush()
}

// paragraphs parts a text at empty lines.
func paragraphs(text string) (out []string) {
	for _, s := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if s = strings.TrimSpace(report.Plain(s)); s != "" {
			out = append(out, s)
		}
	}
	return out
}
