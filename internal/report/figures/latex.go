package figures

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"crscore/internal/report"
)

// WriteLaTeX writes the page's tables for a paper: each is a float with the rules of the package
// booktabs, as wide as the page where one of two columns has no room for it. The title is the
// caption, and the label is made of it: tab:means-by-rel. The page's texts are comments. The output
// can be included in a document: no text is a command. Characters that pdfLaTeX cannot set are
// written as [U+4E2D]. Drawings are left out.
func (p Page) WriteLaTeX(w io.Writer) error {
	var b bytes.Buffer
	comment := func(text string) {
		for _, s := range paragraphs(text) {
			fmt.Fprintf(&b, "%% %s\n", s)
		}
	}
	comment(p.Title)
	comment("It needs \\usepackage{booktabs}.")
	comment(p.Lead)
	for _, w := range p.Warnings {
		comment(warning(w))
	}
	labels := map[string]int{}
	for _, s := range p.Sections {
		b.WriteString("\n")
		comment(s.Title)
		comment(s.Text)
		for _, f := range s.Figures {
			if t, ok := f.(Table); ok {
				t.Title = orElse(report.Plain(t.Title), orElse(report.Plain(s.Title), "Table"))
				label := slug(t.Title)
				if labels[label]++; labels[label] > 1 {
					label = fmt.Sprintf("%s-%d", label, labels[label])
				}
				t.latex(&b, label)
			}
		}
	}
	b.WriteString("\n")
	comment(p.Foot)
	_, err := w.Write(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
	return err
}

func (t Table) latex(b *bytes.Buffer, label string) {
	t = t.plain()
	if len(t.Columns) == 0 {
		return
	}
	float := "table"
	if t.width() > 45 { // characters, which is more than one of two columns has
		float = "table*"
	}
	fmt.Fprintf(b, "\\begin{%s}\n\\centering\n", float)
	fmt.Fprintf(b, "\\caption{%s}\n\\label{tab:%s}\n", latex(t.Title), label)
	b.WriteString("\\begin{tabular}{")
	for _, c := range t.Columns {
		b.WriteString(map[bool]string{false: "l", true: "r"}[c.Numbers])
	}
	b.WriteString("}\n\\toprule\n")
	line := func(cell func(i int) string) {
		for i := range t.Columns {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(cell(i))
		}
		b.WriteString(" \\\\\n")
	}
	line(func(i int) string { return latex(t.Columns[i].Name) })
	b.WriteString("\\midrule\n")
	for _, r := range t.Rows {
		if r.Group != "" {
			fmt.Fprintf(b, "\\multicolumn{%d}{l}{\\textit{%s}} \\\\\n", len(t.Columns), latex(r.Group))
			continue
		}
		line(func(i int) string {
			switch {
			case r.Marked && i == 0:
				return "\\textbf{" + latex(r.Cells[i]) + "}"
			case t.Columns[i].Numbers:
				return minus(latex(r.Cells[i]))
			}
			return latex(r.Cells[i])
		})
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, s := range append(paragraphs(t.Note), t.Footnotes...) {
		fmt.Fprintf(b, "\n{\\footnotesize %s\\par}\n", latex(report.Plain(s)))
	}
	fmt.Fprintf(b, "\\end{%s}\n", float)
}

// minus replaces a hyphen before a number by a minus sign.
func minus(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '-' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' && (i == 0 || s[i-1] == ' ' || s[i-1] == '}') {
			b.WriteString("$-$")
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// latexSigns are the characters that LaTeX would obey, join with their neighbours or cannot
// set. Brackets and stars could be arguments of a command before them.
var latexSigns = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'"': `\char34{}`, '`': `\char96{}`, '\'': `{}'`, '-': `{}-`, ',': `{},`, '[': `{[}`, ']': `{]}`, '*': `{*}`,
	'–': `--{}`, '—': `---{}`, '…': `\ldots{}`, '−': `$-$`, '×': `$\times$`, '≤': `$\leq$`, '≥': `$\geq$`, '±': `$\pm$`,
	'Δ': `$\Delta$`, 'α': `$\alpha$`, 'κ': `$\kappa$`, 'ρ': `$\rho$`, 'τ': `$\tau$`,
}

// latex escapes a text for LaTeX.
func latex(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		sign, ok := latexSigns[r]
		switch {
		case ok && (r == '-' || r == ',' || r == '\'') && before != r: // alone it joins nothing
			b.WriteRune(r)
		case ok:
			b.WriteString(sign)
		case r < unicode.MaxASCII, r >= 'À' && r <= 'ÿ' && !strings.ContainsRune("ÐÞðþ÷", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "{[}U+%04X{]}", r)
		}
		before = r
	}
	return b.String()
}
