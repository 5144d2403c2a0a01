package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// isConstructor tells whether a function makes an object, by its kind or its
// name.
func isConstructor(n item) bool {
	c := n.traits().Constructor
	return n.is(syntax.Constructor) && !strings.Contains(nameOf(n), "~") || c != "" && n.is(syntax.Function) && nameOf(n) == c
}

// functionWord says what a function is called in prose.
func functionWord(n item) string {
	name := nameOf(n)
	switch {
	case n.kind() == "preproc_function_def" || n.kind() == "macro_definition":
		return "macro"
	case strings.HasPrefix(lastPart(name), "~"):
		return "destructor"
	case isConstructor(n):
		return "constructor"
	case isTest(n, nameOf(n)):
		return "test"
	case placeOf(n).class != "" || receiverType(n) != "":
		return "method"
	}
	return "function"
}

// receiverType names the type that a method is declared for outside of it.
func receiverType(n item) string {
	types := n.first(syntax.Receiver).find(1, nil, syntax.Type)
	if len(types) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(oneLine(types[0].text()), "*"), "[")
	return name
}

// receiverChanged says that methods are declared for another type, or for a
// pointer where there was a value.
func (w *writer) receiverChanged(a, b item) {
	typ := func(n item) string {
		if types := n.find(1, nil, syntax.Type); len(types) > 0 {
			return oneLine(types[0].text())
		}
		return ""
	}
	x, y := typ(a), typ(b)
	name := code(nameOf(b.parent()))
	if x == y {
		w.names(b, wDetail, "receiver-renamed", "", "the receiver of "+slot+" was renamed", "the receivers of "+slot+" were renamed", name)
		return
	}
	to := " changed from " + code(x) + " to " + code(y)
	w.names(b, wSignature, "receiver-changed", "", "the receiver of the method "+slot+" was"+to, "the receivers of the methods "+slot+" were"+to, name)
	switch {
	case y == "*"+x:
		w.names(b, wFollows, "receiver-pointer", "", slot+" now works on the value itself instead of a copy", slot+" now work on the value itself instead of a copy", name).kind = implication
	case x == "*"+y:
		w.names(b, wFollows, "receiver-value", "", slot+" now works on a copy, so what it changes there is lost", slot+" now work on a copy, so what they change there is lost", name).kind = implication
	}
}

// lastPart is what follows the last "::" of a qualified name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// memberWord is what a member of an enum is called.
func memberWord(n item) string {
	if strings.Contains(n.kind(), "variant") {
		return "variant"
	}
	return "constant"
}

func classWord(n item) string {
	if n.kind() == "type_spec" { // Go
		switch n.child("type").kind() {
		case "struct_type":
			return "struct"
		case "interface_type":
			return "interface"
		}
		return "type"
	}
	if n.kind() == "impl_item" {
		return "type"
	}
	// The keyword says it best.
	for _, k := range n.kids() {
		switch t := k.kind(); t {
		case "struct", "union", "record", "object", "trait", "protocol", "extension", "interface", "enum", "given":
			if !k.named() {
				return t
			}
		}
	}
	switch {
	case n.is(syntax.Interface):
		return "interface"
	case n.is(syntax.Enum):
		return "enum"
	}
	return "class"
}

// parameters lists the parameters of a function, without self and this.
func parameters(f item) []item {
	if _, ok := macroTest(f); ok {
		return nil // they are its name
	}
	p := f.child("parameters")
	if !p.ok() {
		p = f.first(syntax.Parameters)
	}
	if !p.ok() {
		if fs := f.find(1, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Parameters); len(fs) == 1 {
			p = fs[0]
		}
	}
	kids := p.namedKids()
	if !p.ok() { // Some grammars have no list.
		for _, k := range f.namedKids() {
			if k.is(syntax.Parameter) {
				kids = append(kids, k)
			}
		}
	}
	var out []item
	for _, k := range kids {
		if t := k.text(); t != "self" && t != "cls" && t != "this" && t != "void" && !k.is(syntax.Decorator, syntax.Self) {
			out = append(out, k)
		}
	}
	return out
}

func parameterName(p item) string {
	if p.traits().SpreadTypes && p.is(syntax.Parameter) && !nameNode(p).ok() {
		return oneLine(p.text())
	}
	for _, k := range append(p.namedKids(), p) {
		if pattern(k) && k.field() != "right" && k.field() != "value" { // it has no name but those it takes out
			return oneLine(k.text())
		}
	}
	s := nameOf(p)
	if s == "" || p.kind() == "typed_parameter" {
		if k := p.find(1, nil, syntax.Identifier); len(k) == 1 {
			s = k[0].text()
		}
	}
	if s == "" {
		s = oneLine(p.text())
	}
	return s
}

func (w *writer) function(n item, at place, added bool) {
	name := nameOf(n)
	word := functionWord(n)
	v := verb(added)
	place := ""
	if t := receiverType(n); t != "" {
		place = " " + toFrom(added) + " " + code(t)
	} else if class, _, ok := cutLast(name, "::"); ok && word == "constructor" {
		place = " " + toFrom(added) + " " + code(lastPart(class))
	} else if at.class != "" {
		place = at.member(added)
	} else if at.fn != "" {
		place = " inside " + at.String()
	}
	with := ""
	if added && word != "test" {
		with = withParameters(n)
	}
	if word == "constructor" {
		w.say(n, wDeclare, "function-"+v, "", "a constructor"+with+" was "+v+place)
	} else if added {
		w.say(n, wDeclare, "function-added", "", "a new "+word+" "+code(name)+with+" was added"+place+w.documentedAs(n))
	} else {
		w.say(n, wDeclare, "function-removed", "", "the "+word+" "+code(name)+" was removed"+place)
	}
	if i := n.under(syntax.Class, syntax.Interface); added && slices.Contains([]string{"interface", "protocol"}, classWord(i)) && len(body(n)) == 0 {
		who := "classes"
		if !i.is(syntax.Interface) {
			who = "types"
		}
		w.names(n, wFollows, "interface-method", "", who+" that implement "+code(nameOf(i))+" must now implement "+slot, who+" that implement "+code(nameOf(i))+" must now implement "+slot, code(name)).kind = implication
		return
	}
	if word == "constructor" {
		name = "the constructor"
	}
	w.functionBody(n, name, nil, added)
	if added {
		w.newFunction(n, word, name)
	}
	if !added && word != "test" && word != "constructor" {
		if w.newWords != nil && uses(w.newText, name) {
			w.follows(n, "function-removed-used", code(name)+" is still used in the file after its removal")
		} else if w.newWords[name] == 0 {
			w.follows(n, "function-removed-callers", "callers of the removed "+word+" "+code(name)+" must be updated")
		}
	}
	if !added && word == "test" {
		w.follows(n, "test-removed", "what the test "+code(name)+" checked is no longer tested there")
	}
}

// overrides tells whether a function says that it overrides another.
func overrides(n item) bool {
	for _, d := range decorators(n) {
		if nameOf(d) == "Override" {
			return true
		}
	}
	for _, m := range n.kids() {
		if m.is(syntax.Modifier) && slices.Contains(strings.Fields(modifiers(m)), "override") {
			return true
		}
	}
	return false
}

// newFunction says what a reviewer would look for in a new function.
func (w *writer) newFunction(n item, word, name string) {
	w.annotated(n, "the new "+word+" "+code(name))
	if overrides(n) {
		w.say(n, wDetail, "override", "", "the new "+word+" "+code(name)+" overrides an inherited one")
		return
	}
	if word == "test" || word == "constructor" || word == "destructor" || strings.HasPrefix(name, "_") {
		return
	}
	// A function of one statement that asks nothing is hardly worth a test.
	if b := body(n); len(b) > 1 || len(b) == 1 && len(b[0].find(1, nil, syntax.If, syntax.Loop, syntax.Switch, syntax.Conditional)) > 0 {
		w.untested = append(w.untested, code(name))
	}
	if !documented(n) && public(n) && placeOf(n).fn == "" {
		w.follows(n, "undocumented", "the new public "+word+" "+code(name)+" has no documentation")
	}
}

// documented tells whether a comment stands before a function or a docstring
// in it.
func documented(n item) bool {
	outer := n
	for outer.parent().ok() && !block(outer.parent()) {
		outer = outer.parent()
	}
	before := outer.prev()
	if before.is(syntax.Comment) {
		_, end := before.rows()
		start, _ := outer.rows()
		return start-end <= 1
	}
	b := body(n)
	return len(b) > 0 && strip(b[0]).is(syntax.String)
}

// public tells whether a function can be called from outside by the habits of
// its language.
func public(n item) bool {
	switch n.traits().Public {
	case syntax.PublicByKeyword:
		m := n.first(syntax.Modifier)
		return strings.Contains(m.text(), "pub") || n.under(syntax.Interface).ok()
	case syntax.PublicByDefault:
		m := n.first(syntax.Modifier).text()
		return !strings.Contains(m, "private") && !strings.Contains(m, "internal") && !strings.Contains(m, "protected")
	case syntax.PublicByExport:
		return n.parent().is(syntax.Export)
	case syntax.PublicByCapital:
		capital := func(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }
		t := receiverType(n)
		return capital(nameOf(n)) && (t == "" || capital(t))
	}
	return false
}

// withParameters is " with the parameters `a` and `b`", or "".
func withParameters(n item) string {
	if p := names2(parameters(n)); len(p) > 0 {
		return " with the " + many(len(p), "parameter") + " " + list(p)
	}
	return ""
}

// functionDetails says what a new function takes and does, where its own claim
// does not say what it takes.
func (w *writer) functionDetails(n item, name string, added bool) {
	var takes []string
	if p := names2(parameters(n)); len(p) > 0 {
		takes = []string{"takes " + list(p)}
	}
	w.functionBody(n, name, takes, added)
}

// functionBody says what a new function does, after what is in does already.
func (w *writer) functionBody(n item, name string, does []string, added bool) {
	if !added {
		return
	}
	subject := code(name)
	if name == "the constructor" {
		subject = name
	}
	b := body(n)
	does = append(does, effects(b)...)
	if last := lastOf(b); len(b) > 1 && last.is(syntax.Return) && len(does) > 0 {
		if v := returned(last); v.ok() && !exits(last) && !slices.Contains(does, "returns "+say(v)) {
			does = append(does[:min(len(does), maxEffects-1):min(len(does), maxEffects-1)], "finally returns "+say(v))
		}
	}
	if len(does) > 0 {
		w.each(n, wDetail, "function-body", "", "the new "+strings.TrimPrefix(subject, "the ")+" ", does)
	}
	w.functionFails(n, subject, b)
}

// maxFailures bounds the errors that are told of a new function.
const maxFailures = 2

// functionFails says with which errors a new function ends.
func (w *writer) functionFails(n item, subject string, b []item) {
	inner := func(r syntax.Role) bool { return r == syntax.Lambda || r.IsFunction() || r.IsClass() }
	told := 0
	for _, s := range b {
		for _, x := range append(s.find(100, inner, syntax.Throw, syntax.Return), s) {
			if told >= maxFailures || guard(x) == "" {
				continue
			}
			what := ""
			if x.is(syntax.Throw) {
				if e, _ := thrown(x); e != "" {
					what = does(x, 0)
				}
			} else if x.is(syntax.Return) {
				for _, v := range values(x) {
					if msg, _, ok := madeError(v); ok && msg != "" {
						what = "returns " + say(v)
					}
				}
			}
			if what != "" {
				told++
				when := guard(x)
				if i := x.under(syntax.If); i.under(syntax.If, syntax.Function, syntax.Constructor, syntax.Lambda).is(syntax.If) {
					when = guard(i) + strings.Replace(when, " when ", " and ", 1) // the outer check first
				}
				w.say(x, wDetail, "function-fails", "", subject+" "+what+when)
			}
		}
	}
}

func lastOf(ns []item) item {
	if len(ns) == 0 {
		return item{}
	}
	return ns[len(ns)-1]
}

// documentation returns the comments directly before a declaration.
func documentation(n item) (first item, text string) {
	outer := n
	for outer.parent().ok() && !block(outer.parent()) {
		outer = outer.parent()
	}
	row, _ := outer.rows()
	for k := outer.prev(); k.ok() && len(text) < maxComment; k = k.prev() {
		if !k.named() {
			continue
		}
		_, end := k.rows()
		if !k.is(syntax.Comment) || row-end > 1 {
			break
		}
		row, _ = k.rows()
		first, text = k, k.text()+"\n"+text
	}
	return first, commentText(text)
}

// maxDoc is the length above which the documentation of a new function is cut.
const maxDoc = 60

// documentedAs is `, documented as "…"` for a new declaration, or "". What it
// quotes is not told again.
func (w *writer) documentedAs(n item) string {
	first, text := documentation(n)
	if !first.ok() || text == "" || !w.fresh[first] && !w.freshAbove(first) {
		return ""
	}
	for k := first; k.is(syntax.Comment); k = k.next() {
		w.done[k] = true
		for k.next().ok() && !k.next().named() {
			k = k.next()
		}
	}
	if k := strings.Index(text, ". "); k > 0 {
		text = text[:k]
	}
	return ", documented as " + quote(strings.TrimSuffix(text, "."), maxDoc)
}

// freshAbove tells whether what is around a node is new.
func (w *writer) freshAbove(n item) bool {
	return n.up(func(p item) bool { return w.fresh[p] }).ok()
}

func names2(ps []item) []string {
	var out []string
	for _, p := range ps {
		named := 0
		for _, k := range p.kids() {
			if p.is(syntax.Parameter) && k.field() == "name" && k.is(syntax.Identifier) {
				named++
				out = append(out, code(k.text()))
			}
		}
		if named == 0 {
			out = append(out, code(parameterName(p)))
		}
	}
	return uniq(out)
}

func many(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (w *writer) class(n item, added bool) {
	name := nameOf(n)
	v := verb(added)
	s := ""
	if h := heritage(n); h != "" && added {
		s = " that " + h
	}
	if name == "" { // Kotlin
		what := strings.ReplaceAll(n.kind(), "_", " ")
		if c := placeOf(n).class; c != "" {
			what += " of " + code(c)
		}
		w.say(n, wDeclare, "class-"+v, "", "the "+what+" was "+v)
		return
	}
	if n.kind() == "impl_item" {
		if t := n.child("trait"); t.ok() {
			w.say(n, wDeclare, "impl-"+v, "", code(name)+map[bool]string{true: " now implements", false: " no longer implements"}[added]+" the trait "+code(t.text()))
		} else {
			w.say(n, wDeclare, "impl-"+v, "", "an `impl` block for "+code(name)+" was "+v)
		}
		if !added {
			return
		}
	} else {
		doc := ""
		if added {
			doc = w.documentedAs(n)
		}
		w.say(n, wDeclare, "class-"+v, "", "the "+classWord(n)+" "+code(name)+s+" was "+v+doc)
		if d := outerAttributes(n); added && len(d) > 0 {
			for _, a := range d {
				if x := derived(a); len(x) > 0 {
					w.names(n, wDetail, "derive-added", "", code(name)+" derives "+slot, code(name)+" derives "+slot, codes(x)...)
				}
			}
		}
	}
	if !added {
		if strings.HasPrefix(name, "Test") || strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "Tests") {
			return // nobody uses one
		}
		w.follows(n, "class-removed-users", "code that uses the removed "+classWord(n)+" "+code(name)+" must be updated")
		return
	}
	var fields, methods, types []string
	for _, m := range members(n) {
		switch {
		case isConstructor(m):
		case m.role().IsClass():
			types = append(types, code(nameOf(m)))
		case m.role().IsFunction():
			methods = append(methods, code(nameOf(m)))
		case m.is(syntax.Field) && m.first(syntax.Arguments).ok(): // Ruby's attributes
			for _, a := range m.first(syntax.Arguments).namedKids() {
				fields = append(fields, code(strings.TrimLeft(a.text(), ":")))
			}
		case m.is(syntax.Field, syntax.Variable, syntax.EnumMember) || m.is(syntax.Assign):
			fields = append(fields, code(nameOf(m)))
		}
	}
	fields, methods = uniq(fields), uniq(methods)
	what := "field"
	if n.is(syntax.Enum) {
		what = "constant"
	}
	var declares []string
	if len(fields) > 0 {
		declares = append(declares, "the "+many(len(fields), what)+" "+list(fields))
	}
	if len(methods) > 0 {
		declares = append(declares, "the "+many(len(methods), "method")+" "+list(methods))
	}
	if types = uniq(types); len(types) > 0 && types[0] != nothing {
		declares = append(declares, "the "+many(len(types), "type")+" "+list(types))
	}
	if len(declares) > 0 {
		w.say(n, wDetail, "class-members", "", code(name)+" declares "+list(declares))
	}
	for _, m := range members(n) {
		if m.role().IsFunction() {
			mn := nameOf(m)
			if isConstructor(m) {
				mn = "the constructor"
			}
			w.functionDetails(m, mn, true)
		}
	}
}

// members lists what a class declares.
func members(n item) []item {
	var out []item
	for _, k := range body(n) {
		out = append(out, unnested(k))
	}
	return out
}

// constraints tells whether a node limits type parameters.
func constraints(n item) bool {
	return n.kind() == "type_parameter_constraints_clause" || n.kind() == "type_constraints"
}

// inHeritage tells whether a node is one of the base types of a class.
func inHeritage(n item) bool {
	p := n.parent()
	return n.named() && (p.is(syntax.Heritage) || p.role() == syntax.Other && p.parent().is(syntax.Heritage))
}

// base says that a class has one base type more or less.
func (w *writer) base(n item, added bool) {
	c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
	h := n.under(syntax.Heritage)
	word, _, _ := strings.Cut(heritageWords(h), " `")
	now := map[bool]string{true: " now also ", false: " no longer "}[added]
	one := classWord(c) + " " + code(nameOf(c)) + now + word + " " + slot
	w.names(n, wSignature, "heritage-"+verb(added), "", one, one, code(n.text()))
}

// heritage is "extends `A` and implements `B`", or "".
func heritage(n item) string {
	var out []string
	for _, k := range n.kids() {
		if k.is(syntax.Heritage) {
			out = append(out, heritageWords(k))
		}
	}
	return strings.Join(out, " and ")
}

// heritageWords is "extends `A`" for one clause of a class.
func heritageWords(k item) string {
	s := oneLine(k.text())
	if k.frag.Table != nil {
		for base, word := range k.frag.Table.Bases {
			if rest, ok := strings.CutPrefix(s, base+" "); ok {
				return word + " " + list(codes(splitList(rest)))
			}
		}
	}
	word := "extends"
	switch {
	case k.traits().MixedBases:
		word = "has the base type" // a class or an interface
	case k.traits().CalledBases && !strings.HasSuffix(s, ")") && !k.parent().is(syntax.Interface):
		word = "implements"
	}
	if strings.HasPrefix(s, "implements") || strings.Contains(k.kind(), "super_interfaces") {
		word = "implements"
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "extends"), "implements")
	if strings.HasPrefix(s, "(") {
		s = strings.Trim(s, "()")
	}
	return word + " " + list(codes(splitList(strings.TrimLeft(s, ": "))))
}

// splitList splits a list at its commas, those inside brackets left alone.
func splitList(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if t := strings.Trim(s[from:i], " ;"); t != "" {
				out = append(out, t)
			}
			from = i + 1
		case strings.IndexByte("([{<", s[i]) >= 0:
			depth++
		case strings.IndexByte(")]}>", s[i]) >= 0:
			depth--
		}
	}
	return out
}

// heritageChanged says how the base types of a class changed.
func (w *writer) heritageChanged(a, b item) {
	if w.done[b] {
		return
	}
	w.done[a], w.done[b] = true, true
	c := b.under(syntax.Class, syntax.Interface, syntax.Enum)
	x, y := heritageWords(a), heritageWords(b)
	old := x
	if f, g := strings.Index(x, "`"), strings.Index(y, "`"); f > 0 && g > 0 && x[:f] == y[:g] {
		old = x[f:]
	}
	w.say(b, wSignature, "heritage-changed", "", classWord(c)+" "+code(nameOf(c))+" now "+y+" instead of "+old)
}

func isFieldAssignment(n item, at place) bool {
	l, _ := sides(n)
	if p := n.under(syntax.Block).parent(); p.ok() && !p.role().IsClass() && strings.Contains(p.kind(), "method") {
		return false // of a method that the hunk does not show
	}
	if s := l.text(); n.traits().LocalsInClasses && (s == "" || s[0] < 'A' || s[0] > 'Z') {
		return false
	}
	return n.is(syntax.Assign) && l.is(syntax.Identifier) && at.class != "" && at.fn == "" && !at.ctor && at.callback == ""
}

// perhapsLocal tells whether what looks like a field may be a variable of a
// function whose beginning the hunk leaves out.
func perhapsLocal(n item) bool {
	if n.frag.Whole || n.traits().FieldsApart || n.first(syntax.Modifier).ok() || strings.HasPrefix(n.text(), "static ") {
		return false
	}
	if n.traits().PlainFields {
		return false
	}
	c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
	if !c.ok() {
		return true
	}
	if n.traits().SpreadTypes && strings.HasPrefix(c.kind(), "struct") {
		return false // functions in them are few
	}
	row, _ := c.rows()
	return row == 0 && n.section != "" // the heading
}

// memberOnly tells whether what looks like a local variable must be a field of a
// class that the hunk leaves out: only members have a visibility.
func memberOnly(n item) bool {
	return slices.ContainsFunc(n.kids(), func(m item) bool {
		return m.is(syntax.Modifier) && slices.ContainsFunc(strings.Fields(modifiers(m)), func(s string) bool { return openness[s] > 0 })
	})
}

// fieldWord says what a field is called in prose.
func fieldWord(n item) string {
	switch {
	case strings.HasPrefix(n.kind(), "const"):
		return "constant" // the language lets nobody change it
	case strings.HasPrefix(n.kind(), "event_"):
		return "event"
	case strings.Contains(n.kind(), "property"):
		return "property"
	}
	return "field"
}

func (w *writer) field(n item, at place, added bool) {
	if t := n.child("type"); n.traits().LiteralFields && t.ok() && !n.child("name").ok() {
		embeds := code(at.class) + map[bool]string{true: " now embeds ", false: " no longer embeds "}[added] + slot
		w.names(n, wDeclare, "embedded-"+verb(added), "", embeds, embeds, code(t.text()))
		return
	}
	name, v := code(nameOf(n)), verb(added)
	of := ""
	if at.class != "" {
		of = at.member(added)
	}
	ofType := ""
	if t := n.child("type"); t.ok() && t.size() <= maxCode {
		ofType = " of type " + code(strings.TrimLeft(t.text(), ": "))
	} else if d := n.first(syntax.Variable); d.ok() && d.child("type").ok() {
		ofType = " of type " + code(d.child("type").text())
	}
	mods := ""
	for _, m := range n.kids() {
		if m.is(syntax.Modifier) && len(modifiers(m)) < 30 {
			mods += modifiers(m) + " "
		}
	}
	mods = strings.TrimLeft(mods, " ")
	if !n.first(syntax.Modifier).ok() && strings.HasPrefix(n.text(), "static ") {
		mods = "static "
	}
	val := valueOf(n)
	if n.is(syntax.Field) && n.first(syntax.Arguments).ok() { // Ruby declares attributes by a call
		for _, a := range n.first(syntax.Arguments).namedKids() {
			one := "`" + callee(n) + "` for " + slot + " was " + v + of
			w.names(n, wDeclare, "field-"+v, "", "the "+one, "the "+one, code(strings.TrimLeft(a.text(), ":")))
		}
		return
	}
	word := fieldWord(n)
	switch {
	case val.is(syntax.Return) && added: // C#
		w.say(n, wDeclare, "field-added", "", "a new "+mods+word+" "+name+ofType+" was added"+of+" that "+does(val, 0))
	case val.is(syntax.Lambda):
		w.say(n, wDeclare, "function-"+v, "", "the method "+name+" was "+v+of)
		w.functionDetails(val, nameOf(n), added)
	case val.ok() && added:
		w.say(n, wDeclare, "field-added", "", "a new "+mods+word+" "+name+ofType+" was added"+of+" and set to "+say(val))
		w.details(val, "the new "+word+" "+name)
	default:
		w.names(n, wDeclare, "field-"+v, "", "the "+mods+word+" "+slot+ofType+" was "+v+of, "the "+mods+many(2, word)+" "+slot+ofType+" were "+v+of, name)
	}
	if added && strings.Contains(mods, "public") && !strings.Contains(mods, "final") && n.frag.Lang == lang.Java {
		w.follows(n, "public-field", "the public field "+name+" is not final, so any code can change it")
	}
	if added {
		w.annotated(n, "the new "+word+" "+name)
		if strings.HasPrefix(nameOf(n), "_") || !n.traits().Dynamic || strings.Contains(mods, "private") { // else others may use it
			w.unused(n, nameOf(n))
		}
	} else {
		w.stillUsed(n, nameOf(n))
	}
}

// listOwner returns what a parameter's list stands in, or none.
func listOwner(p item) item {
	l := p
	if !l.is(syntax.Parameters) {
		l = p.under(syntax.Parameters, syntax.Block)
	}
	if !l.is(syntax.Parameters) {
		return item{}
	}
	return l.parent()
}

// ownerOf returns the function that a parameter belongs to, and its name.
func ownerOf(p item) (item, string) {
	if c := listOwner(p); c.role().IsClass() {
		return c, "the constructor of " + code(nameOf(c))
	}
	f := p.under(syntax.Function, syntax.Constructor, syntax.Lambda)
	if d := p.under(syntax.Field, syntax.Variable, syntax.TypeAlias); !f.ok() && d.ok() && d.traits().SpreadTypes && d.kidOf("(") {
		return d, "the function pointer " + code(nameOf(d))
	}
	if !f.ok() {
		return f, "the function" // a type or a prototype
	}
	if f.is(syntax.Lambda) {
		pl := placeOf(p)
		switch {
		case pl.test:
			return f, pl.String()
		case pl.callback != "":
			return f, "the callback of " + code(pl.callback)
		case pl.fn != "":
			return f, "the function " + code(pl.fn)
		}
		return f, "the function"
	}
	name := nameOf(f)
	if isConstructor(f) {
		if c := placeOf(f).class; c != "" {
			return f, "the constructor of " + code(c)
		}
		return f, "the constructor"
	}
	return f, "the " + functionWord(f) + " " + code(name)
}

// parameter says that a parameter was added to or removed from the list old.
func (w *writer) parameter(n, old item, added bool) {
	v := verb(added)
	if t := n.text(); t == "self" || t == "cls" || t == "this" {
		return // nobody passes it
	}
	f, owner := ownerOf(n)
	name := code(parameterName(n))
	def := valueOf(n)
	if n.is(syntax.Identifier) || !n.is(syntax.Parameter) {
		def = item{}
	}
	if s := strings.TrimSpace(n.text()); n.named() && (s == "*" || s == "/") && !n.frag.Table.Traits.UntypedCatch {
		word := map[bool]string{true: "must now", false: "need no longer"}[added]
		if later := names2(after(n)); s == "*" && len(later) > 0 {
			w.say(n, wSignature, "parameter-by-name", "", list(later)+" of "+owner+" "+word+" be passed by name")
		}
		return
	}
	if what := rest(n); what != "" {
		w.say(n, wSignature, "parameter-"+v, "", owner+map[bool]string{true: " now also takes ", false: " no longer takes "}[added]+what+" as "+name)
		return
	}
	if added && def.ok() {
		w.say(n, wSignature, "parameter-added", "", owner+" now takes an optional parameter "+name+" with the default "+say(def))
		if later := laterParameters(n, old); later != "" {
			one := "callers of " + owner + " that pass " + later + " by position must be updated, because " + slot
			w.names(n, wFollows, "parameter-position", "", one+" comes before it", one+" come before it", name).kind = implication
		} else {
			w.follows(n, "parameter-default-callers", "callers of "+owner+" that do not pass "+name+" get the default "+say(def))
		}
	} else if added && n.kind() == "optional_parameter" {
		w.names(n, wSignature, "parameter-added", "", owner+" now takes the optional parameter "+slot, owner+" now takes the optional parameters "+slot, name)
	} else {
		w.names(n, wSignature, "parameter-"+v, "", "the parameter "+slot+" was "+v+" "+toFrom(added)+" "+owner, "the parameters "+slot+" were "+v+" "+toFrom(added)+" "+owner, name)
		if !f.is(syntax.Lambda) && !isTest(f, nameOf(f)) {
			one := "callers of " + owner + " must no longer pass " + slot
			many := one
			switch {
			case added && n.traits().LooseArguments:
				one = "callers of " + owner + " that do not pass " + slot + " leave it undefined"
				many = "callers of " + owner + " that do not pass " + slot + " leave them undefined"
			case added:
				one = "callers of " + owner + " must now pass " + slot
				many = one
			}
			w.names(n, wFollows, "parameter-"+v+"-callers", "", one, many, name).kind = implication
		}
	}
	if added && f.ok() && !f.role().IsClass() && !f.is(syntax.Lambda) && len(body(f)) > 0 {
		w.parameterUndocumented(f, parameterName(n))
		w.unused(n, parameterName(n))
	}
}

// after lists the parameters behind one.
func after(p item) []item {
	var out []item
	for k := p.next(); k.ok(); k = k.next() {
		if k.named() && !k.is(syntax.Comment) {
			out = append(out, k)
		}
	}
	return out
}

// rest says what a parameter that takes any number of values takes, or "".
func rest(p item) string {
	switch p.kind() {
	case "list_splat_pattern", "splat_parameter", "variadic_parameter", "spread_parameter", "rest_pattern":
		return "any number of further arguments"
	case "dictionary_splat_pattern", "hash_splat_parameter":
		return "any further arguments by name"
	case "block_parameter":
		return "a block"
	}
	return ""
}

// laterParameters names the old parameter that comes right after a new one and
// can be passed by position, or "".
func laterParameters(p, old item) string {
	if !p.parent().is(syntax.Parameters) {
		return "" // Swift, where arguments have names
	}
	kids := p.parent().namedKids()
	for i, k := range kids {
		if k != p {
			if strings.HasPrefix(k.text(), "*") && i < len(kids) {
				// What follows is passed by name.
				for _, l := range kids[i+1:] {
					if l == p {
						return ""
					}
				}
			}
			continue
		}
		for _, l := range kids[i+1:] {
			if strings.HasPrefix(l.text(), "*") || strings.HasPrefix(l.text(), "/") {
				return ""
			}
			if slices.ContainsFunc(old.namedKids(), func(o item) bool { return parameterName(o) == parameterName(l) }) {
				return code(parameterName(l))
			}
		}
	}
	return ""
}

// declared returns the declaration that an annotation or modifier belongs to.
func declared(n item) item {
	if n.is(syntax.Decorator) {
		if d := attributed(n); d.ok() {
			return d
		}
	}
	p := n.up(func(p item) bool {
		return p.role().IsFunction() || p.role().IsClass() || p.is(syntax.Field, syntax.Variable, syntax.Parameter) || p.kind() == "decorated_definition" || p.kind() == "accessor_declaration"
	})
	if p.ok() && p.kind() == "decorated_definition" {
		p = unnested(p)
	}
	return p
}

func declaredName(d item) string {
	switch {
	case !d.ok():
		return "the declaration"
	case isConstructor(d):
		return "the constructor"
	case d.kind() == "accessor_declaration":
		word := "get"
		if slices.ContainsFunc(d.kids(), func(k item) bool { return k.kind() == "set" || k.kind() == "init" }) {
			word = "set"
		}
		return "the " + code(word) + " accessor of " + code(nameOf(d.under(syntax.Field)))
	}
	word := "declaration"
	switch {
	case d.role().IsFunction():
		word = functionWord(d)
	case d.role().IsClass():
		word = classWord(d)
	case d.is(syntax.Field), d.is(syntax.Variable) && memberOnly(d):
		word = fieldWord(d)
	case d.is(syntax.Variable):
		word = "variable"
	case d.is(syntax.Parameter):
		word = "parameter"
	case d.is(syntax.EnumMember):
		word = memberWord(d)
	case d.is(syntax.Namespace):
		word = "module"
	case d.is(syntax.TypeAlias):
		word = "type"
	}
	return "the " + word + " " + code(nameOf(d))
}

// annotationWord says what the language calls an annotation.
func annotationWord(n item) string {
	switch t := n.traits().Annotation; {
	case n.kind() == "decorator":
		return "decorator"
	case t != "":
		return t
	}
	return "annotation"
}

func (w *writer) decorator(n item, added bool) {
	if a, b := n, (item{}); added && w.derives(b, a) || !added && w.derives(a, b) {
		return
	}
	v := verb(added)
	if x := attributed(n); x.ok() && (w.fresh[x] || w.done[x]) && len(attributeOf(n, x)) > 0 {
		return // said with the declaration
	}
	d := declaredName(declared(n))
	word := annotationWord(n)
	if nameOf(n) == "SuppressWarnings" && added {
		w.follows(n, "warnings-suppressed", "warnings are suppressed for "+strings.TrimPrefix(d, "the ")+", so problems there may stay hidden")
	}
	if !declared(n).ok() {
		w.names(n, wDeclare, word+"-"+v, "", "the "+word+" "+slot+" was "+v, "the "+word+"s "+slot+" were "+v, code(n.text()))
		return
	}
	w.names(n, wDeclare, word+"-"+v, "", "the "+word+" "+slot+" was "+v+" "+toFrom(added)+" "+d, "the "+word+"s "+slot+" were "+v+" "+toFrom(added)+" "+d, code(n.text()))
}

// modifiers returns the words of a node with modifiers, without annotations.
func modifiers(n item) string {
	if !n.first(syntax.Decorator).ok() && !strings.Contains(n.text(), "\n") {
		return oneLine(n.text())
	}
	var out []string
	for _, k := range n.kids() {
		if !k.is(syntax.Decorator) {
			out = append(out, oneLine(k.text()))
		}
	}
	if len(out) == 0 && n.leaf() {
		return oneLine(n.text())
	}
	return strings.Join(out, " ")
}

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n item, what string) {
	for _, d := range decorators(n) {
		switch name := nameOf(d); {
		case name == "Override" || isTest(n, ""):
		default:
			w.names(n, wDetail, "annotated", "", what+" has the "+annotationWord(d)+" "+slot, what+" has the "+annotationWord(d)+"s "+slot, code(d.text()))
		}
	}
}

func (w *writer) modifier(n item, added bool) {
	if block(n.parent()) { // Ruby: a statement that holds for what follows, or for what it names
		if a := n.first(syntax.Arguments); a.ok() {
			w.say(n, wSignature, "modifier-"+verb(added), inside(n), list(names(a.namedKids()))+map[bool]string{true: " is now ", false: " is no longer "}[added]+code(callee(n)))
			return
		}
		w.say(n, wSignature, "modifier-"+verb(added), inside(n), "the "+code(n.text())+" above the methods that follow was "+verb(added))
		return
	}
	if t := strings.TrimRight(oneLine(n.text()), ";"); strings.HasPrefix(t, "=") || strings.HasPrefix(t, "pub(") {
		w.modifierWord(n, t, added)
		return
	}
	for _, k := range n.kids() {
		if k.is(syntax.Decorator) {
			w.decorator(k, added)
		}
	}
	for _, m := range strings.Fields(modifiers(n)) {
		w.modifierWord(n, m, added)
	}
}

func (w *writer) modifierWord(n item, m string, added bool) {
	d := declared(n)
	if strings.HasPrefix(m, "@") {
		return
	}
	if added {
		w.say(n, wSignature, "modifier-added", "", declaredName(d)+" was made "+code(m))
	} else {
		w.say(n, wSignature, "modifier-removed", "", declaredName(d)+" is no longer "+code(m))
	}
}
