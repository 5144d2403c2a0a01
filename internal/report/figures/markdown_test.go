package figures

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func markdownOf(t *testing.T, p Page) string {
	t.Helper()
	var b strings.Builder
	if err := p.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	p := Page{Title: "Systems", Lead: "One.\n\nTwo.", Foot: "a|b", Sections: []Section{{Title: "Part", Text: "Said.", Figures: []Figure{
		Table{
			Title: "Means", Note: "Of 3.", Columns: []Column{{"system", false}, {"rel", true}},
			Rows: []Row{
				{Group: "new"}, {Cells: []string{"a|b", "-0.5 [-1.0, 0.1] ab"}, Marked: true}, {Cells: []string{"<b>", "0.500 [undefined]"}},
				{Cells: []string{"", "[x](y)"}, Marked: true}, {Cells: []string{"c"}},
			},
			Footnotes: []string{"n*3"},
		},
		Lines{Title: "not shown"},
	}}}}
	want := `# Systems

One.

Two.

## Part

Said.

### Means

Of 3.

| system | rel |
| :-- | --: |
| **new** |  |
| **a&#124;b** | -0.5 [-1.0, 0.1] ab |
| &#60;b&#62; | 0.500 [undefined] |
|  | &#91;x&#93;(y) |
| c |  |

<sub>n&#42;3</sub>

<sub>a&#124;b</sub>
`
	if d := cmp.Diff(want, markdownOf(t, p)); d != "" {
		t.Error(d)
	}
}

// Whatever the texts are, lines have their cells, and there is no markup but ours.
func FuzzMarkdown(f *testing.F) {
	for _, s := range commands {
		f.Add(s, "0.1 [0, 1] a")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		text := markdownOf(t, hostilePage(one, two, "system"))
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 3 {
				t.Errorf("cells: %q", line)
			}
			for _, ours := range []string{"<sub>", "</sub>", "**"} {
				line = strings.Replace(line, ours, "", 1)
			}
			line = strings.Replace(line, "**", "", 1)
			if strings.ContainsAny(line, "<>`*_~\\$\x1b\u202e") || strings.Contains(line, "](") {
				t.Errorf("markup: %q", line)
			}
		}
	})
}
