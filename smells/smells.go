// Package smells finds code smells: places where changed code is hard to read,
// to test or to keep. Each is said in one sentence, which is a pseudo-reference.
//
// The detectors work in-process on tree-sitter trees, need nothing installed,
// and are narrowed to the change: a smell counts only where a changed line is
// inside it and it is new or worse than before. The catalogue is in rules.go. A
// rule either measures blocks (blocks.go, measure.go; what the node kinds of each language
// count for is in grammar.go) or looks for places in one walk of the tree
// (sites.go and the files named after it).
//
// Claims about what a change does live in pseudoref; running external tools is
// the work of analyzers.
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
	"crscore/internal/syntax"
)

// Version names the set of built-in detectors and their defaults in
// signatures. It changes whenever the same change may give other smells.
const Version = "builtin/3"

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
	// parameters, levels); it is above Threshold. Both are 0 where the rule
	// measures nothing.
	Value, Threshold int
	// OldValue is the value before the change, and HasOld whether the function
	// or place was there then.
	OldValue int
	HasOld   bool
	Source   string // "builtin"
}

// Options change what Detect flags. The zero value means the defaults.
type Options struct {
	// Thresholds replaces the thresholds of rules, by ID.
	Thresholds map[string]int
	// Rules switches on rules that are off by default, Off switches off rules
	// that are on, by ID. AllRules is every rule that neither of them names, and a
	// rule that both name is off.
	Rules, Off []string
}

// AllRules names every rule; see Options.
const AllRules = "all"

// on tells whether a rule is looked for.
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

// Signature is Version with what the options change of the defaults, such as
// "builtin/3(long-method=60,+todo-comment)". Options with which the same is looked
// for have the same one.
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

// plan is what to look for: the indices of the rules that are on, of those that
// measure blocks and of those that look for places, and the thresholds of all.
type plan struct {
	blocks, places []int
	limits         []int
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

// Detect returns the smells of a change, by file, line and rule. A function
// counts when an added line or the place of a deleted one lies in it and its
// value is above the threshold, unless the same function was no better before.
//
// Where only hunks are known, complexity and length are judged for functions
// that lie in a hunk as a whole and free of syntax errors, parameters for lists
// that do, and nesting by what is seen of it; "before" is the hunk's old side.
// A place counts where all of it is seen. It was there before when the same rule
// said the same at the same line or in the same function. A variable or parameter
// that nothing reads any more also counts where only its function is changed, and
// the whole old file is known.
// In JavaScript a method whose class is not in the hunk is not seen at all.
//
// The trees are read, not closed. The error is ctx's own, or says which option
// is wrong.
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
			continue // nobody reads it
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
	slices.SortStableFunc(out, func(a, b Smell) int {
		if a.StartLine != b.StartLine {
			return cmp.Compare(a.StartLine, b.StartLine)
		}
		return cmp.Compare(ruleIndex(a.Rule), ruleIndex(b.Rule))
	})
	return out, nil
}

// detectBlocks holds the blocks of one fragment against the rules that measure
// them; before is the same fragment before the change, nil if there was none.
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

// detectPlaces is detectBlocks for the rules that look for places.
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
		smell := Smell{Rule: r.ID, Name: r.Name, Text: s.text, Path: f.Path(), StartLine: s.first, EndLine: s.last,
			Function: s.function, Value: s.value, Threshold: p.limits[s.rule], Source: Source}
		if old[i] != nil {
			smell.OldValue, smell.HasOld, smell.Text = old[i].value, true, r.sentence(worse, s.put, old[i].put)
		}
		out = append(out, smell)
	}
	return out, nil
}

// generatedPath is the name of a file, and generatedHead at the begin of one, that
// programs write, or that only the tests of programs that read code are to read.
var (
	generatedPath = regexp.MustCompile(`(?i)\.(?:min\.js|designer\.cs|g\.cs|pb\.go|pb\.cc|pb\.h)$|_pb2(?:_grpc)?\.pyi?$|(?:^|/)(?:fixtures?|testdata)/`)
	generatedHead = regexp.MustCompile(`(?i)^\W*(?:(?:this|the) (?:file|code) (?:is|was|has been) )?(?:auto(?:matically)?[- ]?generated\b.*|code generated .*do not edit.*|@generated\b.*|<auto-?generated\b.*|generated by .*do not edit.*|.*do not edit.*generated.*)$`)
)

// generated tells whether a file says of itself, by its name or in its first lines,
// that it is not written, or not read, by people.
func generated(path string, f *syntax.Fragment) bool {
	if generatedPath.MatchString(path) {
		return true
	}
	if !f.Whole {
		return false
	}
	head := f.Source[:min(len(f.Source), maxHead)]
	for line := range bytes.Lines(head) {
		if generatedHead.Match(bytes.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// maxHead is the number of bytes in which a file says what it is.
const maxHead = 600

// fewLines are those of a function that is minified if its last one is.
const fewLines = 5

func ruleIndex(id string) int {
	for i := range rules {
		if rules[i].ID == id {
			return i
		}
	}
	return -1
}

// smelly tells whether any rule has something to say about a block.
func (p *plan) smelly(m *measured) bool {
	for _, r := range p.blocks {
		if v, ok := rules[r].value(m); ok && v > p.limits[r] {
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
	when, was := "", fill(nil)
	if old != nil {
		// What is not wholly seen before the change cannot be called worse now.
		if s.OldValue, s.HasOld = r.value(old); !s.HasOld || s.OldValue >= v {
			return Smell{}, false
		}
		when, was = worse, old.fill(s.OldValue, limit)
	}
	s.Text = r.sentence(when, m.fill(v, limit), was)
	return s, true
}

// fill is what the sentences about a block are filled with.
func (m *measured) fill(v, limit int) fill {
	return fill{"function": m.subject(), "rank": Rank(v)}.with(v, limit)
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
