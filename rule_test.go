package crscore

import (
	"strings"
	"testing"

	"crscore/score"
	"crscore/sts"
)

// fitted are default profiles as they might be: calibrated is the default mode.
func fitted(t *testing.T) []score.Profile {
	t.Helper()
	list, err := score.ParseProfiles([]byte(`[
		{"mode":"calibrated","tau":0.4,"slope":10,"weights":"smell=0.5","similarity":"similarity=a encoder=b","splitter":"s"},
		{"mode":"hard","tau":0.2,"similarity":"similarity=a encoder=b","splitter":"s"},
		{"mode":"ramp","tau":0.3,"low":0.1,"similarity":"similarity=a encoder=b","splitter":"s"}]`))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRule(t *testing.T) {
	profile := &score.Profile{Mode: score.Ramp, Tau: 0.5, Low: 0.25, Weights: "claim=2", Similarity: score.ReadSignature("similarity=z"), Splitter: "s"}
	for _, tt := range []struct {
		name       string
		opts       Options
		similarity string // empty: that of the defaults
		want       string // signature, or what the error says
	}{
		{"nothing", Options{}, "", "mode=calibrated tau=0.4 slope=10 weights=smell=0.5"},
		{"mode", Options{Mode: score.Hard}, "", "mode=hard tau=0.2"},
		{"ramp", Options{Mode: score.Ramp}, "", "mode=ramp tau=0.3 low=0.1"},
		{"other low", Options{Mode: score.Ramp, Low: ptr(0.0)}, "", "mode=ramp tau=0.3 low=0"},
		{"other tau", Options{Tau: ptr(0.6)}, "", "mode=calibrated tau=0.6 slope=10 weights=smell=0.5"},
		{"weights", Options{Weights: score.Weights{"claim": 2}}, "", "mode=calibrated tau=0.4 slope=10 weights=claim=2"},
		{"all weigh alike", Options{Weights: score.Weights{}}, "", "mode=calibrated tau=0.4 slope=10"},
		{"noisy-or", Options{Mode: score.Ramp, Comp: score.CoverNoisyOr}, "", "mode=ramp tau=0.3 low=0.1 comp=noisy-or"},
		{"noisy-or is no default elsewhere", Options{Mode: score.Soft, Comp: score.CoverNoisyOr}, "similarity=c", "mode=soft comp=noisy-or"},
		{"the best, said", Options{Mode: score.Hard, Comp: score.CoverBest}, "", "mode=hard tau=0.2"},
		{"soft has no profile and needs none", Options{Mode: score.Soft}, "", "mode=soft"},
		{"backend and processor do not count", Options{}, "similarity=a backend=go encoder=b arch=arm64", "mode=calibrated tau=0.4 slope=10 weights=smell=0.5"},

		{"elsewhere", Options{}, "similarity=a encoder=c", "mode calibrated has no default tau and slope: give it, or a profile, or choose mode soft (the built-in one was made with encoder b, not c)"},
		{"elsewhere, half", Options{Tau: ptr(0.5)}, "similarity=c", "mode calibrated has no default slope: give it, or a profile, or choose mode soft (the built-in one was made with encoder b, not none; similarity a, not c)"},
		{"elsewhere, whole", Options{Mode: score.Hard, Tau: ptr(0.5)}, "similarity=c", "mode=hard tau=0.5"},
		{"elsewhere, soft", Options{Mode: score.Soft}, "similarity=c", "mode=soft"},

		{"profile", Options{Profile: profile}, "similarity=z", "mode=ramp tau=0.5 low=0.25 weights=claim=2"},
		{"profile elsewhere", Options{Profile: profile}, "similarity=z pooling=p", "the profile was made with no pooling, not p"},
		{"profile for nothing", Options{Profile: &score.Profile{Mode: score.Soft}}, "similarity=z", "the profile was made with a similarity and splitter that it does not name"},
		{"profile and more", Options{Profile: profile, Mode: score.Ramp, Tau: ptr(0.5), Weights: score.Weights{}}, "similarity=z", "leave out mode and tau and weights, or the profile"},
		{"broken profile", Options{Profile: &score.Profile{Mode: "medium", Similarity: score.ReadSignature("similarity=z"), Splitter: "s"}}, "similarity=z", `the profile: unknown mode "medium"`},

		{"unknown mode", Options{Mode: "medium"}, "", `unknown mode "medium"`},
		{"noisy-or for hard", Options{Mode: score.Hard, Comp: score.CoverNoisyOr}, "", "mode hard does not use comp noisy-or: leave it out or choose mode soft or ramp"},
		{"noisy-or for calibrated", Options{Comp: score.CoverNoisyOr}, "", "mode calibrated does not use comp noisy-or"},
		{"unknown comp", Options{Mode: score.Soft, Comp: "most"}, "", `unknown comp "most"`},
		{"profile and comp", Options{Profile: profile, Comp: score.CoverBest}, "similarity=z", "leave out comp, or the profile"},
		{"slope for hard", Options{Mode: score.Hard, Slope: ptr(0.0)}, "", "mode hard does not use slope: leave it out or choose mode calibrated"},
		{"tau for soft", Options{Mode: score.Soft, Tau: ptr(0.0)}, "", "mode soft does not use tau: leave it out or choose mode hard"},
		{"default low above tau", Options{Mode: score.Ramp, Tau: ptr(0.05)}, "", "tau is 0.05 and below the default low of mode ramp, which is 0.1: give low, too, or choose mode hard"},
		{"low above tau", Options{Mode: score.Ramp, Tau: ptr(0.05), Low: ptr(0.1)}, "", "the lower threshold is 0.1"},
		{"tau below 0", Options{Mode: score.Ramp, Tau: ptr(-1.0)}, "", "tau is -1, but"},
		{"weights of nothing", Options{Weights: score.Weights{"smells": 1}}, "", `no kind "smells"`},
	} {
		if tt.similarity == "" {
			tt.similarity = "similarity=a encoder=b"
		}
		r, err := tt.opts.rule(fitted(t), score.ReadSignature(tt.similarity), "s")
		got := r.Signature()
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestNoisyOrProfile: a default profile that has noisy-or works as any other.
func TestNoisyOrProfile(t *testing.T) {
	list := fitted(t)
	list[0], list[2] = list[2], list[0]
	list[0].Comp = score.CoverNoisyOr
	for _, tt := range []struct {
		opts Options
		want string
	}{
		{Options{}, "mode=ramp tau=0.3 low=0.1 comp=noisy-or"},
		{Options{Tau: ptr(0.5)}, "mode=ramp tau=0.5 low=0.1 comp=noisy-or"},
		{Options{Comp: score.CoverBest}, "mode=ramp tau=0.3 low=0.1"},
		{Options{Mode: score.Hard}, "mode=hard tau=0.2"},
		{Options{Mode: score.Soft}, "mode=soft"},
		{Options{Mode: score.Calibrated}, "mode=calibrated tau=0.4 slope=10 weights=smell=0.5"},
	} {
		r, err := tt.opts.rule(list, score.ReadSignature("similarity=a encoder=b"), "s")
		if err != nil || r.Signature() != tt.want {
			t.Errorf("%+v: %s, %v, want %s", tt.opts, r.Signature(), err, tt.want)
		}
	}
}

// TestUnder: an engine can be asked to score by another rule, and its signature says so.
func TestUnder(t *testing.T) {
	ramp := newEngine(t, Options{Mode: score.Ramp, Comp: score.CoverBest, Tau: ptr(0.6), Low: ptr(0.4), Weights: score.Weights{"smell": 0.5}})
	all := newEngine(t, Options{Comp: score.CoverNoisyOr})
	words := newEngine(t, Options{Similarity: words{}, Profile: &score.Profile{
		Mode: score.Hard, Tau: 0.5, Weights: "claim=2", Similarity: score.ReadSignature("similarity=words"), Splitter: "markdown/3"}})
	for _, tt := range []struct {
		name            string
		engine          *Engine
		mode            score.Mode
		comp            score.Coverage
		tau, low, slope *float64
		want            string // in the signature, or what the error says
	}{
		{"nothing", ramp, "", "", nil, nil, nil, " mode=ramp tau=0.6 low=0.4 weights=smell=0.5 claims=symbolic"},
		{"tau", ramp, "", "", ptr(0.5), nil, nil, " mode=ramp tau=0.5 low=0.4 weights=smell=0.5 "},
		{"low, of the same mode", ramp, score.Ramp, "", nil, ptr(0.1), nil, " mode=ramp tau=0.6 low=0.1 "},
		{"another mode has its own default", ramp, score.Hard, "", nil, nil, nil, " mode=hard tau=0.16 weights=smell=0.5 "},
		{"soft", ramp, score.Soft, "", nil, nil, nil, " mode=soft weights=smell=0.5 "},
		{"tau for soft", ramp, score.Soft, "", ptr(0.5), nil, nil, "mode soft does not use tau: leave it out or choose mode hard"},
		{"slope for ramp", ramp, "", "", nil, nil, ptr(1.0), "mode ramp does not use slope: leave it out or choose mode calibrated"},
		{"tau below low", ramp, "", "", ptr(0.3), nil, nil, "tau is 0.3 and below the default low of mode ramp, which is 0.4"},
		{"no number", ramp, score.Hard, "", ptr(1.5), nil, nil, "tau is 1.5, but must be"},
		{"no mode", ramp, "medium", "", nil, nil, nil, `unknown mode "medium"`},
		{"a profile's weights are of its mode", words, "", "", ptr(0.25), nil, nil, " mode=hard tau=0.25 weights=claim=2 "},
		{"and of no other", words, score.Soft, "", nil, nil, nil, " mode=soft claims="},
		{"noisy-or", ramp, "", score.CoverNoisyOr, nil, nil, nil, " mode=ramp tau=0.6 low=0.4 comp=noisy-or weights=smell=0.5 "},
		{"noisy-or stays", all, "", "", ptr(0.5), nil, nil, " mode=ramp tau=0.5 low=0.04 comp=noisy-or claims="},
		{"in soft, too", all, score.Soft, "", nil, nil, nil, " mode=soft comp=noisy-or claims="},
		{"in no other mode", all, score.Hard, "", nil, nil, nil, " mode=hard tau=0.16 claims="},
		{"the best again", all, "", score.CoverBest, nil, nil, nil, " mode=ramp tau=0.7 low=0.04 claims="},
		{"noisy-or for hard", all, score.Hard, score.CoverNoisyOr, nil, nil, nil, "mode hard does not use comp noisy-or"},
		{"no default", words, score.Ramp, "", nil, nil, nil, "mode ramp has no default tau and low: give it, or a profile (the built-in one was made with"},
		{"half a default", words, score.Ramp, "", ptr(0.5), nil, nil, "mode ramp has no default low"},
	} {
		before := tt.engine.Signature()
		e, err := tt.engine.WithRule(tt.mode, tt.comp, tt.tau, tt.low, tt.slope)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = e.Signature()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if tt.engine.Signature() != before {
			t.Errorf("%s: the engine itself has another rule now", tt.name)
		}
	}
}

// TestDefaults: the engine without options takes mode and parameters of the first of
// the built-in profiles, and each of the others has its own.
func TestDefaults(t *testing.T) {
	list, err := defaultProfiles()
	if err != nil {
		t.Fatal(err)
	}
	if !list[0].Mode.UsesTau() {
		t.Errorf("the default mode %s does not depend on tau", list[0].Mode)
	}
	encoder, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { encoder.Close() })
	hybrid, err := sts.NewSimilarity(sts.SimilarityHybrid, encoder)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		opts := Options{}
		if p.Fits(score.Signature(hybrid.Signature()), p.Splitter) {
			opts.Similarity = hybrid
		}
		want, err := p.Scoring()
		if err != nil {
			t.Fatal(err)
		}
		modes := []score.Mode{p.Mode}
		if i == 0 {
			modes = append(modes, "")
		}
		for _, mode := range modes {
			opts.Mode = mode
			if got := newEngine(t, opts).Rule(); got.Signature() != want.Signature() {
				t.Errorf("mode %q: %s, want %s", mode, got.Signature(), want.Signature())
			}
		}
	}
}

// TestProfileOfOtherSources: claims and smells bind nothing, but a person is told.
func TestProfileOfOtherSources(t *testing.T) {
	p := score.Profile{Mode: score.Soft, Similarity: score.ReadSignature("similarity=words"), Splitter: "markdown/3", Claims: "data:m", Smells: "none"}
	opts := Options{Similarity: words{}, Claims: []Source{DataClaims("m")}, Smells: []Source{}, Profile: &p}
	if w := newEngine(t, opts).Warnings(); len(w) > 0 {
		t.Errorf("warnings without a reason: %q", w)
	}
	opts.Claims, p.Smells = []Source{DataClaims("n")}, ""
	w := newEngine(t, opts).Warnings()
	if len(w) != 2 || !strings.Contains(w[0], "claims of data:m, and these are of data:n") || !strings.Contains(w[1], "smells of an unknown source, and these are of none") {
		t.Errorf("warnings %q", w)
	}
}
