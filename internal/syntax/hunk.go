package syntax

import (
	"context"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
)

// A hunk is a window on a file: it begins and ends in the middle of classes,
// functions and blocks, and a grammar that expects a whole file reads it badly.
// So each hunk is read in several frames, which put before and after it what it
// may have been cut from, and the frame with the least errors is taken for both
// sides. What a frame adds is no code: its nodes have no role, and no lines.

// frame is a text to be put before and after a hunk.
type frame struct {
	before string
	// heading is the length of the hunk's section heading, which stands at the
	// beginning of before and is code; the rest of before is not.
	heading int
	after   [2]string // of either side
	// list tells that the hunk is taken for lines of a list of some kind.
	list bool
	// code is the length of what stands at the end of before and is code.
	code int
	// guess is what the guesses at how the hunk is cut cost.
	guess int
}

// Unseen stands for an expression that began before the hunk.
const Unseen = "__"

const (
	// maxFramed is the size in bytes above which a hunk is read in one frame only.
	maxFramed = 32 << 10
	// maxClosers bounds the brackets that are opened before a hunk or closed
	// after it.
	maxClosers = 64
	// Some grammars take a time that grows with the square of nonsense, so a large
	// hunk, and one that no frame makes sense of, is read in few frames.
	manyFramed = 4 << 10
	smallHunk  = 512
	fewFrames  = 5
	// maxFrames bounds the frames that are tried for a hunk, and maxFramedBytes
	// what is read for a change in frames that are not taken.
	maxFrames      = 16
	maxFramedBytes = 4 << 20
)

// hunkPiece parses both sides of a hunk in the frame that suits them best.
// Sides without text and frame are nil.
func (p *parser) hunkPiece(ctx context.Context, f *change.File, hunk int) ([2]*Fragment, error) {
	h := &f.Hunks[hunk]
	texts := [2]string{h.Text(change.Old), h.Text(change.New)}
	var best [2]*Fragment
	lowest := -1
	size := len(texts[0]) + len(texts[1])
	most := maxFrames
	if size > manyFramed {
		most = fewFrames
	}
	for k, fr := range frames(p.table, h.Section, texts) {
		choice := size <= maxFramed && size <= p.framed && k < most
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
			// What has no text on a side still has its frame there, so that the
			// frame is on both sides.
			one := &Fragment{
				Side: change.Side(side), Hunk: hunk, Lang: f.Lang, Table: p.table, Source: []byte(fr.before + text + fr.after[side]),
				first: h.NewStart, head: strings.Count(fr.before, "\n"), heading: fr.heading, from: len(fr.before) - fr.code, List: fr.list, to: len(fr.before) + len(text),
			}
			if side == int(change.Old) {
				one.first = h.OldStart
			}
			if err := one.parse(ctx, p.deadline); err != nil {
				closeAll(best[:])
				closeAll(piece[:])
				return best, err
			}
			piece[side] = one
			if choice {
				cost += one.errorCost()
			}
		}
		if lowest < 0 || cost < lowest {
			closeAll(best[:])
			best, lowest = piece, cost
		} else {
			closeAll(piece[:])
		}
		if lowest == 0 || k >= fewFrames && size > smallHunk && lowest > size/2 {
			break // it is understood, or it is no text of this language
		}
	}
	return best, nil
}

func closeAll(fs []*Fragment) {
	for _, f := range fs {
		if f != nil && f.Tree != nil {
			f.Tree.Close()
		}
	}
}

// maxCostNodes bounds the nodes that are looked at to judge a frame.
const maxCostNodes = 1 << 13

// errorCost says how badly the grammar read a fragment: the bytes of the text
// that stand in an ERROR node and in no node below it, and a little for each
// error and for what it missed.
func (f *Fragment) errorCost() int {
	root := f.Tree.RootNode()
	if !root.HasError() {
		return 0
	}
	const perError = 8
	cost, seen := 0, 0
	cur := sitter.NewTreeCursor(root)
	defer cur.Close()
	for {
		n := cur.CurrentNode()
		seen++
		down := n.HasError() && seen < maxCostNodes
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
	opening := t.open
	for _, text := range texts {
		if strings.Contains(text, strings.TrimSpace(t.open)) || strings.HasPrefix(strings.TrimSpace(text), "<") {
			opening = ""
		}
	}
	comment := ""
	for _, text := range texts {
		if end := strings.Index(text, "*/"); end >= 0 && !strings.Contains(text[:end], "/*") && t.braces {
			comment = "/*" // the hunk begins in a comment
		}
	}
	// What the hunk closes without having opened it.
	var down string
	for _, text := range texts {
		if d, _, _ := balance(t, comment+text); len(d) > len(down) {
			down = d
		}
	}
	// A large hunk is not read more often for its ends.
	large := len(texts[0])+len(texts[1]) > manyFramed
	var begun start
	if !large {
		begun = t.start(texts)
	}
	ifs, open := 0, [2]int{} // directives
	if t.HashDirectives() {
		var closed [2]int
		for side, text := range texts {
			closed[side], open[side] = directives(text)
			ifs = max(ifs, closed[side])
		}
		for side := range open {
			open[side] -= closed[side]
		}
	}
	var out []frame
	// add adds the frame that opens what opened says. The hunk itself closes the
	// innermost of what it holds, save as many as closed, which belong to the frame.
	list := false
	add := func(heading, opened string, closed int) {
		fr := frame{before: opening + heading, list: list}
		if heading != "" && !callLike.MatchString(heading) {
			fr.heading = len(fr.before)
		}
		fr.before += opened
		extra := down[:len(down)-closed]
		for i := len(extra) - 1; i >= 0; i-- {
			fr.before += t.opener(extra[i])
		}
		if fr.before != "" {
			fr.before += "\n"
		}
		fr.before += comment
		if comment == "" && fr.before != "" {
			fr.before += begun.before
			fr.code = begun.code
		}
		if begun.before == "" {
			fr.before += strings.Repeat("#if "+Unseen+"\n", ifs)
		}
		if strings.HasSuffix(opened, "(") && strings.Contains(extra, "}") {
			fr.guess += 2 // a block among arguments
		}
		if t.ColonTypes && !strings.Contains(texts[0]+texts[1], ":") && parametersLast.MatchString(heading+opened) {
			fr.guess += 4 // parameters with types would follow
		}
		if strings.HasSuffix(opened, "(") && !parametersLast.MatchString(opened) {
			fr.guess += 3 // what is a statement as well is no argument
		}
		// What stands behind the bracket that the frame opens last.
		at, tail := -1, ""
		if tail = t.tailOf(heading + opened); tail != "" {
			_, up, _ := balance(t, fr.before)
			at = len(up) - len(extra) - 1
		}
		for side, text := range texts {
			_, up, _ := balance(t, fr.before+text)
			end, guess := "", 0
			if !large && !list {
				end, guess = t.end(text, up)
			}
			if k := ifs + open[side]; k > 0 {
				end += strings.Repeat("\n#endif", k) + "\n"
			}
			fr.after[side] = end + t.closers(up, at, tail)
			if t.SpreadTypes && up != "" && typeFirst.MatchString(heading+opened) {
				fr.after[side] += ";" // which ends a type in C
			}
			fr.guess += guess
		}
		if !slices.ContainsFunc(out, func(o frame) bool { return o.before == fr.before }) {
			out = append(out, fr)
		}
	}
	if namespaceLike.MatchString(section) {
		section = "" // what is in it stands in a type, mostly
	}
	if _, up, _ := balance(t, section); up == "" && t.braces && t.SemicolonEnds && bodyless.MatchString(section) {
		section += " {" // its bracket stands on the next line
	}
	inner := t.orderedFrames(texts)
	if list = down == "" && listed(t, section, texts); list {
		for _, w := range t.rows {
			if d, up, _ := balance(t, section); section != "" && d == "" && !strings.HasSuffix(up, ")") {
				if classLike.MatchString(section) && !strings.Contains(section, "(") && len(up) < 2 {
					w = t.method + w
				}
				add(section, w, 0)
			}
		}
		for _, w := range t.rows {
			add("", w, 0)
		}
		list = false
	}
	if section != "" {
		if d, up, _ := balance(t, section); d == "" {
			if up == ")" && t.braces && !strings.HasPrefix(down, ")") && !callLike.MatchString(section) {
				// The heading is cut within its parameters, which end before the hunk.
				for m := min(1, len(down)); m >= 0; m-- {
					add(section, ") {", m)
				}
				add(section, ") { "+Unseen+"(", 0)
			}
			class := classLike.MatchString(section) && len(up) == 1
			if class && (memberLine.MatchString(texts[0]) || memberLine.MatchString(texts[1])) {
				add(section, "", 0)
			}
			for _, w := range inner {
				// In a class there is more code than there are fields.
				if head, method, ok := strings.Cut(w, "{ "); class && ok && classLike.MatchString(head) && strings.Count(method, "{") == 1 {
					for m := 0; m <= min(2, len(down)); m++ {
						add(section, method, m)
					}
					break
				}
			}
			for m := min(len(up), len(down)); m >= 0; m-- {
				add(section, "", m)
			}
			if up == "" && t.braces {
				for m := min(1, len(down)); m >= 0; m-- {
					add(section, "{", m)
				}
			}
			for _, w := range inner {
				// What may be around a hunk in a function or in a class.
				if k := strings.LastIndex(w, "{ "); len(up) == 1 && k >= 0 && !class && w[k+2:] != "" {
					add(section, w[k+2:], 0)
				} else if head, rest, ok := strings.Cut(w, "{ "); class && ok && rest != "" && (strings.HasPrefix(head, "class ") || strings.HasPrefix(head, "impl ") && strings.HasPrefix(section, "impl")) {
					add(section, rest, 0)
				}
			}
		}
	}
	if !t.framedFirst(texts) {
		add("", "", 0)
	}
	for _, w := range inner {
		_, up, _ := balance(t, w)
		most := min(len(up), len(down))
		for m := 0; m <= most && len(up) > 1; m++ {
			add("", w, m)
		}
		for m := most; m >= 0 && len(up) < 2; m-- {
			add("", w, m)
		}
	}
	add("", "", 0)
	return out
}

// namespaceLike matches a heading of what holds types.
var namespaceLike = regexp.MustCompile(`^\s*namespace\b|^\w+!\s*\{`)

// bodyless matches the heading of a type or a function without its bracket.
var bodyless = regexp.MustCompile(`\)\s*(?:const|noexcept|override)?$|\b(?:class|struct|interface|record|enum)\s+[\w<>,.: ]+$`)

// memberLine matches a line that only stands in a type.
var memberLine = regexp.MustCompile(`(?m)^\s*(?:public|private|protected|internal)\s+[\w@<]`)

// framedFirst tells whether a hunk of a language in which all code stands in
// types is one of their inside.
func (t *Table) framedFirst(texts [2]string) bool {
	if len(t.frames) == 0 || !strings.HasPrefix(t.frames[0], "class __ {") || !t.SemicolonEnds {
		return false
	}
	return encloses(texts) && strings.TrimLeft(texts[0]+texts[1], "{})]#\n\r") != ""
}

// orderedFrames lists the frames of the language, that of a type first for what
// can only stand there.
func (t *Table) orderedFrames(texts [2]string) []string {
	if len(t.frames) < 2 || t.frames[1] != "class __ {" || !memberLine.MatchString(texts[0]) && !memberLine.MatchString(texts[1]) {
		return t.frames
	}
	out := append([]string{t.frames[1], t.frames[0]}, t.frames[2:]...)
	return out
}

// classLike matches a heading of what has members.
var classLike = regexp.MustCompile(`\b(class|struct|impl|trait|object|enum|record|extension)\b`)

// typeFirst matches a frame of C that begins with a type and its members.
var typeFirst = regexp.MustCompile(`^\s*(?:class|struct|union|enum)\b[^()]*\{`)

// callLike matches a heading that is the beginning of a call, such as one of
// describe("…"): it is around the hunk, but it declares nothing, and what does
// may stand between the two.
var callLike = regexp.MustCompile(`^[A-Za-z_$][\w$.]*\s*\(`)

// encloses tells whether the section heading of a hunk may be around its
// beginning: it is not around what is not indented.
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

// tailOf is what follows the last bracket of a frame: the body of a function
// behind its parameters, and what ends a statement behind a value.
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

// parametersLast matches the heading of a function that is cut in its parameters.
var parametersLast = regexp.MustCompile(`\b(?:void|fn|func|fun|function|def)\s+\w+\([^()]*$`)
