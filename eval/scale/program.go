package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// program is a source file with an edit in one of its functions.
type program struct {
	rand    *rand.Rand
	dialect *dialect
	subject []string // the name of the function that is edited
	// The lines of both sides, of the old one and of the new one.
	before, removed, added, after []string
	known                         variables // of the function that is edited
}

// variables are the names within a function.
type variables struct{ a, b, c string }

// newProgram makes a program of about size bytes. The edited function is at a random place.
func newProgram(r *rand.Rand, subject []string, size, added, removed int) *program {
	p := &program{rand: r, dialect: &dialects[r.IntN(len(dialects))], subject: subject}
	d, depth := p.dialect, 0
	lines := append([]string(nil), d.head...)
	if d.class != "" {
		lines = append(lines, expand(d.class, func(byte) string { return pascal(name(r)) }))
		depth = 1
	}
	written := bytesOf(lines)
	fill := func(lines []string, until int) []string {
		for written < until {
			n := len(lines)
			v := p.variables()
			lines = append(lines, p.line(depth, d.function, v, p.called(append([]string{pick(r, verbs)}, name(r)...))))
			lines = p.body(lines, depth+1, v, 3+r.IntN(12))
			lines = p.end(lines, depth, v)
			written += bytesOf(lines[n:])
		}
		return lines
	}
	lines = fill(lines, int(r.Float64()*float64(size)))
	p.known = p.variables()
	lines = append(lines, p.line(depth, d.function, p.known, p.called(subject)))
	p.before = p.body(lines, depth+1, p.known, 2+r.IntN(4))
	p.edit(depth+1, max(added, 1-removed), removed)
	p.after = p.body(nil, depth+1, p.known, 2+r.IntN(4))
	p.after = fill(p.end(p.after, depth, p.known), size)
	if d.class != "" && d.ends != "" {
		p.after = append(p.after, d.ends)
	}
	return p
}

// edit makes the removed and the added lines. About half of the removed lines come back with
// another name.
func (p *program) edit(depth, added, removed int) {
	for range removed {
		p.removed = append(p.removed, p.statement(depth, p.known))
		if len(p.added) < added && p.rand.IntN(2) == 0 {
			last := p.removed[len(p.removed)-1]
			if line := strings.ReplaceAll(last, p.known.b, p.called(name(p.rand))); line != last {
				p.added = append(p.added, line)
			}
		}
	}
	p.added = p.body(p.added, depth, p.known, added-len(p.added))
	if slices.Equal(p.added, p.removed) {
		p.added = nil
	}
}

// body appends a number of lines of a function's body.
func (p *program) body(lines []string, depth int, v variables, n int) []string {
	closing := 0
	if p.dialect.ends != "" {
		closing = 1
	}
	for n > 0 {
		switch x := p.rand.Float64(); {
		case x < 0.2 && n > 1+closing && depth < 5:
			inner := 1 + p.rand.IntN(min(5, n-1-closing))
			lines = append(lines, p.line(depth, pick(p.rand, p.dialect.blocks), v, ""), p.statement(depth+1, v))
			lines = p.body(lines, depth+1, v, inner-1)
			if closing > 0 {
				lines = append(lines, p.line(depth, p.dialect.ends, v, ""))
			}
			n -= 1 + inner + closing
		case x < 0.28:
			lines = append(lines, p.line(depth, p.dialect.comment+sentence(p.rand, p.called(p.subject)), v, ""))
			n--
		default:
			lines = append(lines, p.statement(depth, v))
			n--
		}
	}
	return lines
}

func (p *program) statement(depth int, v variables) string {
	return p.line(depth, pick(p.rand, p.dialect.simple), v, p.called([]string{pick(p.rand, verbs), pick(p.rand, nouns)}))
}

// end appends the end of a function and an empty line.
func (p *program) end(lines []string, depth int, v variables) []string {
	lines = append(lines, p.line(depth+1, p.dialect.last, v, ""))
	if p.dialect.ends != "" {
		lines = append(lines, p.line(depth, p.dialect.ends, v, ""))
	}
	return append(lines, "")
}

// line replaces the placeholders of a line.
func (p *program) line(depth int, text string, v variables, function string) string {
	return strings.Repeat(p.dialect.indent, depth) + expand(text, func(what byte) string {
		switch what {
		case 'a':
			return v.a
		case 'b':
			return v.b
		case 'c':
			return v.c
		case 'f':
			return function
		case 'n':
			return strconv.Itoa(p.rand.IntN(1000))
		}
		return strings.Join([]string{pick(p.rand, verbs), pick(p.rand, adjectives), pick(p.rand, nouns)}, " ")
	})
}

// expand replaces $a, $b, $c, $f, $n, $s and $T in a line of a dialect.
func expand(text string, value func(byte) string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if rest == "" || strings.IndexByte("abcfnsT", rest[0]) < 0 || len(rest) > 1 && 'a' <= rest[1] && rest[1] <= 'z' {
			b.WriteByte('$') // PHP's own
			text = rest
			continue
		}
		b.WriteString(value(rest[0]))
		text = rest[1:]
	}
}

func (p *program) variables() variables {
	return variables{p.called(name(p.rand)), p.called(name(p.rand)), p.called(name(p.rand))}
}

// called spells a name in the style of the language.
func (p *program) called(words []string) string {
	if p.dialect.snakes {
		return snake(words)
	}
	return camel(words)
}

func bytesOf(lines []string) int {
	n := len(lines)
	for _, l := range lines {
		n += len(l)
	}
	return n
}

// text returns the old or the new text of the file.
func (p *program) text(own []string) string {
	var b strings.Builder
	b.Grow(bytesOf(p.before) + bytesOf(own) + bytesOf(p.after))
	for _, part := range [][]string{p.before, own, p.after} {
		for _, l := range part {
			b.WriteString(l)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// contextLines is the number of unchanged lines around a hunk.
const contextLines = 3

// diff returns the edit as a hunk.
func (p *program) diff() string {
	first := max(0, len(p.before)-contextLines)
	before, after := p.before[first:], p.after[:min(contextLines, len(p.after))]
	var b strings.Builder
	around := len(before) + len(after)
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", first+1, around+len(p.removed), first+1, around+len(p.added))
	for _, part := range []struct {
		sign  string
		lines []string
	}{{" ", before}, {"-", p.removed}, {"+", p.added}, {" ", after}} {
		for _, l := range part.lines {
			b.WriteString(part.sign + l + "\n")
		}
	}
	return b.String()
}
