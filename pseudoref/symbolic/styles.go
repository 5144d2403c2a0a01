package symbolic

import (
	"strings"

	"crscore/internal/outline"
)

// Style sheets: CSS, SCSS, Less.

// maxStyle is the length above which selectors and values are cut.
const maxStyle = 60

func style(s string) string { return codeTo(s, maxStyle) }

// selector names the rule around a node; empty where it is not known.
func selector(n *outline.Node) string {
	var names []string
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Kind == outline.Rule && p.Name != "" {
			names = append(names, style(p.Name))
		}
		if len(names) == 2 {
			break
		}
	}
	if len(names) == 2 {
		return names[0] + " in " + names[1]
	}
	return strings.Join(names, "")
}

func ruleNoun(n *outline.Node) string {
	switch n.Type {
	case "":
		return "the style rule " + style(n.Name)
	case "media":
		return "the media query " + code(strings.TrimSpace(strings.TrimPrefix(n.Name, "@media")))
	case "keyframes":
		return "the animation " + code(strings.TrimSpace(strings.TrimPrefix(n.Name, "@keyframes")))
	case "mixin":
		return "the mixin " + code(strings.TrimSpace(strings.TrimPrefix(n.Name, "@mixin")))
	case "font-face":
		return "a font face"
	}
	return "the rule " + code(n.Name)
}

// propertyNoun says what a property is: a variable, a mixin that is used.
func propertyNoun(n *outline.Node) (one, many string) {
	switch {
	case strings.HasPrefix(n.Name, "--"), strings.HasPrefix(n.Name, "$"), strings.HasPrefix(n.Name, "@") && !strings.HasPrefix(n.Name, "@i") && !strings.HasPrefix(n.Name, "@u") && !strings.HasPrefix(n.Name, "@e"):
		return "variable", "variables"
	}
	return "property", "properties"
}

// styleEdit tells what became of a rule or a property.
func (t *teller) styleEdit(e outline.Edit) {
	n := e.New
	if n == nil {
		n = e.Old
	}
	added := e.New != nil
	v := verb(added)
	sel := selector(n)
	of := ""
	if sel != "" {
		of = " of " + sel
	}
	toSel := ""
	if sel != "" {
		toSel = " " + toFrom(added) + " " + sel
	}
	switch {
	case n.Kind == outline.Text:
		t.textEdit(e, v)
	case n.Kind == outline.Rule && e.Around != nil:
		t.claim(e, wDeclare, "style-rule-moved", "", ruleNoun(e.Around)+map[bool]string{true: " is now within ", false: " is no longer within "}[added]+ruleNoun(n))
	case n.Kind == outline.Rule && e.Moved:
		t.claim(e, wValue, "style-rule-moved", "", ruleNoun(n)+" was moved to another place")
	case n.Kind == outline.Rule && e.Renamed:
		if e.Old.Name == "" || e.New.Name == "" {
			return
		}
		noun := "the selector"
		if n.Type == "media" {
			noun = "the media query"
		}
		if t.selectorsChanged(e) {
			return
		}
		x, y := apart(strings.TrimPrefix(e.Old.Name, "@media "), strings.TrimPrefix(e.New.Name, "@media "))
		t.claim(e, wDeclare, "style-rule-changed", "", noun+" "+x+" was changed to "+y)
	case n.Kind == outline.Rule && e.Old != nil && e.New != nil:
	case n.Kind == outline.Rule:
		t.ruleCame(e, n, added, toSel)
	case strings.HasPrefix(n.Name, "@include"), strings.HasPrefix(n.Name, "@extend"), strings.HasPrefix(n.Name, "@apply"):
		verb := map[string]string{"@include": "mixin", "@extend": "placeholder", "@apply": "utility classes"}[n.Name]
		if e.Old != nil && e.New != nil {
			t.claim(e, wValue, "property-changed", "", code(n.Name)+of+" now takes "+code(e.New.Value)+" instead of "+code(e.Old.Value))
			return
		}
		t.claim(e, wValue, "property-"+v, "", "the "+verb+" "+code(n.Value)+" "+map[bool]string{true: "is", false: "are"}[verb != "utility classes"]+map[bool]string{true: " now used in ", false: " no longer used in "}[added]+orElse(sel, "the rule"))
	case strings.HasPrefix(n.Name, "@import"), strings.HasPrefix(n.Name, "@use"), strings.HasPrefix(n.Name, "@forward"):
		if e.Old != nil && e.New != nil {
			t.claim(e, wImport, "import-source", "", code(e.New.Value)+" is now imported instead of "+code(e.Old.Value))
			return
		}
		f := t.claim(e, wImport, "import-"+v, "", "the import of "+slot+" was "+v)
		f.many, f.names = "the imports of "+slot+" were "+v, []string{code(strings.Trim(n.Value, `"'`))}
	case e.Old != nil && e.New != nil:
		one, _ := propertyNoun(n)
		x, y := e.Old.Value, e.New.Value
		if strings.TrimSuffix(y, " !important") == x {
			t.claim(e, wValue, "important-added", "", "the "+one+" "+code(n.Name)+of+" was made `!important`")
		} else if strings.TrimSuffix(x, " !important") == y {
			t.claim(e, wValue, "important-removed", "", "the "+one+" "+code(n.Name)+of+" is no longer `!important`")
		} else {
			p, q := style(x), style(y)
			if p == q {
				p, q = apart(x, y)
			}
			t.claim(e, wValue, one+"-changed", "", "the "+one+" "+code(n.Name)+of+" was changed from "+p+" to "+q)
		}
		t.styleRisks(e, n)
	default:
		one, many := propertyNoun(n)
		where := orElse(toSel, "")
		f := t.claim(e, wValue, one+"-"+v, "", "the "+one+" "+code(n.Name)+map[bool]string{true: " with the value " + style(n.Value), false: ", which was " + style(n.Value) + ","}[added]+" was "+v+where)
		f.condensed(code(n.Name), "the "+many+" "+slot+" were "+v+where)
		if added {
			t.styleRisks(e, n)
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (t *teller) ruleCame(e outline.Edit, n *outline.Node, added bool, toSel string) {
	if n.Name == "" {
		for _, k := range n.Kids {
			t.styleEdit(sided(k, added))
		}
		return
	}
	v := verb(added)
	var props, sets, rules []string
	for _, k := range n.Kids {
		switch k.Kind {
		case outline.Property:
			props = append(props, code(k.Name))
			if !strings.HasPrefix(k.Name, "@") {
				sets = append(sets, code(k.Name)+" to "+style(k.Value))
			}
		case outline.Rule:
			rules = append(rules, code(k.Name))
		}
	}
	rule := "style-rule-" + v
	if n.Type == "media" {
		rule = "media-query-" + v
	}
	tail := ""
	switch {
	case !added && len(props) == 1 && len(sets) == 1:
		tail = ", which set " + sets[0]
	case !added && len(props) > 0:
		tail = ", which set " + list(uniq(props))
	case !added:
	case len(props) == 1 && len(n.Kids) == 1:
		tail = ", which sets " + props[0] + " to " + style(n.Kids[0].Value)
	case len(props) > 0:
		tail = ", which sets " + list(uniq(props))
	case len(rules) > 0:
		tail = " for " + list(uniq(rules))
	}
	t.claim(e, wDeclare, rule, "", ruleNoun(n)+" was "+v+toSel+tail).condensed(code(n.Name), "the style rules "+slot+" were "+v+toSel)
	if added {
		if len(props) > 1 {
			t.sets(n, sets, "")
		}
		for _, k := range n.Of(outline.Rule)[:min(len(rules), maxInner)] {
			var in []string
			for _, p := range k.Of(outline.Property) {
				if !strings.HasPrefix(p.Name, "@") {
					in = append(in, code(p.Name)+" to "+style(p.Value))
				}
			}
			t.sets(k, in, ruleNoun(n))
		}
		if len(n.Kids) == 0 && !n.Open {
			t.implies(e, "empty-rule", "the rule "+code(n.Name)+" sets nothing")
		}
		for _, k := range n.Kids {
			if k.Kind == outline.Property {
				t.styleRisks(outline.Edit{New: k}, k)
			}
		}
	}
}

// maxInner bounds the rules within a new one, and the claims on what a rule
// sets, that are told.
const (
	maxInner = 4
	maxSets  = 2
)

// sets says to which values a new rule sets its properties.
func (t *teller) sets(n *outline.Node, sets []string, where string) {
	for k := 0; k < maxSets && 2*k < len(sets); k++ {
		t.claim(outline.Edit{New: n}, wDetail, "style-rule-sets", where, style(n.Name)+" sets "+listOf(sets[2*k:min(2*k+2, len(sets))], 2, "and"))
	}
}

// selectorsChanged says what a rule now applies to, and to what no longer. It
// answers false where none of its selectors stays.
func (t *teller) selectorsChanged(e outline.Edit) bool {
	split := func(s string) []string {
		var out []string
		for _, x := range strings.Split(s, ",") {
			out = append(out, strings.TrimSpace(x))
		}
		return out
	}
	if strings.ContainsAny(e.Old.Name+e.New.Name, "@(") {
		return false
	}
	a, b := split(e.Old.Name), split(e.New.Name)
	gone, come := missing(a, b), missing(b, a)
	if len(gone) == len(a) || len(come) == len(b) {
		return false
	}
	stays := style(missing(a, gone)[0])
	if len(come) > 0 {
		t.claim(e, wDeclare, "style-rule-changed", "", "the style rule for "+stays+" now also applies to "+list(codes(come)))
	}
	if len(gone) > 0 {
		t.claim(e, wDeclare, "style-rule-changed", "", "the style rule for "+stays+" no longer applies to "+list(codes(gone)))
	}
	return true
}

// styleRisks says what follows from a property.
func (t *teller) styleRisks(e outline.Edit, n *outline.Node) {
	if strings.HasSuffix(n.Value, "!important") && (e.Old == nil || !strings.HasSuffix(e.Old.Value, "!important")) {
		t.implies(e, "important", "`!important` is hard to override in other rules")
	}
	if n.Name == "outline" && (n.Value == "none" || n.Value == "0") {
		t.implies(e, "focus-hidden", "without an outline, keyboard users do not see what has the focus")
	}
	twice := 0
	for _, k := range n.Parent.Kids {
		if k.Kind == outline.Property && k.Name == n.Name && !strings.HasPrefix(n.Name, "@") {
			if twice++; k.Value == n.Value && k != n {
				twice++
			}
		}
	}
	if twice > 2 && n.Parent.Kind == outline.Rule {
		t.implies(e, "duplicate-property", "the property "+code(n.Name)+" stands twice in "+orElse(selector(n), "the rule"))
	}
}
