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
	"argument-wrapped":   "T now receives a different argument, which could lead to a different result",
	"call-added":         "the additional call to T could affect the behaviour or the performance of W",
	"call-removed":       "without the call to T, what it did is no longer done in W",
	"call-replaced":      "T is used instead and could behave differently from what was called before",
	"value-changed":      "code that uses T could behave differently with the new value",
	"value-wrapped":      "code that uses T could behave differently with the new value",
	"assignment-changed": "code that uses T afterwards sees a different value",
	"key-added":          "code that reads the new key T could now behave differently",
	"key-removed":        "code that reads the key T no longer finds it",
	"import-added":       "the file now depends on T",
	"import-removed":     "the file no longer depends on T",
	"logging-added":      "the new log message could help with debugging",
	"logging-removed":    "this information is no longer logged, which could make debugging harder",
	"message-changed":    "code or tests that depend on the old message must be updated",
	"element-added":      "code that goes over T now also handles the new element",
	"element-removed":    "code that goes over T no longer handles the removed element",
	"type-changed":       "code that uses T must work with the new type",
	"loop-added":         "the new loop could affect the performance of W",
	"case-added":         "the additional case is now handled in W",
	"else-added":         "the case that the condition does not hold is now handled in W",
	"catch-added":        "W no longer fails with this exception",
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

// resultUsed says what becomes of the result of a call whose arguments have
// changed.
func (w *writer) resultUsed(e edit) {
	n := e.new
	if !n.ok() {
		n = e.newIn
	}
	if !n.ok() {
		return
	}
	call := slotOf(n).holder
	if n.is(syntax.Call, syntax.New) && e.old.ok() {
		call = n
	}
	if !call.is(syntax.Call, syntax.New) || w.done[item{call.tree, -1 - call.i}] {
		return
	}
	w.done[item{call.tree, -1 - call.i}] = true
	if callee(call) == "" {
		return
	}
	switch s := slotOf(call); s.kind {
	case valueSlot:
		w.say(call, wDetail-1, "result-used", "", "the result of "+called(call)+" becomes "+s.phrase)
	case returnSlot:
		if at := placeOf(call); at.fn != "" {
			w.say(call, wDetail-1, "result-used", "", "the result of "+called(call)+" is part of what "+at.subject()+" returns")
		}
	case conditionSlot:
		w.say(call, wDetail-1, "result-used", "", s.phrase+" depends on the result of "+called(call))
	case argumentSlot:
		if callee(s.holder) != "" {
			w.say(call, wDetail-1, "result-used", "", "the result of "+called(call)+" is passed on to "+called(s.holder))
		}
	}
}

// Limits of the claim that names what the changed code deals with.
const (
	minInvolved = 3
	maxInvolved = 16
)

// position says between which neighbours a run of new statements, members or
// elements was put.
func (w *writer) position(e edit) {
	n := e.new
	// Only whole files tell neighbours for sure.
	if !n.ok() || e.old.ok() || !n.frag.Whole || !n.named() || n.is(syntax.Comment, syntax.Import, syntax.Package, syntax.Parameter, syntax.Decorator, syntax.Modifier) || n.under(syntax.Import).ok() {
		return
	}
	if p := n.parent(); !block(p) && !p.is(syntax.Collection) {
		return
	}
	before, after := n.prev(), n.next()
	for before.ok() && !w.neighbours(before) {
		before = before.prev()
	}
	if before.ok() && w.fresh[before] {
		return // an earlier one of the run has said it
	}
	for after.ok() && (!w.neighbours(after) || w.fresh[after]) {
		after = after.next()
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

// neighbours tells whether a node is one of those that stand beside others:
// no punctuation and no comment.
func (w *writer) neighbours(n item) bool {
	return n.named() && !n.is(syntax.Comment) && (statement(n) || n.parent().is(syntax.Collection) || n.is(syntax.Call, syntax.Assign, syntax.Case))
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
		if !n.ok() || n.is(syntax.Import, syntax.Package, syntax.Decorator) || n.under(syntax.Import).ok() || isRequire(n) {
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
		if e.new.ok() && e.link {
			// The calls before it in the chain are not new.
			collect(arguments(e.new))
			continue
		}
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
