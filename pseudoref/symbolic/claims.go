// Package symbolic makes claims about a change from its syntax trees alone: no
// model, no guess. It says in plain English what was added, removed, changed,
// renamed or moved, where, and what follows from that for callers and readers.
//
// A claim must be true of the change as the trees show it. What depends on
// types, on other files or on intention may not come in, nor may scores.
package symbolic

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/data"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/rules"
	"crscore/pseudoref/symbolic/tree"
)

// Source is the Source of every Ref made here.
const Source = "symbolic"

// Version names the rules and their wording for signatures. It changes
// whenever the same change may yield other claims.
const Version = "symbolic/12" + syntax.Grammars

// DefaultMax is the most claims that any change gets where Options names no number.
const DefaultMax = 60

// DefaultLimit is the number of claims that are kept of a change with some changed lines, where Options names
// no other. It grows with the root of the size: a change of ten times the lines has more to be said of it, but
// no review says ten times as much.
func DefaultLimit(lines int) int {
	return min(DefaultMax, 10+int(2*math.Sqrt(float64(lines))))
}

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
	var out Result
	work, known := limits.ChangeClaimsWork, catalogue()
	if err := opts.check(known); err != nil {
		return Result{}, err
	}
	lines := 0 // that are changed
	all := fact.Collector{Rules: known}
	for _, f := range t.Files {
		c := &fact.Collector{Path: f.Path(), Rules: known}
		tooMuch, err := tell(ctx, c, f, &work)
		if err != nil {
			return Result{}, fmt.Errorf("making claims about %s: %w", f.Path(), err)
		}
		lines += len(f.ChangedLines(change.Old)) + len(f.ChangedLines(change.New))
		all.Facts = append(all.Facts, c.Facts...)
		if tooMuch > 0 && len(out.Warnings) < limits.WarnedClaims {
			const warning = "%s: %d pieces take too much work to be compared, and are told line by line"
			out.Warnings = append(out.Warnings, fmt.Sprintf(warning, f.Path(), tooMuch))
		}
		if tooMuch > 0 || f.Unread {
			out.Unread++
		}
	}
	found := fact.Final(all.Facts, known, opts.on)
	limit := opts.Max
	if limit == 0 {
		limit = DefaultLimit(lines)
	}
	if limit > 0 {
		found = fact.Pick(found, limit)
	}
	out.Refs = refs(found, newPastes(t))
	return out, nil
}

// refs renders facts, without those that come out the same. The place is said
// with the first claim about it and understood from then on, as in prose.
func refs(facts []*fact.Fact, lines pastes) []pseudoref.Ref {
	type where struct{ path, text string } // the same about another file is another claim
	seen, said := map[where]bool{}, map[where]bool{}
	out := make([]pseudoref.Ref, 0, len(facts))
	for _, f := range facts {
		place := phrase.PlacesOf(f)
		if p := (where{f.Path, place}); said[p] {
			place = ""
		} else {
			said[p] = true
		}
		t := phrase.Tell(f, place, lines.allowed)
		if seen[where{f.Path, t}] {
			continue
		}
		seen[where{f.Path, t}] = true
		out = append(out, pseudoref.Ref{
			Kind: f.Kind, Text: t, Source: Source, Rule: f.Rule.ID, Path: f.Path, Side: f.Side.String(), StartLine: f.First, EndLine: f.Last,
		})
	}
	return out
}

// tell collects the facts of a file: from its outline, or from its trees and the lines of
// the hunks that these do not tell of. It counts the pieces that take too much work.
func tell(ctx context.Context, c *fact.Collector, f *syntax.File, work *int) (tooMuch int, err error) {
	if err = ctx.Err(); err != nil || !rules.Events(c, f) {
		return 0, err
	}
	if !data.Tell(c, f) {
		if tooMuch, err = rules.Code(ctx, c, f, work); err != nil {
			return 0, err
		}
	}
	rules.Finish(c, f)
	return tooMuch, nil
}

// pastes are the long changed lines of a change. No claim holds one as a whole: a
// claim says what a line does, and the line is in the diff.
type pastes []string

// pastedRunes are the characters of a changed line that a claim may quote.
const pastedRunes = 30

// newPastes reads the changed lines.
func newPastes(t *syntax.Trees) pastes {
	var p pastes
	for _, f := range t.Files {
		for i := range f.Hunks {
			for _, l := range f.Hunks[i].Lines {
				if l.Op == change.Context || len(l.Text) > limits.PastedLine || f.Lang == lang.CSS && strings.HasSuffix(strings.TrimSpace(l.Text), "{") {
					continue // a selector is a name
				}
				if s := strings.Trim(tree.OneLine(l.Text), " ;,{}()[]"); len(s) > pastedRunes && strings.ContainsAny(s, " (=") {
					p = append(p, s)
				}
			}
		}
	}
	slices.Sort(p)
	p = slices.Compact(p)
	return p[:min(len(p), limits.PastedLines)]
}

// allowed chooses between a phrase in full and in short. Quoted code that holds a changed line
// is said in short, and so is a text of which the short form shows where it was changed. Other
// texts lose a word of each such line, and keep their marks.
func (p pastes) allowed(full, short string) string {
	mark, size := utf8.DecodeRuneInString(full)
	if !strings.ContainsRune("`\"“", mark) {
		return full // and no quotation
	}
	_, last := utf8.DecodeLastRuneInString(full)
	text := full[size : len(full)-last]
	for _, l := range p {
		if mark != '`' && !strings.Contains(text, l) {
			l = strings.Trim(l, `"`) // a line that is a text has marks, too
		}
		head, rest, found := strings.Cut(text, l)
		word := strings.LastIndexByte(l, ' ')
		switch {
		case !found:
		case mark == '`', strings.HasPrefix(short[size:], "…"):
			return short
		case word > 0 && rest == "":
			text = phrase.Ended(head + l[:word])
		case word > 0:
			text = strings.TrimRight(head+l[:word], ".,;: ") + "…" + strings.TrimLeft(rest, "…")
		}
	}
	return full[:size] + text + full[len(full)-last:]
}
