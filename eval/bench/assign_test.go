package bench

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"crscore/internal/limits"
)

func TestDistance(t *testing.T) {
	at := func(path string, side string, from, to int) Place { return Place{path, side, from, to} }
	for _, c := range []struct {
		a, b Place
		want int
		ok   bool
	}{
		{at("a", Right, 1, 3), at("a", Right, 3, 5), 0, true},
		{at("a", Right, 1, 3), at("a", Right, 4, 5), 1, true},
		{at("a", Right, 9, 9), at("a", Right, 4, 5), 4, true},
		{at("a", Right, 2, 9), at("a", Right, 4, 5), 0, true},
		{at("a", Left, 1, 1), at("a", Right, 1, 1), 0, false},
		{at("a", "", 1, 1), at("a", Left, 1, 1), 0, true},
		{at("", Left, 2, 2), at("b", Left, 1, 1), 1, true},
		{at("a", Left, 1, 1), at("b", Left, 1, 1), 0, false},
		{at("a", Left, 0, 0), at("a", Left, 7, 7), noLines, true},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			if got, ok := distance(a, b); got != c.want || ok != c.ok {
				t.Errorf("%v, %v: %d %v, want %d %v", a, b, got, ok, c.want, c.ok)
			}
		}
	}
}

// TestMeet lists edges by reference, then by comment, with comments and references that name no
// file.
func TestMeet(t *testing.T) {
	list := []Comment{{Place: Place{Path: "a", From: 1, To: 1}}, {}, {Place: Place{Path: "b", From: 1, To: 1}}, {Place: Place{Path: "a", From: 9, To: 9}}}
	refs := []Reference{{Place: Place{Path: "a", From: 2, To: 2}}, {Place: Place{From: 1, To: 1}}}
	var got [][3]int
	for _, e := range meet(list, refs, 1) {
		got = append(got, [3]int{e.reference, e.comment, e.distance})
	}
	if want := [][3]int{{0, 0, 1}, {0, 1, noLines}, {1, 0, 0}, {1, 1, noLines}, {1, 2, 0}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestGreedyTakesTheWrongOne: upstream's order gives the first reference a comment that the second
// one needs, and the best assignment does not.
func TestGreedyTakesTheWrongOne(t *testing.T) {
	all := []edge{
		{comment: 0, reference: 0, distance: 1, Verdict: Verdict{Score: .4, Same: true}},
		{comment: 1, reference: 0, Verdict: Verdict{Score: .9, Same: true}},
		{comment: 0, reference: 1, Verdict: Verdict{Score: .8, Same: true}},
	}
	var edges []*edge
	for i := range all {
		edges = append(edges, &all[i])
	}
	if got := greedy(edges); len(got) != 1 || got[0] != edges[0] {
		t.Errorf("greedy: %v", got)
	}
	got := optimal(edges)
	if len(got) != 2 || !slices.Contains(got, edges[1]) || !slices.Contains(got, edges[2]) {
		t.Errorf("best: %v", got)
	}
	// Of equal scores the nearest wins.
	near := []*edge{{comment: 0, reference: 0, distance: 3, Verdict: Verdict{Score: .5}}, {comment: 1, reference: 0, distance: 2, Verdict: Verdict{Score: .5}}}
	if got := optimal(near); len(got) != 1 || got[0] != near[1] {
		t.Errorf("the nearest: %v", got)
	}
}

// TestOptimal compares with all assignments of small graphs.
func TestOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		refs, gens := 1+random.IntN(4), 1+random.IntN(5)
		var edges []*edge
		for r := range refs {
			for g := range gens {
				if random.IntN(3) > 0 {
					edges = append(edges, &edge{comment: g, reference: r, distance: random.IntN(3), Verdict: Verdict{Score: float64(random.IntN(4)) / 4}})
				}
			}
		}
		got := optimal(edges)
		if a, b := value(got), value(bruteForce(edges)); a != b {
			t.Fatalf("%v instead of %v", a, b)
		}
		if used := greedy(got); len(used) != len(got) {
			t.Fatal("a comment or a reference is matched twice")
		}
		if len(greedy(edges)) > len(got) {
			t.Fatal("the greedy way finds more")
		}
	}
}

func value(edges []*edge) string {
	var score float64
	var lines int
	for _, e := range edges {
		score, lines = score+e.Score, lines+e.distance
	}
	return fmt.Sprintf("%d %.3f %03d", len(edges), score, 900-lines)
}

func bruteForce(edges []*edge) (best []*edge) {
	if len(edges) == 0 {
		return nil
	}
	best = bruteForce(edges[1:])
	first := edges[0]
	with := append(bruteForce(slices.DeleteFunc(slices.Clone(edges[1:]), func(e *edge) bool {
		return e.comment == first.comment || e.reference == first.reference
	})), first)
	if cmp.Compare(value(with), value(best)) > 0 {
		best = with
	}
	return best
}

// TestAssignment: more matches go before higher scores, and an undecided pair is no match.
func TestAssignment(t *testing.T) {
	same := func(s float64) Verdict { return Verdict{Score: s, Same: true} }
	for name, tt := range map[string]struct {
		verdicts [][]Verdict
		want     []int
	}{
		"nothing":      {nil, []int{}},
		"no comments":  {[][]Verdict{{}, {}}, []int{-1, -1}},
		"most first":   {[][]Verdict{{same(1), same(.1)}, {same(.9), {}}}, []int{1, 0}},
		"then scores":  {[][]Verdict{{same(.5), same(.6)}, {same(.5), same(.9)}}, []int{0, 1}},
		"once":         {[][]Verdict{{same(.5)}, {same(.6)}}, []int{-1, 0}},
		"not the same": {[][]Verdict{{{Score: 1}, {Score: 1, Same: true, Undecided: "cut"}}}, []int{-1}},
	} {
		if got, err := Assignment(t.Context(), tt.verdicts); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, tt.want)
		}
	}
}

// BenchmarkOptimal has as many comments on one line as the limits allow, all as good as each other.
func BenchmarkOptimal(b *testing.B) {
	var edges []*edge
	for r := range limits.BenchReferences {
		for c := range limits.BenchComments {
			edges = append(edges, &edge{reference: r, comment: c, Verdict: Verdict{Same: true, Score: 1}})
		}
	}
	for b.Loop() {
		if got := optimal(edges); len(got) != limits.BenchReferences {
			b.Fatal(len(got))
		}
	}
}
