package sts

import "context"

// progress counts the bytes that reading a text looks at, and ends it with its context. A reader
// hands text to what searches it by the methods of progress, so that the count is of all bytes that
// a search may see, and a test can hold that it is linear in the text.
type progress struct {
	ctx     context.Context
	looked  int
	checked int // what was looked at when the context was last asked
	err     error
}

// checkEvery is how many bytes are looked at between two looks at the context.
const checkEvery = 64 << 10

// look counts n bytes. It returns false when the reading is to end.
func (p *progress) look(n int) bool {
	if p.looked += n; p.err == nil && p.looked-p.checked >= checkEvery {
		p.checked, p.err = p.looked, p.ctx.Err()
	}
	return p.err == nil
}

// part is text[at:end] for a search that may look at all of it.
func (p *progress) part(text string, at, end int) string {
	p.look(end - at)
	return text[at:end]
}

// seen is how much of a text a search for the byte at found looked at; found < 0 for none.
func seen(found int, text []byte) int {
	if found < 0 {
		return len(text)
	}
	return found
}
