// Package rules tells what happened in code, and what follows for its callers and readers. A family of rules stands
// in a file with the code that finds its facts: what the sentences are, and which edits of the trees they are about.
//
// The format of structured files may not come in, nor may ranking: facts come out as they are found.
package rules

import (
	"context"
	"errors"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// Events tells what happened to a file as a whole. It answers false if there is no more to be told of it.
func Events(c *fact.Collector, f *syntax.File) bool {
	w := &writer{Collector: c, file: f}
	w.fileEvents()
	return !f.Binary && !f.Submodule() && len(f.Hunks) > 0 && !w.byTool() // nobody wrote these lines, or there are none
}

// Code compares the trees of a file, with at most the work that is left. It counts the pieces that take too much
// work; these, and what trees do not tell, it tells line by line. The error is ctx's own.
func Code(ctx context.Context, c *fact.Collector, f *syntax.File, work *int) (tooMuch int, err error) {
	w := &writer{Collector: c, file: f, work: work}
	read := map[int]bool{} // hunks that trees tell of; -1 stands for all
	for _, p := range tree.Pairs(f) {
		before := len(w.Facts)
		hunk, ok, err := w.pair(ctx, p)
		if err != nil {
			return 0, err
		}
		if !ok {
			w.Facts = w.Facts[:before] // its lines are told instead
		}
		read[hunk] = len(w.Facts) > before
	}
	for i := range f.Hunks {
		if !read[-1] && !read[i] {
			w.lines(i)
		}
	}
	return w.tooMuch, nil
}

// Finish says what only all facts of a file tell.
func Finish(c *fact.Collector, f *syntax.File) {
	w := &writer{Collector: c, file: f}
	w.redeclared()
	w.Facts = fact.MergeNames(w.Facts)
	w.regrouped()
	// That nothing but white space was changed holds of a hunk only, where another one changed more.
	if formats := func(f *fact.Fact) bool { return f.Rule.ID == "formatting-only" }; !w.all(formats) {
		w.Facts = slices.DeleteFunc(w.Facts, formats)
	}
	w.alone()
	w.something()
}

// pair compares the trees of both sides of a piece, of which either may be nil, and returns its hunk, -1 for a whole
// file. It answers false where what it found is not to be believed, or is not all. The error is ctx's own.
func (w *writer) pair(ctx context.Context, p [2]*syntax.Fragment) (hunk int, ok bool, err error) {
	given := tree.WorkPerPair
	for _, fr := range p {
		if fr != nil {
			hunk = fr.Hunk
			given += tree.WorkPerByte * len(fr.Source)
		}
	}
	given = min(given, *w.work)
	m := tree.NewMeter(ctx, given)
	err = tree.Metered(func() {
		a, b := tree.Of(w.file.File, p[change.Old], m), tree.Of(w.file.File, p[change.New], m)
		if a.Garbled() || b.Garbled() {
			return
		}
		x, y := aliases(a), aliases(b)
		a, b = w.without(a, b, x, y), w.without(b, a, y, x)
		before := len(w.Facts)
		believed := w.trees(a, b)
		if ok = hunk < 0 || believed && !shreds(w.Facts[before:]); ok && len(w.Facts) > before {
			w.reach(a, b)
		}
	})
	*w.work -= given - m.Left()
	if errors.Is(err, tree.ErrWork) {
		w.tooMuch++
		return hunk, false, nil // other pieces of the file may be smaller
	}
	return hunk, ok, err
}

// something says what can be said of a changed file that no rule had words for: without a claim there is no score.
func (w *writer) something() {
	if len(w.Facts) > 0 {
		return
	}
	for i := range w.file.Hunks {
		w.lines(i)
	}
	if n := len(w.changedLines(change.Old)) + len(w.changedLines(change.New)); len(w.Facts) == 0 && n > 0 {
		w.throughout("symbols-only", fact.Slots{Detail: phrase.Plural(n, "line")})
	}
}

// throughout adds a fact about all changed lines of the file.
func (w *writer) throughout(id string, s fact.Slots) { w.Add(id, "", fact.Changing(w.file.File), s) }

// shreds tells whether claims about a hunk are mostly about single words: then
// its tree is one of something else, such as the inside of a long text.
func shreds(facts []*fact.Fact) bool {
	n := 0
	for _, f := range facts {
		if strings.HasPrefix(f.Rule.ID, "code-") {
			n++
		}
	}
	return n > 1 || n*3 > len(facts) // one word beside other claims may be right
}

// All returns the rules about code, files, comments and lines.
func All() []fact.Rule {
	return append(slices.Concat(
		annotationRules(), branchRules(), callRules(), classRules(), commentRules(),
		compiledRules(), conditionRules(), consequenceRules(), fieldRules(), fileRules(),
		functionRules(), importRules(), lineRules(), moveRules(),
		outcomeRules(), parameterRules(), partRules(), renameRules(), replacementRules(),
		statementRules(), typeRules(), valueRules(),
	), fact.Claim("symbols-only", fact.Format, "only empty lines, brackets or other signs without words were changed, in {detail}"))
}
