package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore/internal/dataset"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/report"
)

// Cases show single reviews, with links between their sentences and references.
type Cases struct {
	// Title is above the figure. Note is the text with it, empty for none; an empty line
	// separates its paragraphs.
	Title, Note string
	// Cases are shown in this order.
	Cases []Case
}

// Case is a review.
type Case struct {
	Title string // such as "change 17, review llama3"
	// Facts follow the title: "human 5", "metric 0.08".
	Facts           []string
	Sentences, Refs []Item
	Links           []Link
	Note            string
	// Names are above the two lists; empty: "Sentences" and "References".
	Names [2]string
}

// Item is a sentence or a reference.
type Item struct {
	// Text is the whole sentence or reference.
	Text string
	// Kind is printed before the text: "claim", "smell".
	Kind string
	// Mark is Good for a match, Bad for none, Partly for a match in part, and Neutral in a mode
	// without a threshold.
	Mark report.Mark
	// Code is printed below the text, a line of code a line.
	Code string
}

// Link connects a sentence with a reference.
type Link struct {
	// Sentence and Ref are counted from 1, as in [dataset.Sentence]. A link with a number that
	// does not exist is not shown.
	Sentence, Ref int
	// Similarity is the similarity of the two. A link with a NaN is not shown.
	Similarity float64
	// Matched links are drawn as solid lines, others as dashed lines. In a mode without a
	// threshold all links are matched.
	Matched bool
}

// Explain shows the evidence for a review: each sentence with its most similar reference, and the references that
// a sentence covers, fully or in part. A note has the number of the others.
func (c *Case) Explain(e *dataset.Explain) {
	mark := func(matched *bool, credit float64) report.Mark {
		switch {
		case matched == nil:
			return report.Neutral
		case *matched:
			return report.Good
		case credit > 0:
			return report.Partly
		}
		return report.Bad
	}
	shown := make([]int, len(e.Refs)) // the place of a reference among those shown
	show := func(ref int) int {
		if ref < 1 || ref > len(e.Refs) {
			return 0
		}
		if shown[ref-1] == 0 {
			r := e.Refs[ref-1]
			c.Refs = append(c.Refs, Item{Text: r.Text, Kind: r.Kind, Mark: mark(r.Matched, credit(r))})
			shown[ref-1] = len(c.Refs)
		}
		return shown[ref-1]
	}
	for i, s := range e.Sentences {
		c.Sentences = append(c.Sentences, Item{Text: s.Text, Mark: mark(s.Matched, s.Credit)})
		c.Links = append(c.Links, Link{Sentence: i + 1, Ref: show(s.Ref), Similarity: s.Similarity, Matched: s.Matched == nil || *s.Matched})
	}
	for j, r := range e.Refs {
		if r.Matched == nil || !*r.Matched && credit(r) == 0 || r.Sentence == nil || r.Similarity == nil {
			continue
		}
		// A sentence's nearest reference is linked with it already.
		if s := *r.Sentence; s >= 1 && s <= len(e.Sentences) && e.Sentences[s-1].Ref != j+1 {
			c.Links = append(c.Links, Link{Sentence: s, Ref: show(j + 1), Similarity: *r.Similarity, Matched: *r.Matched})
		}
	}
	if more := len(e.Refs) - len(c.Refs); more > 0 {
		c.Note = fmt.Sprintf("references that are no sentence's most similar reference, not shown here: %d", more)
	}
}

// credit is the credit of a reference in Comp.
func credit(r dataset.Ref) float64 {
	if r.Credit == nil {
		return 0
	}
	return *r.Credit
}

// shownItems bounds the sentences and the references of a case that are shown.
const shownItems = 40

// caseView is a case as it is shown.
type caseView struct {
	Title string
	Facts []string
	Notes []string
	Sides [2]side
	Links []linkView
}

// side is a list of sentences or references.
type side struct {
	Name  string
	Items []itemView
	More  string // the number of items that are not shown
}

type itemView struct {
	N          int    // counted from 1 in the case
	Mark, Sign string // as class, and as character
	Means      string // the meaning of the sign
	Kind, Text string
	To         string // the partners
	Code       []string
}

type linkView struct {
	D       string
	Matched bool
	Tip     string
}

func (c Case) view() caseView {
	v := caseView{Title: report.Plain(c.Title), Notes: paragraphs(c.Note)}
	for _, f := range c.Facts {
		v.Facts = append(v.Facts, report.Plain(f))
	}
	links := slices.DeleteFunc(slices.Clone(c.Links), func(l Link) bool {
		return l.Sentence < 1 || l.Sentence > len(c.Sentences) || l.Ref < 1 || l.Ref > len(c.Refs) || !drawable(l.Similarity)
	})
	slices.SortStableFunc(links, func(a, b Link) int {
		switch {
		case a.Similarity > b.Similarity:
			return -1
		case a.Similarity < b.Similarity:
			return 1
		}
		return 0
	})
	ofSentence := func(l Link) (own, other int) { return l.Sentence, l.Ref }
	ofRef := func(l Link) (own, other int) { return l.Ref, l.Sentence }
	v.Sides[0] = newSide(cmp.Or(c.Names[0], "Sentences"), "→\u00a0reference", c.Sentences, links, ofSentence)
	v.Sides[1] = newSide(cmp.Or(c.Names[1], "References"), "←\u00a0sentence", c.Refs, links, ofRef)
	for _, l := range links {
		from, ok1 := v.Sides[0].height(l.Sentence)
		to, ok2 := v.Sides[1].height(l.Ref)
		if ok1 && ok2 {
			v.Links = append(v.Links, linkView{
				D:       fmt.Sprintf("M0 %s C50 %s 50 %s 100 %s", px(from), px(from), px(to), px(to)),
				Matched: l.Matched,
				Tip:     fmt.Sprintf("sentence %d, reference %d: %s", l.Sentence, l.Ref, short(l.Similarity)),
			})
		}
	}
	return v
}

// spans splits the text into words and, between backticks, code.
func (v itemView) spans() (out []span) {
	at := 0
	for _, m := range code.FindAllStringIndex(v.Text, -1) {
		out = append(out, span{Text: v.Text[at:m[0]]}, span{Code: v.Text[m[0]+1 : m[1]-1]})
		at = m[1]
	}
	return append(out, span{Text: v.Text[at:]})
}

type span struct{ Text, Code string }

var code = regexp.MustCompile("`[^`]+`")

// newSide lists items with their partners, in their order. Of too many items it keeps those
// with a partner first.
func newSide(name, to string, items []Item, links []Link, ends func(Link) (own, other int)) side {
	partners := make([][]string, len(items))
	for _, l := range links {
		own, other := ends(l)
		if p := &partners[own-1]; len(*p) < 5 {
			*p = append(*p, fmt.Sprintf("%d\u00a0(%.2f)", other, l.Similarity)) // stays together
		}
	}
	room := shownItems
	shown := make([]bool, len(items))
	for _, wanted := range []bool{true, false} {
		for i := range items {
			if (partners[i] != nil) == wanted && room > 0 {
				shown[i] = true
				room--
			}
		}
	}
	s := side{Name: fmt.Sprintf("%s (%d)", report.Plain(name), len(items))}
	for i, it := range items {
		if !shown[i] {
			continue
		}
		v := itemView{N: i + 1, Kind: report.Plain(it.Kind), Text: report.Plain(it.Text), Sign: "·"}
		switch it.Mark {
		case report.Good:
			v.Mark, v.Sign, v.Means = "good", "✓", "matched"
		case report.Bad:
			v.Mark, v.Sign, v.Means = "bad", "✗", "not matched"
		case report.Partly:
			v.Mark, v.Sign, v.Means = "partly", "◐", "matched in part"
		}
		for line := range strings.Lines(it.Code) {
			v.Code = append(v.Code, report.Plain(strings.TrimRight(line, "\r\n")))
		}
		if partners[i] != nil {
			v.To = to + "\u00a0" + strings.Join(partners[i], ", ")
		}
		s.Items = append(s.Items, v)
	}
	if n := len(items) - len(s.Items); n > 0 {
		s.More = fmt.Sprintf("and %d more", n)
	}
	return s
}

// height is the middle of an item, from 0 to 1000. On wide screens all items of a side have the
// same height, so that links can be drawn without measuring.
func (s side) height(n int) (float64, bool) {
	i := slices.IndexFunc(s.Items, func(it itemView) bool { return it.N == n })
	return (float64(i) + 0.5) / float64(len(s.Items)) * 1000, i >= 0
}

func (c Cases) html(int) block {
	b := block{Title: report.Plain(c.Title), Notes: paragraphs(c.Note)}
	for _, one := range c.Cases {
		b.Cases = append(b.Cases, one.view())
	}
	return b
}

func (c Cases) text(p printer) {
	p.figure(c.Title, c.Note)
	for _, one := range c.Cases {
		v := one.view()
		p.line("")
		head := v.Title
		if len(v.Facts) > 0 {
			head += ": " + strings.Join(v.Facts, ", ")
		}
		p.Paragraph("", head)
		for _, s := range v.Sides {
			p.Paragraph("  ", s.Name)
			for _, it := range s.Items {
				text := it.Text
				if it.Kind != "" {
					text = it.Kind + ": " + text
				}
				p.hanging(fmt.Sprintf("  %s %2d. ", it.Sign, it.N), text+" "+it.To)
				for _, line := range it.Code {
					p.line("       " + elide(line, p.width()-7))
				}
			}
			if s.More != "" {
				p.line("       " + s.More)
			}
		}
		for _, n := range v.Notes {
			p.Paragraph("  ", n)
		}
	}
	p.line("")
}
