package score

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Profile is a scoring rule with what it was measured with. A threshold holds for one
// encoder, similarity, pooling and splitter.
type Profile struct {
	// Mode is the scoring mode.
	Mode Mode `json:"mode"`
	// Tau is the threshold; 0 in modes without one.
	Tau float64 `json:"tau"`
	// Low is the lower threshold of ramp.
	Low float64 `json:"low,omitempty"`
	// Slope is the slope of calibrated.
	Slope float64 `json:"slope,omitempty"`
	// Comp is how Comp credits a reference; empty: CoverBest.
	Comp Coverage `json:"comp,omitempty"`
	// Weights are as ParseWeights reads them.
	Weights string `json:"weights,omitempty"`
	// Similarity is the signature of the similarity, with encoder and pooling, and without
	// backend and processor architecture, which change no more than the last digits.
	Similarity Signature `json:"similarity"`
	// Splitter is the signature of the sentence splitter.
	Splitter string `json:"splitter"`
	// Rule says how the numbers were found. It binds nothing, as Data, Claims and Smells.
	Rule string `json:"rule"`
	// Data is the file that they were found on, with its checksum.
	Data string `json:"data"`
	// Claims is the signature of the claims' sources.
	Claims string `json:"claims"`
	// Smells is the signature of the smells' sources.
	Smells string `json:"smells"`
}

// MarshalJSON writes what ParseProfile reads: ramp has its low, be it 0 or not.
func (p Profile) MarshalJSON() ([]byte, error) {
	type rest Profile
	out := struct {
		Mode Mode     `json:"mode"`
		Tau  float64  `json:"tau"`
		Low  *float64 `json:"low,omitempty"`
		rest
	}{p.Mode, p.Tau, nil, rest(p)}
	if p.Mode == Ramp || p.Low != 0 {
		out.Low = &p.Low
	}
	return json.Marshal(out)
}

// ParseProfile reads a profile from JSON and checks its numbers. An unknown
// field is an error: it may be misspelt.
func ParseProfile(b []byte) (Profile, error) {
	var in struct {
		Profile
		Tau *float64 `json:"tau"` // to tell 0 from none
		Low *float64 `json:"low"`
	}
	var typ *json.UnmarshalTypeError
	switch err := json.Unmarshal(b, &in); {
	case errors.As(err, &typ) && typ.Field == "":
		return Profile{}, fmt.Errorf("reading the profile: it is a JSON %s, not an object", typ.Value)
	case errors.As(err, &typ):
		return Profile{}, fmt.Errorf("reading the profile: %q: a JSON %s may not stand here", strings.TrimPrefix(typ.Field, "Profile."), typ.Value)
	case err != nil:
		return Profile{}, fmt.Errorf("reading the profile: this is not JSON: %w", err)
	}
	known := json.NewDecoder(bytes.NewReader(b))
	known.DisallowUnknownFields()
	if err := known.Decode(new(Profile)); err != nil {
		return Profile{}, fmt.Errorf("reading the profile: %s, which is none of its fields", strings.TrimPrefix(err.Error(), "json: unknown field "))
	}
	p := in.Profile
	for _, f := range []struct {
		name   string
		from   *float64
		to     *float64
		needed bool
	}{{"tau", in.Tau, &p.Tau, p.Mode.UsesTau()}, {"low", in.Low, &p.Low, p.Mode == Ramp}} {
		if f.from != nil {
			*f.to = *f.from
		} else if f.needed {
			return Profile{}, fmt.Errorf("reading the profile: there is no %s in it, which mode %s needs", f.name, p.Mode)
		}
	}
	if _, err := p.Scoring(); err != nil {
		return Profile{}, fmt.Errorf("reading the profile: %w", err)
	}
	return p, nil
}

// Scoring returns the scoring rule of the profile. It fails only for a profile that did not
// come from ParseProfile.
func (p Profile) Scoring() (Rule, error) {
	if err := CheckTau(p.Tau); err != nil { // also where the mode does not use it
		return Rule{}, err
	}
	weights, err := ParseWeights(p.Weights)
	if err != nil {
		return Rule{}, err
	}
	r := Rule{Mode: p.Mode, Tau: p.Tau, Low: p.Low, Slope: p.Slope, Weights: weights, Comp: p.Comp}
	if err := r.Check(); err != nil {
		return Rule{}, err
	}
	return r, nil
}

// ParseProfiles reads a list of profiles for one similarity and one splitter, each of
// another mode. There is at least one, and the first is the default.
func ParseProfiles(b []byte) ([]Profile, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("reading a list of profiles: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("reading a list of profiles: it is empty")
	}
	var out []Profile
	modes := make(map[Mode]bool)
	for i, one := range list {
		p, err := ParseProfile(one)
		switch {
		case err != nil:
		case modes[p.Mode]:
			err = fmt.Errorf("there are two of mode %s", p.Mode)
		case i > 0:
			if mismatch := out[0].Mismatch(p.Similarity, p.Splitter); mismatch != "" {
				err = fmt.Errorf("the first one was made with %s", mismatch)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("profile %d of a list: %w", i+1, err)
		}
		modes[p.Mode], out = true, append(out, p)
	}
	return out, nil
}

// Fits reports whether the profile was made with a similarity and a splitter of these signatures.
func (p Profile) Fits(similarity Signature, splitter string) bool {
	return p.Similarity.String() == similarity.Portable().String() && cooked(p.Splitter) == cooked(splitter)
}

// Mismatch says in words what the profile was made with that is not as here, such as
// "encoder A, not B; splitter C, not D". It is empty where the profile fits.
func (p Profile) Mismatch(similarity Signature, splitter string) string {
	if p.Fits(similarity, splitter) {
		return ""
	}
	if p.Similarity.String() == "" || p.Splitter == "" {
		return "a similarity and splitter that it does not name"
	}
	named := func(s Signature, splitter string) Signature {
		s = append(s.Portable(), Field{Name: "splitter", Value: cooked(splitter)})
		slices.SortStableFunc(s, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
		return s
	}
	var what []string
	for _, d := range named(p.Similarity, p.Splitter).Differences(named(similarity, splitter)) {
		if d.A == "" {
			d.Name, d.A = "no", d.Name
		}
		what = append(what, fmt.Sprintf("%s %s, not %s", d.Name, d.A, cmp.Or(d.B, "none")))
	}
	if len(what) == 0 { // the same fields in another order
		what = []string{fmt.Sprintf("%s, not %s", p.Similarity, similarity.Portable())}
	}
	return strings.Join(what, "; ")
}
