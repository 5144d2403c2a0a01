package bench

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"crscore/change"
)

// Benchmark holds the comments that people judged, by pull request. Systems are compared with it.
type Benchmark struct {
	// Pulls are sorted by ID.
	Pulls []PullRequest
	// Warnings tell what was changed and left out.
	Warnings []string
	// Signature names the data by checksums, and the sample.
	Signature string
	// Diffs, unless it is nil, has the changes, for the files and lines of comments. It is set
	// before System.Add.
	Diffs *Diffs

	known map[string]string // IDs by the names that files and instances can have, also outside a sample
}

// New makes a benchmark of the truth and, unless it is nil, the invalid comments. Pull requests
// that only the invalid comments have are left out, with a warning: nothing is known of what a
// reviewer should find there.
func New(truth, invalid *File) *Benchmark {
	b := &Benchmark{Pulls: slices.Clone(truth.Pulls), Signature: "data=sha256:" + truth.Sum[:12]}
	for _, w := range truth.Warnings {
		b.Warnings = append(b.Warnings, "truth: "+w)
	}
	slices.SortFunc(b.Pulls, func(a, c PullRequest) int { return cmp.Compare(a.ID, c.ID) })
	b.index()
	if invalid == nil {
		return b
	}
	b.Signature += " invalid=sha256:" + invalid.Sum[:12]
	for _, w := range invalid.Warnings {
		b.Warnings = append(b.Warnings, "invalid: "+w)
	}
	var only []string
	for _, p := range invalid.Pulls {
		byID := func(q PullRequest, id string) int { return cmp.Compare(q.ID, id) }
		if i, ok := slices.BinarySearchFunc(b.Pulls, p.ID, byID); ok {
			b.Pulls[i].Invalid = p.References
		} else {
			only = append(only, p.ID)
		}
	}
	if len(only) > 0 {
		b.Warnings = append(b.Warnings, fmt.Sprintf(
			"pull requests that have invalid comments and no truth, left out: %d (the first: %s)", len(only), only[0]))
	}
	return b
}

// files are the files that the truth and the diffs of a pull request name.
func (b *Benchmark) files(id string) *change.Change {
	c := &change.Change{}
	if i, ok := slices.BinarySearchFunc(b.Pulls, id, func(q PullRequest, id string) int { return cmp.Compare(q.ID, id) }); ok {
		for _, r := range slices.Concat(b.Pulls[i].References, b.Pulls[i].Invalid) {
			c.Files = append(c.Files, change.File{OldPath: r.Path, NewPath: r.Path})
		}
	}
	if b.Diffs != nil {
		for _, d := range b.Diffs.changes[id] {
			c.Files = append(c.Files, d.Files...)
		}
	}
	return c
}

// Sample keeps n pull requests, of each language its share, drawn with a seed. The order of the
// files does not matter. A pull request outside the sample stays known: its comments are not
// counted. It is an error to draw more than there are.
func (b *Benchmark) Sample(n int, seed uint64) error {
	if n < 1 || n > len(b.Pulls) {
		return fmt.Errorf("a sample of %d pull requests: there are %d", n, len(b.Pulls))
	}
	byLanguage := map[string][]int{}
	for i, p := range b.Pulls {
		byLanguage[p.Language] = append(byLanguage[p.Language], i)
	}
	type stratum struct {
		language   string
		take, rest int
	}
	var strata []stratum
	left := n
	for language, of := range byLanguage {
		exact := n * len(of)
		strata = append(strata, stratum{language, exact / len(b.Pulls), exact % len(b.Pulls)})
		left -= exact / len(b.Pulls)
	}
	slices.SortFunc(strata, func(a, c stratum) int { // the largest remainders first
		return cmp.Or(cmp.Compare(c.rest, a.rest), cmp.Compare(a.language, c.language))
	})
	var kept []int
	for i, st := range strata {
		if i < left {
			st.take++
		}
		of := byLanguage[st.language]
		random := rand.New(rand.NewPCG(seed, uint64(len(of))))
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		kept = append(kept, of[:st.take]...)
	}
	slices.Sort(kept)
	pulls := make([]PullRequest, len(kept))
	for i, at := range kept {
		pulls[i] = b.Pulls[at]
	}
	b.Pulls = pulls
	b.Signature += fmt.Sprintf(" sample=%d:seed=%d", n, seed)
	return nil
}
