package smells

import (
	"bytes"
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Statements of SQL that contain values as text. A statement is read from its literals,
// with a hole for each inserted value. The place and the content of each hole decide.

// sqlStart matches the beginning of a statement of SQL. Every statement matches sqlRest.
var (
	sqlStart = regexp.MustCompile(`^(?i:select|insert\s+(?:ignore\s+)?into|replace\s+into|update|delete\s+from|from\s+[\w.]+\s+(?:(?:as\s+)?\w+\s+)?where|(?:where|and|or)\b)`)
	sqlRest  = regexp.MustCompile(`(?is)^(?:select\s.*\s(?:from|FROM)\s|insert\s.*\b(?:values|select|set)\b|replace\s.*\bvalues\b|update\s+\S+\s+(?:(?:as\s+)?\w+\s+)?set\s|delete\s|from\s)`)
	// sqlProse is a sentence that begins like a statement.
	sqlProse = regexp.MustCompile(`^(?:Select\s[^;]*?\s(?:from|by)\s|Insert\s+into|Update\s+\S+\s+set|Delete\s+from|Replace\s+into|From\s)`)
	// sqlGrown matches a variable or call that a part of a statement is added to or handed
	// to.
	sqlGrown = regexp.MustCompile(`(?i)(?:sql|query|stmt|statement|where|\bq|cmd|hql|jpql)\w*(?:\[\])?\s*(?:\+=|\.=|<<)\s*$`)
	// sqlCondition matches the text before a condition that goes into a statement
	// unchanged.
	sqlCondition = regexp.MustCompile(`(?:\.|->)(?:where|where_not|having|(?:or|and)?(?:where|having)_?[Rr]aw)\s*\(?\s*$`)
)

// sqlMaker matches the text before the first argument of a function that fills in values.
var sqlMaker = regexp.MustCompile(`(?:Sprintf|[Ss]tring\.[Ff]ormat|\b(?:[vs]n?|a|va|g_strdup_|php_|mysql_)s?n?printf|AppendFormat|util\.format|fmt::format|std::format|absl::StrFormat|\bformat!?|\bsqlite3_[vs]?n?m?printf|\bPQExpBuffer)\s*\((?:[^()"']|sizeof\s*\(?[\w.>-]*\)?|\w+\(\))*$`)

// sqlShown matches the text before a text that is shown or logged.
var sqlShown = regexp.MustCompile(`(?i)(?:\blog(?:ger|ging)?(?:\.\w+)?|\bf?print(?:f|ln)?|\bwarn(?:ing)?|\bdebug|\binfo|\berror|\btrace|\bassert\w*|\w+Exception|\w+Error|\b_|\bgettext|\btr)\s*\(\s*$|\b(?:f?write\w*|fputs)\s*\([^("']*$|\b(?:echo|puts|print)\s+$`)

// maxSQL is the number of bytes of a statement that are looked at.
const maxSQL = 4000

// hole is the mark of a value in a text of SQL.
const hole = "\x00"

// sqlText is a statement with its holes, and the value of each hole.
type sqlText struct {
	text  strings.Builder
	fills []string
}

func (s *sqlText) hole(fill string) {
	s.text.WriteString(hole)
	s.fills = append(s.fills, strings.TrimSpace(fill))
}

func sqlConcatenation(v *visitor, n *syntax.Node) {
	start, end := int(n.StartByte()), int(n.EndByte())
	if end-start > maxSQL || end-start < 7 {
		return
	}
	head := v.f.Source[start:min(end, start+maxShort)]
	switch v.kind(n).name {
	case "heredoc_body":
	case "heredoc":
		_, head, _ = bytes.Cut(head, []byte("\n"))
	default:
		i := bytes.IndexAny(head[:min(len(head), 6)], "\"'`")
		if i < 0 {
			return
		}
		head = head[i:]
	}
	head = bytes.TrimLeft(head, "\"'`( \t\r\n\\")
	if len(head) < 2 {
		return
	}
	part := sqlCondition.Match(v.f.Source[max(0, start-maxQuoted):start])
	if !part {
		if bytes.IndexByte([]byte("sSiIuUdDrRfFwWaAoO"), head[0]) < 0 {
			return
		}
		begin := sqlStart.Find(head)
		if begin == nil {
			return
		}
		part = bytes.IndexByte([]byte("wWaAoO"), begin[0]) >= 0
	}
	top, up := n, 1
	for ; up < maxLevels; up++ {
		s := v.around(up)
		k := s.kind
		if k.name == "concatenated_string" || k.role == syntax.Parens || k.role == syntax.Binary && (v.joins(v.operator(s.node)) || v.operator(s.node) == "%") {
			if s.node.EndByte()-s.node.StartByte() > maxSQL {
				return
			}
			top = s.node
			continue
		}
		if s = v.around(up + 1); s.kind.role == syntax.Call && textMaker.MatchString(v.text(s.node)) {
			top = s.node
			up++
			continue
		}
		break
	}
	before := v.f.Source[max(0, int(top.StartByte())-2*maxShort):start]
	line := before[bytes.LastIndexByte(bytes.TrimRight(before, " \t\r\n"), '\n')+1:]
	if part && !sqlGrown.Match(line) && !sqlCondition.Match(line) || sqlShown.Match(line) {
		return
	}
	var s sqlText
	form, args := v.sqlArgs(n, top, up, line)
	v.sqlParts(top, n, &s, form, args, 0)
	sql := strings.TrimLeft(s.text.String(), "( \t\r\n")
	if !part && (!sqlRest.MatchString(strings.ReplaceAll(sql, hole, "x")) || sqlProse.MatchString(sql)) {
		return
	}
	if len(s.fills) > 0 && !sqlCatalog.MatchString(sql) && v.sqlOpen(sql, s.fills, start) && !v.alreadyAt(n) && !v.isTest() {
		v.say(top, "", nil)
	}
}

// textMaker makes a text that can grow out of a literal.
var textMaker = regexp.MustCompile(`(?s)^(?:".*"\.(?:to_string|to_owned|into)\(\)|(?:String::from|(?:std::)?string|QString(?:Literal)?)\(".*"\))$`)

// joins reports whether an operator joins texts.
func (v *visitor) joins(op string) bool {
	return op == "+" || op == "." && v.lang == lang.PHP || op == "<<" && v.lang == lang.Cpp
}

// operator returns the operator of an expression with two sides.
func (v *visitor) operator(n *syntax.Node) string {
	for _, c := range v.children(n) {
		if !c.kind.named {
			return c.kind.name
		}
	}
	return ""
}

// The ways in which a function or operator fills a text.
const (
	byNothing = iota
	byPercent
	byBraces
)

// sqlArgs returns how the text of top is filled, and the values that fill it. up is the
// level around it, line the text before it.
func (v *visitor) sqlArgs(n, top *syntax.Node, up int, line []byte) (form int, args []string) {
	s := v.around(up)
	switch {
	case v.role(top) == syntax.Binary && v.operator(top) == "%":
		if p := v.parts(top); len(p) == 2 {
			t := strings.TrimSpace(v.f.Text(p[1].Node))
			if r := p[1].kind.role; (r == syntax.Parens || r == syntax.Collection) && len(t) > 1 {
				t = t[1 : len(t)-1]
			}
			return byPercent, splitArgs(t)
		}
	case s.kind.role == syntax.Member && v.around(up+1).kind.role == syntax.Call || s.kind.role == syntax.Call && s.node.EndByte()-top.EndByte() < maxSQL:
		call := s.node
		if s.kind.role == syntax.Member {
			call = v.around(up + 1).node
		}
		name, rest, ok := strings.Cut(string(v.f.Source[top.EndByte():min(call.EndByte(), top.EndByte()+maxSQL)]), "(")
		switch name = strings.TrimSpace(name); {
		case !ok:
		case name == ".format" && v.lang == lang.Python:
			return byBraces, splitArgs(strings.TrimSuffix(strings.TrimSpace(rest), ")"))
		case name == ".formatted":
			return byPercent, splitArgs(strings.TrimSuffix(strings.TrimSpace(rest), ")"))
		}
	}
	if (s.kind.role == syntax.Arguments || s.kind.name == "argument" || s.kind.name == "token_tree") && sqlMaker.Match(line) {
		if s.kind.name == "argument" {
			s = v.around(up + 1)
		}
		rest := string(v.f.Source[top.EndByte():min(s.node.EndByte(), top.EndByte()+maxSQL)])
		args = splitArgs(strings.TrimPrefix(strings.TrimSpace(strings.TrimRight(rest, ")]} \n\t")), ","))
		if v.lang == lang.Rust || v.lang == lang.CSharp || bytes.Contains(line, []byte("::format")) {
			return byBraces, args
		}
		return byPercent, args
	}
	return byNothing, nil
}

// splitArgs splits a list at its commas, not at those inside of brackets or
// strings.
func splitArgs(t string) []string {
	var out []string
	depth, from := 0, 0
	var quote byte
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(t[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(t[from:]))
}

// sqlParts writes the parts of a statement from its first one on.
func (v *visitor) sqlParts(n, first *syntax.Node, s *sqlText, form int, args []string, depth int) {
	k := v.kind(n)
	switch {
	case depth > 60 || n.EndByte() <= first.StartByte():
	case k.role == syntax.Binary && v.operator(n) == "%":
		if p := v.parts(n); len(p) > 0 {
			v.sqlParts(p[0].Node, first, s, form, args, depth+1)
		}
	case k.role == syntax.Binary && v.joins(v.operator(n)), k.role == syntax.Parens, k.name == "concatenated_string":
		for _, c := range v.parts(n) {
			v.sqlParts(c.Node, first, s, form, args, depth+1)
		}
	case k.role == syntax.String:
		v.sqlLiteral(n, s, form, args)
	case k.role == syntax.Number:
		s.text.WriteString("0")
	case n.StartByte() <= first.StartByte() && n.EndByte() >= first.EndByte() && n.EndByte()-n.StartByte() <= maxShort:
		for _, c := range v.parts(n) {
			if c.StartByte() <= first.StartByte() && c.EndByte() >= first.EndByte() {
				v.sqlParts(c.Node, first, s, form, args, depth+1)
			}
		}
	default:
		s.hole(v.f.Text(n))
	}
}

var (
	percentVerb = regexp.MustCompile(`%(?:%|(?:(\d+)\$|\((\w+)\))?[-+ #0]*(?:\d+|\*)?(?:\.(\d+|\*))?(?:l|ll|z|h)?([a-zA-Z@]))`)
	braceVerb   = regexp.MustCompile(`\{(\w*)(?:[:!][^{}]*)?\}`)
	phpVariable = regexp.MustCompile(`^\$\w+(?:->\w+|\[[^\]]*\])?`)
)

// sqlLiteral writes a string, with a hole for each value that the language or a
// function puts into it.
func (v *visitor) sqlLiteral(n *syntax.Node, s *sqlText, form int, args []string) {
	text := v.f.Text(n)
	prefix, quote := "", byte('"')
	switch v.kind(n).name {
	case "heredoc_body":
	case "heredoc":
		prefix, text, _ = strings.Cut(text, "\n")
	default:
		if i := strings.IndexAny(text, "\"'`"); i >= 0 {
			prefix, quote, text = text[:i], text[i], text[i:]
			text = strings.Trim(text, text[:1])
		}
	}
	text = strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\n`, " ", `\t`, " ", "\\\n", " ").Replace(text)
	open := ""
	switch {
	case form != byNothing:
		v.sqlFilled(text, s, form, args)
		return
	case v.kind(n).name == "template_string":
		if v.around(1).kind.role != syntax.Call { // a tag sees to it
			open = "${"
		}
	case v.lang == lang.Python && strings.ContainsAny(prefix, "fF"), v.lang == lang.CSharp && strings.Contains(prefix, "$"):
		open = "{"
	case v.lang == lang.Ruby && quote != '\'':
		open = "#{"
	case v.lang == lang.PHP && quote != '\'' && !strings.Contains(prefix, "'"):
		open = "$"
	}
	for open != "" {
		i := strings.Index(text, open)
		if i < 0 {
			break
		}
		if open == "$" {
			if m := phpVariable.FindString(text[i:]); m != "" {
				braced := i > 0 && text[i-1] == '{'
				s.text.WriteString(strings.TrimSuffix(text[:i], "{"))
				text = text[i:]
				if end := strings.IndexByte(text, '}'); braced && end > 0 {
					m = text[:end]
					text = text[end+1:]
				} else {
					text = text[len(m):]
				}
				s.hole(m)
				continue
			}
			s.text.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		if open == "{" && strings.HasPrefix(text[i:], "{{") {
			s.text.WriteString(text[:i+1])
			text = text[i+2:]
			continue
		}
		s.text.WriteString(text[:i])
		text = text[i+len(open):]
		depth, at := 1, 0
		for ; at < len(text) && depth > 0; at++ {
			switch text[at] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		s.hole(strings.TrimSuffix(text[:at], "}"))
		text = text[at:]
	}
	s.text.WriteString(text)
}

// sqlFilled writes a text that a function fills.
func (v *visitor) sqlFilled(text string, s *sqlText, form int, args []string) {
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	verb := percentVerb
	if form == byBraces {
		verb = braceVerb
	}
	at, next := 0, strings.Count(s.text.String(), "\x01")+len(s.fills)
	for _, m := range verb.FindAllStringSubmatchIndex(text, -1) {
		s.text.WriteString(text[at:m[0]])
		at = m[1]
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		if form == byBraces {
			switch name := group(1); {
			case name == "":
				s.hole(arg(next))
				next++
			case name[0] >= '0' && name[0] <= '9':
				s.hole(arg(int(name[0] - '0')))
			default:
				fill := name
				for _, a := range args {
					if key, value, ok := strings.Cut(a, "="); ok && strings.TrimSpace(key) == name {
						fill = value
					}
				}
				s.hole(fill)
			}
			continue
		}
		if text[m[0]:m[1]] == "%%" {
			s.text.WriteString("%")
			continue
		}
		if strings.Contains(text[m[0]:m[1]], "*") {
			next++
		}
		switch {
		case !strings.Contains("sv@qS", group(4)):
			s.text.WriteString("\x01") // a number, say
		case group(1) != "":
			s.hole(arg(int(group(1)[0]-'0') - 1))
			next--
		case group(2) != "":
			s.hole(group(2))
		default:
			s.hole(arg(next))
		}
		next++
	}
	s.text.WriteString(text[at:])
}

// valuesWord matches the text before a list of values.
var valuesWord = regexp.MustCompile(`(?i)\bvalues\s*$`)

// sqlCatalog matches a table that describes the tables. Queries of it have names as values.
var sqlCatalog = regexp.MustCompile(`(?i)information_schema|\bpg_\w+|sqlite_\w+|\bsys\.|\bsyscat|\b(?:user|all)_(?:tables|triggers|constraints|sequences|indexes|tab_columns)\b|\bmysql\.|rdb\$|\b(?:set|next|curr)val\(`)

// sqlBefore matches the text before a value: an operator, or a word.
var sqlBefore = regexp.MustCompile(`(?i)(?:[=<>]|\b(?:like|ilike|rlike|regexp|between))\s*$`)

// sqlOpen reports whether something that input may change fills a hole for a value.
func (v *visitor) sqlOpen(sql string, fills []string, at int) bool {
	var quote byte
	value := false             // the string in quotes is a value
	var lists []bool           // of the open parentheses, which hold values
	opened, values := 0, false // behind "values"
	for i, k := 0, 0; i < len(sql); i++ {
		switch c := sql[i]; {
		case c == 0:
			fill, next := fills[k], byte(0)
			k++
			if i+1 < len(sql) {
				next = sql[i+1]
			}
			is := value
			if quote == 0 {
				is = sqlBefore.MatchString(sql[opened:i]) || len(lists) > 0 && lists[len(lists)-1] && strings.HasSuffix(strings.TrimRight(sql[max(0, i-9):i], " \t\n"), ",")
				is = is || len(lists) > 0 && lists[len(lists)-1] && strings.HasSuffix(strings.TrimRight(sql[max(0, i-9):i], " \t\n"), "(")
				if next == '.' || next == '(' || next == '_' || next == '`' || next == '+' || next|0x20 >= 'a' && next|0x20 <= 'z' {
					is = false // a name
				}
			}
			if is && !(quote == 0 && slices.Contains(fills[:k-1], fill)) && !v.harmlessFill(fill, quote != 0, at) {
				return true
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
			before := strings.TrimRight(sql[max(0, i-40):i], " \t\r\n%")
			last := before[max(0, len(before)-1):]
			switch {
			case c == '`':
				value = false
			case c == '\'' && (last == "(" || last == "," || last == "|" || last == "+"):
				value = true
			default:
				value = sqlBefore.MatchString(before) || len(lists) > 0 && lists[len(lists)-1]
			}
		case c == '(':
			values = values || valuesWord.MatchString(sql[max(0, i-12):i])
			lists = append(lists, values && len(lists) == 0)
		case c == ')':
			if len(lists) > 0 {
				lists = lists[:len(lists)-1]
			}
		}
		if quote == 0 && sql[i] == ' ' && i-opened > 40 {
			opened = i - 20
		}
	}
	return false
}

var (
	// harmless matches values that no input can change: escaped values, numbers, and marks
	// for parameters.
	harmless = regexp.MustCompile(`(?i)placeholder|question|q_?marks?\b|params?$|param_?(?:names|list)|bind|->param\(|quot(?:e|ing)|q_?str|dbstr|escap|__\(|get_?value_?or_?param|\besc|sanit|clean\w*\(|filter_(?:var|input)|literal|repr\(|adapt|mogrify|format(?:ted)?_?\w*\(|addslashes|encode|\bint\(|\((?:int|integer|long|float|double|bool)\)|\.to_[if]\b|to_?int|parse_?(?:int|float|long|double)|integer|\bnumber\(|\blong\.|decimal|intval|absint|floatval|\bfloat\(|\blen\(|\bcount\(|sizeof|strlen|\.(?:length|size|count|ordinal)\(\)|get_?id\(|\b(?-i:\$?(?:min|max|num)[_A-Z])|(?:count|size|total|offset|limit|stamp|time|now|days|hours|minutes|seconds|clock|\boid)s?$|\.length\b|time(?:stamp)?\(|\bnow\(|\bdate\(|uniqid|md5|sha1|hex|hash|uuid|bool|condition|in_?clause|_in\(|db_?condition|get_?class|::class|\.class\b|__class__|typeid|getmypid|random|\brand\b`)
	// constantFill is a constant, a literal, or a choice between literals.
	constantFill = regexp.MustCompile(`^(?:[rbu]?'[^']*'|[rbu]?"[^"$#]*"|-?[\d.]+[lLfF]?|(?i:true|false|null|none)|(?:[\w$\\]+(?:\.|::|->))*\$?[A-Z][A-Z0-9_]*)$|\?\s*(?:'[^']*'|"[^"]*"|-?\d+)\s*:\s*(?:'[^']*'|"[^"]*"|-?\d+)\s*\)*$|^(?:'[^']*'|"[^"]*")\s+if\s.*\selse\s+(?:'[^']*'|"[^"]*")$`)
	// nameFill is the name of a table or column.
	nameFill = regexp.MustCompile(`(?i)(?:table|tbl|column|\bcol|_col|(?-i:[a-z]Col)|field|prefix|schema|database|db_?name|\bdb|catalog|sequence|\bseq|index)(?:_?names?)?s?(?:\(\))?[\])"']*$`)
	// partFill is a part of a statement.
	partFill   = regexp.MustCompile(`(?i)(?:where|sql|query|cond(?:ition)?|filter|clause|criteria|order(?:_?by)?|sort|dir(?:ection)?|limit|offset|join|select|expr(?:ession)?|statement|stmt|predicate|pattern|operator|\bop|values?_?list|\bvalues|vals|func(?:tion)?|marks|slots|holders|default)s?(?:\(.*\))?[\])"']*$|\bjoin\(|implode\(|\.map\(`)
	simpleName = regexp.MustCompile(`^[$&*]*[A-Za-z_]\w*$`)
)

// harmlessFill reports whether the value of a hole is no text that input may change. quoted
// says that the hole is between quotes.
func (v *visitor) harmlessFill(fill string, quoted bool, at int) bool {
	fill = strings.TrimSpace(fill)
	for strings.HasPrefix(fill, "(") && strings.HasSuffix(fill, ")") {
		fill = strings.TrimSpace(fill[1 : len(fill)-1])
	}
	if rest, ok := strings.CutPrefix(fill, "str("); ok {
		fill = strings.TrimSuffix(rest, ")")
	}
	if len(fill) > 2*maxShort || constantFill.MatchString(fill) || harmless.MatchString(fill) || nameFill.MatchString(fill) || !quoted && partFill.MatchString(fill) {
		return true
	}
	if base, _, ok := strings.Cut(fill, "["); ok && simpleName.MatchString(base) {
		fill = base
	}
	return simpleName.MatchString(fill) && v.harmlessName(strings.TrimLeft(fill, "&*"), quoted, at)
}

var (
	numberBefore = regexp.MustCompile(`\b(?:int|long|short|byte|float|double|unsigned|size_t|[ui]nt\d*(?:_t)?|Integer|Long|Int32|Int64|decimal|bool|boolean|Guid|UUID|in\s+range\(.*)\s+[&*]?$`)
	numberBehind = regexp.MustCompile(`^(?:\s*:\s*(?:number|int|float|bool|[iu](?:8|16|32|64|size)|Uuid)\b|\s+u?int(?:\d+)?\b|(?:\s*,\s*\w+)*\s+in\s+(?:range|enumerate)\(|\s*:?=\s*\d+\s*;.*(?:\+\+|\+=))`)
	givenBehind  = regexp.MustCompile(`^\s*(?::\s*\w+\s*|string\s*)?:?=([^=~>][^\n]*)`)
	harmlessSide = regexp.MustCompile(`["'](?:\?|%s|:\w*|\$)["']|^\s*(?:[rbu]?'[^']*'|[rbu]?"[^"$#{]*"|-?[\d.]+)\s*[;,)]?\s*(?:(?:#|//).*)?$`)
)

// maxBack is how many bytes are looked back at for where a name comes from.
const maxBack = 8000

// harmlessName reports whether a variable was last set to something harmless, or is
// declared as a number.
func (v *visitor) harmlessName(name string, quoted bool, at int) bool {
	src := v.f.Source[max(0, at-maxBack):at]
	for i := bytes.LastIndex(src, []byte(name)); i >= 0; i = bytes.LastIndex(src[:i], []byte(name)) {
		if i > 0 && (src[i-1] == '_' || src[i-1] == '.' || src[i-1] == '>' || src[i-1] == '$' || wordEnd(src[i-1:i]) > 0) {
			continue
		}
		rest := src[i+len(name) : min(len(src), i+len(name)+maxShort)]
		if wordEnd(rest) > 0 {
			continue
		}
		line := src[max(0, i-maxQuoted):i]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		if numberBefore.Match(line) || numberBehind.Match(rest) {
			return true
		}
		if m := givenBehind.FindSubmatch(rest); m != nil {
			side := string(m[1])
			return harmless.MatchString(side) || harmlessSide.MatchString(side) || constantFill.MatchString(strings.Trim(side, " ;"))
		}
	}
	return false
}
