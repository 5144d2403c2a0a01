package aboutness

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// telling is the least weight of a stem that makes a text a remark: at least one must have it, so
// that a text of strange words is none.
const telling = 0.3

// fewWords is the least number of words of a remark: shorter texts say too little.
const fewWords = 3

// remarksTable is a logistic regression on the stems of a text: praise, process remarks and boilerplate
// against comments on code.
type remarksTable struct {
	bias    float64
	weights map[string]float64
}

// parseRemarks reads a stem, a tab and its weight a line; the bias stands first, without a stem.
func parseRemarks(table string) (*remarksTable, error) {
	r := &remarksTable{weights: make(map[string]float64)}
	n := 0
	for line := range strings.Lines(table) {
		n++
		stem, weight, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		w, err := strconv.ParseFloat(weight, 64)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d of the weights of remarks: %w", n, err)
		case (stem == "") != (n == 1):
			return nil, fmt.Errorf("line %d of the weights of remarks: the bias stands first, without a stem", n)
		case n == 1:
			r.bias = w
		default:
			r.weights[stem] = w
		}
	}
	return r, nil
}

// Remark reports whether a text reads like praise, a process remark or boilerplate, which fit any
// change. It knows no hunk, and so it is evidence only where nothing shows that the text is about
// one. A text that names code or a risk is no remark; mentions of people are no names.
func (m *Model) Remark(t *Text) (bool, error) {
	if t.Concrete || t.Proposes || slices.ContainsFunc(t.names, func(n name) bool { return !strings.HasPrefix(n.text, "@") }) {
		return false, nil
	}
	table, err := m.remarks()
	if err != nil {
		return false, err
	}
	words := m.StemsOf(t)
	sum, most := 0.0, 0.0
	for _, w := range words {
		sum += table.weights[w]
		most = max(most, table.weights[w])
	}
	return len(words) >= fewWords && most >= telling && table.bias+sum/math.Sqrt(float64(len(words))) > 0, nil
}

// StemsOf are the different stems of a text, stop words included, in its order.
func (m *Model) StemsOf(t *Text) (out []string) {
	seen := make(map[string]bool)
	for s := range strings.FieldsSeq(m.words(t.Plain)) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
