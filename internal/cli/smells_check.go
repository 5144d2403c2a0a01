package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"crscore/change"
	"crscore/internal/config"
	"crscore/internal/git"
	"crscore/internal/run"
	"crscore/internal/setup"
	"crscore/internal/smellcheck"
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
	choose(cmd, &f.format, "format", "text", strings.Join(checkFormats(), ", "), checkFormats()...)
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, s streams, paths []string) error {
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
	c := smellcheck.Checker{Log: s.log, Ignore: settings.Ignore}
	if c.Options, err = smellcheck.ChooseRules(setup.SmellOptions(settings), f.rules); err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	if len(paths) > 0 {
		err = f.checkFiles(cmd, s, &c, paths)
	} else {
		for _, warning := range settings.OfTree() {
			s.log.Warn(warning)
		}
		err = f.checkChange(cmd, s, &c)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := c.Write(&b, f.format); err != nil {
		return err
	}
	if f.format == "github" { // GitHub must obey these lines: they are not made inert
		_, err = s.out.Write(b.Bytes())
		err = outputError(err)
	} else {
		err = s.print(f.format, b.Bytes())
	}
	if err != nil {
		return err
	}
	switch summary, found, unread := c.Summary(); {
	case unread > 0:
		return run.Incomplete{Err: fmt.Errorf("%s; %d could not be checked as a whole", summary, unread)}
	case found > 0:
		return failed{errors.New(summary)}
	default:
		s.log.Note(summary)
	}
	return nil
}

// checkFiles checks whole files.
func (f *checkFlags) checkFiles(cmd *cobra.Command, s streams, c *smellcheck.Checker, paths []string) error {
	for _, name := range []string{"diff", "range", "old", "new", "path"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for a change, and paths are checked as whole files; give one of the two", name)
		}
	}
	l, err := smellsLanguage(f.change.lang)
	if err != nil {
		return err
	}
	files, err := smellcheck.Files(paths, l)
	if err != nil {
		return err
	}
	root, err := config.Root()
	if err != nil {
		return err
	}
	return c.Files(cmd.Context(), files, root, s.sources())
}

// checkChange checks what a change adds or makes worse.
func (f *checkFlags) checkChange(cmd *cobra.Command, s streams, c *smellcheck.Checker) error {
	in, err := f.change.read(cmd, s.in)
	if errors.As(err, new(git.NoChanges)) || errors.Is(err, change.ErrEmpty) {
		s.log.Warn(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.Change(cmd.Context(), in.Change); err != nil {
		return run.Incomplete{Err: err}
	}
	return nil
}
