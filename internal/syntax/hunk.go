package syntax

import (
	"context"
	"errors"
	"slices"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// A hunk begins and ends in the middle of classes, functions and blocks, but a grammar
// expects a whole file. So the parser tries several frames around each hunk: texts before
// and after it, such as a class or a function that it may be cut from. It takes the frame
// with the fewest errors, the same for both sides. The nodes of a frame have no role and no
// lines.

// frame is the text before and after a hunk.
type frame struct {
	before string
	// heading is the length of the hunk's section heading at the beginning of before. It
	// is code; the rest of before is not.
	heading int
	after   [2]string // by side
	// list is set if the hunk is read as lines of a list of some kind.
	list bool
	// code is the length of the code at the end of before.
	code int
	// guess is the cost of assumptions about where the hunk was cut.
	guess int
}

// Unseen stands for an expression that began before the hunk.
const Unseen = "__"

const (
	// Some grammars take quadratic time for nonsense, so the parser tries few frames for
	// a large hunk, and for a hunk that no frame makes valid.
	manyFramed = 4 << 10
	smallHunk  = 512
	fewFrames  = 5
)

// hunkPiece parses both sides of a hunk in the best frame. Sides without text and frame are
// nil.
func (p *parser) hunkPiece(ctx context.Context, f *change.File, hunk int) ([2]*Fragment, error) {
	h := &f.Hunks[hunk]
	texts := [2]string{h.Text(change.Old), h.Text(change.New)}
	var best [2]*Fragment
	lowest := -1
	size := len(texts[0]) + len(texts[1])
	most := limits.HunkFrames
	if size > manyFramed {
		most = fewFrames
	}
	for k, fr := range frames(p.table, h.Section, texts) {
		choice := size <= limits.HunkFramed && size <= p.framed && k < most
		if k > 0 && !choice {
			break
		}
		if k > 0 {
			p.framed -= size
		}
		var piece [2]*Fragment
		cost := fr.guess
		for side, text := range texts {
			if strings.TrimSpace(text) == "" && (fr.before == "" || strings.TrimSpace(texts[1-side]) == "") {
				continue
			}
			// A side without text still gets the frame, if the other side has text.
			one := &Fragment{
				Side: change.Side(side), Hunk: hunk, Lang: f.Lang, Table: p.table, Source: []byte(fr.before + text + fr.after[side]),
				first: h.NewStart, head: strings.Count(fr.before, "\n"), heading: fr.heading, from: len(fr.before) - fr.code, List: fr.list, to: len(fr.before) + len(text),
			}
			if side == int(change.Old) {
				one.first = h.OldStart
			}
			if err := p.parse(ctx, one); err != nil {
				if lowest >= 0 && errors.As(err, new(errUnread)) {
					return best, nil // this frame is too costly: keep the best so far
				}
				return best, err
			}
			piece[side] = one
			if choice {
				cost += one.errorCost()
			}
		}
		if lowest < 0 || cost < lowest {
			best, lowest = piece, cost
		}
		if lowest == 0 || k >= fewFrames && size > smallHunk && lowest > size/2 {
			break // the hunk is valid, or it is not in this language
		}
	}
	return best, nil
}

// errorCost measures how badly the grammar read a fragment: the bytes that are in an ERROR
// node but in no node below it, and some more for each error and each missing token.
func (f *Fragment) errorCost() int {
	if !f.Root().HasError() {
		return 0
	}
	const perError = 8
	cost, seen := 0, 0
	cur := f.Nodes.Cursor(f.Root())
	for {
		n := cur.CurrentNode()
		seen++
		down := n.HasError() && seen < limits.FrameNodes
		switch {
		case n.IsMissing():
			cost += perError
		case n.IsError():
			size := int(n.EndByte() - n.StartByte())
			for i := 0; i < int(n.NamedChildCount()) && i < 200; i++ {
				c := n.NamedChild(i)
				if c.ChildCount() > 0 {
					size -= int(c.EndByte() - c.StartByte())
				}
			}
			cost += perError + size
		}
		if down && cur.GoToFirstChild() {
			continue
		}
		for !cur.GoToNextSibling() {
			if !cur.GoToParent() {
				return cost
			}
		}
	}
}

// frames lists the frames to try for a hunk, the plainest first.
func frames(t *Table, section string, texts [2]string) []frame {
	if !encloses(texts) {
		section = ""
	}
	if t.words != nil {
		return t.words.frames(t, section, texts)
	}
	if t.indented {
		return indentFrames(t, section, texts)
	}
	b := newFrameBuilder(t, texts)
	if namespaceLike.MatchString(section) {
		section = "" // a hunk in a namespace mostly stands in a type
	}
	if _, up, _ := balance(t, section); up == "" && t.braces && t.SemicolonEnds && bodyless.MatchString(section) {
		section += " {" // its bracket stands on the next line
	}
	inner := t.orderedFrames(texts)
	if b.unopened == "" && listed(t, section, texts) {
		b.addLists(section)
	}
	if section != "" {
		b.addSection(section, inner)
	}
	if !t.framedFirst(texts) {
		b.add("", "", 0)
	}
	for _, w := range inner {
		_, up, _ := balance(t, w)
		most := min(len(up), len(b.unopened))
		for m := 0; m <= most && len(up) > 1; m++ {
			b.add("", w, m)
		}
		for m := most; m >= 0 && len(up) < 2; m-- {
			b.add("", w, m)
		}
	}
	b.add("", "", 0)
	return b.out
}

// frameBuilder makes the frames of a hunk in a language with brackets.
type frameBuilder struct {
	t     *Table
	texts [2]string
	// opening stands before every frame, such as "<?php".
	opening string
	// comment opens the comment that the hunk begins in.
	comment string
	// unopened are the brackets that the hunk closes without having opened them.
	unopened string
	// large hunks are not read more often for their ends.
	large bool
	begun start
	// ifs is the number of #if directives before the hunk, openIfs those that either
	// side leaves open.
	ifs     int
	openIfs [2]int
	// list is set while frames of lists are added.
	list bool
	out  []frame
}

func newFrameBuilder(t *Table, texts [2]string) *frameBuilder {
	b := &frameBuilder{t: t, texts: texts, opening: t.open, large: len(texts[0])+len(texts[1]) > manyFramed}
	for _, text := range texts {
		if strings.Contains(text, strings.TrimSpace(t.open)) || strings.HasPrefix(strings.TrimSpace(text), "<") {
			b.opening = ""
		}
	}
	for _, text := range texts {
		if end := strings.Index(text, "*/"); end >= 0 && !strings.Contains(text[:end], "/*") && t.braces {
			b.comment = "/*"
		}
	}
	for _, text := range texts {
		if d, _, _ := balance(t, b.comment+text); len(d) > len(b.unopened) {
			b.unopened = d
		}
	}
	if !b.large {
		b.begun = t.start(texts)
	}
	if t.HashDirectives() {
		var closed [2]int
		for side, text := range texts {
			closed[side], b.openIfs[side] = directives(text)
			b.ifs = max(b.ifs, closed[side])
		}
		for side := range b.openIfs {
			b.openIfs[side] -= closed[side]
		}
	}
	return b
}

// add adds the frame with a heading and the text opened. So many of the unopened
// brackets as closed close brackets of the heading and of opened; the frame opens the
// others.
func (b *frameBuilder) add(heading, opened string, closed int) {
	fr := frame{before: b.opening + heading, list: b.list}
	if heading != "" && !callLike.MatchString(heading) {
		fr.heading = len(fr.before)
	}
	extra := b.unopened[:len(b.unopened)-closed]
	b.open(&fr, opened, extra)
	fr.guess += b.guessOf(heading, opened, extra)
	b.close(&fr, heading, opened, extra)
	if !slices.ContainsFunc(b.out, func(o frame) bool { return o.before == fr.before }) {
		b.out = append(b.out, fr)
	}
}

// open completes the text before the hunk.
func (b *frameBuilder) open(fr *frame, opened, extra string) {
	fr.before += opened
	for i := len(extra) - 1; i >= 0; i-- {
		fr.before += b.t.opener(extra[i])
	}
	if fr.before != "" {
		fr.before += "\n"
	}
	fr.before += b.comment
	if b.comment == "" && fr.before != "" {
		fr.before += b.begun.before
		fr.code = b.begun.code
	}
	if b.begun.before == "" {
		fr.before += strings.Repeat("#if "+Unseen+"\n", b.ifs)
	}
}

// guessOf is the cost of what a frame assumes.
func (b *frameBuilder) guessOf(heading, opened, extra string) (cost int) {
	if strings.HasSuffix(opened, "(") && strings.Contains(extra, "}") {
		cost += 2 // a block among arguments
	}
	if b.t.ColonTypes && !strings.Contains(b.texts[0]+b.texts[1], ":") && parametersLast.MatchString(heading+opened) {
		cost += 4 // parameters with types would follow
	}
	if strings.HasSuffix(opened, "(") && !parametersLast.MatchString(opened) {
		cost += 3 // a text that could be a statement is no argument
	}
	return cost
}

// close sets the texts after the hunk.
func (b *frameBuilder) close(fr *frame, heading, opened, extra string) {
	t := b.t
	at, tail := -1, t.tailOf(heading+opened) // of the bracket that the frame opens last
	if tail != "" {
		_, up, _ := balance(t, fr.before)
		at = len(up) - len(extra) - 1
	}
	for side, text := range b.texts {
		_, up, _ := balance(t, fr.before+text)
		end, guess := "", 0
		if !b.large && !b.list {
			end, guess = t.end(text, up)
		}
		if k := b.ifs + b.openIfs[side]; k > 0 {
			end += strings.Repeat("\n#endif", k) + "\n"
		}
		fr.after[side] = end + t.closers(up, at, tail)
		if t.SpreadTypes && up != "" && typeFirst.MatchString(heading+opened) {
			fr.after[side] += ";" // which ends a type in C
		}
		fr.guess += guess
	}
}

// addLists adds the frames for a hunk of list items.
func (b *frameBuilder) addLists(section string) {
	b.list = true
	for _, w := range b.t.rows {
		if d, up, _ := balance(b.t, section); section != "" && d == "" && !strings.HasSuffix(up, ")") {
			if classLike.MatchString(section) && !strings.Contains(section, "(") && len(up) < 2 {
				w = b.t.method + w
			}
			b.add(section, w, 0)
		}
	}
	for _, w := range b.t.rows {
		b.add("", w, 0)
	}
	b.list = false
}

// addSection adds the frames that begin with the section heading of the hunk.
func (b *frameBuilder) addSection(section string, inner []string) {
	t, down := b.t, b.unopened
	closes, up, _ := balance(t, section)
	if closes != "" {
		return
	}
	if up == ")" && t.braces && !strings.HasPrefix(down, ")") && !callLike.MatchString(section) {
		// The heading is cut within its parameters, which end before the hunk.
		for m := min(1, len(down)); m >= 0; m-- {
			b.add(section, ") {", m)
		}
		b.add(section, ") { "+Unseen+"(", 0)
	}
	class := classLike.MatchString(section) && len(up) == 1
	if class && (memberLine.MatchString(b.texts[0]) || memberLine.MatchString(b.texts[1])) {
		b.add(section, "", 0)
	}
	for _, w := range inner {
		// In a class there is more code than there are fields.
		if head, method, ok := strings.Cut(w, "{ "); class && ok && classLike.MatchString(head) && strings.Count(method, "{") == 1 {
			for m := 0; m <= min(2, len(down)); m++ {
				b.add(section, method, m)
			}
			break
		}
	}
	for m := min(len(up), len(down)); m >= 0; m-- {
		b.add(section, "", m)
	}
	if up == "" && t.braces {
		for m := min(1, len(down)); m >= 0; m-- {
			b.add(section, "{", m)
		}
	}
	for _, w := range inner {
		// The function or the class that may be around the hunk.
		if k := strings.LastIndex(w, "{ "); len(up) == 1 && k >= 0 && !class && w[k+2:] != "" {
			b.add(section, w[k+2:], 0)
		} else if head, rest, ok := strings.Cut(w, "{ "); class && ok && rest != "" && (strings.HasPrefix(head, "class ") || strings.HasPrefix(head, "impl ") && strings.HasPrefix(section, "impl")) {
			b.add(section, rest, 0)
		}
	}
}

// namespaceLike matches the heading of a namespace or the like.
var namespaceLike = regexp.MustCompile(`^\s*namespace\b|^\w+!\s*\{`)

// bodyless matches the heading of a type or a function without its bracket.
var bodyless = regexp.MustCompile(`\)\s*(?:const|noexcept|override)?$|\b(?:class|struct|interface|record|enum)\s+[\w<>,.: ]+$`)

// memberLine matches a line that only a type can have.
var memberLine = regexp.MustCompile(`(?m)^\s*(?:public|private|protected|internal)\s+[\w@<]`)

// framedFirst reports whether a hunk is probably from the inside of a type, for languages
// with all code in types.
func (t *Table) framedFirst(texts [2]string) bool {
	if len(t.frames) == 0 || !strings.HasPrefix(t.frames[0], "class __ {") || !t.SemicolonEnds {
		return false
	}
	return encloses(texts) && strings.TrimLeft(texts[0]+texts[1], "{})]#\n\r") != ""
}

// orderedFrames lists the frames of the language. The frame of a type comes first for a hunk
// that only a type can hold.
func (t *Table) orderedFrames(texts [2]string) []string {
	if len(t.frames) < 2 || t.frames[1] != "class __ {" || !memberLine.MatchString(texts[0]) && !memberLine.MatchString(texts[1]) {
		return t.frames
	}
	out := append([]string{t.frames[1], t.frames[0]}, t.frames[2:]...)
	return out
}

// classLike matches the heading of a type with members.
var classLike = regexp.MustCompile(`\b(class|struct|impl|trait|object|enum|record|extension)\b`)

// typeFirst matches a frame of C that begins with a type and its members.
var typeFirst = regexp.MustCompile(`^\s*(?:class|struct|union|enum)\b[^()]*\{`)

// callLike matches a heading that begins a call, such as describe("…"). The call encloses
// the hunk, but declares nothing; a declaration may be between the two.
var callLike = regexp.MustCompile(`^[A-Za-z_$][\w$.]*\s*\(`)

// encloses reports whether the section heading of a hunk may enclose the beginning of the
// hunk. It does not enclose a line without indentation.
func encloses(texts [2]string) bool {
	for _, text := range texts {
		for _, line := range strings.Split(text, "\n") {
			if strings.TrimSpace(line) == "" {
				continue
			}
			if line[0] != ' ' && line[0] != '\t' && !strings.ContainsRune("{})]#", rune(line[0])) || strings.HasPrefix(line, "#[") {
				return false
			}
			break
		}
	}
	return true
}

// The braces that close the block before an "else" and before a "catch" or
// "finally".
const (
	elseCloser  = 'e'
	catchCloser = 'c'
)

// tailOf is the text after the last bracket of a frame: the body of a function after its
// parameters, or the end of a statement after a value.
func (t *Table) tailOf(frame string) string {
	switch {
	case !t.braces:
	case t.SemicolonEnds && strings.HasSuffix(frame, "= {"):
		return ";"
	case importing.MatchString(strings.TrimSpace(frame)):
		return ` from "` + Unseen + `"`
	case parametersLast.MatchString(frame):
		return " {}"
	}
	return ""
}

// parametersLast matches the heading of a function that is cut within its parameters.
var parametersLast = regexp.MustCompile(`\b(?:void|fn|func|fun|function|def)\s+\w+\([^()]*$`)
