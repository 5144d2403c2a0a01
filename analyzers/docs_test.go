package analyzers

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table in docs/analyzers.md anew")

// TestDocs holds the table in docs/analyzers.md against the registry.
func TestDocs(t *testing.T) {
	const page, begin, end = "../docs/analyzers.md", "from the adapters. -->\n", "<!-- end of the table -->"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	var table strings.Builder
	table.WriteString("\n| name | languages | runs on | versions | to install it |\n| --- | --- | --- | --- | --- |\n")
	for _, tool := range All() {
		var languages []string
		for _, l := range tool.Languages {
			languages = append(languages, string(l))
		}
		on := "files"
		if tool.Project != nil {
			on = "a project"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | from %s, before %s | `%s` |\n", tool.Name, strings.Join(languages, ", "), on, tool.Version.From, tool.Version.Before, tool.Install)
	}
	want := before + begin + table.String() + "\n" + end + after
	if string(b) == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the registry says: go test ./analyzers -run TestDocs -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
