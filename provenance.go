package crscore

import (
	"fmt"
	"strings"
)

// Provenance is the signature without the scoring rule: everything that shapes the
// similarities.
type Provenance struct {
	// Version is the engine's Version.
	Version string
	// Similarity and Splitter are the signatures of these parts.
	Similarity, Splitter string
	// Claims and Smells are the signatures of the sources, joined by commas, or "none".
	Claims, Smells string
}

// String returns the fields in one line, in the form of a signature. ParseProvenance
// reads it.
func (m Provenance) String() string { return m.stem() + " " + m.Sources() }

func (m Provenance) stem() string {
	return fmt.Sprintf("crscore/%s %s splitter=%s", m.Version, m.Similarity, m.Splitter)
}

// Sources names the sources of the references, in the form of RefSet.Signature:
// "claims=… smells=…".
func (m Provenance) Sources() string { return fmt.Sprintf("claims=%s smells=%s", m.Claims, m.Smells) }

// ParseProvenance reads the text of String.
func ParseProvenance(s string) (Provenance, error) {
	var m Provenance
	rest, ok := strings.CutPrefix(s, "crscore/")
	for _, part := range []struct {
		field *string
		next  string // what follows it
	}{{&m.Version, " "}, {&m.Similarity, " splitter="}, {&m.Splitter, " claims="}, {&m.Claims, " smells="}} {
		if ok {
			*part.field, rest, ok = strings.Cut(rest, part.next)
		}
	}
	if m.Smells = rest; !ok || m.Version == "" || m.Similarity == "" || m.Splitter == "" || m.Claims == "" || m.Smells == "" {
		return Provenance{}, fmt.Errorf("%.300q is not the provenance of similarities: want crscore/VERSION SIMILARITY splitter=… claims=… smells=…", s)
	}
	return m, nil
}
