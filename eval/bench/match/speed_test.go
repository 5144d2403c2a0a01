package match

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"crscore/eval/bench"
)

// BenchmarkStudy is a whole benchmark: 196 pull requests with 1,505 references, and five systems
// with 2,000 comments each, of 40 words on average, in two files of each pull request.
func BenchmarkStudy(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields(strings.Join(concerns(), " ") + " the a of is this when it in and to not with for `parse` os.Args getName")
	text := func() string {
		var words []string
		for i := range 20 + random.IntN(40) {
			words = append(words, vocabulary[random.IntN(len(vocabulary))])
			if i%12 == 11 {
				words[i] += "."
			}
		}
		return strings.Join(words, " ")
	}
	const pulls, references, systems, each = 196, 1505, 5, 2000
	var truth bytes.Buffer
	all := make([]*bench.System, systems)
	for k := range all {
		all[k] = &bench.System{Name: fmt.Sprint(k), Answers: map[string]*bench.Answer{}}
	}
	for i := range pulls {
		fmt.Fprintf(&truth, `%c{"githubPrUrl": "https://github.com/o/n%d/pull/1", "target_commit": "0123456", "comments": [`, "[,"[min(i, 1)], i)
		for r := range references/pulls + min(1, references%pulls/(i+1)) {
			fmt.Fprintf(&truth, `%.*s{"note": %q, "path": "%d.go", "from_line": %d, "to_line": %d}`, min(r, 1), ",", text(), r%2, 10*r+1, 10*r+3)
		}
		truth.WriteString("]}\n")
		for _, s := range all {
			a := &bench.Answer{}
			for c := range each/pulls + min(1, each%pulls/(i+1)) {
				at := bench.Place{Path: fmt.Sprintf("%d.go", c%2), From: 8*c + 1, To: 8*c + 2}
				a.Comments = append(a.Comments, bench.Comment{Place: at, Text: text()})
			}
			s.Answers[fmt.Sprintf("o__n%d@0123456", i)] = a
		}
	}
	truth.WriteString("]")
	file, err := bench.ReadTruth(truth.Bytes())
	if err != nil {
		b.Fatal(err)
	}
	m := learned(b)
	for b.Loop() {
		r, err := bench.Study(b.Context(), bench.New(file, nil), all, bench.Options{
			Matcher: m, Lines: 1, Assign: bench.Best, Missing: bench.CountMissed, By: bench.Parts(), Tiers: true,
		})
		if err != nil || r.Systems[0].Comments < each || r.References < references {
			b.Fatal(r, err)
		}
	}
}
