package perturb

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Piece is a part of a rewritten text.
type Piece struct {
	// From and To are the bytes of the original text that the piece stands for. A piece with
	// From equal to To is new.
	From, To int
	// Text is the text of the piece, empty for a copy of the bytes.
	Text string
}

// Len is the number of bytes of the piece.
func (p Piece) Len() int { return cmp.Or(len(p.Text), p.To-p.From) }

// Rewritten is a text that was rewritten.
type Rewritten struct {
	// Text is the whole new text.
	Text string
	// Pieces are the parts of Text in its order. They cover it without a gap.
	Pieces []Piece
}

// span is a range of bytes.
type span struct{ from, to int }

func (s span) has(o span) bool { return s.from <= o.from && o.to <= s.to }

// edit puts text in the place of a span, or the rewritten text of another span.
type edit struct {
	span
	text string
	swap *span
}

// editor collects the edits of a text.
type editor struct{ edits []edit }

func (e *editor) insert(at int, text string) { e.replace(at, at, text) }

func (e *editor) replace(from, to int, text string) {
	e.edits = append(e.edits, edit{span: span{from, to}, text: text})
}

// swap exchanges two spans. Edits inside them stay in force.
func (e *editor) swap(a, b span) {
	e.edits = append(e.edits, edit{span: a, swap: &b}, edit{span: b, swap: &a})
}

// rewrite applies the edits. Edits that overlap are an error.
func (e *editor) rewrite(text string) (Rewritten, error) {
	slices.SortStableFunc(e.edits, func(a, b edit) int {
		if c := cmp.Compare(a.from, b.from); c != 0 || (a.to == a.from) == (b.to == b.from) {
			return cmp.Or(c, cmp.Compare(b.to, a.to))
		}
		return cmp.Compare(a.to, b.to) // an insertion comes first
	})
	w := writer{text: text, edits: e.edits}
	if err := w.write(span{0, len(text)}, false); err != nil {
		return Rewritten{}, err
	}
	at := 0 // each byte must be there once
	for _, p := range slices.SortedStableFunc(slices.Values(w.pieces), func(a, b Piece) int { return cmp.Compare(a.From, b.From) }) {
		if p.From < p.To && p.From != at {
			return Rewritten{}, fmt.Errorf("edits overlap at byte %d", at)
		}
		at = max(at, p.To)
	}
	return Rewritten{Text: w.out.String(), Pieces: w.pieces}, nil
}

type writer struct {
	text   string
	edits  []edit
	out    strings.Builder
	pieces []Piece
}

func (w *writer) add(p Piece) {
	switch {
	case p.Text != "":
		w.out.WriteString(p.Text)
	case p.From == p.To:
		return
	default:
		w.out.WriteString(w.text[p.From:p.To])
	}
	w.pieces = append(w.pieces, p)
}

// write writes a span with its edits. Insertions at the borders of a half of a swap belong to
// the text around it.
func (w *writer) write(s span, half bool) error {
	at := s.from
	var written span // the last half of a swap; its edits went with it
	first := sort.Search(len(w.edits), func(i int) bool { return w.edits[i].from >= s.from })
	for i := first; i < len(w.edits) && w.edits[i].from <= s.to; i++ {
		e := w.edits[i]
		switch border := e.from == e.to && (e.from == s.from || e.to == s.to); {
		case half && (border || e.span == s || e.from == s.to), e.from < at && written.has(e.span):
			continue
		case e.from < at || e.to > s.to, half && e.swap != nil && (!s.has(*e.swap) || *e.swap == s):
			return fmt.Errorf("edits overlap at byte %d", e.from)
		}
		w.add(Piece{From: at, To: e.from})
		if e.swap != nil {
			written = e.span
			if err := w.write(*e.swap, true); err != nil {
				return err
			}
		} else {
			w.add(Piece{From: e.from, To: e.to, Text: e.text})
		}
		at = e.to
	}
	w.add(Piece{From: at, To: s.to})
	return nil
}

// Lines returns for each line of the original text the line, counted from 1, that it became: the
// line of its first byte that is no white space and was kept. 0: no such byte was kept.
func (r Rewritten) Lines(original string) (out []int) {
	type kept struct {
		Piece
		line int // of the new text
		row  int // of the original text
	}
	var pieces []kept
	line, row, at := 1, 0, 0
	for _, p := range r.Pieces {
		if p.From < p.To {
			pieces = append(pieces, kept{Piece: p, line: line})
		}
		line += strings.Count(cmp.Or(p.Text, original[p.From:p.To]), "\n")
	}
	slices.SortFunc(pieces, func(a, b kept) int { return cmp.Compare(a.From, b.From) })
	for i, p := range pieces {
		row += strings.Count(original[at:p.From], "\n")
		pieces[i].row, at = row, p.From
	}
	at = 0
	for text := range strings.Lines(original) {
		became := 0
		for i := at; i < at+len(text) && became == 0; i++ {
			for len(pieces) > 0 && pieces[0].To <= i {
				pieces = pieces[1:]
			}
			if len(pieces) == 0 || i < pieces[0].From || strings.IndexByte(" \t\n", original[i]) >= 0 {
				continue
			}
			if became = pieces[0].line; pieces[0].Text == "" {
				became += len(out) - pieces[0].row
			}
		}
		out, at = append(out, became), at+len(text)
	}
	return out
}
