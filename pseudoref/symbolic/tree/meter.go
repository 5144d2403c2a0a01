package tree

import (
	"context"
	"errors"
)

// The work of making claims is counted, since some texts make it grow with the square of their size: a walk over the
// children of a node costs a unit a child, a text a unit a byte. A unit takes some hundred nanoseconds. Rewritten
// files take up to 34 units a byte, and 283 files of this repository's history 2.6 in the mean.
const (
	WorkPerByte = 100
	WorkPerPair = 1 << 19
	// lookEvery is the work between two looks at the context.
	lookEvery = 1 << 16
)

// Meter counts the work that is left for the trees of a file, or of two sides of it. Its methods are called from
// everywhere in the rules, which could do nothing about the end: it is a panic with spent, for Metered.
type Meter struct {
	ctx        context.Context
	left, look int
}

// NewMeter returns a meter with some work left, which also ends with a context.
func NewMeter(ctx context.Context, left int) *Meter { return &Meter{ctx: ctx, left: left, look: left} }

// Context is the context with which the meter ends.
func (m *Meter) Context() context.Context { return m.ctx }

// Left is the work that is left, at least 0.
func (m *Meter) Left() int { return max(m.left, 0) }

// spent is what a meter panics with.
type spent struct{ err error }

// ErrWork says that there is no work left.
var ErrWork = errors.New("too much work")

// Spend takes off work. It panics, for Metered, where none is left.
func (m *Meter) Spend(n int) {
	if m.left -= n; m.left >= m.look {
		return
	}
	err := m.ctx.Err()
	if m.left < 0 {
		err = ErrWork
	}
	if err != nil {
		panic(spent{err})
	}
	m.look = max(m.left-lookEvery, 0)
}

// Metered does something with a meter. The error is ErrWork or the context's own.
func Metered(do func()) (err error) {
	defer func() {
		r := recover()
		if s, ok := r.(spent); ok {
			err = s.err
		} else if r != nil {
			panic(r)
		}
	}()
	do()
	return nil
}
