package symbolic

import (
	"hash/maphash"
	"slices"

	"crscore/internal/syntax"
)

// likeness says how probable it is that b is what became of a: 0 for not at
// all, 2 for certainly. Alone nodes have no rival in their gap.
func (d *differ) likeness(a, b item, alone bool) float64 {
	if punctuation(a) || punctuation(b) || a.is(syntax.Import) != b.is(syntax.Import) {
		return 0
	}
	if framed(a, b) || headed(a, b) {
		return 2
	}
	if a.field() != "" && a.field() == b.field() && (!block(a.parent()) || a.parent().is(syntax.Case) && !statement(a) && !statement(b)) && !repeated(a.parent()) && !repeated(b.parent()) {
		return 2
	}
	if a.named() != b.named() {
		return 0
	}
	if !a.named() {
		if alone {
			return 1
		}
		return 0
	}
	if x, y := unnested(a), unnested(b); a.kind() != b.kind() && x.kind() == y.kind() && declares(x.role()) && nameOf(x) == nameOf(y) {
		return 2
	}
	if a.parent().is(syntax.Parameters) && b.parent().is(syntax.Parameters) && parameterName(a) == parameterName(b) {
		return 2 // a default or a type was put to it
	}
	if a.role() != b.role() || a.role() == syntax.Other && a.kind() != b.kind() {
		// In an expression, what stands alone in its place is the same place.
		if alone && a.parent().ok() && !block(a.parent()) {
			return 0.5
		}
		return 0
	}
	if a.is(syntax.Case) && caseLabel(a) == caseLabel(b) {
		return 2
	}
	if declares(a.role()) {
		x, y := nameOf(a), nameOf(b)
		if x != "" && x == y {
			// Of overloads, the one with the same parameters is the same.
			if p, q := a.first(syntax.Parameters), b.first(syntax.Parameters); p.ok() && q.ok() && p.hash() == q.hash() {
				return 2.5
			}
			return 2
		}
		if a.is(syntax.Attribute) {
			return 0
		}
	}
	s := d.similar(a, b)
	if x, y := unnested(a), unnested(b); x.is(syntax.Assign) && y.is(syntax.Assign) && compound(x) == compound(y) && target(x) == target(y) {
		s = max(s, minSimilar+s/4) // the same variable gets another value
	} else if takesFunction(x) && takesFunction(y) && callee(x) != "" && callee(x) == callee(y) {
		s = max(s, minSimilar+s/4) // a callback with another body
	}
	switch {
	case s >= minSimilar:
		return s
	case alone && (!block(a.parent()) || s >= minSimilar/2):
		return s + 0.01
	case a.is(syntax.Arguments, syntax.Parameters, syntax.Block, syntax.Modifier, syntax.Heritage):
		return 0.1
	}
	return 0
}

// takesFunction tells whether n is a call that is handed a function.
func takesFunction(n item) bool {
	return n.is(syntax.Call) && arguments(n).first(syntax.Lambda).ok()
}

// repeated tells whether a field name may occur several times in a node.
func repeated(n item) bool {
	if n.last()-n.i > 2000 {
		return true // long lists; looking costs too much
	}
	count := map[string]int{}
	for _, k := range n.kids() {
		if f := k.field(); f != "" {
			if count[f]++; count[f] > 1 {
				return true
			}
		}
	}
	return false
}

// maxTokens bounds how much of a node is looked at to compare it.
const maxTokens = 400

// similar is the Dice coefficient of the nodes' words.
func (d *differ) similar(a, b item) float64 {
	x, y := d.bag(a), d.bag(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	a.spend(len(x) + len(y))
	common, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			common, i, j = common+1, i+1, j+1
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(x)+len(y))
}

// bag returns the sorted hashes of a node's words.
func (d *differ) bag(n item) []uint64 {
	if b, ok := d.tokens[n]; ok {
		return b
	}
	var out []uint64
	if !n.ok() {
		return nil
	}
	src := n.src[n.start():n.end()]
	n.meter.spend(len(src))
	for i := 0; i < len(src) && len(out) < maxTokens; {
		if src[i] <= ' ' {
			i++
			continue
		}
		j := i + 1
		if wordByte(src[i]) {
			for j < len(src) && wordByte(src[j]) {
				j++
			}
			out = append(out, maphash.Bytes(d.seed, src[i:j]))
		}
		i = j
	}
	slices.Sort(out)
	d.tokens[n] = out
	return out
}
