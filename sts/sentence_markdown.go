package sts

import (
	"context"
	"strings"
)

// Markdown is the default splitter, made for review comments as they are
// written on GitHub and by language models. Its rules:
//
//   - What review bots add to a finding (see Written) is no sentence, unless Raw is set. HTML
//     comments never are; an unclosed comment is text.
//   - Blocks: a heading, a list item, a table row and a paragraph end a sentence.
//     Their marks (#, -, 1., [x], >, |) are not part of the text; a line has 100 markers of
//     lists and quotes at most, and what follows is text. A table row is
//     one sentence; the header row is left out, because it states nothing.
//   - Fenced code is not a sentence: it states nothing about the change, but its
//     tokens would match the change. The same holds for code that is indented by
//     four columns. Only when a review has nothing else (a bare suggestion block) is
//     each fenced block one sentence, and indented text prose.
//   - Line breaks within a paragraph: GitHub shows them, and many machine reviews
//     write one sentence a line without a full stop, but people also wrap lines.
//     A break ends the sentence unless the next line goes on: it starts in lower
//     case (and not with a label such as "nit:"), the line ends with a comma, an
//     open bracket or a word such as "the", or the whole paragraph is visibly
//     wrapped at a fixed width.
//   - Inline: code spans are kept without their backticks and never cut. Emphasis
//     by asterisks, strikethrough, link targets and HTML tags are dropped.
//     Underscores stay, since they are parts of names more often than emphasis.
//   - Ends: ".", "?", "!", "…" and their runs, with closing quotes, brackets and
//     emoji, before white space; 。！？ anywhere. Not after abbreviations, list
//     numbers, or before a lower-case word when the stop is an ellipsis, is
//     enclosed by quotes or brackets, or has a space before it (a ternary).
//     A lower-case word does start a sentence otherwise: reviews are informal.
//   - Sentences without a letter or a digit are dropped.
//   - A sentence that begins with an anaphor ("It", "If so", "Otherwise") is marked,
//     unless it is the first of its paragraph or item.
type Markdown struct {
	// Raw keeps the parts that review bots add, except for HTML comments.
	Raw bool
}

// Signature implements Splitter.
func (m Markdown) Signature() string {
	if m.Raw {
		return "markdown/3" + RawSuffix
	}
	return "markdown/3"
}

// Split implements Splitter.
func (m Markdown) Split(review string) []Sentence {
	out, _ := m.splitContext(context.Background(), review) // which never ends
	return out
}

func (m Markdown) splitContext(ctx context.Context, review string) ([]Sentence, error) {
	p := &progress{ctx: ctx}
	out := m.split(p, review)
	if p.err != nil {
		return nil, p.err
	}
	return out, nil
}

func (m Markdown) split(p *progress, review string) []Sentence {
	left := string(written(p, review, m.Raw).left)
	blocks := parseBlocks(p, left)
	s := scanner{progress: p, text: strings.ReplaceAll(left, string(gone), " ")}
	for _, b := range blocks {
		if p.err != nil {
			return nil
		}
		if b.kind == prose || b.kind == row {
			n := len(s.out)
			s.block(b)
			for i := n + 1; i < len(s.out); i++ {
				s.out[i].Anaphoric = isAnaphoric(s.out[i].Text)
			}
		}
	}
	if len(s.out) > 0 {
		return s.out
	}
	for _, b := range blocks {
		switch b.kind {
		case fenced:
			s.verbatim(b)
		case indented:
			s.block(b)
		}
	}
	return s.out
}

type blockKind uint8

const (
	prose    blockKind = iota // text that is cut into sentences, line by line
	row                       // one table row, never cut
	fenced                    // the lines of one fenced code block
	indented                  // the lines of one indented code block
)

// span is a half-open range of bytes of the review.
type span struct{ start, end int }

// block is a run of lines that belong together, without the marks of the
// containers (quotes, lists) that they are in.
type block struct {
	kind  blockKind
	lines []span
}

// fence is an open code fence.
type fence struct {
	char  byte
	width int
	depth int // block quotes around it
	start int // where it was opened
}

// blockParser finds Markdown's block structure line by line, with one pass and
// no look-ahead: a line's meaning depends only on what came before it.
type blockParser struct {
	*progress
	text   string
	blocks []block
	cur    block // the open block; no lines when none is open

	depth   int    // block quotes around the previous line
	fence   *fence // the open fence
	inList  bool   // indentation belongs to a list item
	inTable bool
	blank   bool // the previous line was blank, or there was none

	cutter *cutter // is told of lines; nil where the text is already cut
	hidden int     // where the last HTML comment ends
}

func parseBlocks(progress *progress, text string) []block {
	p := blockParser{progress: progress, text: text, blank: true}
	p.parse()
	return p.blocks
}

func (p *blockParser) parse() {
	text := p.text
	for start := 0; start < len(text) && p.err == nil; {
		end, next := start, len(text)
		if i := strings.IndexAny(text[start:], "\r\n"); i >= 0 {
			end, next = start+i, start+i+1
			if text[end] == '\r' && next < len(text) && text[next] == '\n' {
				next++
			}
		} else {
			end = len(text)
		}
		p.look(next - start)
		if p.hidden <= end {
			p.line(max(start, p.hidden), end)
		}
		start = next
	}
	p.flush()
}

// flush closes the open block.
func (p *blockParser) flush() {
	if len(p.cur.lines) > 0 {
		p.blocks = append(p.blocks, p.cur)
	}
	p.cur = block{}
}

// add puts a line into the open block, which is closed first when it is of
// another kind.
func (p *blockParser) add(kind blockKind, start, end int) {
	if p.cur.kind != kind || kind == row {
		p.flush()
	}
	p.cur.kind = kind
	p.cur.lines = append(p.cur.lines, span{start, end})
}

// mostMarkers bounds the markers of a line, as CommonMark's own program bounds the depth of lists.
// What follows is text.
const mostMarkers = 100

// longestMarker is "999. ".
const longestMarker = 5

func (p *blockParser) line(start, end int) {
	if p.fence != nil && !p.fenceLine(start, end) {
		return
	}

	at, depth, marked := start, 0, false
	ruleFrom, ruleTo := ruleEnd(p.part(p.text, start, end))
	for markers := 0; ; markers++ {
		content, columns := skipIndent(p.text, at, end)
		p.look(content - at)
		if content == end {
			p.flush()
			p.blank, p.inTable, p.depth = true, false, depth
			return
		}
		if !marked && depth == 0 && columns >= 4 && !p.inList &&
			(p.cur.kind == indented && len(p.cur.lines) > 0 || p.blank) {
			p.add(indented, content, end)
			p.blank, p.depth = true, 0 // blank: more of the same may follow
			return
		}
		at = content
		if from := at - start; ruleFrom <= from && from <= ruleTo {
			p.flush()
			p.inTable = false
			break
		}
		if markers == mostMarkers {
			break
		}
		if p.text[at] == '>' {
			at++
			depth++
			continue
		}
		n := listMarker(p.part(p.text, at, min(end, at+longestMarker)))
		if n == 0 {
			break
		}
		p.flush()
		at += n
		marked, p.inList, p.inTable = true, true, false
		box := strings.TrimLeft(p.text[at:end], " \t")
		p.look(end - len(box) - at)
		if len(box) > 3 && box[0] == '[' && box[2] == ']' &&
			strings.IndexByte(" xX", box[1]) >= 0 && (box[3] == ' ' || box[3] == '\t') {
			at = end - len(box) + 3
		}
	}
	if depth != p.depth {
		p.flush() // a reply below a quote is not part of it
		p.inTable = false
	}
	if p.blank && !marked && at == start {
		p.inList = false
	}
	p.blank, p.depth = false, depth
	p.content(at, end, depth)
}

// content handles a line that is not blank, after its containers' marks.
func (p *blockParser) content(at, end, depth int) {
	s := strings.TrimRight(p.part(p.text, at, end), " \t\f")
	end = at + len(s)
	if width, open := fenceMarker(s); open {
		p.flush()
		p.fence = &fence{char: s[0], width: width, depth: depth, start: at}
		p.cur.kind = fenced
		return
	}
	if p.cutter != nil {
		p.hidden = p.cutter.line(at, end)
	}
	if n := headingMarker(s); n > 0 {
		p.flush()
		if title := strings.TrimRight(s, "#"); title != "" && strings.HasSuffix(title, " ") {
			end -= len(s) - len(title) // "## Title ##"
		}
		p.add(prose, min(at+n, end), end)
		p.flush()
		return
	}
	if depth > 0 && strings.HasPrefix(s, "[!") && strings.HasSuffix(s, "]") {
		return // the label of a GitHub alert: [!NOTE]
	}
	switch {
	case p.inTable && strings.Contains(s, "|"):
		p.add(row, at, end)
	case len(p.cur.lines) > 0 && p.cur.kind == prose && isDelimiterRow(s) &&
		strings.Contains(p.part(p.text, p.cur.lines[len(p.cur.lines)-1].start, at), "|"):
		p.cur.lines = p.cur.lines[:len(p.cur.lines)-1]
		p.flush()
		p.inTable = true
	case isRule(s):
	default:
		p.inTable = false
		p.add(prose, at, end)
	}
}

// fenceLine handles a line within a fence. It reports true when the fence ended
// before this line, which then is a line like any other.
func (p *blockParser) fenceLine(start, end int) bool {
	at := start
	for range p.fence.depth {
		i, _ := skipIndent(p.text, at, end)
		if i == end || p.text[i] != '>' {
			p.fence = nil
			p.flush()
			return true
		}
		at = i + 1
	}
	s := strings.Trim(p.part(p.text, at, end), " \t")
	if len(s) >= p.fence.width && strings.Trim(s, string(p.fence.char)) == "" {
		if info := p.text[p.fence.start+p.fence.width:]; p.cutter != nil {
			p.cutter.fenced(p.fence.start, end, strings.HasPrefix(strings.TrimLeft(info, " "), "suggestion"))
		}
		p.fence = nil
		p.flush()
		p.blank = false
		return false
	}
	if s != "" {
		p.cur.lines = append(p.cur.lines, span{at, end})
	}
	return false
}

// skipIndent returns the position of the first byte in [at, end) that is
// no space, no tab and not gone, and the columns before it.
func skipIndent(text string, at, end int) (int, int) {
	columns := 0
	for ; at < end; at++ {
		switch text[at] {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		case gone:
		default:
			return at, columns
		}
	}
	return at, columns
}

// listMarker returns the length of a list marker at the start of s, 0 for none.
// Numbers have three digits at most, so that "2019. It" is none.
func listMarker(s string) int {
	n := 0
	if strings.IndexByte("-*+", s[0]) >= 0 {
		n = 1
	} else {
		for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == 0 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if n == len(s) || s[n] == ' ' || s[n] == '\t' {
		return n
	}
	return 0
}

// isRule is true for thematic breaks and the underlines of headings: one of
// -, =, * and _, at least twice, and nothing else.
func isRule(s string) bool {
	from, to := ruleEnd(s)
	return from == 0 && to >= 0
}

// ruleEnd is the rule that s ends with: s[at:] is a rule for each at in [from, to] that is no
// blank. from > to for none. It looks at the end only once for all markers of a line.
func ruleEnd(s string) (from, to int) {
	s = strings.TrimRight(s, " \t")
	if s == "" || strings.IndexByte("-=*_", s[len(s)-1]) < 0 {
		return 1, 0
	}
	mark := s[len(s)-1:]
	from = len(strings.TrimRight(s, mark+" \t"))
	return from, strings.LastIndexByte(s[:len(s)-1], mark[0])
}

// fenceMarker reports whether s opens a fenced code block, and by how many
// characters. A backtick later in the line makes it inline code.
func fenceMarker(s string) (width int, open bool) {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return 0, false
	}
	width = len(s) - len(strings.TrimLeft(s, s[:1]))
	return width, width >= 3 && (s[0] == '~' || strings.IndexByte(s[width:], '`') < 0)
}

// headingMarker returns the length of a heading's mark with the space behind
// it, 0 for none.
func headingMarker(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n == 0 || n > 6 {
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return len(s) - len(strings.TrimLeft(s[n:], " \t"))
}

// isDelimiterRow is true for the line between a table's header and its rows.
func isDelimiterRow(s string) bool {
	return strings.Trim(s, "|:- \t") == "" && strings.Contains(s, "-") && strings.Contains(s, "|")
}
