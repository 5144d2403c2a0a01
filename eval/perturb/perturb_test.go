package perturb

import (
	"fmt"
	"os"
	"sort"
	"testing"

	"crscore/internal/lang"
)

// TestShow prints the variants of the file that SHOW names.
func TestShow(t *testing.T) {
	f := os.Getenv("SHOW")
	if f == "" {
		t.Skip()
	}
	b, _ := os.ReadFile(f)
	s := string(b)
	for _, p := range All() {
		v, err := Apply(t.Context(), Text{Path: f, Lang: lang.FromPath(f), New: &s}, p, "1")
		fmt.Println("=====", p.ID, p.Name, err)
		if err == nil {
			var left []string
			for w, n := range v.Left {
				left = append(left, fmt.Sprint(n, " ", w))
			}
			sort.Strings(left)
			fmt.Println(v.Places, left, v.Names)
			fmt.Println(Diff("x", &s, &v.New.Text))
		}
	}
}
