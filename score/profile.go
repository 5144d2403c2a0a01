package score

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Profile is a mode and a τ together with what they were measured with. A τ is
// a point on the scale of one encoder, similarity, pooling and splitter, and
// means nothing on another.
type Profile struct {
	Mode Mode    `json:"mode"`
	Tau  float64 `json:"tau"`
	// Similarity is the signature of the similarity, encoder and pooling
	// included, without the fields that may differ by a rounding error only:
	// backend and processor architecture. Splitter is the splitter's.
	Similarity string `json:"similarity"`
	Splitter   string `json:"splitter"`
	// Rule, Data, Claims and Smells say how τ was found; they bind nothing.
	Rule   string `json:"rule"`
	Data   string `json:"data"`
	Claims string `json:"claims"`
	Smells string `json:"smells"`
}

// ParseProfile reads a profile from JSON and checks its numbers.
func ParseProfile(b []byte) (Profile, error) {
	var p Profile
	if err := json.Unmarshal(b, &p); err != nil {
		return p, fmt.Errorf("reading the profile: %w", err)
	}
	if _, err := ParseMode(string(p.Mode)); err != nil {
		return p, fmt.Errorf("reading the profile: %w", err)
	}
	if err := CheckTau(p.Tau); err != nil {
		return p, fmt.Errorf("reading the profile: %w", err)
	}
	return p, nil
}

// Fits tells whether the profile was made with a similarity and a splitter of
// these signatures.
func (p Profile) Fits(similarity, splitter string) bool {
	return p.Similarity == Portable(similarity) && p.Splitter == splitter
}

// Portable leaves out of a signature the fields that may differ by a rounding
// error only: backend= and arch=.
func Portable(signature string) string {
	var keep []string
	for _, f := range strings.Fields(signature) {
		if !strings.HasPrefix(f, "backend=") && !strings.HasPrefix(f, "arch=") {
			keep = append(keep, f)
		}
	}
	return strings.Join(keep, " ")
}
