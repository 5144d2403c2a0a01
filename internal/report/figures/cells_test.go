package figures

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoCells is a value with its text, and with cells of its own.
type twoCells struct{}

func (twoCells) String() string    { return "0.500 [undefined]" }
func (twoCells) Columns() []string { return []string{"0.5", ""} }

func TestFill(t *testing.T) {
	var got Table
	Fill(&got, []int{7}, []Col[int]{
		Texts("name", func(int) any { return "a" }),
		Numbers("count", func(i int) any { return i }),
		Numbers("share", func(int) any { return twoCells{} }),
	})
	got.Add("b", 8).Marked = true
	want := Table{
		Columns: []Column{{"name", false}, {"count", true}, {"share", true}},
		Rows:    []Row{{Cells: []string{"a", "7", "0.500 [undefined]"}}, {Cells: []string{"b", "8"}, Marked: true}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSheet(t *testing.T) {
	s := NewSheet("name", "count", "low", "high", "x", "y")
	s.Add("=1+1", 3, twoCells{}, 1.0/3, math.NaN())
	s.Add("-", -3, []string{"1", "2"}, -0.5, math.Inf(1))
	var b bytes.Buffer
	if err := s.CSV(&b); err != nil {
		t.Fatal(err)
	}
	want := "name,count,low,high,x,y\n'=1+1,3,0.5,,0.3333333333333333,\n'-,-3,1,2,-0.5,\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
