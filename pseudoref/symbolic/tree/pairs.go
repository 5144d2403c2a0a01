package tree

import (
	"crscore/change"
	"crscore/internal/syntax"
)

// Of makes the tree of a fragment of a file; nil has none.
func Of(f *change.File, fr *syntax.Fragment, m *Meter) *Tree {
	if fr == nil {
		return nil
	}
	var spans []Span
	if fr.Whole {
		spans = Interest(f, fr.Side)
	}
	t := NewTree(fr, spans, m)
	if fr.Hunk >= 0 {
		t.Section = f.Hunks[fr.Hunk].Section
		t.FieldsOfHeading()
	}
	return t
}

// Pairs returns the fragments of both sides that belong together: those of
// the whole file, or those of each hunk. Either may be nil.
func Pairs(f *syntax.File) [][2]*syntax.Fragment {
	var out [][2]*syntax.Fragment
	at := map[int]int{}
	for _, side := range []change.Side{change.Old, change.New} {
		for _, fr := range f.Fragments(side) {
			if len(fr.Source) > MaxTreeBytes {
				continue
			}
			k, ok := at[fr.Hunk]
			if !ok {
				k = len(out)
				at[fr.Hunk] = k
				out = append(out, [2]*syntax.Fragment{})
			}
			out[k][side] = fr
		}
	}
	return out
}
