package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/comments"
	"crscore/internal/dataset"
	"crscore/internal/gate"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
)

type gateFlags struct {
	engine   engineFlags
	change   changeFlags
	comments string
	from     string
	columns  []string
	names    dataset.Columns
	format   string
	bare     bool
	drop     []string
	policy   gate.Policy
	html     pageFlag
}

// sameFormat is the format of the input.
const sameFormat = "same"

// gateFormats are the output formats of gate.
func gateFormats() []string {
	return []string{sameFormat, "text", "json", "markdown", "sarif", "rdjsonl", "gitlab"}
}

// droppable lists what --drop takes.
func droppable() string {
	var names []string
	for _, d := range gate.Droppable() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ")
}

func gateCommand(s streams) *cobra.Command {
	var f gateFlags
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Decide which comments of a bot are worth posting",
		Long: `gate judges a bot's comments on a change before they are posted.

Each comment gets a verdict: about its hunk; elsewhere (it names other code); empty
(nothing but praise, process remarks, boilerplate); vague (nothing shows what it is
about); or undecided. --drop lists the verdicts that are dropped; by default all
comments stay. A comment at whose lines an analyzer has a finding is never dropped as
elsewhere or vague. Con compares a comment with the references of its hunk; with fewer
than three there, with those of its file, or of the whole change. gate judges the kept
comments as one review by Con, Comp and Rel, and lists the references that it misses.
Without flags every review passes that has a score.

It prints the kept comments in the format of the input, with the verdict of each as
the field "crscore" (in SARIF a property, in plain text a header that Markdown does
not show). The formats text, json and markdown have the whole decision; sarif,
rdjsonl and gitlab (a Code Quality report) have the kept comments.

--checks looks in each comment for what the change itself refutes, and says so beside
the verdict. It needs the whole files (--range, or --old and --new), and drops nothing.

Exit codes: 0 passed; 1 failed; 2 usage or bad input; 3 undecided: a comment has no
score, or the run was interrupted. An undecided run drops no comment.`,
		Example: `  crscore gate --diff pr.diff --comments review.json --format text
  crscore gate --range main..HEAD --comments notes.json --drop elsewhere,empty --output kept.json
  crscore gate --range main..HEAD --comments notes.json --output judged.json --html gate.html
  linter --format sarif | crscore gate --range main..HEAD --comments - > judged.sarif
  crscore gate --diff pr.diff --comments bot.md --comments-format paragraphs --format markdown`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	f.change.add(cmd)
	fl.StringVar(&f.comments, "comments", "", "the comments: a `FILE`, or - for standard input")
	choose(cmd, &f.from, "comments-format", "", "format of the comments: "+strings.Join(comments.Formats(), ", ")+" (default: detected; plain text is one comment)",
		comments.Formats()...)
	fl.StringSliceVar(&f.columns, "map", nil, "fields of comments in JSON that do not have their usual names, as `FIELD=NAME,...` (docs/bots.md)")
	fl.Float64Var(&f.policy.MinCon, "min-con", 0, "least Con of each comment, from 0 to 1; it costs many good comments (docs/bots.md)")
	fl.Float64Var(&f.policy.MinComp, "min-comp", 0, "least Comp of the review, from 0 to 1")
	fl.Float64Var(&f.policy.MinRel, "min-rel", 0, "least Rel of the review, from 0 to 1")
	fl.StringSliceVar(&f.drop, "drop", nil, "verdicts whose comments are dropped, of "+droppable())
	fl.BoolVar(&f.policy.DropOffTopic, "drop-off-topic", false, "the same as --drop elsewhere,empty")
	fl.IntVar(&f.policy.MaxComments, "max-comments", 0, "keep at most this many comments, the best; a repetition of a kept comment adds nothing (default: all)")
	fl.BoolVar(&f.policy.Checks, "checks", false, "say what the change refutes in a comment, such as a name that is nowhere; drops nothing")
	choose(cmd, (*string)(&f.policy.Empty), "empty", string(gate.EmptyPass), "outcome for a review without any comment, or with none left: pass or fail",
		string(gate.EmptyPass), string(gate.EmptyFail))
	choose(cmd, &f.format, "format", sameFormat, strings.Join(gateFormats(), ", "), gateFormats()...)
	fl.BoolVar(&f.bare, "bare", false, "print the kept comments without verdicts, for an API that refuses unknown fields")
	f.html.add(fl)
	f.engine.add(cmd)
	return cmd
}

func (f *gateFlags) run(cmd *cobra.Command, s streams) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if err := f.engine.configure(cmd, &f.change); err != nil {
		return err
	}
	text, err := s.in.ReadFile(f.comments, limits.CommentsBytes)
	if err != nil {
		return fmt.Errorf("--comments: %w", err)
	}
	file, err := comments.Read(text, comments.Format(f.from), f.names...)
	if err != nil {
		return fmt.Errorf("%s: %w", stdio.Name(f.comments), err)
	}
	in, err := f.change.read(cmd, s.in)
	if err != nil {
		return err
	}
	in.Change.Warnings = append(f.engine.Config.OfTree(), in.Change.Warnings...)
	e, err := f.engine.engine(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer e.Close()
	stop := f.engine.tools.watch(s)
	d, err := gate.Judge(cmd.Context(), e, in, file.Comments, f.policy)
	stop()
	if err != nil {
		return err
	}
	for _, note := range file.Notes {
		s.log.Note(note)
	}
	if f.format != "text" { // which has them beside the verdict
		for _, warning := range d.Warnings {
			s.log.Warn(warning)
		}
	}
	if err := errors.Join(f.print(s, file, d), f.html.write(d.Page())); err != nil {
		return err
	}
	run.SayTruncated(e, s)
	return f.outcome(s, d)
}

// check refuses wrong flags before anything is read.
func (f *gateFlags) check(cmd *cobra.Command) error {
	switch {
	case f.comments == "":
		return errors.New("nothing to judge: give --comments FILE, or - for standard input")
	case f.comments == "-" && (f.change.diff == "-" || f.change.old == "-" || f.change.new == "-"):
		return errors.New("only one flag can read standard input")
	case cmd.Flags().Changed("max-comments") && f.policy.MaxComments < 1:
		return fmt.Errorf("--max-comments is %d, but must be at least 1", f.policy.MaxComments)
	case f.bare && (f.format == "text" || f.format == "json" || f.format == "markdown"):
		return fmt.Errorf("--bare is for the formats of comments; %s is the decision itself", f.format)
	}
	for _, m := range []struct {
		flag  string
		value float64
	}{{"min-con", f.policy.MinCon}, {"min-comp", f.policy.MinComp}, {"min-rel", f.policy.MinRel}} {
		if !(m.value >= 0 && m.value <= 1) {
			return fmt.Errorf("--%s is %v, but must be a number from 0 to 1", m.flag, m.value)
		}
	}
	for _, d := range f.drop {
		f.policy.Drop = append(f.policy.Drop, gate.Drop(d))
	}
	if err := f.policy.Check(); err != nil {
		return fmt.Errorf("--drop: %w", err)
	}
	var err error
	if f.names, err = dataset.ParseMap(comments.Fields(), f.columns); err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	return nil
}

func (f *gateFlags) print(s streams, file *comments.File, d *gate.Decision) error {
	var b bytes.Buffer
	if err := f.render(&b, s.out, file, d); err != nil {
		return outputError(err)
	}
	format := f.format
	if format != "text" && format != "markdown" {
		format = "json" // or the file's own bytes, which internal/comments made harmless
	}
	return s.print(format, b.Bytes())
}

func (f *gateFlags) render(b *bytes.Buffer, w io.Writer, file *comments.File, d *gate.Decision) error {
	switch f.format {
	case "text":
		return d.WriteText(b, terminal.Screen(w))
	case "markdown":
		return d.WriteMarkdown(b)
	case "json":
		return report.JSON(b, d, "  ")
	}
	whole, marks, err := d.Marks()
	if err != nil {
		return err
	}
	if f.bare {
		whole = nil
		for i := range marks {
			marks[i].Note = nil
		}
	}
	var items []comments.Item
	for i, m := range marks {
		if !m.Drop {
			items = append(items, comments.Item{Comment: d.Comments[i].New, Note: m.Note})
		}
	}
	switch f.format {
	case "sarif":
		return comments.WriteSARIF(b, "crscore", crscore.Version, items, whole)
	case "rdjsonl":
		return comments.WriteRDJSONL(b, items)
	case "gitlab":
		return comments.WriteCodeQuality(b, items)
	}
	return file.Write(b, marks, whole)
}

// outcome turns the decision into the exit code, and reports it where the output does not.
func (f *gateFlags) outcome(s streams, d *gate.Decision) error {
	told := f.format == "text" || f.format == "markdown" || f.format == "json"
	if !told {
		for _, r := range d.Why() {
			s.log.Fail(r)
		}
	}
	err := fmt.Errorf("gate %s", d.Summary())
	switch {
	case d.Outcome == gate.Fail:
		return failed{err}
	case d.Outcome == gate.Undecided:
		return run.Incomplete{Err: err}
	case !told:
		s.log.Note(err.Error())
	}
	return nil
}
