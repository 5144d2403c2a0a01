package perturb

import (
	"go/token"
	"maps"
	"slices"
	"strings"
)

// randomNames is p8: each local variable gets a name of five random letters, the same in all
// changed functions of both texts.
func (j *job) randomNames() {
	names := j.renamable()
	to := map[string]string{}
	for _, name := range names {
		to[name] = j.random()
	}
	j.renameAll(to)
}

// reserved are the words of five letters that a language keeps for itself, beside Go's.
const reserved = "async await catch class false final float print raise short super throw while yield"

// random is a name of five letters that no text has.
func (j *job) random() string {
	for {
		b := make([]byte, 5)
		for i := range b {
			b[i] = byte('a' + j.rand.IntN(26))
		}
		if name := string(b); !j.words[name] && !token.IsKeyword(name) && !strings.Contains(reserved, name) {
			j.words[name] = true
			return name
		}
	}
}

// renamable returns the sorted names that are of local variables and of nothing else in all
// functions that have them.
func (j *job) renamable() (names []string) {
	all, declared := map[string]string{}, map[string]bool{} // why not
	for u := range j.units {
		for name, v := range u.variables() {
			if all[name] == "" {
				all[name] = v.why
			}
			declared[name] = declared[name] || len(v.declarations()) > 0 || v.why == parameterWhy
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case !declared[name]:
		case all[name] != "":
			j.skip(all[name])
		case j.hunks != nil && j.hunks.outside[name]:
			j.skip("names also outside whole functions")
		default:
			names = append(names, name)
		}
	}
	return names
}

// renameAll renames variables in all functions.
func (j *job) renameAll(to map[string]string) {
	for u := range j.units {
		vars := u.variables()
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			if to[name] != "" {
				u.rename(vars[name], to[name], vars[name].mentions)
				j.places++
			}
		}
	}
	j.names = to
}
