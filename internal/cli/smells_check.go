package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/change"
	"crscore/internal/comments"
	"crscore/internal/config"
	"crscore/internal/findings"
	"crscore/internal/git"
	"crscore/internal/report"
	"crscore/internal/setup"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/internal/syntax"
	"crscore/smells"
)

// checkFlags choose what smells check looks at and looks for.
type checkFlags struct {
	change changeFlags
	config setup.Files
	rules  string
	format string
}

// checkFormats are what smells check can print.
func checkFormats() []string { return []string{"text", "json", "sarif", "rdjsonl", "github"} }

func smellsCheck(s streams) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Look for smells in files or in a change, as a linter does",
		Long: `check prints the smells in files, in standard input (-), in the files of folders, or,
without a path, the smells that a change adds or makes worse. It needs no review.

  app.py:3:7: The number 37 is a magic number; ... (magic-number)

Hidden files, node_modules and links in folders are left out, and so are files that
programs write and folders named fixtures or testdata.

--rules chooses the rules for one run: a list of names looks for these rules only; +NAME
and -NAME add a rule to the usual ones or take it away; "all" is every rule. Rules,
thresholds and ignored paths can be set in .crscore.yaml. A comment silences a rule
for its line, or, alone on its line, for the next line of code:

  def add(item, items=[]):  # crscore:ignore mutable-default one list for all calls

Comments and ignored paths have no effect on scores. "crscore smells list" shows the
rules.

Formats: text, json, sarif (SARIF 2.1.0), rdjsonl (reviewdog) and github (workflow
commands, which GitHub shows beside the lines).

Exit codes: 0 no smells; 1 smells were found; 2 usage or bad input; 3 a file could not
be checked.`,
		Example: `  crscore smells check src
  crscore smells check --range main..HEAD --format github
  crscore smells check --rules +long-comprehension,-todo-comment app.py
  git diff | crscore smells check --diff - --format rdjsonl`,
		RunE: func(cmd *cobra.Command, paths []string) error { return f.run(cmd, s, paths) },
	}
	f.change.add(cmd)
	addConfig(cmd, &f.config)
	cmd.Flags().StringVar(&f.rules, "rules", "", "rules to look for: `NAMES` joined by commas; or +NAME and -NAME, to change the usual ones")
	cmd.Flags().StringVar(&f.format, "format", "text", strings.Join(checkFormats(), ", "))
	complete(cmd, "format", checkFormats()...)
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, s streams, paths []string) error {
	if !slices.Contains(checkFormats(), f.format) {
		return fmt.Errorf("unknown format %q: choose one of %s", f.format, strings.Join(checkFormats(), ", "))
	}
	from, rng, err := f.change.input()
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		from = setup.Paths
	}
	settings, err := f.config.Load(cmd.Context(), from, rng, openLog(cmd))
	if err != nil {
		return err
	}
	c := checker{streams: s, ignore: settings.Ignore, silenced: map[string]int{}, smelly: map[string]bool{}}
	if c.opts, err = chooseRules(setup.SmellOptions(settings), f.rules); err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	if len(paths) > 0 {
		err = f.checkFiles(cmd, &c, paths)
	} else {
		for _, warning := range settings.OfTree() {
			c.log.warn(warning)
		}
		err = f.checkChange(cmd, &c)
	}
	if err != nil {
		return err
	}
	if err := c.print(f.format); err != nil {
		return err
	}
	return c.outcome()
}

// chooseRules changes which rules are looked for by the value of --rules.
func chooseRules(o smells.Options, list string) (smells.Options, error) {
	if list == "" {
		return o, nil
	}
	var add, remove, only []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if plus, ok := strings.CutPrefix(name, "+"); ok {
			add = append(add, plus)
		} else if minus, ok := strings.CutPrefix(name, "-"); ok {
			remove = append(remove, minus)
		} else {
			only = append(only, name)
		}
	}
	if len(only) > 0 && len(add)+len(remove) > 0 {
		return o, errors.New("names with + or - change the usual rules, and names without a sign replace them; choose one way")
	}
	for _, name := range slices.Concat(add, remove, only) {
		if name != smells.AllRules && !slices.ContainsFunc(smells.Rules(), func(r smells.Rule) bool { return r.ID == name }) {
			return o, fmt.Errorf("there is no rule %q; crscore smells list shows them", name)
		}
	}
	if len(only) > 0 {
		o.Rules, o.Off = only, nil
		if !slices.Contains(only, smells.AllRules) {
			o.Off = []string{smells.AllRules}
		}
		return o, nil
	}
	without := func(list, names []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(names, s) })
	}
	o.Rules = append(without(o.Rules, remove), add...)
	o.Off = append(without(o.Off, add), remove...)
	return o, nil
}

// checkFiles checks whole files.
func (f *checkFlags) checkFiles(cmd *cobra.Command, c *checker, paths []string) error {
	for _, name := range []string{"diff", "range", "old", "new", "path"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a change, and paths are checked as whole files; give one of the two", name)
		}
	}
	l, err := smellsLanguage(f.change.lang)
	if err != nil {
		return err
	}
	files, err := sourceFiles(paths, l)
	if err != nil {
		return err
	}
	root, err := config.Root()
	if err != nil {
		return err
	}
	var broken []string
	for i := range files {
		var found smells.FileSmells
		text, err := files[i].read(c.streams)
		if err == nil {
			found, err = smells.DetectFile(cmd.Context(), files[i].path, text, files[i].lang, c.opts)
		}
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		c.files++
		path := report.Plain(stdio.Name(files[i].path))
		if err != nil {
			c.unread(path, err)
			continue
		}
		if found.Broken > 0 {
			broken = append(broken, fmt.Sprintf("%s:%d", path, found.Broken))
		}
		used := c.add(found.Smells, found.Directives, fromRoot(root, files[i].path))
		for j, d := range found.Directives {
			if off := slices.ContainsFunc(d.Rules, func(id string) bool { return !c.opts.On(id) }); d.Reason != "" && len(d.Rules) > 0 && !off && !used[j] {
				c.log.sayOfKind(slog.LevelWarn, directiveProblem, fmt.Sprintf("%s:%d: crscore:ignore %s silences nothing", path, d.Line, strings.Join(d.Rules, ",")))
			}
		}
	}
	c.warnBroken(broken)
	return nil
}

// fromRoot returns a path as seen from the root of the work tree, with slashes; the
// path itself if it lies outside.
func fromRoot(root, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// checkChange checks what a change adds or makes worse.
func (f *checkFlags) checkChange(cmd *cobra.Command, c *checker) error {
	in, err := f.change.read(cmd, c.in)
	if errors.As(err, new(git.NoChanges)) || errors.Is(err, change.ErrEmpty) {
		c.log.warn(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	trees, err := syntax.Parse(cmd.Context(), in.Change)
	if err != nil {
		return incomplete{err}
	}
	found, err := smells.Detect(cmd.Context(), trees, c.opts)
	if err != nil {
		return incomplete{err}
	}
	for _, warning := range in.Change.Warnings {
		c.log.warn(warning)
	}
	for _, warning := range trees.Warnings {
		c.log.warn(warning)
	}
	for _, file := range trees.Files {
		if file.Unread {
			c.failed++
		}
		if file.Unread || len(file.Fragments(change.New)) > 0 {
			c.files++
		}
	}
	c.add(found, smells.Directives(trees), "")
	return nil
}

// checker collects what smells check found.
type checker struct {
	streams
	opts   smells.Options
	ignore []config.Ignore

	found         []smells.Smell
	files, failed int
	silenced      map[string]int // findings by what silenced them
	smelly        map[string]bool
}

// unread says that a file could not be checked.
func (c *checker) unread(path string, err error) {
	c.failed++
	c.log.sayOfKind(slog.LevelError, "files that could not be checked", fmt.Sprintf("%s: %v", path, err))
}

// add takes the findings that are not silenced and returns which directives were used.
// path is the file as seen from the root of the work tree, "" if the findings have it.
func (c *checker) add(found []smells.Smell, directives []smells.Directive, path string) map[int]bool {
	for _, d := range directives {
		for _, problem := range directiveProblems(&d) {
			c.log.sayOfKind(slog.LevelWarn, directiveProblem, fmt.Sprintf("%s:%d: %s", report.Plain(stdio.Name(d.Path)), d.Line, problem))
		}
	}
	used := map[int]bool{}
	for i := range found {
		s := &found[i]
		at := path
		if at == "" {
			at = s.Path
		}
		by := ""
		for j := range directives {
			if directives[j].Silences(s) {
				by, used[j] = "comments", true
			}
		}
		if slices.ContainsFunc(c.ignore, func(i config.Ignore) bool { return i.Matches(at, s.Rule) }) {
			by = "ignored paths"
		}
		if by != "" {
			c.silenced[by]++
			continue
		}
		c.smelly[s.Path] = true
		c.found = append(c.found, *s)
	}
	return used
}

// directiveProblem is the kind of these messages, of which there may be many.
const directiveProblem = "problems of crscore:ignore comments"

// directiveProblems says why a directive is not as its author meant it.
func directiveProblems(d *smells.Directive) (out []string) {
	if len(d.Rules) == 0 {
		return []string{"crscore:ignore names no rule, so it silences nothing: crscore:ignore RULE reason"}
	}
	if d.Reason == "" {
		return []string{"crscore:ignore gives no reason, so it silences nothing: crscore:ignore RULE reason"}
	}
	for _, id := range d.Rules {
		if !slices.ContainsFunc(smells.Rules(), func(r smells.Rule) bool { return r.ID == id }) {
			out = append(out, fmt.Sprintf("crscore:ignore names %q, which is no rule", id))
		}
	}
	return out
}

// outcome says on standard error how many smells were found, and gives the exit code.
func (c *checker) outcome() error {
	summary := spelling.Count("%d smells in %d files", len(c.found), c.files)
	if n := len(c.found); n > 0 && len(c.smelly) != c.files {
		summary = spelling.Count("%d smells in %d of %d files", n, len(c.smelly), c.files)
	}
	var by []string
	for _, what := range []string{"comments", "ignored paths"} {
		if n := c.silenced[what]; n > 0 {
			by = append(by, fmt.Sprintf("%d silenced by %s", n, what))
		}
	}
	if len(by) > 0 {
		summary += " (" + strings.Join(by, ", ") + ")"
	}
	switch {
	case c.failed > 0:
		return incomplete{fmt.Errorf("%s; %d could not be checked as a whole", summary, c.failed)}
	case len(c.found) > 0:
		return failed{errors.New(summary)}
	}
	c.log.note(summary)
	return nil
}

// checkFinding is a smell as smells check prints it in JSON.
type checkFinding struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Column    int    `json:"column"` // in bytes
	Rule      string `json:"rule"`
	Name      string `json:"name"`
	Message   string `json:"message"`
	Function  string `json:"function,omitempty"`
	Value     int    `json:"value,omitempty"`
	Threshold int    `json:"threshold,omitempty"`
	OldValue  *int   `json:"old_value,omitempty"`
}

// print prints the findings to standard output.
func (c *checker) print(format string) error {
	var b bytes.Buffer
	var err error
	switch format {
	case "json":
		err = report.JSON(&b, c.rows(), "  ")
	case "sarif":
		err = comments.WriteSARIF(&b, "crscore", crscore.Version, c.items(), nil)
	case "rdjsonl":
		err = comments.WriteRDJSONL(&b, c.items())
	case "github":
		for i := range c.found {
			writeWorkflowCommand(&b, &c.found[i])
		}
		_, err := c.out.Write(b.Bytes()) // GitHub must obey these lines: they are not made inert
		return outputError(err)
	default:
		for _, s := range c.found {
			fmt.Fprintf(&b, "%s:%d:%d: %s (%s)\n", report.Plain(s.Path), s.StartLine, max(s.Column, 1), report.Plain(s.Text), s.Rule)
		}
	}
	if err != nil {
		return err
	}
	return c.streams.print(format, b.Bytes())
}

func (c *checker) rows() []checkFinding {
	rows := make([]checkFinding, len(c.found))
	for i, s := range c.found {
		rows[i] = checkFinding{Path: s.Path, Line: s.StartLine, EndLine: s.EndLine, Column: max(s.Column, 1), Rule: s.Rule, Name: s.Name,
			Message: s.Text, Function: s.Function, Value: s.Value, Threshold: s.Threshold}
		if s.HasOld && s.Value > 0 {
			rows[i].OldValue = &c.found[i].OldValue
		}
	}
	return rows
}

// items are the findings as comments, for the formats of analyzers.
func (c *checker) items() []comments.Item {
	items := make([]comments.Item, len(c.found))
	for i, s := range c.found {
		items[i].Comment = comments.Comment{Body: s.Text, Path: filepath.ToSlash(s.Path), Side: comments.New,
			StartLine: s.StartLine, EndLine: s.EndLine, Tool: "crscore", Rule: s.Rule, Severity: findings.Warning}
	}
	return items
}

// writeWorkflowCommand writes a finding as a workflow command of GitHub, which shows it
// at the first line. The runner turns the escapes back.
func writeWorkflowCommand(w io.Writer, s *smells.Smell) {
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(w, "::error file=%s,line=%d,col=%d,title=%s::%s\n", property.Replace(filepath.ToSlash(s.Path)), s.StartLine, max(s.Column, 1),
		property.Replace(s.Name), message.Replace(report.Plain(s.Text)+" ("+s.Rule+")"))
}
