package symbolic

import (
	"strings"

	"crscore/internal/outline"
)

// maxSettings bounds the values of what came that are told.
const maxSettings = 6

// settings says which values the keys below a node that came have.
func (t *teller) settings(n *outline.Node, name string) {
	var sets []string
	budget := 40
	n.Walk(func(k *outline.Node) {
		if budget--; budget < 0 || k == n || k.Kind != outline.Key || len(k.Kids) > 0 || k.Value == "" || strings.Contains(k.Value, "\n") || looksSecret(k) || len(sets) == maxSettings {
			return
		}
		if _, v := n.Identity(); v == k.Value || k.Name == "image" && k.Parent == n || within(k, n, "steps") {
			return // its claim says it
		}
		key := k.Name
		if p := k.Parent; p != n && p.Kind == outline.Key {
			key = p.Name + "." + key
		}
		v := code(k.Value)
		if prose(k.Value) {
			v = quoteText(firstPassage(k.Value, 8))
		}
		sets = append(sets, code(key)+" to "+v)
	})
	for k := 0; k < len(sets); k += 2 {
		t.claim(outline.Edit{New: n}, wDetail, "key-sets", "", "the new "+name+" sets "+listOf(sets[k:min(k+2, len(sets))], 2, "and"))
	}
}

// within tells whether a key of a name stands between a node and one above it.
func within(k, top *outline.Node, name string) bool {
	for p := k.Parent; p != nil && p != top; p = p.Parent {
		if p.Name == name {
			return true
		}
	}
	return false
}
