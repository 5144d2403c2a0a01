package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var dockerLine = regexp.MustCompile(`(?i)^(FROM|RUN|CMD|ENTRYPOINT|COPY|ADD|ENV|ARG|WORKDIR|EXPOSE|USER|VOLUME|LABEL|HEALTHCHECK|SHELL|STOPSIGNAL|ONBUILD|MAINTAINER)(?:\s+(.*))?$`)

// dockerfile reads instructions. A line without an instruction continues the instruction
// before it, as after a backslash.
func (b *builder) dockerfile() {
	var cur *Node
	var parts []string // of the instruction, with the rows on which they begin
	var rows []int
	flush := func() {
		if cur != nil {
			b.instruction(cur, parts, rows)
		}
		cur, parts, rows = nil, nil, nil
	}
	if !b.whole && len(b.lines) > 0 && strings.HasPrefix(b.lines[0], " ") && strings.HasSuffix(b.heading, `\`) {
		if m := dockerLine.FindStringSubmatch(b.heading); m != nil {
			cur = b.add(b.root, Node{Kind: Instruction, Type: strings.ToUpper(m[1]), Loose: true})
			if bareWord.MatchString(b.lines[0]) { // a continuation of the command
				parts, rows = []string{strings.TrimSuffix(m[2], `\`)}, []int{0}
			}
		}
	}
	goesOn := cur != nil
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		switch m := dockerLine.FindStringSubmatch(text); {
		case text == "":
		case strings.HasPrefix(text, "#"):
			b.comment(b.root, row, strings.TrimLeft(text, "# "))
		case m != nil && !goesOn:
			flush()
			cur = b.add(b.root, Node{Kind: Instruction, Type: strings.ToUpper(m[1]), First: row, Last: row})
			parts, rows = []string{strings.TrimSuffix(m[2], `\`)}, []int{row}
			goesOn = strings.HasSuffix(text, `\`)
		default:
			if cur == nil {
				cur = b.add(b.root, Node{Kind: Instruction, Type: "RUN", First: row, Loose: true})
			}
			cur.Last = row
			parts, rows = append(parts, strings.TrimSuffix(text, `\`)), append(rows, row)
			goesOn = strings.HasSuffix(text, `\`)
		}
	}
	flush()
}

var bareWord = regexp.MustCompile(`^\s+[\w.+=:~@/-]+\s*\\?$`)

var (
	dockerAs   = regexp.MustCompile(`(?i)^(\S+)\s+as\s+(\S+)$`)
	dockerFlag = regexp.MustCompile(`^--[\w-]+(?:=\S*)?\s+`)
	shellNext  = regexp.MustCompile(`\s*(?:&&|;|\|\|)\s*`)
)

// instruction reads the arguments of an instruction.
func (b *builder) instruction(n *Node, parts []string, rows []int) {
	text := strings.TrimSpace(strings.Join(parts, " "))
	for {
		flag := dockerFlag.FindString(text)
		if flag == "" {
			break
		}
		b.add(n, Node{Kind: Attribute, Name: strings.TrimSpace(flag), First: n.First, Last: n.First})
		text = text[len(flag):]
	}
	switch n.Type {
	case "FROM":
		n.Value = text
		if m := dockerAs.FindStringSubmatch(text); m != nil {
			n.Value, n.Name = m[1], m[2]
		}
	case "ENV", "ARG", "LABEL":
		if !strings.Contains(text, "=") {
			name, value, _ := strings.Cut(text, " ")
			b.add(n, Node{Kind: Key, Name: name, Value: unquote(value), First: n.First, Last: n.Last})
			return
		}
		for i, p := range parts {
			for _, w := range shellWords(p) {
				name, value, _ := strings.Cut(w, "=")
				b.add(n, Node{Kind: Key, Name: name, Value: unquote(value), First: rows[i], Last: rows[i]})
			}
		}
	case "EXPOSE", "VOLUME":
		for _, w := range shellWords(strings.Trim(text, "[]")) {
			b.add(n, Node{Kind: Item, Value: unquote(strings.Trim(w, ",")), First: n.First, Last: n.Last})
		}
	case "RUN":
		// Each command with the rows that it is on.
		var cmd []string
		first := -1
		flush := func(last int) {
			if c := strings.Join(strings.Fields(strings.Join(cmd, " ")), " "); c != "" {
				b.add(n, Node{Kind: Item, Value: c, First: first, Last: last})
			}
			cmd, first = nil, -1
		}
		for i, p := range parts {
			if i == 0 {
				p = dockerFlag.ReplaceAllString(p, "")
			}
			for k, c := range shellNext.Split(p, 200) {
				if k > 0 {
					flush(rows[i])
				}
				if strings.TrimSpace(c) != "" {
					if first < 0 {
						first = rows[i]
					}
					cmd = append(cmd, c)
				}
			}
			if i == len(parts)-1 && first >= 0 {
				flush(rows[i])
			}
		}
	default:
		n.Value = strings.Join(strings.Fields(text), " ")
	}
}

// shellWords splits at white space outside quotation marks.
func shellWords(s string) []string {
	var out []string
	var quote byte
	start := -1
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || quote == 0 && (s[i] == ' ' || s[i] == '\t'):
			if start >= 0 {
				out = append(out, s[start:i])
			}
			start = -1
			continue
		case quote != 0 && s[i] == quote:
			quote = 0
		case quote == 0 && (s[i] == '"' || s[i] == '\''):
			quote = s[i]
		}
		if start < 0 {
			start = i
		}
	}
	return out
}
