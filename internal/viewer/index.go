package viewer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"crscore/internal/limits"
	"crscore/score"
)

// state is what is known of a review's score.
type state uint8

const (
	noRow    state = iota // there is no row of it
	unscored              // the row, or the block of similarities, says why
	scored
	notKept // under another rule than the run's: its similarities were not kept
)

// place is where a line, or a block with its number, stands in a file.
type place struct {
	file   int32 // an index of Viewer.files, counted from 1; 0 for none
	number int32
	offset int64
	size   int64
}

// change is a change of the dataset.
type change struct {
	key   string // its id, see key
	lang  int32
	line  int32 // of the dataset
	at    place // its record
	block place
	// reviews are index.reviews[first:behind], and the references index.kinds[refs:refs+n].
	first, behind, refs, n int32
}

// review is a review of a change.
type review struct {
	system int32
	state  state
	// has: the similarities are kept. empty: they are of a review without sentences.
	has, empty bool
	reason     int32 // an index of index.reasons, of the row; -1 for none
	keptReason int32 // likewise of the block
	signature  int32 // of the row, likewise of index.signatures
	numbers    numbers
	human      numbers // NaN where there are no labels
	row        place
	// The similarities are index.best[best:]: the best of n sentences, the best of the
	// references, and all of each reference.
	best int64
	n    int32
}

// numbers are con, comp and rel.
type numbers [3]float64

// index has the numbers of a run.
type index struct {
	title   string
	sum     string // checksum of the dataset, as run directories have it
	changes []change
	byKey   map[string]int32
	reviews []review
	systems table
	langs   table
	metrics table
	values  [][]float64 // of each metric, of each review; NaN for none
	lower   []bool      // metrics that are better when they are lower
	reasons table
	signs   table // signatures
	rules   []score.Rule
	ruled   []bool // signatures with a rule
	kind    table
	refs    []score.Ref // of kind
	kinds   []uint16    // of references
	best    []float32   // similarities
	grams   grams

	rows, scored, labelled, kept int
	problems                     []Problem
	warnings                     []string
	own                          int // the signature of most rows, -1 without any
}

// table numbers texts in the order of their first use.
type table struct {
	names []string
	at    map[string]int32
}

// of returns the number of a text; false if it would be beyond the limit.
func (t *table) of(name string, limit int) (int32, bool) {
	if i, ok := t.at[name]; ok {
		return i, true
	}
	if len(t.names) >= limit {
		return -1, false
	}
	if t.at == nil {
		t.at = map[string]int32{}
	}
	i := int32(len(t.names))
	t.at[name], t.names = i, append(t.names, name)
	return i, true
}

func newIndex(title string) *index {
	return &index{title: title, byKey: map[string]int32{}, own: -1}
}

// key is an id as the index and addresses of the page have it: a long one is cut, and its
// checksum added.
func key(id string) string {
	if len(id) <= limits.ViewedID && utf8.ValidString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	head := strings.ToValidUTF8(id[:min(len(id), limits.ViewedID)], "\ufffd")
	return head + "…" + hex.EncodeToString(sum[:8])
}

// Problem is something that could not be read or joined, so that the table lacks it.
type Problem struct {
	// What it is, Count how often it occurred, and Examples the first cases.
	What     string   `json:"what"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"`
}

// miss counts a problem.
func (x *index) miss(what, format string, args ...any) {
	i := slices.IndexFunc(x.problems, func(p Problem) bool { return p.What == what })
	if i < 0 {
		i = len(x.problems)
		x.problems = append(x.problems, Problem{What: what, Examples: []string{}})
	}
	p := &x.problems[i]
	p.Count++
	if len(p.Examples) < limits.ViewedExamples {
		p.Examples = append(p.Examples, brief(fmt.Sprintf(format, args...)))
	}
}

// warn says something about the whole.
func (x *index) warn(format string, args ...any) {
	x.warnings = append(x.warnings, brief(fmt.Sprintf(format, args...)))
}

// Problems are what could not be read or joined.
func (x *index) Problems() []Problem { return x.problems }

// Warnings are about the run as a whole.
func (x *index) Warnings() []string { return x.warnings }

// firstProblem is the end of an error: the first example of the first problem.
func (x *index) firstProblem() string {
	if len(x.problems) == 0 {
		return ""
	}
	p := x.problems[0]
	return fmt.Sprintf(" (%s: %d, such as: %s)", p.What, p.Count, p.Examples[0])
}

// brief cuts a text for a message.
func brief(s string) string {
	const most = 400
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// find returns the place of a change's review in index.reviews, -1 for none.
func (x *index) find(c *change, system int32) int32 {
	for i := c.first; i < c.behind; i++ {
		if x.reviews[i].system == system {
			return i
		}
	}
	return -1
}

var none = numbers{math.NaN(), math.NaN(), math.NaN()}

// finish computes what needs all of the files.
func (x *index) finish() {
	counts := make([]int, len(x.signs.names))
	for i := range x.reviews {
		r := &x.reviews[i]
		if r.signature >= 0 {
			counts[r.signature]++
		}
		if r.state == scored {
			x.scored++
		}
		if !math.IsNaN(r.human[2]) {
			x.labelled++
		}
		if r.has {
			x.kept++
		}
	}
	for i, n := range counts {
		if n > 0 && (x.own < 0 || n > counts[x.own]) {
			x.own = i
		}
	}
	if used := len(slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return n == 0 })); used > 1 {
		x.warn("The rows have %d different signatures: their scores are not of one run.", used)
	}
	x.checkKept()
}

// signatures counts the signatures of rows, the most frequent first.
func (x *index) signatures() []counted {
	out := make([]counted, len(x.signs.names))
	for i, name := range x.signs.names {
		out[i].Name = name
	}
	for i := range x.reviews {
		if s := x.reviews[i].signature; s >= 0 {
			out[s].Count++
		}
	}
	slices.SortStableFunc(out, func(a, b counted) int { return cmp.Compare(b.Count, a.Count) })
	return out[:min(len(out), limits.ViewedExamples)]
}

// startRules are where the sliders start, a rule a mode: the run's own rule, else parameters
// like its own.
func (x *index) startRules() []score.Rule {
	tau, own := 0.3, score.Rule{}
	if x.own >= 0 && x.ruled[x.own] {
		own = x.rules[x.own]
		if own.Mode.UsesTau() {
			tau = own.Tau
		}
	}
	rules := []score.Rule{
		{Mode: score.Hard, Tau: tau}, {Mode: score.Soft},
		{Mode: score.Ramp, Tau: tau, Low: tau / 2}, {Mode: score.Calibrated, Tau: tau, Slope: 10},
	}
	for i := range rules {
		rules[i].Weights = own.Weights
		if rules[i].Mode.CanNoisyOr() {
			rules[i].Comp = own.Comp
		}
		if rules[i].Mode == own.Mode {
			rules[i] = own
		}
	}
	return rules
}
