package crscore

import (
	"fmt"
	"strings"
)

// Made says what similarities were made with: the whole signature but for the rule,
// which only says what is made of them. Each field is a part of it.
type Made struct {
	Version              string
	Similarity, Splitter string
	Claims, Smells       string
}

// String is the fields as the signature has them, in one line that ParseMade reads:
// the stem of a file of similarity matrices.
func (m Made) String() string { return m.stem() + " " + m.Sources() }

func (m Made) stem() string {
	return fmt.Sprintf("crscore/%s %s splitter=%s", m.Version, m.Similarity, m.Splitter)
}

// Sources names where the references come from, as RefSet.Signature does:
// "claims=… smells=…".
func (m Made) Sources() string { return fmt.Sprintf("claims=%s smells=%s", m.Claims, m.Smells) }

// ParseMade reads what String wrote.
func ParseMade(s string) (Made, error) {
	var m Made
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
		return Made{}, fmt.Errorf("%.300q does not say what similarities were made with: crscore/VERSION SIMILARITY splitter=… claims=… smells=…", s)
	}
	return m, nil
}
