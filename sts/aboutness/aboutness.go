// Package aboutness tells how likely a located text, such as a review comment, is about a hunk
// of a diff rather than about other code.
//
// The evidence is of two kinds. L is a log-likelihood ratio: do the names and words of the text
// stand in this hunk as often as in the hunk that a comment is about, or only as often as in any
// hunk? E is the cosine of the text and the changed lines. Two weights make the log-odds Z of
// them; a third speaks against each name that the hunk lacks. The weights and the frequencies of
// words in hunks are in model.json; go run ./internal/gate/aboutness measures both and fits them
// anew.
package aboutness

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"crscore/sts"
)

// The parts of the built-in model.
var (
	//go:embed model.json
	builtinModel []byte
	//go:embed remarks.tsv
	builtinRemarks []byte
)

// Model weighs the evidence. It is read-only and safe for concurrent use.
type Model struct {
	Parameters
	words                 func(string) string           // stems
	stop, risks, concerns map[string]bool               // stems
	remarks               func() (*remarksTable, error) // read when it is first asked for
	sum                   string
}

// Parameters are what a Model is made of.
type Parameters struct {
	// Bias, L, E and Missing are the weights: Z = Bias + L·L + E·E + Missing·Absent.
	Bias    float64 `json:"bias"`
	L       float64 `json:"l"`
	E       float64 `json:"e"`
	Missing float64 `json:"missing"`
	// Names and Words are the shares, in (0,1), of a comment's names and words that stand in its
	// own hunk beyond chance.
	Names float64 `json:"names"`
	Words float64 `json:"words"`
	// Stems is the mean number of different stems of a hunk, and Hunks the number of hunks that
	// were counted.
	Stems float64 `json:"stems"`
	Hunks int     `json:"hunks"`
	// Common has the number of hunks with each of the commonest stems; any other is in Rare.
	Common map[string]int `json:"common"`
	Rare   float64        `json:"rare"`
}

// Builtin returns the model of the program.
func Builtin() (*Model, error) { return builtin() }

// builtin reads the model once.
var builtin = sync.OnceValues(func() (*Model, error) {
	var p Parameters
	if err := json.Unmarshal(builtinModel, &p); err != nil {
		return nil, fmt.Errorf("reading the model of aboutness: %w", err)
	}
	m, err := New(p, builtinRemarks)
	if err == nil {
		sum := sha256.Sum256(slices.Concat(builtinModel, builtinRemarks, []byte(wordLists)))
		m.sum = fmt.Sprintf("%x", sum)[:12]
	}
	return m, err
})

// New makes a model. remarks has the weights of stems for Remark: a line a stem, a tab and the
// weight; the bias comes first, without a stem.
func New(p Parameters, remarks []byte) (*Model, error) {
	share := func(v float64) bool { return v > 0 && v < 1 }
	if !share(p.Names) || !share(p.Words) || p.Stems < 1 || p.Hunks < 1 || p.Rare < 0 {
		return nil, fmt.Errorf("a model of aboutness has names %v, words %v, stems %v, hunks %d, rare %v: shares are between 0 and 1, numbers at least 1", p.Names, p.Words, p.Stems, p.Hunks, p.Rare)
	}
	words, err := sts.TextPreparation(sts.TextCodeStems)
	if err != nil {
		return nil, err
	}
	table := sync.OnceValues(func() (*remarksTable, error) { return parseRemarks(string(remarks)) })
	return &Model{Parameters: p, words: words, stop: stemSet(words, append(sts.NLTKEnglish(), list("review words")...)), risks: stemSet(words, list("risks")), concerns: stemSet(words, list("concerns")), remarks: table, sum: "unnamed"}, nil
}

// Signature names the model and the rules that read texts.
func (m *Model) Signature() string { return "1:" + m.sum }

// Evidence speaks for or against the claim that a text is about a hunk.
type Evidence struct {
	// L is the log-likelihood ratio, divided by the square root of the number of stems. It is 0
	// for a text without names and words.
	L float64
	// E is the cosine of the text and the changed lines, 0 if it is negative.
	E float64
	// Z are the log-odds, and P in [0,1] the probability, that the text is about the hunk.
	Z, P float64
	// Absent is the number of Missing names, mostAbsent at most.
	Absent int
	// Found are the names of the text that the hunk has, Missing those that it lacks, each as
	// the text writes it, in the text's order.
	// Foreign are the other names that it lacks: of libraries, of exceptions, and names that the
	// text proposes.
	Found, Missing, Foreign []string
	// Words are the stems of other words in common.
	Words []string
}

// Chance bounds the probability of a stem in a hunk: no word is in none or in all.
const leastChance, mostChance = .0001, .97

// mostAbsent bounds what missing names weigh: a long comment may name much of its surroundings.
const mostAbsent = 3

// fewStemsOfText is added to the number of stems of a text, since a short text is little evidence.
const fewStemsOfText = 30

// chance is the probability that a hunk of so many stems has a stem, whatever it is about.
func (m *Model) chance(stem string, stems int) float64 {
	having, known := m.Common[stem]
	p := (m.Rare + .5) / float64(m.Hunks+1)
	if known {
		p = (float64(having) + .5) / float64(m.Hunks+1)
	}
	c := 1 - math.Pow(1-p, float64(stems)/m.Stems)
	return min(max(c, leastChance), mostChance)
}

// Compare weighs the evidence. cosine is that of the mean vectors of Text.Sentences and
// Hunk.Changed, each weighing as many times as it has bytes.
func (m *Model) Compare(t *Text, h *Hunk, cosine float64) Evidence {
	e := Evidence{E: max(cosine, 0)}
	n := 0
	for _, w := range t.stems {
		b, found := m.Words, h.stems[w.stem]
		if w.name && (found || !w.foreign) {
			b = m.Names
		}
		c := m.chance(w.stem, len(h.stems))
		o := c + (1-c)*b
		if n++; found {
			e.L += math.Log(o / c)
		} else {
			e.L += math.Log((1 - o) / (1 - c))
		}
		if found && !w.name {
			e.Words = append(e.Words, w.stem)
		}
	}
	if n > 0 {
		e.L /= math.Sqrt(float64(n) + fewStemsOfText)
	}
	for _, name := range t.names {
		switch found := h.has(name.stems); {
		case found:
			e.Found = append(e.Found, name.text)
		case name.foreign:
			e.Foreign = append(e.Foreign, name.text)
		default:
			e.Missing = append(e.Missing, name.text)
		}
	}
	e.Absent = min(len(e.Missing), mostAbsent)
	e.Z = m.Bias + m.Parameters.L*e.L + m.Parameters.E*e.E + m.Parameters.Missing*float64(e.Absent)
	e.P = 1 / (1 + math.Exp(-e.Z))
	return e
}

// shown is how many names a reason has, and similar the cosine from which on it says so.
const shown, similar = 3, 0.1

// Why says in a phrase what speaks for or against the text being about the hunk.
func (e *Evidence) Why() string {
	var parts []string
	for _, p := range []struct {
		names []string
		what  string
	}{{e.Found, "of this hunk"}, {e.Missing, "that this hunk lacks"}} {
		if len(p.names) == 0 {
			continue
		}
		list := slices.Clone(p.names[:min(len(p.names), shown)])
		for i := range list {
			list[i] = "`" + list[i] + "`"
		}
		text := "name "
		if len(p.names) > 1 {
			text = "names "
		}
		text += strings.Join(list, ", ")
		if more := len(p.names) - len(list); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text+" "+p.what)
	}
	if e.E >= similar {
		parts = append(parts, "a similar meaning")
	}
	switch n := len(e.Words); {
	case n == 1:
		parts = append(parts, "1 word in common")
	case n > 0:
		parts = append(parts, fmt.Sprintf("%d words in common", n))
	case len(e.Found) == 0:
		parts = append(parts, "no word in common")
	}
	return strings.Join(parts, "; ")
}
