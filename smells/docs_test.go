package smells

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"crscore/internal/lang"
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

// markdown escapes the signs of Markdown.
var markdown = strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", "&lt;")

// catalogue is the table of all rules, with the first sentence of each description.
func catalogue() string {
	var b strings.Builder
	b.WriteString("| rule | finds | on | languages |\n| --- | --- | --- | --- |\n")
	for _, r := range Rules() {
		on, languages := "", "all"
		if r.On {
			on = "yes"
		}
		if !slices.Equal(r.Languages, Languages()) {
			languages = languageList(r.Languages)
		}
		finds, _, _ := strings.Cut(r.Description, ". ")
		fmt.Fprintf(&b, "| `%s` | %s. | %s | %s |\n", r.ID, markdown.Replace(strings.TrimSuffix(finds, ".")), on, languages)
	}
	fmt.Fprintf(&b, "\nAll languages are %s.\n", languageList(Languages()))
	return b.String()
}

func languageList(names []lang.Name) string {
	var out []string
	for _, l := range names {
		out = append(out, string(l))
	}
	return strings.Join(out, ", ")
}
