package gate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/findings"
	"crscore/internal/report"
	"crscore/internal/spelling"
)

// How much text and Markdown show; they count the rest. JSON has everything.
const (
	shownReasons  = 20
	shownComments = 200
	shownMissed   = 5
	snippetRunes  = 160 // characters of a comment
)

// verb is the outcome as the predicate of a sentence.
func (o Outcome) verb() string {
	switch o {
	case Pass:
		return "passed"
	case Fail:
		return "failed"
	}
	return "could not be decided"
}

// Summary is the decision in one line.
func (d *Decision) Summary() string {
	kept := 0
	for i := range d.Comments {
		if d.Comments[i].Kept && !d.Comments[i].Summary {
			kept++
		}
	}
	s := spelling.Count("%s: %d of %d comments kept", d.Outcome.verb(), kept, d.total())
	if counts := d.counts(); counts != "" {
		s += " (" + counts + ")"
	}
	if d.Review.Con != nil {
		s += fmt.Sprintf(", con %.3f, comp %.3f, rel %.3f", *d.Review.Con, *d.Review.Comp, *d.Review.Rel)
	}
	return s
}

// counts are the numbers of comments with each verdict, without zeros.
func (d *Decision) counts() string {
	var list []string
	for _, t := range topics() {
		if n := d.Verdicts[t]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, t))
		}
	}
	return strings.Join(list, ", ")
}

// total is the number of comments without the summary.
func (d *Decision) total() (n int) {
	for i := range d.Comments {
		if !d.Comments[i].Summary {
			n++
		}
	}
	return n
}

// place names the file and line of a comment.
func (v *Verdict) place() string {
	switch {
	case v.Summary:
		return "summary"
	case v.Path == "":
		return "no place"
	case v.EndLine == 0:
		return v.Path
	case v.Side == "old":
		return v.Path + ":" + strconv.Itoa(v.EndLine) + " (old)"
	}
	return v.Path + ":" + strconv.Itoa(v.EndLine)
}

// details are the reasons and circumstances of a verdict.
func (d *Decision) details(v *Verdict) string {
	var parts []string
	switch {
	case v.Status == crscore.Unscored:
		parts = append(parts, "no score: "+v.Reason)
	case v.Dropped == DropCon:
		parts = append(parts, fmt.Sprintf("dropped: con below %v", d.Policy.MinCon))
	case v.Dropped != "":
		parts = append(parts, "dropped: "+string(v.Dropped))
	}
	if v.Topic != "" && v.Dropped != Drop(v.Topic) {
		parts = append(parts, string(v.Topic))
	}
	if v.Why != "" {
		parts = append(parts, v.Why)
	}
	if v.Scope != "" {
		parts = append(parts, spelling.Count("against %d references of the %s", v.Refs, v.Scope))
	}
	if v.Note != "" {
		parts = append(parts, v.Note)
	}
	for _, f := range v.Checks {
		parts = append(parts, f.Check+": "+findings.Text(f.Evidence, snippetRunes))
	}
	return strings.Join(parts, "; ")
}

// number is the number to show, none for the summary.
func (v *Verdict) number() string {
	if v.Summary {
		return ""
	}
	return strconv.Itoa(v.Comment)
}

func (v *Verdict) con() string {
	if v.Con == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v.Con)
}

// Why are the reasons to show: the first of many, and how many more there are.
func (d *Decision) Why() []string {
	list := slices.Clip(head(d.Reasons, shownReasons))
	if n := len(d.Reasons) - len(list); n > 0 {
		list = append(list, spelling.Count("and %d more reasons", n))
	}
	return list
}

// WriteText writes the decision for a terminal.
func (d *Decision) WriteText(w io.Writer, opts report.TextOptions) error {
	var b bytes.Buffer
	p := report.Printer{W: &b, Opts: opts}
	var reasons, list, missed []report.Check
	for _, r := range d.Why() {
		reasons = append(reasons, report.Check{Mark: report.Bad, Text: r})
	}
	p.Checklist("Gate "+d.Summary(), reasons)
	for _, v := range head(d.Comments, shownComments) {
		c := report.Check{Mark: report.Good, Cells: []string{v.number(), "con " + v.con()}, Text: findings.Text(v.place(), snippetRunes) + " " + findings.Text(v.Body, snippetRunes), Below: d.details(&v)}
		if v.Summary || v.Status == crscore.Unscored {
			c.Mark = report.Neutral
		} else if off, _ := d.Policy.offTopic(&v); off || !v.Kept {
			c.Mark = report.Bad
		} else if v.Topic != TopicAbout {
			c.Mark = report.Neutral // nothing is asked for, but nothing shows that it is about the change
		}
		list = append(list, c)
	}
	if len(list) > 0 {
		p.Checklist("Comments"+more(len(d.Comments), shownComments), list)
	}
	for _, r := range head(d.Missed, shownMissed) {
		missed = append(missed, report.Check{Mark: report.Bad, Text: r.Text, Below: where(r)})
	}
	if len(missed) > 0 {
		if n := len(d.Missed) - shownMissed; n > 0 {
			missed = append(missed, report.Check{Mark: report.Neutral, Text: fmt.Sprintf("and %d more", n)})
		}
		p.Checklist(spelling.Count("Missed: %d of %d references", len(d.Missed), d.Review.Refs), missed)
	}
	for _, w := range head(d.Warnings, shownComments) {
		p.Paragraph("", "warning: "+w)
	}
	p.Paragraph("", "signature "+d.Signature)
	_, err := w.Write(b.Bytes())
	return err
}

// where names the kind and place of a reference.
func where(r dataset.Ref) string {
	s := r.Kind
	if r.Path != "" {
		s += " " + findings.Text(r.Path, snippetRunes)
		if r.StartLine > 0 {
			s += ":" + strconv.Itoa(r.StartLine)
		}
	}
	return s
}

func head[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// more says how much of a list is shown.
func more(have, shown int) string {
	if have <= shown {
		return ""
	}
	return fmt.Sprintf(" (the first %d of %d)", shown, have)
}
