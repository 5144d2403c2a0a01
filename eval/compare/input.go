package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/spelling"
	"crscore/score"
)

// Input collects scores of many systems from one or more files. The same system in
// two files is two.
type Input struct {
	files      []string
	changes    map[string]int32
	known      map[string]bool // languages
	langs      []string        // of each change; "" where no score says it
	twoLangs   map[int32]bool
	systems    map[origin]*system
	signatures map[string]*Signature
	rows       int
	canon      func(lang string) string
	metric     *string // what all numbers are of; empty: con, comp and rel
	lower      bool    // is better
	first      string  // the place of the first score
}

type origin struct {
	file int
	name string
}

// system holds what one system's rows say, as far as it is needed.
type system struct {
	origin
	label string
	rows  []row
}

// row is one review. Values are NaN where there are none.
type row struct {
	change, line int32
	values       [3]float64
}

func (r *row) scored() bool {
	return !math.IsNaN(r.values[0]) || !math.IsNaN(r.values[1]) || !math.IsNaN(r.values[2])
}

// Signature is a signature of the scores.
type Signature struct {
	// Signature is the text of the signature; empty for scores without one.
	Signature string `json:"signature"`
	// Reviews is the number of scores that have it.
	Reviews int `json:"reviews"`
	// Systems have it, in some of their scores at least.
	Systems []string `json:"systems"`

	of map[*system]bool
}

// NewInput starts an input of files by their names, which are to tell systems of
// the same name apart. canon gives two names of one language the same name.
func NewInput(files []string, canon func(lang string) string) *Input {
	return &Input{
		files: files, canon: canon, changes: map[string]int32{}, known: map[string]bool{}, twoLangs: map[int32]bool{},
		systems: map[origin]*system{}, signatures: map[string]*Signature{},
	}
}

// Add takes a score of a file, by its place among the names.
func (in *Input) Add(file int, sc dataset.Score) error {
	if in.rows++; in.rows > limits.StudyScores {
		return fmt.Errorf("%s: more than %d scores", sc.Where(), limits.StudyScores)
	}
	for _, of := range [3]struct{ what, name string }{
		{"review", sc.Review}, {"lang", sc.Lang}, {"the metric", sc.Metric},
	} {
		if len(of.name) > limits.SystemBytes {
			return fmt.Errorf("%s: %s is no name: it is longer than %d bytes", sc.Where(), of.what, limits.SystemBytes)
		}
	}
	r := row{line: int32(min(sc.Line, math.MaxInt32)), values: [3]float64{math.NaN(), math.NaN(), math.NaN()}}
	for d, v := range [3]*float64{sc.Con, sc.Comp, sc.Rel} {
		switch {
		case v == nil:
		case !(math.Abs(*v) <= limits.ScoreSize):
			return fmt.Errorf("%s: %s is %g, and numbers beyond %g cannot be added up", sc.Where(), dimensions[d], *v, limits.ScoreSize)
		default:
			r.values[d] = *v
		}
	}
	from := origin{file, sc.Review}
	s := in.systems[from]
	if s == nil {
		if len(in.systems) == limits.Systems {
			return fmt.Errorf("%s: more than %d systems: is %q one, or is it the name of a single review?", sc.Where(), limits.Systems, sc.Review)
		}
		from.name = strings.Clone(sc.Review) // and not the line that it is a part of
		s = &system{origin: from}
		in.systems[from] = s
	}
	c, known := in.changes[sc.ID]
	if !known {
		c = int32(len(in.changes))
		in.changes[strings.Clone(sc.ID)] = c
		in.langs = append(in.langs, "")
	}
	r.change = c
	s.rows = append(s.rows, r)
	if l := sc.Lang; l != "" {
		switch l = in.canon(l); {
		case in.langs[c] == "":
			in.langs[c] = strings.Clone(l)
			if in.known[in.langs[c]] = true; len(in.known) > limits.Languages {
				return fmt.Errorf("%s: more than %d languages", sc.Where(), limits.Languages)
			}
		case in.langs[c] != l:
			in.twoLangs[c] = true
		}
	}
	if r.scored() {
		sig := in.signatures[sc.Signature]
		if sig == nil {
			sig = &Signature{Signature: strings.Clone(sc.Signature), of: map[*system]bool{}}
			in.signatures[sig.Signature] = sig
		}
		sig.Reviews++
		sig.of[s] = true
		return in.agrees(file, &sc)
	}
	return nil
}

// agrees returns an error if a score is of another metric than those before.
func (in *Input) agrees(file int, sc *dataset.Score) error {
	lower := sc.Lower
	if in.metric == nil {
		name := strings.Clone(sc.Metric)
		in.metric, in.lower, in.first = &name, lower, fmt.Sprintf("%s, %s", in.files[file], sc.Where())
	}
	switch a, b := *in.metric, sc.Metric; {
	case a == b && lower != in.lower:
		better := map[bool]string{true: "lower", false: "higher"}
		return fmt.Errorf("%s: %s is better here by its signature, and %s is in %s",
			sc.Where(), better[lower], better[in.lower], in.first)
	case a == b:
	case a+b == anyScore: // one of them has all three numbers
		*in.metric = ""
	default:
		return fmt.Errorf("%s: this score is of %s, and that of %s is of %s: choose with --metric",
			sc.Where(), numbers(b), in.first, numbers(a))
	}
	return nil
}

// anyScore is the name of a number that stands for con, comp and rel.
const anyScore = "score"

// numbers names what scores are of.
func numbers(metric string) string { return cmp.Or(metric, "con, comp and rel") }

// Scores counts the scores that were added, those of unscored reviews among them.
func (in *Input) Scores() int { return in.rows }

// close sorts what was added, so that its order moves no digit, and gives the systems
// their labels. It may be called again.
func (in *Input) close() ([]*system, error) {
	ids := slices.Sorted(maps.Keys(in.changes))
	place, langs := make([]int32, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		was := in.changes[id]
		place[was], langs[i] = int32(i), in.langs[was]
		if in.twoLangs[was] {
			langs[i] = ""
		}
		in.changes[id] = int32(i)
	}
	in.langs = langs
	two := map[int32]bool{}
	for c := range in.twoLangs {
		two[place[c]] = true
	}
	in.twoLangs = two
	systems := slices.SortedFunc(maps.Values(in.systems), func(a, b *system) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.file, b.file))
	})
	files, labels := map[string]int{}, map[string]bool{}
	for _, s := range systems {
		files[s.name]++
	}
	for _, s := range systems {
		s.label = s.name
		if files[s.name] > 1 {
			s.label = fmt.Sprintf("%s (%s)", s.name, in.files[s.file])
		}
		if labels[s.label] {
			return nil, fmt.Errorf("two systems would both be called %q: give one of them another name", s.label)
		}
		labels[s.label] = true
		for i := range s.rows {
			s.rows[i].change = place[s.rows[i].change]
		}
		slices.SortFunc(s.rows, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.change, b.change), cmp.Compare(a.line, b.line))
		})
		for i := 1; i < len(s.rows); i++ {
			if a, b := s.rows[i-1], s.rows[i]; a.change == b.change {
				return nil, fmt.Errorf("%s: line %d: review %q of change %q has a score on line %d too", in.files[s.file], b.line, s.name, ids[b.change], a.line)
			}
		}
	}
	for _, sig := range in.signatures {
		sig.Systems = nil
		for s := range sig.of {
			sig.Systems = append(sig.Systems, s.label)
		}
		slices.Sort(sig.Systems)
	}
	return systems, nil
}

// signed returns the signatures, the most frequent first.
func (in *Input) signed() []Signature {
	out := []Signature{}
	for _, text := range slices.Sorted(maps.Keys(in.signatures)) {
		out = append(out, *in.signatures[text])
	}
	slices.SortStableFunc(out, func(a, b Signature) int { return cmp.Compare(b.Reviews, a.Reviews) })
	if len(out) == 1 && out[0].Signature == "" {
		return nil // of other metrics
	}
	return out
}

// MixedError means that the scores have different signatures.
type MixedError struct {
	// Signatures are the different signatures, the most frequent first.
	Signatures []Signature
}

// Error says in what the two most frequent ones differ.
func (e *MixedError) Error() string {
	a, b := e.Signatures[0], e.Signatures[1]
	s := "the scores have different signatures, so that their numbers do not mean the same: "
	var diff []string
	for _, d := range score.ReadSignature(a.Signature).Differences(score.ReadSignature(b.Signature)) {
		diff = append(diff, fmt.Sprintf("%s is %s in A and %s in B", cmp.Or(d.Name, "the signature"), cmp.Or(d.A, "none"), cmp.Or(d.B, "none")))
	}
	if a.Signature == "" || b.Signature == "" {
		diff = []string{map[bool]string{true: "A", false: "B"}[a.Signature == ""] + " have none"}
	}
	s += fmt.Sprintf("%s (A are %s, B %s", strings.Join(diff, "; "), a.who(), b.who())
	if more := len(e.Signatures) - 2; more > 0 {
		s += fmt.Sprintf("; signatures more: %d", more)
	}
	return s + ")"
}

// who names the scores that have the signature.
func (s Signature) who() string {
	names := s.Systems[0]
	if more := len(s.Systems) - 1; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return spelling.Count("%d scores of %s", s.Reviews, names)
}
