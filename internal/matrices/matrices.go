// Package matrices writes and reads files of similarity matrices, so that other thresholds
// and modes need no encoder and no model. It knows nothing of engines, file names and scores, and
// has only the labels of people from datasets.
//
// # Format
//
// A file has a header, a block for each change and an end mark. Numbers are little endian.
// Every checksum is CRC-32C (Castagnoli).
//
//	header
//	  8 bytes   magic: 89 43 52 53 4d 0d 0a 1a ("\x89CRSM\r\n\x1a")
//	  uint32    version of the format: 1
//	  uint32    length of the stem in bytes
//	  …         stem: the part of the signature that the matrices depend on
//	  uint32    checksum of all of the header before it
//	block
//	  4 bytes   mark: "BLCK"
//	  uint32    number of the block, counted from 1
//	  uint32    D: length of the description in bytes
//	  uint32    V: number of values
//	  uint32    checksum of the 16 bytes before it
//	  D bytes   description
//	  V float32 values: of each review the rows, one a sentence; in a row the
//	            similarity to each reference, then to each point
//	  uint32    checksum of all of the block before it
//	end mark
//	  4 bytes   mark: "DONE"
//	  uint32    number of blocks
//	  8 bytes   0
//	  uint32    checksum of the 16 bytes before it
//
// In a description "n" is an unsigned varint (encoding/binary) of the shortest
// form, and "text" is n followed by n bytes:
//
//	text      id of the change
//	text      how its references were made, if not as the stem says
//	n, n      number of references, number of points
//	each      text kind, text source, byte necessity: 0 nobody judged, 1 necessary, 2 not
//	n         number of reviews
//	each      text id, text reason why it is unscored (empty for a scored one),
//	          n sentences, byte flags: 1 labels follow, 2 links follow;
//	          labels: float64 con, comp, rel;
//	          links: n and then n numbers, the addressed points counted from 1, ascending
//
// A point is a reference that annotators corrected and linked reviews to.
//
// The same values give the same bytes, and the same bytes the same values. A file without
// an end mark is unfinished: its blocks are good, [Continue] adds more, and the
// [Reader] returns [ErrTruncated] after the last block.
package matrices

import (
	"fmt"
	"math"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// Version is the version of the format.
const Version = 1

// Block is a change: its references, its reviews and their similarities.
type Block struct {
	// ID is the id of the change.
	ID string
	// Sources says how the references were made, if not as the stem of the file says:
	// a source may have used its fallback.
	Sources string
	// Refs are the references of the score. Points are the references that annotators
	// corrected and linked reviews to; they are no part of a score.
	Refs, Points []Ref
	Reviews      []Review // of the change
}

// Ref is a reference or a point, without its text.
type Ref struct {
	Kind, Source string    // as in pseudoref.Ref
	Necessity    Necessity // of a point
}

// Necessity is the judgement of people on a point.
type Necessity uint8

// The judgements of a point.
const (
	Unjudged    Necessity = iota // nobody judged it
	Necessary                    // a good review covers it
	Unnecessary                  // a good review need not cover it
)

// Review is a review with its similarities to the references of its change.
type Review struct {
	// ID names the system that wrote it.
	ID string
	// Unscored is the reason why the review has no score, or empty.
	Unscored string
	// Human is nil without human labels.
	Human *dataset.Human
	// Addressed lists the points that the review covers, counted from 1 and ascending. It
	// is nil if nobody linked the review, and empty if the review covers none.
	Addressed []int
	Sentences int // number of sentences
	// Sim holds the similarities in [0,1], row by row. The row of a sentence has the
	// similarities to the block's Refs, then to its Points.
	Sim []float32
}

// Rows returns the similarities of a review as two matrices: refs[i][j] is the similarity
// of sentence i to reference j, and points[i][j] to point j. They share memory with Sim.
func (b *Block) Rows(review int) (refs, points [][]float32) {
	r := &b.Reviews[review]
	refs, points = make([][]float32, r.Sentences), make([][]float32, r.Sentences)
	n, m := len(b.Refs), len(b.Points)
	for i := range r.Sentences {
		row := r.Sim[i*(n+m):][: n+m : n+m]
		refs[i], points[i] = row[:n:n], row[n:]
	}
	return refs, points
}

// check returns an error for a block that a file cannot hold. Writer and reader both call
// it.
func (b *Block) check() error {
	switch {
	case len(b.Refs) > limits.MatrixRefs:
		return beyond("references", len(b.Refs), limits.MatrixRefs)
	case len(b.Points) > limits.MatrixRefs:
		return beyond("points", len(b.Points), limits.MatrixRefs)
	case len(b.Reviews) > limits.MatrixReviews:
		return beyond("reviews", len(b.Reviews), limits.MatrixReviews)
	}
	for _, s := range []string{b.ID, b.Sources} {
		if len(s) > limits.MatrixText {
			return beyond("bytes in a text", len(s), limits.MatrixText)
		}
	}
	for _, side := range []struct {
		name string
		refs []Ref
	}{{"reference", b.Refs}, {"point", b.Points}} {
		for i, r := range side.refs {
			if n := max(len(r.Kind), len(r.Source)); n > limits.MatrixText {
				return fmt.Errorf("%s %d: %w", side.name, i+1, beyond("bytes in a text", n, limits.MatrixText))
			}
			if r.Necessity > Unnecessary {
				return fmt.Errorf("%s %d: the necessity is %d, not 0, 1 or 2", side.name, i+1, r.Necessity)
			}
		}
	}
	values := 0
	for i := range b.Reviews {
		r := &b.Reviews[i]
		if err := b.checkReview(r); err != nil {
			return fmt.Errorf("review %d (%.80q): %w", i+1, r.ID, err)
		}
		if values += len(r.Sim); values > limits.MatrixValues {
			return beyond("values", values, limits.MatrixValues)
		}
	}
	return nil
}

func (b *Block) checkReview(r *Review) error {
	if n := max(len(r.ID), len(r.Unscored)); n > limits.MatrixText {
		return beyond("bytes in a text", n, limits.MatrixText)
	}
	if h := r.Human; h != nil {
		for _, v := range []float64{h.Con, h.Comp, h.Rel} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("a label is %v, not a finite number", v)
			}
		}
	}
	last := 0
	for _, n := range r.Addressed {
		if n <= last || n > len(b.Points) {
			return fmt.Errorf("addressed points must ascend from 1 to %d, but %d follows %d", len(b.Points), n, last)
		}
		last = n
	}
	if r.Sentences < 0 || r.Sentences > limits.MatrixSentences {
		return beyond("sentences", r.Sentences, limits.MatrixSentences)
	}
	columns := len(b.Refs) + len(b.Points)
	if int64(len(r.Sim)) != int64(r.Sentences)*int64(columns) {
		return fmt.Errorf("%d values for %d sentences, %d references and %d points", len(r.Sim), r.Sentences, len(b.Refs), len(b.Points))
	}
	for i, v := range r.Sim {
		if v >= 0 && v <= 1 { // not for NaN
			continue
		}
		partner, n := "reference", i%columns+1
		if n > len(b.Refs) {
			partner, n = "point", n-len(b.Refs)
		}
		return fmt.Errorf("sentence %d, %s %d: the similarity is %v, not in [0,1]", i/columns+1, partner, n, v)
	}
	return nil
}

func beyond(what string, n, limit int) error {
	return fmt.Errorf("%d %s, more than the limit of %d", n, what, limit)
}
