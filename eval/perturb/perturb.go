// Package perturb rewrites code in ways that keep its meaning, to see what a score, a review
// bot or a revision tool makes of it. The nine perturbations are those of Pirouzkhah, Serbout
// and Bacchelli, "Consistent or Sensitive? Automated Code Revision Tools Against
// Semantics-Preserving Perturbations" (MSR 2026), in safe forms: where a rule cannot be sure,
// it leaves the place out and says why.
//
// Each perturbation is a file (p1_….go), each language too: its names and forms. A perturbation
// makes edits; a text that was rewritten is parsed again and compared token by token. The package
// knows nothing of scores: studies are in its sub-packages.
package perturb

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Version is the version of the rules: others rewrite otherwise. It is in signatures.
const Version = "perturb/1" + syntax.Grammars

// ID names a perturbation: p1 to p9, and p0, which changes nothing.
type ID string

// Perturbation is a kind of rewriting.
type Perturbation struct {
	// ID is p1 to p9.
	ID ID
	// Name is its name in the paper, Group the paper's group.
	Name, Group string
	plan        func(*job)
}

// All returns the perturbations in the order of the paper.
func All() []Perturbation {
	return []Perturbation{
		{"p1", "if/else swap", "control flow", (*job).swapBranches},
		{"p2", "dead exception", "control flow", (*job).deadException},
		{"p3", "dead assignment", "control flow", (*job).deadAssignment},
		{"p4", "try wrapper", "control flow", (*job).tryWrapper},
		{"p5", "independent swap", "data flow", (*job).swapStatements},
		{"p6", "return through a variable", "data flow", (*job).returnVariable},
		{"p7", "definition-use break", "data flow", (*job).breakDefUse},
		{"p8", "random names", "naming", (*job).randomNames},
		{"p9", "shuffled names", "naming", (*job).shuffledNames},
	}
}

// Identity is the perturbation p0: it changes nothing. Controls use it.
func Identity() Perturbation { return Perturbation{"p0", "nothing", "control", func(*job) {}} }

// Text is a file before and after a change. A nil side is not there. Without a side before,
// all functions of the file are perturbed, else those with a changed line.
type Text struct {
	// Path is the path of the file.
	Path string
	// Lang is the language: Java, Python, JavaScript, TypeScript, TSX or Go.
	Lang lang.Name
	// Old and New are the whole texts before and after.
	Old, New *string
}

// ErrUnfit means that a perturbation fits nowhere. The error's text says why.
var ErrUnfit = errors.New("no place fits")

// Unfit is an ErrUnfit with its reason.
type Unfit struct{ Reason string }

// Error implements error.
func (u *Unfit) Error() string { return u.Reason }

// Is reports whether target is ErrUnfit.
func (u *Unfit) Is(target error) bool { return target == ErrUnfit }

// Variant is a file that was rewritten on both sides.
type Variant struct {
	Old, New *Rewritten // nil where the side is not there, or of hunks alone
	// Diff has the rewritten hunks of a File that was read from hunks alone.
	Diff string
	// Places is the number of places that were rewritten, on both sides.
	Places int
	// Names has the new names of variables, by the old names.
	Names map[string]string
}

// File is a Text that was parsed, for all perturbations of it. It is for one goroutine.
type File struct {
	d     *dialect
	sides []*side         // the old text first
	words map[string]bool // of both texts
	left  map[string]int  // functions that no perturbation can be sure of
	hunks *hunks          // nil for whole texts
}

// job is a perturbation of a file.
type job struct {
	*File
	rand   *rand.Rand
	words  map[string]bool // of both texts, and new names
	places int
	names  map[string]string
	left   map[string]int
}

var word = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// Read parses a file. ErrUnfit: it cannot be perturbed.
func Read(ctx context.Context, t Text) (*File, error) {
	d := dialectOf(t.Lang)
	if d == nil {
		return nil, &Unfit{fmt.Sprintf("no rules for the language %q", t.Lang)}
	}
	f := &File{d: d, words: map[string]bool{}, left: map[string]int{}}
	for of, text := range []*string{t.Old, t.New} {
		if text == nil {
			continue
		}
		s, err := readSide(ctx, d, t.Path, *text)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, &Unfit{err.Error()}
		}
		s.of = change.Side(of)
		f.add(s)
	}
	if len(f.sides) == 2 {
		if d := Diff("x", t.Old, t.New); d != "" {
			ch, err := change.Parse([]byte(d), change.Options{})
			if err != nil {
				return nil, fmt.Errorf("the diff of the two texts: %w", err)
			}
			f.touch(&ch.Files[0])
		}
	}
	f.refuse()
	return f, nil
}

// add adds a side.
func (f *File) add(s *side) {
	f.sides = append(f.sides, s)
	for _, w := range word.FindAllString(s.text, -1) {
		f.words[w] = true
	}
}

// Apply rewrites the file. The same file, perturbation and seed give the same variant. seed is
// any text, such as the id of the change and a number. ErrUnfit: nothing could be rewritten.
func (f *File) Apply(ctx context.Context, p Perturbation, seed string) (*Variant, error) {
	sum := sha256.Sum256([]byte(string(p.ID) + "\x00" + seed))
	j := &job{
		File: f, words: maps.Clone(f.words), left: maps.Clone(f.left),
		rand: rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))),
	}
	if f.hunks != nil && p.ID != "p0" && p.ID != "p8" {
		return nil, &Unfit{"no whole texts"}
	}
	for _, s := range f.sides {
		s.edit = editor{}
	}
	p.plan(j)
	if j.places == 0 && p.ID != "p0" {
		return nil, &Unfit{j.reason()}
	}
	return j.variant(ctx)
}

// refuse drops the functions that no perturbation can be sure of.
func (f *File) refuse() {
	why := map[string]string{} // by key: a function is dropped on both sides
	for u := range f.units {
		if reason := u.refused(); reason != "" {
			why[u.key] = reason
			f.left[reason]++
		}
	}
	for _, s := range f.sides {
		s.units = slices.DeleteFunc(s.units, func(u *unit) bool { return why[u.key] != "" })
	}
}

func (u *unit) refused() string {
	switch {
	case u.node.HasError():
		return "functions that do not parse"
	case u.d.reflects != nil && u.d.reflects.MatchString(u.frag.Text(u.node)):
		return "functions that look at their own names"
	}
	return ""
}

// units yields the functions of both sides.
func (f *File) units(yield func(*unit) bool) {
	for _, s := range f.sides {
		for _, u := range s.units {
			if !yield(u) {
				return
			}
		}
	}
}

// skip counts a place that is left out.
func (j *job) skip(why string) { j.left[why]++ }

// reason is the most frequent reason why places were left out.
func (j *job) reason() string {
	best := ""
	for _, why := range slices.Sorted(maps.Keys(j.left)) {
		if best == "" || j.left[why] > j.left[best] {
			best = why
		}
	}
	switch {
	case best != "":
		return best
	case slices.ContainsFunc(j.sides, func(s *side) bool { return len(s.units) > 0 }):
		return "no such code in the changed functions"
	case j.hunks != nil:
		return "no whole function in a hunk"
	}
	return "no changed function"
}

// variant rewrites the texts and verifies them.
func (j *job) variant(ctx context.Context) (*Variant, error) {
	v := &Variant{Places: j.places, Names: j.names}
	for _, s := range j.sides {
		r, err := s.edit.rewrite(s.text)
		if err == nil {
			err = s.verify(ctx, j.d, r)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, &Unfit{"the rewritten text is not what was meant: " + err.Error()}
		case j.hunks != nil:
			j.hunks.put(s, r.Text)
		case s.of == change.Old:
			v.Old = &r
		default:
			v.New = &r
		}
	}
	if j.hunks != nil {
		var err error
		if v.Diff, err = j.hunks.diff(); err != nil {
			return nil, err
		}
	}
	return v, nil
}
