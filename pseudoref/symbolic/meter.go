package symbolic

import (
	"context"
	"errors"
)

// The work of making claims is counted, since some texts make it grow with the square
// of their size: a walk over the children of a node costs a unit a child, a text a unit
// a byte. A unit takes some hundred nanoseconds. Rewritten files take up to 34 units a
// byte, and 283 files of this repository's history 2.6 in the mean.
const (
	workPerByte   = 100
	workPerPair   = 1 << 19
	maxChangeWork = 16 << 20
	// lookEvery is the work between two looks at the context.
	lookEvery = 1 << 16
)

// meter counts the work that is left for the trees of a file, or of two sides of it.
// Its methods are called from everywhere in the rules, which could do nothing about
// the end: it is a panic with spent, for metered.
type meter struct {
	ctx        context.Context
	left, look int
}

// spent is what a meter panics with.
type spent struct{ err error }

// errWork says that there is no work left.
var errWork = errors.New("too much work")

func (m *meter) spend(n int) {
	if m.left -= n; m.left < m.look {
		m.check()
	}
}

func (m *meter) check() {
	if m.left < 0 {
		panic(spent{errWork})
	}
	if err := m.ctx.Err(); err != nil {
		panic(spent{err})
	}
	m.look = max(m.left-lookEvery, 0)
}

// metered does something with a meter. The error is errWork or the context's own.
func metered(do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(spent)
			if !ok {
				panic(r)
			}
			err = s.err
		}
	}()
	do()
	return nil
}
