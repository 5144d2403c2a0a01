package figures

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// commands are texts that LaTeX, Markdown, HTML or a terminal could obey.
var commands = []string{
	`\input{/etc/passwd}`, `\end{tabular}\write18{id}`, `50% of $x$ & #1 {a}_b^c~d`, "a\\\\b\n\nc", `}}{`, `[t]`, `*`, "-- --- ,, '' `` \"q\" ?` !`", "<<a>> | b", "100%",
	"^^5cinput", "<script>alert(1)</script>", "[x](https://example.invalid) ![y](z) `c` **b** www.example.invalid @someone #12", "1. a", "- b", "+ c", "# d", "| e | f |",
	"\x1b[31mred\x07", "\u202ereversed", "中文 τ é ß Ð ÷ – — … ≤", "%", `\`, "\u2028next", "", " ",
}

func hostilePage(texts ...string) Page {
	at := func(i int) string { return texts[i%len(texts)] }
	t := Table{Title: at(0), Note: at(1), Columns: []Column{{at(2), false}, {at(3), true}}, Footnotes: []string{at(4), at(5)}}
	for i := range texts {
		t.Rows = append(t.Rows, Row{Cells: []string{at(i), at(i + 1)}, Marked: i%2 == 0}, Row{Group: at(i)})
	}
	return Page{Title: at(6), Lead: at(7), Foot: at(8), Sections: []Section{{Title: at(9), Text: at(10), Figures: []Figure{t, Table{Title: at(11)}}}}}
}

func latexOf(t *testing.T, p Page) string {
	t.Helper()
	var b strings.Builder
	if err := p.WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLaTeX(t *testing.T) {
	p := Page{Title: "Systems", Lead: "One.\n\nTwo.", Foot: "100% sure", Sections: []Section{{Title: "Part", Figures: []Figure{
		Table{
			Title: "Means by τ", Columns: []Column{{"system", false}, {"rel", true}},
			Rows:      []Row{{Group: "new ones"}, {Cells: []string{"a_b", "-0.5 [-1.0, 0.1]"}, Marked: true}, {Cells: []string{"[c]"}}},
			Footnotes: []string{"n = 3 & more"},
		},
		Lines{Title: "not shown"},
	}}}}
	want := `% Systems
% It needs \usepackage{booktabs}.
% One.
% Two.

% Part
\begin{table}
\centering
\caption{Means by $\tau$}
\label{tab:means-by-tau}
\begin{tabular}{lr}
\toprule
system & rel \\
\midrule
\multicolumn{2}{l}{\textit{new ones}} \\
\textbf{a\_b} & $-$0.5 {[}$-$1.0, 0.1{]} \\
{[}c{]} &  \\
\bottomrule
\end{tabular}

{\footnotesize n = 3 \& more\par}
\end{table}

% 100% sure
`
	if d := cmp.Diff(want, latexOf(t, p)); d != "" {
		t.Error(d)
	}
}

// TestLabelsAreUnique: two tables with the same title have different labels.
func TestLabelsAreUnique(t *testing.T) {
	same := Table{Title: "Means", Columns: Columns("a")}
	got := latexOf(t, Page{Sections: []Section{{Figures: []Figure{same, same}}, {Title: "Means", Figures: []Figure{Table{Columns: Columns("b")}}}}})
	for _, want := range []string{"{tab:means}", "{tab:means-2}", "{tab:means-3}"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%s is not there once:\n%s", want, got)
		}
	}
}

// ourOwn are the commands that a table is made of; all others are signs.
var ourOwn = regexp.MustCompile(`\\(begin|end)\{(table\*?|tabular|figure\*?)\}|\\label\{(tab|fig):[a-z0-9-]+\}|\\includegraphics\{[a-z0-9-]+\.pdf\}|\\(centering|caption|toprule|midrule|bottomrule|multicolumn|textit|textbf|footnotesize|par)\b|` +
	`\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|ldots)\{\}|\\char(34|96)\{\}|\$-\$|\$\\(times|leq|geq|pm|Delta|alpha|kappa|rho|tau)\$|\\[{}$&#_%]|\\\\\n`)

// sound returns what is wrong with a document: LaTeX reads no command that is not ours,
// each line of a table has its cells, and what is opened is closed where it was.
func sound(doc string) error {
	var body strings.Builder
	for _, line := range strings.SplitAfter(doc, "\n") {
		if !strings.HasPrefix(line, "%") {
			body.WriteString(line)
		}
	}
	columns := 0
	for _, line := range strings.Split(body.String(), "\n") {
		if _, spec, ok := strings.Cut(line, `\begin{tabular}{`); ok {
			columns = len(spec) - 1
		}
		if strings.HasSuffix(line, ` \\`) && !strings.HasPrefix(line, `\multicolumn`) {
			if n := strings.Count(strings.ReplaceAll(line, `\&`, ""), "&"); n != columns-1 {
				return fmt.Errorf("%d columns, and %d signs between cells: %s", columns, n, line)
			}
		}
	}
	rest := ourOwn.ReplaceAllStringFunc(body.String(), func(s string) string {
		if strings.HasPrefix(s, `\begin`) {
			return "{"
		}
		if strings.HasPrefix(s, `\end`) {
			return "}"
		}
		return ""
	})
	depth := 0
	for i, r := range rest {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case strings.ContainsRune("\\$#_%^~`|<>\"", r):
			return fmt.Errorf("LaTeX would obey %q in %q", r, rest[max(0, i-20):min(len(rest), i+20)])
		case (r == '[' || r == ']' || r == '*') && (i == 0 || rest[i-1] != '{'):
			return fmt.Errorf("%q could belong to a command: %q", r, rest[max(0, i-20):min(len(rest), i+20)])
		case r > 0xff || r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0:
			return fmt.Errorf("%q has no sign", r)
		}
		if depth < 0 {
			return fmt.Errorf("more is closed than was opened, before %q", rest[i:min(len(rest), i+20)])
		}
	}
	if depth != 0 {
		return fmt.Errorf("%d groups are not closed", depth)
	}
	return nil
}

func TestLaTeXHostile(t *testing.T) {
	for i := range commands {
		page := hostilePage(append(commands[i:len(commands):len(commands)], commands[:i]...)...)
		if err := sound(latexOf(t, page)); err != nil {
			t.Errorf("%q: %v", commands[i], err)
		}
	}
	for _, bad := range []string{`\begin{table}`, `\input{x}`, "a_b", "}", "{", "\\\\\n[x]"} {
		if sound(bad) == nil {
			t.Errorf("%s is found sound", bad)
		}
	}
}

func FuzzLaTeX(f *testing.F) {
	for _, s := range commands {
		f.Add(s, "-0.1 [-1, 2]")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		if err := sound(latexOf(t, hostilePage(one, two, "system"))); err != nil {
			t.Error(err)
		}
	})
}
