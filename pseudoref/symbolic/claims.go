// Package symbolic makes claims about a change from its syntax trees alone: no
// model, no guess. It says in plain English what was added, removed, changed,
// renamed or moved, where, and what follows from that for callers and readers.
//
// A claim must be true of the change as the trees show it. What depends on
// types, on other files or on intention may not come in, nor may scores.
package symbolic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// Source is the Source of every Ref made here.
const Source = "symbolic"

// Version names the rules and their wording for signatures. It changes
// whenever the same change may yield other claims.
const Version = "symbolic/9"

// DefaultMax is the most claims that any change gets where Options names no
// number.
const DefaultMax = 60

// DefaultLimit is the number of claims that are kept of a change with some
// changed lines, where Options names no other. It grows with the root of the
// size: a change of ten times the lines has more to be said of it, but no review
// says ten times as much.
func DefaultLimit(lines int) int {
	return min(DefaultMax, 10+int(2*math.Sqrt(float64(lines))))
}

// maxWarnings bounds the files that warnings name; Result.Unread counts them all.
const maxWarnings = 10

// Result is what is said of a change.
type Result struct {
	// Refs are in the order of the files and lines of the change.
	Refs []pseudoref.Ref
	// Unread counts the files of which a part was told line by line for want of a
	// tree, or because its tree takes too much work.
	Unread int
	// Warnings say which trees took too much work.
	Warnings []string
}

// Claims returns what the trees of a change say about it. The result is the same for
// the same change. It is empty for a change without any difference. The error is ctx's
// own, wrapped, or names a rule of the options that does not exist.
func Claims(ctx context.Context, t *syntax.Trees, opts Options) (Result, error) {
	var found []*finding
	var untested []string
	var out Result
	work, rules := tree.MaxChangeWork, ruleTable()
	if err := opts.check(rules); err != nil {
		return Result{}, err
	}
	for _, f := range t.Files {
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("making claims: %w", err)
		}
		w := &writer{file: f, rules: rules, work: &work}
		if err := w.tell(ctx); err != nil {
			return Result{}, fmt.Errorf("making claims about %s: %w", f.Path(), err)
		}
		found = append(found, w.facts...)
		untested = append(untested, w.untested...)
		if w.tooMuch > 0 && len(out.Warnings) < maxWarnings {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %d pieces take too much work to be compared, and are told line by line", f.Path(), w.tooMuch))
		}
		if w.tooMuch > 0 || f.Unread {
			out.Unread++
		}
	}
	found = append(found, missingTest(rules["no-test"], found, untested)...)
	found = append(found, docsOnly(rules["docs-only"], t.Files, found)...)
	found = merge(opts.switchedOn(split(found, rules)))
	limit := opts.Max
	if limit == 0 {
		limit = DefaultLimit(changedLines(t))
	}
	if limit > 0 {
		found = pick(found, limit)
	}
	out.Refs = refs(found, newPastes(t))
	return out, nil
}

// changedLines counts the lines that a change adds and removes.
func changedLines(t *syntax.Trees) int {
	n := 0
	for _, f := range t.Files {
		for i := range f.Hunks {
			for j := range f.Hunks[i].Lines {
				if f.Hunks[i].Lines[j].Op != change.Context {
					n++
				}
			}
		}
	}
	return n
}

// tell says what happened to the file and in it.
func (w *writer) tell(ctx context.Context) error {
	f := w.file
	w.fileEvents()
	if f.Binary || f.Submodule() || len(f.Hunks) == 0 {
		return nil
	}
	if w.byTool() {
		return nil
	}
	if w.structured() {
		w.facts = w.regrouped(merge(w.facts))
		w.formattingOnly()
		w.alone()
		w.something()
		return nil
	}
	read := map[int]bool{} // hunks that trees tell of; -1 stands for all
	for _, p := range tree.Pairs(f) {
		told, untested := len(w.facts), len(w.untested)
		hunk, ok, err := w.pair(ctx, p)
		if err != nil {
			return err
		}
		if !ok {
			w.facts, w.untested = w.facts[:told], w.untested[:untested]
		}
		read[hunk] = len(w.facts) > told
	}
	for i := range f.Hunks {
		if !read[-1] && !read[i] {
			w.lines(i)
		}
	}
	w.facts = w.regrouped(merge(w.facts))
	w.formattingOnly()
	w.alone()
	w.something()
	return nil
}

// pair compares the trees of both sides of a piece, of which either may be nil, and
// returns its hunk, -1 for a whole file. It answers false where what it found is not
// to be believed, or is not all. The error is ctx's own.
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
		a, b = w.withoutAliases(a, b)
		before, untested := len(w.facts), len(w.untested)
		believed := w.trees(a, b)
		if hunk >= 0 && (!believed || shreds(w.facts[before:])) {
			w.facts, w.untested = w.facts[:before], w.untested[:untested]
		}
		if len(w.facts) > before {
			w.reach(a, b)
		}
		ok = true
	})
	*w.work -= given - m.Left()
	if errors.Is(err, tree.ErrWork) {
		w.tooMuch++
		return hunk, false, nil
	}
	return hunk, ok, err
}

// something says what can be said of a changed file that no rule had words for:
// without a claim there is no score.
func (w *writer) something() {
	if len(w.facts) > 0 {
		return
	}
	for i := range w.file.Hunks {
		w.lines(i)
	}
	n := len(w.changedLines(change.Old)) + len(w.changedLines(change.New))
	if len(w.facts) > 0 || n == 0 {
		return
	}
	f := w.add(tree.Node{}, "symbols-only", "", fact.Slots{Detail: phrase.Plural(n, "line")})
	f.first, f.last = w.changedRange(change.New)
	if f.first == 0 {
		f.side = change.Old
		f.first, f.last = w.changedRange(change.Old)
	}
}

// shreds tells whether claims about a hunk are mostly about single words: then
// its tree is one of something else, such as the inside of a long text.
func shreds(facts []*finding) bool {
	n := 0
	for _, f := range facts {
		if strings.HasPrefix(f.rule, "code-") || f.rule == "keyword-added" || f.rule == "keyword-removed" {
			n++
		}
	}
	return n > 1 || n*3 > len(facts)
}

// missingTest says that new functions come without a test, where no claim is
// about one.
func missingTest(rule *fact.Rule, found []*finding, untested []string) []*finding {
	if untested = phrase.Uniq(untested); len(untested) == 0 {
		return nil
	}
	for _, f := range found {
		if strings.Contains(f.where+f.what, "test ") || strings.HasPrefix(f.rule, "test-") || strings.HasPrefix(f.rule, "assert") {
			return nil
		}
	}
	f := &finding{side: change.New}
	return []*finding{f.fill(rule, fact.Slots{Object: phrase.List(untested)})}
}

func changeRules() []fact.Rule {
	return []fact.Rule{
		fact.Implication("no-test", "the change adds no test for the new {object}"),
		fact.Claim("symbols-only", fact.Format, "only empty lines, brackets or other signs without words were changed, in {detail}"),
	}
}
