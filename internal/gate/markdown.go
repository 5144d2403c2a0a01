package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"crscore"
	"crscore/internal/findings"
	"crscore/internal/report"
	"crscore/internal/spelling"
)

// WriteMarkdown writes the decision for the summary of a job or for a comment. Texts of
// the change and of comments appear literally: no markup, link or mention of theirs works,
// except that their code is shown as code.
func (d *Decision) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("### crscore: %s\n", d.Outcome.verb())
	for _, r := range d.Why() {
		line("- %s", plain(r))
	}
	if len(d.Reasons) > 0 {
		line("")
	}
	if r := d.Review; r.Con != nil {
		line("%s\n", spelling.Count("Con **%.3f**, Comp **%.3f**, Rel **%.3f** by %d references.", *r.Con, *r.Comp, *r.Rel, r.Refs))
	} else if r.Status == crscore.Unscored {
		line("No score: %s.\n", plain(r.Reason))
	}
	if counts := d.counts(); counts != "" {
		line("Verdicts: %s.\n", counts)
	}
	if len(d.Comments) > 0 {
		line("| | comment | con | verdict |\n| --: | :-- | --: | :-- |")
		for _, v := range head(d.Comments, shownComments) {
			said := d.details(&v)
			if v.Kept && !v.Summary {
				said = join("kept", said)
			}
			line("| %s | %s: %s | %s | %s |", v.number(), plain(v.place()), plain(v.Body), v.con(), plain(said))
		}
		line("")
		if s := more(len(d.Comments), shownComments); s != "" {
			line("%s\n", strings.TrimSpace(s))
		}
	}
	if len(d.Missed) > 0 {
		line("%s\n", spelling.Count("<details><summary>Missed: %d of %d references</summary>", len(d.Missed), d.Review.Refs))
		for _, r := range head(d.Missed, shownMissed) {
			line("- %s (%s)", plain(r.Text), plain(where(r)))
		}
		if n := len(d.Missed) - shownMissed; n > 0 {
			line("- and %d more", n)
		}
		line("\n</details>\n")
	}
	for _, w := range head(d.Warnings, shownComments) {
		line("Warning: %s.\n", plain(w))
	}
	line("<sub>%s</sub>", plain(d.Signature))
	_, err := w.Write(b.Bytes())
	return err
}

// plainRunes bounds a text in Markdown, in characters. It is enough for a signature.
const plainRunes = 1000

// plain is a text as Markdown shows it literally, on one line and cut to plainRunes.
func plain(s string) string { return report.Markdown(findings.Text(report.Plain(s), plainRunes)) }
