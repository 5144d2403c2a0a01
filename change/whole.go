package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// fillWhole sets the whole texts of a file from what is given beside the diff
// and from the diff itself: one side gives the other by applying the hunks
// forwards or backwards. It returns a warning, or "".
func (f *File) fillWhole(gf *gitdiff.File, texts func(*File, Side) (string, bool)) string {
	if f.Binary {
		return ""
	}
	var given [2]*string
	if f.Status == Added {
		given[Old] = new(string)
	}
	if f.Status == Deleted {
		given[New] = new(string)
	}
	if texts != nil {
		for _, side := range []Side{Old, New} {
			if given[side] != nil {
				continue
			}
			if t, ok := texts(f, side); ok {
				t, _ = clean(t)
				given[side] = &t
			}
		}
	}
	if given[Old] != nil {
		if built, err := apply(*given[Old], gf); err == nil {
			if given[New] == nil || equalText(built, *given[New]) {
				f.whole = [2]*string{given[Old], &built}
				return ""
			}
		}
	}
	if given[New] != nil {
		if built, err := apply(*given[New], reversed(gf)); err == nil {
			if given[Old] == nil {
				f.whole = [2]*string{&built, given[New]}
				return ""
			}
		}
	}
	if given[Old] == nil && given[New] == nil {
		return ""
	}
	// A text that the hunks do not fit would put claims at wrong places.
	return fmt.Sprintf("%s: the whole text that was given does not fit the diff; only the hunks are used", showPath(f.Path()))
}

func showPath(p string) string {
	if p == "" {
		return "the file"
	}
	return p
}

// equalText compares two texts but for a newline at their ends, which datasets
// and editors add and drop.
func equalText(a, b string) bool {
	return strings.TrimRight(a, "\n") == strings.TrimRight(b, "\n")
}

// apply returns src with the hunks applied. A missing newline at the end of
// src is supplied where the strict application fails for it.
func apply(src string, gf *gitdiff.File) (string, error) {
	var out strings.Builder
	err := gitdiff.Apply(&out, strings.NewReader(src), textOnly(gf))
	if err != nil && src != "" && !strings.HasSuffix(src, "\n") {
		out.Reset()
		if err2 := gitdiff.Apply(&out, strings.NewReader(src+"\n"), textOnly(gf)); err2 == nil {
			return out.String(), nil
		}
	}
	return out.String(), err
}

// textOnly keeps what matters to the text: the application checks names and
// modes too, which a given text does not have.
func textOnly(gf *gitdiff.File) *gitdiff.File {
	return &gitdiff.File{OldName: gf.OldName, NewName: gf.NewName, TextFragments: gf.TextFragments}
}

// reversed returns the change from the new text back to the old one.
func reversed(gf *gitdiff.File) *gitdiff.File {
	r := &gitdiff.File{OldName: gf.NewName, NewName: gf.OldName}
	for _, tf := range gf.TextFragments {
		rf := &gitdiff.TextFragment{
			Comment:     tf.Comment,
			OldPosition: tf.NewPosition, OldLines: tf.NewLines, NewPosition: tf.OldPosition, NewLines: tf.OldLines,
			LinesAdded: tf.LinesDeleted, LinesDeleted: tf.LinesAdded,
			LeadingContext: tf.LeadingContext, TrailingContext: tf.TrailingContext,
			Lines: slices.Clone(tf.Lines),
		}
		for i := range rf.Lines {
			switch rf.Lines[i].Op {
			case gitdiff.OpAdd:
				rf.Lines[i].Op = gitdiff.OpDelete
			case gitdiff.OpDelete:
				rf.Lines[i].Op = gitdiff.OpAdd
			}
		}
		r.TextFragments = append(r.TextFragments, rf)
	}
	return r
}
