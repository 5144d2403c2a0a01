package smells

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/findings"
)

// Examination is what an external tool has to say about a change.
type Examination struct {
	// Files counts the changed files in the tool's languages, Unread those of them
	// without an answer. With no files there was nothing to do, and the tool was not
	// needed.
	Files, Unread int
	// State is that of the files, Reason says why one has no answer; it is "" when all
	// have one. A file that may have one the next time goes before one that never has.
	State  analyzers.State
	Reason string
	Smells []Smell
}

// Answered tells whether the tool has looked at every file that it was needed for.
func (e *Examination) Answered() bool {
	return e.Files == 0 || e.State == analyzers.Clean || e.State == analyzers.Found
}

// Partly tells whether the tool has looked at some of the files and cannot read the
// others, whenever it is asked.
func (e *Examination) Partly() bool { return e.State == analyzers.Failed && e.Unread < e.Files }

// fail notes a file without an answer.
func (e *Examination) fail(state analyzers.State, f *change.File, reason string) {
	e.Unread++
	if e.Answered() || e.State == analyzers.Failed && state != analyzers.Failed {
		e.State, e.Reason = state, findings.Text(cmp.Or(f.Path(), "the file"), maxExternal)+": "+reason
	}
}

// Reads tells whether a file of a change is one for the tool: its language is one
// of the tool's, and lines of it are there after the change.
func Reads(tool analyzers.Tool, f *change.File) bool {
	return slices.Contains(tool.Languages, f.Lang) && f.Status != change.Deleted && !f.Binary && !f.Link() && len(f.Hunks) > 0
}

// Runner runs a tool on files; an analyzers.Analyzer is one.
type Runner interface {
	Run(ctx context.Context, files []analyzers.File) (analyzers.Result, error)
}

// Examine runs a tool on the changed files of several changes at once, for the
// start of some tools takes longer than their work, and returns an Examination
// for each change. A finding counts as in Detect: where a changed line is inside
// it and it is new or, by the numbers in its message, worse than before. Files of
// which only hunks are known have no answer. The error is Run's.
func Examine(ctx context.Context, run Runner, tool analyzers.Tool, changes []*change.Change) ([]Examination, error) {
	return examine(tool, changes, func(_ change.Side, files []analyzers.File) (analyzers.Result, error) { return run.Run(ctx, files) })
}

// Project is the source tree that a change is in, before it and after it.
type Project struct {
	Old, New analyzers.Tree
}

// ProjectRunner runs a tool in a project; an analyzers.Analyzer is one.
type ProjectRunner interface {
	RunProject(ctx context.Context, tree analyzers.Tree, paths []string) (analyzers.Result, error)
}

// ExamineProject is Examine for a tool that needs the whole project.
func ExamineProject(ctx context.Context, run ProjectRunner, tool analyzers.Tool, c *change.Change, project Project) (Examination, error) {
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
		return Examination{}, err
	}
	return out[0], nil
}

// examine is Examine with what runs the tool on the files of a side.
func examine(tool analyzers.Tool, changes []*change.Change, run func(change.Side, []analyzers.File) (analyzers.Result, error)) ([]Examination, error) {
	out := make([]Examination, len(changes))
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
	// The old side is looked at only where something is found on changed lines.
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
			was[p] = r.Findings // none where it cannot be read: then all is new
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

// FromFindings returns the findings, which some tool has written to a file, that
// lie on changed lines of a change, how many are about other files, and how many are
// about its files but about no line. A path means the file of the change of the same path; an absolute one that below the
// folder in which, by the most of them, the project was.
func FromFindings(c *change.Change, list []findings.Finding) (out []Smell, elsewhere, nowhere int) {
	files := make(map[string]int, len(c.Files))
	for i := range c.Files {
		if p := path.Clean(c.Files[i].NewPath); c.Files[i].NewPath != "" {
			if _, twice := files[p]; !twice {
				files[p] = i
			}
		}
	}
	paths := make([]string, len(list))
	for i, f := range list {
		paths[i] = path.Clean(strings.ReplaceAll(f.Path, `\`, "/"))
	}
	root := rootOf(files, paths)
	byFile := make([][]findings.Finding, len(c.Files))
	for i, f := range list {
		name := paths[i]
		if root != "" && absolute(name) {
			name = strings.TrimPrefix(name, root)
		}
		i, ok := files[name]
		switch {
		case !ok:
			elsewhere++
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

// rootOf finds the folder, with a slash at its end, below which the absolute ones
// of the paths are those of the change's files, or "". When there are several the
// one with the most paths in it is it, for the same name occurs in many folders;
// of those the shortest.
func rootOf(files map[string]int, paths []string) string {
	below := map[string]int{} // a folder
	for _, p := range paths {
		if absolute(p) {
			for i := range len(p) {
				if p[i] == '/' {
					below[p[:i+1]]++
				}
			}
		}
	}
	best := ""
	for _, p := range paths {
		if !absolute(p) {
			continue
		}
		for i := range len(p) {
			if _, ok := files[p[i+1:]]; !ok || p[i] != '/' {
				continue
			}
			if root := p[:i+1]; best == "" || below[root] > below[best] || below[root] == below[best] && len(root) < len(best) {
				best = root
			}
		}
	}
	return best
}

// absolute tells whether a path, with slashes, starts at a root or a drive. No
// system has a longer one than the limit, and all folders of each are looked at.
func absolute(p string) bool {
	return len(p) <= 4096 && (strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/')
}

// onChanged are the findings that have a changed line of the new side inside.
func (m *lineMap) onChanged(list []findings.Finding) []findings.Finding {
	var out []findings.Finding
	for _, f := range list {
		if f.Line > 0 && m.touched(f.Line, max(f.Line, f.EndLine)) {
			out = append(out, f)
		}
	}
	return out
}

// external turns the findings that were not there before into smells. A finding
// was there when the same rule said the same, but for numbers, at the line that
// this one was, or at a place that is changed now. Each old one stands for one of
// the new; where a number has grown, it is worse than before and counts.
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
	for i, n := range now { // those of unchanged lines first
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

// withoutNumbers is a message in which other numbers make no other statement.
func withoutNumbers(s string) string {
	var b strings.Builder
	for _, part := range numbers(s) {
		if part.number {
			b.WriteByte('#')
		} else {
			b.WriteString(part.text)
		}
	}
	return b.String()
}

// part is a run of digits in a text, or what stands between two.
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

// grown compares the numbers of two messages with the same words: the first that
// differs, and whether it is larger now. Numbers inside of names, such as those of
// "utf8", and in quotation marks make no difference, and neither does that of a line.
func grown(before, now string) (old, value int, worse bool) {
	a, b := numbers(before), numbers(now)
	for i := range min(len(a), len(b)) {
		if !b[i].number || !a[i].number || a[i].text == b[i].text || !alone(b, i) {
			continue
		}
		x, okX := number(a[i].text)
		y, okY := number(b[i].text)
		return x, y, okX && okY && y > x
	}
	return 0, 0, false
}

// alone tells whether a number is a word of its own and no place in a file.
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

func number(s string) (int, bool) {
	if len(s) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n, true
}

// maxExternal bounds the text of an external tool's finding, in characters.
const maxExternal = 300

// sentence makes a tool's message one: it starts with a capital, unless with a
// name, and ends with a stop. A message without words is the rule's name.
func sentence(message, rule string) string {
	s := findings.Text(message, maxExternal)
	if strings.IndexFunc(s, unicode.IsLetter) < 0 {
		s = findings.Text(strings.TrimSpace(s+" "+rule), maxExternal)
	}
	if first, size := utf8.DecodeRuneInString(s); unicode.IsLower(first) {
		// A word in which there are other signs is a name.
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
