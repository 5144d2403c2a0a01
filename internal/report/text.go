package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"crscore/internal/dataset"
	"crscore/internal/spelling"
)

// TextOptions describe the reader's screen.
type TextOptions struct {
	// Color asks for colours, as escape sequences.
	Color bool
	Width int // in columns; 0 means 80
	// ASCII asks for signs of ASCII, for a screen that cannot show others.
	ASCII bool
	// Changes says that the rows belong to several changes: each review's title then names
	// its change.
	Changes bool
}

const (
	tick  = "✓"
	half  = "◐"
	cross = "✗"
	dot   = "·"
	nbsp  = "\u00a0"
)

// legend explains the signs of sentences and references.
const legend = tick + " matched  " + half + " matched in part  " + cross + " not matched"

type textWriter struct {
	w    io.Writer
	opts TextOptions
	// metrics are the metrics of the rows, nil for CRScore.
	metrics []string
	rows    []dataset.Row // for the table at the end, without their evidence
	partly  bool          // the sign of a match in part was printed
}

// tableRows bounds the rows of the table at the end.
const tableRows = 50

func (t *textWriter) Write(r dataset.Row) error {
	var b bytes.Buffer
	p := Printer{&b, t.opts}
	p.review(r)
	r.Explain = nil
	t.partly = t.partly || bytes.Contains(b.Bytes(), []byte(half))
	if len(t.rows) <= tableRows {
		t.rows = append(t.rows, r)
	}
	_, err := t.w.Write(t.opts.Finish(b.Bytes()))
	return err
}

func (t *textWriter) Close() error {
	var b bytes.Buffer
	p := Printer{&b, t.opts}
	if n := len(t.rows); n > 1 && n <= tableRows && t.metrics == nil {
		p.table(t.rows)
	}
	if t.partly {
		p.line(legend)
	}
	said := make(map[string]bool) // rows that fell back have their own
	for _, r := range t.rows {
		if line := analyzers(r.Tools); !t.opts.Changes && !said[line] {
			said[line] = true
			p.Analyzers(r.Tools)
		}
	}
	for _, r := range t.rows {
		if !said[r.Signature] {
			said[r.Signature] = true
			p.line(p.paint(dim, "signature "+r.Signature))
			p.line(p.paint(dim, "short signature "+ShortSignature(r.Signature)))
		}
	}
	_, err := t.w.Write(t.opts.Finish(b.Bytes()))
	return err
}

// Printer writes text for a screen: wrapped, in colour where the screen has colours, and
// without characters that control a terminal.
type Printer struct {
	// W receives the text.
	W    *bytes.Buffer
	Opts TextOptions
}

type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

func (p Printer) paint(s style, text string) string {
	if !p.Opts.Color {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func (p Printer) line(s string) { p.W.WriteString(s + "\n") }

func (p Printer) width() int {
	if p.Opts.Width > 0 {
		return max(p.Opts.Width, 40)
	}
	return 80
}

func (p Printer) review(r dataset.Row) {
	title := "Review " + Plain(r.Review)
	if p.Opts.Changes {
		title = "Change " + Plain(r.ID) + ", review " + Plain(r.Review)
	}
	if len(r.Metrics) > 0 {
		p.line(p.paint(bold, title))
		p.metrics(r)
		return
	}
	if r.Con == nil {
		p.line(p.paint(bold, title) + "  " + p.paint(red, "unscored"))
		p.wrap("  ", "  ", "No score: "+Plain(r.Reason), "")
		p.line("")
		return
	}
	p.line(p.paint(bold, fmt.Sprintf("%s  Rel %.2f", title, *r.Rel)) + fmt.Sprintf("  (Con %.2f, Comp %.2f)", *r.Con, *r.Comp))
	if r.Note != "" {
		p.wrap("  ", "  ", Plain(r.Note), dim)
	}
	p.reasons(r)
	if e := r.Explain; e != nil {
		if len(e.Sentences) > 0 {
			p.line(fmt.Sprintf("  Sentences (%s):", share(r, "on topic", len(e.Sentences), func(i int) float64 { return e.Sentences[i].Credit })))
			for i, s := range e.Sentences {
				sign, to := mark(r, s.Matched, s.Credit), "→"
				if sign == cross {
					to = "nearest"
				}
				why := worth(r, s.Similarity, s.Credit)
				if s.PointsBack {
					why += ", refers back"
				}
				p.item(i+1, sign, Plain(s.Text), fmt.Sprintf("%s reference %d (%s)", to, s.Ref, why))
				if s.Why != "" {
					p.wrap("        ", "        ", Plain(s.Why), dim)
				}
			}
		}
		covered := share(r, "covered", len(e.Refs), func(i int) float64 { return credit(e.Refs[i]) })
		if r.CompBy != "" {
			covered += ", by " + r.CompBy + " of all sentences"
		}
		p.line("  References (" + covered + "):")
		for i, f := range e.Refs {
			sign, by := mark(r, f.Matched, credit(f)), "←"
			if sign == cross {
				by = "nearest"
			}
			if f.Sentence != nil && *f.Sentence > 0 && (sign != cross || credit(f) >= little) {
				by = fmt.Sprintf("%s sentence %d (%s)", by, *f.Sentence, worth(r, *f.Similarity, credit(f)))
			} else {
				by = ""
			}
			if f.Weight != nil {
				by = strings.TrimSpace(fmt.Sprintf("%s (weight %.4g)", by, *f.Weight))
			}
			p.item(i+1, sign, Plain(f.Text), by)
		}
		if len(e.Dropped) > 0 {
			p.line(fmt.Sprintf("  Dropped claims (%d):", len(e.Dropped)))
			for i, d := range e.Dropped {
				p.item(i+1, dot, Plain(d.Text), Plain("("+d.Reason+": "+d.Detail+")"))
			}
		}
	}
	p.line("")
}

// metrics prints the scores of reference-based metrics.
func (p Printer) metrics(r dataset.Row) {
	var scores []string
	for _, m := range r.Metrics { // each name stays with its score
		scores = append(scores, strings.ReplaceAll(Plain(m.Name), " ", nbsp)+nbsp+strconv.FormatFloat(m.Value, 'f', 4, 64))
	}
	p.wrap("  ", "  ", strings.Join(scores, ", "), "")
	for _, m := range r.UnscoredMetrics {
		p.wrap("  ", "  ", Plain("No "+m.Name+": "+m.Value), "")
	}
	if r.Note != "" {
		p.wrap("  ", "  ", Plain(r.Note), dim)
	}
	p.reasons(r)
	p.line("")
}

// reasons prints the reasons of a judge.
func (p Printer) reasons(r dataset.Row) {
	if r.Judge == nil {
		return
	}
	for _, reason := range r.Judge.Reasons {
		p.wrap("  ", "  ", "Judge: "+Plain(reason), "")
	}
}

// share is the sum of the credits of n sentences or references with the threshold, or
// the mode where it has no threshold.
func share(r dataset.Row, what string, n int, credit func(int) float64) string {
	if r.Tau == nil {
		return fmt.Sprintf("%d, mode %s", n, r.Mode)
	}
	var sum float64
	for i := range n {
		sum += credit(i)
	}
	switch {
	case r.Low != nil && *r.Low == 0:
		return fmt.Sprintf("%.1f of %d %s: in full from τ %.3f, below in proportion", sum, n, what, *r.Tau)
	case r.Low != nil:
		return fmt.Sprintf("%.1f of %d %s: in full from τ %.3f, in part from %.3f", sum, n, what, *r.Tau, *r.Low)
	case r.Slope != nil:
		return fmt.Sprintf("%.1f of %d %s: even odds at τ %.3f", sum, n, what, *r.Tau)
	}
	return fmt.Sprintf("%.0f of %d %s at τ %.3f", sum, n, what, *r.Tau)
}

func credit(f dataset.Ref) float64 {
	if f.Credit == nil {
		return 0
	}
	return *f.Credit
}

// worth is a similarity, with its credit where the sign does not tell it.
func worth(r dataset.Row, similarity, credit float64) string {
	if r.Low != nil && credit >= little && credit < 1 || r.Slope != nil || r.CompBy != "" && r.Low == nil && credit > similarity {
		return fmt.Sprintf("%.2f, credit %.2f", similarity, credit)
	}
	return fmt.Sprintf("%.2f", similarity)
}

// little is the least credit with a better sign than a cross: where the lower threshold
// is 0, nearly every pair has some credit.
const little = 0.1

// mark is the sign before a sentence or a reference.
func mark(r dataset.Row, matched *bool, credit float64) string {
	switch {
	case matched == nil:
		return dot
	case *matched, r.Low != nil && credit == 1: // ramp is whole at τ itself
		return tick
	case r.Low != nil && credit >= little:
		return half
	}
	return cross
}

// item prints a numbered sentence or reference with its sign and its best match.
func (p Printer) item(n int, sign, text, partner string) {
	s := dim
	switch sign {
	case tick:
		s = green
	case half:
		s = yellow
	case cross:
		s = red
	}
	head := fmt.Sprintf("%3d. ", n)
	p.W.WriteString("  " + p.paint(s, sign) + head)
	// The partner's words stay together: they are not broken between lines.
	p.wrap("", strings.Repeat(" ", 3+len(head)), text+" "+strings.ReplaceAll(partner, " ", nbsp), "")
}

// where returns the kind and the place of a reference.
func where(f *dataset.Ref) string {
	place := Plain(f.Path)
	if f.StartLine > 0 {
		place += fmt.Sprintf(":%d", f.StartLine)
	}
	return strings.TrimSpace(Plain(f.Kind) + " " + place)
}

// wrap prints words within the width. first is the indent of the first line, which may be
// printed already, and rest the indent of the other lines.
func (p Printer) wrap(first, rest, text string, s style) {
	limit := p.width() - uniseg.StringWidth(rest)
	var line []string
	n, indent := 0, first
	flush := func() {
		out := strings.Join(line, " ")
		if s != "" {
			out = p.paint(s, out)
		}
		p.line(indent + out)
		line, n, indent = line[:0], 0, rest
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }) {
		parts := split(strings.ReplaceAll(w, nbsp, " "), limit)
		for _, part := range parts {
			if n > 0 && (len(parts) > 1 || n+1+part.columns > limit) {
				flush()
			}
			if n > 0 {
				n++
			}
			line, n = append(line, part.text), n+part.columns
		}
	}
	if len(line) > 0 || indent == first {
		flush()
	}
}

// table prints Con, Comp and Rel of several reviews in a table.
func (p Printer) table(rows []dataset.Row) {
	name := func(r dataset.Row) string {
		if p.Opts.Changes {
			return Plain(r.ID) + " " + Plain(r.Review)
		}
		return Plain(r.Review)
	}
	wide := len("Review")
	for _, r := range rows {
		wide = max(wide, utf8.RuneCountInString(name(r)))
	}
	p.line(p.paint(bold, fmt.Sprintf("%-*s  %5s  %5s  %5s", wide, "Review", "Con", "Comp", "Rel")))
	for _, r := range rows {
		if r.Con == nil {
			p.line(fmt.Sprintf("%-*s  unscored", wide, name(r)))
			continue
		}
		p.line(fmt.Sprintf("%-*s  %5.2f  %5.2f  %5.2f", wide, name(r), *r.Con, *r.Comp, *r.Rel))
	}
	p.line("")
}

// Paragraph prints an indented text within the width.
func (p Printer) Paragraph(indent, text string) { p.wrap(indent, indent, Plain(text), "") }

// Refs prints pseudo-references as a numbered list.
func (p Printer) Refs(refs []dataset.Ref) {
	for i, f := range refs {
		head := fmt.Sprintf("%3d. ", i+1)
		p.W.WriteString(head)
		indent := strings.Repeat(" ", len(head))
		p.wrap("", indent, Plain(f.Text), "")
		p.wrap(indent, indent, where(&f)+from(f), dim)
	}
}

// Analyzers prints the answers of external analyzers, if there are any.
func (p Printer) Analyzers(tools []dataset.Tool) {
	if line := analyzers(tools); line != "" {
		p.wrap("analyzers ", "          ", Plain(line), dim)
	}
}

func analyzers(tools []dataset.Tool) string {
	said := make([]string, len(tools))
	for i, t := range tools {
		said[i] = t.Name
		if t.Version != "" {
			said[i] += "/" + t.Version
		}
		said[i] += " " + t.State
		if t.Findings > 0 {
			said[i] += fmt.Sprintf(": %d", t.Findings)
		}
		if t.Unread > 0 && t.Files > 1 {
			said[i] += spelling.Count(", without %d of %d files", t.Unread, t.Files)
		}
	}
	return strings.Join(said, "; ")
}

// Dropped prints claims of models that were dropped, with the reasons.
func (p Printer) Dropped(dropped []dataset.Dropped) {
	if len(dropped) == 0 {
		return
	}
	p.line(fmt.Sprintf("Dropped claims (%d):", len(dropped)))
	for _, d := range dropped {
		p.W.WriteString("  " + dot + "  ")
		p.wrap("", "     ", Plain(d.Text), "")
		p.wrap("     ", "     ", Plain(d.Reason+": "+d.Detail), dim)
	}
}

func from(f dataset.Ref) string {
	s := " (" + Plain(f.Source)
	if f.Rule != "" {
		s += ", " + Plain(f.Rule)
	}
	return s + ")"
}

// Plain makes text from a diff, a review, a model or a tool safe for a terminal. It turns
// line breaks and tabs into spaces, and removes control characters and characters that
// reorder the text around them.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// part is a piece of a word, with its width.
type part struct {
	text    string
	columns int
}

// split cuts a word into parts of at most so many columns, and at least one character.
func split(word string, columns int) (parts []part) {
	start, wide := 0, 0
	for g := uniseg.NewGraphemes(word); g.Next(); {
		from, _ := g.Positions()
		if wide+g.Width() > columns && from > start {
			parts = append(parts, part{word[start:from], wide})
			start, wide = from, 0
		}
		wide += g.Width()
	}
	return append(parts, part{word[start:], wide})
}
