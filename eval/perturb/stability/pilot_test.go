package stability

import (
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"testing"

	"crscore"
	"crscore/internal/dataset"
)

func TestPilot(t *testing.T) {
	name := os.Getenv("PILOT")
	if name == "" {
		t.Skip()
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := dataset.Open(dataset.Source{Name: name, Text: f}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	moves, err := Measure(t.Context(), e, Options{}, func() (*dataset.Record, error) {
		rec, err := r.Next()
		if err == io.EOF {
			return nil, io.EOF
		}
		return &rec, err
	}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moves {
		var d [3][]float64
		for _, p := range m.Pairs {
			a, b := p.Before.list(), p.After.list()
			for k := range 3 {
				d[k] = append(d[k], b[k]-a[k])
			}
		}
		by := map[string][]Pair{}
		for _, p := range m.Pairs {
			by[p.Change] = append(by[p.Change], p)
		}
		flips, pairs := 0, 0
		for _, ps := range by {
			for i := range ps {
				for k := range i {
					x, y := ps[i].Before.Rel-ps[k].Before.Rel, ps[i].After.Rel-ps[k].After.Rel
					if x != 0 {
						pairs++
						if x*y < 0 {
							flips++
						}
					}
				}
			}
		}
		fmt.Printf("%-5s %-28s fits %3d reviews %4d", m.Perturbation.ID, m.Perturbation.Name, m.Fits, len(m.Pairs))
		for k := range 3 {
			abs, bias := 0.0, 0.0
			for _, x := range d[k] {
				abs += math.Abs(x)
				bias += x
			}
			n := float64(len(d[k]))
			fmt.Printf("  MAD %.4f bias %+.4f", abs/n, bias/n)
		}
		fmt.Printf("  flips %.4f of %d\n", float64(flips)/float64(pairs), pairs)
		type kv struct {
			k string
			n int
		}
		var left []kv
		for k, n := range m.Left {
			left = append(left, kv{k, n})
		}
		sort.Slice(left, func(i, j int) bool { return left[i].n > left[j].n })
		fmt.Println("      ", left[:min(4, len(left))])
		if os.Getenv("WORST") != "" {
			ps := m.Pairs
			sort.SliceStable(ps, func(i, j int) bool {
				return math.Abs(ps[i].After.Rel-ps[i].Before.Rel) > math.Abs(ps[j].After.Rel-ps[j].Before.Rel)
			})
			for _, p := range ps[:min(4, len(ps))] {
				fmt.Printf("         %s %s %v -> %v\n", p.Change, p.Review, p.Before, p.After)
			}
		}
	}
}
