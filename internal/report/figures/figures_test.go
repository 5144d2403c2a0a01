package figures

import (
	"bytes"
	"strings"
	"testing"
)

func TestPageIsWritten(t *testing.T) {
	p := Page{Title: "A page <b>", Sections: []Section{{Title: "One", Figures: []Figure{
		Table{Title: "T", Columns: []Column{{"name", false}, {"n", true}}, Rows: []Row{{Group: "g"}, {Cells: []string{"a"}}, {Cells: []string{"b", "2", "3"}, Marked: true}}},
	}}}}
	var html, text bytes.Buffer
	if err := p.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteText(&text, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html.String(), "A page &lt;b&gt;") || !strings.Contains(text.String(), "> b     2\n") {
		t.Errorf("%s\n%s", &html, &text)
	}
}
