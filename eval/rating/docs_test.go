package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"crscore/smells"
)

// TestDocs holds the figures in the pages against the sheets beside them.
func TestDocs(t *testing.T) {
	for sheet, page := range map[string]string{
		"claims-rating.tsv": "claims.md", "smells-rating.tsv": "smells-rating.md", "smells-rating-applications.tsv": "smells-rating.md",
	} {
		doc, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := run(context.Background(), &b, []string{"rates", "../../docs/" + sheet}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(doc), "```text\n"+b.String()+"```") {
			t.Errorf("docs/%s does not show what %s says:\n%s", page, sheet, b.String())
		}
	}
}

// TestDefaults: a rule is on if readers found at least 80% of its smells right, on
// the labelled changes and on both sheets together, and read five at least.
func TestDefaults(t *testing.T) {
	dev, both := verdictsOf(t, "smells-rating.tsv"), verdictsOf(t, "smells-rating.tsv", "smells-rating-applications.tsv")
	good := func(v verdicts) bool { return 5*v.right >= 4*(v.right+v.wrong+v.unclear) }
	for _, r := range smells.Rules() {
		if r.ID == "rules-switched-off" {
			continue // it compares two settings, which is no matter of taste
		}
		d, b := dev[r.ID], both[r.ID]
		if want := good(d) && good(b) && b.right+b.wrong+b.unclear >= 5; r.On != want {
			t.Errorf("%s: on is %v; of %+v and %+v it should be %v", r.ID, r.On, d, b, want)
		}
	}
}

func verdictsOf(t *testing.T, sheets ...string) map[string]verdicts {
	t.Helper()
	out := map[string]verdicts{}
	for _, sheet := range sheets {
		b, err := os.ReadFile("../../docs/" + sheet)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(strings.TrimPrefix(string(b), smellHeader)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(f) != 6 {
				t.Fatalf("%s: %q", sheet, line)
			}
			v := out[f[3]]
			switch f[5] {
			case "1":
				v.right++
			case "0":
				v.wrong++
			default:
				v.unclear++
			}
			out[f[3]] = v
		}
	}
	return out
}
