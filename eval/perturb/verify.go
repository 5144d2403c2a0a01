package perturb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// leaf is a leaf of a tree, where it stands in the original text.
type leaf struct {
	at   int
	kind string
}

// leaves are the leaves of a tree that are no white space.
func leaves(f *syntax.Fragment) (out []leaf) {
	for n := range f.Nodes.All() {
		if n.ChildCount() > 0 || n.StartByte() == n.EndByte() || strings.TrimSpace(n.Content()) == "" {
			continue
		}
		out = append(out, leaf{int(n.StartByte()), kind(n)})
	}
	return out
}

// kind is the kind of a leaf. {a} and {a: a} have one for their key.
func kind(n *syntax.Node) string {
	if k := n.Type(); !strings.HasSuffix(k, "property_identifier") && !strings.HasSuffix(k, "property_identifier_pattern") {
		return k
	}
	return "property"
}

// verify parses a rewritten text: it must have no new error, and without the insertions it must
// have the tokens of the original, of the same kinds.
func (s *side) verify(ctx context.Context, d *dialect, r Rewritten) error {
	if s.frag == nil { // an empty text
		return nil
	}
	f, err := parse(ctx, d.lang, "x", r.Text)
	if err != nil {
		return err
	}
	if n := wrong(f); n > s.wrong {
		return fmt.Errorf("it does not parse")
	}
	var got []leaf
	at, piece := 0, 0
	for n := range f.Nodes.All() {
		from, to := int(n.StartByte()), int(n.EndByte())
		if n.ChildCount() > 0 || from == to || strings.TrimSpace(n.Content()) == "" {
			continue
		}
		for at+r.Pieces[piece].Len() <= from {
			at += r.Pieces[piece].Len()
			piece++
		}
		p := r.Pieces[piece]
		if to > at+p.Len() {
			return fmt.Errorf("%q is of two parts", n.Content())
		}
		switch {
		case p.From == p.To:
		case p.Text == "":
			got = append(got, leaf{p.From + from - at, kind(n)})
		case from == at && to == at+p.Len():
			got = append(got, leaf{p.From, kind(n)})
		}
	}
	slices.SortFunc(got, func(a, b leaf) int { return cmp.Compare(a.at, b.at) })
	if !slices.Equal(got, leaves(s.frag)) {
		return fmt.Errorf("it has other tokens")
	}
	return nil
}
