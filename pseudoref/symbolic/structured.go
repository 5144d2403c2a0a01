package symbolic

import (
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/internal/syntax"
	"crscore/pseudoref"
)

// Files that are no programs are compared by their outlines: the whole texts
// where they are known, else each hunk. Files of a subject tell their edits in
// a file of their own: keys.go, documents.go, pages.go, styles.go, queries.go
// and containers.go.

// teller makes claims from the edits of one piece of a structured file.
type teller struct {
	*writer
	format outline.Format
	dialect
	lines [2][]int // the line numbers of the rows of either side
	whole bool
	root  *outline.Node // of the new side
	// sameContent says that the whole outlines are equal.
	sameContent bool
	columns     bool // a table got other columns
	// covered are the lines of either side that claims are about.
	covered [2][]span
}

// maxOutlineBytes is the size above which a text is compared hunk by hunk.
const maxOutlineBytes = 1 << 20

// structured makes the claims about a file that is no program. It answers false
// where the file has no outline.
func (w *writer) structured() bool {
	format := outline.FormatOf(w.file.Path(), w.file.Lang)
	if format == outline.None {
		return false
	}
	t := &teller{writer: w, format: format}
	before, okOld := w.file.Whole(change.Old)
	after, okNew := w.file.Whole(change.New)
	if okOld && okNew && max(len(before), len(after)) <= maxOutlineBytes {
		t.whole = true
		for i, text := range []string{before, after} {
			t.lines[i] = nil
			for k := range strings.Count(text, "\n") + 1 {
				t.lines[i] = append(t.lines[i], k+1)
			}
		}
		t.piece(outline.Input{Format: format, Text: before, Whole: true}, outline.Input{Format: format, Text: after, Whole: true})
	} else {
		for i := range w.file.Hunks {
			h := &w.file.Hunks[i]
			t.lines = [2][]int{}
			var in [2]outline.Input
			for _, side := range []change.Side{change.Old, change.New} {
				for k := range h.Lines {
					if n := h.Lines[k].Number(side); n != 0 {
						t.lines[side] = append(t.lines[side], n)
					}
				}
				first := h.NewStart
				if side == change.Old {
					first = h.OldStart
				}
				in[side] = outline.Input{Format: format, Text: h.Text(side), Whole: first <= 1, Heading: h.Section}
			}
			in[0].Whole = in[0].Whole && in[1].Whole
			in[1].Whole = in[0].Whole
			if h.Section != "" {
				in[0].Whole, in[1].Whole = false, false
			}
			t.piece(in[0], in[1])
		}
	}
	for i := range w.file.Hunks {
		if format != outline.Markdown && !t.told(i) {
			w.lines(i)
		}
	}
	w.facts = condense(w.facts)
	return true
}

// piece compares the two sides of a file or a hunk.
func (t *teller) piece(before, after outline.Input) {
	a, b := outline.Read(before), outline.Read(after)
	t.root, t.dialect = b, dialectOf(t.file.Path(), t.format, a, b)
	edits := outline.Diff(a, b)
	if t.format == outline.Markdown {
		edits = reheaded(edits)
	}
	if k, _ := b.Identity(); k == "kind" && len(a.Kids) == 0 {
		e := outline.Edit{New: b}
		t.manifestCame(e, b, true)
		t.risks(e)
		return
	}
	from := len(t.facts)
	for _, e := range edits {
		if len(t.facts) >= maxFacts {
			return
		}
		if t.believes(e) {
			t.edit(e)
		}
	}
	if len(edits) == 0 && t.whole && len(t.facts) == from && len(t.file.Hunks) > 0 {
		t.sameContent = true
		first, last := t.changedRange(change.New)
		what := "only the formatting was changed, the content stays the same"
		if t.keyed() {
			what = "only the order, the quotes or the formatting was changed; keys and values stay the same"
		}
		f := t.say(item{}, wFormat, "formatting-only", "", what)
		f.first, f.last = first, last
	}
}

func (t *teller) keyed() bool {
	switch t.format {
	case outline.YAML, outline.JSON, outline.TOML, outline.INI:
		return true
	}
	return false
}

// edit hands an edit to those who know its subject.
func (t *teller) edit(e outline.Edit) {
	n := e.New
	if n == nil {
		n = e.Old
	}
	if n.Kind == outline.Comment {
		t.commentEdit(e)
		return
	}
	switch t.format {
	case outline.Markdown:
		t.documentEdit(e)
	case outline.HTML, outline.XML:
		t.markupEdit(e)
	case outline.CSS:
		t.styleEdit(e)
	case outline.SQL:
		t.sqlEdit(e)
	case outline.Dockerfile:
		t.imageEdit(e)
	default:
		t.keyEdit(e)
	}
}

// believes tells whether an edit lies on changed lines. Where a hunk leaves out
// what its lines belong to, the two sides can be misread in two ways.
func (t *teller) believes(e outline.Edit) bool {
	on := func(n *outline.Node, side change.Side, touch bool) bool {
		if n == nil {
			return false
		}
		first, last := t.lineRange(n, side)
		if !touch {
			last = first
		}
		lines := t.changedLines(side)
		i := sort.SearchInts(lines, first)
		return i < len(lines) && lines[i] <= last
	}
	both := e.Old != nil && e.New != nil
	if e.Moved && t.whole {
		return true // what is around it was changed
	}
	return on(e.Old, change.Old, both || t.whole) || on(e.New, change.New, both || t.whole)
}

func (t *teller) lineRange(n *outline.Node, side change.Side) (first, last int) {
	lines := t.lines[side]
	if len(lines) == 0 {
		return 0, 0
	}
	return lines[min(n.First, len(lines)-1)], lines[min(max(n.First, n.Last), len(lines)-1)]
}

// claim adds a claim about the node of an edit: the new one where there is one.
func (t *teller) claim(e outline.Edit, weight int, rule, where, what string) *fact {
	f := t.say(item{}, weight, rule, where, what)
	t.locate(f, e)
	return f
}

// locate gives a claim the lines of an edit, which it covers.
func (t *teller) locate(f *fact, e outline.Edit) {
	n, side := e.New, change.New
	if n == nil {
		n, side = e.Old, change.Old
	}
	f.side = side
	f.first, f.last = t.lineRange(n, side)
	for side, n := range []*outline.Node{e.Old, e.New} {
		if n != nil {
			first, last := t.lineRange(n, change.Side(side))
			t.covered[side] = append(t.covered[side], span{first, last})
		}
	}
}

// implies adds an implication.
func (t *teller) implies(e outline.Edit, rule, what string) *fact {
	f := t.claim(e, wFollows, rule, "", what)
	f.kind = pseudoref.Implication
	return f
}

// condensed gives what is said instead when there are many claims of its kind:
// a clause with a slot for the names.
func (f *fact) condensed(name, many string) *fact {
	f.topic, f.many = name, many
	return f
}

// named gives the name that stands in the slot of a claim, and the clause for
// several.
func (f *fact) named(many, name string) *fact {
	f.many, f.names = many, []string{name}
	return f
}

// maxAlike is the number of claims of one kind that are said one by one.
const maxAlike = 3

// condense says in one claim what more than maxAlike claims say, each of
// another name.
func condense(facts []*fact) []*fact {
	type key struct{ path, rule, where, many string }
	keyOf := func(f *fact) key { return key{f.path, f.rule, f.where, f.many} }
	groups := map[key][]*fact{}
	for _, f := range facts {
		if f.many != "" && f.topic != "" && len(f.names) == 0 {
			groups[keyOf(f)] = append(groups[keyOf(f)], f)
		}
	}
	out := facts[:0:0]
	for _, f := range facts {
		g := groups[keyOf(f)]
		if len(g) <= maxAlike || f.topic == "" || len(f.names) > 0 {
			out = append(out, f)
			continue
		}
		if g[0] != f {
			continue
		}
		if chunked.MatchString(f.rule) {
			for k := 0; k < maxChunks && k*maxAlike < len(g); k++ {
				end := (k + 1) * maxAlike
				if k == maxChunks-1 || end > len(g) {
					end = len(g)
				}
				out = append(out, chunk(g[k*maxAlike:end]))
			}
			continue
		}
		var names []string
		one := *f
		for _, x := range g {
			names = append(names, x.topic)
			one.first, one.last = min(one.first, x.first), max(one.last, x.last)
		}
		one.topic, one.what, one.names = "", one.many, uniq(names)
		if len(one.names) <= maxAlike {
			out = append(out, g...)
			continue
		}
		out = append(out, &one)
	}
	return out
}

// maxChunks bounds the claims that several things are said in.
const maxChunks = 4

// chunked are the rules about texts, each of which is worth saying.
var chunked = regexp.MustCompile(`^(?:list-item|row|heading|example)-`)

// chunk is one claim for several.
func chunk(g []*fact) *fact {
	if len(g) == 1 {
		return g[0]
	}
	one := *g[0]
	var names []string
	for _, x := range g {
		names = append(names, x.topic)
		one.first, one.last = min(one.first, x.first), max(one.last, x.last)
	}
	if names = uniq(names); len(names) == 1 {
		return g[0]
	}
	one.topic, one.what = "", strings.Replace(one.many, slot, listOf(names, maxAlike, "and"), 1)
	return &one
}

// told tells whether claims are about changed lines of a hunk, or nothing is
// to be said of them.
func (t *teller) told(hunk int) bool {
	blank := true
	for _, l := range t.file.Hunks[hunk].Lines {
		if l.Op == change.Context {
			continue
		}
		if strings.ContainsFunc(l.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			blank = false
		}
		side := change.New
		if l.Op == change.Delete {
			side = change.Old
		}
		if t.sameContent {
			return true
		}
		for _, s := range t.covered[side] {
			if s.first <= l.Number(side) && l.Number(side) <= s.last {
				return true
			}
		}
	}
	return blank
}

// commentEdit tells what became of a comment.
func (t *teller) commentEdit(e outline.Edit) {
	switch {
	case e.Moved:
	case e.Old != nil && e.New != nil:
		from := len(t.facts)
		t.textsOfComment(item{}, e.Old.Value, e.New.Value, place{})
		for _, f := range t.facts[from:] {
			t.locate(f, e)
		}
	default:
		n, v := e.New, "added"
		if n == nil {
			n, v = e.Old, "removed"
		}
		if looksLikeCode(n.Value) || t.keyed() && settingComment.MatchString(n.Value) {
			what := ""
			if m := styleComment.FindStringSubmatch(n.Value); m != nil && t.format == outline.CSS {
				what = ": the property " + code(m[1])
			}
			t.claim(e, wText, "comment-"+v, "", "commented-out code was "+v+what)
			return
		}
		from := len(t.facts)
		t.remarked(item{}, n.Value, place{}, e.New != nil)
		for _, f := range t.facts[from:] {
			t.locate(f, e)
		}
	}
}

// styleComment is a style property that was turned off.
var styleComment = regexp.MustCompile(`^([\w-]+)\s*:\s*[^;{}]+;?$`)

var settingComment = regexp.MustCompile(`^[\w.-]+\s*[:=]\s*\S+$`)

// wording says which words of a text were replaced.
func (t *teller) wording(e outline.Edit, weight int, rule, where, what, from, to string) {
	if len(from) > 1 && len(to) > 1 && from[len(from)-1] == to[len(to)-1] && strings.IndexByte(".!?:", to[len(to)-1]) >= 0 {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	beside := besideWords
	if weight == wDocs {
		beside = besideDocs
	}
	for _, s := range retoldWith(what, from, to, beside) {
		t.claim(e, weight, rule, where, s)
	}
}

// lockFiles and the patterns beside them are files that tools write.
var (
	lockFiles = []string{
		"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "cargo.lock", "poetry.lock", "pdm.lock", "uv.lock", "pipfile.lock",
		"composer.lock", "gemfile.lock", "go.sum", "podfile.lock", "pubspec.lock", "mix.lock", "packages.lock.json", "gradle.lockfile", "flake.lock", "go.work.sum",
	}
	writtenByTools = regexp.MustCompile(`(?i)(?:\.min\.(?:js|css|mjs)|\.(?:js|css)\.map|\.bundle\.js|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.g\.dart|\.designer\.cs|\.snap)$`)
	saysGenerated  = regexp.MustCompile(`(?i)(?:generated\b.*\bdo not (?:edit|modify)|^\W*@generated\b|this (?:is an autogenerated file|file is automatically (?:@)?generated))`)
)

// minifiedLine is the length from which a changed line of a script or a style
// sheet was not written by hand.
const minifiedLine = 5000

// byTool says that a lock file, or another file that a tool writes, was
// changed; more there is not to say. It answers false for other files.
func (w *writer) byTool() bool {
	name := path.Base(w.file.Path())
	noun := ""
	switch {
	case slices.Contains(lockFiles, strings.ToLower(name)):
		noun = "the lock file"
	case strings.Contains(name, ".min."):
		noun = "the minified file"
	case writtenByTools.MatchString(name):
		noun = "the generated file"
	default:
		for i := range w.file.Hunks {
			for _, l := range w.file.Hunks[i].Lines {
				switch {
				case l.NewLine > 0 && l.NewLine <= 5 && saysGenerated.MatchString(cut(l.Text, 300)):
					noun = "the generated file"
				case l.Op != change.Context && len(l.Text) > minifiedLine && (w.file.Lang == lang.JavaScript || w.file.Lang == lang.CSS):
					noun = "the minified file"
				}
			}
		}
		if text, ok := w.file.Whole(change.New); ok && saysGenerated.MatchString(text[:min(len(text), 400)]) {
			noun = "the generated file"
		}
	}
	if noun == "" || name == "." {
		return false
	}
	if w.file.Status == change.Modified {
		f := w.say(item{}, wDetail, "generated", "", noun+" "+code(name)+" was updated")
		f.first, f.last = w.changedRange(change.New)
	}
	return true
}

// docsOnly says that a change touches nothing but documents.
func docsOnly(files []*syntax.File, facts []*fact) []*fact {
	for _, f := range files {
		switch ext := strings.ToLower(path.Ext(f.Path())); {
		case f.Lang == lang.Markdown, ext == ".rst", ext == ".adoc":
		default:
			return nil
		}
	}
	if len(facts) == 0 {
		return nil
	}
	noun := "documentation"
	if len(files) == 1 {
		base, _, _ := strings.Cut(strings.ToLower(path.Base(files[0].Path())), ".")
		if n := documentNouns[strings.Trim(base, "_- ")]; n != "" {
			noun = n
		}
	}
	return []*fact{{kind: pseudoref.Implication, rule: "docs-only", weight: wFollows, what: "only " + noun + " was changed, so the behaviour of the code stays the same", side: change.New}}
}

// documentNouns are what documents of usual names are.
var documentNouns = map[string]string{
	"readme": "the readme", "changelog": "the changelog", "changes": "the changelog", "history": "the changelog", "news": "the changelog", "release_notes": "the release notes",
	"contributing": "the guide for contributors", "code_of_conduct": "the code of conduct", "security": "the security policy", "maintainers": "the list of maintainers",
	"authors": "the list of authors", "roadmap": "the roadmap", "license": "the licence", "upgrading": "the upgrade guide", "install": "the guide for installing",
}
