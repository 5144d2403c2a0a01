package sts

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner cuts blocks into sentences. It makes one pass over a block's text;
// what it looks ahead for is either prepared once a block (closing backticks)
// or ends at the next mark of the same sort, so that the cost stays linear.
type scanner struct {
	*progress
	text string
	out  []Sentence

	flat  []byte // the block's lines, joined by '\n'
	lines []flatLine
	line  int         // the line of the last position that was asked for
	close map[int]int // opening backtick run → start of the closing run

	buf      []byte // the sentence so far, not yet cleaned
	word     int    // where its first letter or digit is in buf; < 0: nowhere yet
	from, to int    // its span in the review; from < 0: nothing yet
	links    []int  // positions in buf of open "["
}

// flatLine maps positions of the flat text back to the review.
type flatLine struct {
	at     int  // where the line starts in the flat text
	orig   int  // where it starts in the review
	breaks bool // the line break after it ends a sentence
}

// load prepares a block: its flat text and the map back.
func (s *scanner) load(b block) {
	s.flat, s.lines, s.line = s.flat[:0], s.lines[:0], 0
	for i, l := range b.lines {
		if i > 0 {
			s.flat = append(s.flat, '\n')
		}
		s.lines = append(s.lines, flatLine{at: len(s.flat), orig: l.start})
		s.flat = append(s.flat, s.text[l.start:l.end]...)
	}
	s.reset()
}

func (s *scanner) reset() {
	s.buf, s.links = s.buf[:0], s.links[:0]
	s.word, s.from = -1, -1
}

// orig maps a flat position, never before the last one that was asked for, to
// the review.
func (s *scanner) orig(p int) int {
	for s.line+1 < len(s.lines) && s.lines[s.line+1].at <= p {
		s.line++
	}
	return s.lines[s.line].orig + p - s.lines[s.line].at
}

// mark takes the flat range [p, q) into the sentence's span.
func (s *scanner) mark(p, q int) {
	if s.from < 0 {
		s.from = s.orig(p)
	}
	s.to = s.orig(q-1) + 1
}

// keep takes the flat range into the sentence's span and its text.
func (s *scanner) keep(p, q int) {
	s.mark(p, q)
	s.append(s.flat[p:q])
}

// append adds to the sentence's text. Invalid bytes are replaced here already:
// halves of a rune on both sides of a mark must not become one when it goes.
func (s *scanner) append(raw []byte) {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	if s.word < 0 {
		if i := bytes.IndexFunc(raw, isAlnum); i >= 0 {
			s.word = len(s.buf) + i
		}
	}
	s.buf = append(s.buf, raw...)
}

// space separates words.
func (s *scanner) space() {
	if n := len(s.buf); n > 0 && s.buf[n-1] != ' ' {
		s.buf = append(s.buf, ' ')
	}
}

// end closes the sentence, and drops it when it says nothing.
func (s *scanner) end() {
	if s.word >= 0 {
		s.out = append(s.out, Sentence{Text: cleanText(s.buf), Start: s.from, End: s.to})
	}
	s.reset()
}

// verbatim makes one sentence of a block of code.
func (s *scanner) verbatim(b block) {
	s.load(b)
	code := bytes.TrimSpace(s.flat)
	if len(code) == 0 {
		return
	}
	start := len(s.flat) - len(bytes.TrimLeftFunc(s.flat, unicode.IsSpace))
	s.keep(start, start+len(code))
	s.end()
}

// block cuts a block of prose, or a table row, into sentences.
func (s *scanner) block(b block) {
	s.load(b)
	markBreaks(s.flat, s.lines)
	s.close = pairBackticks(s.flat)
	endAt := -1
	for p := 0; p < len(s.flat) && s.look(1); {
		if p == endAt {
			s.end()
		}
		switch c := s.flat[p]; c {
		case '\n':
			s.orig(p) // moves s.line here
			if s.lines[s.line].breaks {
				s.end()
			}
			s.space()
			p++
			continue
		case '`':
			n := runLength(s.flat, p)
			if to, ok := s.close[p]; ok {
				s.mark(p, to+n)
				s.append(s.flat[p+n : to])
				n = to + n - p
			} else {
				s.mark(p, p+n)
			}
			p += n
			continue
		case '<':
			if n, breaks := s.htmlTag(s.flat, p); n > 0 {
				if breaks && b.kind != row {
					s.end()
				}
				p += n
				continue
			}
		case '\\':
			if p+1 < len(s.flat) && bytes.IndexByte([]byte("*_[]<>#"), s.flat[p+1]) >= 0 {
				s.mark(p, p+1)
				s.keep(p+1, p+2)
				p += 2
				continue
			}
		case '*', '~':
			n, mark := emphasis(s.flat, p)
			if mark {
				s.mark(p, p+n)
			} else {
				s.keep(p, p+n)
			}
			p += n
			continue
		case '[':
			s.links = append(s.links, len(s.buf))
		case ']':
			if n := len(s.links); n > 0 {
				open := s.links[n-1]
				s.links = s.links[:n-1]
				if size := s.linkTarget(s.flat, p+1); size > 0 {
					s.buf[open] = ' ' // only now is it known that the brackets are marks
					s.mark(p, p+1+size)
					p += 1 + size
					continue
				}
			}
		case '|':
			if b.kind == row {
				s.space()
				p++
				continue
			}
		}
		r, n := utf8.DecodeRune(s.flat[p:])
		if isSpace(r) {
			s.space()
			p += n
			continue
		}
		if isStop(r) {
			if n = stopRun(s.flat, p); b.kind != row {
				if at, ok := s.sentenceEnd(p, p+n); ok {
					endAt = at
				}
			}
		}
		s.keep(p, p+n)
		p += n
	}
	s.end()
}

// isStop is true for the characters that can end a sentence.
func isStop(r rune) bool {
	return r == '.' || r == '?' || r == '!' || r == '…' || isWideStop(r)
}

// isWideStop is true for stops that need no white space behind them.
func isWideStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡':
		return true
	}
	return false
}

// stopRun is the length in bytes of the stops from p on.
func stopRun(flat []byte, p int) int {
	q := p
	for q < len(flat) {
		r, n := utf8.DecodeRune(flat[q:])
		if !isStop(r) {
			break
		}
		q += n
	}
	return q - p
}

// sentenceEnd decides whether the stops in flat[p:q] end a sentence, and where:
// after the quotes, brackets, emphasis and emoji that close with it.
func (s *scanner) sentenceEnd(p, q int) (int, bool) {
	stops, flat := string(s.flat[p:q]), s.flat
	at, enclosed := q, false
	for at < len(flat) {
		r, n := utf8.DecodeRune(flat[at:])
		if r == '<' {
			size, breaks := s.htmlTag(flat, at)
			if size == 0 || breaks || flat[at+1] != '/' {
				break
			}
			at += size
			continue
		}
		if strings.ContainsRune(`"')]}”’»」』）》`, r) {
			enclosed = true
		} else if r != '*' && r != '_' && r != '~' && !isEmoji(r) {
			break
		}
		at += n
	}
	first, blanks := firstRune(flat[at:])
	s.look(at - q + blanks)
	if at == len(flat) {
		return at, true
	}
	following, _ := utf8.DecodeRune(flat[at:])
	spaced := isSpace(following)
	if strings.ContainsFunc(stops, isWideStop) {
		return at, spaced || !enclosed || !unicode.IsLetter(following)
	}
	if !spaced {
		return at, false
	}
	if first == 0 {
		return at, true
	}
	lower, upper := unicode.IsLower(first), unicode.IsUpper(first)
	before, _ := utf8.DecodeLastRune(flat[:p])
	switch {
	case enclosed && lower:
		return at, false
	case p > 0 && isSpace(before):
		return at, upper
	case strings.Trim(stops, ".…") != "":
		return at, true
	case stops != ".":
		return at, !lower
	}
	word := wordBefore(flat[:p])
	if isListNumber(word) && s.startsWith(word, flat[:p]) {
		return at, false
	}
	switch abbreviations[strings.ToLower(word)] {
	case neverEnds:
		return at, false
	case endsBeforeCapital:
		return at, upper
	case notBeforeNumber:
		return at, !unicode.IsDigit(first)
	}
	return at, true
}

// startsWith reports whether number, the word before a stop, is the first of
// its sentence or follows a colon: then it counts the items of a list.
func (s *scanner) startsWith(number string, before []byte) bool {
	if s.word >= 0 && len(s.buf)-s.word == len(number) {
		return true
	}
	before = before[:len(before)-len(number)]
	rest := bytes.TrimRight(before, " \n")
	s.look(len(before) - len(rest))
	return len(rest) > 0 && rest[len(rest)-1] == ':'
}

func isListNumber(word string) bool {
	return len(word) > 0 && len(word) <= 3 && strings.Trim(word, "0123456789") == ""
}

// wordBefore returns the letters, digits and inner dots at the end of flat, ""
// when they are too many for an abbreviation.
func wordBefore(flat []byte) string {
	const longest = 10
	at := len(flat)
	for at > 0 && (flat[at-1] == '.' || flat[at-1] >= '0' && flat[at-1] <= '9' || isASCIILetter(flat[at-1])) {
		if at--; len(flat)-at > longest {
			return ""
		}
	}
	return string(flat[at:])
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// abbreviation says what a full stop after a word means.
type abbreviation uint8

const (
	neverEnds         abbreviation = iota + 1 // something must follow
	endsBeforeCapital                         // may be the last word of a sentence
	notBeforeNumber                           // "No. 5", but "No. This is wrong."
)

// abbreviations is read-only. Keys are in lower case, without the last stop.
var abbreviations = map[string]abbreviation{
	"e.g": neverEnds, "eg": neverEnds, "i.e": neverEnds, "ie": neverEnds,
	"vs": neverEnds, "cf": neverEnds, "viz": neverEnds, "approx": neverEnds,
	"resp": neverEnds, "incl": neverEnds, "excl": neverEnds, "esp": neverEnds,
	"w.r.t": neverEnds, "wrt": neverEnds, "a.k.a": neverEnds, "aka": neverEnds,
	"mr": neverEnds, "mrs": neverEnds, "dr": neverEnds, "prof": neverEnds, "n.b": neverEnds,

	"etc": endsBeforeCapital, "al": endsBeforeCapital, "inc": endsBeforeCapital,
	"ltd": endsBeforeCapital, "corp": endsBeforeCapital, "min": endsBeforeCapital,
	"max": endsBeforeCapital, "avg": endsBeforeCapital, "misc": endsBeforeCapital,
	"a.m": endsBeforeCapital, "p.m": endsBeforeCapital, "u.s": endsBeforeCapital,
	"dept": endsBeforeCapital, "orig": endsBeforeCapital,

	"no": notBeforeNumber, "nr": notBeforeNumber, "fig": notBeforeNumber,
	"figs": notBeforeNumber, "sec": notBeforeNumber, "ch": notBeforeNumber,
	"eq": notBeforeNumber, "p": notBeforeNumber, "pp": notBeforeNumber,
	"vol": notBeforeNumber, "v": notBeforeNumber, "ver": notBeforeNumber,
	"ln": notBeforeNumber,
}

// markBreaks decides for each line of a paragraph whether the break after it
// ends a sentence; see Markdown for the rule.
func markBreaks(flat []byte, lines []flatLine) {
	if len(lines) < 2 {
		return
	}
	content := func(i int) []byte {
		if i+1 < len(lines) {
			return flat[lines[i].at : lines[i+1].at-1]
		}
		return flat[lines[i].at:]
	}
	// A paragraph is wrapped when each next word would not have fitted, and one
	// break at least falls within a sentence beyond doubt.
	const narrowest, widest = 40, 120
	width, continued := 0, false
	for i := range lines {
		width = max(width, utf8.RuneCount(content(i)))
	}
	wrapped := width >= narrowest && width <= widest
	for i := range len(lines) - 1 {
		line, next := bytes.TrimSpace(content(i)), bytes.TrimSpace(content(i+1))
		word := next[:wordLength(next)]
		goesOn := continues(line, next, word)
		lines[i].breaks = !goesOn
		continued = continued || goesOn
		if utf8.RuneCount(content(i))+1+utf8.RuneCount(word) <= width {
			wrapped = false
		}
	}
	if wrapped && continued {
		for i := range lines {
			lines[i].breaks = false
		}
	}
}

// wordLength is the number of bytes before the first space.
func wordLength(line []byte) int {
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		return i
	}
	return len(line)
}

// continues reports whether next, whose first word is word, goes on with the
// sentence of line.
func continues(line, next, word []byte) bool {
	if len(line) == 0 || len(next) == 0 {
		return false
	}
	if first, _ := firstRune(next); unicode.IsLower(first) {
		return word[len(word)-1] != ':' // "nit: …" is a comment of its own
	}
	if last := line[len(line)-1]; last == ',' || last == '(' || last == '[' {
		return true
	}
	i := bytes.LastIndexAny(line, " \t")
	return unfinished[strings.ToLower(string(line[i+1:min(len(line), i+12)]))] && len(line)-i <= 12
}

// unfinished is read-only: words that do not end a sentence.
var unfinished = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "and": true, "or": true, "but": true,
	"to": true, "for": true, "from": true, "with": true, "by": true, "at": true, "as": true,
	"into": true, "than": true, "that": true, "which": true, "if": true, "when": true,
	"because": true, "is": true, "are": true, "was": true, "were": true, "be": true,
	"can": true, "should": true, "must": true, "will": true, "would": true, "could": true,
	"may": true, "might": true, "its": true, "their": true, "your": true, "our": true, "my": true,
}

// firstRune returns the rune that the next sentence would start with, behind
// white space, quotes, brackets and emphasis: a letter, a digit or another
// character such as a backtick; 0 when there is none. skipped is the bytes before it.
func firstRune(flat []byte) (first rune, skipped int) {
	for skipped < len(flat) {
		r, n := utf8.DecodeRune(flat[skipped:])
		if !isSpace(r) && !strings.ContainsRune(`"'([{*_“‘«「『（`, r) {
			return r, skipped
		}
		skipped += n
	}
	return 0, skipped
}

// pairBackticks returns for the start of each run of backticks the start of the
// next run of the same length, which closes it if it opens a code span, as in
// CommonMark.
func pairBackticks(flat []byte) map[int]int {
	pairs := make(map[int]int)
	last := make(map[int]int) // length → start of the last run of it
	for p := 0; p < len(flat); {
		i := bytes.IndexByte(flat[p:], '`')
		if i < 0 {
			break
		}
		p += i
		n := runLength(flat, p)
		if open, ok := last[n]; ok {
			pairs[open] = p
		}
		last[n] = p
		p += n
	}
	return pairs
}

// runLength counts how often the byte at p is repeated.
func runLength(flat []byte, p int) int {
	n := 1
	for p+n < len(flat) && flat[p+n] == flat[p] {
		n++
	}
	return n
}

// emphasis returns the length of the run of asterisks or tildes at p, and
// whether it marks emphasis or strikethrough, unlike "a * b", "2**n" and
// "~/.config".
func emphasis(flat []byte, p int) (n int, mark bool) {
	n = runLength(flat, p)
	if flat[p] == '~' && n != 2 || n > 3 {
		return n, false
	}
	if p == 0 || p+n == len(flat) {
		return n, true
	}
	before, _ := utf8.DecodeLastRune(flat[:p])
	after, _ := utf8.DecodeRune(flat[p+n:])
	return n, !(isSpace(before) && isSpace(after) || isAlnum(before) && isAlnum(after))
}

// linkTarget returns the length of a link's "(target)" at p, 0 when there is
// none. Only what looks like a target counts, since "a[i](x)" is code.
func (g *progress) linkTarget(flat []byte, p int) int {
	const longest = 2048
	if p >= len(flat) || flat[p] != '(' {
		return 0
	}
	window := flat[p+1 : min(len(flat), p+1+longest)]
	i := bytes.IndexAny(window, ") \t\n(")
	g.look(seen(i, window))
	if i <= 0 || window[i] != ')' || !bytes.ContainsAny(window[:i], "/#.") {
		return 0
	}
	return i + 2
}

// htmlTag returns the length of an HTML tag, or of a chat model's control token
// (<|im_end|>), at p, and whether it breaks the line; 0 when there is none.
// Only the tags that GitHub knows count: List<String> is text.
func (g *progress) htmlTag(flat []byte, p int) (size int, breaks bool) {
	const longest = 1 << 16 // the next "<" or ">" is where the search ends
	window := flat[p+1 : min(len(flat), p+1+longest)]
	i := bytes.IndexAny(window, "<>")
	g.look(seen(i, window))
	if i <= 0 || window[i] != '>' {
		return 0, false
	}
	body := window[:i]
	if len(body) > 2 && body[0] == '|' && body[len(body)-1] == '|' && bytes.IndexByte(body, ' ') < 0 {
		return i + 2, true
	}
	closing := body[0] == '/'
	name := strings.TrimPrefix(string(body), "/")
	if j := strings.IndexAny(name, " \t\n/"); j >= 0 {
		name = name[:j]
	}
	kind := htmlTags[name]
	if kind == inlineTag && !closing && p > 0 && isAlnum(rune(flat[p-1])) {
		kind = 0 // Map<a>
	}
	if kind == 0 {
		return 0, false
	}
	return i + 2, kind == blockTag
}

type tagKind uint8

const (
	inlineTag tagKind = iota + 1
	blockTag
)

// htmlTags is read-only.
var htmlTags = map[string]tagKind{
	"a": inlineTag, "abbr": inlineTag, "b": inlineTag, "code": inlineTag, "del": inlineTag,
	"em": inlineTag, "font": inlineTag, "i": inlineTag, "img": inlineTag, "ins": inlineTag,
	"kbd": inlineTag, "picture": inlineTag, "q": inlineTag, "s": inlineTag, "samp": inlineTag, "source": inlineTag, "span": inlineTag,
	"strike": inlineTag, "strong": inlineTag, "sub": inlineTag, "sup": inlineTag, "tt": inlineTag,
	"u": inlineTag, "var": inlineTag,
	"blockquote": blockTag, "br": blockTag, "BR": blockTag, "dd": blockTag, "details": blockTag,
	"div": blockTag, "dl": blockTag, "dt": blockTag, "h1": blockTag, "h2": blockTag, "h3": blockTag,
	"h4": blockTag, "h5": blockTag, "h6": blockTag, "hr": blockTag, "li": blockTag, "ol": blockTag,
	"p": blockTag, "pre": blockTag, "summary": blockTag, "table": blockTag, "tbody": blockTag,
	"td": blockTag, "th": blockTag, "thead": blockTag, "tr": blockTag, "ul": blockTag,
}

func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isEmoji is true for pictographs and what modifies them.
func isEmoji(r rune) bool {
	return r >= 0x2000 && (unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) ||
		unicode.Is(unicode.Mn, r) || r == '\u200d')
}
