package outline

import (
	"slices"
	"strings"
)

var sqlVerbs = []string{
	"CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "SELECT", "TRUNCATE", "GRANT", "REVOKE", "WITH", "MERGE", "REPLACE", "RENAME",
	"SET", "USE", "BEGIN", "COMMIT", "ROLLBACK", "COMMENT", "EXEC", "EXECUTE", "CALL", "DECLARE", "GO", "LOCK", "UNLOCK", "ANALYZE", "VACUUM", "COPY", "PRAGMA", "DO",
}

// sql reads statements, split at semicolons.
func (b *builder) sql() {
	toks := b.sqlTokens()
	if !b.whole && len(toks) > 0 && len(b.lines) > 0 && !slices.Contains(sqlVerbs, toks[0].upper) &&
		(strings.HasPrefix(b.lines[0], " ") || strings.HasPrefix(b.lines[0], "\t")) {
		h := strings.ToUpper(b.heading)
		if strings.HasPrefix(h, "CREATE TABLE") || strings.HasPrefix(h, "ALTER TABLE") || strings.HasPrefix(h, "INSERT INTO") {
			head := &builder{root: &Node{}, lines: []string{b.heading}}
			toks = append(head.sqlTokens(), toks...)
		}
	}
	depth, start := 0, 0
	for i, t := range toks {
		switch {
		case t.text == "(":
			depth++
		case t.text == ")":
			depth--
			if depth < 0 {
				depth = 0
			}
		case t.text == ";" && depth <= 0, t.upper == "GO" && i+1 < len(toks) && slices.Contains(sqlVerbs, toks[i+1].upper):
			b.statement(toks[start:i])
			start, depth = i+1, 0
		case depth <= 0 && i > start && toks[i-1].row < t.row && slices.Contains([]string{"CREATE", "ALTER", "DROP", "INSERT", "TRUNCATE"}, t.upper) && toks[start].upper != "CREATE" && toks[start].upper != "ALTER" && toks[start].upper != "GRANT":
			b.statement(toks[start:i]) // the semicolon is missing
			start = i
		}
	}
	b.statement(toks[start:])
}

var sqlObjects = []string{"TABLE", "INDEX", "VIEW", "FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "SEQUENCE", "TYPE", "SCHEMA", "DATABASE", "EXTENSION", "USER", "ROLE", "POLICY", "COLUMN"}

func (b *builder) statement(ts []token) {
	if len(ts) == 0 {
		return
	}
	st := b.add(b.root, Node{Kind: Statement, First: ts[0].row, Last: ts[len(ts)-1].row})
	c := &cursor{ts: ts}
	switch verb := ts[0].upper; verb {
	case "CREATE", "DROP", "ALTER":
		c.i++
		unique := false
		for c.any("OR", "REPLACE", "UNIQUE", "TEMPORARY", "TEMP", "GLOBAL", "LOCAL", "UNLOGGED", "MATERIALIZED", "CLUSTERED", "NONCLUSTERED", "FULLTEXT", "RECURSIVE", "EXTERNAL") {
			unique = unique || ts[c.i-1].upper == "UNIQUE"
		}
		if !slices.Contains(sqlObjects, c.peek().upper) {
			st.Type, st.Value = strings.ToLower(verb), join(c.rest())
			return
		}
		object := c.peek().upper
		c.i++
		if c.skip("CONCURRENTLY") && object != "INDEX" {
			c.i--
		}
		_ = c.skip("IF", "NOT", "EXISTS") || c.skip("IF", "EXISTS")
		_ = c.skip("ONLY")
		st.Type = strings.ToLower(verb + " " + object)
		if object == "INDEX" && c.peek().upper == "ON" {
			st.Name = ""
		} else {
			st.Name = c.name()
		}
		switch st.Type {
		case "create table":
			if c.peek().text == "(" {
				b.columns(st, c.group())
			}
			if rest := join(c.rest()); rest != "" {
				b.add(st, Node{Kind: Clause, Name: "options", Value: rest, First: st.Last, Last: st.Last})
			}
		case "alter table":
			for _, a := range split(c.rest(), ",") {
				b.action(st, a)
			}
		case "create index":
			if c.skip("ON") {
				b.add(st, Node{Kind: Clause, Name: "on", Value: c.name(), First: st.First, Last: st.Last})
				if c.skip("USING") {
					c.i++
				}
				b.add(st, Node{Kind: Clause, Name: "columns", Value: join(c.group()), First: st.First, Last: st.Last})
			}
			if unique {
				b.add(st, Node{Kind: Clause, Name: "unique", First: st.First, Last: st.First})
			}
			if rest := join(c.rest()); rest != "" {
				b.add(st, Node{Kind: Clause, Name: "options", Value: rest, First: st.Last, Last: st.Last})
			}
		case "drop table", "drop view", "drop index":
			for c.skip(",") {
				if n := c.name(); n != "" {
					b.add(st, Node{Kind: Item, Value: n, First: st.First, Last: st.Last})
				}
			}
			if c.skip("ON") {
				b.add(st, Node{Kind: Clause, Name: "on", Value: c.name(), First: st.First, Last: st.Last})
			}
		case "create view":
			_ = c.skip("AS")
			b.clauses(st, c.rest())
		default:
			st.Value = join(c.rest())
		}
	case "INSERT", "REPLACE", "UPDATE", "DELETE", "SELECT", "WITH", "MERGE", "TRUNCATE":
		st.Type = strings.ToLower(verb)
		if verb != "SELECT" && verb != "WITH" {
			c.i++
			for c.any("INTO", "FROM", "IGNORE", "TABLE", "ONLY", "LOW_PRIORITY") {
			}
			st.Name = c.name()
		}
		if g := c.group(); g != nil && verb != "SELECT" {
			b.items(b.add(st, Node{Kind: Clause, Name: "columns", First: st.First, Last: st.First}), g, ",")
		}
		b.clauses(st, c.rest())
		if verb == "SELECT" || verb == "WITH" {
			if f := st.Kid("from"); f != nil && len(f.Kids) > 0 {
				st.Name, _, _ = strings.Cut(f.Kids[0].Value, " ")
			}
		}
	default:
		if slices.Contains(sqlVerbs, verb) {
			st.Type, st.Value = strings.ToLower(verb), join(ts[1:])
			return
		}
		st.Loose = true
		if looksLikeColumns(ts) {
			st.Type = "create table"
			b.columns(st, ts)
			return
		}
		b.clauses(st, ts)
	}
}

var sqlTypes = []string{
	"INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "SERIAL", "BIGSERIAL", "VARCHAR", "NVARCHAR", "CHAR", "NCHAR", "TEXT", "MEDIUMTEXT", "LONGTEXT", "CLOB",
	"BLOB", "BYTEA", "BOOLEAN", "BOOL", "BIT", "DATE", "DATETIME", "DATETIME2", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "NUMERIC", "DECIMAL", "FLOAT", "DOUBLE", "REAL", "UUID",
	"UNIQUEIDENTIFIER", "JSON", "JSONB", "ENUM", "MONEY", "XML", "INET", "CHARACTER", "VARBINARY", "BINARY", "NUMBER", "VARCHAR2", "STRING",
}

func looksLikeColumns(ts []token) bool {
	parts := split(ts, ",")
	good := 0
	for _, p := range parts {
		if len(p) > 1 && slices.Contains(sqlTypes, p[1].upper) {
			good++
		}
	}
	return good > 0 && good*2 >= len(parts)-1
}

// columns reads the columns of CREATE TABLE, in brackets.
func (b *builder) columns(st *Node, ts []token) {
	for _, p := range split(ts, ",") {
		if len(p) == 0 || p[0].text == ")" {
			continue
		}
		switch p[0].upper {
		case "PRIMARY", "FOREIGN", "UNIQUE", "CONSTRAINT", "KEY", "INDEX", "CHECK", "FULLTEXT", "EXCLUDE", "LIKE", "SPATIAL":
			if !p[0].quoted {
				b.add(st, Node{Kind: Clause, Type: "constraint", Name: join(p), First: p[0].row, Last: p[len(p)-1].row})
				continue
			}
		}
		b.column(st, p)
	}
}

// column reads a name, a type and constraints.
func (b *builder) column(parent *Node, p []token) *Node {
	c := &cursor{ts: p}
	n := b.add(parent, Node{Kind: Column, Name: c.name(), First: p[0].row, Last: p[len(p)-1].row})
	start := c.i
	end := func() bool {
		switch c.peek().upper {
		case "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY", "CHECK", "COMMENT", "CONSTRAINT", "COLLATE", "GENERATED", "ON", "AFTER", "FIRST", "USING", "":
			return true
		}
		return false
	}
	for !end() {
		if c.group() == nil {
			c.i++
		}
	}
	n.Type = join(p[start:min(c.i, len(p))])
	if len(n.Type) < 200 {
		n.Type = strings.ToUpper(n.Type)
	}
	for c.i < len(p) {
		first := c.i
		row := p[first].row
		name := ""
		switch {
		case c.skip("NOT", "NULL"):
			name = "NOT NULL"
		case c.skip("PRIMARY", "KEY"):
			name = "PRIMARY KEY"
		default:
			name = c.peek().upper
			c.i++
		}
		from := c.i
		if name == "DEFAULT" && c.skip("NULL") { // not the NULL that a column may be
		} else {
			for !end() || name == "REFERENCES" && c.peek().upper == "ON" || from == c.i && name == "ON" && c.peek().text != "" {
				if c.group() == nil {
					c.i++
				}
				if c.i-from > 200 {
					break
				}
			}
		}
		if c.i == first {
			c.i++
		}
		b.add(n, Node{Kind: Clause, Name: name, Value: join(p[from:min(c.i, len(p))]), First: row, Last: row})
	}
	return n
}

// action reads one action of ALTER TABLE.
func (b *builder) action(st *Node, p []token) {
	if len(p) == 0 {
		return
	}
	c := &cursor{ts: p}
	row, last := p[0].row, p[len(p)-1].row
	add := func(kind, name, value string) *Node {
		return b.add(st, Node{Kind: Clause, Type: kind, Name: name, Value: value, First: row, Last: last})
	}
	switch {
	case c.any("ADD"):
		switch {
		case c.peek().upper == "CONSTRAINT", c.peek().upper == "PRIMARY", c.peek().upper == "FOREIGN", c.peek().upper == "UNIQUE", c.peek().upper == "CHECK":
			add("add constraint", join(c.rest()), "")
		case c.peek().upper == "INDEX", c.peek().upper == "KEY":
			add("add index", join(c.rest()), "")
		default:
			_ = c.skip("COLUMN")
			_ = c.skip("IF", "NOT", "EXISTS")
			rest := c.rest()
			if g := c.group(); g != nil {
				rest = g
			}
			if len(rest) > 0 {
				a := add("add column", rest[0].text, "")
				b.column(a, rest)
			}
		}
	case c.any("DROP"):
		switch {
		case c.any("CONSTRAINT", "INDEX", "KEY", "PRIMARY", "FOREIGN"):
			add("drop "+strings.ToLower(p[c.i-1].text), join(c.rest()), "")
		default:
			_ = c.skip("COLUMN")
			_ = c.skip("IF", "EXISTS")
			add("drop column", c.name(), "")
		}
	case c.any("RENAME"):
		switch {
		case c.skip("TO"):
			add("rename table", c.name(), "")
		default:
			_ = c.skip("COLUMN")
			from := c.name()
			_ = c.skip("TO")
			add("rename column", from, c.name())
		}
	case c.any("ALTER", "MODIFY", "CHANGE"):
		verb := p[0].upper
		_ = c.skip("COLUMN")
		if verb == "CHANGE" {
			from := c.name()
			rest := c.rest()
			if len(rest) > 0 {
				b.column(add("change column", from, ""), rest)
			}
			return
		}
		name := c.name()
		if verb == "MODIFY" {
			if c.i > 0 {
				b.column(add("change column", name, ""), p[c.i-1:])
			}
			return
		}
		switch {
		case c.skip("SET", "NOT", "NULL"):
			add("set not null", name, "")
		case c.skip("DROP", "NOT", "NULL"):
			add("drop not null", name, "")
		case c.skip("SET", "DEFAULT"):
			add("set default", name, join(c.rest()))
		case c.skip("DROP", "DEFAULT"):
			add("drop default", name, "")
		default:
			_ = c.skip("SET", "DATA")
			_ = c.skip("TYPE")
			rest := append([]token{{text: name, upper: strings.ToUpper(name), row: row}}, c.rest()...)
			b.column(add("change column", name, ""), rest)
		}
	default:
		add("other", join(p), "")
	}
}

var sqlClauses = [][]string{
	{"SELECT"}, {"FROM"}, {"LEFT", "OUTER", "JOIN"}, {"LEFT", "JOIN"}, {"RIGHT", "OUTER", "JOIN"}, {"RIGHT", "JOIN"}, {"FULL", "OUTER", "JOIN"}, {"INNER", "JOIN"}, {"CROSS", "JOIN"}, {"JOIN"},
	{"WHERE"}, {"GROUP", "BY"}, {"HAVING"}, {"ORDER", "BY"}, {"LIMIT"}, {"OFFSET"}, {"SET"}, {"VALUES"}, {"RETURNING"}, {"UNION", "ALL"}, {"UNION"}, {"ON", "CONFLICT"}, {"ON", "DUPLICATE", "KEY", "UPDATE"},
}

// clauses cuts a query at the keywords outside its brackets.
func (b *builder) clauses(st *Node, ts []token) {
	c := &cursor{ts: ts}
	name, start, row := "", 0, 0
	flush := func(end int) {
		body := ts[start:end]
		if name == "" && len(body) == 0 {
			return
		}
		if len(body) > 0 && name == "" {
			row = body[0].row
		}
		n := b.add(st, Node{Kind: Clause, Name: name, First: row, Last: row})
		switch name {
		case "select", "from", "group by", "order by", "set", "values", "returning":
			b.items(n, body, ",")
		case "where", "having":
			b.items(n, body, "AND")
		default:
			n.Value = join(body)
			if len(body) > 0 {
				n.Last = body[len(body)-1].row
			}
		}
	}
	depth := 0
	for c.i < len(ts) {
		switch c.peek().text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth > 0 {
			c.i++
			continue
		}
		at := c.i
		found := false
		for _, k := range sqlClauses {
			if c.skip(k...) {
				flush(at)
				name, start, row, found = strings.ToLower(strings.Join(k, " ")), c.i, ts[at].row, true
				break
			}
		}
		if !found {
			c.i++
		}
	}
	flush(len(ts))
}

// items cuts tokens at a sign and adds each part as an item.
func (b *builder) items(n *Node, ts []token, sign string) {
	for _, p := range split(ts, sign) {
		if len(p) > 0 {
			b.add(n, Node{Kind: Item, Value: join(p), First: p[0].row, Last: p[len(p)-1].row})
		}
	}
}
