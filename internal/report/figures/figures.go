// Package figures draws the figures of a study: curves, histograms, boxes, dots, matrices, tables
// and single cases. A [Page] of them is written as one HTML file without scripts and network, or as text
// for a terminal. Both show the same figures. [Page.Export] writes the drawings for a paper.
//
// Studies choose the numbers and the words. This package lays them out, and computes only
// bins, quartiles and ticks. It shows every text as text, wherever it comes from. Numbers that
// are not finite are gaps. The package imports no studies, scores or datasets.
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
	// Title is the heading of the page.
	Title string
	// Lead tells the findings in a few sentences. An empty line separates paragraphs, here and
	// in the texts of sections.
	Lead string
	// Warnings are what a reader has to know before the numbers, a sentence each.
	Warnings []string
	// Sections are listed in the table of contents.
	Sections []Section
	// Foot is in small print at the end: signatures, and the command that made the page.
	Foot string
}

// Section is a part of a page with its own heading.
type Section struct {
	// Title is the heading, Text the paragraphs below it.
	Title, Text string
	// Figures follow the text.
	Figures []Figure
}

// Figure is a part of a page: [Lines], [Histogram], [Boxes], [Dots], [Matrix], [Table] or
// [Cases], by value.
type Figure interface {
	html(n int) block
	text(p printer)
}

// Axis is an axis of a drawing.
type Axis struct {
	// Label names the values, and their unit if they have one.
	Label string
	// Min and Max are the range where Min < Max. Values beyond it are not drawn. Otherwise the
	// axis has the range of the data.
	Min, Max float64
}

// Marker is a marked value on the horizontal axis.
type Marker struct {
	// X is the place on the axis. A marker beyond the axis is not drawn.
	X     float64
	Label string // such as "chosen τ 0.18"
	// Low and High are an interval around X, drawn where Low < High.
	Low, High float64
}

// WriteText writes the page for a terminal with so many columns; 0 means 80.
func (p Page) WriteText(w io.Writer, width int) error {
	var b bytes.Buffer
	pr := printer{report.Printer{W: &b, Opts: report.TextOptions{Width: width}}}
	pr.title(p.Title, "=")
	pr.paragraphs(p.Lead)
	for _, w := range p.Warnings {
		pr.paragraphs(warning(w))
	}
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

// WriteHTML writes the page as one self-contained file.
func (p Page) WriteHTML(w io.Writer) error {
	b := bufio.NewWriter(w)
	if err := p.view().markup().Render(b); err != nil {
		return err
	}
	return b.Flush()
}

// warning is a warning in formats that have no style for it.
func warning(text string) string { return "Warning: " + sentence(report.Plain(text)) }

// paragraphs splits a text at empty lines.
func paragraphs(text string) (out []string) {
	for _, s := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if s = strings.TrimSpace(report.Plain(s)); s != "" {
			out = append(out, s)
		}
	}
	return out
}
