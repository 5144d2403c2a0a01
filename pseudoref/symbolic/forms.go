package symbolic

import "crscore/internal/syntax"

// Forms without a meaning of their own: a `try` whose handlers only throw the error again,
// a variable that only carries a value to the `return` behind it, and another name for a
// variable. What stands in them is told as it is without them. See also secondName.

// rethrows tells whether a `try` does nothing but throw again what it catches.
func rethrows(n item) bool {
	if !n.is(syntax.Try) || n.first(syntax.Finally).ok() || len(resources(n)) > 0 {
		return false
	}
	handlers := 0
	for _, c := range n.kids() {
		if c.is(syntax.Else) {
			return false
		}
		if !c.is(syntax.Catch) {
			continue
		}
		handlers++
		b := body(c)
		if len(b) != 1 || !strip(b[0]).is(syntax.Throw) {
			return false
		}
		switch k := strip(b[0]).namedKids(); {
		case len(k) == 0: // Python's `raise`
		case len(k) > 1 || !k[0].is(syntax.Identifier) || !bindsError(c, k[0]):
			return false
		}
	}
	return handlers > 0
}

// bindsError tells whether the name of a thrown error is that of the catch clause.
func bindsError(c, thrown item) bool {
	for _, x := range c.leaves(16, syntax.Identifier) {
		if x.text() == thrown.text() && x != thrown {
			return true
		}
	}
	return false
}

// neighbour returns the statement beside another, behind it or before it.
func neighbour(s item, behind bool) item {
	for s.ok() && !block(s.parent()) {
		if s = s.parent(); s.is(frames...) {
			return item{}
		}
	}
	for i := 0; s.ok() && i < maxClimb; i++ {
		if s = s.prevOrNext(behind); s.named() && !s.is(syntax.Comment) {
			return s
		}
	}
	return item{}
}

// carrier is the `return` behind a statement that gives a variable its value only for
// it, or none.
func carrier(s item) item {
	name := definedName(s)
	if name == "" {
		return item{}
	}
	r := strip(neighbour(s, true))
	if !r.is(syntax.Return) || exits(r) {
		return item{}
	}
	if k := r.namedKids(); len(k) != 1 || !k[0].is(syntax.Identifier) || k[0].text() != name {
		return item{}
	}
	return r
}

// otherName is the variable that a statement gives another name, which nothing else sets, or none.
func otherName(s item) item {
	name := definedName(s)
	f := s.under(syntax.Function, syntax.Constructor, syntax.Lambda)
	v := strip(assigned(strip(unnested(s))))
	if name == "" || !f.ok() || !v.is(syntax.Identifier) || v.text() == name {
		return item{}
	}
	if unnested(s).is(syntax.Assign) && len(s.root().leavesOf(name)) > len(f.leavesOf(name)) {
		return item{} // perhaps a variable of the file
	}
	for _, x := range f.leavesOf(name) {
		if d := x.up(movable); definedName(d) == name && unnested(d) != unnested(s) && !assigned(strip(unnested(d))).contains(x) {
			return item{}
		}
	}
	return v
}
