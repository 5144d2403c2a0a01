package phrase

import (
	"strings"
	"testing"

	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/tree/treetest"
)

// TestGrowth: what is asked of every node costs the same however many siblings it has and, for
// its place, no more than the way up.
func TestGrowth(t *testing.T) {
	list := func(n int) string { return "function f(a) {\n" + strings.Repeat("  g(a);\n", n) + "}\n" }
	nest := func(n int) string {
		return "function f(a) {\n" + strings.Repeat("if (a) {", n) + strings.Repeat("}", n) + "}\n"
	}
	for name, c := range map[string]struct {
		text func(n int) string
		ask  func(n tree.Node)
		most float64 // growth of the work for twice the text
	}{
		"place among siblings":  {list, func(n tree.Node) { PlaceOf(n) }, 2.2},
		"value among siblings":  {list, func(n tree.Node) { CaseValue(n) }, 2.2},
		"place above the limit": {nest, func(n tree.Node) { PlaceOf(n) }, 2.5},
		"siblings":              {list, func(n tree.Node) { n.Prev(); n.Next() }, 2.2},
	} {
		work := func(n int) float64 {
			_, x := treetest.Whole(t, "a.js", "f();\n", c.text(n))
			left := x.Meter.Left()
			for i := range x.Len() {
				c.ask(x.At(i))
			}
			return float64(left - x.Meter.Left())
		}
		if grown := work(400) / max(work(200), 1); grown > c.most {
			t.Errorf("%s: %.1f times the work for twice the text", name, grown)
		}
	}
}
