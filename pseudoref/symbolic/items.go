package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
)

// Items of lists, and the lines of a build file that no reader knows.

// itemChanged tells how an item of a list became another.
func (t *teller) itemChanged(e outline.Edit) {
	a, b := e.Old, e.New
	if len(a.Kids) > 0 || len(b.Kids) > 0 {
		return // what is in them tells it
	}
	one, _ := t.nounOf(b)
	rule := "list-item-changed"
	if one == "" {
		one = "item"
	} else {
		rule = one2rule(one) + "-changed"
	}
	if strings.Contains(b.Value, "\n") || prose(a.Value) && prose(b.Value) {
		t.wording(e, wValue, rule, "", "the "+one+t.in(b, " of "), a.Value, b.Value)
		return
	}
	x, y := apart(a.Value, b.Value)
	t.claim(e, wValue, rule, "", "the "+one+" "+x+t.in(b, " of ")+" was changed to "+y).condensed(x, "the items "+slot+t.in(b, " of ")+" were changed")
}

// itemCame tells that an item of a list came or went.
func (t *teller) itemCame(e outline.Edit, n *outline.Node, added bool) {
	v := verb(added)
	place := t.in(n, " "+toFrom(added)+" ")
	if k, _ := n.Identity(); k == "kind" {
		t.manifestCame(e, n, added)
		return
	}
	one, many := t.nounOf(n)
	rule, weight := "list-item-"+v, wValue
	if one != "" {
		rule, weight = one2rule(one)+"-"+v, wDeclare
	} else {
		one, many = "item", "items"
	}
	key, name := n.Identity()
	shown := code(name)
	if key == "name" && strings.Contains(name, " ") || prose(name) {
		shown = quote(name, maxCode)
	}
	if name == "" {
		if one == "step" && n.Get("run") != "" {
			run, _, _ := strings.Cut(n.Get("run"), "\n")
			t.claim(e, weight, rule, "", "a step that runs "+code(run)+" was "+v+place)
			return
		}
		if c := t.contents(n); c != "" && len(n.Kids) > 0 {
			t.claim(e, weight, rule, "", an(one)+" with "+c+" was "+v+place)
			if added {
				t.settings(n, one)
			}
		}
		return
	}
	tail := ""
	switch {
	case one == "step" && key != "uses" && n.Get("uses") != "" && added:
		tail = ", which uses " + code(n.Get("uses")) + ","
	case one == "step" && key == "uses":
		shown = "using " + code(n.Get("uses"))
	case one == "environment variable" && n.Get("value") != "" && added && !looksSecret(n):
		tail = " with the value " + code(n.Get("value"))
		t.claim(e, weight, rule, "", "the "+one+" "+shown+" was "+v+place+tail).condensed(shown, "the "+many+" "+slot+" were "+v+place)
		return
	}
	if image := n.Get("image"); image != "" && key != "image" && added {
		tail = " with the image " + code(image)
	}
	art := "the "
	if strings.HasPrefix(shown, "using ") {
		art = "a "
	}
	if added && one != "step" {
		defer t.settings(n, one+" "+shown)
	}
	f := t.claim(e, weight, rule, "", art+one+" "+slot+tail+" was "+v+place)
	f.names = []string{shown}
	f.many = "the " + many + " " + slot + " were " + v + place
	if art == "a " {
		f.many = "steps " + slot + " were " + v + place
	}
}

var quotedText = regexp.MustCompile(`["']([^"']{3,40})["']`)

var lineWord = regexp.MustCompile(`[\pL\d_.$-]+|[^\pL\d_.$\s-]`)

// lineChange says which words of a line of code became others.
func lineChange(a, b string) string {
	x, y := lineWord.FindAllString(cut(a, 500), 200), lineWord.FindAllString(cut(b, 500), 200)
	i, j := 0, 0
	for i < min(len(x), len(y)) && x[i] == y[i] {
		i++
	}
	for j < min(len(x), len(y))-i && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	if gone, come := x[i:len(x)-j], y[i:len(y)-j]; len(gone) == 1 && len(come) == 1 && i > 0 {
		on := ""
		if m := quotedText.FindStringSubmatch(a); m != nil && m[1] != gone[0] && strings.Contains(b, m[1]) {
			on = " in the line on " + code(m[1])
		} else if k := slices.IndexFunc(x[:i], simpleName); k >= 0 && x[k] != gone[0] {
			on = " in the line on " + code(x[k])
		}
		return code(gone[0]) + " was replaced by " + code(come[0]) + on
	}
	p, q := apart(a, b)
	return "the line " + p + " was changed to " + q
}

// manifestCame tells that a manifest of Kubernetes came or went.
func (t *teller) manifestCame(e outline.Edit, n *outline.Node, added bool) {
	_, name := n.Identity()
	kind, name, _ := strings.Cut(name, " ")
	var images []string
	budget := 300
	n.Walk(func(k *outline.Node) {
		if budget--; budget > 0 && k.Name == "image" && k.Value != "" {
			images = append(images, code(k.Value))
		}
	})
	tail := ""
	if images = uniq(images); added && len(images) > 0 {
		tail = " with the image" + plurals(images) + " " + list(images)
	}
	t.claim(e, wDeclare, "manifest-"+verb(added), "", "the "+kind+" "+code(name)+" was "+verb(added)+tail).condensed(code(name), "the manifests "+slot+" were "+verb(added))
}
