package cli

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"
)

// toolWatch shows which analyzers run.
type toolWatch struct {
	used bool // an analyzer is asked for

	mu      sync.Mutex
	running []string          // the analyzers that were started, with the number of their files
	show    func(what string) // shows the analyzer that starts; nil where nobody watches
}

// started is called at the start of each analyzer.
func (f *toolWatch) started(tool string, files int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = append(f.running, fmt.Sprintf("%s (files: %d)", tool, files))
	if f.show != nil {
		f.show(fmt.Sprintf("%s looks at files: %d", tool, files))
	}
}

// noticeAfter is how long analyzers may run before standard error says so where it is no
// terminal.
const noticeAfter = 3 * time.Second

// watch says which analyzers run, for they may take seconds, until stop is called: on a
// terminal at once and in one line that is cleared, elsewhere in one message after
// noticeAfter.
func (f *toolWatch) watch(s streams) (stop func()) {
	const clear = "\r\x1b[K"
	if !f.used {
		return func() {}
	}
	if !s.log.Shows() {
		timer := time.AfterFunc(noticeAfter, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			s.log.Note("waiting for analyzers: " + cmp.Or(strings.Join(f.running, ", "), "looking which are installed"))
		})
		return func() { timer.Stop() }
	}
	set := func(show func(string)) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.show = show
	}
	shown := false
	set(func(what string) {
		shown = true
		s.log.Raw(clear + what + "\r")
	})
	return func() {
		set(nil)
		if shown {
			s.log.Raw(clear)
		}
	}
}
