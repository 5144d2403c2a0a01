package crscore

import (
	"fmt"
	"slices"

	"crscore/score"
)

// Sources names the sources of references: their signatures, joined by commas, or "none".
type Sources struct{ Claims, Smells string }

// Fields are the sources as parts of a signature.
func (s Sources) Fields() score.Signature {
	return score.Signature{{Name: "claims", Value: s.Claims}, {Name: "smells", Value: s.Smells}}
}

// String returns "claims=… smells=…".
func (s Sources) String() string { return s.Fields().String() }

// Provenance is everything that shapes the similarities: the signature without the scoring rule.
type Provenance struct {
	// Version is the engine's Version.
	Version string
	// Similarity and Splitter are the signatures of these parts.
	Similarity score.Signature
	Splitter   string
	Sources
}

// signed are the fields, with those of a rule before the sources.
func (m Provenance) signed(rule score.Signature) score.Signature {
	version, splitter := score.Field{Name: "crscore", Value: m.Version}, score.Field{Name: "splitter", Value: m.Splitter}
	return slices.Concat(score.Signature{version}, m.Similarity, score.Signature{splitter}, rule, m.Sources.Fields())
}

// String returns the fields in one line, as a file of matrices has them.
func (m Provenance) String() string { return m.signed(nil).String() }

// ParseProvenance reads the text of String.
func ParseProvenance(text string) (Provenance, error) {
	s := score.ReadSignature(text)
	m := Provenance{Version: s.Get("crscore"), Splitter: s.Get("splitter"), Sources: Sources{s.Get("claims"), s.Get("smells")}}
	if n := len(s) - 3; n > 1 {
		m.Similarity = s[1:n]
	}
	if m.Version == "" || m.Similarity == nil || m.Splitter == "" || m.Claims == "" || m.Smells == "" || m.String() != text {
		return Provenance{}, fmt.Errorf("%.300q is not the provenance of similarities: want crscore/VERSION SIMILARITY splitter=… claims=… smells=…", text)
	}
	return m, nil
}
