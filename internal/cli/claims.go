package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/internal/report"
	"crscore/internal/spelling"
	"crscore/internal/terminal"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic"
	"crscore/pseudoref/symbolic/cases"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
)

func claimsCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "List the rules that make claims, and explain one by examples",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(claimsList(s), claimsExplain(s))
	return cmd
}

// claimRule is a rule as claims list prints it.
type claimRule struct {
	ID     string         `json:"id"`
	Kind   pseudoref.Kind `json:"kind"`
	Weight string         `json:"weight"`
	On     bool           `json:"on"` // by default
	Says   []saying       `json:"says"`
}

// claimRules returns the IDs of the catalogue.
func claimRules() (ids []string) {
	for _, r := range symbolic.Rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

func newClaimRule(r *fact.Rule) claimRule {
	row := claimRule{r.ID, cmp.Or(r.Kind, pseudoref.Claim), fact.WeightName(r.Weight), !r.Off, nil}
	for _, says := range r.Says {
		when := says.Form
		if when == fact.Now {
			when = "beside " + r.Before
		}
		row.Says = append(row.Says, saying{when, phrase.Show(says.Text)})
	}
	return row
}

// head is the first line about a rule.
func (r *claimRule) head() string {
	var notes []string
	if r.Kind != pseudoref.Claim {
		notes = append(notes, string(r.Kind))
	}
	if !r.On {
		notes = append(notes, "off by default")
	}
	if len(notes) == 0 {
		return r.ID
	}
	return r.ID + " (" + strings.Join(notes, ", ") + ")"
}

// print prints what a rule says.
func (r *claimRule) print(p report.Printer, indent string) {
	for _, s := range r.Says {
		when := ""
		if s.When != "" {
			when = s.When + ": "
		}
		p.Paragraph(indent, when+`"`+s.Text+`"`)
	}
}

func claimsList(s streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules of claims and what they say, by weight",
		Long: `list prints the catalogue of the claims that crscore makes without a model: of each
rule its name and its sentence, and whether it is an implication or off by default.
{object} in a sentence stands for something of the code, {names} for one or several
names, and a part in square brackets may be left out. The rules of most weight come
first: if a change has too many claims, those of the least weight are left out.

A configuration file switches rules on and off (docs/config.md).`,
		Example: `  crscore claims list
  crscore claims list --format json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rules := symbolic.Rules()
			slices.SortStableFunc(rules, func(a, b fact.Rule) int { return cmp.Compare(b.Weight, a.Weight) })
			rows := make([]claimRule, len(rules))
			for i := range rules {
				rows[i] = newClaimRule(&rules[i])
			}
			return s.printValue(format, rows, func(b *bytes.Buffer) {
				p, group := report.Printer{W: b, Opts: terminal.Screen(s.out)}, ""
				for i := range rows {
					if rows[i].Weight != group {
						fmt.Fprintf(b, "%sWeight %s\n\n", spelling.Either(group == "", "", "\n"), rows[i].Weight)
						group = rows[i].Weight
					}
					fmt.Fprintf(b, "  %s\n", rows[i].head())
					rows[i].print(p, "    ")
				}
			})
		},
	}
	textOrJSON(cmd, &format)
	return cmd
}

// explainedRule is a rule with its cases.
type explainedRule struct {
	claimRule
	Count int         `json:"count"` // of all cases
	Cases []claimCase `json:"cases"`
}

// claimCase is a small change with the claims that one rule makes about it.
type claimCase struct {
	Path   string      `json:"path"`
	Diff   string      `json:"diff"`
	Claims []madeClaim `json:"claims"`
}

// madeClaim is a claim of a case.
type madeClaim struct {
	Text      string `json:"text"`
	Side      string `json:"side,omitempty"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
}

// fewCases is how many cases are shown of a rule without --all.
const fewCases = 3

func claimsExplain(s streams) *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use:   "explain RULE",
		Short: "Explain a rule of claims by small changes and what it says of them",
		Long: `explain prints what a rule says, and changes about which it says something: each as a
diff with the claim below it. The changes are the test cases of the rule; the
shortest come first.`,
		Example: `  crscore claims explain parameter-added
  crscore claims explain parameter-added --all --format json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return claimRules(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := explain(args[0], all)
			if err != nil {
				return err
			}
			return s.printValue(format, r, func(b *bytes.Buffer) { r.text(report.Printer{W: b, Opts: terminal.Screen(s.out)}) })
		},
	}
	textOrJSON(cmd, &format)
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("show all changes, not only %d", fewCases))
	return cmd
}

// explain looks a rule up, with its cases.
func explain(id string, all bool) (explainedRule, error) {
	rules := symbolic.Rules()
	i := slices.IndexFunc(rules, func(r fact.Rule) bool { return r.ID == id })
	if i < 0 {
		return explainedRule{}, fmt.Errorf("there is no rule %q%s (crscore claims list shows them)", id, didYouMean(similarRules(id)))
	}
	found, err := cases.All(symbolic.Archives())
	if err != nil {
		return explainedRule{}, err
	}
	out := explainedRule{claimRule: newClaimRule(&rules[i]), Cases: []claimCase{}}
	for j := range found {
		claims := found[j].Claims(id)
		if len(claims) == 0 {
			continue
		}
		c := claimCase{Path: found[j].Path, Diff: found[j].Around(claims)}
		for _, r := range claims {
			c.Claims = append(c.Claims, madeClaim{r.Text, r.Side, r.StartLine, r.EndLine})
		}
		out.Cases = append(out.Cases, c)
	}
	out.Count = len(out.Cases)
	slices.SortStableFunc(out.Cases, func(a, b claimCase) int {
		return cmp.Compare(strings.Count(a.Diff, "\n"), strings.Count(b.Diff, "\n"))
	})
	if !all {
		out.Cases = out.Cases[:min(fewCases, out.Count)]
	}
	return out, nil
}

// similarRules returns the rule that a misspelt ID means, or else a few that have it as a part.
func similarRules(id string) (near []string) {
	ids := claimRules()
	if name := spelling.Nearest(id, ids); name != "" {
		return []string{name}
	}
	for _, name := range ids {
		if id != "" && strings.Contains(name, id) && len(near) < 5 {
			near = append(near, name)
		}
	}
	return near
}

// text prints a rule with its cases.
func (r *explainedRule) text(p report.Printer) {
	fmt.Fprintf(p.W, "%s: weight %s\n", r.head(), r.Weight)
	r.print(p, "  ")
	if r.Count == 0 {
		fmt.Fprintln(p.W, "\nThere is no case of this rule.")
	}
	for _, c := range r.Cases {
		fmt.Fprintf(p.W, "\n%s\n\n", report.Plain(c.Path))
		for line := range strings.Lines(strings.TrimRight(c.Diff, "\n")) {
			fmt.Fprintf(p.W, "    %s\n", report.Plain(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")))
		}
		fmt.Fprintln(p.W)
		for _, claim := range c.Claims {
			p.Paragraph("  ", claim.Text)
		}
	}
	if more := r.Count - len(r.Cases); more > 0 {
		fmt.Fprintf(p.W, "\n%d more with --all\n", more)
	}
}
