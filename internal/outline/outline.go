// Package outline reads texts that are not programs (configuration, markup, style sheets,
// documents, SQL, build files) into trees of named nodes, and compares two trees.
//
// The readers are not tree-sitter grammars, because most texts under review are hunks: lines from the middle of a
// file, without the lines that open or close them. In windows of 7 to 20 lines of real files, the grammars left
// errors in 24% of HTML, 68% of CSS, 22% of TOML, 92% of SQL, 23% of Dockerfiles and 53% of YAML; with frames around
// the windows, still in 43% of CSS, 89% of SQL and 18% of Dockerfiles. Only TOML fell to 1.5%, but INI needs the
// reader of TOML anyway.
//
// A reader accepts any text, takes linear time and never fails. It does not guess the parts
// that a hunk does not show (Node.Loose). Package outline does not say what a change means.
package outline

import (
	"cmp"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Root      Kind = iota
	Key            // what has a name, with a value or with nodes below it: a key, a style rule, a column
	Item           // of a list
	Comment        // the lines of a comment
	Section        // a heading with the text below it
	Paragraph      // prose
	Code           // a code example; Type is its language
	Element        // of markup; Name is the tag
	Text           // between elements, or a line that the format does not know
)

// Node is one node of an outline.
type Node struct {
	Kind        Kind    // see the kinds
	Type        string  // what the format calls a key or an item ("column"), or the language of a code example; may be empty
	Name        string  // of a key, a tag or a heading; empty for a node without a name
	Value       string  // of a scalar, without the quotation marks that do not make it another one
	Kids        []*Node // the nodes directly below, in the order of the text
	Parent      *Node   // nil for the root
	First, Last int     // lines of the text, counted from 0
	Loose       bool    // the node around it is not in the hunk, or only in its heading
	Heading     bool    // it is the heading of the hunk
	// Identity is the name of a key, and what identifies an item or an element: one of names in
	// it, or the item itself if it is a scalar. It is empty if nothing does.
	Identity string
	depth    int
	level    int    // the column of a node of YAML, the level of a heading: what stands deeper is in it
	sum      string // of what it is and holds: equal nodes have equal sums
}

// The types that are known outside of their readers.
const (
	Attribute = "attribute"
	Property  = "property"
)

// Format is a format of text that has an outline.
type Format uint8

// The formats. None is for texts without an outline.
const (
	None Format = iota
	YAML
	JSON
	TOML
	INI // also properties files and environment files
	Markdown
	Dockerfile
	HTML
	XML
	CSS
	SQL
	Requirements // of pip
	GoMod
	Gradle
)

// requirementsPath fits the files of pip: dev-requirements.txt, requirements/test.txt.
var requirementsPath = regexp.MustCompile(`(?:^|/)(?:[\w-]*requirements[\w.-]*|constraints[\w.-]*|requirements/[\w.-]+)\.(?:txt|in)$`)

var formats = map[lang.Name]Format{
	lang.YAML: YAML, lang.JSON: JSON, lang.TOML: TOML, lang.INI: INI, lang.Markdown: Markdown,
	lang.Dockerfile: Dockerfile, lang.HTML: HTML, lang.XML: XML, lang.CSS: CSS, lang.SQL: SQL,
}

// FormatOf returns the format of a file by its path and language.
func FormatOf(file string, l lang.Name) Format {
	file = strings.ToLower(file)
	switch base := path.Base(file); {
	case requirementsPath.MatchString(file):
		return Requirements
	case base == "go.mod":
		return GoMod
	case strings.HasSuffix(base, ".gradle"), strings.HasSuffix(base, ".gradle.kts"):
		return Gradle
	}
	return formats[l]
}

// Input is a text to be read: a whole file or one side of a hunk.
type Input struct {
	// Format is the format of Text.
	Format Format
	Text   string
	// Whole says that the text begins where the file begins.
	Whole bool
	// Heading is the section heading of a hunk: the nearest line above that git takes for the beginning of a section.
	Heading string
}

// Read returns the outline of a text.
func Read(in Input) *Node {
	lines := strings.Split(strings.TrimSuffix(in.Text, "\n"), "\n")
	b := &builder{Input: in, lines: lines, root: &Node{Kind: Root, Last: len(lines) - 1}, tables: map[string]*Node{}}
	switch in.Format {
	case YAML:
		b.yaml()
	case JSON, CSS:
		b.brackets(b.root, strings.Join(b.lines, "\n"), 0)
	case TOML, INI:
		b.ini()
	case Markdown:
		b.markdown()
	case HTML, XML:
		b.markup()
	case Dockerfile, SQL, Requirements, GoMod, Gradle:
		b.byLines()
	}
	b.root.seal()
	return b.root
}

// builder holds what the readers share.
type builder struct {
	Input
	lines []string
	root  *Node
	nodes int // so many were added

	tables map[string]*Node // of TOML and INI, by their whole names: a file may have thousands
}

// add puts a node under a parent. Beyond the limits the node is not kept.
func (b *builder) add(parent *Node, n Node) *Node {
	n.Parent, n.depth = parent, parent.depth+1
	n.Last = max(n.Last, n.First)
	n.Value = n.Value[:min(len(n.Value), limits.OutlineValue)]
	p := &n
	if b.nodes >= limits.OutlineNodes || parent.depth >= limits.OutlineDepth {
		return p
	}
	b.nodes++
	parent.Kids = append(parent.Kids, p)
	return p
}

// commentMark is what a comment begins with.
var commentMark = regexp.MustCompile(`^(?:[#;!]+|/[/*]+|(?:<!)?--+)\s*`)

// comment adds the lines of a comment, to the one before it where they follow each
// other. The signs around the text are taken off.
func (b *builder) comment(parent *Node, row int, text string) {
	last := row + strings.Count(text, "\n")
	text = commentMark.ReplaceAllString(strings.TrimSpace(text), "")
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, "*/"), "-->"))
	if k := len(parent.Kids); k > 0 {
		if c := parent.Kids[k-1]; c.Kind == Comment && c.Last == row-1 && len(c.Value) < 1<<12 {
			c.Value, c.Last = strings.TrimSpace(c.Value+"\n"+text), last
			return
		}
	}
	if text != "" {
		b.add(parent, Node{Kind: Comment, Value: text, First: row, Last: last})
	}
}

// through returns the position after the next mark in a text, or the end of the text.
func through(s, mark string) int {
	if k := strings.Index(s, mark); k >= 0 {
		return k + len(mark)
	}
	return len(s)
}

// walker goes through a text whose lines do not matter.
type walker struct {
	*builder
	row int
	top *Node // the innermost block that is open
}

// loose reports whether what comes next stands in something that the hunk does not show.
func (w *walker) loose() bool { return w.top.Kind == Root && !w.Whole }

// skip returns a text without its first bytes, which were read.
func (w *walker) skip(s string, read int) string {
	w.row += strings.Count(s[:read], "\n")
	return s[read:]
}

// seal computes sums and identities, and stretches nodes over what is in them.
func (n *Node) seal() {
	h := fnv.New64a()
	_, _ = io.WriteString(h, strings.Join([]string{string(rune(n.Kind)), n.Type, n.Name, n.Value, ""}, "\x00"))
	for _, k := range n.Kids {
		k.seal()
		n.Last = max(n.Last, k.Last)
		_, _ = io.WriteString(h, k.sum)
	}
	n.sum = string(h.Sum(nil))
	n.Identity = n.identity()
}

// looksTyped is a value that is no text.
var looksTyped = regexp.MustCompile(`(?i)^(?:[-+]?\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?|true|false|yes|no|on|off|null|~)$`)

// unquoted is a value without quotation marks, unless it would be of another type: `"80"`.
// Numbers with a point are mostly versions outside of YAML, where they are not quoted.
func (b *builder) unquoted(s string) string {
	if u := unquote(s); !looksTyped.MatchString(u) || b.Format != YAML && strings.Contains(u, ".") {
		return u
	}
	return strings.TrimSpace(s)
}

// plain returns a value that stands on one line, without the comment behind it.
func (b *builder) plain(v string) string {
	if end := strings.LastIndexByte(v, v[0]); end > 0 && (v[0] == '"' || v[0] == '\'') {
		return b.unquoted(v[:end+1])
	}
	v, _, _ = strings.Cut(v, " #")
	return strings.TrimSpace(v)
}

// first returns the first child that fits, or an empty node.
func (n *Node) first(fits func(*Node) bool) *Node {
	if i := slices.IndexFunc(n.Kids, fits); i >= 0 {
		return n.Kids[i]
	}
	return &Node{}
}

// Get returns the value of the first child with a name, or "". The value of an element is its text.
func (n *Node) Get(name string) string {
	k := n.first(func(k *Node) bool { return k.Name == name })
	return cmp.Or(k.Value, k.first(func(t *Node) bool { return t.Kind == Text && k.Kind == Element }).Value)
}

// names are the keys and attributes that identify an item of a list or an element, best first.
var names = []string{"name", "id", "key", "uses", "image", "repo", "title", "alias", "job_name", "host", "path", "url",
	"href", "src", "action", "property", "class", "className"}

// version is the end of an action or an image: "@v3" of "actions/checkout@v3".
var version = regexp.MustCompile(`[:@][^/]*$`)

// identity looks among all kids, so it runs once a node, in seal: each kid asks what its parent is called.
func (n *Node) identity() string {
	switch {
	case n.Kind == Key || n.Kind == Section:
		return n.Name
	case n.Kind != Element && len(n.Kids) == 0:
		return n.Value
	}
	for _, name := range names {
		if v := n.Get(name); v != "" && len(v) < 200 {
			if name == "uses" || name == "image" {
				v = version.ReplaceAllString(v, "") // of another version it is still the same
			}
			return v
		}
	}
	return ""
}

// Walk calls do for a node and the nodes inside it, in the order of the text, until do answers false. It answers
// whether it came to the end. A walk that stops early keeps the cost of naming a node small: an element with
// thousands of others in it is named by the first few.
func (n *Node) Walk(do func(*Node) bool) bool {
	return do(n) && !slices.ContainsFunc(n.Kids, func(k *Node) bool { return !k.Walk(do) })
}
