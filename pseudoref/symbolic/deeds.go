package symbolic

import (
	"slices"
	"sort"
	"strings"

	"crscore/internal/syntax"
)

// asks tells whether a deed is only a question whose answer is not told.
func asks(deed string) bool { return strings.HasPrefix(deed, "checks whether ") }

// maxDeeds is the number of things said about what a new function does.
const maxDeeds = 5

// deeds says what the body of a new function does, and under which condition:
// "returns early when `x` is null". Of many things those are said that matter to a
// caller, and what is only put into a local variable last.
func deeds(b []item) []string { return deedsAt(b, 0) }

func deedsAt(b []item, depth int) []string {
	if depth > maxSay {
		return nil
	}
	type deed struct {
		what string
		rank int
	}
	var all []deed
	add := func(rank int, what string) {
		if what != "" && len(all) < 100 && !slices.ContainsFunc(all, func(d deed) bool { return d.what == what }) {
			all = append(all, deed{what, rank})
		}
	}
	when := func(stmts []item, cond string) {
		e := slices.DeleteFunc(effects(stmts), asks)
		if len(e) > 0 && cond != "" {
			what := e[0]
			if len(e) > 1 && countWords(e[0])+countWords(e[1])+countWords(cond) < maxWords-7 {
				what += " and " + e[1]
			}
			add(3, what+" when "+cond)
		}
	}
	for _, s := range b {
		n := strip(unnested(s))
		switch {
		case n.is(syntax.If) && !conditional(n) && condition(n).ok():
			in := body(n)
			if len(in) == 1 && branch(strip(in[0])) && condition(strip(in[0])).ok() && !otherwise(n).ok() {
				inner := strip(in[0])
				when(body(inner), runsWhen(n, true)+" and "+runsWhen(inner, true))
				if o := otherwise(inner); o.ok() && !branch(o) {
					when(branchBody(o), runsWhen(n, true)+" and "+runsWhen(inner, false))
				}
				break
			}
			if e := effects(in); len(e) > 0 && !slices.ContainsFunc(e, func(s string) bool { return !asks(s) }) {
				cond := runsWhen(n, true)
				if k := slices.IndexFunc(in, leaves); k >= 0 {
					in = in[:k+1] // what follows may not happen
				}
				for _, d := range deedsAt(in, depth+1) {
					if x, inner, ok := strings.Cut(d, " when "); ok && !asks(d) && countWords(d)+countWords(cond) < maxWords-5 {
						add(2, x+" when "+cond+" and "+inner)
					} else if !ok && !asks(d) {
						add(2, d+" when "+cond)
					}
				}
				break
			}
			if len(in) == 1 && strip(in[0]).is(syntax.Throw) {
				break // how it fails is told by itself
			}
			when(in, runsWhen(n, true))
			if o := otherwise(n); o.ok() && !branch(o) {
				when(branchBody(o), runsWhen(n, false))
			}
		case n.is(syntax.Loop) && does(n, 0) != "":
			what := does(n, 0)
			in := deedsAt(body(n), depth+1)
			if k := slices.IndexFunc(in, func(s string) bool {
				return !asks(s) && !strings.HasPrefix(s, "declares ") && !strings.HasPrefix(s, "skips ")
			}); k >= 0 {
				what += ", where it " + in[k]
			}
			add(2, what)
		case n.is(syntax.Try):
			for _, x := range body(n) {
				if d := does(x, 0); d != "" && !strip(x).is(syntax.Variable) {
					add(2, d)
				}
			}
			for _, c := range n.kids() {
				if t := caught(c); c.is(syntax.Catch) && t != "" {
					add(2, "catches "+t)
				}
			}
		case carrier(n).ok(), otherName(n).ok(): // what follows says more
		case n.is(syntax.Variable) || n.is(syntax.Assign) && simpleName(target(n)):
			add(1, does(n, 0))
		case n.is(syntax.Return, syntax.Assert) || n.is(syntax.Call) && assertion(n):
			add(3, does(n, 0))
		case n.is(syntax.Call) && callee(n) == ":": // a shell's nothing
		default:
			add(2, does(n, 0))
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return all[order[i]].rank > all[order[j]].rank })
	order = order[:min(len(order), maxDeeds)]
	slices.Sort(order)
	var out []string
	for _, i := range order {
		out = append(out, all[i].what)
	}
	return out
}
