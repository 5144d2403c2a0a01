package figures

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	render "github.com/yuin/goldmark/renderer/html"
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
| **a\|b** | -0.5 [-1.0, 0.1] ab |
| &lt;b> | 0.500 [undefined] |
|  | \[x\](y) |
| c |  |

<sub>n\*3</sub>

<sub>a\|b</sub>
`
	if d := cmp.Diff(want, markdownOf(t, p)); d != "" {
		t.Error(d)
	}
}

// ours are the tags that a page of ours becomes.
var ours = regexp.MustCompile(`</?(h[123]|p|table|thead|tbody|tr|t[hd]( style="[^"]*")?|sub|strong|code)>`)

// FuzzMarkdown: whatever the texts are, lines have their cells, and a renderer finds no
// markup but ours.
func FuzzMarkdown(f *testing.F) {
	for _, s := range commands {
		f.Add(s, "0.1 [0, 1] a")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		text := markdownOf(t, hostilePage(one, two, "system"))
		for _, line := range strings.Split(text, "\n") {
			if cells := strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""); strings.HasPrefix(line, "|") && strings.Count(cells, "|") != 3 {
				t.Errorf("cells: %q", line)
			}
		}
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("controls: %q", text)
		}
		var page bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(render.WithUnsafe())).Convert([]byte(text), &page); err != nil {
			t.Fatal(err)
		}
		if rest := ours.ReplaceAllString(page.String(), ""); strings.ContainsAny(rest, "<>") {
			t.Errorf("markup: %q", rest)
		}
	})
}
