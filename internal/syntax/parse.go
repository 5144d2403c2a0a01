package syntax

// In a static program abort stands twice: here, which comes first and counts, and in the C library.

/*
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#cgo linux LDFLAGS: -Wl,--allow-multiple-definition
#include "bounded.h"
*/
import "C"

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// The limits of the parse of a text. They are counted, not timed, so that they are
// the same on every machine. A byte of usual code costs 20 to 100 units of work, a byte
// of a small header of C++ up to 540, and a unit some five nanoseconds.
const (
	// MaxDepth is how deep nodes may lie, so that a walk over a tree may recurse. Of
	// 9,509 files of programs and libraries ten are deeper than 200, and the deepest, a
	// generated table of strings that are added, is 946 deep.
	MaxDepth    = 1000
	workPerByte = 400
	workPerText = 16 << 20
)

// errUnread is a limit that a text without a tree is beyond.
type errUnread string

func (e errUnread) Error() string { return string(e) }

const (
	errSlow   = errUnread("too slow to be parsed")
	errCostly = errUnread("too much work to be parsed")
	errDeep   = errUnread("nested too deeply to be parsed")
	errBroken = errUnread("not to be parsed, for a bug in its grammar")
	errNoTree = errUnread("not to be parsed, for its grammar makes no tree of it")
)

// grammar is what tree-sitter knows of a language.
type grammar struct {
	language unsafe.Pointer
	kinds    []string // by symbol
	fields   []string // by number, of which 0 is none
}

// lazyGrammar is the grammar of a Table, loaded when it is first needed.
type lazyGrammar struct {
	once sync.Once
	grammar
}

func (t *Table) loaded() *grammar {
	l := &t.lazy
	l.once.Do(func() {
		g := t.grammar()
		l.language = C.parse_language(*(*unsafe.Pointer)(unsafe.Pointer(g))) // the only thing in a Language
		for i := range int(g.SymbolCount()) {
			l.kinds = append(l.kinds, g.SymbolName(sitter.Symbol(i)))
		}
		l.fields = []string{""}
		for i := 1; g.FieldName(i) != ""; i++ {
			l.fields = append(l.fields, g.FieldName(i))
		}
	})
	return &l.grammar
}

// effort is what is left for the parses of a change.
type effort struct {
	work int
	time time.Duration // of a processor, so that other programs do not count
}

// nodesOf parses a text within some effort, which it takes off. The error is ctx's own,
// or an errUnread.
func nodesOf(ctx context.Context, g *grammar, text []byte, left *effort) (nodes []C.Listed, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g.language == nil {
		return nil, errors.New("the grammar has another form than this program knows")
	}
	most := min(left.work, workPerText+workPerByte*len(text))
	text = append(text, 0) // so that there is a first byte
	var stays runtime.Pinner
	stays.Pin(&text[0])
	defer stays.Unpin()
	p := C.parse_new((*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)-1), C.uint64_t(max(most, 0)), C.int64_t(left.time))
	if p == nil {
		return nil, errCostly
	}
	var asked sync.WaitGroup
	asked.Add(1)
	stop := context.AfterFunc(ctx, func() {
		defer asked.Done()
		C.parse_cancel(p)
	})
	defer func() {
		left.work -= int(C.parse_work(p))
		left.time -= time.Duration(C.parse_time(p))
		if !stop() {
			asked.Wait() // p must be there until then
		}
		C.parse_free(p)
	}()
	var count C.uint32_t
	status := C.parse_run(p, g.language, &count)
	if status == C.PARSED {
		nodes = make([]C.Listed, count+1) // the list ends where there are no more
		status = C.parse_list(p, &nodes[0], C.uint32_t(len(nodes)), MaxDepth, &count)
	}
	switch status {
	case C.PARSED:
		return nodes[:count:count], nil
	case C.CANCELLED:
		return nil, ctx.Err()
	case C.TOO_SLOW:
		return nil, errSlow
	case C.TOO_COSTLY:
		return nil, errCostly
	case C.TOO_DEEP:
		return nil, errDeep
	case C.BROKEN:
		return nil, errBroken
	}
	return nil, errNoTree
}
