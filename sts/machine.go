package sts

import (
	"regexp"
	"slices"
	"strings"
)

// Written returns the part of a review that a reviewer wrote: without HTML comments, images and
// the parts that review bots add, such as severities, prompts, blocks of suggestion and footers.
// The splitter Markdown reads the same part. A review that is nothing but a suggestion stays.
func Written(review string) string {
	text, cuts := written(review, false)
	if len(cuts) > 0 {
		text = strings.TrimSpace(text)
	}
	return text
}

// WrittenSignature names the rules of Written and their version; with raw, that texts stay whole.
func WrittenSignature(raw bool) string {
	if raw {
		return "raw"
	}
	return formsVersion
}

// cut is a range of bytes of a review that no sentence has.
type cut struct {
	span
	breaks bool // a line ends there
}

// written is a review without its cuts, which are in order and apart. raw cuts HTML comments only,
// as where nothing would be left and no part is for sure a bot's.
func written(review string, raw bool) (string, []cut) {
	c := cutter{text: review, flat: []byte(review), raw: raw, lastEnd: strings.LastIndex(review, "-->")}
	(&blockParser{text: review, blank: true, cutter: &c}).parse()
	c.headlines()
	c.merge()
	var b strings.Builder
	at := 0
	for _, k := range c.cuts {
		b.WriteString(review[at:k.start])
		if at = k.end; k.breaks {
			b.WriteByte('\n')
		}
	}
	b.WriteString(review[at:])
	if !raw && !c.sure && strings.TrimSpace(b.String()) == "" {
		return written(review, true)
	}
	return b.String(), c.cuts
}

// restore maps the spans of sentences in what is left of a text to the text.
func restore(sentences []Sentence, cuts []cut) {
	gone, i := 0, 0
	back := func(at int) int {
		for i < len(cuts) && cuts[i].start-gone <= at {
			gone += cuts[i].end - cuts[i].start
			if cuts[i].breaks {
				gone--
			}
			i++
		}
		return at + gone
	}
	for k := range sentences {
		s := &sentences[k]
		s.Start, s.End = back(s.Start), back(s.End-1)+1
	}
}

// cutter finds the machine-made parts of a review. It is told of each line outside code fences.
type cutter struct {
	text    string
	flat    []byte // the text
	raw     bool
	sure    bool // some cut can be nobody's but a bot's
	rated   bool // there is a severity above
	lastEnd int  // where the last "-->" starts
	code    int  // where the last code fence closed
	cuts    []cut
	open    []folding
	lines   []seenLine
}

// folding is a <details> that is not closed yet.
type folding struct {
	start  int
	summed bool // its summary has been read
	whole  bool // its summary is a form of the table
	code   bool // it is a form where it holds code
}

// seenLine is a line outside code fences that is not blank.
type seenLine struct {
	span
	words int  // that are left
	rates bool // it has a severity
	title bool // all of it is bold, or it is a heading
	rule  bool
}

func (c *cutter) cut(start, end int, breaks bool) {
	c.cuts = append(c.cuts, cut{span{start, end}, breaks})
}

// fenced is told of a closed code fence.
func (c *cutter) fenced(start, end int, suggestion bool) {
	if c.code = end; suggestion && !c.raw {
		c.cut(start, end, false)
	}
}

// line looks at a line, and returns where its last HTML comment ends, which may be far behind it.
func (c *cutter) line(at, end int) int {
	first, p := len(c.cuts), at
	l := seenLine{span: span{at, end}, rule: isRule(c.text[at:end])}
	var closes map[int]int
	if strings.IndexByte(c.text[at:end], '`') >= 0 {
		closes = pairBackticks(c.flat[at:end])
	}
	for p < end {
		i := strings.IndexAny(c.text[p:end], "`<![")
		if i < 0 {
			break
		}
		p += i
		if c.text[p] == '`' {
			n := runLength(c.flat[:end], p)
			if to, ok := closes[p-at]; ok {
				n += at + to - p
			}
			p += n
			continue
		}
		if strings.HasPrefix(c.text[p:], "<!--") && p+4 <= c.lastEnd {
			n := strings.Index(c.text[p+4:], "-->") + 7
			c.cut(p, p+n, false)
			l.rates = l.rates || n < 100 && isRating(c.text[p+4:p+n-3])
			p += n
			continue
		}
		n := 0
		if c.text[p] == '<' && !c.raw {
			n = c.tag(p, &l)
		} else if m := imageMark.FindStringIndex(c.text[p:end]); m != nil && !c.raw {
			left, right := p, p+m[1]
			for _, m := range [][2]string{{"<sub>", "</sub>"}, {"<sub>", "</sub>"}, {"**", "**"}} { // around badges
				if strings.HasSuffix(c.text[at:left], m[0]) && strings.HasPrefix(c.text[right:end], m[1]) {
					left, right = left-len(m[0]), right+len(m[1])
				}
			}
			c.cut(left, c.blanks(right, end), false)
			n = right - p
			l.rates, c.sure = l.rates || isRating(c.text[p:p+m[1]]), true
		}
		p += max(n, 1)
	}
	if !c.raw {
		c.whole(&l, min(first, len(c.cuts)))
		if l.words == 0 {
			c.rated = c.rated || l.rates
		} else {
			l.rates, c.rated = l.rates || l.title && c.rated, false
		}
		c.lines = append(c.lines, l)
	}
	return max(p, end)
}

// whole compares a line with the forms of lines, then with those of labels and tags.
func (c *cutter) whole(l *seenLine, first int) {
	var b strings.Builder
	start, at := l.start, l.start
	for _, k := range c.cuts[first:] {
		from := max(at, k.start)
		if strings.TrimSpace(c.text[start:from]) == "" {
			start = min(k.end, l.end)
		}
		b.WriteString(c.text[at:from])
		at = min(k.end, l.end)
	}
	b.WriteString(c.text[at:l.end])
	rest := strings.TrimSpace(b.String())
	const longest, longestRating, window = 400, 16, 200
	empty := rest == ""
	if len(rest) > longest {
		rest = strings.TrimSpace(plainMark.ReplaceAllString(rest, " ")) // links of bots are long
	}
	if len(rest) > longest {
		l.words = longest
	} else {
		plain, apartly := plainText(rest), setOff.MatchString(rest)
		l.words = len(strings.Fields(plain))
		l.title = titleMark.MatchString(strings.TrimSpace(plainMark.ReplaceAllString(rest, "")))
		rates := l.words <= longestRating && (apartly && fits(severity, plain) || fits(keyed, plain))
		foot := fits(footer, plain)
		if rates || foot || apartly && fits(apart, plain) || plain == "" && !empty && !l.rule && len(c.cuts) > first {
			c.cut(l.start, l.end, false)
			l.words, l.rates, c.sure = 0, l.rates || rates, c.sure || rates && apartly || foot
			return
		}
	}
	if at := start; at > l.start { // blanks behind a cut are no indentation
		start = c.blanks(start, l.end)
		c.cut(at, start, false)
	}
	if head := c.text[start:min(l.end, start+window)]; setOff.MatchString(head) || strings.HasPrefix(head, "P") || strings.Contains(head, "):") {
		c.groups(l, label, start, start+len(head))
	}
	if strings.HasSuffix(rest, ")") || strings.HasSuffix(strings.TrimRight(rest, "*_"), "]") || strings.HasSuffix(rest, "</code>") {
		c.groups(l, tagged, max(start, l.end-window), l.end)
	}
}

// groups cuts the groups of a form, and the blanks behind them.
func (c *cutter) groups(l *seenLine, kind formKind, from, to int) {
	m := formsOf()[kind].FindStringSubmatchIndex(c.text[from:to])
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			c.cut(from+m[i], c.blanks(from+m[i+1], l.end), false)
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
	n, _ := tag(c.flat, p)
	if n == 0 {
		return 0
	}
	name, _, _ := strings.Cut(strings.Trim(c.text[p+1:p+n-1], "/"), " ")
	closing, last := c.text[p+1] == '/', len(c.open)-1
	switch name {
	case "img", "picture", "source":
		c.cut(p, p+n, false)
		m := altMark.FindStringSubmatch(c.text[p : p+n])
		l.rates, c.sure = l.rates || m != nil && isRating(m[1]), true
	case "summary":
		c.cut(p, p+n, true)
		if end := strings.Index(c.text[p+n:min(len(c.text), p+n+1000)], "</summary>"); end >= 0 && !closing && last >= 0 && !c.open[last].summed {
			plain := plainText(c.text[p+n : p+n+end])
			c.open[last] = folding{c.open[last].start, true, fits(folded, plain), fits(foldedCode, plain)}
		}
	case "details":
		c.cut(p, p+n, true)
		if !closing {
			c.open = append(c.open, folding{start: p})
		} else if last >= 0 {
			f := c.open[last]
			if c.open = c.open[:last]; f.whole || f.code && c.code > f.start {
				k, i := len(c.cuts), len(c.lines)
				for ; k > 0 && c.cuts[k-1].start >= f.start; k-- {
				}
				for ; i > 0 && c.lines[i-1].start >= f.start; i-- {
				}
				c.cuts, c.lines = append(c.cuts[:k], cut{span{f.start, p + n}, true}), c.lines[:i]
			}
		}
	}
	return n
}

// headlines cuts the title of a finding, next to its severity, that is shorter than the text
// below it, which it sums up. It also cuts rules before machine-made lines and at the end.
func (c *cutter) headlines() {
	rated, words, last := false, 0, true
	for _, l := range slices.Backward(c.lines) {
		if l.rule && last || l.title && (l.rates || rated) && words > l.words {
			c.cut(l.start, l.end, false)
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

// merge sorts cuts and joins those that meet.
func (c *cutter) merge() {
	slices.SortFunc(c.cuts, func(a, b cut) int { return a.start - b.start })
	out := c.cuts[:0]
	for _, k := range c.cuts {
		if n := len(out) - 1; n >= 0 && k.start <= out[n].end {
			out[n].end, out[n].breaks = max(out[n].end, k.end), out[n].breaks || k.breaks
		} else {
			out = append(out, k)
		}
	}
	c.cuts = out
}

func fits(kind formKind, text string) bool { return formsOf()[kind].MatchString(text) }

// isRating is true for the text of a comment, an image or a label that rates a finding.
func isRating(text string) bool {
	plain := strings.TrimSuffix(plainText(text), " badge")
	return fits(severity, plain) || fits(keyed, plain)
}

var (
	imageMark = regexp.MustCompile(`^(?:!\[[^\]\[\r\n]*\]\([^()\s]+\)|\[!\[[^\]\[\r\n]*\]\([^()\s]+\)\]\([^()\s]+\))`)
	altMark   = regexp.MustCompile(`alt=["']([^"'<>]{1,40})["']`)
	titleMark = regexp.MustCompile(`^(?:#{1,6} .*|\*\*[^*]+\*\*|__[^_]+__|[0-9]+\\\. .*|\[P[0-4]\] .* — \S+:[0-9]+(?:-[0-9]+)?)$`)
	setOff    = regexp.MustCompile("^[*_\\[<~#|\\p{So}‼ℹ]|^`[0-9]|^:[a-z_]+:|:$") // by a mark, a link, a tag, an emoji or a colon
	placeMark = regexp.MustCompile("`[^`]{1,300}(?::[0-9]+(?:[-:–][0-9]+)*|\\.[a-z]{1,5})`")
	plainMark = regexp.MustCompile(`<[^<>]*>|&#?\w{1,8};|\]\([^()\s]*\)|:[a-z][a-z0-9_+-]{1,30}:`)
	thumbMark = regexp.MustCompile(`[👍👎]|:[+-]1:`)
)

// plainText is a line in lower case, without marks, tags, link targets and emoji, as the forms
// have it. The name of a place in code is "a_place", and "a thumb" starts a line with 👍 or 👎.
func plainText(line string) string {
	if thumbMark.MatchString(line) {
		line = "a thumb " + line
	}
	line = plainMark.ReplaceAllString(placeMark.ReplaceAllString(line, " a_place "), " ")
	line = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*#~`>[]\"'“”’&ℹ\\", r) || isEmoji(r) || isSpace(r) || isInvisible(r) {
			return ' '
		}
		return r
	}, strings.ToLower(line))
	line = strings.ReplaceAll(strings.ReplaceAll(line, "_", " "), "a place", "a_place")
	return strings.Join(strings.Fields(strings.Trim(line, " .,:;|/!?·•—–-")), " ")
}
