package symbolic

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"crscore/pseudoref/symbolic/data"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/rules"
)

// AllRules stands for every rule in Options.
const AllRules = "all"

// Options choose the rules and the length of the list of claims. The zero value means the defaults.
type Options struct {
	// Max limits the number of claims of a change; the ones of least weight
	// are left out. 0 means DefaultLimit, less than 0 no limit.
	Max int
	// Rules are the IDs of rules to switch on, Off the IDs of rules to switch off.
	// AllRules stands for every rule that neither list names. A rule in both lists is off.
	Rules, Off []string
}

// on reports whether claims of a rule are made.
func (o Options) on(r *fact.Rule) bool {
	switch {
	case slices.Contains(o.Off, r.ID):
		return false
	case slices.Contains(o.Rules, r.ID):
		return true
	case slices.Contains(o.Off, AllRules):
		return false
	}
	return !r.Off || slices.Contains(o.Rules, AllRules)
}

// check refuses rules that are not in the catalogue.
func (o Options) check(rules fact.Rules) error {
	for _, id := range slices.Concat(o.Rules, o.Off) {
		if id != AllRules && rules[id] == nil {
			return fmt.Errorf("symbolic: there is no rule %q", id)
		}
	}
	return nil
}

// Signature returns Version with the differences from the defaults, such as
// "symbolic/12(max=20,-parameter-added-callers)". Options with the same effect have the same signature.
// The error names a rule that does not exist.
func (o Options) Signature() (string, error) {
	if err := o.check(catalogue()); err != nil {
		return "", err
	}
	changed := o.switched(Rules())
	if o.Max != 0 {
		changed = append([]string{fmt.Sprintf("max=%d", o.Max)}, changed...)
	}
	if len(changed) == 0 {
		return Version, nil
	}
	return Version + "(" + strings.Join(changed, ",") + ")", nil
}

// switched returns how the rules differ from the defaults, as the shortest of three lists:
// the rules that differ, the rules that are on after "-all", those that are off after "+all".
func (o Options) switched(rules []fact.Rule) []string {
	slices.SortFunc(rules, func(a, b fact.Rule) int { return strings.Compare(a.ID, b.ID) })
	var differ []string
	but := map[bool][]string{true: {"+" + AllRules}, false: {"-" + AllRules}}
	for i := range rules {
		r, on := &rules[i], o.on(&rules[i])
		name := phrase.Either(on, "+", "-") + r.ID
		if on == r.Off {
			differ = append(differ, name)
		}
		but[!on] = append(but[!on], name)
	}
	return slices.MinFunc([][]string{differ, but[false], but[true]}, func(a, b []string) int { return len(a) - len(b) })
}

// Rules returns the catalogue: each kind of claim that is made, and its sentence. The caller may change it.
func Rules() []fact.Rule { return slices.Concat(rules.All(), data.All()) }

// catalogue is the one table of the rules that claims are made by. To fill their templates
// anew would be a third of the work of a small change. Nobody may change it.
var catalogue = sync.OnceValue(func() fact.Rules { return fact.Table(Rules()) })

// archives hold small changes with the claims about them, which show what the rules say.
//
//go:embed testdata/*.txtar
var archives embed.FS

// Archives holds the cases of the rules, which package cases reads.
func Archives() fs.FS { return archives }
