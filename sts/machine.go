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

// written is a review without its cuts, which are in order and apart. raw cuts HTML comments only.
func written(review string, raw bool) (string, []cut) {
	c := cutter{text: review, flat: []byte(review), raw: raw, lastEnd: strings.LastIndex(review, "-->")}
	(&blockParser{text: review, blank: true, cutter: &c}).parse()
	c.merge()
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
	if c.suggestions == len(c.cuts) && strings.TrimSpace(b.String()) == "" {
		return review, nil
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
	text        string
	flat        []byte // the text
	raw         bool
	lastEnd     int // where the last "-->" starts
	cuts        []cut
	suggestions int // how many cuts are blocks of suggestion
	folded      []cut
	open        []folding
	lines       []seenLine
}

// folding is a <details> that is not closed yet.
type folding struct {
	start   int
	summed  bool // its summary has been read
	machine bool // its summary is a form of the table
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

// suggestion is told of a closed code fence.
func (c *cutter) suggestion(start, end int) {
	if !c.raw {
		c.cut(start, end, false)
		c.suggestions++
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
			l.rates = l.rates || n < 100 && fits(severity, plainText(c.text[p+4:p+n-3]))
			p += n
			continue
		}
		n := 0
		if c.text[p] == '<' && !c.raw {
			n = c.tag(p)
		} else if m := imageMark.FindStringIndex(c.text[p:end]); m != nil && !c.raw {
			left, right := p, p+m[1]
			for _, m := range [][2]string{{"<sub>", "</sub>"}, {"<sub>", "</sub>"}, {"**", "**"}} { // around badges
				if strings.HasSuffix(c.text[at:left], m[0]) && strings.HasPrefix(c.text[right:end], m[1]) {
					left, right = left-len(m[0]), right+len(m[1])
				}
			}
			c.cut(left, c.blanks(right, end), false)
			n = right - p
			l.rates = l.rates || fits(severity, strings.TrimSuffix(plainText(c.text[p:p+m[1]]), " badge"))
		}
		p += max(n, 1)
	}
	if !c.raw {
		c.whole(&l, first)
		c.lines = append(c.lines, l)
	}
	return max(p, end)
}

// whole compares a line with the forms of lines, then with those of labels and tags.
func (c *cutter) whole(l *seenLine, first int) {
	var b strings.Builder
	start, at := l.start, l.start
	for _, k := range c.cuts[first:] {
		if strings.TrimSpace(c.text[start:k.start]) == "" {
			start = min(k.end, l.end)
		}
		b.WriteString(c.text[at:k.start])
		at = min(k.end, l.end)
	}
	b.WriteString(c.text[at:l.end])
	rest := strings.TrimSpace(b.String())
	const longest, longestRating = 400, 16
	empty := rest == ""
	if len(rest) > longest {
		rest = strings.TrimSpace(plainMark.ReplaceAllString(rest, " ")) // links of bots are long
	}
	if len(rest) > longest {
		l.words = longest
	} else {
		plain := plainText(rest)
		l.words = len(strings.Fields(plain))
		l.title = titleMark.MatchString(strings.TrimSpace(plainMark.ReplaceAllString(rest, "")))
		rates := l.words <= longestRating && rest != "" && rest[0] != '`' && fits(severity, plain)
		if rates || fits(footer, plain) || setOff.MatchString(rest) && fits(apart, plain) || plain == "" && !empty && !l.rule && len(c.cuts) > first {
			c.cut(l.start, l.end, false)
			l.words, l.rates = 0, l.rates || rates
			return
		}
	}
	if at := start; at > l.start { // blanks behind a cut are no indentation
		start = c.blanks(start, l.end)
		c.cut(at, start, false)
	}
	const window = 200
	head := c.text[start:min(l.end, start+window)]
	if !setOff.MatchString(head) && !strings.HasPrefix(head, "#") && !strings.Contains(head, "):") && !strings.HasPrefix(head, "P") || strings.HasPrefix(head, "<") {
		head = ""
	}
	if m := formsOf()[label].FindStringSubmatchIndex(head); m != nil {
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				c.cut(start+m[i], c.blanks(start+m[i+1], l.end), false)
			}
		}
	}
	from := max(start, l.end-window)
	if !strings.HasSuffix(rest, ")") && !strings.HasSuffix(strings.TrimRight(rest, "*_"), "]") {
		return
	}
	if m := formsOf()[tagged].FindStringIndex(c.text[from:l.end]); m != nil {
		c.cut(from+m[0], l.end, false)
	}
}

// blanks is where the blanks from at on end.
func (c *cutter) blanks(at, end int) int {
	at, _ = skipIndent(c.text, at, end)
	return at
}

// tag returns the size of an HTML tag, 0 for none. It cuts images, foldings and their tags.
func (c *cutter) tag(p int) int {
	n, _ := tag(c.flat, p)
	if n == 0 {
		return 0
	}
	name, _, _ := strings.Cut(strings.Trim(c.text[p+1:p+n-1], "/"), " ")
	closing, last := c.text[p+1] == '/', len(c.open)-1
	switch name {
	case "img", "picture", "source":
		c.cut(p, p+n, false)
	case "summary":
		c.cut(p, p+n, true)
		if end := strings.Index(c.text[p+n:min(len(c.text), p+n+1000)], "</summary>"); end >= 0 && !closing && last >= 0 && !c.open[last].summed {
			c.open[last].summed = true
			c.open[last].machine = fits(folded, plainText(c.text[p+n:p+n+end]))
		}
	case "details":
		c.cut(p, p+n, true)
		if !closing {
			c.open = append(c.open, folding{start: p})
		} else if last >= 0 {
			if c.open[last].machine {
				c.folded = append(c.folded, cut{span{c.open[last].start, p + n}, true})
			}
			c.open = c.open[:last]
		}
	}
	return n
}

// headlines cuts the title of a finding, next to its severity, that is shorter than the text
// below it, which it sums up. It also cuts rules before machine-made lines and at the end.
func (c *cutter) headlines() {
	cuts, k := c.cuts, 0
	var live []seenLine
	for _, l := range c.lines {
		for k < len(cuts) && cuts[k].end < l.end {
			k++
		}
		if k < len(cuts) && cuts[k].start < l.start && cuts[k].end >= l.end {
			continue // within a folding or a comment
		}
		live = append(live, l)
	}
	rated, words := false, 0
	for i := range live { // is a severity above?
		l := &live[i]
		if l.words == 0 {
			rated = rated || l.rates
		} else {
			l.rates, rated = l.rates || l.title && rated, false
		}
	}
	rated = false
	last := true
	for _, l := range slices.Backward(live) {
		switch {
		case l.rule && last:
			c.cut(l.start, l.end, false)
		case l.words == 0:
			rated, last = rated || l.rates, true
		case l.title:
			if (l.rates || rated) && words > l.words {
				c.cut(l.start, l.end, false)
			}
			rated, words, last = false, 0, false
		default:
			rated, words, last = false, words+l.words, false
		}
	}
}

// merge sorts cuts and joins those that meet.
func (c *cutter) merge() {
	c.cuts, c.folded = append(c.cuts, c.folded...), nil
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

var (
	imageMark = regexp.MustCompile(`^(?:!\[[^\]\[\r\n]*\]\([^()\s]+\)|\[!\[[^\]\[\r\n]*\]\([^()\s]+\)\]\([^()\s]+\))`)
	titleMark = regexp.MustCompile(`^(?:#{1,6} .*|\*\*[^*]+\*\*|__[^_]+__)$`)
	setOff    = regexp.MustCompile(`^[*_\[<~\pS]`) // by a mark, a link, a tag or an emoji
	placeMark = regexp.MustCompile("`[^`]{1,300}(?::[0-9]+(?:[-:–][0-9]+)*|\\.[a-z]{1,5})`")
	plainMark = regexp.MustCompile(`<[^<>]*>|&#?\w{1,8};|\]\([^()\s]*\)|:[a-z][a-z0-9_+-]{1,30}:`)
)

// plainText is a line in lower case, without marks, tags, link targets and emoji, as the forms
// have it. The name of a place in code is "a_place".
func plainText(line string) string {
	if strings.Contains(line, "`") {
		line = placeMark.ReplaceAllString(line, " a_place ")
	}
	if strings.ContainsAny(line, "<&]:") {
		line = plainMark.ReplaceAllString(line, " ")
	}
	line = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*#~`>[]\"'“”", r) || isEmoji(r) || isSpace(r) || isInvisible(r) {
			return ' '
		}
		return r
	}, strings.ToLower(line))
	line = strings.ReplaceAll(strings.ReplaceAll(line, "_", " "), "a place", "a_place")
	return strings.Join(strings.Fields(strings.Trim(line, " .,:;|/!?·•—–-")), " ")
}
