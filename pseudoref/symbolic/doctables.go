package symbolic

import (
	"crscore/internal/outline"
)

// Tables and links of documents.

// rowChanged tells which cells of a row were changed, and which columns of a
// table.
func (t *teller) rowChanged(e outline.Edit, where string) {
	a, b := cellsOf(e.Old), cellsOf(e.New)
	if len(a) != len(b) {
		gone, come := missing(a, b), missing(b, a)
		if headerRow(e.New) == e.New {
			for _, c := range come {
				t.claim(e, wDocs, "column-added", where, "the table has a new column "+quote(c, maxListed))
			}
			for _, c := range gone {
				t.claim(e, wDocs, "column-removed", where, "the table no longer has the column "+quote(c, maxListed))
			}
			t.columns = true
			return
		}
		if t.columns {
			return // the header says it
		}
		for _, c := range come[:min(len(come), 2)] {
			t.claim(e, wDocs, "row-changed", where, "the table row for "+listed(b[0])+" now says "+quote(c, maxProse))
		}
		for _, c := range gone[:min(len(gone), 1)] {
			t.claim(e, wDocs, "row-changed", where, "the table row for "+listed(b[0])+" no longer says "+quote(c, maxProse))
		}
		return
	}
	if headerRow(e.New) == e.New {
		for i := range a {
			if a[i] != b[i] {
				t.claim(e, wDocs, "column-renamed", where, "the table column "+quote(a[i], maxListed)+" was renamed to "+quote(b[i], maxListed))
			}
		}
		return
	}
	names := cellsOf(headerRow(e.New))
	row := ""
	for i := range a {
		if a[i] == b[i] && a[i] != "" {
			row = " of the table row for " + listed(a[i])
			break
		}
	}
	said := false
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		said = true
		what := "a cell"
		if i < len(names) && names[i] != "" {
			what = "the column " + quote(names[i], maxListed)
		}
		if what += row; row == "" {
			what += " of a table row"
		}
		switch {
		case a[i] == "":
			t.claim(e, wDocs, "row-changed", where, what+" now says "+quote(b[i], maxProse))
		case b[i] == "":
			t.claim(e, wDocs, "row-changed", where, what+" no longer says "+quote(a[i], maxProse))
		default:
			t.wording(e, wDocs, "row-changed", where, what, a[i], b[i])
		}
	}
	if said {
		return
	}
	// Only what the marks of the cells say differs, as the targets of links do.
	for i := range e.Old.Kids {
		if x, y := e.Old.Kids[i].Value, e.New.Kids[i].Value; x != y && !t.links(e, x, y, where) {
			p, q := apart(x, y)
			t.claim(e, wDocs, "row-changed", where, "a cell"+row+" was changed from "+p+" to "+q)
		}
	}
}

func cellsOf(n *outline.Node) []string {
	if n == nil {
		return nil
	}
	var out []string
	for _, k := range n.Kids {
		out = append(out, plainText(k.Value))
	}
	return out
}

// headerRow returns the first row of the table that a row stands in, where the
// line below it is the one that parts it from the others.
func headerRow(n *outline.Node) *outline.Node {
	kids := n.Parent.Kids
	for i, k := range kids {
		if k.Kind == outline.Row && i+1 < len(kids) && kids[i+1].Kind == outline.Row && kids[i+1].First == k.Last+2 {
			last := kids[i+1]
			for _, r := range kids[i+1:] {
				if r.Kind != outline.Row || r.First > last.Last+1 && r != last {
					break
				}
				last = r
			}
			if k.First <= n.First && n.First <= last.First {
				return k
			}
		}
	}
	return nil
}

// links says that links or images were added, removed or led elsewhere. It
// answers true when nothing else in the text changed.
func (t *teller) links(e outline.Edit, a, b, where string) bool {
	old, now := mdLink.FindAllStringSubmatch(a, 50), mdLink.FindAllStringSubmatch(b, 50)
	changed := false
	for _, y := range now {
		for _, x := range old {
			if x[1] == y[1] && x[2] == y[2] && x[3] != y[3] && !hasLink(old, y) {
				from, to := apart(x[3], y[3])
				t.claim(e, wDocs, "link-changed", where, "the "+linkNoun(y)+" "+quote(plainText(y[2]), maxCode)+" now points to "+to+" instead of "+from)
				changed = true
				break
			}
		}
	}
	for _, y := range now {
		if !changed && y[1] == "" && !hasTitle(old, y[2]) {
			t.claim(e, wDocs, "link-added", where, "a link "+quote(plainText(y[2]), maxListed)+" to "+code(y[3])+" was added")
			if plainText(a) == plainText(b) {
				return true
			}
		}
	}
	for _, x := range old {
		if !changed && x[1] == "" && !hasTitle(now, x[2]) {
			t.claim(e, wDocs, "link-removed", where, "the link "+quote(plainText(x[2]), maxListed)+" to "+code(x[3])+" was removed")
			if plainText(a) == plainText(b) {
				return true
			}
		}
	}
	blank := func(s string) string { return mdLink.ReplaceAllString(s, "$1[$2]") }
	return changed && blank(a) == blank(b)
}

func hasLink(ls [][]string, l []string) bool {
	for _, x := range ls {
		if x[0] == l[0] {
			return true
		}
	}
	return false
}

func hasTitle(ls [][]string, title string) bool {
	for _, x := range ls {
		if x[2] == title {
			return true
		}
	}
	return false
}

func linkNoun(m []string) string {
	if m[1] == "!" {
		return "image"
	}
	return "link"
}
