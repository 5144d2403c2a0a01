package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// Dockerfiles and SQL are read by lines, as people write and review them: a hunk may
// begin within a statement, and the first words of a line tell what it is.

var (
	dockerLine = regexp.MustCompile(`(?i)^(FROM|RUN|CMD|ENTRYPOINT|COPY|ADD|ENV|ARG|WORKDIR|EXPOSE|USER|VOLUME|LABEL|HEALTHCHECK|SHELL|STOPSIGNAL|ONBUILD|MAINTAINER)\s+(.*)$`)
	dockerWord = regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`)
	shellNext  = regexp.MustCompile(`&&|;|\|\|`)
)

// dockerTypes are what instructions, or the parts of them, are called.
var dockerTypes = map[string]string{
	"ENV": "environment variable", "ARG": "build argument", "LABEL": "label", "EXPOSE": "exposed port", "VOLUME": "volume", "RUN": "command", "FROM": "base image",
}

// dockerfile reads instructions: each command, variable, port and volume, and else the
// instruction. Lines whose instruction is not in the hunk are texts.
func (b *builder) dockerfile() {
	verb, goesOn := "", false
	var last *Node
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		rest := text
		switch m := dockerLine.FindStringSubmatch(text); {
		case text == "":
			continue
		case text[0] == '#':
			b.comment(b.root, row, text)
			continue
		case m != nil && !goesOn:
			verb, rest, last = strings.ToUpper(m[1]), m[2], nil
		case verb == "":
			b.add(b.root, Node{Kind: Text, Value: strings.TrimRight(text, ` \`), First: row, Loose: true})
			continue
		}
		goesOn = strings.HasSuffix(text, `\`)
		last = b.instruction(verb, strings.TrimSuffix(rest, `\`), row, last)
	}
}

// instruction adds the parts of an instruction that are on a line. It returns the part
// that the next line may go on.
func (b *builder) instruction(verb, rest string, row int, last *Node) *Node {
	n := Node{Kind: Item, Type: dockerTypes[verb], First: row}
	parts := []string{rest}
	switch verb {
	case "ENV", "ARG", "LABEL":
		n.Kind = Key
		if strings.Contains(rest, "=") {
			parts = dockerWord.FindAllString(rest, 500)
		} else {
			parts[0] = strings.Replace(rest, " ", "=", 1)
		}
	case "EXPOSE", "VOLUME":
		parts = strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t,[]\"", r) })
	case "RUN":
		parts = shellNext.Split(rest, 200)
	}
	if n.Type == "" {
		n.Type = "`" + verb + "` instruction"
	}
	for i, part := range parts {
		n.Value = strings.Join(strings.Fields(part), " ")
		switch {
		case n.Value == "" && i == 0:
		case n.Value == "":
			last = nil // the next line is the next command
		case n.Kind == Key:
			name, value, _ := strings.Cut(part, "=")
			n.Name, n.Value = name, unquote(value)
			b.add(b.root, n)
		case i == 0 && last != nil && verb != "EXPOSE" && verb != "VOLUME":
			if last.Last = row; len(last.Value) < maxValue {
				last.Value += " " + n.Value
			}
		default:
			last = b.add(b.root, n)
		}
	}
	return last
}

var (
	// sqlHead is what a statement begins with: what it does, and to what.
	sqlHead = regexp.MustCompile(`(?i)^(?:(CREATE|ALTER|DROP)\s+(?:\w+\s+){0,3}?(TABLE|INDEX|VIEW|FUNCTION|PROC|PROCEDURE|TRIGGER|SEQUENCE|TYPE|SCHEMA|DATABASE|EXTENSION|USER|ROLE|POLICY)\s+` +
		`(?:(?:IF|NOT|EXISTS|ONLY|CONCURRENTLY)\s+)*([^\s(;,]+)|(?:(?:INSERT(?:\s+IGNORE)?|REPLACE|MERGE)\s+INTO|DELETE\s+FROM|UPDATE|TRUNCATE(?:\s+TABLE)?|USE|CALL|EXEC)\s+[^\s(;]+|` +
		`(?:SELECT|WITH|GRANT|REVOKE|SET|BEGIN|COMMIT|ROLLBACK|COMMENT|DECLARE|COPY|DO|END)\b)`)
	// sqlColumn is a line of a table, sqlTyped one that is known even without its table.
	sqlColumn = regexp.MustCompile("^([\"`\\[]?\\w+[\"`\\]]?)\\s+([\\w\"].*?),?$")
	sqlTyped  = regexp.MustCompile(`(?i)^\S+\s+(?:(?:BIG|SMALL|TINY)?(?:INT|SERIAL)|INTEGER|N?VARCHAR2?|CHAR|(?:LONG)?TEXT|BLOB|BYTEA|BOOL(?:EAN)?|BIT|DATE(?:TIME)?|TIME(?:STAMP(?:TZ)?)?|NUMERIC|` +
		`DECIMAL|FLOAT|DOUBLE|REAL|UUID|JSONB?|ENUM|MONEY|XML|NUMBER)\b`)
	sqlFrom        = regexp.MustCompile(`(?i)\bFROM\s+([^\s(;,]+)`)
	sqlConstraints = strings.Fields("PRIMARY FOREIGN UNIQUE CONSTRAINT KEY INDEX CHECK FULLTEXT EXCLUDE LIKE SPATIAL PARTITION")
)

// sql reads statements, each with its lines; those of a table are its columns.
func (b *builder) sql() {
	var st *Node // the statement that the next line goes on with
	if n, _ := statement(b.heading); n.Name != "" && b.startsIndented() && !strings.Contains(b.heading, ";") {
		n.Loose = true
		st = b.add(b.root, n)
	}
	for row := 0; row < len(b.lines); row++ {
		text, first := strings.TrimSpace(b.lines[row]), row
		if strings.HasPrefix(text, "--") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "/*") {
			for text[0] == '/' && !strings.Contains(b.lines[row], "*/") && row+1 < len(b.lines) {
				row++
			}
			b.comment(b.root, first, strings.Join(b.lines[first:row+1], "\n"))
			continue
		}
		if text, _, _ = strings.Cut(text, " --"); strings.EqualFold(text, "GO") {
			text = ";"
		}
		// Where the semicolon before it is missing, only a line at the margin that names
		// an object begins a statement.
		n, rest := statement(text)
		if n.Name != "" && (st == nil || strings.Contains(n.Name, " ") && strings.HasPrefix(b.lines[row], text)) {
			n.First = row
			st, text = b.add(b.root, n), rest
		}
		b.sqlLine(st, strings.TrimSpace(strings.TrimRight(text, "; ")), row)
		if st != nil {
			st.Last = row
		}
		if strings.HasSuffix(text, ";") {
			st = nil
		}
	}
}

// statement reads the head of a statement; its node has no name where a line is none.
func statement(line string) (n Node, rest string) {
	m := sqlHead.FindStringSubmatch(line)
	if m == nil {
		return Node{}, line
	}
	n = Node{Kind: Key, Type: "statement", Name: strings.Join(strings.Fields(m[0]), " ")}
	rest = strings.TrimSpace(line[len(m[0]):])
	switch verb := strings.ToUpper(m[1]); {
	case verb == "CREATE" && strings.EqualFold(m[2], "TABLE"):
		n.Type, n.Name, rest = "table", m[3], strings.TrimPrefix(rest, "(")
	case verb == "" && !strings.Contains(n.Name, " "):
		n.Name = strings.ToUpper(n.Name)
	case verb != "":
		n.Name = verb + " " + strings.ToUpper(m[2]) + " " + m[3]
	}
	n.Name = sqlQuotes.Replace(n.Name)
	return n, rest
}

var sqlQuotes = strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "")

// sqlLine reads a line of a statement: the column of a table, or what else it says.
func (b *builder) sqlLine(st *Node, text string, row int) {
	table := st != nil && st.Type == "table"
	if table {
		text = strings.TrimLeft(text, ")( ")
	}
	if strings.Count(text, ")") > strings.Count(text, "(") {
		text = strings.TrimSuffix(text, ")") // of what a line before it opened
	}
	n := Node{Kind: Item, Type: "clause", Value: strings.TrimSuffix(text, ","), First: row}
	if m := sqlColumn.FindStringSubmatch(text); m != nil && !slices.Contains(sqlConstraints, strings.ToUpper(m[1])) &&
		(table && (st.Loose || st.First < row) || st == nil && sqlTyped.MatchString(text)) {
		n.Kind, n.Type, n.Name, n.Value = Key, "column", sqlQuotes.Replace(m[1]), m[2]
	}
	switch m := sqlFrom.FindStringSubmatch(text); {
	case text == "":
	case st == nil:
		if n.Loose = true; n.Kind == Item {
			n.Kind, n.Type = Text, ""
		}
		b.add(b.root, n)
	default:
		if m != nil && !strings.Contains(st.Name, " ") && st.Type != "table" {
			st.Name += " … FROM " + m[1]
		}
		b.add(st, n)
	}
}

// startsIndented reports whether a hunk begins within what its heading begins.
func (b *builder) startsIndented() bool {
	return !b.whole && strings.TrimLeft(b.lines[0], " \t") != b.lines[0]
}
