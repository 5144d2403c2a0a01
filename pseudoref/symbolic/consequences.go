package symbolic

import (
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
)

// consequences says, for each rule, what follows from its claim for those who
// read, call or test the code. T stands for the topic of the claim (a name in
// backticks), W for the place. A consequence without its topic is left out.
var consequences = map[string]string{
	"argument-changed":   "T now receives other arguments, which could lead to a different result",
	"argument-added":     "T now receives an additional argument, which could change what it does",
	"argument-removed":   "T no longer receives this argument, which could change what it does",
	"call-added":         "the additional call to T could affect the behaviour or the performance of W",
	"call-removed":       "without the call to T, what it did is no longer done in W",
	"call-replaced":      "T is used instead and could behave differently from what was called before",
	"value-changed":      "code that uses T could behave differently with the new value",
	"value-wrapped":      "code that uses T could behave differently with the new value",
	"assignment-added":   "code that uses T afterwards sees the new value",
	"assignment-removed": "code that uses T afterwards no longer sees this value",
	"assignment-changed": "code that uses T afterwards sees a different value",
	"key-added":          "code that reads the new key T could now behave differently",
	"key-removed":        "code that reads the key T no longer finds it",
	"import-added":       "the file now depends on T",
	"import-removed":     "the file no longer depends on T",
	"logging-added":      "the new log message could help with debugging",
	"logging-removed":    "this information is no longer logged, which could make debugging harder",
	"text-changed":       "code or tests that depend on the old text must be updated",
	"message-changed":    "code or tests that depend on the old message must be updated",
	"operator-changed":   "the result of the expression could be different",
	"element-added":      "code that goes over T now also handles the new element",
	"element-removed":    "code that goes over T no longer handles the removed element",
	"type-changed":       "code that uses T must work with the new type",
	"loop-added":         "the new loop could affect the performance of W",
	"case-added":         "the additional case is now handled in W",
	"else-added":         "the case that the condition does not hold is now handled in W",
	"catch-added":        "W no longer fails with this exception",
	"statement-replaced": "the behaviour of W could be different",
}

// consequence adds what follows from facts, once for each rule and place.
func (w *writer) consequence() {
	seen := map[string]bool{}
	var out []*fact
	for _, f := range w.facts {
		out = append(out, f)
		t := consequences[f.rule]
		if t == "" || seen[f.rule+f.where+f.topic] {
			continue
		}
		topic := f.topic
		if topic == "" && len(f.names) > 0 {
			topic = list(f.names)
		}
		if f.gone != "" && (w.newWords == nil || w.newWords[f.gone] > 0) {
			continue // it is still there, or that is not known
		}
		if containsWord(t, "T") {
			if topic == "" {
				continue
			}
			t = replaceWord(t, "T", topic)
		}
		if containsWord(t, "W") {
			if f.where == "" {
				continue
			}
			t = replaceWord(t, "W", f.where)
		}
		seen[f.rule+f.where+f.topic] = true
		out = append(out, &fact{
			kind: pseudoref.Implication, rule: f.rule + "-effect", weight: wFollows, what: t,
			path: f.path, side: f.side, first: f.first, last: f.last,
		})
	}
	w.facts = out
}

func containsWord(s, w string) bool {
	return strings.Contains(" "+s+" ", " "+w+" ") || strings.Contains(s, " "+w+",")
}

func replaceWord(s, w, by string) string {
	s = strings.Replace(" "+s+" ", " "+w+" ", " "+by+" ", 1)
	return strings.TrimSpace(strings.Replace(s, " "+w+",", " "+by+",", 1))
}

// context says which statement a smaller change is part of.
func (w *writer) context(e edit) {
	n := e.new
	if !n.ok() {
		n = e.newIn
	}
	if !n.ok() {
		return
	}
	if v := slotOf(n); v.part == n && v.kind != argumentSlot && v.kind != elementSlot && !v.holder.is(syntax.Pair) {
		return // the claim names the statement already
	}
	s := n
	for i := 0; i < maxClimb && s.ok() && !block(s.parent()) && !s.is(syntax.Block); i++ {
		if s = s.parent(); s.is(syntax.If, syntax.ElseIf, syntax.Else, syntax.Loop, syntax.Try, syntax.Catch, syntax.With, syntax.Lambda) {
			return
		}
	}
	if s.ok() && len(s.find(2, nil, syntax.Declarator)) > 1 {
		return // which of the names it is about was said
	}
	if !s.ok() || s == n || s.is(syntax.Block, syntax.Comment, syntax.Import, syntax.Package) || s.role().IsFunction() || s.role().IsClass() {
		return
	}
	if w.done[item{s.tree, -1 - s.i}] {
		return
	}
	w.done[item{s.tree, -1 - s.i}] = true
	if d := does(unnested(s), 0); d != "" {
		w.say(s, wDetail, "statement-changed", placeOf(s).String(), "the code that "+d+" was changed")
	}
}

// Limits of the claim that names what the changed code deals with.
const (
	minInvolved = 3
	maxInvolved = 10
)

// position says between which neighbours a run of new statements, members or
// elements was put.
func (w *writer) position(e edit) {
	n := e.new
	if !n.ok() || e.old.ok() || !n.named() || n.is(syntax.Comment, syntax.Import, syntax.Package, syntax.Parameter, syntax.Decorator, syntax.Modifier) || n.under(syntax.Import).ok() {
		return
	}
	if p := n.parent(); !block(p) && !p.is(syntax.Collection) {
		return
	}
	var before, after item
	seen := false
	for _, k := range n.parent().namedKids() {
		if k != n && !statement(k) && !n.parent().is(syntax.Collection) && !k.is(syntax.Call, syntax.Assign, syntax.Case) {
			continue
		}
		switch {
		case k == n:
			seen = true
		case w.fresh[k] && !seen:
			before = item{}
			if k != n {
				// An earlier one of the run has said it.
				before = k
			}
		case w.fresh[k]:
		case !seen:
			before = k
		case !after.ok():
			after = k
		}
	}
	if before.ok() && w.fresh[before] {
		return
	}
	where := ""
	if before.ok() && !before.is(syntax.Import, syntax.Package) {
		where = "right after " + neighbour(before)
	}
	if after.ok() && where == "" {
		where = "before " + neighbour(after)
	}
	if where == "" {
		return
	}
	w.say(n, wDetail-2, "position", "", neighbour(n)+" was put "+where)
}

// neighbour names a statement, member or element.
func neighbour(n item) string {
	n = unnested(n)
	if n.is(syntax.Pair) {
		return "the key " + code(nameOf(n))
	}
	if n.parent().is(syntax.Collection) {
		return say(n)
	}
	if isFieldAssignment(n, placeOf(n)) {
		return "the field " + code(nameOf(n))
	}
	return noun(n, "the")
}

// involved names what the changed code deals with, new code first, so that
// what no other claim mentions is there too.
func (w *writer) involved(edits []edit) {
	var names []string
	seen := map[string]bool{}
	collect := func(n item) {
		if n.is(syntax.Import, syntax.Package, syntax.Decorator) || n.under(syntax.Import).ok() || isRequire(n) {
			return
		}
		for _, x := range n.leaves(4*maxInvolved, syntax.Identifier, syntax.Type) {
			t := x.text()
			if l := strings.ToLower(t); len(t) > 1 && !seen[l] && !strings.Contains(x.kind(), "primitive") && !strings.Contains(x.kind(), "integral") && !strings.HasPrefix(x.kind(), "boolean") && x.kind() != "void_type" && !x.under(syntax.Decorator).ok() && len(names) < maxInvolved {
				seen[l] = true
				names = append(names, code(t))
			}
		}
	}
	var at item
	for _, e := range edits {
		if e.new.ok() {
			collect(e.new)
			if !at.ok() {
				at = e.new
			}
		}
	}
	for _, e := range edits {
		if e.old.ok() && !e.new.ok() {
			collect(e.old)
			if !at.ok() {
				at = e.old
			}
		}
	}
	if len(names) >= minInvolved {
		w.say(at, wDetail-1, "involved", "", "the changed code involves "+listOf(names, maxInvolved, "and"))
	}
}

// leaves lists the nodes without children, of some roles, in n and n itself.
func (n item) leaves(limit int, roles ...syntax.Role) []item {
	var out []item
	for i := n.i; i < n.node().last && len(out) < limit; i++ {
		if x := (item{n.tree, i}); x.leaf() && x.is(roles...) {
			out = append(out, x)
		}
	}
	return out
}

// commentsOnly says that a change touches nothing but comments.
func (w *writer) commentsOnly() {
	if len(w.facts) == 0 {
		return
	}
	for _, f := range w.facts {
		if f.weight != wText {
			return
		}
	}
	f := w.say(item{}, wText, "comments-only", "", "only comments or documentation were changed, so the behaviour of the code stays the same")
	f.kind = pseudoref.Implication
	f.first, f.last = w.changedRange(change.New)
}
