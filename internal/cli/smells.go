package cli

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/report"
	"crscore/internal/smellcheck"
	"crscore/internal/terminal"
	"crscore/smells"
)

func smellsCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "smells",
		Short: "Check files and changes for code smells, list the rules, measure complexity",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(smellsCheck(s), smellsComplexity(s), smellsList(s))
	return cmd
}

// listedRule is a rule as smells list prints it.
type listedRule struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Languages   []lang.Name `json:"languages"`
	On          bool        `json:"on"` // by default
	Threshold   int         `json:"threshold"`
	Unit        string      `json:"unit,omitempty"`
	Says        []saying    `json:"says"`
}

// saying is one of a rule's sentences.
type saying struct {
	When string `json:"when,omitempty"`
	Text string `json:"text"`
}

func smellsList(s streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the smells, what is said of them, and which are looked for by default",
		Long: `list prints the catalogue: of each rule what it looks for, the sentences that it
says, which are the pseudo-references, and whether it is on by default, with its
threshold and its languages. {name} in a sentence stands for something of the
code; a rule with several sentences tells before each when it is said.`,
		Example: `  crscore smells list
  crscore smells list --format json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var rows []listedRule
			for _, r := range smells.Rules() {
				row := listedRule{r.ID, r.Name, r.Description, r.Languages, r.On, r.Threshold, r.Unit, nil}
				for _, s := range r.Says {
					row.Says = append(row.Says, saying(s))
				}
				rows = append(rows, row)
			}
			return s.printValue(format, rows, func(b *bytes.Buffer) {
				for _, r := range rows {
					fmt.Fprintf(b, "%s (%s)\n", r.ID, r.Name)
					p := report.Printer{W: b, Opts: terminal.Screen(s.out)}
					p.Paragraph("  ", r.Description)
					for _, s := range r.Says {
						when := ""
						if s.When != "" {
							when = s.When + ": "
						}
						p.Paragraph("    ", when+`"`+s.Text+`"`)
					}
					state := "off by default"
					if r.On {
						state = "on by default"
					}
					if r.Unit != "" {
						state += fmt.Sprintf(", flagged above %d %s", r.Threshold, r.Unit)
					}
					fmt.Fprintf(b, "  %s\n", state)
					fmt.Fprintf(b, "  %s\n\n", lang.Join(r.Languages))
				}
			})
		},
	}
	textOrJSON(cmd, &format)
	return cmd
}

// smellsLanguage is the value of --lang.
func smellsLanguage(name string) (lang.Name, error) {
	if name == "" {
		return lang.Unknown, nil
	}
	l, ok := lang.Lookup(name)
	if !ok || !slices.Contains(smells.Languages(), l) {
		return "", fmt.Errorf("--lang %s: choose one of %s", name, lang.Join(smells.Languages()))
	}
	return l, nil
}

// sources reads files of code.
func (s streams) sources() smellcheck.Reader {
	return func(name string) ([]byte, error) { return s.in.ReadFile(name, change.DefaultMaxBytes) }
}
