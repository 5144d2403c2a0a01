// Package crscore judges code-review comments without a reference review.
//
// It turns a code change into pseudo-references (claims about what the change
// does, implications, code smells), splits a review into sentences, measures
// how the two sides match, and reports Con, Comp and Rel: the share of
// sentences that are on topic, the share of references that are covered, and
// their harmonic mean. The method is CRScore (Naik et al. 2024, arXiv
// 2409.19801).
//
// The Engine wires the stages. Its three steps are methods of their own, so
// that a program can stop at each: Refs(change) gives the pseudo-references,
// Match(refs, review) the matrix of similarities, Score(match) the numbers.
// The stages themselves live in the packages change, pseudoref, smells, sts
// and score; flags, files and printing may not come in here.
package crscore

// Version is the engine's version. It is the first word of every signature, and
// rises whenever a number may come out differently.
const Version = "0.1.0"
