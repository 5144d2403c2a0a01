// Package crscore judges code-review comments without a reference review.
//
// An Engine makes pseudo-references from a code change: claims about what the change
// does, implications and code smells. It splits a review into sentences, compares each
// sentence with each reference, and reports Con, the share of sentences that are on
// topic, Comp, the share of references that are covered, and Rel, their harmonic mean.
// The method is CRScore (Naik et al. 2024, arXiv 2409.19801).
//
// Judge does all of this for one change, Stream for a dataset. The steps are methods,
// too: Refs makes the references, Match the matrix of similarities, Score the scores. A
// program can add its own Source of references.
//
// The stages are the packages change, pseudoref, smells, sts and score. This package
// connects them. It reads no flags and no files, and prints nothing.
package crscore

// Version is the engine's version, the first word of every signature. It rises with every
// change that may change a score.
const Version = "0.1.0"
