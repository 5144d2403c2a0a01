package agreement

import (
	"fmt"
	"math"
)

// The p-values here are two-sided and those of scipy.stats (spearmanr, pearsonr,
// kendalltau with method "auto"): the probability of a correlation at least as
// far from 0 if the two variables were unrelated and the observations
// independent. Several reviews of one change are not quite independent, so that
// these p-values are on the small side; the intervals of Bootstrap draw whole
// changes.

// SpearmanP returns the p-value of Spearman's ρ over n observations, from the t
// distribution with n-2 degrees of freedom. It is 0 for ρ = ±1, as in scipy.
// Below three observations it is undefined: ErrTooFew.
func SpearmanP(rho float64, n int) (float64, error) {
	if n < 3 {
		return 0, fmt.Errorf("the p-value of Spearman is undefined: %w: %d", ErrTooFew, n)
	}
	return correlationP(rho, n)
}

// PearsonP returns the p-value of Pearson's r over n observations, which assumes
// normal variables. Two observations always lie on a line: their p-value is 1.
// Below that it is undefined: ErrTooFew.
func PearsonP(r float64, n int) (float64, error) {
	switch {
	case n < 2:
		return 0, fmt.Errorf("the p-value of Pearson is undefined: %w: %d", ErrTooFew, n)
	case n == 2:
		return 1, nil
	}
	return correlationP(r, n)
}

// correlationP is the p-value of a Pearson correlation: r² has a beta
// distribution with 1/2 and (n-2)/2, which is to say that r√(n-2)/√(1-r²) has a
// t distribution.
func correlationP(r float64, n int) (float64, error) {
	if !(r >= -1 && r <= 1) {
		return 0, fmt.Errorf("the p-value of a correlation is undefined: %g is not between -1 and 1", r)
	}
	return incompleteBeta(float64(n-2)/2, 0.5, (1-r)*(1+r), r*r), nil
}

// kendallP is the p-value of a defined τ-b of pairs that weigh one each. As in scipy it is exact
// without ties and up to 33 observations (or with at most one pair out of order), else from the
// normal distribution with the variance that takes ties into account.
func (p *pairs) kendallP() float64 {
	s := p.scratch()
	p.correlate(nil, s) // fills s
	difference, n := p.concordance(s), int64(len(p.cluster))
	all := n * (n - 1) / 2
	if p.x.levels == len(p.cluster) && p.y.levels == len(p.cluster) {
		discordant := (all - difference) / 2
		if fewer := min(discordant, all-discordant); n <= 33 || fewer <= 1 {
			return kendallExact(int(n), int(fewer))
		}
	}
	ties := func(levels []int64) (pairs, triples, spread float64) {
		for _, level := range levels {
			c := float64(level)
			pairs += c * (c - 1) / 2
			triples += c * (c - 1) * (c - 2)
			spread += c * (c - 1) * (2*c + 5)
		}
		return pairs, triples, spread
	}
	xt, x0, x1 := ties(s.xs)
	yt, y0, y1 := ties(s.ys)
	f := float64(n)
	m := f * (f - 1)
	variance := (m*(2*f+5)-x1-y1)/18 + 2*xt*yt/m + x0*y0/(9*m*(f-2))
	return math.Erfc(math.Abs(float64(difference)) / math.Sqrt(variance) / math.Sqrt2)
}

// kendallExact returns the probability that a random order of n has at most c
// inversions, or as many from the other end, c being at most half of all pairs.
func kendallExact(n, c int) float64 {
	if n > 33 { // c is 0 or 1
		return 2 / math.Gamma(float64(n+1-c))
	}
	// share[k] is the share of the orders of j elements that have k inversions: a
	// new element goes before 0 to j-1 of the others with equal chance.
	share, next := make([]float64, c+1), make([]float64, c+1)
	share[0] = 1
	for j := 2; j <= n; j++ {
		for k := range next {
			next[k] = 0
			for i := 0; i <= min(k, j-1); i++ {
				next[k] += share[k-i]
			}
			next[k] /= float64(j)
		}
		share, next = next, share
	}
	sum := 0.0
	for _, v := range share {
		sum += v
	}
	return min(1, 2*sum)
}

// incompleteBeta returns the regularised incomplete beta function I_x(a, b) for
// positive a and b and x in [0,1], by Lentz's method for its continued fraction
// (DLMF 8.17.22), which converges in about √max(a, b) steps on the side of x that
// it is used on. y is 1-x, which the caller knows with more digits.
func incompleteBeta(a, b, x, y float64) float64 {
	switch {
	case x <= 0:
		return 0
	case y <= 0:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - incompleteBeta(b, a, y, x)
	}
	logGamma := func(v float64) float64 { l, _ := math.Lgamma(v); return l }
	front := math.Exp(a*math.Log(x)+b*math.Log(y)+logGamma(a+b)-logGamma(a)-logGamma(b)) / a
	const tiny, steps = 1e-300, 1_000_000
	notZero := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/notZero(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < steps; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/notZero(1+even*d), notZero(1+even/c)
		f *= c * d
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/notZero(1+odd*d), notZero(1+odd/c)
		f *= c * d
		if math.Abs(c*d-1) < 1e-16 {
			break
		}
	}
	return front * f
}
