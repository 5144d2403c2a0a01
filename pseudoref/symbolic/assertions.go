package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// Assertions in words: what a test takes to be true.

// matcher is how an assertion is said. With one argument beside the subject both
// forms end before it.
type matcher struct{ holds, fails string }

// binaryMatchers are the names of assertions about a value and another, in lower
// case without underscores.
var binaryMatchers = map[string]matcher{
	"tobe": {"equals", "differs from"}, "toequal": {"equals", "differs from"}, "tostrictequal": {"equals", "differs from"},
	"eq": {"equals", "differs from"}, "eql": {"equals", "differs from"}, "equal": {"equals", "differs from"}, "be": {"is", "is not"},
	"deepequal": {"equals", "differs from"}, "strictequal": {"equals", "differs from"}, "equals": {"equals", "differs from"},
	"tocontain": {"contains", "does not contain"}, "tocontainequal": {"contains", "does not contain"}, "include": {"includes", "does not include"},
	"contain": {"contains", "does not contain"}, "toinclude": {"includes", "does not include"}, "containexactly": {"holds exactly", "does not hold exactly"},
	"matcharray": {"holds the elements of", "does not hold the elements of"},
	"tomatch":    {"matches", "does not match"}, "match": {"matches", "does not match"}, "tomatchobject": {"matches", "does not match"},
	"startwith": {"starts with", "does not start with"}, "endwith": {"ends with", "does not end with"},
	"tohavelength": {"has the length", "has another length than"}, "tohaveproperty": {"has the property", "has no property"},
	"havekey": {"has the key", "has no key"}, "respondto": {"responds to", "does not respond to"},
	"tobegreaterthan": {"is greater than", "is at most"}, "tobelessthan": {"is less than", "is at least"}, "tobecloseto": {"is close to", "is not close to"},
	"tobegreaterthanorequal": {"is at least", "is less than"}, "tobelessthanorequal": {"is at most", "is greater than"},
	"tobeinstanceof": {"is an instance of", "is no instance of"}, "instanceof": {"is an instance of", "is no instance of"},
	"bea": {"is an instance of", "is no instance of"}, "bean": {"is an instance of", "is no instance of"}, "bekindof": {"is an instance of", "is no instance of"},
	"beaninstanceof": {"is an instance of", "is no instance of"}, "beinstanceof": {"is an instance of", "is no instance of"},
	"tothrow": {"throws", "does not throw"}, "tothrowerror": {"throws", "does not throw"}, "throw": {"throws", "does not throw"},
	"raiseerror": {"raises", "does not raise"}, "raiseexception": {"raises", "does not raise"},
	"tohavebeencalledwith": {"was called with", "was not called with"}, "tobecalledwith": {"was called with", "was not called with"},
	"tohavebeencalledtimes": {"was called as many times as", "was not called as many times as"}, "havereceived": {"received", "did not receive"},
	"tohavetextcontent": {"shows the text", "does not show the text"}, "tohaveattribute": {"has the attribute", "has no attribute"},
}

// unaryMatchers are the same for assertions about a value alone.
var unaryMatchers = map[string]matcher{
	"tobetruthy": {"is truthy", "is not truthy"}, "tobefalsy": {"is falsy", "is not falsy"}, "tobenull": {"is null", "is not null"},
	"tobeundefined": {"is undefined", "is not undefined"}, "tobedefined": {"is defined", "is not defined"}, "benil": {"is `nil`", "is not `nil`"},
	"betruthy": {"is truthy", "is not truthy"}, "befalsey": {"is falsy", "is not falsy"}, "befalsy": {"is falsy", "is not falsy"},
	"beempty": {"is empty", "is not empty"}, "bevalid": {"is valid", "is not valid"}, "bepresent": {"is present", "is not present"}, "exist": {"exists", "does not exist"},
	"beblank": {"is blank", "is not blank"}, "tothrow": {"throws", "does not throw"}, "tothrowerror": {"throws", "does not throw"},
	"raiseerror": {"raises an error", "raises no error"}, "raiseexception": {"raises an error", "raises no error"}, "throw": {"throws", "does not throw"},
	"tomatchsnapshot": {"matches its snapshot", "does not match its snapshot"}, "tomatchinlinesnapshot": {"matches its inline snapshot", "does not match its inline snapshot"},
	"tothrowerrormatchingsnapshot": {"throws an error that matches its snapshot", ""}, "tothrowerrormatchinginlinesnapshot": {"throws an error that matches its inline snapshot", ""},
	"tohavebeencalled": {"was called", "was not called"}, "tobecalled": {"was called", "was not called"}, "tohavebeencalledonce": {"was called once", "was not called once"},
	"tobeinthedocument": {"is in the document", "is not in the document"}, "tobevisible": {"is visible", "is not visible"}, "tobedisabled": {"is disabled", "is not disabled"},
	"tobeenabled": {"is enabled", "is not enabled"}, "tobechecked": {"is checked", "is not checked"}, "tobenan": {"is `NaN`", "is not `NaN`"},
}

// named is an assertion that is a function: where its subject stands among its
// arguments, and the other.
type named struct {
	verb           string
	subject, other int
}

// namedAssertions are the functions of test libraries that assert, in lower case
// without "assert" and underscores.
var namedAssertions = map[string]named{
	"equal": {"equals", 0, 1}, "equals": {"equals", 0, 1}, "same": {"equals", 0, 1}, "strictequal": {"equals", 0, 1}, "deepequal": {"equals", 0, 1},
	"deepstrictequal": {"equals", 0, 1}, "is": {"is", 0, 1}, "isnot": {"is not", 0, 1}, "listequal": {"equals", 0, 1}, "dictequal": {"equals", 0, 1},
	"notequal": {"differs from", 0, 1}, "notequals": {"differs from", 0, 1}, "notsame": {"differs from", 0, 1}, "notstrictequal": {"differs from", 0, 1},
	"notdeepequal": {"differs from", 0, 1}, "almostequal": {"is close to", 0, 1}, "in": {"is in", 0, 1}, "notin": {"is not in", 0, 1},
	"isinstance": {"is an instance of", 0, 1}, "instanceof": {"is an instance of", 1, 0}, "greater": {"is greater than", 0, 1}, "less": {"is less than", 0, 1},
	"greaterequal": {"is at least", 0, 1}, "lessequal": {"is at most", 0, 1}, "greaterthan": {"is greater than", 1, 0}, "lessthan": {"is less than", 1, 0},
	"count": {"has the size", 1, 0}, "stringcontainsstring": {"contains", 1, 0}, "stringnotcontainsstring": {"does not contain", 1, 0},
	"arrayhaskey": {"has the key", 1, 0}, "arraynothaskey": {"has no key", 1, 0}, "stringstartswith": {"starts with", 1, 0}, "stringendswith": {"ends with", 1, 0},
	"regex": {"matches", 0, 1}, "notregex": {"does not match", 0, 1}, "matchesregularexpression": {"matches", 1, 0},
	"none": {"is `None`", 0, -1}, "isnone": {"is `None`", 0, -1}, "isnotnone": {"is not `None`", 0, -1}, "null": {"is null", 0, -1}, "notnull": {"is not null", 0, -1},
	"empty": {"is empty", 0, -1}, "notempty": {"is not empty", 0, -1}, "eq": {"equals", 0, 1}, "ne": {"differs from", 0, 1}, "nil": {"is `nil`", 0, -1}, "isempty": {"is empty", 0, -1},
	"true": {"", 0, -1}, "istrue": {"", 0, -1}, "isfalse": {"", 0, -1}, "false": {"", 0, -1}, "ok": {"", 0, -1},
}

// asserted is what an assertion takes to be true, as a clause: "`n` equals `3`".
// It is empty where the assertion is of no known form.
func asserted(n item) string {
	n = strip(n)
	switch {
	case n.is(syntax.Await):
		if k := n.namedKids(); len(k) == 1 {
			return asserted(k[0])
		}
	case n.is(syntax.Assert):
		if k := n.namedKids(); len(k) > 0 && n.traits().CallWord == "" {
			return holds(k[0])
		}
	case n.is(syntax.Call):
		if s := expected(n); s != "" && n.traits().Dynamic {
			return s
		}
		return assertedByName(n)
	}
	return ""
}

// plainName is a name as the tables of assertions have it.
func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

func assertedByName(n item) string {
	name := callee(n)
	short := plainName(lastName(name))
	if rest, ok := strings.CutPrefix(short, "assert"); ok && rest != "" {
		short = rest
	} else if !strings.HasPrefix(strings.ToLower(name), "assert.") && name != "assert" {
		return ""
	}
	args := slices.DeleteFunc(arguments(n).namedKids(), func(k item) bool { return k.is(syntax.KeywordArgument) })
	if name == "assert" && len(args) > 0 && n.traits().CallWord == "" {
		return holds(bareArgument(args[0]))
	}
	m, ok := namedAssertions[short]
	if need := max(m.subject, m.other) + 1; !ok || len(args) < need || len(args) > need && !n.traits().Dynamic {
		return "" // where it is not known, a message may come first
	}
	subject := bareArgument(args[m.subject])
	switch {
	case short == "true" || short == "istrue" || short == "ok":
		return holds(subject)
	case short == "false" || short == "isfalse":
		return clause(subject, false, 0)
	case m.other < 0:
		return say(subject) + " " + m.verb
	}
	other := bareArgument(args[m.other])
	if x := strip(subject); m.verb == "equals" && (x.is(syntax.String, syntax.Number, syntax.Bool, syntax.Null) || x.is(syntax.Collection) && !strip(other).is(syntax.Collection)) {
		subject, other = other, subject // the expected value comes last
	}
	return say(subject) + " " + m.verb + " " + say(other)
}

// bareArgument is an argument without what some grammars put around it.
func bareArgument(a item) item {
	if a.role() == syntax.Other && strings.Contains(a.kind(), "argument") {
		if k := a.namedKids(); len(k) == 1 {
			return k[0]
		}
	}
	return a
}

// expected reads expect(x).toBe(y), and expect(x).to eq(y).
func expected(n item) string {
	name, args := calledName(n), arguments(n).namedKids()
	negated := false
	root := receiver(n)
	for range maxSay {
		if !root.is(syntax.Member) {
			break
		}
		k := root.namedKids()
		if len(k) != 2 {
			return ""
		}
		if word := k[1].text(); word == "not" || word == "never" {
			negated = !negated
		} else if word == "rejects" {
			return ""
		}
		root = k[0]
	}
	if !root.is(syntax.Call) || calledName(root) != "expect" || receiver(root).ok() {
		return ""
	}
	var subject string
	if b := root.child("block"); b.ok() {
		subject = calling(body(b))
	} else if a := arguments(root).namedKids(); len(a) == 1 {
		if subject = say(a[0]); a[0].is(syntax.Lambda) {
			subject = calling(body(a[0]))
		}
	}
	if subject == "" {
		return ""
	}
	switch name {
	case "to", "not_to", "to_not":
		negated = name != "to"
		if len(args) == 0 {
			return ""
		}
		m := strip(args[0])
		if m.is(syntax.Identifier) {
			name, args = m.text(), nil
		} else if arguments(m).ok() && !receiver(m).ok() { // "include" is more than a call
			name, args = calledName(m), arguments(m).namedKids()
		} else {
			return ""
		}
	}
	table := binaryMatchers
	if len(args) == 0 {
		table = unaryMatchers
	}
	m, ok := table[plainName(name)]
	if rest, is := strings.CutPrefix(name, "be_"); is && !ok && len(args) == 0 { // it asks a predicate
		rest = strings.ReplaceAll(rest, "_", " ")
		m, ok = matcher{"is " + rest, "is not " + rest}, true
	}
	if strings.HasPrefix(m.holds, "raises") && len(args) > 1 {
		args = args[:1] // the message is a detail
	}
	verb := m.holds
	if negated {
		verb = m.fails
	}
	if !ok || verb == "" {
		return ""
	}
	if len(args) == 0 {
		return subject + " " + verb
	}
	var with []string
	for _, a := range args {
		with = append(with, argument(a))
	}
	return subject + " " + verb + " " + list(with)
}

// calling names what a block does whose failing is tested: "calling `f`".
func calling(b []item) string {
	if len(b) == 0 {
		return ""
	}
	last := strip(lastOf(b))
	if last.is(syntax.Return) {
		last = strip(returned(last))
	}
	if last.is(syntax.Await) && len(last.namedKids()) == 1 {
		last = last.namedKids()[0]
	}
	switch {
	case last.is(syntax.Call) && callee(last) != "":
		return "calling " + called(last)
	case last.is(syntax.New) && callee(last) != "":
		return "creating `" + callee(last) + "`"
	}
	return ""
}

// assertedOr is asserted, or else the assertion itself in short: "that `x` equals
// `3`", "`assertOpen` with `door`".
func assertedOr(n item) string {
	if s := asserted(n); s != "" {
		return "that " + s
	}
	c := strip(n)
	if name := calledName(c); c.is(syntax.Call) && len(chain(c)) == 1 && name != "" && len(name) <= maxCode && strings.ContainsAny(c.text(), " \n") && c.traits().Dynamic {
		if a := arguments(c).namedKids(); len(a) > 0 && len(a) <= 3 {
			return code(name) + " with " + argumentList(c)
		}
	}
	return code(strings.TrimPrefix(oneLine(c.text()), "assert "))
}

// assertionEdit says once what an assertion checks now, for all edits in it, where
// both can be said in words.
func (w *writer) assertionEdit(e edit) bool {
	old, new := e.old, e.new
	if !old.ok() {
		old = e.oldIn
	}
	if !new.ok() {
		new = e.newIn
	}
	a, b := assertionAround(old), assertionAround(new)
	if !a.ok() || !b.ok() || e.link || e.move {
		return false
	}
	x, y := asserted(a), asserted(b)
	if x == "" || y == "" || x == y {
		return false
	}
	if w.done[b] {
		return true
	}
	if !showsNews(a, b, y) {
		return false // what changed is in what the words leave out
	}
	w.done[b], w.done[a] = true, true
	where := placeOf(b).String()
	w.say(b, wBehaviour, "assertion-changed", where, "the assertion now checks that "+y)
	w.say(b, wAside, "assertion-before", where, "the assertion previously checked that "+x)
	return true
}

// showsNews tells whether a text has one of the words that b has and a has not, if
// there are any.
func showsNews(a, b item, text string) bool {
	words := func(n item) []string {
		return strings.FieldsFunc(n.text()[:min(10*maxReworded, n.size())], func(r rune) bool { return r > 127 || !wordByte(byte(r)) })
	}
	had, none := words(a), true
	for _, s := range words(b) {
		if !slices.Contains(had, s) {
			if strings.Contains(text, s) {
				return true
			}
			none = false
		}
	}
	return none
}

// assertionAround returns the assertion that a node is a part of, or none. What is
// in a function that it is handed is no part of it.
func assertionAround(n item) item {
	for p, i := unnested(n), 0; p.ok() && i < maxSay+3; i, p = i+1, p.parent() {
		switch {
		case p.is(syntax.Lambda, syntax.Block), p.role().IsFunction():
			return item{}
		case p.is(syntax.Assert), p.is(syntax.Call, syntax.Await) && statementLike(p) && assertion(strip(p)):
			return p
		case p.is(syntax.Await) && statementLike(p) && len(p.namedKids()) == 1 && assertion(strip(p.namedKids()[0])):
			return p
		}
	}
	return item{}
}

// assertionPhrase is "an assertion that `x` holds", or else "the assertion …".
func assertionPhrase(n item) string {
	if s := asserted(n); s != "" {
		return "an assertion that " + s
	}
	if n.is(syntax.Assert) {
		return "an assertion on " + code(strings.TrimPrefix(oneLine(n.text()), "assert "))
	}
	return "the assertion " + assertedOr(n)
}
