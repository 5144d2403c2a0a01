package smells

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Numbers that nobody explains.

// knownNumbers need no name: small numbers, units of time, parts of a circle, and round
// numbers. Powers of two, and numbers smaller by one, are left out too.
var knownNumbers = map[float64]bool{0: true, 0.25: true, 0.5: true, 1: true, 1.5: true, 2: true, 10: true, 12: true, 24: true, 45: true, 59: true, 60: true, 90: true, 100: true,
	135: true, 180: true, 225: true, 315: true, 270: true, 360: true, 365: true, 1000: true, 1900: true, 1970: true, 2000: true, 3600: true}

// waits are functions whose number is a time or a bound that somebody chose.
var waits = kinds("sleep", "usleep", "msleep", "nanosleep", "settimeout", "setinterval", "delay", "wait", "debounce", "throttle", "postdelayed",
	"sleep_for", "nextint", "randint")

// countNames match names of numbers of things: a small number is as clear as a name.
// codeNames match names of standard codes and of dates and times.
var (
	countNames = regexp.MustCompile(`(?i)len|size|count|major|minor|arity|argc|num_?args|hash|dim|rank|digit|char|dtype|bits|level`)
	codeNames  = regexp.MustCompile(`(?i)status|code|http|response|reply|\bres\b|year|month|day|hour|minute|second|port\b`)
)

// numbered reports whether a number is a standard number: a status of HTTP, a year, a day,
// an hour.
func numbered(text string, value float64) bool {
	return codeNames.MatchString(text) && (value <= 31 || value == 59 || value == 366 || value >= 100 && value <= 600 || strings.Contains(text, "port") || value > 1900 && value < 2100) &&
		!(value < 100 && strings.Contains(strings.ToLower(text), "status"))
}

// selfExplaining are functions that need the numbers for their purpose.
var selfExplaining = regexp.MustCompile(`(?i)hash|test|spec|should|equals|luhn|crc|checksum|color|colour|rgb|celsius|fahrenheit|easing|ease|gamma|random|matrix|convert|easter|julian|moon`)

func magicNumber(v *visitor, n *syntax.Node) {
	text := v.f.Source[n.StartByte():n.EndByte()]
	if len(text) < 2 && (len(text) == 0 || text[0] < '3') || len(text) > 20 { // most of them
		return
	}
	value, ok := plainNumber(text)
	if !ok || knownNumbers[value] || powerOfTwo(value) || powerOfTwo(value+1) {
		return
	}
	// What the number is part of: signs and parentheses are as good as nothing.
	up := 1
	for v.around(up).kind.role.Is(syntax.Parens, syntax.Unary, syntax.Cast) || v.around(up).kind.name == "argument" {
		up++
	}
	s := v.around(up)
	switch s.kind.role {
	case syntax.Binary:
		if !v.numberMatters(s.node, value) {
			return
		}
	case syntax.AugAssign, syntax.Assign: // which += is in C
		if _, op := v.operands(s.node); value < 10 || tenfold(value) || len(op) != 2 || !strings.ContainsAny(op, "+-*/%") {
			return
		}
		up++
	case syntax.Arguments:
		call := v.around(up + 1)
		if value < 1 || call.kind.role != syntax.Call || !waits[lastWord(v.callee(call.node))] {
			return
		}
	default:
		return
	}
	if bytes.ContainsAny(text, "eE") || precise(text) || v.explained(up) || v.remarked(n) || v.isTest() || v.isSeries(n) || v.isNumeric() {
		return
	}
	in := ""
	if f := v.around(0).function; f != "" {
		if selfExplaining.MatchString(f) {
			return
		}
		if f = f[strings.LastIndexByte(f, '.')+1:]; len(f) <= quotedBytes {
			in = "in `" + f + "`"
		}
	}
	// Report one number of a line, because the others belong to the same formula. Report
	// one of two equal numbers.
	put := fill{"number": string(text), "in-function": in}
	what := v.sentence("", put)
	first, _ := v.f.Lines(n)
	for i := len(v.found) - 1; i >= max(0, len(v.found)-8); i-- {
		if f := &v.found[i]; f.rule == v.rule && (f.first == first || f.text == what) {
			return
		}
	}
	v.say(n, "", put)
}

// plainNumber reads a decimal number. A number in another base is a mask or a code, which a
// name would not explain better.
func plainNumber(text []byte) (float64, bool) {
	t := strings.TrimRight(strings.ReplaceAll(string(text), "_", ""), "lLfFdDmMuUn")
	if len(t) > 1 && t[0] == '0' && t[1] != '.' {
		return 0, false
	}
	value, err := strconv.ParseFloat(t, 64)
	return value, err == nil
}

func powerOfTwo(f float64) bool {
	if f >= 1<<31 && math.Exp2(math.Round(math.Log2(f))) == f {
		return true
	}
	n := int64(f)
	return f == float64(n) && n > 0 && n&(n-1) == 0
}

// lastWord returns the last part of a dotted name in small letters.
func lastWord(name string) string {
	return strings.ToLower(name[strings.LastIndexAny(name, ".:>")+1:])
}

// counted matches code that gives the number of things beside it.
var counted = regexp.MustCompile(`(?i)scanf|^(?:items|nargs|args|argv|argn)$|\bver_?(?:info)?\b|sys\.|preg_match|\bord\(|\bie\b|browser|chrome|firefox|charCodeAt|codePointAt|family`)

// numberMatters reports whether a number in a comparison or an arithmetic
// expression needs a name.
func (v *visitor) numberMatters(n *syntax.Node, value float64) bool {
	sides, operator := v.operands(n)
	if len(sides) != 2 {
		return false
	}
	other := sides[0]
	if other.kind.role == syntax.Number || other.kind.role == syntax.Unary || other.kind.role == syntax.Parens && v.role(v.bare(other.Node)) == syntax.Number {
		other = sides[1]
	}
	text := v.text(other.Node)
	if other.kind.role.Is(syntax.String, syntax.Collection, syntax.Number) || text == "" || strings.Contains(strings.ToLower(text), "version") || counted.MatchString(text) {
		return false
	}
	switch operator {
	case "*", "/":
		if value < 10 && value == float64(int64(value)) || tenfold(value) {
			return false // a unit, or a share
		}
		return v.lang != lang.Go || !strings.HasPrefix(text, "time.")
	case "+", "-", "%", "//":
		return value >= 10 && !tenfold(value)
	case "<", ">", "<=", ">=", "==", "!=", "===", "!==":
		return (value >= 3 || value != float64(int64(value))) && !(value <= 40 && countNames.MatchString(text)) && !numbered(text, value)
	}
	return false
}

// precise reports whether a number is a coefficient: with so many digits it stems from
// a formula.
func precise(text []byte) bool {
	_, digits, _ := bytes.Cut(text, []byte("."))
	return len(bytes.TrimRight(digits, "fFdD")) > 4
}

// isSeries reports whether the line above or below says the same with other numbers: a
// table, or a loop that was written out.
func (v *visitor) isSeries(n *syntax.Node) bool {
	src := v.f.Source
	start, end := max(0, int(n.StartByte())-limits.WordBytes), min(len(src), int(n.EndByte())+limits.WordBytes)
	start += bytes.LastIndexByte(src[start:n.StartByte()], '\n') + 1
	if i := bytes.IndexByte(src[n.EndByte():end], '\n'); i >= 0 {
		end = int(n.EndByte()) + i
	}
	line := src[start:end]
	if above := src[max(0, start-limits.WordBytes):max(0, start-1)]; sameButDigits(above[bytes.LastIndexByte(above, '\n')+1:], line) {
		return true
	}
	below, _, _ := bytes.Cut(src[min(end+1, len(src)):min(end+1+limits.WordBytes, len(src))], []byte("\n"))
	return sameButDigits(below, line)
}

// sameButDigits reports whether two lines differ, but only in digits.
func sameButDigits(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return false
	}
	for {
		a, b = bytes.TrimLeft(a, "0123456789."), bytes.TrimLeft(b, "0123456789.")
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// waivedNumbers matches a comment that tells a linter that numbers are intended.
var waivedNumbers = regexp.MustCompile(`(?i)(?://|#|\*).*(?:magic-?numbers?\b.*\boff|disable.*magic-?number|noinspection MagicNumber|SuppressWarnings.*MagicNumber)`)

// compiled reports whether a compiler wrote a file of JavaScript and added its own
// functions.
func (v *visitor) compiled() bool {
	return v.lang == lang.JavaScript && (v.occurs("__generator") > 0 || v.occurs("_toPrimitive") > 0 || v.occurs("JSCompiler_") > 0 || v.occurs("__webpack_require__") > 0 ||
		v.occurs("__esModule") > 0)
}

// isNumeric reports whether a file is full of numbers, as tables, codecs and drawings
// are, or is none of code.
func (v *visitor) isNumeric() bool {
	return v.numeric.to(func() bool {
		src := v.f.Source
		return v.occurs("agic")+v.occurs("AGIC") > 0 && waivedNumbers.Match(src) || v.compiled() || bytes.HasPrefix(src, []byte("<?xml")) || bytes.HasPrefix(src, []byte("<!DOCTYPE")) ||
			5*len(longNumber.FindAllIndex(src, -1)) > 2*bytes.Count(src, []byte("\n")) && bytes.Count(src, []byte("\n")) > 50
	})
}

var longNumber = regexp.MustCompile(`\b\d[\d.]+\b`)

// tenfold reports whether a number is a power of ten.
func tenfold(f float64) bool {
	s := strings.Trim(strconv.FormatFloat(f, 'f', -1, 64), "0.")
	return s == "1"
}

var upperName = regexp.MustCompile(`^[\w.$\s*&:<>]*?\b[A-Z][A-Z0-9_]+\b[^=(]*=[^=]`)

// explained reports whether the code around an expression explains it: the expression is in
// a list of data, is an index, or gets a name.
func (v *visitor) explained(up int) bool {
	for top := up + limits.NumberAbove; up < len(v.seats); up++ {
		if up > top {
			return true
		}
		s := v.around(up)
		switch r := s.kind.role; {
		case r.Is(syntax.Index, syntax.Collection, syntax.Pair, syntax.KeywordArgument, syntax.Decorator, syntax.EnumMember, syntax.Parameter, syntax.Type,
			syntax.Assert, syntax.Import, syntax.Field, syntax.Attribute, syntax.Tag):
			return true
		case r.Is(syntax.Assign, syntax.Variable, syntax.Declarator):
			text := v.f.Source[s.node.StartByte():s.node.EndByte()]
			if s.kind.name == "const_spec" || upperName.Match(text[:min(len(text), limits.WordBytes)]) || onlyNumbers(text) || v.outside(up) {
				return true
			}
		case r == syntax.Call:
			if head := v.f.Source[s.node.StartByte():min(s.node.EndByte(), s.node.StartByte()+quotedBytes)]; bytes.Contains(bytes.ToLower(head), []byte("assert")) {
				return true
			}
		case r.IsFunction(), r.IsClass(), r.Is(syntax.Lambda, syntax.Block):
			return false
		}
		if strings.Contains(s.kind.name, "slice") || strings.HasPrefix(s.kind.name, "preproc") || s.kind.name == "const_item" || s.kind.name == "array_declarator" {
			return true
		}
	}
	return false
}

// outside reports whether a node is outside of all functions, so that its name is like the
// name of a constant.
func (v *visitor) outside(up int) bool {
	for top := up + limits.NumberAbove; up < len(v.seats) && up < top; up++ {
		if r := v.around(up).kind.role; r.IsFunction() || r == syntax.Lambda {
			return false
		}
	}
	return v.f.Whole
}

// onlyNumbers reports whether a name is given an expression without other names.
func onlyNumbers(text []byte) bool {
	_, value, ok := bytes.Cut(text, []byte("="))
	return ok && len(value) <= limits.WordBytes && !someName.Match(value)
}

var someName = regexp.MustCompile(`(?:^|[^\w.])[A-Za-z_$]`)

// formulaNumbers is the number of numbers in a line above which the line is a formula, whose
// numbers need no names.
const formulaNumbers = 4

var someNumber = regexp.MustCompile(`(?:^|[^\w.])\d`)

// remarked reports whether a line explains its numbers: in a comment after a node or in the
// line above, or as a formula.
func (v *visitor) remarked(n *syntax.Node) bool {
	marks := []string{"//", "/*"}
	if v.lang == lang.Python || v.lang == lang.Ruby {
		marks = []string{"#"}
	}
	src := v.f.Source
	start := max(0, int(n.StartByte())-2*limits.WordBytes)
	if i := bytes.LastIndexByte(src[start:n.StartByte()], '\n'); i >= 0 {
		start += i + 1
	} else if start > 0 {
		return true // nobody wrote such a line
	}
	above := src[max(0, start-limits.WordBytes):start]
	above = bytes.TrimSuffix(above, []byte("\n"))
	above = bytes.TrimSpace(above[bytes.LastIndexByte(above, '\n')+1:])
	rest := src[n.EndByte():min(int(n.EndByte())+limits.WordBytes, len(src))]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	if len(someNumber.FindAllIndex(src[max(start, int(n.StartByte())-limits.WordBytes):int(n.EndByte())+len(rest)], formulaNumbers+1)) > formulaNumbers {
		return true // a formula
	}
	number := src[n.StartByte():n.EndByte()]
	next := min(int(n.EndByte())+len(rest)+1, len(src))
	below, _, _ := bytes.Cut(src[next:min(next+limits.WordBytes, len(src))], []byte("\n"))
	for line := range bytes.Lines(src[max(0, start-2*limits.WordBytes):start]) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && bytes.IndexByte([]byte("/*#"), line[0]) >= 0 && hasWord(line, string(number)) {
			return true // a comment names it
		}
	}
	if line := src[start:min(int(n.EndByte())+len(rest), len(src))]; namesNumber(line, number) || namesNumber(above, number) || namesNumber(below, number) {
		return true
	}
	for _, m := range marks {
		if bytes.Contains(rest, []byte(m)) || bytes.HasPrefix(above, []byte(m)) {
			return true
		}
	}
	return bytes.HasSuffix(above, []byte("*/"))
}

// namesNumber reports whether a number is a part of a name in a line: since1601, b43chars.
func namesNumber(line, number []byte) bool {
	if len(number) < 2 {
		return false
	}
	letter := func(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	for rest := line; ; {
		i := bytes.Index(rest, number)
		if i < 0 {
			return false
		}
		end := i + len(number)
		if i > 0 && letter(rest[i-1]) && (end == len(rest) || !digit(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

// testMarks are texts that occur in files of tests, whatever the name of the file.
var testMarks = []string{"org.junit", "org.testng", "@Test", "import unittest", "import pytest", "from nose", "TestCase", "describe(", "QUnit.", "expect(",
	"testing.T", "testing.B", "gtest", "TEST_CASE", "RSpec", "PHPUnit", "Xunit", "NUnit", "[TestMethod]", "def test_", "jest."}

// testPath matches the path of a test, or of a file for tests. The word "test" alone may be
// the name of the compared code.
var testPath = regexp.MustCompile(`(?:^|/)(?i:[a-z-]*tests?|testing|testsuite|[a-z]*testdata|specs?|__tests__|__mocks__|fixtures?|mocks?|e2e|t|unittests?|functionaltests?)/|(?:_test|_spec|\.test|\.spec|-test|-spec|[a-z\d]Tests?|[a-z]TestCase|[a-z]Fixture|[a-z]IT)\.\w+$|(?:^|/)(?:test_\w+\.py|Test[A-Z]\w*\.\w+)$`)

// isTest reports whether the code is a test, in which numbers need no names.
func (v *visitor) isTest() bool {
	return v.test.to(func() bool {
		return testPath.MatchString(v.path) || slices.ContainsFunc(testMarks, func(m string) bool { return bytes.Contains(v.f.Source, []byte(m)) })
	})
}
