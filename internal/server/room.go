package server

import (
	"context"
	"sync/atomic"
)

// smallSize is the size in bytes of a small request or answer. Small ones have room of their
// own, so that large ones cannot take it all.
const smallSize = 64 << 10

// lanes are slots for requests. The slots of small requests are as many as those for all.
type lanes struct{ all, small chan struct{} }

func newLanes(n int) lanes { return lanes{make(chan struct{}, n), make(chan struct{}, n)} }

// own are the slots that are for requests of that size alone. nil is never ready.
func (l lanes) own(size int) chan struct{} {
	if size > smallSize {
		return nil
	}
	return l.small
}

// try takes a slot if one is free, and returns the channel to give it back to.
func (l lanes) try(size int) (<-chan struct{}, bool) {
	own := l.own(size)
	select {
	case own <- struct{}{}:
		return own, true
	case l.all <- struct{}{}:
		return l.all, true
	default:
		return nil, false
	}
}

// wait waits for a slot, and returns the channel to give it back to.
func (l lanes) wait(ctx context.Context, size int) (<-chan struct{}, error) {
	own := l.own(size)
	select {
	case own <- struct{}{}:
		return own, nil
	case l.all <- struct{}{}:
		return l.all, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// memory bounds the bytes that all requests hold together. The first bytes of each, as
// many as a small one has, do not count: the number of connections bounds them.
type memory struct {
	used atomic.Int64
	most int64
}

// take reports whether there is room for so many bytes. give returns them.
func (m *memory) take(size int) bool { return m.grow(0, size) }

// grow is take for what has so many bytes already.
func (m *memory) grow(from, to int) bool {
	more := counted(to) - counted(from)
	if m.used.Add(more) <= m.most || more == 0 {
		return true
	}
	m.used.Add(-more)
	return false
}

func (m *memory) give(size int) { m.used.Add(-counted(size)) }

func counted(size int) int64 { return int64(max(size-smallSize, 0)) }
