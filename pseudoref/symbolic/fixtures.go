package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// What tests set up: the values they share, and what runs around each of them.

// around says when the block of a call runs that test libraries know by its name.
var around = map[string]string{
	"before": "before each test", "beforeEach": "before each test", "beforeAll": "before all tests",
	"after": "after each test", "afterEach": "after each test", "afterAll": "after all tests",
}

// fixture says that a value that tests share, or a step around them, came or went.
// It answers false for any other call.
func (w *writer) fixture(n, c item, where string, added bool) bool {
	if !c.traits().Dynamic || receiver(c).ok() {
		return false
	}
	b := c.child("block")
	if l := arguments(c).namedKids(); !b.ok() && len(l) == 1 && l[0].is(syntax.Lambda) {
		b = l[0]
	}
	if !b.ok() {
		return false
	}
	name, v := calledName(c), verb(added)
	switch name {
	case "let", "subject":
		if c.traits().NameSuffixes == "" {
			return false
		}
		what := "the subject of the tests"
		if a := arguments(c).namedKids(); len(a) == 1 {
			what = "the test value " + code(strings.TrimPrefix(a[0].text(), ":"))
		}
		tail := ""
		if last := strip(lastOf(body(b))); added && last.is(syntax.Return) && returned(last).ok() {
			tail = " and set to " + say(returned(last))
		} else if added && last.is(syntax.Call) {
			tail = " and set to " + say(last)
		}
		w.say(n, wDeclare, "fixture-"+v, where, what+" was "+v+tail)
		return true
	}
	when := around[name]
	if when == "" {
		return false
	}
	if a := arguments(c).namedKids(); len(a) == 1 && (a[0].text() == ":all" || a[0].text() == ":context" || a[0].text() == ":suite") {
		when = strings.Replace(when, "each test", "all tests", 1)
	}
	does := deeds(body(b))
	if len(does) == 0 {
		return false
	}
	is := map[bool]string{true: ", it now ", false: ", it no longer "}[added]
	for _, d := range does {
		w.say(n, wBehaviour, "fixture-"+v, where, "the test setup was changed: "+when+is+d)
	}
	return true
}
