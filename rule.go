package crscore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts/builtin"
)

// defaultProfiles are the profiles of the built-in encoder, those of the default similarity
// and of these the default mode first.
func defaultProfiles() (all []score.Profile, err error) {
	for _, list := range [][]byte{builtin.Profiles(), builtin.HybridProfiles()} {
		profiles, err := score.ParseProfiles(list)
		if err != nil {
			return nil, err
		}
		all = append(all, profiles...)
	}
	return all, nil
}

// DefaultProfile is the profile that an engine with a similarity and a splitter of these
// signatures scores by when no option says otherwise. If none fits, it is the profile of the
// default engine.
func DefaultProfile(similarity score.Signature, splitter string) (score.Profile, error) {
	defaults, err := defaultProfiles()
	if err != nil {
		return score.Profile{}, err
	}
	for _, p := range defaults {
		if p.Fits(similarity, splitter) {
			return p, nil
		}
	}
	return defaults[0], nil
}

// rule is the scoring rule of the options, for a similarity and a splitter of those
// signatures. Values that are not given come from a default profile that was made with
// the same similarity and splitter: thresholds mean nothing on another scale.
func (o *Options) rule(defaults []score.Profile, similarity score.Signature, splitter string) (score.Rule, error) {
	if o.Profile != nil {
		return o.profileRule(similarity, splitter)
	}
	mode := cmp.Or(o.Mode, defaults[0].Mode)
	if _, err := score.ParseMode(string(mode)); err != nil {
		return score.Rule{}, err
	}
	std, mismatch, err := standardRule(defaults, mode, similarity, splitter)
	if err != nil {
		return score.Rule{}, err
	}
	return o.completedRule(mode, std, mismatch)
}

// standardRule is the rule of the default profile for a mode, nil if no profile fits;
// mismatch says why the nearest profile does not fit.
func standardRule(defaults []score.Profile, mode score.Mode, similarity score.Signature, splitter string) (std *score.Rule, mismatch string, err error) {
	for _, p := range defaults {
		if p.Mode != mode {
			continue
		}
		if m := p.Mismatch(similarity, splitter); m != "" {
			if mismatch == "" || len(m) < len(mismatch) {
				mismatch = m // the profile that differs least
			}
			continue
		}
		r, err := p.Scoring()
		if err != nil {
			return nil, "", err
		}
		return &r, "", nil
	}
	return nil, mismatch, nil
}

// completedRule is the rule of a mode with the given parameters. Other parameters are
// those of std, if there is one.
func (o *Options) completedRule(mode score.Mode, std *score.Rule, mismatch string) (score.Rule, error) {
	r := score.Rule{Mode: mode, Weights: o.Weights, Comp: o.Comp}
	if r.Comp == "" && std != nil {
		r.Comp = std.Comp
	}
	var missing []string
	for _, p := range o.parameters() {
		belongs := r.Mode.UsesTau() && (p.mode == "" || p.mode == r.Mode)
		switch {
		case p.given != nil && !belongs:
			return score.Rule{}, fmt.Errorf("mode %s does not use %s: leave it out or choose mode %s", r.Mode, p.name, cmp.Or(p.mode, score.Hard))
		case p.given != nil:
			*p.of(&r) = *p.given
		case belongs && std != nil:
			*p.of(&r) = *p.of(std)
		case belongs:
			missing = append(missing, p.name)
		}
	}
	if len(missing) > 0 {
		err := fmt.Errorf("mode %s has no default %s: give it, or a profile", r.Mode, strings.Join(missing, " and "))
		if o.Mode == "" && r.Mode != score.Soft {
			err = fmt.Errorf("%w, or choose mode %s", err, score.Soft)
		}
		if mismatch != "" {
			err = fmt.Errorf("%w (the built-in one was made with %s)", err, mismatch)
		}
		return score.Rule{}, err
	}
	if r.Weights == nil && std != nil {
		r.Weights = std.Weights
	}
	if r.Mode == score.Ramp && o.Low == nil && r.Tau >= 0 && r.Low > r.Tau {
		return score.Rule{}, fmt.Errorf("tau is %v and below the default low of mode ramp, which is %v: give low, too, or choose mode %s", r.Tau, r.Low, score.Hard)
	}
	return r, r.Check()
}

// profileRule is the rule of the given profile. The profile comes as a whole: nobody has
// measured the τ of one profile together with the slope or the weights of another.
func (o *Options) profileRule(similarity score.Signature, splitter string) (score.Rule, error) {
	var beside []string
	if o.Mode != "" {
		beside = append(beside, "mode")
	}
	for _, p := range o.parameters() {
		if p.given != nil {
			beside = append(beside, p.name)
		}
	}
	if o.Comp != "" {
		beside = append(beside, "comp")
	}
	if o.Weights != nil {
		beside = append(beside, "weights")
	}
	if len(beside) > 0 {
		return score.Rule{}, fmt.Errorf("a profile sets the whole rule: leave out %s, or the profile", strings.Join(beside, " and "))
	}
	r, err := o.Profile.Scoring()
	if err != nil {
		return score.Rule{}, fmt.Errorf("the profile: %w", err)
	}
	if mismatch := o.Profile.Mismatch(similarity, splitter); mismatch != "" {
		return score.Rule{}, fmt.Errorf("the profile was made with %s", mismatch)
	}
	return r, nil
}

// WithRule returns the engine with another rule. The two share everything else; only the
// first must be closed. Empty and nil values are those of the engine's rule if the mode is
// the same. For another mode they come from its default profile, and weights and comp from the
// engine's Options. Its errors are the errors of New with such options.
func (e *Engine) WithRule(mode score.Mode, comp score.Coverage, tau, low, slope *float64) (*Engine, error) {
	o, std, mismatch := Options{Mode: mode, Comp: comp, Tau: tau, Low: low, Slope: slope}, &e.rule, ""
	if mode = cmp.Or(mode, e.rule.Mode); mode != e.rule.Mode {
		if _, err := score.ParseMode(string(mode)); err != nil {
			return nil, err
		}
		defaults, err := defaultProfiles()
		if err != nil {
			return nil, err
		}
		if std, mismatch, err = standardRule(defaults, mode, e.provenance.Similarity, e.provenance.Splitter); err != nil {
			return nil, err
		}
		o.Weights = e.weights
		if o.Comp == "" && mode.CanNoisyOr() {
			o.Comp = e.comp
		}
	}
	r, err := o.completedRule(mode, std, mismatch)
	if err != nil {
		return nil, err
	}
	u := *e
	u.rule, u.closers = r, nil
	u.signature = u.Signed(u.provenance.Sources).String()
	return &u, nil
}

// parameter is a number of a scoring rule.
type parameter struct {
	name  string
	mode  score.Mode // the only mode that has it; empty for every mode with a threshold
	given *float64
	of    func(*score.Rule) *float64
}

func (o *Options) parameters() []parameter {
	return []parameter{
		{"tau", "", o.Tau, func(r *score.Rule) *float64 { return &r.Tau }},
		{"low", score.Ramp, o.Low, func(r *score.Rule) *float64 { return &r.Low }},
		{"slope", score.Calibrated, o.Slope, func(r *score.Rule) *float64 { return &r.Slope }},
	}
}

// otherSources warns of a profile that was made with references of other sources than
// the engine's.
func otherSources(p *score.Profile, m Provenance) (warnings []string) {
	if p == nil {
		return nil
	}
	for _, s := range []struct{ what, profile, here string }{{"claims", p.Claims, m.Claims}, {"smells", p.Smells, m.Smells}} {
		if s.profile != s.here {
			warnings = append(warnings, fmt.Sprintf("the profile was made with the %s of %s, and these are of %s: it may fit them less well",
				s.what, cmp.Or(s.profile, "an unknown source"), s.here))
		}
	}
	return warnings
}

// otherWeights warns of weights for sources that the engine does not have, such as a
// misspelt name: the weight has no effect.
func (e *Engine) otherWeights() (warnings []string) {
	for _, key := range slices.Sorted(maps.Keys(e.rule.Weights)) {
		kind, name, bySource := strings.Cut(key, "@")
		sources := e.claims
		if kind == string(pseudoref.Smell) {
			sources = e.smells
		}
		if !bySource || slices.ContainsFunc(sources, func(s Source) bool { return gives(s, name) }) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("the weight of %s changes nothing: no %s here has this source (they are of %s)",
			key, kind, orNone(signatures(sources), ",")))
	}
	return warnings
}
