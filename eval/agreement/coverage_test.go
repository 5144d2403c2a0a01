package agreement

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCover(t *testing.T) {
	points := []Point{{"1", "issue", 0.1}, {"1", "claim", 0.5}, {"2", "claim", 0.2}, {"2", "claim", 0.8}}
	tau, two, none := 0.2, 2, 0
	got, err := Cover(points, &tau)
	if err != nil {
		t.Fatal(err)
	}
	want := []Coverage{{"claim", 3, &two, 0.5}, {"issue", 1, &none, 0.1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, err = Cover(points, nil); err != nil || got[0].Matched != nil {
		t.Errorf("without tau: %v, %v", got, err)
	}
	if _, err := Cover([]Point{{"1", "claim", math.NaN()}}, nil); err == nil {
		t.Error("a similarity that is no number is taken")
	}
}
