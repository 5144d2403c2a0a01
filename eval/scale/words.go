package main

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// The words of names and sentences: 64 of each kind, so that phrase can number them.
var (
	verbs = strings.Fields(`load store parse render fetch merge split encode decode filter sort index
		validate resolve register schedule cancel retry flush commit publish consume compress expand
		trim align rotate migrate restore archive measure sample batch throttle lock release attach
		detach bind mount scan probe hash sign verify escape format quote clone patch replay drain
		queue evict refresh rebuild collect reduce group rank score label route forward`)
	adjectives = strings.Fields(`stale fresh shared local remote pending active idle broken partial total
		hidden public nested flat sparse dense strict lazy eager cached raw signed unsigned primary
		secondary default custom legacy modern narrow wide short long early late recent ancient
		internal external visible frozen mutable sorted random static dynamic virtual native optional
		required global atomic bounded endless trusted hostile spare empty full upper lower inner outer`)
	nouns = strings.Fields(`queue ledger buffer cursor session token header payload socket channel worker
		thread packet record column table schema cluster replica shard bucket cache page frame layer
		widget panel button label canvas template plugin module package bundle archive folder
		volume device sensor signal metric gauge counter timer clock calendar invoice order customer
		account balance ticket coupon receipt parcel route station vessel harbour garden kernel matrix vector`)
	parts = strings.Fields(`handler manager builder factory adapter service client server reader writer
		parser printer loader saver runner helper wrapper visitor observer monitor tracker keeper
		broker router mapper filter sorter finder picker maker checker guard gate bridge proxy
		mirror store vault pool stack heap tree graph list map set ring chain table
		registry catalogue directory journal history policy strategy context scope state config option result report profile`)
)

// phrase returns the n-th of 2^24 different names of four words.
func phrase(n int) []string {
	n = n * 10_368_889 & (1<<24 - 1) // an odd factor only changes the order
	return []string{verbs[n>>18], adjectives[n>>12&63], nouns[n>>6&63], parts[n&63]}
}

// name draws a name; other programs may have the same.
func name(r *rand.Rand) []string {
	return []string{pick(r, adjectives), pick(r, nouns)}
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func snake(words []string) string { return strings.Join(words, "_") }

func camel(words []string) string {
	return words[0] + pascal(words[1:])
}

func pascal(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteRune(unicode.ToUpper(rune(w[0])))
		b.WriteString(w[1:])
	}
	return b.String()
}
