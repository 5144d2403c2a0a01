package crscore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/internal/findings"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts/builtin"
)

// defaultProfiles are those of the built-in encoder, the default mode's first.
func defaultProfiles() ([]score.Profile, error) { return score.ParseProfiles(builtin.Profiles()) }

// rule is the scoring rule that the options ask for, with similarities and a splitter
// of these signatures. What they leave open is that of the default profiles, where
// those fit: thresholds are points on the scale of what they were measured with.
func (o *Options) rule(defaults []score.Profile, similarity, splitter string) (score.Rule, error) {
	if o.Profile != nil {
		return o.profiled(similarity, splitter)
	}
	mode := cmp.Or(o.Mode, defaults[0].Mode)
	if _, err := score.ParseMode(string(mode)); err != nil {
		return score.Rule{}, err
	}
	std, misfit, err := standard(defaults, mode, similarity, splitter)
	if err != nil {
		return score.Rule{}, err
	}
	return o.completed(mode, std, misfit)
}

// standard is the rule of the default profile for a mode, nil where there is none that
// fits; misfit says why the one that there is does not.
func standard(defaults []score.Profile, mode score.Mode, similarity, splitter string) (std *score.Rule, misfit string, err error) {
	for _, p := range defaults {
		if p.Mode != mode {
			continue
		}
		if misfit = p.Misfit(similarity, splitter); misfit != "" {
			continue
		}
		r, err := p.Scoring()
		if err != nil {
			return nil, "", err
		}
		std = &r
	}
	return std, misfit, nil
}

// completed is the rule of a mode with the parameters that are given; the others are
// those of std, where there is one.
func (o *Options) completed(mode score.Mode, std *score.Rule, misfit string) (score.Rule, error) {
	r := score.Rule{Mode: mode, Weights: o.Weights}
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
		if o.Mode == "" && r.Mode != score.Hard {
			err = fmt.Errorf("%w, or choose mode %s", err, score.Hard)
		}
		if misfit != "" {
			err = fmt.Errorf("%w (the built-in one was made with %s)", err, misfit)
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

// profiled is the rule of the profile that was given. It comes as a whole: a τ of one
// measurement and the slope or the weights of another are nothing that was measured.
func (o *Options) profiled(similarity, splitter string) (score.Rule, error) {
	var beside []string
	if o.Mode != "" {
		beside = append(beside, "mode")
	}
	for _, p := range o.parameters() {
		if p.given != nil {
			beside = append(beside, p.name)
		}
	}
	if o.Weights != nil {
		beside = append(beside, "weights")
	}
	if len(beside) > 0 {
		return score.Rule{}, fmt.Errorf("a profile says all of the rule: leave out %s, or the profile", strings.Join(beside, " and "))
	}
	r, err := o.Profile.Scoring()
	if err != nil {
		return score.Rule{}, fmt.Errorf("the profile: %w", err)
	}
	if misfit := o.Profile.Misfit(similarity, splitter); misfit != "" {
		return score.Rule{}, fmt.Errorf("the profile was made with %s", misfit)
	}
	return r, nil
}

// Under is the engine with another rule, which shares everything else with it and need
// not be closed. What is left open is that of the engine's rule where the mode is the
// same, else that of the default profile for the mode, with the weights that the engine
// was given. The error is that of New with such options.
func (e *Engine) Under(mode score.Mode, tau, low, slope *float64) (*Engine, error) {
	o, std, misfit := Options{Mode: mode, Tau: tau, Low: low, Slope: slope}, &e.rule, ""
	if mode = cmp.Or(mode, e.rule.Mode); mode != e.rule.Mode {
		if _, err := score.ParseMode(string(mode)); err != nil {
			return nil, err
		}
		defaults, err := defaultProfiles()
		if err != nil {
			return nil, err
		}
		if std, misfit, err = standard(defaults, mode, e.similarity.Signature(), e.splitter.Signature()); err != nil {
			return nil, err
		}
		o.Weights = e.weights
	}
	r, err := o.completed(mode, std, misfit)
	if err != nil {
		return nil, err
	}
	u := *e
	u.rule, u.closers = r, nil
	u.signature = u.signed(u.made.Sources())
	return &u, nil
}

// parameter is a number that some rules have.
type parameter struct {
	name  string
	mode  score.Mode // that alone has it; empty for all with thresholds
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

// otherSources are warnings where the profile's references came from elsewhere than
// those of this engine, which it may not suit as well.
func otherSources(p *score.Profile, m Made) (warnings []string) {
	if p == nil {
		return nil
	}
	for _, s := range []struct{ what, profile, here string }{{"claims", p.Claims, m.Claims}, {"smells", p.Smells, m.Smells}} {
		if s.profile != s.here {
			warnings = append(warnings, fmt.Sprintf("the profile was made with the %s of %s, and these are of %s: it may not suit them as well",
				s.what, cmp.Or(s.profile, "an unknown source"), s.here))
		}
	}
	return warnings
}

// otherWeights are warnings of weights for sources that this engine does not have: a
// name may be misspelt, and such a weight changes nothing.
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

// gives tells whether a source's references can have that name as theirs. Of a source
// that somebody else made it is not known.
func gives(s Source, name string) bool {
	switch s := s.(type) {
	case source, *toolSource:
	case *modelSource:
		if s.fallback != nil && gives(s.fallback, name) {
			return true
		}
	case installed:
		return slices.ContainsFunc(s, func(t *toolSource) bool { return gives(t, name) })
	case findingsSource:
		return name == "findings" || slices.ContainsFunc(s.list, func(f findings.Finding) bool { return f.Tool == name })
	default:
		return true
	}
	// A signature is the name and then, behind a sign, a version.
	version, ok := strings.CutPrefix(s.Signature(), name)
	next, _ := utf8.DecodeRuneInString(version)
	return ok && (version == "" || !unicode.IsLetter(next) && !unicode.IsDigit(next) && !strings.ContainsRune("-_.:", next))
}
