// Package smells finds code smells: places where changed code is hard to read,
// to test or to keep. Each is said in one sentence, which is a pseudo-reference.
//
// The detectors work in-process on tree-sitter trees, need nothing installed,
// and are narrowed to the change: a smell counts only where a changed line is
// inside it and it is new or worse than before. The catalogue is in rules.go,
// what the node kinds of each language count for in grammar.go.
//
// Claims about what a change does live in pseudoref; running external tools is
// the work of analyzers.
package smells

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/syntax"
)

// Version names the set of built-in detectors and their defaults in
// signatures. It changes whenever the same change may give other smells.
const Version = "builtin/1"

// Source is the Source of every smell that Detect returns.
const Source = "builtin"

// Smell is one finding in the new side of a change.
type Smell struct {
	Rule string // the rule's ID
	Name string // the rule's name
	// Text is the finding as a reviewer could say it: one sentence of up to 25
	// words and the name of a function.
	Text string
	// Path is the file as the change names it, "" for bare hunks without a path.
	Path string
	// StartLine and EndLine are the place on the new side, inclusive and
	// counted from 1.
	StartLine, EndLine int
	// Function is the function's name with those of the classes and functions
	// around it ("Server.push"), "" for code outside of functions or without a name.
	Function string
	// Value is what was measured, in the rule's unit (paths, statements,
	// parameters, levels); it is above Threshold.
	Value, Threshold int
	// OldValue is the value before the change, and HasOld whether the function
	// was there then.
	OldValue int
	HasOld   bool
	Source   string // "builtin"
}

// Options change what Detect flags. The zero value means the defaults.
type Options struct {
	// Thresholds replaces the thresholds of rules, by ID.
	Thresholds map[string]int
}

// thresholds returns the threshold of each rule.
func (o Options) thresholds() ([]int, error) {
	out := make([]int, len(rules))
	for i := range rules {
		out[i] = rules[i].Threshold
	}
	for _, id := range slices.Sorted(maps.Keys(o.Thresholds)) {
		i, t := ruleIndex(id), o.Thresholds[id]
		if i < 0 {
			return nil, fmt.Errorf("smells: there is no rule %q", id)
		}
		if t < 0 {
			return nil, fmt.Errorf("smells: the threshold of %s is %d; it must not be negative", id, t)
		}
		out[i] = t
	}
	return out, nil
}

// Detect returns the smells of a change, by file, line and rule. A function
// counts when an added line or the place of a deleted one lies in it and its
// value is above the threshold, unless the same function was no better before.
//
// Where only hunks are known, complexity and length are judged for functions
// that lie in a hunk as a whole and free of syntax errors, parameters for lists
// that do, and nesting by what is seen of it; "before" is the hunk's old side.
// In JavaScript a method whose class is not in the hunk is not seen at all.
//
// The trees are read, not closed. The error is ctx's own, or says which option
// is wrong.
func Detect(ctx context.Context, t *syntax.Trees, opts Options) ([]Smell, error) {
	limits, err := opts.thresholds()
	if err != nil {
		return nil, err
	}
	var out []Smell
	for _, f := range t.Files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("detecting smells: %w", err)
		}
		found, err := detectFile(ctx, f, limits)
		if err != nil {
			return nil, fmt.Errorf("detecting smells in %s: %w", f.Path(), err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func detectFile(ctx context.Context, f *syntax.File, limits []int) ([]Smell, error) {
	if grammars[f.Lang] == nil {
		return nil, nil
	}
	var out []Smell
	lines := newLineMap(f.File)
	old := map[int]*syntax.Fragment{} // by hunk, a whole file as -1
	for _, fr := range f.Fragments(change.Old) {
		old[fr.Hunk] = fr
	}
	for _, now := range f.Fragments(change.New) {
		blocks, err := measure(ctx, now, func(first, last int) bool { return lines.near(change.New, first, last) })
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(blocks, func(m measured) bool { return lines.touched(m.StartLine, m.EndLine) && smelly(&m, limits) }) {
			continue // most files: the old side need not be measured
		}
		var before []measured
		if fr := old[now.Hunk]; fr != nil {
			before, err = measure(ctx, fr, func(first, last int) bool { return lines.near(change.Old, first, last) })
			if err != nil {
				return nil, err
			}
		}
		match := lines.match(before, blocks)
		for i := range blocks {
			m := &blocks[i]
			if !lines.touched(m.StartLine, m.EndLine) {
				continue
			}
			for r := range rules {
				if s, ok := rules[r].judge(m, match[i], limits[r]); ok {
					s.Path = f.Path()
					out = append(out, s)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Smell) int {
		return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(ruleIndex(a.Rule), ruleIndex(b.Rule)))
	})
	return out, nil
}

func ruleIndex(id string) int {
	return slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
}

// smelly tells whether any rule has something to say about a block.
func smelly(m *measured, limits []int) bool {
	for r := range rules {
		if v, ok := rules[r].value(m); ok && v > limits[r] {
			return true
		}
	}
	return false
}

// judge holds a block and the same block before, nil if there was none,
// against a rule.
func (r *Rule) judge(m, old *measured, limit int) (Smell, bool) {
	v, ok := r.value(m)
	if !ok || v <= limit {
		return Smell{}, false
	}
	s := Smell{Rule: r.ID, Name: r.Name, Function: m.qualified, Value: v, Threshold: limit, Source: Source,
		StartLine: m.StartLine, EndLine: m.EndLine}
	if r.lines != nil {
		p := r.lines(m)
		s.StartLine, s.EndLine = p.first, p.last
	}
	text := r.fresh
	if old != nil {
		// What is not wholly seen before the change cannot be called worse now.
		if s.OldValue, s.HasOld = r.value(old); !s.HasOld || s.OldValue >= v {
			return Smell{}, false
		}
		text = r.worse
	}
	t := text(reading{subject: m.subject(), value: v, old: s.OldValue, threshold: limit})
	s.Text = strings.ToUpper(t[:1]) + t[1:]
	return s, true
}

// subject is how a sentence calls the block.
func (b *Block) subject() string {
	switch {
	case b.Kind == Module:
		return "this file"
	case b.Name == "":
		return "this function"
	case b.Class != "" && (b.Name == "__init__" || b.Name == "constructor" || b.Name == b.Class):
		return "the constructor of `" + b.Class + "`"
	}
	return "`" + b.Name + "`"
}
