package gate

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"crscore"
	"crscore/internal/findings"
	"crscore/internal/report"
)

// WriteMarkdown writes the decision for the summary of a job or a comment. Texts of
// the change and of comments are shown as they are: nothing in them is markup, a
// link or a mention.
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
		line("Con **%.3f**, Comp **%.3f**, Rel **%.3f** by %d references.\n", *r.Con, *r.Comp, *r.Rel, r.Refs)
	} else if r.Status == crscore.Unscored {
		line("No score: %s.\n", plain(r.Reason))
	}
	if len(d.Comments) > 0 {
		line("| | comment | con | verdict |\n| --: | :-- | --: | :-- |")
		for _, v := range head(d.Comments, maxShown) {
			said := v.remarks()
			if v.Kept {
				said = join("kept", said)
			}
			line("| %d | %s: %s | %s | %s |", v.Comment, plain(v.place()), plain(v.Body), v.con(), plain(said))
		}
		line("")
		if s := more(len(d.Comments), maxShown); s != "" {
			line("%s\n", strings.TrimSpace(s))
		}
	}
	if len(d.Missed) > 0 {
		line("<details><summary>Missed: %d of %d points%s</summary>\n", len(d.Missed), d.Review.Refs, more(len(d.Missed), maxMissed))
		for _, r := range head(d.Missed, maxMissed) {
			line("- %s (%s)", plain(r.Text), plain(where(r)))
		}
		line("\n</details>\n")
	}
	line("<sub>%s</sub>", plain(d.Signature))
	_, err := w.Write(b.Bytes())
	return err
}

// maxPlain bounds a text in Markdown, in characters. Signatures fit.
const maxPlain = 1000

// plain is a text on one line, not too long, in which nothing means anything.
func plain(s string) string { return report.Markdown(findings.Text(report.Plain(s), maxPlain)) }
