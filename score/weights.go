package score

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// MaxWeight is the largest weight of a reference.
const MaxWeight = 1000

// Weights are the weights of references in Comp, by kind ("smell") or by kind and source
// ("smell@pylint"), which goes before the kind alone. All others weigh 1.
type Weights map[string]float64

// ParseWeights reads "smell=0.5,claim@symbolic=2".
func ParseWeights(text string) (Weights, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	w := Weights{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		i := strings.LastIndexByte(part, '=')
		if i < 0 {
			return nil, fmt.Errorf("the weight %q has no number: write KIND=NUMBER or KIND@SOURCE=NUMBER", part)
		}
		key := part[:i]
		v, err := strconv.ParseFloat(part[i+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("the weight of %q is %q, not a number", key, part[i+1:])
		}
		if _, twice := w[key]; twice {
			return nil, fmt.Errorf("the weight of %q is given twice", key)
		}
		w[key] = v + 0 // not -0
	}
	if err := w.Check(); err != nil {
		return nil, err
	}
	return w, nil
}

// Check returns an error for a weight that is not a number from 0 to MaxWeight,
// or that belongs to nothing.
func (w Weights) Check() error {
	if len(w) == 0 {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(w)) {
		if err := checkKey(key); err != nil {
			return fmt.Errorf("the weight of %q: %w", key, err)
		}
		if v := w[key]; !(v >= 0 && v <= MaxWeight) {
			return fmt.Errorf("the weight of %q is %v, but must be a number from 0 to %d", key, v, MaxWeight)
		}
	}
	return nil
}

func checkKey(key string) error {
	kind, source, bySource := strings.Cut(key, "@")
	switch kind {
	case "claim", "implication", "smell":
	default:
		return fmt.Errorf("there is no kind %q: choose claim, implication or smell", kind)
	}
	if bySource && source == "" {
		return errors.New("no source follows the @")
	}
	// The signature is fields between spaces, and weights between commas.
	for _, c := range source {
		if c == ',' || c == unicode.ReplacementChar || unicode.IsSpace(c) || !unicode.IsPrint(c) {
			return fmt.Errorf("a source cannot have %q in its name here", c)
		}
	}
	return nil
}

// Of returns the weight of a reference.
func (w Weights) Of(kind, source string) float64 {
	if len(w) == 0 {
		return 1
	}
	if v, ok := w[kind+"@"+source]; ok {
		return v
	}
	return w.ofKind(kind)
}

func (w Weights) ofKind(kind string) float64 {
	if v, ok := w[kind]; ok {
		return v
	}
	return 1
}

// String writes the weights as ParseWeights reads them, sorted and without weights that
// change nothing, so that equal weights have equal texts. It is empty where all references
// weigh 1.
func (w Weights) String() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(w)) {
		without := 1.0
		if kind, _, bySource := strings.Cut(key, "@"); bySource {
			without = w.ofKind(kind)
		}
		if w[key] != without {
			parts = append(parts, key+"="+number(w[key]))
		}
	}
	return strings.Join(parts, ",")
}
