package pseudoref

import (
	"fmt"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
)

// Panic is the error of a source that panicked. Its message is one line, to be the reason
// of an unscored review.
type Panic struct {
	// Value is the value of the panic.
	Value any
	// Place is the file and line of the panic.
	Place string
	// Stack is the stack trace, for a log.
	Stack []byte
}

// Recovered returns the error for a value that recover returned. The deferred function
// must call it directly.
func Recovered(value any) *Panic {
	p := &Panic{Value: value, Stack: debug.Stack()}
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicked := false
	for f, more := frames.Next(); ; f, more = frames.Next() {
		own := strings.HasPrefix(f.Function, "runtime.")
		if panicked = panicked || f.Function == "runtime.gopanic"; panicked && !own {
			p.Place = fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
			return p
		}
		if !more {
			return p
		}
	}
}

// Error implements error. The message has the place of the panic.
func (p *Panic) Error() string {
	what := strings.Join(strings.Fields(fmt.Sprint(p.Value)), " ")
	return fmt.Sprintf("a bug in crscore, please report it with the change: %.200s (%s)", what, p.Place)
}
