package main

import (
	"math"
	"math/rand/v2"
	"sync"
)

// model is a static sentence encoder: every token has a row and a weight, and a
// text is the weighted sum of its tokens' rows, scaled to length 1.
type model struct {
	dim  int
	rows []float32 // token by token, dim values each
	wts  []float32 // by token
	optimizer
	threads int
}

// optimizer is the state of lazy ("sparse") Adam: moments are kept for every
// parameter and move only when the token occurs in a batch.
type optimizer struct {
	rate         float32
	step         int
	rowM, rowV   []float32
	wtM, wtV     []float32
	corrM, corrV float32 // bias corrections of this step
}

const (
	adamBeta1 = 0.9
	adamBeta2 = 0.999
	adamEps   = 1e-8
)

// newModel draws the rows from a normal distribution with expected length 1, and
// starts the weights at idf. The rows of padding and unknown words are zero and
// are never trained, so that a text of unknown words has no direction.
func newModel(v *vocabulary, dim, threads int, rng *rand.Rand) *model {
	n := len(v.tokens)
	m := &model{dim: dim, rows: make([]float32, n*dim), wts: make([]float32, n), threads: threads}
	m.rowM, m.rowV = make([]float32, n*dim), make([]float32, n*dim)
	m.wtM, m.wtV = make([]float32, n), make([]float32, n)
	scale := 1 / math.Sqrt(float64(dim))
	for i := (unkID + 1) * dim; i < len(m.rows); i++ {
		m.rows[i] = float32(rng.NormFloat64() * scale)
	}
	copy(m.wts, v.idf)
	return m
}

func (m *model) row(token int32) []float32 {
	return m.rows[int(token)*m.dim : (int(token)+1)*m.dim]
}

// encode puts the vector of a text into out and returns its length before it was
// scaled to 1; 0 for a text without tokens, whose vector is zero.
func (m *model) encode(tokens []int32, out []float32) float32 {
	clear(out)
	for _, t := range tokens {
		axpy(m.wts[t], m.row(t), out)
	}
	norm := float32(math.Sqrt(float64(dot(out, out))))
	if norm == 0 {
		return 0
	}
	for k := range out {
		out[k] /= norm
	}
	return norm
}

// parallel calls f for ranges that together are 0 to n. What f computes for an
// index must not depend on the range, so that the number of threads changes no
// bit of the result.
func (m *model) parallel(n int, f func(from, to int)) {
	var wg sync.WaitGroup
	chunk := (n + m.threads - 1) / m.threads
	for from := 0; from < n; from += chunk {
		wg.Go(func() { f(from, min(n, from+chunk)) })
	}
	wg.Wait()
}

// batch is the working memory of training steps with the same number of pairs.
type batch struct {
	size   int
	vecs   [2][]float32 // vectors of the first and second texts
	grads  [2][]float32
	norms  [2][]float32
	sims   []float32 // size by size; then the gradient of the loss by similarity
	losses []float64
	counts []int32 // by token: first occurrence in places
	places []int32 // occurrences sorted by token: text number, second texts after first
	unique []int32 // the tokens that occur
}

func newBatch(m *model, size int) *batch {
	b := &batch{size: size, sims: make([]float32, size*size), losses: make([]float64, size), counts: make([]int32, len(m.wts)+1)}
	for side := range b.vecs {
		b.vecs[side] = make([]float32, size*m.dim)
		b.grads[side] = make([]float32, size*m.dim)
		b.norms[side] = make([]float32, size)
	}
	return b
}

// trainStep takes one step on pairs of texts and returns the mean loss: InfoNCE
// in both directions, the other pairs of the batch being the negatives.
//
// Every float is summed by one goroutine in one order, whatever the number of
// threads, so that a seed gives the same bytes everywhere.
func (m *model) trainStep(b *batch, pairs [2][][]int32, temperature float32) float64 {
	n, dim := b.size, m.dim
	m.parallel(n, func(from, to int) {
		for side := range pairs {
			for i := from; i < to; i++ {
				b.norms[side][i] = m.encode(pairs[side][i], b.vecs[side][i*dim:(i+1)*dim])
			}
		}
	})
	// sims becomes exp((similarity - 1) / temperature): a cosine is at most 1, so
	// this is at most 1 and cannot overflow.
	rowSum, colSum := make([]float64, n), make([]float64, n)
	m.parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			row := b.sims[i*n : (i+1)*n]
			products(b.vecs[0][i*dim:(i+1)*dim], b.vecs[1], row)
			own := float64(row[i]-1) / float64(temperature)
			for j, s := range row {
				row[j] = float32(math.Exp(float64((s - 1) / temperature)))
				rowSum[i] += float64(row[j])
			}
			b.losses[i] = math.Log(rowSum[i])/2 - own
		}
	})
	m.parallel(n, func(from, to int) {
		for i := range n {
			row := b.sims[i*n : (i+1)*n]
			for j := from; j < to; j++ {
				colSum[j] += float64(row[j])
			}
		}
	})
	var loss float64
	for i, l := range b.losses {
		loss += (l + math.Log(colSum[i])/2) / float64(n)
	}
	// The gradient of the loss by similarity is (softmax over the row + softmax
	// over the column - 2 on the diagonal) / (2 n temperature).
	scale := 1 / (2 * float32(n) * temperature)
	m.parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			row := b.sims[i*n : (i+1)*n]
			for j, e := range row {
				g := e * (float32(1/rowSum[i]) + float32(1/colSum[j]))
				if i == j {
					g -= 2
				}
				row[j] = g * scale
			}
		}
	})

	m.parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			combine(b.sims[i*n:], 1, n, b.vecs[1], b.grads[0][i*dim:(i+1)*dim])
			combine(b.sims[i:], n, n, b.vecs[0], b.grads[1][i*dim:(i+1)*dim])
			for side := range b.grads {
				// Through the scaling to length 1.
				g, v := b.grads[side][i*dim:(i+1)*dim], b.vecs[side][i*dim:(i+1)*dim]
				if b.norms[side][i] == 0 {
					clear(g)
					continue
				}
				axpy(-dot(g, v), v, g)
				for k := range g {
					g[k] /= b.norms[side][i]
				}
			}
		}
	})

	b.index(pairs)
	m.step++
	m.corrM = float32(1 / (1 - math.Pow(adamBeta1, float64(m.step))))
	m.corrV = float32(1 / (1 - math.Pow(adamBeta2, float64(m.step))))
	m.parallel(len(b.unique), func(from, to int) {
		sum := make([]float32, dim)
		for _, t := range b.unique[from:to] {
			clear(sum)
			for _, place := range b.places[b.counts[t]:b.counts[t+1]] {
				side, i := int(place)/n, int(place)%n
				axpy(1, b.grads[side][i*dim:(i+1)*dim], sum)
			}
			m.update(t, sum)
		}
	})
	return loss
}

// index sorts the occurrences of the pairs' tokens by token.
func (b *batch) index(pairs [2][][]int32) {
	clear(b.counts)
	total := 0
	for _, texts := range pairs {
		for _, tokens := range texts {
			for _, t := range tokens {
				b.counts[t+1]++
			}
			total += len(tokens)
		}
	}
	b.unique = b.unique[:0]
	for t := range len(b.counts) - 1 {
		if b.counts[t+1] > 0 && t > unkID {
			b.unique = append(b.unique, int32(t))
		}
		b.counts[t+1] += b.counts[t]
	}
	if cap(b.places) < total {
		b.places = make([]int32, total)
	}
	b.places = b.places[:total]
	for side, texts := range pairs {
		for i, tokens := range texts {
			for _, t := range tokens {
				b.places[b.counts[t]] = int32(side*b.size + i)
				b.counts[t]++
			}
		}
	}
	// Filling moved every start to its end, which is the next token's start.
	copy(b.counts[1:], b.counts[:len(b.counts)-1])
	b.counts[0] = 0
}

// update moves a token's row and weight, given the gradient of the loss by the
// weighted row.
func (m *model) update(t int32, grad []float32) {
	row, w := m.row(t), m.wts[t]
	wtGrad := dot(grad, row)
	at := int(t) * m.dim
	mom, vel := m.rowM[at:at+m.dim], m.rowV[at:at+m.dim]
	for k, g := range grad {
		row[k] -= m.adam(w*g, &mom[k], &vel[k])
	}
	m.wts[t] -= m.adam(wtGrad, &m.wtM[t], &m.wtV[t])
}

func (m *model) adam(g float32, mom, vel *float32) float32 {
	*mom = adamBeta1**mom + (1-adamBeta1)*g
	*vel = adamBeta2**vel + (1-adamBeta2)*g*g
	return m.rate * (*mom * m.corrM) / (float32(math.Sqrt(float64(*vel*m.corrV))) + adamEps)
}

// lanes is how many values of a row share a 32-bit number.
const lanes = 4

// pack multiplies the weights into the rows, rounds them to 8 bits a value, and packs lanes
// values of a row into a number: value k of quarter q of the row is byte 3-q of number k.
// The exported graph shifts a number left by 8q bits, which puts the value on top. The
// bytes below it are a fraction of less than one half, which the rounding takes into
// account. All rows share one step, which costs nothing to undo and makes equal errors in
// every word of a text.
func (m *model) pack() []int32 {
	for t := range m.wts {
		row := m.row(int32(t))
		for k := range row {
			row[k] *= m.wts[t]
		}
		m.wts[t] = 1
	}
	var most float32
	for _, x := range m.rows {
		most = max(most, x, -x)
	}
	steps := 0.0
	if most > 0 {
		steps = 126 / float64(most) // One less than fits, because fractions are added.
	}
	width := m.dim / lanes
	packed := make([]int32, len(m.rows)/lanes)
	for i := range packed {
		row, k := m.row(int32(i/width)), i%width
		for q := lanes - 1; q >= 0; q-- {
			shift := 8 * (lanes - 1 - q)
			at := q*width + k
			below := float64(packed[i]) / float64(int64(1)<<shift)
			packed[i] += int32(math.RoundToEven(float64(row[at])*steps-below)) << shift
			row[at] = float32(packed[i] << (8 * q))
		}
	}
	return packed
}

func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i := range a {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// axpy adds f*x to y.
func axpy(f float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += f * v
	}
}

// products puts the dot products of a with the rows of b, len(a) values each,
// into out, four rows at a time, so that every value of a is loaded once for
// four.
func products(a, b, out []float32) {
	d := len(a)
	for len(out) >= 4 {
		b0, b1, b2, b3 := b[:d], b[d:2*d], b[2*d:3*d], b[3*d:4*d]
		var s0, s1, s2, s3 float32
		for k, v := range a {
			s0 += v * b0[k]
			s1 += v * b1[k]
			s2 += v * b2[k]
			s3 += v * b3[k]
		}
		out[0], out[1], out[2], out[3] = s0, s1, s2, s3
		out, b = out[4:], b[4*d:]
	}
	for j := range out {
		out[j] = dot(a, b[j*d:(j+1)*d])
	}
}

// combine puts the sum of the n rows of b, times the n factors that stand stride
// apart, into out.
func combine(factors []float32, stride, n int, b, out []float32) {
	d := len(out)
	clear(out)
	j := 0
	for ; j+4 <= n; j += 4 {
		f0, f1, f2, f3 := factors[j*stride], factors[(j+1)*stride], factors[(j+2)*stride], factors[(j+3)*stride]
		rows := b[j*d : (j+4)*d]
		b0, b1, b2, b3 := rows[:d], rows[d:2*d], rows[2*d:3*d], rows[3*d:4*d]
		for k := range out {
			out[k] += f0*b0[k] + f1*b1[k] + f2*b2[k] + f3*b3[k]
		}
	}
	for ; j < n; j++ {
		axpy(factors[j*stride], b[j*d:(j+1)*d], out)
	}
}
