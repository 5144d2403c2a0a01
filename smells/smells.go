// Package smells finds code smells: places where changed code is hard to read, to test or
// to keep. The text of a smell is one sentence, which is a pseudo-reference.
//
// The detectors work in-process on tree-sitter trees. Detect returns only smells with a
// changed line inside that are new or worse than before; DetectFile returns all smells of
// a file. The catalogue is in rules.go. A rule either measures blocks (blocks.go,
// measure.go, and grammar.go for the node kinds of each language) or looks for places in
// one walk of the tree (sites.go and the files named after it), or compares the settings of
// the project itself (settings.go). Examine narrows the
// findings of external tools to a change in the same way.
//
// Claims about a change are in pseudoref; package analyzers runs external tools.
package smells

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Version names the built-in detectors and their defaults in signatures. It must change if
// the same change may give other smells.
const Version = "builtin/6" + syntax.Grammars

// Source is the Source of every smell that Detect returns.
const Source = "builtin"

// Smell is one finding in the new side of a change.
type Smell struct {
	Rule string // the rule's ID
	Name string // the rule's name
	// Text is the finding in the words of a reviewer: one sentence of at most 25 words.
	Text string
	// Path is the file's path in the change, "" for bare hunks without a path.
	Path string
	// StartLine and EndLine are the lines on the new side, inclusive and counted from 1.
	StartLine, EndLine int
	// Column is the first byte in StartLine, counted from 1; 0 where it is not known.
	Column int
	// Function is the name of the function, qualified by the classes and functions around
	// it ("Server.push"); "" for code outside of functions or without a name.
	Function string
	// Value is the measured value in the rule's unit (paths, statements, parameters,
	// levels). It is above Threshold. Both are 0 if the rule measures nothing.
	Value, Threshold int
	// OldValue is the value before the change. HasOld reports whether the function or place
	// existed before.
	OldValue int
	HasOld   bool
	Source   string // "builtin"
}

// Options choose rules and thresholds. The zero value means the defaults.
type Options struct {
	// Thresholds replaces the thresholds of rules, by ID.
	Thresholds map[string]int
	// Rules are the IDs of rules to switch on, Off the IDs of rules to switch off.
	// AllRules stands for every rule that neither list names. A rule in both lists is
	// off.
	Rules, Off []string
}

// AllRules stands for every rule in Options.
const AllRules = "all"

// On reports whether Detect looks for the rule with an ID.
func (o Options) On(id string) bool {
	i := ruleIndex(id)
	return i >= 0 && o.on(&rules[i])
}

// on reports whether a rule is looked for.
func (o Options) on(r *Rule) bool {
	switch {
	case slices.Contains(o.Off, r.ID):
		return false
	case slices.Contains(o.Rules, r.ID):
		return true
	case slices.Contains(o.Off, AllRules):
		return false
	}
	return r.On || slices.Contains(o.Rules, AllRules)
}

// Signature returns Version with the differences from the defaults, such as
// "builtin/6(long-method=60,-todo-comment)". Options with the same effect have the same
// signature.
func (o Options) Signature() (string, error) {
	p, err := o.plan()
	if err != nil {
		return "", err
	}
	var changed []string
	all := !slices.ContainsFunc(rules, func(r Rule) bool { return !o.on(&r) })
	for i := range rules {
		r := &rules[i]
		sign, limit := "", ""
		switch on := o.on(r); {
		case on && !r.On && !all:
			sign = "+"
		case !on && r.On:
			sign = "-"
		}
		if o.on(r) && p.limits[i] != r.Threshold {
			limit = fmt.Sprintf("=%d", p.limits[i])
		}
		if sign+limit != "" {
			changed = append(changed, sign+r.ID+limit)
		}
	}
	slices.SortFunc(changed, func(a, b string) int { return cmp.Compare(strings.TrimLeft(a, "+-"), strings.TrimLeft(b, "+-")) })
	if all && slices.ContainsFunc(rules, func(r Rule) bool { return !r.On }) {
		changed = append(changed, "+"+AllRules)
	}
	if len(changed) == 0 {
		return Version, nil
	}
	return Version + "(" + strings.Join(changed, ",") + ")", nil
}

// plan has the indices of the rules that are on, by what they do, and the thresholds of
// all rules.
type plan struct {
	blocks, places, files []int
	limits                []int
}

func (o Options) plan() (plan, error) {
	limits, err := o.thresholds()
	if err != nil {
		return plan{}, err
	}
	for _, id := range slices.Concat(o.Rules, o.Off) {
		if id != AllRules && ruleIndex(id) < 0 {
			return plan{}, fmt.Errorf("smells: there is no rule %q", id)
		}
	}
	p := plan{limits: limits}
	for i := range rules {
		switch r := &rules[i]; {
		case !o.on(r):
		case r.places():
			p.places = append(p.places, i)
		case r.file != nil:
			p.files = append(p.files, i)
		default:
			p.blocks = append(p.blocks, i)
		}
	}
	return p, nil
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
		if rules[i].Unit == "" {
			return nil, fmt.Errorf("smells: %s has no threshold", id)
		}
		out[i] = t
	}
	return out, nil
}

// Detect returns the smells of a change, ordered by file, line and rule. A function is
// flagged if an added line, or the place of a deleted line, lies in it, its value is above
// the threshold, and the value is larger than before.
//
// If only hunks are known, "before" is the hunk's old side. Complexity and length need a
// function that lies in the hunk as a whole, without syntax errors; the number of
// parameters needs a whole parameter list; nesting uses the visible levels. A place must be
// visible as a whole. It existed before if the same rule gave the same text at the same
// line or in the same function. A variable or parameter that is not read any more is
// flagged even if only its function is changed, if the whole old file is known. In
// JavaScript a method is not seen if its class is not in the hunk.
//
// The error is ctx's own, or says which option is wrong.
func Detect(ctx context.Context, t *syntax.Trees, opts Options) ([]Smell, error) {
	p, err := opts.plan()
	if err != nil {
		return nil, err
	}
	var out []Smell
	for _, f := range t.Files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("detecting smells: %w", err)
		}
		found, err := detectFile(ctx, f, &p)
		if err != nil {
			return nil, fmt.Errorf("detecting smells in %s: %w", f.Path(), err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func detectFile(ctx context.Context, f *syntax.File, p *plan) ([]Smell, error) {
	var out []Smell
	lines := newLineMap(f.File)
	old := map[int]*syntax.Fragment{} // by hunk, a whole file as -1
	for _, fr := range f.Fragments(change.Old) {
		if fr.Whole || f.Hunks[fr.Hunk].OldLines > 0 { // not only a frame
			old[fr.Hunk] = fr
		}
	}
	for _, now := range f.Fragments(change.New) {
		if generated(f.Path(), now) {
			continue // people do not read it
		}
		blocks, err := detectBlocks(ctx, f, lines, p, old[now.Hunk], now)
		if err != nil {
			return nil, err
		}
		places, err := detectPlaces(ctx, f, lines, p, old[now.Hunk], now)
		if err != nil {
			return nil, err
		}
		out = append(append(out, blocks...), places...)
	}
	for _, i := range p.files {
		if s, ok := rules[i].file(&rules[i], rules, f.File); ok {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Smell) int {
		if a.StartLine != b.StartLine {
			return cmp.Compare(a.StartLine, b.StartLine)
		}
		return cmp.Compare(ruleIndex(a.Rule), ruleIndex(b.Rule))
	})
	return out, nil
}

// detectBlocks applies the rules that measure blocks to a fragment. before is the same
// fragment before the change, nil if there was none.
func detectBlocks(ctx context.Context, f *syntax.File, lines *lineMap, p *plan, before, now *syntax.Fragment) ([]Smell, error) {
	if !slices.Contains(Languages(), f.Lang) || len(p.blocks) == 0 {
		return nil, nil
	}
	blocks, err := measure(ctx, now, func(first, last int) bool { return lines.near(change.New, first, last) })
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(blocks, func(m measured) bool { return lines.touched(m.StartLine, m.EndLine) && p.smelly(&m) }) {
		return nil, nil // most files: the old side need not be measured
	}
	var was []measured
	if before != nil {
		was, err = measure(ctx, before, func(first, last int) bool { return lines.near(change.Old, first, last) })
		if err != nil {
			return nil, err
		}
	}
	var out []Smell
	match := lines.match(was, blocks)
	for i := range blocks {
		m := &blocks[i]
		if !lines.touched(m.StartLine, m.EndLine) || m.EndLine-m.StartLine < fewLines && minified(now.Source, int(m.endByte)) {
			continue
		}
		for _, r := range p.blocks {
			if s, ok := rules[r].judge(m, match[i], p.limits[r]); ok {
				s.Path = f.Path()
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// detectPlaces applies the rules that look for places; see detectBlocks.
func detectPlaces(ctx context.Context, f *syntax.File, lines *lineMap, p *plan, before, now *syntax.Fragment) ([]Smell, error) {
	if len(p.places) == 0 {
		return nil, nil
	}
	found, err := sites(ctx, now, f.Path(), p.places, p.limits, lines.changed(change.New))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var was []site
	if before != nil {
		was, err = sites(ctx, before, f.Path(), p.places, p.limits, lines.changed(change.Old))
		if err != nil {
			return nil, err
		}
	}
	if before == nil || !before.Whole || before.Root().HasError() {
		found = slices.DeleteFunc(found, func(s site) bool { return s.far })
	}
	var out []Smell
	found, old := lines.fresh(was, found)
	for i, s := range found {
		r := &rules[s.rule]
		smell := Smell{Rule: r.ID, Name: r.Name, Text: s.text, Path: f.Path(), StartLine: s.first, EndLine: s.last, Column: s.column,
			Function: s.function, Value: s.value, Threshold: p.limits[s.rule], Source: Source}
		if old[i] != nil {
			smell.OldValue, smell.HasOld, smell.Text = old[i].value, true, r.sentence(worse, s.put, old[i].put)
		}
		out = append(out, smell)
	}
	return out, nil
}

// generatedPath matches the paths, and generatedHead a first line, of files that programs
// write or that are data for tests.
var (
	generatedPath = regexp.MustCompile(`(?i)\.(?:min\.js|designer\.cs|g\.cs|pb\.go|pb\.cc|pb\.h)$|_pb2(?:_grpc)?\.pyi?$|(?:^|/)(?:fixtures?|testdata)/`)
	generatedHead = regexp.MustCompile(`(?i)^\W*(?:(?:this|the) (?:file|code) (?:is|was|has been) )?(?:auto(?:matically)?[- ]?generated\b.*|code generated .*do not edit.*|@generated\b.*|<auto-?generated\b.*|generated by .*do not edit.*|.*do not edit.*generated.*)$`)
)

// generated reports whether the name or the first lines of a file show that people do not
// write or read it.
func generated(path string, f *syntax.Fragment) bool {
	if generatedPath.MatchString(path) {
		return true
	}
	if !f.Whole {
		return false
	}
	head := f.Source[:min(len(f.Source), limits.FileHead)]
	for line := range bytes.Lines(head) {
		if generatedHead.Match(bytes.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// fewLines is the length of a function that is minified if its last line is.
const fewLines = 5

func ruleIndex(id string) int {
	for i := range rules {
		if rules[i].ID == id {
			return i
		}
	}
	return -1
}

// smelly reports whether any rule flags a block.
func (p *plan) smelly(m *measured) bool {
	for _, r := range p.blocks {
		if v, ok := rules[r].value(m); ok && v > p.limits[r] {
			return true
		}
	}
	return false
}

// judge applies a rule to a block. old is the same block before the change, nil if there
// was none.
func (r *Rule) judge(m, old *measured, limit int) (Smell, bool) {
	v, ok := r.value(m)
	if !ok || v <= limit {
		return Smell{}, false
	}
	s := Smell{Rule: r.ID, Name: r.Name, Function: m.qualified, Value: v, Threshold: limit, Source: Source,
		StartLine: m.StartLine, EndLine: m.EndLine, Column: m.Column + 1}
	if r.lines != nil {
		p := r.lines(m)
		if p.first != s.StartLine {
			s.Column = 0
		}
		s.StartLine, s.EndLine = p.first, p.last
	}
	when, was := "", fill(nil)
	if old != nil {
		// Without a known old value the block cannot be called worse.
		if s.OldValue, s.HasOld = r.value(old); !s.HasOld || s.OldValue >= v {
			return Smell{}, false
		}
		when, was = worse, old.fill(s.OldValue, limit)
	}
	s.Text = r.sentence(when, m.fill(v, limit), was)
	return s, true
}

// fill returns the values for the names in the sentences about a block.
func (m *measured) fill(v, limit int) fill {
	return fill{"function": m.subject(), "rank": Rank(v)}.with(v, limit)
}

// subject is the name of the block in a sentence.
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
