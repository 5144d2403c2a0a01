package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	dockerLine = regexp.MustCompile(`(?i)^(FROM|RUN|CMD|ENTRYPOINT|COPY|ADD|ENV|ARG|WORKDIR|EXPOSE|USER|VOLUME|LABEL|HEALTHCHECK|SHELL|STOPSIGNAL|ONBUILD|MAINTAINER)(?:\s+(.*))?$`)
	shellNext  = regexp.MustCompile(`\s*(?:&&|;|\|\|)\s*`)
	shellWord  = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	bareWord   = regexp.MustCompile(`^\s+[\w.+=:~@/-]+\s*\\?$`)
)

// dockerTypes are what the parts of instructions are called; of others there is one.
var dockerTypes = map[string]string{
	"ENV": "environment variable", "ARG": "build argument", "LABEL": "label", "EXPOSE": "exposed port", "VOLUME": "volume", "RUN": "command", "FROM": "base image",
}

// dockerfile reads instructions: each command, variable, port and volume, and else the
// instruction. A line without an instruction continues the one before it, as after a
// backslash.
func (b *builder) dockerfile() {
	verb := "" // of the instruction that is read
	var parts []string
	var rows []int
	flush := func() {
		if len(parts) > 0 {
			b.instruction(verb, parts, rows)
		}
		parts, rows = nil, nil
	}
	goesOn := false
	if m := dockerLine.FindStringSubmatch(b.heading); m != nil && !b.whole && strings.HasPrefix(b.lines[0], " ") && strings.HasSuffix(b.heading, `\`) {
		verb, goesOn = strings.ToUpper(m[1]), true
		if bareWord.MatchString(b.lines[0]) { // a continuation of the command
			parts, rows = []string{strings.TrimSuffix(m[2], `\`)}, []int{0}
		}
	}
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		if text[0] == '#' {
			b.comment(b.root, row, text)
			continue
		}
		if m := dockerLine.FindStringSubmatch(text); m != nil && !goesOn {
			flush()
			verb, text = strings.ToUpper(m[1]), m[2]
		} else if verb == "" {
			verb = "RUN"
		}
		parts, rows = append(parts, strings.TrimSuffix(text, `\`)), append(rows, row)
		goesOn = strings.HasSuffix(text, `\`)
	}
	flush()
}

// instruction adds the parts of an instruction, with the rows on which they begin.
func (b *builder) instruction(verb string, parts []string, rows []int) {
	item := func(value string, first, last int) {
		kind := dockerTypes[verb]
		if kind == "" {
			kind = "`" + verb + "` instruction"
		}
		if value = strings.Join(strings.Fields(value), " "); value != "" {
			b.add(b.root, Node{Kind: Item, Type: kind, Value: value, First: first, Last: last})
		}
	}
	first, end := rows[0], rows[len(rows)-1]
	all := strings.TrimSpace(strings.Join(parts, " "))
	switch verb {
	case "ENV", "ARG", "LABEL":
		for i, p := range parts {
			if !strings.Contains(all, "=") {
				name, value, _ := strings.Cut(all, " ")
				b.add(b.root, Node{Kind: Key, Type: dockerTypes[verb], Name: name, Value: unquote(value), First: first, Last: end})
				return
			}
			for _, w := range shellWord.FindAllString(p, 500) {
				name, value, _ := strings.Cut(w, "=")
				b.add(b.root, Node{Kind: Key, Type: dockerTypes[verb], Name: name, Value: unquote(value), First: rows[i]})
			}
		}
	case "EXPOSE", "VOLUME":
		for _, w := range shellWord.FindAllString(strings.Trim(all, "[]"), 500) {
			item(unquote(strings.Trim(w, ",")), first, end)
		}
	case "RUN": // each command with the rows that it is on
		cmd := ""
		for i, p := range parts {
			for k, c := range shellNext.Split(p, 200) {
				if k > 0 {
					item(cmd, first, rows[i])
					cmd = ""
				}
				if cmd == "" {
					first = rows[i]
				}
				cmd = strings.TrimSpace(cmd + " " + c)
			}
		}
		item(cmd, first, end)
	default:
		item(all, first, end)
	}
}
