package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Profile is a mode and its parameters together with what they were measured with. A τ is
// a point on the scale of one encoder, similarity, pooling and splitter, and
// means nothing on another.
type Profile struct {
	Mode Mode    `json:"mode"`
	Tau  float64 `json:"tau"`
	// Low, Slope and Weights are the Rule's, the last as ParseWeights reads them.
	Low     float64 `json:"low,omitempty"`
	Slope   float64 `json:"slope,omitempty"`
	Weights string  `json:"weights,omitempty"`
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
	var in struct {
		Profile
		Tau *float64 `json:"tau"` // to tell 0 from none
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return Profile{}, fmt.Errorf("reading the profile: %w", err)
	}
	p := in.Profile
	if in.Tau != nil {
		p.Tau = *in.Tau
	} else if p.Mode.UsesTau() {
		return Profile{}, errors.New("reading the profile: there is no tau in it")
	}
	if _, err := p.Scoring(); err != nil {
		return Profile{}, fmt.Errorf("reading the profile: %w", err)
	}
	return p, nil
}

// Scoring returns the rule of the profile. The error is that of a profile that
// ParseProfile has not seen.
func (p Profile) Scoring() (Rule, error) {
	if err := CheckTau(p.Tau); err != nil { // also where the mode does not use it
		return Rule{}, err
	}
	weights, err := ParseWeights(p.Weights)
	if err != nil {
		return Rule{}, err
	}
	r := Rule{Mode: p.Mode, Tau: p.Tau, Low: p.Low, Slope: p.Slope, Weights: weights}
	if err := r.Check(); err != nil {
		return Rule{}, err
	}
	return r, nil
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
