package score

import (
	"fmt"
	"math"
	"strconv"
)

// Mode names a rule that turns similarities into Con and Comp.
type Mode string

const (
	// Hard is the paper's rule: a sentence is on topic, and a reference is
	// covered, where the best similarity is strictly greater than τ.
	Hard Mode = "hard"
	// Soft uses no threshold: Con is the mean over sentences of the best
	// similarity, Comp the mean over references.
	Soft Mode = "soft"
	// Ramp has two thresholds: the credit is 0 up to the lower threshold, 1 from the upper
	// threshold τ, and linear between them. With equal thresholds it is Hard.
	Ramp Mode = "ramp"
	// Calibrated turns a best similarity into the probability that a person would say
	// "this sentence addresses this reference". Con and Comp are expected values.
	Calibrated Mode = "calibrated"
)

// ParseMode reads a flag's value.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Hard, Soft, Ramp, Calibrated:
		return m, nil
	}
	return "", fmt.Errorf("unknown mode %q: choose hard, soft, ramp or calibrated", s)
}

// UsesTau reports whether the mode depends on τ.
func (m Mode) UsesTau() bool { return m != Soft }

// Coverage says how the sentences of a review cover a reference together.
type Coverage string

const (
	// CoverBest takes the credit of the most similar sentence. The empty Coverage means the same.
	CoverBest Coverage = "best"
	// CoverNoisyOr takes each credit as the probability that this sentence covers the reference,
	// independent of the others: 1 - Π(1 - credit) over the sentences. It is for modes Soft and
	// Ramp.
	CoverNoisyOr Coverage = "noisy-or"
)

// ParseCoverage reads a flag's value.
func ParseCoverage(s string) (Coverage, error) {
	switch c := Coverage(s); c {
	case CoverBest, CoverNoisyOr:
		return c, nil
	}
	return "", fmt.Errorf("unknown comp %q: choose best or noisy-or", s)
}

// CanNoisyOr reports whether the mode can have CoverNoisyOr: its credits are degrees. Those of
// Hard are yes or no, and Calibrated is fitted to best similarities.
func (m Mode) CanNoisyOr() bool { return m == Soft || m == Ramp }

// Rule is a mode with its parameters.
type Rule struct {
	// Mode is the scoring mode.
	Mode Mode
	// Tau is the threshold, in [0,1]; modes without a threshold ignore it.
	Tau float64
	// Low is the lower threshold of Ramp, from 0 to Tau; 0 in other modes.
	Low float64
	// Slope belongs to Calibrated: how fast the log-odds rise with similarity. It is above 0,
	// and 0 in other modes.
	Slope float64
	// Weights are the weights of references in Comp; nil: all weigh 1.
	Weights Weights
	// Comp is how Comp credits a reference that several sentences speak of. Modes other than
	// Soft and Ramp have CoverBest only.
	Comp Coverage
}

// Check returns an error for an unknown mode, a parameter outside its range, or
// one that the mode does not have.
func (r Rule) Check() error {
	if _, err := ParseMode(string(r.Mode)); err != nil {
		return err
	}
	if r.Mode.UsesTau() {
		if err := CheckTau(r.Tau); err != nil {
			return err
		}
	}
	switch {
	case r.Mode != Ramp && r.Low != 0:
		return fmt.Errorf("mode %s has no lower threshold, but it is set to %v", r.Mode, r.Low)
	case r.Mode == Ramp && !(r.Low >= 0 && r.Low <= r.Tau): // so that NaN fails
		return fmt.Errorf("the lower threshold is %v, but must be a number from 0 to tau, which is %v", r.Low, r.Tau)
	case r.Mode != Calibrated && r.Slope != 0:
		return fmt.Errorf("mode %s has no slope, but it is set to %v", r.Mode, r.Slope)
	case r.Mode == Calibrated && !(r.Slope > 0 && r.Slope <= math.MaxFloat64):
		return fmt.Errorf("the slope is %v, but mode calibrated needs a finite one above 0", r.Slope)
	}
	if r.Comp != "" {
		if _, err := ParseCoverage(string(r.Comp)); err != nil {
			return err
		}
	}
	if r.NoisyOr() && !r.Mode.CanNoisyOr() {
		return fmt.Errorf("mode %s does not use comp noisy-or: leave it out or choose mode %s or %s", r.Mode, Soft, Ramp)
	}
	return r.Weights.Check()
}

// CheckTau returns an error unless tau is a number in [0,1].
func CheckTau(tau float64) error {
	if math.IsNaN(tau) || tau < 0 || tau > 1 {
		return fmt.Errorf("tau is %v, but must be a number from 0 to 1", tau)
	}
	return nil
}

// Signature names the rule: "mode=hard tau=0.3", "mode=ramp tau=0.6 low=0.2",
// "mode=calibrated tau=0.4 slope=10". Comp follows where it is CoverNoisyOr, and weights
// where they are not all 1: "mode=soft comp=noisy-or weights=smell=0.5".
func (r Rule) Signature() string { return r.Fields().String() }

// Fields are the parts of the signature.
func (r Rule) Fields() Signature {
	s := Signature{{Name: "mode", Value: string(r.Mode)}}
	add := func(name, value string) { s = append(s, Field{Name: name, Value: value}) }
	if r.Mode.UsesTau() {
		add("tau", number(r.Tau))
	}
	switch r.Mode {
	case Ramp:
		add("low", number(r.Low))
	case Calibrated:
		add("slope", number(r.Slope))
	}
	if r.NoisyOr() {
		add("comp", string(r.Comp))
	}
	if w := r.Weights.String(); w != "" {
		add("weights", w)
	}
	return s
}

// Parameters returns the parameters that the mode has; the others are nil.
func (r Rule) Parameters() (tau, low, slope *float64) {
	if r.Mode.UsesTau() {
		tau = &r.Tau
	}
	switch r.Mode {
	case Ramp:
		low = &r.Low
	case Calibrated:
		slope = &r.Slope
	}
	return tau, low, slope
}

func number(v float64) string {
	if v == 0 {
		v = 0 // not -0
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Credit is the credit of a best similarity, both in [0,1]. It never falls when the
// similarity rises.
func (r Rule) Credit(s float64) float64 { return r.credit(s) }

func (r *Rule) credit(s float64) float64 { // without a copy of the rule
	switch {
	case r.Mode == Soft:
		return s
	case r.Mode == Calibrated:
		return 1 / (1 + math.Exp(-r.Slope*(s-r.Tau)))
	case r.Mode == Ramp && r.Low < r.Tau:
		return min(max((s-r.Low)/(r.Tau-r.Low), 0), 1)
	case above(s, r.Tau):
		return 1
	}
	return 0
}

// NoisyOr reports whether Comp is CoverNoisyOr.
func (r Rule) NoisyOr() bool { return r.Comp == CoverNoisyOr }

// Cover is the credit of a reference by CoverNoisyOr. column has its similarities to the
// sentences of the review in their order, all in [0,1], and 0 for Repeated ones. The credit is
// at least the credit of the best sentence, and equal to it for one sentence.
//
// 1 - Π(1 - c) is added up as u + c·(1 - u), so that small credits keep their digits. Every
// step is rounded to float64: a fused operation would change the last digit on some processors.
func (r Rule) Cover(column []float32) float64 {
	u := 0.0
	for _, s := range column {
		c := r.credit(float64(s))
		more := float64(c * (1 - u))
		u = min(max(u+more, c), 1)
	}
	return u
}

// above compares as float32, which similarities are: 0.3 as such is greater than
// 0.3 as float64.
func above(similarity, tau float64) bool { return float32(similarity) > float32(tau) }
