package smells

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/findings"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// ToolRun is the outcome of an external tool for a change.
type ToolRun struct {
	// Files counts the changed files in the tool's languages, Unread those without an
	// answer. With 0 files the tool was not needed.
	Files, Unread int
	// State is the state of the files. Reason says why a file has no answer, "" if all
	// have one. A file that may have an answer the next time takes precedence over a file
	// that never has one.
	State  analyzers.State
	Reason string
	Smells []Smell
}

// Answered reports whether the tool has an answer for every file.
func (e *ToolRun) Answered() bool {
	return e.Files == 0 || e.State == analyzers.Clean || e.State == analyzers.Found
}

// Partly reports whether the tool has an answer for some files and can never read the
// others.
func (e *ToolRun) Partly() bool { return e.State == analyzers.Failed && e.Unread < e.Files }

// fail records a file without an answer.
func (e *ToolRun) fail(state analyzers.State, f *change.File, reason string) {
	e.Unread++
	if e.Answered() || e.State == analyzers.Failed && state != analyzers.Failed {
		e.State, e.Reason = state, findings.Text(cmp.Or(f.Path(), "the file"), limits.SmellText)+": "+reason
	}
}

// Reads reports whether a tool is for a file of a change: the tool reads its language, and the
// file has lines after the change.
func Reads(tool analyzers.Tool, f *change.File) bool {
	return slices.Contains(tool.Languages, f.Lang) && f.Status != change.Deleted && !f.Binary && !f.Link() && len(f.Hunks) > 0
}

// Runner runs a tool on files. An analyzers.Analyzer is a Runner.
type Runner interface {
	// Run returns a result for each file, in the order of the files. The result holds the
	// tool's own failures. The error is ctx's own, or says that the files could not be
	// written.
	Run(ctx context.Context, files []analyzers.File) (analyzers.Result, error)
}

// Examine runs a tool on the changed files of several changes and returns a ToolRun for each
// change. The changes share one run, because some tools take longer to start than to work.
// As in Detect, a finding must have a changed line inside and be new or, by the numbers in
// its message, worse than before. A file with hunks only has no answer. The error is Run's.
func Examine(ctx context.Context, run Runner, tool analyzers.Tool, changes []*change.Change) ([]ToolRun, error) {
	return examine(tool, changes, func(_ change.Side, files []analyzers.File) (analyzers.Result, error) { return run.Run(ctx, files) })
}

// Project is the source tree of a change, before and after it.
type Project struct {
	// Old is the tree before the change, New the tree after it.
	Old, New analyzers.Tree
}

// ProjectRunner runs a tool in a project. An analyzers.Analyzer is a ProjectRunner.
type ProjectRunner interface {
	// RunProject is Run for a tool that needs the whole tree. It returns a result for
	// each path, in the order of the paths.
	RunProject(ctx context.Context, tree analyzers.Tree, paths []string) (analyzers.Result, error)
}

// ExamineProject is Examine for a tool that needs the whole project.
func ExamineProject(ctx context.Context, run ProjectRunner, tool analyzers.Tool, c *change.Change, project Project) (ToolRun, error) {
	oldPaths := make(map[string]string, len(c.Files))
	for i := range c.Files {
		oldPaths[c.Files[i].Path()] = c.Files[i].OldPath
	}
	out, err := examine(tool, []*change.Change{c}, func(side change.Side, files []analyzers.File) (analyzers.Result, error) {
		tree, paths := project.New, make([]string, len(files))
		for i, f := range files {
			paths[i] = f.Path
		}
		if side == change.Old {
			tree = project.Old
			for i, f := range files {
				paths[i] = oldPaths[f.Path]
			}
		}
		return run.RunProject(ctx, tree, paths)
	})
	if err != nil {
		return ToolRun{}, err
	}
	return out[0], nil
}

// examine does the work of Examine with a function that runs the tool on one side.
func examine(tool analyzers.Tool, changes []*change.Change, run func(change.Side, []analyzers.File) (analyzers.Result, error)) ([]ToolRun, error) {
	out := make([]ToolRun, len(changes))
	type place struct {
		change int
		file   *change.File
		lines  *lineMap
		found  []findings.Finding // on changed lines
	}
	var places []*place
	var texts []analyzers.File
	text := func(f *change.File, side change.Side) (analyzers.File, bool) {
		t, ok := f.Whole(side)
		return analyzers.File{Path: f.Path(), Language: f.Lang, Text: t}, ok
	}
	for i, c := range changes {
		for j := range c.Files {
			f := &c.Files[j]
			if !Reads(tool, f) {
				continue
			}
			if out[i].Files++; out[i].Files == 1 {
				out[i].State = analyzers.Clean
			}
			t, ok := text(f, change.New)
			if !ok {
				out[i].fail(analyzers.Failed, f, "only hunks of it are known, and "+tool.Name+" needs whole files: give a range, or its old or new text")
				continue
			}
			places, texts = append(places, &place{change: i, file: f}), append(texts, t)
		}
	}
	if len(texts) == 0 {
		return out, nil
	}
	now, err := run(change.New, texts)
	if err != nil {
		return nil, err
	}
	// The old side is needed only for files with findings on changed lines.
	var older []*place
	texts = nil
	for i, p := range places {
		r := &now.Files[i]
		if r.State != analyzers.Clean && r.State != analyzers.Found {
			out[p.change].fail(r.State, p.file, r.Reason)
			continue
		}
		p.lines = newLineMap(p.file)
		if p.found = p.lines.onChanged(r.Findings); len(p.found) == 0 {
			continue
		}
		if t, ok := text(p.file, change.Old); ok && t.Text != "" {
			older, texts = append(older, p), append(texts, t)
		}
	}
	was := map[*place][]findings.Finding{}
	if len(texts) > 0 {
		old, err := run(change.Old, texts)
		if err != nil {
			return nil, err
		}
		for i, p := range older {
			r := &old.Files[i]
			if r.State == analyzers.TimedOut { // the next time it may be read
				out[p.change].fail(r.State, p.file, "before the change: "+r.Reason)
			}
			was[p] = r.Findings // none if it cannot be read: then all findings are new
		}
	}
	for _, p := range places {
		e := &out[p.change]
		if e.Smells = append(e.Smells, p.lines.external(tool.Name, p.file, p.found, was[p])...); e.Answered() && len(e.Smells) > 0 {
			e.State = analyzers.Found
		}
	}
	return out, nil
}

// FromFindings returns the findings from a file that lie on changed lines of a change. It also
// returns why findings are about no file of the change, and the number of findings in files of
// the change without a line.
func FromFindings(c *change.Change, list []findings.Finding) (out []Smell, elsewhere []error, nowhere int) {
	paths := make([]string, len(list))
	for i, f := range list {
		paths[i] = f.Path
	}
	files := change.NewPaths(c, paths...)
	byFile := make([][]findings.Finding, len(c.Files))
	for _, f := range list {
		i, err := files.Find(f.Path, change.New)
		switch {
		case err != nil:
			elsewhere = append(elsewhere, err)
		case f.Line == 0:
			nowhere++
		default:
			byFile[i] = append(byFile[i], f)
		}
	}
	for i, found := range byFile {
		f := &c.Files[i]
		lines := newLineMap(f)
		out = append(out, lines.external("", f, lines.onChanged(found), nil)...)
	}
	return out, elsewhere, nowhere
}

// onChanged returns the findings with a changed line of the new side inside.
func (m *lineMap) onChanged(list []findings.Finding) []findings.Finding {
	var out []findings.Finding
	for _, f := range list {
		if f.Line > 0 && m.touched(f.Line, max(f.Line, f.EndLine)) {
			out = append(out, f)
		}
	}
	return out
}

// external turns new and worse findings into smells. A finding existed before if the same
// rule gave the same text, apart from numbers, at the old number of its line or at a changed
// place. Each old finding matches one new finding. If a number has grown, the finding is
// worse than before.
func (m *lineMap) external(tool string, f *change.File, now, before []findings.Finding) []Smell {
	type key struct {
		rule, words string
		line        int // 0: at a changed place
	}
	free := map[key][]*findings.Finding{}
	for i := range before {
		b := &before[i]
		k := key{b.Rule, withoutNumbers(b.Message), b.Line}
		free[k] = append(free[k], b)
		if m.within(change.Old, 2*b.Line-1, 2*max(b.Line, b.EndLine)+1) {
			k.line = 0
			free[k] = append(free[k], b)
		}
	}
	taken := map[*findings.Finding]bool{}
	take := func(k key) *findings.Finding {
		for len(free[k]) > 0 {
			b := free[k][0]
			if free[k] = free[k][1:]; !taken[b] {
				taken[b] = true
				return b
			}
		}
		return nil
	}
	was := make([]*findings.Finding, len(now))
	for i, n := range now { // findings on unchanged lines first
		if line, ok := m.before(n.Line); ok {
			was[i] = take(key{n.Rule, withoutNumbers(n.Message), line})
		}
	}
	var out []Smell
	for i, n := range now {
		if was[i] == nil {
			was[i] = take(key{n.Rule, withoutNumbers(n.Message), 0})
		}
		s := Smell{Rule: n.Rule, Name: n.Rule, Text: sentence(n.Message, n.Rule), Path: f.Path(), StartLine: n.Line,
			EndLine: max(n.Line, n.EndLine), Source: cmp.Or(tool, n.Tool)}
		if was[i] != nil {
			old, value, worse := grown(was[i].Message, n.Message)
			if !worse {
				continue
			}
			s.OldValue, s.HasOld, s.Value = old, true, value
			s.Text = strings.TrimSuffix(s.Text, ".") + fmt.Sprintf("; it was %d before.", old)
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b Smell) int {
		return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return out
}

// withoutNumbers returns a message without the numbers that may differ.
func withoutNumbers(s string) string {
	return digits.ReplaceAllLiteralString(s, "#")
}

var digits = regexp.MustCompile(`[0-9]+`)

// part is a run of digits in a text, or the text between two runs.
type part struct {
	text   string
	number bool
}

func numbers(s string) []part {
	var out []part
	for len(s) > 0 {
		number := s[0] >= '0' && s[0] <= '9'
		n := strings.IndexFunc(s, func(r rune) bool { return (r >= '0' && r <= '9') != number })
		if n < 0 {
			n = len(s)
		}
		out, s = append(out, part{s[:n], number}), s[n:]
	}
	return out
}

// grown reports whether the first number that differs in two messages with the same words is
// larger now. Numbers inside names such as "utf8", in quotation marks, and of lines are
// ignored.
func grown(before, now string) (old, value int, worse bool) {
	a, b := numbers(before), numbers(now)
	for i := range min(len(a), len(b)) {
		if !b[i].number || !a[i].number || a[i].text == b[i].text || !alone(b, i) {
			continue
		}
		x, errX := strconv.ParseInt(a[i].text, 10, 32)
		y, errY := strconv.ParseInt(b[i].text, 10, 32)
		return int(x), int(y), errX == nil && errY == nil && y > x
	}
	return 0, 0, false
}

// alone reports whether a number is a word of its own and not a place in a file.
func alone(parts []part, i int) bool {
	if i == 0 {
		return true
	}
	before := parts[i-1].text
	r, _ := utf8.DecodeLastRuneInString(before)
	if unicode.IsLetter(r) || strings.ContainsRune("_'\"`", r) {
		return false
	}
	words := strings.Fields(strings.ToLower(before))
	return len(words) == 0 || !slices.Contains([]string{"line", "lines", "column", "col"}, words[len(words)-1])
}

// sentence makes a tool's message a sentence: it starts with a capital, unless it starts with
// a name, and ends with a full stop. The rule's name replaces a message without words.
func sentence(message, rule string) string {
	s := findings.Text(message, limits.SmellText)
	if strings.IndexFunc(s, unicode.IsLetter) < 0 {
		s = findings.Text(strings.TrimSpace(s+" "+rule), limits.SmellText)
	}
	if first, size := utf8.DecodeRuneInString(s); unicode.IsLower(first) {
		// A word with other signs is a name.
		word, _, _ := strings.Cut(s, " ")
		if strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLower(r) && r != '-' && r != ',' }) < 0 {
			s = string(unicode.ToUpper(first)) + s[size:]
		}
	}
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	return s
}
