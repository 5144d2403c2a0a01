package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// Dockerfiles, SQL and build files are read by lines, as people write and review them: a
// hunk may begin within a statement, and the first words of a line tell what it is.

// lineKind is a kind of line: what Type its node gets. The submatches of the line are the
// name and the value. With one submatch, the line is an item with this value.
type lineKind struct {
	kind string
	line *regexp.Regexp
}

// lineKinds are those of each format, the first that fits is taken. Other lines are texts.
var lineKinds = map[Format][]lineKind{
	Requirements: {
		{"dependency", regexp.MustCompile(`^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*((?:[=<>!~]=?|@)[^#;]*)?(?:;.*)?(?:\s#.*)?$`)},
	},
	GoMod: {
		{"indirect dependency", regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)\s*//.*\bindirect\b`)},
		{"", regexp.MustCompile(`^(module|go|toolchain)\s+(.+)$`)},
		{"", regexp.MustCompile(`^((?:replace|exclude|retract)\s+.+?)(?:\s+=>\s+(.+))?$`)},
		{"dependency", regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)`)},
	},
	Gradle: {
		{"dependency", regexp.MustCompile(`^[a-zA-Z]+[\s(]+(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([^"':@]+))?[^"']*["']\)*\s*\{?$`)},
		{"dependency", regexp.MustCompile(`^\w+[\s(]+["']([^"']+)["'],\s*["'](\d[^"']*)["']\)*\s*\{?$`)},
		{"plugin", regexp.MustCompile(`^id[\s(]+["']([\w.-]+)["']\)?(?:\s+version\s+["']([^"']+)["'])?`)},
		{"", regexp.MustCompile(`^(?:(?:def|val|var)\s+)?([\w.]+)\s*=\s*["']?([^"'{}()]+?)["']?$`)},
	},
	Dockerfile: {
		{"base image", regexp.MustCompile(`(?i)^FROM\s+(.*)$`)},
		{"command", regexp.MustCompile(`(?i)^RUN\s+(.*)$`)},
		{"exposed port", regexp.MustCompile(`(?i)^EXPOSE\s+(.*)$`)},
		{"environment variable", regexp.MustCompile(`(?i)^ENV\s+([\w.-]+)(?:\s*=\s*|\s+)(.*)$`)},
		{"build argument", regexp.MustCompile(`(?i)^ARG\s+([\w.-]+)(?:\s*=\s*(.*))?$`)},
		{"label", regexp.MustCompile(`(?i)^LABEL\s+([\w.-]+)(?:\s*=\s*|\s+)(.*)$`)},
		{"instruction", regexp.MustCompile(`(?i)^(CMD|ENTRYPOINT|COPY|ADD|WORKDIR|USER|VOLUME|HEALTHCHECK|SHELL|STOPSIGNAL|ONBUILD)\s+(.*)$`)},
	},
	SQL: {
		{"table", regexp.MustCompile(`(?i)^CREATE\s+(?:\w+\s+){0,2}?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?\W?([\w.]+)[^\w\s(]?\s*\(?(.*)$`)},
		{"statement", regexp.MustCompile(`(?i)^((?:CREATE|ALTER|DROP)\s+(?:\w+\s+){0,3}?` +
			`(?:TABLE|INDEX|VIEW|FUNCTION|PROCEDURE|TRIGGER|SEQUENCE|TYPE|SCHEMA|DATABASE|EXTENSION|USER|ROLE|POLICY)\s+` +
			`(?:(?:IF|NOT|EXISTS|ONLY|CONCURRENTLY)\s+)*[^\s(;,]+|` +
			`(?:INSERT(?:\s+IGNORE)?\s+INTO|(?:REPLACE|MERGE)\s+INTO|DELETE\s+FROM|UPDATE|TRUNCATE(?:\s+TABLE)?)\s+[^\s(;]+|` +
			`(?:SELECT|WITH|GRANT|REVOKE|SET|USE|CALL|EXEC|BEGIN|COMMIT|ROLLBACK|COMMENT|DECLARE|COPY|DO|END)\b)(.*)$`)},
		{"column", regexp.MustCompile(`(?i)^\W?(\w+)\W?\s+((?:\w*INT|N?VARCHAR2?|CHAR|\w*TEXT|BLOB|BOOL(?:EAN)?|DATE(?:TIME)?|TIME(?:STAMP(?:TZ)?)?|` +
			`NUMERIC|DECIMAL|FLOAT|DOUBLE|REAL|UUID|JSONB?|INTEGER|\w*SERIAL|BIT)\b.*)$`)},
	},
}

// lineNode returns the node of a line.
func (b *builder) lineNode(text string, row int) Node {
	for _, l := range lineKinds[b.format] {
		switch m := l.line.FindStringSubmatch(text); {
		case len(m) == 2:
			return Node{Kind: Item, Type: l.kind, Value: m[1], First: row}
		case m != nil && l.kind == "instruction":
			return Node{Kind: Item, Type: "`" + strings.ToUpper(m[1]) + "` instruction", Value: m[2], First: row}
		case m != nil:
			return Node{Kind: Key, Type: l.kind, Name: strings.Join(strings.Fields(m[1]), " "), Value: unquote(m[2]), First: row}
		}
	}
	return Node{Kind: Text, Value: text, First: row}
}

// byLines reads a format whose lines stand for themselves.
func (b *builder) byLines() {
	for row, line := range b.lines {
		switch text := strings.TrimSpace(line); {
		case text == "", b.format == GoMod && (text == ")" || strings.HasSuffix(text, "(")):
		case text[0] == '#', strings.HasPrefix(text, "//"):
			b.comment(b.root, row, text)
		case b.format == Dockerfile:
			b.add(b.root, b.lineNode(strings.Trim(text, " \t\\&"), row))
		default:
			b.add(b.root, b.lineNode(text, row))
		}
	}
}

// sql reads statements, each with its lines, which are columns or clauses.
func (b *builder) sql() {
	st := b.root // the statement that the next line goes on with
	if n := b.lineNode(b.heading, 0); n.Type == "table" && !b.whole && strings.HasPrefix(b.lines[0], " ") {
		n.Loose, n.Value = true, ""
		st = b.add(b.root, n)
	}
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		if slices.ContainsFunc([]string{"--", "#", "/*", "* "}, func(mark string) bool { return strings.HasPrefix(text, mark) }) {
			b.comment(b.root, row, text)
			continue
		}
		text, _, _ = strings.Cut(text, " --")
		said := strings.TrimLeft(strings.TrimRight(text, "; ,"), ") ")
		n := b.lineNode(said, row)
		// Where the semicolon before it is missing, only a line at the margin that names
		// an object begins a statement.
		if n.Type == "table" || n.Type == "statement" && (st == b.root || strings.Contains(n.Name, " ") && strings.HasPrefix(line, text)) {
			said, n.Value, n.First = strings.TrimSpace(n.Value), "", row
			st, n = b.add(b.root, n), Node{}
		}
		if strings.Count(said, ")") > strings.Count(said, "(") {
			said = strings.TrimSuffix(said, ")") // of what a line before it opened
		}
		if n.Type != "column" || st != b.root && st.Type != "table" {
			n = Node{Kind: Item, Type: "clause", Value: said, First: row}
		}
		if n.Loose = st == b.root; strings.Trim(said, "() ") != "" {
			b.add(st, n)
		}
		if st.Last = max(st.Last, row); strings.HasSuffix(text, ";") {
			st = b.root
		}
	}
}
