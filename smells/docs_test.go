package smells

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table in docs/smells.md anew")

// TestDocs holds the table in docs/smells.md against the catalogue.
func TestDocs(t *testing.T) {
	const page, begin, end = "../docs/smells.md", "from smells/rules.go. -->\n", "<!-- end of the table -->"
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table, between %q and %q", page, begin, end)
	}
	want := "\n" + catalogue() + "\n"
	if table == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not show the catalogue; go test ./smells -run TestDocs -update writes it anew", page)
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// plain keeps the signs of Markdown what they are. Sentences have theirs in code.
var plain = strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", "&lt;")

// catalogue is the table of all rules. Where a rule is for all languages they are not
// listed.
func catalogue() string {
	var b strings.Builder
	b.WriteString("| rule | what is wrong, and *\"what it says\"* | flagged above | by default | languages |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range Rules() {
		state, above, languages := "off", "", "all"
		if r.On {
			state = "on"
		}
		if r.Unit != "" {
			above = fmt.Sprintf("%d %s", r.Threshold, r.Unit)
		}
		if !slices.Equal(r.Languages, Languages()) {
			var names []string
			for _, l := range r.Languages {
				names = append(names, string(l))
			}
			languages = strings.Join(names, ", ")
		}
		text := plain.Replace(r.Description)
		for _, s := range r.Says {
			text += "<br>"
			if s.When != "" {
				text += plain.Replace(s.When) + ": "
			}
			text += `*"` + strings.ReplaceAll(s.Text, "|", `\|`) + `"*`
		}
		fmt.Fprintf(&b, "| **%s**<br>`%s` | %s | %s | %s | %s |\n", r.Name, r.ID, text, above, state, languages)
	}
	var all []string
	for _, l := range Languages() {
		all = append(all, string(l))
	}
	fmt.Fprintf(&b, "\nAll languages are %s.\n", strings.Join(all, ", "))
	return b.String()
}
