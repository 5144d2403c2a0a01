package perturb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// side is one of the two texts of a file.
type side struct {
	of    change.Side
	text  string
	frag  *syntax.Fragment
	wrong int // nodes of errors
	units []*unit
	edit  editor
}

// unit is a function that is perturbed: the outermost around its code.
type unit struct {
	*side
	d    *dialect
	node *syntax.Node
	body *syntax.Node
	key  string // the same for the function in the other text
	vars map[string]*variable
	// types are the types that the function declares.
	types map[string]bool
}

// generated finds the marks of generated files.
var generated = regexp.MustCompile(`(?m)^\W{0,8}(?:Code generated .* DO NOT EDIT|@generated\b|.{0,80}automatically generated)`)

// readSide parses a text. The error says why it cannot be perturbed.
func readSide(ctx context.Context, d *dialect, path, text string) (*side, error) {
	if err := readable(text); err != nil || text == "" {
		return &side{}, err
	}
	frag, err := parse(ctx, d.lang, path, text)
	if err != nil {
		return nil, err
	}
	return sideOf(d, frag, ""), nil
}

// sideOf finds the functions of a text. They are told apart by a word before their names.
func sideOf(d *dialect, frag *syntax.Fragment, before string) *side {
	s := &side{of: frag.Side, text: string(frag.Source), frag: frag, wrong: wrong(frag)}
	s.find(d, frag.Root(), before, map[string]int{})
	return s
}

// readable returns why a text is not to be read.
func readable(text string) error {
	switch {
	case strings.Contains(text, "\r"):
		return errors.New("line ends with a carriage return")
	case generated.MatchString(text[:min(len(text), 2000)]):
		return errors.New("a generated file")
	}
	for line := range strings.Lines(text) {
		if len(line) > limits.MinifiedLine {
			return errors.New("a minified file")
		}
	}
	return nil
}

// parse parses a whole text, byte for byte.
func parse(ctx context.Context, l lang.Name, path, text string) (*syntax.Fragment, error) {
	trees, err := syntax.Parse(ctx, change.Addition(path, text, l))
	if err != nil {
		return nil, err
	}
	f := trees.Files[0]
	if len(f.New) != 1 || !f.New[0].Whole {
		return nil, errors.New("the file is beyond the limits of the parser")
	}
	if len(f.New[0].Source) != len(text) {
		return nil, errors.New("the text has bytes that are no text")
	}
	return f.New[0], nil
}

// wrong counts the nodes of errors.
func wrong(f *syntax.Fragment) (n int) {
	for node := range f.Nodes.All() {
		if node.IsError() || node.IsMissing() {
			n++
		}
	}
	return n
}

// find collects the outermost functions below a node. path is the names of the classes around.
func (s *side) find(d *dialect, n *syntax.Node, path string, seen map[string]int) {
	for c := range children(n) {
		role := s.frag.Role(c)
		body := c.ChildByFieldName("body")
		if (role.IsFunction() || role == syntax.Lambda && d.lambdas) && body != nil && s.frag.Role(body) == syntax.Block {
			key := path + "." + s.frag.Name(c)
			u := &unit{side: s, d: d, node: c, body: body, key: fmt.Sprintf("%s#%d", key, seen[key]+1)}
			if s.frag.Whole || u.uncut() {
				seen[key]++
				s.units = append(s.units, u)
				continue
			}
		}
		in := path
		if role.IsClass() {
			in += "." + s.frag.Name(c)
		}
		s.find(d, c, in, seen)
	}
}

// Diff returns the unified diff of two texts, "" for equal texts. A nil text is a file that is
// not there.
func Diff(path string, before, after *string) string {
	name := func(prefix string, text *string) (string, []byte) {
		if text == nil {
			return "/dev/null", nil
		}
		return prefix + path, []byte(*text)
	}
	oldName, old := name("a/", before)
	newName, new := name("b/", after)
	d := string(diff.Diff(oldName, old, newName, new))
	if _, rest, ok := strings.Cut(d, "\n"); ok { // "diff a b" is the line of another tool
		return rest
	}
	return d
}

// touch keeps the functions with a changed line. A function without a partner in the other
// text counts as changed.
func (f *File) touch(c *change.File) {
	keys := map[string]bool{}
	for u := range f.units {
		first, last := u.frag.Lines(u.node)
		keys[u.key] = keys[u.key] || slices.ContainsFunc(c.ChangedLines(u.of), func(l int) bool { return first <= l && l <= last })
	}
	for _, s := range f.sides {
		s.units = slices.DeleteFunc(s.units, func(u *unit) bool { return !keys[u.key] })
	}
}

// lineStart is the first byte of the line around a byte.
func (s *side) lineStart(at int) int { return strings.LastIndexByte(s.text[:at], '\n') + 1 }

// indent is the white space at the start of the line around a byte.
func (s *side) indent(at int) string {
	line := s.text[s.lineStart(at):]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// leads reports whether a node is the first in its line.
func (s *side) leads(n *syntax.Node) bool {
	at := int(n.StartByte())
	return strings.TrimLeft(s.text[s.lineStart(at):at], " \t") == ""
}

// step is the white space of one level more, in this function.
func (u *unit) step() string {
	outer := u.indent(int(u.node.StartByte()))
	if first := u.body.NamedChild(0); first != nil && u.leads(first) {
		if in, ok := strings.CutPrefix(u.indent(int(first.StartByte())), outer); ok && in != "" {
			return in
		}
	}
	if u.d.lang == lang.Go || strings.HasPrefix(outer, "\t") {
		return "\t"
	}
	return "    "
}

// lines joins the lines of new code. The first level of their indentation is the function's
// body, and each tab is one level more.
func (u *unit) lines(indent string, lines []string) string {
	step := u.step()
	out := make([]string, len(lines))
	for i, l := range lines {
		code := strings.TrimLeft(l, "\t")
		out[i] = indent + strings.Repeat(step, len(l)-len(code)) + code
	}
	return strings.Join(out, "\n")
}

// inside yields the nodes of the function in the order of the text.
func (u *unit) inside(yield func(*syntax.Node) bool) { u.within(u.node)(yield) }

// within yields a node and the nodes inside it, in the order of the text.
func (s *side) within(n *syntax.Node) iter.Seq[*syntax.Node] {
	return func(yield func(*syntax.Node) bool) {
		for c := s.frag.Nodes.Cursor(n); yield(c.CurrentNode()); {
			if c.GoToFirstChild() {
				continue
			}
			for !c.GoToNextSibling() {
				if !c.GoToParent() {
					return
				}
			}
		}
	}
}

// children yields the named children of a node.
func children(n *syntax.Node) iter.Seq[*syntax.Node] {
	return func(yield func(*syntax.Node) bool) {
		for c := n.NamedChild(0); c != nil && yield(c); c = c.NextNamedSibling() {
		}
	}
}

func where(n *syntax.Node) span { return span{int(n.StartByte()), int(n.EndByte())} }

// up returns the nearest node around n of one of the kinds, nil beyond the function.
func (u *unit) up(n *syntax.Node, kinds ...string) *syntax.Node {
	for p := n.Parent(); p != nil; p = p.Parent() {
		for _, k := range kinds {
			if p.Type() == k {
				return p
			}
		}
		if p == u.node {
			break
		}
	}
	return nil
}

// hasToken reports whether a node has a child of a kind.
func hasToken(n *syntax.Node, kind string) bool {
	for i := range int(n.ChildCount()) {
		if n.Child(i).Type() == kind {
			return true
		}
	}
	return false
}

// is reports whether n is the child of its parent with that field name.
func is(n *syntax.Node, field string) bool {
	p := n.Parent()
	return p != nil && p.ChildByFieldName(field) == n
}
