// Package matrices keeps similarity matrices in a file, so that thresholds and
// modes can be tried on them without encoding a text or asking a model again.
// It knows bytes and values; datasets, engines, files' names and scores may not
// come in, and it imports nothing of ours.
//
// # Format
//
// A file is a header, one block a change and an end mark. Numbers are little
// endian. Every checksum is CRC-32C (Castagnoli).
//
//	header
//	  8 bytes   magic: 89 43 52 53 4d 0d 0a 1a ("\x89CRSM\r\n\x1a")
//	  uint32    version of the format: 1
//	  uint32    length of the stem in bytes
//	  …         stem: what the matrices were made with, in the words of the signature
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
// form, and "text" is n and then so many bytes:
//
//	text      id of the change
//	text      how its references were made, where that is not as the stem says
//	n, n      number of references, number of points
//	each      text kind, text source, byte necessity: 0 nobody judged, 1 necessary, 2 not
//	n         number of reviews
//	each      text id, text reason why it is unscored (empty for a scored one),
//	          n sentences, byte flags: 1 labels follow, 2 links follow;
//	          labels: float64 con, comp, rel;
//	          links: n and then so many n, the addressed points counted from 1, ascending
//
// The same values give the same bytes, and the same bytes the same values. A file
// without its end mark is unfinished: its blocks are good, [Continue] goes on
// behind them, and the [Reader] says [ErrTruncated] after the last one.
package matrices

import (
	"fmt"
	"math"
)

// Version is the version of the format that is written and read.
const Version = 1

// Limits of a file. What is beyond them is neither written nor read; the error
// names the limit.
const (
	// MaxTextBytes bounds each text: the stem, an id, a reason.
	MaxTextBytes = 1 << 20
	// MaxDescriptionBytes bounds a block without its values.
	MaxDescriptionBytes = 8 << 20
	// MaxValues bounds the similarities of a block: 128 MiB.
	MaxValues = 1 << 25
	// MaxRefs bounds the references of a block, and its points.
	MaxRefs = 1 << 16
	// MaxReviews bounds the reviews of a block.
	MaxReviews = 1 << 16
	// MaxSentences bounds the sentences of a review.
	MaxSentences = 1 << 20
)

// Block is a change: what its reviews were compared with, and the similarities.
type Block struct {
	// ID is the change's.
	ID string
	// Sources says how the references were made, where that is not as the stem
	// of the file says: a source that did not work as it was asked to.
	Sources string
	// Refs are the references that a score counts. Points are those that
	// annotators corrected and linked reviews to; no score counts them.
	Refs, Points []Ref
	Reviews      []Review
}

// Ref is a reference or a point, without its text.
type Ref struct {
	Kind, Source string
	Necessity    Necessity
}

// Necessity is what people said of a reference.
type Necessity uint8

// The judgements of a reference.
const (
	Unjudged Necessity = iota
	Necessary
	Unnecessary
)

// Human holds the labels that people gave a review.
type Human struct{ Con, Comp, Rel float64 }

// Review is a review beside the references of its change.
type Review struct {
	// ID names the system that wrote it.
	ID string
	// Unscored is the reason why the review has no score; empty where it has one.
	Unscored string
	// Human is nil where nobody labelled the review.
	Human *Human
	// Addressed lists the points that the review talks about, counted from 1 and
	// ascending; nil where nobody linked it, empty where it talks about none.
	Addressed []int
	Sentences int
	// Sim holds the similarities in [0,1], one row a sentence behind the other:
	// to each of the block's Refs, then to each of its Points.
	Sim []float32
}

// Rows returns the similarities of a review as two matrices that share its
// memory, to the references and to the points: refs[i][j] is that of sentence i
// and reference j.
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

// check returns an error for what may not stand in a file. Writer and reader
// both ask it.
func (b *Block) check() error {
	switch {
	case len(b.Refs) > MaxRefs:
		return beyond("references", len(b.Refs), MaxRefs)
	case len(b.Points) > MaxRefs:
		return beyond("points", len(b.Points), MaxRefs)
	case len(b.Reviews) > MaxReviews:
		return beyond("reviews", len(b.Reviews), MaxReviews)
	}
	for _, s := range []string{b.ID, b.Sources} {
		if len(s) > MaxTextBytes {
			return beyond("bytes in a text", len(s), MaxTextBytes)
		}
	}
	for _, side := range []struct {
		name string
		refs []Ref
	}{{"reference", b.Refs}, {"point", b.Points}} {
		for i, r := range side.refs {
			if n := max(len(r.Kind), len(r.Source)); n > MaxTextBytes {
				return fmt.Errorf("%s %d: %w", side.name, i+1, beyond("bytes in a text", n, MaxTextBytes))
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
		if values += len(r.Sim); values > MaxValues {
			return beyond("values", values, MaxValues)
		}
	}
	return nil
}

func (b *Block) checkReview(r *Review) error {
	if n := max(len(r.ID), len(r.Unscored)); n > MaxTextBytes {
		return beyond("bytes in a text", n, MaxTextBytes)
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
	if r.Sentences < 0 || r.Sentences > MaxSentences {
		return beyond("sentences", r.Sentences, MaxSentences)
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
