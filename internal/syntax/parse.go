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

	"crscore/internal/limits"
)

// The limits of the parse of a text. They are counted, not timed, so that they are
// the same on every machine. A byte of usual code costs 20 to 100 units of work, a byte
// of a small header of C++ up to 540, and a unit some five nanoseconds.
const (
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

// watched is the key of Watch.
type watched struct{}

// Watch returns a context that tells f the size of every text that is parsed with it: that each is
// parsed once can be seen so.
func Watch(ctx context.Context, f func(bytes int)) context.Context {
	return context.WithValue(ctx, watched{}, f)
}

// most is the work that the parse of a text may do.
func (e *effort) most(text []byte) int {
	return max(0, min(e.work, workPerText+workPerByte*len(text)))
}

// nodesOf parses texts within some effort, which it takes off: none, one, or both sides of a
// file. The error is ctx's own, or an errUnread.
func nodesOf(ctx context.Context, t *Table, texts [][]byte, left *effort) ([][]C.Listed, error) {
	if watch, ok := ctx.Value(watched{}).(func(int)); ok {
		for _, text := range texts {
			watch(len(text))
		}
	}
	var out [][]C.Listed
	for len(out) < len(texts) {
		p, err := begin(ctx, t.loaded(), texts[len(out)], left)
		if err != nil {
			return nil, err
		}
		nodes, err := p.first(left)
		if out = append(out, nodes); err == nil && len(out) == 1 && len(texts) == 2 && t.apart == "" {
			if nodes = p.again(nodes, [2][]byte(texts), left); nodes != nil {
				out = append(out, nodes)
			}
		}
		p.end()
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cParse is a parser in C. It keeps some memory for the next text.
type cParse struct{ c *C.Parse }

// idle has the parsers that wait for a text.
var idle = sync.Pool{New: func() any {
	p := &cParse{C.parse_new()}
	if p.c != nil {
		runtime.AddCleanup(p, func(c *C.Parse) { C.parse_free(c) }, p.c)
	}
	return p
}}

// parse is a parse of a text, and perhaps of another after it.
type parse struct {
	*cParse
	ctx   context.Context
	texts runtime.Pinner
	stop  func() bool
	asked sync.WaitGroup
}

// begin begins the parse of a text within some effort. The error is ctx's own, or an errUnread.
func begin(ctx context.Context, g *grammar, text []byte, left *effort) (*parse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g.language == nil {
		return nil, errors.New("the grammar has another form than this program knows")
	}
	p := &parse{cParse: idle.Get().(*cParse), ctx: ctx}
	if p.c == nil {
		return nil, errCostly
	}
	at, size := p.pinned(text)
	C.parse_begin(p.c, g.language, at, size, C.uint64_t(left.most(text)), C.int64_t(left.time))
	p.asked.Add(1)
	p.stop = context.AfterFunc(ctx, func() {
		defer p.asked.Done()
		C.parse_cancel(p.c)
	})
	return p, nil
}

// pinned keeps a text in its place until the end of the parse.
func (p *parse) pinned(text []byte) (at *C.char, size C.uint32_t) {
	size = C.uint32_t(len(text))
	text = append(text, 0) // so that there is a first byte
	p.texts.Pin(&text[0])
	return (*C.char)(unsafe.Pointer(&text[0])), size
}

// end drops the trees.
func (p *parse) end() {
	if !p.stop() {
		p.asked.Wait() // p must be there until then
	}
	C.parse_end(p.c)
	p.texts.Unpin()
	idle.Put(p.cParse)
}

// first parses the text with which the parse began.
func (p *parse) first(left *effort) ([]C.Listed, error) {
	var count C.uint32_t
	status := C.parse_run(p.c, &count)
	nodes, err := p.list(status, count, nil, nil)
	left.work -= int(C.parse_work(p.c))
	left.time -= time.Duration(C.parse_time(p.c))
	return nodes, err
}

// list returns the nodes of the text that was parsed with a status, after an edit or without
// one. The error is ctx's own, or an errUnread.
func (p *parse) list(status C.int, count C.uint32_t, old []C.Listed, edit *C.Edit) ([]C.Listed, error) {
	var nodes []C.Listed
	if status == C.PARSED {
		nodes = make([]C.Listed, count+1) // the list ends where there are no more
		status = C.parse_list(p.c, unsafe.SliceData(old), edit, &nodes[0], C.uint32_t(len(nodes)), limits.TreeDepth, &count)
	}
	switch status {
	case C.PARSED:
		return nodes[:count:count], nil
	case C.CANCELLED:
		return nil, p.ctx.Err()
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
