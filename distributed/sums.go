package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"crscore/internal/limits"
)

// Fixed is a sum of numbers with 40 binary digits behind the point. A sum of floats would depend
// on the order of its parts, which bundles choose.
type Fixed struct {
	Whole, Part int64 // Part counts 2^-40, and is less than 1 in all
}

const fixedDigits = 40

func fixed(x float64) Fixed {
	return Fixed{Part: int64(math.Round(x * (1 << fixedDigits)))}.norm()
}

func (f Fixed) norm() Fixed {
	return Fixed{f.Whole + f.Part>>fixedDigits, f.Part & (1<<fixedDigits - 1)}
}

func (f Fixed) add(g Fixed) Fixed { return Fixed{f.Whole + g.Whole, f.Part + g.Part}.norm() }

// mean divides by a count above 0.
func (f Fixed) mean(n int64) float64 {
	return (float64(f.Whole) + math.Ldexp(float64(f.Part), -fixedDigits)) / float64(n)
}

// Sum sums up a system, or counts something: then it has N alone.
type Sum struct {
	N, Unscored    int64 // reviews with a score, and without one
	Con, Comp, Rel Fixed // of those with a score
}

func addSums(a, b Sum) Sum {
	return Sum{a.N + b.N, a.Unscored + b.Unscored, a.Con.add(b.Con), a.Comp.add(b.Comp), a.Rel.add(b.Rel)}
}

// The keys of sums: names of systems and of counts.
const (
	systemKey = "system "
	countKey  = "count "
)

// What is counted.
const (
	filesRead        = "files"
	unreadableFiles  = "unreadable_files"
	changesScored    = "changes"
	malformedLines   = "malformed_lines"
	reviewsScored    = "reviews_scored"
	reviewsUnscored  = "reviews_unscored"
	failedChanges    = "failed_changes"
	deadLetters      = "dead_letters"
	changeWarnings   = "warnings"
	duplicateIDs     = "duplicate_ids"
	truncatedTexts   = "truncated_texts"
	counterNamespace = "crscore"
)

// count counts twice: in a counter of Beam, for those who watch the job, and in a sum of the
// pipeline, which is right on runners without committed counters too.
func count(ctx context.Context, emit func(string, Sum), name string, n int64) {
	beam.NewCounter(counterNamespace, name).Inc(ctx, n)
	emit(countKey+name, Sum{N: n})
}

// system is a line of the table of systems. The means are nil where nothing has a score.
type system struct {
	System   string   `json:"system"`
	Scored   int64    `json:"scored"`
	Unscored int64    `json:"unscored"`
	Con      *float64 `json:"con,omitempty"`
	Comp     *float64 `json:"comp,omitempty"`
	Rel      *float64 `json:"rel,omitempty"`
}

// counted is a line of the counts.
type counted struct {
	Count string `json:"count"`
	N     int64  `json:"n"`
}

// tellSum makes the line of a sum.
func tellSum(key string, s Sum, systems, counts func(string, Out)) error {
	if name, is := strings.CutPrefix(key, countKey); is {
		return tellLine(counts, countsFile, 0, counted{name, s.N})
	}
	row := system{System: strings.TrimPrefix(key, systemKey), Scored: s.N, Unscored: s.Unscored}
	if s.N > 0 {
		con, comp, rel := s.Con.mean(s.N), s.Comp.mean(s.N), s.Rel.mean(s.N)
		row.Con, row.Comp, row.Rel = &con, &comp, &rel
	}
	return tellLine(systems, systemsFile, 0, row)
}

// Place is where a change stands.
type Place struct {
	File File
	Line int // counted from 1
}

// Uses are the uses of an id, the first of them with their places.
type Uses struct {
	ID     string  // cut if it is very long
	N      int64   // all uses
	Places []Place // in the order of the input
}

func addUses(a, b Uses) Uses {
	places := slices.Concat(a.Places, b.Places)
	slices.SortFunc(places, func(p, q Place) int {
		return cmp.Or(cmp.Compare(p.File.Index, q.File.Index), cmp.Compare(p.Line, q.Line))
	})
	return Uses{a.ID, a.N + b.N, places[:min(len(places), limits.IDPlaces)]}
}

// duplicate tells the uses of an id that is used more than once.
type duplicate struct {
	ID     string  `json:"id"`
	Uses   int64   `json:"uses"`
	Places []place `json:"places"`
}

type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// duplicateFn tells ids that are used more than once.
type duplicateFn struct{ ShardLines int }

// ProcessElement tells an id.
func (f *duplicateFn) ProcessElement(ctx context.Context, _ string, u Uses, out func(string, Out), counts func(string, Sum)) error {
	if u.N < 2 {
		return nil
	}
	d := duplicate{ID: u.ID, Uses: u.N}
	for _, p := range u.Places {
		d.Places = append(d.Places, place{p.File.Path, p.Line})
	}
	count(ctx, counts, duplicateIDs, 1)
	first := u.Places[0]
	return tellLine(out, shardName(duplicatesDir, first.File.Index, first.Line, f.ShardLines), first.Line, d)
}

// deadLetter is a line, a review or, without a line, a file that has no score.
type deadLetter struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	ID     string `json:"id,omitempty"`     // of the change, where the line could be read
	Review string `json:"review,omitempty"` // empty where the whole change has none
	Reason string `json:"reason"`
}

// warning is a warning about a change.
type warning struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	ID      string `json:"id"`
	Warning string `json:"warning"`
}

// tellLine emits a value as a line of an output file.
func tellLine(out func(string, Out), name string, line int, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	out(name, Out{Line: line, Text: b.Bytes()})
	return nil
}
