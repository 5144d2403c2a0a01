package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// token is a word, a text or a sign of SQL.
type token struct {
	text, upper string
	row         int
}

const maxTokens = 200_000

// sqlToken is white space, a comment, a quoted text, a name with dots or a sign.
var sqlToken = regexp.MustCompile("^(?:\\s+|--[^\\n]*|#[^\\n]*|/\\*(?s:.*?)(?:\\*/|\\z)|\\$\\$(?s:.*?)(?:\\$\\$|\\z)|'(?:[^'\\\\]|\\\\(?s:.))*'?|" +
	"(?:[\\pL\\d_$@]+|\"[^\"]*\"|`[^`]*`|\\[\\w[^\\]\\n]*\\])(?:\\.(?:[\\pL\\d_$@*]+|\"[^\"]*\"|`[^`]*`|\\[\\w[^\\]\\n]*\\]))*|<>|<=|>=|!=|\\|\\||::|->|(?s:.))")

var sqlQuotes = strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "")

// sqlTokens reads the tokens of a text and its comments.
func (b *builder) sqlTokens(text string) []token {
	var out []token
	for row := 0; text != "" && len(out) < maxTokens; {
		s := sqlToken.FindString(text)
		text = text[max(len(s), 1):]
		t := token{text: s, upper: strings.ToUpper(s), row: row}
		row += strings.Count(s, "\n")
		switch {
		case strings.TrimSpace(s) == "":
			continue
		case strings.HasPrefix(s, "--"), s[0] == '#', strings.HasPrefix(s, "/*"):
			b.comment(b.root, t.row, s)
			continue
		case strings.IndexByte("\"`[", s[0]) >= 0 && len(s) > 2:
			t.text = sqlQuotes.Replace(s)
		}
		out = append(out, t)
	}
	return out
}

// join writes tokens as a text.
func join(ts []token) string {
	var s strings.Builder
	for i, t := range ts {
		if s.Len() > 1<<12 {
			break
		}
		if i > 0 && !slices.Contains([]string{",", ")", "."}, t.text) && ts[i-1].text != "(" && ts[i-1].text != "." &&
			(t.text != "(" || !wordByte(ts[i-1].text[len(ts[i-1].text)-1])) {
			s.WriteByte(' ')
		}
		s.WriteString(t.text)
	}
	return strings.Join(strings.Fields(s.String()), " ")
}

// split cuts tokens at the commas outside of brackets.
func split(ts []token) [][]token {
	var out [][]token
	depth, start := 0, 0
	for i := 0; i <= len(ts); i++ {
		switch {
		case i == len(ts) || ts[i].text == "," && depth == 0:
			if i > start {
				out = append(out, ts[start:i])
			}
			start = i + 1
		case ts[i].text == "(":
			depth++
		case ts[i].text == ")":
			depth--
		}
	}
	return out
}

var (
	sqlVerbs = strings.Fields("CREATE ALTER DROP INSERT UPDATE DELETE SELECT TRUNCATE GRANT REVOKE WITH MERGE REPLACE RENAME SET USE BEGIN COMMIT ROLLBACK COMMENT EXEC " +
		"EXECUTE CALL DECLARE GO LOCK UNLOCK ANALYZE VACUUM COPY PRAGMA DO")
	sqlObjects = strings.Fields("TABLE INDEX VIEW FUNCTION PROCEDURE PROC TRIGGER SEQUENCE TYPE SCHEMA DATABASE EXTENSION USER ROLE POLICY COLUMN")
	// sqlFillers may stand before the name of an object.
	sqlFillers = strings.Fields("IF NOT EXISTS ONLY CONCURRENTLY INTO FROM IGNORE TABLE")
	sqlTypes   = strings.Fields("INT INTEGER BIGINT SMALLINT TINYINT SERIAL BIGSERIAL VARCHAR NVARCHAR CHAR TEXT LONGTEXT BLOB BYTEA BOOLEAN BOOL BIT DATE DATETIME TIME " +
		"TIMESTAMP TIMESTAMPTZ NUMERIC DECIMAL FLOAT DOUBLE REAL UUID JSON JSONB ENUM MONEY XML CHARACTER BINARY NUMBER VARCHAR2 STRING")
	sqlConstraints = strings.Fields("PRIMARY FOREIGN UNIQUE CONSTRAINT KEY INDEX CHECK FULLTEXT EXCLUDE LIKE SPATIAL")
)

// sql reads statements, split at semicolons.
func (b *builder) sql() {
	toks := b.sqlTokens(strings.Join(b.lines, "\n"))
	if h := strings.ToUpper(b.heading); len(toks) > 0 && !b.whole && !slices.Contains(sqlVerbs, toks[0].upper) && strings.TrimLeft(b.lines[0], " \t") != b.lines[0] {
		for _, verb := range []string{"CREATE TABLE", "ALTER TABLE", "INSERT INTO"} {
			if strings.HasPrefix(h, verb) {
				toks = append((&builder{root: &Node{}}).sqlTokens(b.heading), toks...)
			}
		}
	}
	depth, start := 0, 0
	for i, t := range toks {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth = max(depth-1, 0)
		case t.text == ";" && depth == 0, t.upper == "GO" && i+1 < len(toks) && slices.Contains(sqlVerbs, toks[i+1].upper):
			b.statement(toks[start:i])
			start, depth = i+1, 0
		case depth == 0 && i > start && toks[i-1].row < t.row && slices.Contains([]string{"CREATE", "ALTER", "DROP", "INSERT", "TRUNCATE"}, t.upper) &&
			!slices.Contains([]string{"CREATE", "ALTER", "GRANT"}, toks[start].upper):
			b.statement(toks[start:i]) // the semicolon is missing
			start = i
		}
	}
	b.statement(toks[start:])
}

// statement reads a table with its columns, or a statement by what it is about
// ("DROP TABLE a", "SELECT … FROM a") and its text.
func (b *builder) statement(ts []token) {
	if len(ts) == 0 {
		return
	}
	n := Node{Kind: Key, Type: "statement", First: ts[0].row, Last: ts[len(ts)-1].row}
	object, name, rest := named(ts)
	switch verb := ts[0].upper; {
	case verb == "CREATE" && object == "TABLE":
		n.Type, n.Name = "table", name
		b.columns(b.add(b.root, n), rest)
		return
	case !slices.Contains(sqlVerbs, verb) && looksLikeColumns(ts):
		n.Type, n.Loose = "table", true
		b.columns(b.add(b.root, n), ts)
		return
	case !slices.Contains(sqlVerbs, verb):
		n.Loose, rest = true, ts
	case object != "":
		n.Name = strings.TrimSpace(verb + " " + object + " " + name)
	case verb == "SELECT" || verb == "WITH":
		n.Name, rest = verb, ts
		for i, t := range ts[:len(ts)-1] {
			if t.upper == "FROM" && ts[i+1].text != "(" {
				n.Name = verb + " … FROM " + ts[i+1].text
				break
			}
		}
	case slices.Contains([]string{"INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE", "TRUNCATE"}, verb):
		n.Name = join(ts[:len(ts)-len(rest)])
	default:
		n.Name, n.Value = verb, join(ts[1:])
		b.add(b.root, n)
		return
	}
	st := b.add(b.root, n)
	start, depth := 0, 0
	for i, t := range rest { // each clause is an item
		if i > start && depth == 0 && sqlClause.MatchString(t.upper) && !sqlClause.MatchString(rest[i-1].upper) {
			b.part(st, "clause", rest[start:i])
			start = i
		}
		depth += strings.Count(t.text, "(") - strings.Count(t.text, ")")
	}
	b.part(st, "clause", rest[start:])
}

var sqlClause = regexp.MustCompile(`^(?:SELECT|FROM|LEFT|RIGHT|FULL|INNER|CROSS|JOIN|WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET|SET|VALUES|RETURNING|UNION)$`)

// named finds the object that a statement is about and its name. The rest follows them.
func named(ts []token) (object, name string, rest []token) {
	i := 1
	if slices.Contains([]string{"CREATE", "ALTER", "DROP"}, ts[0].upper) {
		at := slices.IndexFunc(ts[:min(len(ts), 8)], func(t token) bool { return slices.Contains(sqlObjects, t.upper) })
		if at < 0 {
			return "", "", ts[1:]
		}
		object, i = ts[at].upper, at+1
	}
	for i < len(ts) && slices.Contains(sqlFillers, ts[i].upper) {
		i++
	}
	if i >= len(ts) {
		return object, "", nil
	}
	return object, ts[i].text, ts[i+1:]
}

func looksLikeColumns(ts []token) bool {
	parts := split(ts)
	good := 0
	for _, p := range parts {
		if len(p) > 1 && slices.Contains(sqlTypes, p[1].upper) {
			good++
		}
	}
	return good > 0 && good*2 >= len(parts)-1
}

// columns reads the columns of a table, which may stand in brackets, and its options.
func (b *builder) columns(st *Node, ts []token) {
	if len(ts) > 0 && ts[0].text == "(" {
		end, depth := 1, 1
		for ; end < len(ts) && depth > 0; end++ {
			switch ts[end].text {
			case "(":
				depth++
			case ")":
				depth--
			}
		}
		b.part(st, "option", ts[end:])
		if ts = ts[1:end]; depth == 0 {
			ts = ts[:len(ts)-1]
		}
	}
	for _, p := range split(ts) {
		if slices.Contains(sqlConstraints, p[0].upper) {
			b.part(st, "constraint", p)
		} else if p[0].text != ")" {
			b.add(st, Node{Kind: Key, Type: "column", Name: p[0].text, Value: join(p[1:]), First: p[0].row, Last: p[len(p)-1].row})
		}
	}
}

func (b *builder) part(st *Node, kind string, ts []token) {
	if len(ts) > 0 {
		b.add(st, Node{Kind: Item, Type: kind, Value: join(ts), First: ts[0].row, Last: ts[len(ts)-1].row})
	}
}
