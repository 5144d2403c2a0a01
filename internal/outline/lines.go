package outline

import (
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
	GoMod: { // what a dependency of ours needs is marked, and so told as indirect
		{"indirect dependency", regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)\s*//.*\bindirect\b`)},
		{"", regexp.MustCompile(`^(module|go|toolchain)\s+(.+)$`)},
		{"dependency", regexp.MustCompile(`^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v\d\S*)`)},
	},
	Gradle: { // implementation("group:name:1.0"), id("plugin") version "1.0", x = "1.0"
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
	SQL: { // the column of a table is known by its type
		{"table", regexp.MustCompile(`(?i)^CREATE\s+(?:\w+\s+){0,2}?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?\W?([\w.]+).*()$`)},
		{"statement", regexp.MustCompile(`(?i)^((?:CREATE|ALTER|DROP|INSERT|REPLACE|MERGE|DELETE|UPDATE|` +
			`TRUNCATE|SELECT|GRANT|REVOKE|SET|USE|CALL|EXEC)\b.*)$`)},
		{"column", regexp.MustCompile(`(?i)^\W?(\w+)\W?\s+((?:\w*INT|INTEGER|\w*CHAR2?|\w*TEXT|\w*LOB|BOOL(?:EAN)?|` +
			`DATE(?:TIME)?|TIME(?:STAMP(?:TZ)?)?|BIT|NUMERIC|DECIMAL|FLOAT|DOUBLE|REAL|UUID|JSONB?|\w*SERIAL)(?:\s*\([^()]*\))?` +
			`(?:\s+(?:NOT|NULL|DEFAULT|PRIMARY|UNIQUE|REFERENCES|CHECK|UNSIGNED|AUTO_INCREMENT|COLLATE|COMMENT|WITH).*?)?),?$`)},
	},
}

// lineComment fits the lines of comments, also those within one.
var lineComment = regexp.MustCompile(`^(?:#|//|/\*|\* |\*/)`)

// lineNode returns the node of a line.
func (b *builder) lineNode(text string, row int) Node {
	for _, l := range lineKinds[b.Format] {
		switch m := l.line.FindStringSubmatch(text); {
		case len(m) == 2:
			return Node{Kind: Item, Type: l.kind, Value: m[1], First: row}
		case m != nil && l.kind == "instruction": // the claim says which: "the `COPY` instruction"
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
		text := strings.TrimSpace(line)
		switch {
		case lineComment.MatchString(text), b.Format == SQL && strings.HasPrefix(text, "--"): // pip has options with "--"
			b.comment(b.root, row, text)
			continue
		case b.Format == Dockerfile: // a command may go on over lines: RUN a && \
			text = strings.Trim(text, " \t\\&")
		case b.Format == SQL:
			text, _, _ = strings.Cut(text, " --")
			text = strings.TrimRight(text, "; ")
		}
		if text != "" && text != ")" && (b.Format != GoMod || !strings.HasSuffix(text, "(")) {
			b.add(b.root, b.lineNode(text, row))
		}
	}
}
