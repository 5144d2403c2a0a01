package outline

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// Dockerfiles and SQL are read by lines, as people write and review them: a hunk may
// begin within a statement, and the first words of a line tell what it is.

var dockerValue = regexp.MustCompile(`^([\w.-]+)(?:\s*=\s*|\s+)(.*)$`)

var dockerLine = regexp.MustCompile(`(?i)^(FROM|RUN|CMD|ENTRYPOINT|COPY|ADD|ENV|ARG|WORKDIR|EXPOSE|USER|VOLUME|LABEL|HEALTHCHECK|SHELL|STOPSIGNAL|ONBUILD|MAINTAINER)\s+(.*)$`)

// dockerTypes are what instructions are called, if not by their first word.
var dockerTypes = map[string]string{
	"ENV": "environment variable", "ARG": "build argument", "LABEL": "label", "EXPOSE": "exposed port", "VOLUME": "volume", "RUN": "command", "FROM": "base image",
}

// dockerfile reads instructions. The other lines go on with one, and are texts.
func (b *builder) dockerfile() {
	for row, line := range b.lines {
		text := strings.Trim(line, " \t\\&")
		m := dockerLine.FindStringSubmatch(text)
		switch {
		case text == "":
		case text[0] == '#':
			b.comment(b.root, row, text)
		case m != nil:
			verb := strings.ToUpper(m[1])
			n := Node{Kind: Item, Type: cmp.Or(dockerTypes[verb], "`"+verb+"` instruction"), Value: m[2], First: row}
			if v := dockerValue.FindStringSubmatch(m[2]); v != nil && slices.Contains([]string{"ENV", "ARG", "LABEL"}, verb) {
				n.Kind, n.Name, n.Value = Key, v[1], unquote(v[2])
			}
			b.add(b.root, n)
		default:
			b.add(b.root, Node{Kind: Text, Value: text, First: row})
		}
	}
}

var (
	// sqlHead is what a statement begins with: what it does, and to what.
	sqlHead = regexp.MustCompile(`(?i)^(?:(CREATE|ALTER|DROP)\s+(?:\w+\s+){0,3}?(TABLE|INDEX|VIEW|FUNCTION|PROCEDURE|TRIGGER|SEQUENCE|TYPE|SCHEMA|DATABASE|EXTENSION|USER|ROLE|POLICY)\s+` +
		`(?:(?:IF|NOT|EXISTS|ONLY|CONCURRENTLY)\s+)*([^\s(;,]+)|(?:(?:INSERT(?:\s+IGNORE)?|REPLACE|MERGE)\s+INTO|DELETE\s+FROM|UPDATE|TRUNCATE(?:\s+TABLE)?)\s+[^\s(;]+|` +
		`(?:SELECT|WITH|GRANT|REVOKE|SET|USE|CALL|EXEC|BEGIN|COMMIT|ROLLBACK|COMMENT|DECLARE|COPY|DO|END)\b)`)
	// sqlColumn is a line of a table, sqlTyped one that is known even without its table.
	sqlColumn      = regexp.MustCompile("^[\"`\\[]?(\\w+)[\"`\\]]?\\s+([\\w\"].*)$")
	sqlTyped       = regexp.MustCompile(`(?i)^\S+\s+(?:\w*INT|N?VARCHAR2?|CHAR|\w*TEXT|BLOB|BOOL(?:EAN)?|DATE(?:TIME)?|TIME(?:STAMP(?:TZ)?)?|NUMERIC|DECIMAL|FLOAT|DOUBLE|REAL|UUID|JSONB?|INTEGER|BIT)\b`)
	sqlConstraints = strings.Fields("PRIMARY FOREIGN UNIQUE CONSTRAINT KEY INDEX CHECK FULLTEXT EXCLUDE LIKE SPATIAL PARTITION")
)

// sql reads statements, each with its lines; those of a table are its columns.
func (b *builder) sql() {
	st := b.root // the statement that the next line goes on with
	if n, _ := statement(b.heading); n.Type == "table" && !b.whole && strings.HasPrefix(b.lines[0], " ") {
		n.Loose = true
		st = b.add(b.root, n)
	}
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "--") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "* ") {
			b.comment(b.root, row, text)
			continue
		}
		text, _, _ = strings.Cut(text, " --")
		// Where the semicolon before it is missing, only a line at the margin that names
		// an object begins a statement.
		if n, rest := statement(text); n.Name != "" && (st == b.root || strings.Contains(n.Name, " ") && strings.HasPrefix(line, text)) {
			n.First = row
			st, text = b.add(b.root, n), rest
		}
		b.clause(st, strings.TrimLeft(strings.TrimRight(text, "; ,"), ") "), row)
		if st.Last = max(st.Last, row); strings.HasSuffix(text, ";") {
			st = b.root
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
		n.Type, n.Name, rest = "table", strings.Trim(m[3], "\"`[]"), strings.TrimPrefix(rest, "(")
	case verb != "":
		n.Name = verb + " " + strings.ToUpper(m[2]) + " " + m[3]
	}
	return n, rest
}

// clause reads a line of a statement: the column of a table, or what else it says.
func (b *builder) clause(st *Node, text string, row int) {
	if strings.Count(text, ")") > strings.Count(text, "(") {
		text = strings.TrimSuffix(text, ")") // of what a line before it opened
	}
	n := Node{Kind: Item, Type: "clause", Value: text, First: row, Loose: st == b.root}
	table := st.Type == "table" && (st.Loose || st.First < row) || st == b.root && sqlTyped.MatchString(text)
	if m := sqlColumn.FindStringSubmatch(text); m != nil && table && !slices.Contains(sqlConstraints, strings.ToUpper(m[1])) {
		n.Kind, n.Type, n.Name, n.Value = Key, "column", m[1], m[2]
	}
	if strings.Trim(text, "() ") != "" {
		b.add(st, n)
	}
}
