// Package limits is the table of what a text and the files of a model may cost in package sts, as
// crscore/internal/limits is for all others. docs/limits.md shows both.
package limits

// A text: a sentence, a reference, a comment, a diff.
const (
	TextBytes       = 64 << 10  // bytes that the encoder reads, far more than the longest sequence of tokens needs
	Tokens          = 512       // tokens that a model is given
	CachedBytes     = 1 << 10   // bytes of a text whose vector is remembered
	StemmedBytes    = 32        // bytes of a word that is stemmed; longer ones are hashes or encoded data
	Names           = 32        // names of a text that are compared
	CodeBytes       = 4 << 20   // bytes of a diff that are compared with a text
	CodeLine        = 16 << 10  // bytes of a line of a diff that are compared with a text
	NormalizedBytes = 1 << 20   // bytes of a normalized text; no model reads so much
	ReplacedBytes   = 256       // bytes that replace a character
	CommentBytes    = 16 << 10  // bytes of a comment that are read, without the parts that bots add
	CommentWhole    = 256 << 10 // bytes of a comment with the parts that bots add
	HunkBytes       = 256 << 10 // bytes of a hunk that are read
	ChangedBytes    = 8 << 10   // bytes of the changed lines of a hunk that the encoder gets
	ChangedLine     = 120       // bytes of each changed line that the encoder gets
)

// The files of a model.
const (
	ConfigBytes      = 1 << 20   // bytes of the settings
	TokenizerBytes   = 64 << 20  // bytes of the tokenizer
	ONNXBytes        = 2<<30 - 1 // bytes of a graph, as Protocol Buffers have it; weights beyond are external data
	ExternalTensors  = 1 << 20   // tensors in other files
	Nesting          = 64        // levels of messages, since the stack grows with them; a loop takes 3
	WireText         = 1 << 16   // bytes of a name in a file that may hold anything
	LexiconWords     = 1 << 20   // words of a lexicon
	PairWeight       = 1000      // size of the numbers of a pair model, so that no sum overflows
	Weights          = 1 << 44   // weights that raise what a graph may cost
	Nodes            = 1 << 16   // nodes; old exports of DeBERTa v2 have some 440 a layer, and up to 48 layers
	Rank             = 16        // dimensions of a tensor; transformers need 6
	FoldedNodes      = 1 << 22   // nodes that a backend evaluates again for each shape that is computed
	KeptValues       = 1 << 10   // values of a tensor that are kept: shapes, axes, places
	AttributeNumbers = 1 << 12   // numbers of an attribute
)
