package sts

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Written returns the part of a review that a reviewer wrote: without HTML comments, images and
// the parts that review bots add, such as severities, prompts, blocks of suggestion and footers.
// The splitter Markdown reads the same part. A review without anything else stays, if each part
// could be a person's, such as a suggestion.
func Written(review string) string {
	c := written(&progress{ctx: context.Background()}, review, false)
	if len(c.cuts) == 0 {
		return review
	}
	var out []byte
	for i, b := range c.left {
		if b != gone || review[i] == gone {
			out = append(out, b)
		}
	}
	return strings.TrimSpace(string(out))
}

// WrittenSignature names the rules of Written and their version; with raw, that texts stay whole.
func WrittenSignature(raw bool) string {
	if raw {
		return "raw"
	}
	return formsVersion
}

// gone stands for each byte of a part that is cut. It is a blank that is no indentation.
const gone = '\f'

// written finds the cuts of a review. raw cuts HTML comments only; so does a review of which nothing
// would be left, unless some part is for sure a bot's.
func written(p *progress, review string, raw bool) *cutter {
	c := &cutter{progress: p, text: review, flat: []byte(review), left: []byte(review), raw: raw,
		forms: map[string]lineForms{}, labels: map[formKey][]int{}, lastEnd: strings.LastIndex(review, "-->")}
	(&blockParser{progress: p, text: review, blank: true, cutter: c}).parse()
	c.headlines()
	if !raw && !c.sure && len(bytes.TrimSpace(c.left)) == 0 {
		return written(p, review, true)
	}
	return c
}

// cutter finds the machine-made parts of a review. It is told of each line outside code fences.
type cutter struct {
	*progress
	text    string
	flat    []byte // the text
	left    []byte // the text, with gone for what is cut and a line feed at the end of a folding's tag
	cuts    []span // in no order
	raw     bool
	sure    bool // some cut can be nobody's but a bot's
	rated   bool // there is a severity above
	lastEnd int  // where the last "-->" starts
	code    int  // where the last code fence closed
	open    []folding
	folds   []span // that are cut, none within another
	lines   []seenLine

	forms  map[string]lineForms // of lines that were read: many are the same
	labels map[formKey][]int    // groups of their parts
}

// formKey is a text that was compared with the forms of a kind.
type formKey struct {
	kind formKind
	text string
}

// folding is a <details> that is not closed yet.
type folding struct {
	start  int
	summed bool // its summary has been read
	whole  bool // its summary is a form of the table
	code   bool // the same, where the folding holds code
}

// seenLine is a line outside code fences that is not blank.
type seenLine struct {
	span
	words int  // that are left
	rates bool // it has a severity
	title bool // all of it is bold, or it is a heading
	rule  bool
}

func (c *cutter) cut(start, end int) {
	c.cuts = append(c.cuts, span{start, end})
	for i := start; i < end; i++ {
		c.left[i] = gone
	}
}

// fenced is told of a closed code fence.
func (c *cutter) fenced(start, end int, suggestion bool) {
	if c.code = end; suggestion && !c.raw {
		c.cut(start, end)
	}
}

// longestImage and longestSummary bound the texts of an image and of a folding's summary.
const longestImage, longestSummary = 4 << 10, 1000

// line looks at a line, and returns where its last HTML comment ends, which may be far behind it.
func (c *cutter) line(at, end int) int {
	first, p := len(c.cuts), at
	l := seenLine{span: span{at, end}, rule: isRule(c.part(c.text, at, end))}
	closes := pairBackticks(c.flat[at:end])
	for p < end && c.err == nil {
		i := strings.IndexAny(c.text[p:end], "`<![")
		if i < 0 {
			break
		}
		p += i
		n := 1
		if c.text[p] == '`' {
			n = runLength(c.flat[:end], p)
			if to, ok := closes[p-at]; ok {
				n += at + to - p
			}
		} else if strings.HasPrefix(c.text[p:], "<!--") && p+4 <= c.lastEnd {
			n = strings.Index(c.text[p+4:], "-->") + 7
			c.look(n)
			c.cut(p, p+n)
			l.rates = l.rates || n < 100 && isRating(c.text[p+4:p+n-3])
		} else if m := c.image(p, end); m != nil {
			left, right := p, p+m[1]
			if strings.HasSuffix(c.text[at:left], "**") && strings.HasPrefix(c.text[right:end], "**") {
				left, right = left-2, right+2
			}
			c.cut(left, c.blanks(right, end))
			n = right - p
			l.rates, c.sure = l.rates || isRating(c.text[p:p+m[1]]), true
		} else if c.text[p] == '<' && !c.raw {
			n = max(1, c.tag(p, &l))
		}
		p += n
	}
	if !c.raw {
		c.whole(&l, first)
		if l.words == 0 {
			c.rated = c.rated || l.rates
		} else {
			l.rates, c.rated = l.rates || l.title && c.rated, false
		}
		c.lines = append(c.lines, l)
	}
	return max(p, end)
}

// image is where an image at p starts and ends, from p on; nil for none.
func (c *cutter) image(p, end int) []int {
	text := c.text[p:min(end, p+longestImage)]
	if c.raw || !strings.HasPrefix(text, "![") && !strings.HasPrefix(text, "[![") && !strings.HasPrefix(text, "<sub>") {
		return nil
	}
	return marks().image.FindStringIndex(c.part(text, 0, len(text)))
}

// whole compares a line with the forms of lines, then with those of labels and tags.
func (c *cutter) whole(l *seenLine, first int) {
	rest := string(c.left[l.start:l.end])
	start := l.end - len(strings.TrimLeft(rest, " \t\n\f"))
	rest = strings.TrimSpace(strings.ReplaceAll(rest, string(gone), ""))
	const longest, window = 400, 200
	empty := rest == ""
	if len(rest) > longest {
		rest = strings.TrimSpace(withoutMarks(rest, " ")) // links of bots are long
	}
	if l.words = longest; len(rest) <= longest {
		f, known := c.forms[rest]
		if !known {
			f = formsOfLine(rest)
			c.forms[rest] = f
		}
		l.words, l.title = f.words, f.title
		if f.rates || f.foot || f.apart || f.blank && !empty && !l.rule && len(c.cuts) > first {
			c.cut(l.start, l.end)
			l.words, l.rates, c.sure = 0, l.rates || f.rates, c.sure || f.sure
			return
		}
	}
	if len(c.cuts) > first && start > l.start { // blanks behind a cut are no indentation
		c.cut(l.start, start)
	}
	head := c.text[start:min(l.end, start+window)]
	if (isSetOff(head) || strings.HasPrefix(head, "P") || strings.Contains(head, "):")) && labelled(head) {
		c.groups(l, label, start, start+len(head))
	}
	if strings.HasSuffix(rest, ")") || strings.HasSuffix(strings.TrimRight(rest, "*_"), "]") || strings.HasSuffix(rest, "</code>") {
		c.groups(l, tagged, max(start, l.end-window), l.end)
	}
}

// lineForms are the forms of a line.
type lineForms struct {
	words              int  // that are left without marks
	blank              bool // nothing is left
	title              bool
	rates, foot, apart bool // it is a form of severity or keyed, footer, apart
	sure               bool // it can be nobody's but a bot's
}

func formsOfLine(line string) (f lineForms) {
	const longestRating = 16
	plain, apartly := plainText(line), isSetOff(line)
	f.words, f.blank = len(strings.Fields(plain)), plain == ""
	f.title = marks().title.MatchString(strings.TrimSpace(withoutMarks(line, "")))
	f.rates = f.words <= longestRating && (apartly && fits(severity, plain) || fits(keyed, plain))
	f.foot = fits(footer, plain)
	f.apart = apartly && fits(apart, plain)
	f.sure = f.rates && apartly || f.foot
	return f
}

// groups cuts the groups of a form, and the blanks behind them.
func (c *cutter) groups(l *seenLine, kind formKind, from, to int) {
	key := formKey{kind, c.text[from:to]}
	m, known := c.labels[key]
	if !known {
		m = groups(kind, key.text)
		c.labels[key] = m
	}
	for i := 0; i < len(m); i += 2 {
		if m[i] >= 0 {
			c.cut(from+m[i], c.blanks(from+m[i+1], l.end))
			l.rates = l.rates || kind == label && c.text[from] == '#' || isRating(c.text[from+m[i]:from+m[i+1]])
		}
	}
}

// blanks is where the blanks from at on end.
func (c *cutter) blanks(at, end int) int {
	at, _ = skipIndent(c.text, at, end)
	return at
}

// tag returns the size of an HTML tag, 0 for none. It cuts images, foldings and their tags.
func (c *cutter) tag(p int, l *seenLine) int {
	n, _ := c.htmlTag(c.flat, p)
	if n == 0 {
		return 0
	}
	name, _, _ := strings.Cut(strings.Trim(c.text[p+1:p+n-1], "/"), " ")
	closing, last := c.text[p+1] == '/', len(c.open)-1
	switch name {
	case "img", "picture", "source":
		c.cut(p, p+n)
		m := marks().alt.FindStringSubmatch(c.text[p : p+n])
		l.rates, c.sure = l.rates || m != nil && isRating(m[1]), true
	case "summary":
		c.cut(p, p+n)
		c.left[p+n-1] = '\n'
		summary, _, ok := strings.Cut(c.part(c.text, p+n, min(len(c.text), p+n+longestSummary)), "</summary>")
		if ok && !closing && last >= 0 && !c.open[last].summed {
			plain := plainText(summary)
			c.open[last] = folding{c.open[last].start, true, fits(folded, plain), fits(foldedCode, plain)}
		}
	case "details":
		f := folding{start: p}
		if !closing {
			c.open = append(c.open, f)
		} else if last >= 0 {
			if f, c.open = c.open[last], c.open[:last]; !f.whole && !(f.code && c.code > f.start) {
				f.start = p
			}
			for len(c.lines) > 0 && c.lines[len(c.lines)-1].start >= f.start {
				c.lines = c.lines[:len(c.lines)-1]
			}
		}
		c.cuts = append(c.cuts, span{f.start, p + n})
		for i := p + n - 1; i >= f.start; i-- {
			if k := len(c.folds) - 1; k >= 0 && i < c.folds[k].end {
				i, c.folds = c.folds[k].start, c.folds[:k] // it is cut: nesting must not cost more
			}
			c.left[i] = gone
		}
		c.folds = append(c.folds, span{f.start, p + n})
		c.left[p+n-1] = '\n'
	}
	return n
}

// headlines cuts the title of a finding, next to its severity, that is shorter than the text
// below it, which it sums up. It also cuts rules before machine-made lines and at the end.
func (c *cutter) headlines() {
	rated, words, last := false, 0, true
	for _, l := range slices.Backward(c.lines) {
		if l.rule && last || l.title && (l.rates || rated) && words > l.words {
			c.cut(l.start, l.end)
		}
		switch {
		case l.rule && last:
		case l.words == 0:
			rated, last = rated || l.rates, true
		case l.title:
			rated, words, last = false, 0, false
		default:
			rated, words, last = false, words+l.words, false
		}
	}
}

// isRating is true for the text of a comment, an image or a label that rates a finding.
func isRating(text string) bool {
	plain := strings.TrimSuffix(plainText(text), " badge")
	return fits(severity, plain) || fits(keyed, plain)
}

// marks are expressions that are compiled when the first review is read.
var marks = sync.OnceValue(func() *machineMarks {
	return &machineMarks{
		image:  regexp.MustCompile(`^(?:<sub>){0,4}(?:!\[[^\]\[\r\n]*\]\([^()\s]+\)|\[!\[[^\]\[\r\n]*\]\([^()\s]+\)\]\([^()\s]+\))(?:</sub>){0,4}`),
		alt:    regexp.MustCompile(`alt=["']([^"'<>]{1,40})["']`),
		title:  regexp.MustCompile(`^(?:#{1,6} .*|\*\*[^*]+\*\*|__[^_]+__|[0-9]+\\\. .*|\[P[0-4]\] .* — \S+:[0-9]+(?:-[0-9]+)?)$`),
		setOff: regexp.MustCompile("^(?:[*_\\[<~#|\\p{So}‼ℹ]|`[0-9]|:[a-z_]+:)"),
		place:  regexp.MustCompile("`[^`]{1,300}(?::[0-9]+(?:[-:–][0-9]+)*|\\.[a-z]{1,5})`"),
		plain:  regexp.MustCompile(`<[^<>]*>|&#?\w{1,8};|\]\([^()\s]*\)|:[a-z][a-z0-9_+-]{1,30}:`),
	}
})

type machineMarks struct {
	image, alt, title *regexp.Regexp
	setOff            *regexp.Regexp // by a mark, a link, a tag or an emoji
	place             *regexp.Regexp // in code
	plain             *regexp.Regexp // a tag, an entity, the target of a link or the name of an emoji
}

// isSetOff reports whether a line is set off from a text: a colon may end it, too.
func isSetOff(line string) bool {
	return strings.HasSuffix(line, ":") || marks().setOff.MatchString(line)
}

// withoutMarks is a line with a text in place of its tags, entities, link targets and names of emoji.
func withoutMarks(line, with string) string {
	if !strings.ContainsAny(line, "<&]:") {
		return line
	}
	return marks().plain.ReplaceAllString(line, with)
}

// plainText is a line in lower case, without marks, tags, link targets and emoji, as the forms
// have it. The name of a place in code is "a_place", and "a thumb" starts a line with 👍 or 👎.
func plainText(line string) string {
	if slices.ContainsFunc([]string{"👍", "👎", ":+1:", ":-1:"}, func(thumb string) bool { return strings.Contains(line, thumb) }) {
		line = "a thumb " + line
	}
	if strings.Contains(line, "`") {
		line = marks().place.ReplaceAllString(line, " a_place ")
	}
	line = withoutMarks(line, " ")
	line = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*#~`>[]\"'“”’&ℹ\\", r) || isEmoji(r) || isSpace(r) || isInvisible(r) {
			return ' '
		}
		return r
	}, strings.ToLower(line))
	line = strings.ReplaceAll(strings.ReplaceAll(line, "_", " "), "a place", "a_place")
	return strings.Join(strings.Fields(strings.Trim(line, " .,:;|/!?·•—–-")), " ")
}
