package symbolic_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"crscore/pseudoref"
	"crscore/pseudoref/symbolic"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

// TestRulesPage holds docs/claims-rules.md against the catalogue.
func TestRulesPage(t *testing.T) {
	const page, command = "../../docs/claims-rules.md", "go test ./pseudoref/symbolic -run TestRulesPage -update"
	var b strings.Builder
	fmt.Fprintf(&b, "# The rules of claims\n\n<!-- %q writes this page. -->\n\n", command)
	b.WriteString("`{object}`, `{old}` and the like stand for something of the code, `{names}` for one or several names. " +
		"A part in square brackets may be left out. [claims.md](claims.md#the-catalogue) tells more.\n\n")
	b.WriteString("| rule | kind | sentence |\n| --- | --- | --- |\n")
	signs := strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", "&lt;", "[", `\[`, "]", `\]`)
	for _, r := range symbolic.Rules() {
		kind := string(cmp.Or(r.Kind, pseudoref.Claim))
		if r.Off {
			kind += ", off by default"
		}
		var says []string
		for _, sentence := range r.Says {
			when := ""
			switch sentence.Form {
			case "":
			case fact.Now:
				when = "beside `" + r.Before + "`: "
			default:
				when = sentence.Form + ": "
			}
			says = append(says, when+signs.Replace(phrase.Show(sentence.Text)))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, kind, strings.Join(says, "<br>"))
	}
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != b.String() {
		t.Errorf("%s does not show the catalogue (%v); %s writes it anew", page, err, command)
	}
}
