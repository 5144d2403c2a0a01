package revision

import (
	"index/suffixarray"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// edits are what a revision does to a text: the runs of tokens that it deletes, and those that it
// adds in their places or between others.
type edits struct {
	runs [2][]string // deleted, added; as texts
	size int         // |edits|: the number of tokens in the runs
}

// reading is how edits are read: the tokens of a text, and the text of a run.
type reading struct {
	spp    bool // as the program of the paper, for which a deleted run is as good as an added one
	tokens func(*code) []string
	run    func([]string) string
	// counts reports whether |edits| counts a token.
	counts func(string) bool
	// exact reports whether two texts are the same.
	exact func(a, b *code) bool
}

func ours() *reading {
	return &reading{
		tokens: func(c *code) []string { return c.tokens },
		run:    func(run []string) string { return tokenMark + strings.Join(run, tokenMark) + tokenMark },
		counts: func(string) bool { return true },
		exact:  func(a, b *code) bool { return a.shape == b.shape && slices.Equal(a.tokens, b.tokens) },
	}
}

// published reads as the program of the paper does.
func published() *reading {
	tokens := regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+|==|!=|<=|>=|&&|\|\||[{}()\[\];,<>!=+\-*/%]`)
	letters := regexp.MustCompile(`[A-Za-z_]+`)
	words := func(c *code) string { return strings.Join(letters.FindAllString(strings.ToLower(c.text), -1), " ") }
	return &reading{
		tokens: func(c *code) []string { return tokens.FindAllString(c.text, -1) },
		run:    func(run []string) string { return strings.ToLower(strings.Join(run, " ")) },
		counts: regexp.MustCompile(`^\w`).MatchString,
		spp:    true,
		exact:  func(a, b *code) bool { return words(a) == words(b) },
	}
}

// edits are the edits from one text to another.
func (r *reading) edits(from, to *code) (e edits, err error) {
	a, b := r.tokens(from), r.tokens(to)
	same, err := blocks(a, b, limits.RevisionSteps)
	note := func(kind int, run []string) {
		if len(run) == 0 {
			return
		}
		for _, token := range run {
			if r.counts(token) {
				e.size++
			}
		}
		if r.spp {
			kind = 0
		}
		e.runs[kind] = append(e.runs[kind], r.run(run))
	}
	i, j := 0, 0
	for _, s := range same {
		note(0, a[i:s.a])
		note(1, b[j:s.b])
		i, j = s.a+s.size, s.b+s.size
	}
	return e, err
}

// contains reports whether each run of other lies in such a run of e.
func (e edits) contains(other edits) bool {
	for kind, runs := range other.runs {
		if len(runs) == 0 {
			continue
		}
		index := suffixarray.New([]byte(strings.Join(e.runs[kind], runMark))) // many runs are looked up
		for _, run := range runs {
			if len(index.Lookup([]byte(run), 1)) == 0 {
				return false
			}
		}
	}
	return true
}
