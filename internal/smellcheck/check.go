// Package smellcheck looks for smells in files and changes, as a linter does, and measures complexity.
package smellcheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"crscore"
	"crscore/change"
	"crscore/internal/comments"
	"crscore/internal/config"
	"crscore/internal/findings"
	"crscore/internal/report"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/internal/syntax"
	"crscore/internal/terminal"
	"crscore/smells"
)

// ChooseRules changes which rules are looked for by the value of --rules.
func ChooseRules(o smells.Options, list string) (smells.Options, error) {
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

// Checker collects what smells check found.
type Checker struct {
	// Ignore are paths whose smells are silenced.
	Log     *terminal.Log
	Options smells.Options
	Ignore  []config.Ignore

	found         []smells.Smell
	files, failed int
	silenced      map[string]int // findings by what silenced them
	smelly        map[string]bool
}

// unread says that a file could not be checked.
func (c *Checker) unread(path string, err error) {
	c.failed++
	c.Log.SayOfKind(slog.LevelError, "files that could not be checked", fmt.Sprintf("%s: %v", path, err))
}

// add takes the findings that are not silenced and returns which directives were used.
// path is the file as seen from the root of the work tree, "" if the findings have it.
func (c *Checker) add(found []smells.Smell, directives []smells.Directive, path string) map[int]bool {
	for _, d := range directives {
		for _, problem := range directiveProblems(&d) {
			c.Log.SayOfKind(slog.LevelWarn, directiveProblem, fmt.Sprintf("%s:%d: %s", report.Plain(stdio.Name(d.Path)), d.Line, problem))
		}
	}
	if c.silenced == nil {
		c.silenced, c.smelly = map[string]int{}, map[string]bool{}
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
		if slices.ContainsFunc(c.Ignore, func(i config.Ignore) bool { return i.Matches(at, s.Rule) }) {
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

// Summary says how many smells were found, and how many files could not be checked as a whole.
func (c *Checker) Summary() (text string, found, failed int) {
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
	return summary, len(c.found), c.failed
}

// finding is a smell as smells check prints it in JSON.
type finding struct {
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

// Write writes the findings in a format.
func (c *Checker) Write(b *bytes.Buffer, format string) error {
	switch format {
	case "json":
		return report.JSON(b, c.rows(), "  ")
	case "sarif":
		return comments.WriteSARIF(b, "crscore", crscore.Version, c.items(), nil)
	case "rdjsonl":
		return comments.WriteRDJSONL(b, c.items())
	case "github":
		for i := range c.found {
			writeWorkflowCommand(b, &c.found[i])
		}
	default:
		for _, s := range c.found {
			fmt.Fprintf(b, "%s:%d:%d: %s (%s)\n", report.Plain(s.Path), s.StartLine, max(s.Column, 1), report.Plain(s.Text), s.Rule)
		}
	}
	return nil
}

func (c *Checker) rows() []finding {
	rows := make([]finding, len(c.found))
	for i, s := range c.found {
		rows[i] = finding{Path: s.Path, Line: s.StartLine, EndLine: s.EndLine, Column: max(s.Column, 1), Rule: s.Rule, Name: s.Name,
			Message: s.Text, Function: s.Function, Value: s.Value, Threshold: s.Threshold}
		if s.HasOld && s.Value > 0 {
			rows[i].OldValue = &c.found[i].OldValue
		}
	}
	return rows
}

// items are the findings as comments, for the formats of analyzers.
func (c *Checker) items() []comments.Item {
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

// Files checks whole files; root is the folder of the work tree. The error is ctx's own.
func (c *Checker) Files(ctx context.Context, files []File, root string, read Reader) error {
	var broken []string
	for i := range files {
		var found smells.FileSmells
		text, err := files[i].read(read)
		if err == nil {
			found, err = smells.DetectFile(ctx, files[i].path, text, files[i].lang, c.Options)
		}
		if ctx.Err() != nil {
			return ctx.Err()
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
			if off := slices.ContainsFunc(d.Rules, func(id string) bool { return !c.Options.On(id) }); d.Reason != "" && len(d.Rules) > 0 && !off && !used[j] {
				c.Log.SayOfKind(slog.LevelWarn, directiveProblem, fmt.Sprintf("%s:%d: crscore:ignore %s silences nothing", path, d.Line, strings.Join(d.Rules, ",")))
			}
		}
	}
	warnBroken(c.Log, broken)
	return nil
}

// Change checks what a change adds or makes worse.
func (c *Checker) Change(ctx context.Context, ch *change.Change) error {
	trees, err := syntax.Parse(ctx, ch)
	if err != nil {
		return err
	}
	found, err := smells.Detect(ctx, trees, c.Options)
	if err != nil {
		return err
	}
	for _, warning := range ch.Warnings {
		c.Log.Warn(warning)
	}
	for _, warning := range trees.Warnings {
		c.Log.Warn(warning)
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
