package symbolic

import (
	"bytes"
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Questions that a careful reader of new code asks, where the tree has the answer:
// may this be missing, who sees this change, was this meant.

// nullable are the calls that give nothing when they find nothing.
var nullable = []string{
	"os.getenv", "os.environ.get", "System.getenv", "System.getProperty", "re.match", "re.search", "re.fullmatch", "shutil.which",
	"document.getElementById", "document.querySelector", "request.getParameter", "request.getHeader", "request.args.get", "request.GET.get",
	"request.POST.get", "localStorage.getItem", "sessionStorage.getItem", "getResource", "getResourceAsStream",
}

// nullableResult says that something is asked of a result that may be missing.
func (w *writer) nullableResult(n item) {
	p := n.parent()
	if !n.is(syntax.Call) || len(arguments(n).namedKids()) != 1 {
		return
	}
	of := callee(n)
	if !slices.ContainsFunc(nullable, func(name string) bool { return endsIn(of, name) }) {
		return
	}
	next := p.namedKids()
	var asked string
	switch {
	case p.is(syntax.Member) && len(next) > 1 && next[0] == n:
		asked = lastName(next[len(next)-1].text())
	case p.is(syntax.Call) && receiver(p) == n:
		asked = calledName(p)
	}
	between := string(n.src[n.node().end:p.node().end])
	if asked == "" || strings.HasPrefix(strings.TrimSpace(between), "?") || strings.HasPrefix(strings.TrimSpace(between), "!") {
		return
	}
	w.risk(n, "null-result", code(callee(n))+" may give nothing, and then asking for "+code(asked)+" fails")
}

// changing are the calls that give another answer each time, or in each process.
var changing = []string{
	"os.getenv", "os.environ.get", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "uuid.uuid4", "uuid4", "random.random",
	"random.randint", "random.choice", "os.getcwd", "socket.gethostname", "Time.now", "Date.today", "SecureRandom.hex", "System.getenv", "System.getProperty",
	"System.currentTimeMillis", "Instant.now", "LocalDate.now", "LocalDateTime.now", "UUID.randomUUID", "Date.now", "Math.random", "process.cwd", "getConfig",
}

// readOnce says that what may be another each time is asked for only once: where a
// class, its static fields or the defaults of parameters are made.
func (w *writer) readOnce(n item) {
	of := callee(n)
	if !slices.ContainsFunc(changing, func(name string) bool { return endsIn(of, name) }) || n.under(syntax.Lambda).ok() {
		return
	}
	f := n.under(syntax.Function, syntax.Constructor)
	when := ""
	switch p := n.under(syntax.Parameter); {
	case p.ok() && n.traits().Docstrings && valueOf(p).contains(n):
		when = "when the function is defined, not at each call"
	case f.ok():
	case !n.under(syntax.Class).ok() && n.frag.Whole && n.under(syntax.Declarator, syntax.Variable, syntax.Assign).ok():
		when = "when the file is loaded, so what changes later is not seen"
	case n.under(syntax.Class).ok() && (n.traits().Docstrings || strings.Contains(" "+modifiers(n.under(syntax.Field))+" ", " static ")):
		when = "when the class is loaded, not for each object"
	}
	if when != "" {
		w.risk(n, "read-once", "`"+callee(n)+"` is asked once, "+when)
	}
}

// unlikeSiblings says that an attribute gets a constant where the assignments
// before it, to the same object, ask another one.
func (w *writer) unlikeSiblings(n item) {
	base := func(n item) (of, from string) {
		n = strip(unnested(n))
		if !n.is(syntax.Assign) {
			return "", ""
		}
		of, _, _ = cutLast(target(n), ".")
		v := strip(assigned(n))
		switch {
		case v.is(syntax.Number, syntax.Bool, syntax.String):
			from = constant
		case v.is(syntax.Call) && receiver(v).ok():
			from = receiver(v).text()
		case v.is(syntax.Index) && len(v.namedKids()) > 1:
			from = v.namedKids()[0].text()
		}
		return of, from
	}
	of, from := base(n)
	if of == "" || from != constant || placeOf(n).test {
		return
	}
	s := n
	for s.parent().is(syntax.ExpressionStatement) {
		s = s.parent()
	}
	source, count := "", 0
	for p := s.prev(); p.ok(); p = p.prev() {
		if !p.named() || p.is(syntax.Comment) {
			continue
		}
		x, f := base(p)
		if x != of || f == "" || f == constant || source != "" && f != source {
			break
		}
		source, count = f, count+1
	}
	if count > 1 {
		w.risk(n, "unlike-siblings", code(target(n))+" is set to a constant, while the assignments before it ask "+code(source))
	}
}

// constant stands for a literal value.
const constant = "\x00"

// out are names of parameters that are there to be changed.
var out = regexp.MustCompile(`(?i)^(?:self|this|cls|ctx|context|state|draft|acc|memo|out|output|result|results?|res|resp|response|dest|target|buf|buffer|el|elem|element|node|event|e|ref|root|input|form|module|exports)$`)

// onPage matches what is set in elements of a page, which are there for it.
var onPage = regexp.MustCompile(`\.(?:innerHTML|textContent|innerText|value|className|style|style\.\w+|checked|disabled|src|href|current|onclick|hidden)$`)

// argumentChanged says that a function changes an object that its caller has.
func (w *writer) argumentChanged(n item) {
	var target item
	switch {
	case n.is(syntax.Assign, syntax.AugAssign):
		target, _ = sides(n)
	case n.is(syntax.Unary, syntax.Delete) && strings.HasPrefix(n.text(), "del"):
		if k := n.namedKids(); len(k) == 1 {
			target = k[0]
		}
	}
	if !target.is(syntax.Member, syntax.Index) || !n.traits().SharedArguments || onPage.MatchString(target.text()) {
		return
	}
	base := target
	for i := 0; i < maxSay && base.is(syntax.Member, syntax.Index) && len(base.namedKids()) > 0; i++ {
		base = base.namedKids()[0]
	}
	f := n.under(syntax.Function, syntax.Constructor, syntax.Lambda)
	if !base.is(syntax.Identifier) || !f.is(syntax.Function) || isConstructor(f) || isTest(f, nameOf(f)) || out.MatchString(base.text()) {
		return
	}
	for _, p := range parameters(f) {
		if parameterName(p) == base.text() {
			w.risk(n, "argument-changed-inside", "setting or deleting "+code(target.text())+" changes the object that the caller of "+code(nameOf(f))+" passed")
			return
		}
	}
}

// errorUnused says that a new handler has no use for what it caught.
func (w *writer) errorUnused(n item) {
	b := n.child("body")
	if !b.ok() {
		b = n.first(syntax.Block)
	}
	if !b.ok() || len(body(n)) == 0 {
		return
	}
	var name string
	for i := n.i + 1; i < b.i; i++ {
		if x := (item{n.tree, i}); x.leaf() && x.is(syntax.Identifier) {
			name = x.text() // the last name before the body is the variable's
		}
	}
	if name == "" || strings.HasPrefix(name, "_") || name == "ignored" || strings.ToUpper(name[:1]) == name[:1] || standsIn(b, name, true) > 0 {
		return
	}
	for _, t := range b.find(5, nil, syntax.Throw) {
		if len(t.namedKids()) == 0 {
			return // it is thrown again
		}
	}
	w.risk(n, "error-unused", "the caught "+code(name)+" is not used, so the cause of the error is lost")
}

// parameterTag matches documentation that tells of parameters one by one.
var parameterTag = regexp.MustCompile(`@param\b|:param\b|<param name=|(?m:^\s*(?:Args|Arguments|Parameters)\s*:?\s*$)`)

// parameterUndocumented says that the documentation tells of the other parameters
// of a function, but not of a new one.
func (w *writer) parameterUndocumented(f item, name string) {
	outer := f
	for outer.parent().ok() && !block(outer.parent()) {
		outer = outer.parent()
	}
	doc := ""
	if before := outer.prev(); before.is(syntax.Comment) {
		doc = before.text()
	} else if b := body(f); len(b) > 0 && strip(b[0]).is(syntax.String) {
		doc = strip(b[0]).text()
	} else if f.traits().Docstrings {
		doc = docstring(bodyOf(f).text())
	}
	if !parameterTag.MatchString(doc) {
		return
	}
	told := false
	eachWord([]byte(doc), 0, len(doc), func(start, end int) { told = told || doc[start:end] == strings.TrimPrefix(name, "$") })
	if told {
		return
	}
	w.names(f, wFollows, "parameter-undocumented", "", "the documentation of "+code(nameOf(f))+" does not mention the new parameter "+slot,
		"the documentation of "+code(nameOf(f))+" does not mention the new parameters "+slot, code(name)).kind = implication
}

// docstring is the text in three quotes that a body begins with, or "".
func docstring(body string) string {
	body = strings.TrimLeft(body, "rRuUbB \t\n")
	for _, q := range []string{`"""`, `'''`} {
		if rest, ok := strings.CutPrefix(body, q); ok {
			doc, _, _ := strings.Cut(rest, q)
			return doc
		}
	}
	return ""
}

// internalPackage matches imports of what is no public part of a platform.
var internalPackage = regexp.MustCompile(`\b(?:com\.sun|sun\.misc|sun\.[a-z]+|jdk\.internal)\.`)

// importQuestions asks about a new import as a whole.
func (w *writer) importQuestions(n item) {
	switch text := cutBytes(n.text(), 500); {
	case n.frag.Lang == lang.Java && internalPackage.MatchString(text):
		w.risk(n, "internal-package", "the imported package is internal to the JDK, so it may be missing elsewhere or go away")
	case n.traits().UntypedCatch && n.frag.Whole && strings.HasPrefix(text, "import ") && w.oldWords.of("import") == 0 && w.reads(len(n.src)) && bytes.Contains(n.src, []byte("module.exports")):
		w.risk(n, "modules-mixed", "the file now mixes `import` with `module.exports`")
	}
}

// hidesBuiltin says that a new name hides a function of the language.
func (w *writer) hidesBuiltin(n item, name string) {
	if slices.Contains(n.traits().Builtins, name) {
		w.risk(n, "hides-builtin", "the name "+code(name)+" hides the built-in of that name")
	}
}
