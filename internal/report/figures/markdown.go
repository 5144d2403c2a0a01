package figures

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"crscore/internal/report"
)

// WriteMarkdown writes the page's texts and tables in GitHub's Markdown. No text is markup.
// Drawings are left out.
func (p Page) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	write := func(format, text string) {
		if text = report.Plain(text); text != "" {
			fmt.Fprintf(&b, format+"\n\n", report.Markdown(text))
		}
	}
	all := func(format, text string) {
		for _, s := range paragraphs(text) {
			write(format, s)
		}
	}
	write("# %s", p.Title)
	all("%s", p.Lead)
	for _, w := range p.Warnings {
		write("> [!WARNING]\n> %s", sentence(report.Plain(w)))
	}
	for _, s := range p.Sections {
		write("## %s", s.Title)
		all("%s", s.Text)
		for _, f := range s.Figures {
			if t, ok := f.(Table); ok {
				write("### %s", t.Title)
				all("%s", t.Note)
				t.markdown(&b)
				for _, note := range t.Footnotes {
					write("<sub>%s</sub>", note)
				}
			}
		}
	}
	all("<sub>%s</sub>", p.Foot)
	_, err := w.Write(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
	return err
}

func (t Table) markdown(b *bytes.Buffer) {
	t = t.plain()
	if len(t.Columns) == 0 {
		return
	}
	line := func(cell func(i int) string) {
		for i := range t.Columns {
			b.WriteString("| " + cell(i) + " ")
		}
		b.WriteString("|\n")
	}
	bold := func(s string) string {
		if s = strings.TrimSpace(s); s == "" {
			return ""
		}
		return "**" + report.Markdown(s) + "**"
	}
	line(func(i int) string { return report.Markdown(t.Columns[i].Name) })
	line(func(i int) string { return map[bool]string{false: ":--", true: "--:"}[t.Columns[i].Numbers] })
	for _, r := range t.Rows {
		line(func(i int) string {
			switch {
			case r.Group != "" && i == 0:
				return bold(r.Group)
			case r.Group != "":
				return ""
			case r.Marked && i == 0:
				return bold(r.Cells[i])
			case t.Columns[i].Numbers && numeric(r.Cells[i]):
				return r.Cells[i]
			}
			return report.Markdown(r.Cells[i])
		})
	}
	b.WriteString("\n")
}

// numeric reports whether a cell is a number, perhaps with an interval and letters of groups
// after it. Its brackets are no link, since it has no colon.
func numeric(cell string) bool {
	cell = strings.TrimRight(cell, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return strings.Trim(strings.ReplaceAll(cell, "undefined", ""), "0123456789.,[] +-e") == ""
}
