package outline

import (
	"slices"
	"strings"
)

// token is a word, a text or a sign of SQL.
type token struct {
	text, upper string
	row         int
	quoted      bool
}

const maxTokens = 200_000

// sqlTokens reads the tokens of a text and its comments.
func (b *builder) sqlTokens() []token {
	text := strings.Join(b.lines, "\n")
	var out []token
	row := 0
	for i := 0; i < len(text) && len(out) < maxTokens; {
		c := text[i]
		start := i
		switch {
		case c == '\n':
			row++
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(text[i:], "--") || c == '#':
			end := lineEnd(text, i)
			b.comment(b.root, row, strings.TrimLeft(text[i:end], "-# "))
			i = end
			continue
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				end = len(text) - i
			} else {
				end += 2
			}
			b.comment(b.root, row, strings.Trim(text[i:i+end], "/* \n"))
			row += strings.Count(text[i:i+end], "\n")
			i += end
			continue
		case strings.HasPrefix(text[i:], "$$"):
			end := strings.Index(text[i+2:], "$$")
			if end < 0 {
				i = len(text)
			} else {
				i += end + 4
			}
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
		case c == '[' && i+1 < len(text) && wordByte(text[i+1]):
			if end := strings.IndexAny(text[i:], "]\n"); end > 0 && text[i+end] == ']' {
				i += end + 1
			} else {
				i++
			}
		case wordByte(c):
			for i < len(text) && (wordByte(text[i]) || text[i] == '.' && i+1 < len(text) && wordByte(text[i+1])) {
				i++
			}
		default:
			i++
			if i < len(text) && strings.Contains("<> <= >= != || :: ->", text[start:i+1]) && text[i] != ' ' {
				i++
			}
		}
		s := text[start:i]
		t := token{text: s, upper: strings.ToUpper(s), row: row, quoted: len(s) > 2 && (c == '\'' || c == '"' || c == '`' || c == '[')}
		if t.quoted && c != '\'' {
			if t.text = strings.Trim(s, "\"`[]"); t.text == "" {
				t.text = s
			}
		}
		row += strings.Count(s, "\n")
		// `a`.`b` is one name.
		if k := len(out); k > 1 && out[k-1].text == "." && (t.quoted || wordByte(c)) {
			out[k-2].text += "." + t.text
			out = out[:k-1]
			continue
		}
		out = append(out, t)
	}
	return out
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func join(ts []token) string {
	var s strings.Builder
	for i, t := range ts {
		if s.Len() > 1<<12 {
			break
		}
		if i > 0 && t.text != "," && t.text != ")" && t.text != "." && ts[i-1].text != "(" && ts[i-1].text != "." && (t.text != "(" || !wordByte(ts[i-1].text[len(ts[i-1].text)-1])) {
			s.WriteByte(' ')
		}
		if t.text == "" {
			s.WriteString("''")
		}
		s.WriteString(t.text)
	}
	return strings.Join(strings.Fields(s.String()), " ")
}

// cursor walks over the tokens of a statement.
type cursor struct {
	ts []token
	i  int
}

func (c *cursor) peek() token {
	if c.i < len(c.ts) {
		return c.ts[c.i]
	}
	return token{}
}

// skip passes over the words if they come next.
func (c *cursor) skip(words ...string) bool {
	for k, w := range words {
		if c.i+k >= len(c.ts) || c.ts[c.i+k].upper != w {
			return false
		}
	}
	c.i += len(words)
	return true
}

// any passes over one of the words.
func (c *cursor) any(words ...string) bool {
	if slices.Contains(words, c.peek().upper) {
		c.i++
		return true
	}
	return false
}

func (c *cursor) name() string {
	t := c.peek()
	if t.text == "" || t.text == "(" || t.text == "," {
		return ""
	}
	c.i++
	return t.text
}

// group passes over a bracket and returns what is in it.
func (c *cursor) group() []token {
	if c.peek().text != "(" {
		return nil
	}
	d := 0
	start := c.i + 1
	for ; c.i < len(c.ts); c.i++ {
		switch c.ts[c.i].text {
		case "(":
			d++
		case ")":
			if d--; d == 0 {
				c.i++
				return c.ts[start : c.i-1]
			}
		}
	}
	return c.ts[min(start, len(c.ts)):]
}

func (c *cursor) rest() []token { return c.ts[min(c.i, len(c.ts)):] }

// split cuts tokens at a sign outside brackets.
func split(ts []token, sign string) [][]token {
	var out [][]token
	d, start := 0, 0
	between := false
	for i, t := range ts {
		switch {
		case t.text == "(":
			d++
		case t.text == ")":
			d--
		case t.upper == "BETWEEN":
			between = true
		case t.upper == sign && d == 0 && between && sign == "AND":
			between = false
		case t.upper == sign && d == 0:
			out = append(out, ts[start:i])
			start = i + 1
		}
	}
	return append(out, ts[start:])
}
