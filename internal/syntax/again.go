package syntax

// #include "bounded.h"
import "C"

import (
	"bytes"
	"time"
)

// The two sides of a file are mostly the same text, and tree-sitter can take what an edit
// left alone from the tree of the old side. The new side then costs as much as the edit. But
// its nodes must be those of a parse of its text alone, so the old tree serves only where
// both sides are free of errors: how a grammar recovers from an error depends on where it
// began to read.

// again parses the new side with the tree of the old one, whose nodes are given. It returns nil,
// and takes no work off the effort, where the nodes may not be those of a parse of the text
// alone, or where that would hardly be more work: the attempt may do no more than the old side's parse.
func (p *parse) again(old []C.Listed, texts [2][]byte, left *effort) []C.Listed {
	if bytes.Equal(texts[0], texts[1]) {
		return old
	}
	if old[0].wrong {
		return nil
	}
	edit := editOf(old, texts)
	if kept := len(texts[1]) - int(edit.new_end-edit.start); kept < len(texts[1])/2 {
		return nil
	}
	work, took := C.parse_work(p.c), C.parse_time(p.c)
	at, size := p.pinned(texts[1])
	var count C.uint32_t
	status := C.parse_again(p.c, at, size, &edit, min(work, C.uint64_t(left.most(texts[1]))), &count)
	nodes, err := p.list(status, count, old, &edit)
	left.time -= time.Duration(C.parse_time(p.c) - took)
	if err != nil || bool(nodes[0].wrong) {
		return nil
	}
	left.work -= int(C.parse_work(p.c) - work)
	return nodes
}

// editOf returns the edit that makes the new side of the old one, whose nodes are given. It is
// one stretch of whole lines, since scanners ask for columns, and it begins with the last
// token before the first of them that differs: that token, and the comments behind it, end
// what could go on with other tokens behind it. After "a + b", "*" makes another sum than "-".
func editOf(old []C.Listed, texts [2][]byte) C.Edit {
	a, b := texts[0], texts[1]
	most := min(len(a), len(b))
	n := commonPrefix(a, b)
	from := bytes.LastIndexByte(a[:n], '\n') + 1
	n = commonSuffix(a[len(a)-(most-from):], b[len(b)-(most-from):])
	if i := bytes.IndexByte(a[len(a)-n:], '\n'); i >= 0 {
		n -= i + 1
	} else {
		n = 0
	}
	ends := [2]int{len(a) - n, len(b) - n}
	start := lastToken(old, from)
	return C.Edit{
		start: start.start, old_end: C.uint32_t(ends[0]), new_end: C.uint32_t(ends[1]),
		start_point:   [2]C.uint32_t{start.row, start.column},
		old_end_point: pointAfter(start, a[start.start:ends[0]]),
		new_end_point: pointAfter(start, b[start.start:ends[1]]),
	}
}

// pointAfter returns the row and column of the end of a text that begins where a token does.
func pointAfter(n C.Listed, text []byte) [2]C.uint32_t {
	rows := bytes.Count(text, []byte("\n"))
	if rows == 0 {
		return [2]C.uint32_t{n.row, n.column + C.uint32_t(len(text))}
	}
	return [2]C.uint32_t{n.row + C.uint32_t(rows), C.uint32_t(len(text) - 1 - bytes.LastIndexByte(text, '\n'))}
}

// lastToken returns the place of the last token that begins before a byte, comments aside, or
// the start of the text.
func lastToken(nodes []C.Listed, before int) C.Listed {
	at, found := 0, true
	for found {
		found = false
		for c, next := at+1, int(nodes[at].next); c < next; c = int(nodes[c].next) {
			if n := &nodes[c]; int(n.start) < before && n.start < n.end && !bool(n.extra) {
				at, found = c, true
			}
		}
	}
	if at == 0 {
		return C.Listed{}
	}
	return nodes[at]
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
