package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"crscore/analyzers"
	"crscore/internal/config"
)

// toolFlags say where analyzers are found and how long they may take.
type toolFlags struct {
	paths   map[string]string
	modules []string
	timeout time.Duration

	used bool // an analyzer is asked for

	mu      sync.Mutex
	running []string          // the analyzers that were started, with the number of their files
	show    func(what string) // shows the analyzer that starts; nil where nobody watches
}

// started is called at the start of each analyzer.
func (f *toolFlags) started(tool string, files int) {
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
func (f *toolFlags) watch(s streams) (stop func()) {
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

func (f *toolFlags) add(cmd *cobra.Command) {
	f.addPlaces(cmd)
	cmd.Flags().DurationVar(&f.timeout, "tool-timeout", analyzers.DefaultTimeout, "longest `DURATION` of a run of an analyzer")
}

// addPlaces adds the flags that say where analyzers are.
func (f *toolFlags) addPlaces(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringToStringVar(&f.paths, "tool", nil, "run the program PATH for the analyzer NAME: `NAME=PATH`; may be repeated")
	fl.Lookup("tool").DefValue = "" // else the help names an empty list as the default
	fl.StringArrayVar(&f.modules, "node-modules", nil, "node_modules `FOLDER` with analyzers, searched after $PATH; programs in it are run, so never name the folder of the change")
}

var toolFlagNames = []string{"tool", "node-modules", "tool-timeout"}

// options are where the flags, and after them the settings, say that analyzers are;
// used reports whether any is asked for.
func (f *toolFlags) options(cmd *cobra.Command, settings config.Tools, used bool) (analyzers.Options, error) {
	used = used || f.used
	for _, name := range toolFlagNames {
		if cmd.Flags().Changed(name) && !used {
			if cmd.Flags().Lookup("check") != nil { // analyzers there are compilers too
				return analyzers.Options{}, fmt.Errorf("--%s is for --check and for analyzers: --smells names none, and --check is not given", name)
			}
			return analyzers.Options{}, fmt.Errorf("--%s is for analyzers, and --smells names none", name)
		}
	}
	if f.timeout <= 0 {
		return analyzers.Options{}, fmt.Errorf("--tool-timeout is %s, but must be greater than 0", f.timeout)
	}
	f.used = used
	o, err := f.places(settings)
	o.Started = f.started
	if o.Timeout == 0 || cmd.Flags().Changed("tool-timeout") {
		o.Timeout = f.timeout
	}
	return o, err
}

// places are where the flags of addPlaces, and after them the settings, say that
// analyzers are.
func (f *toolFlags) places(settings config.Tools) (analyzers.Options, error) {
	for _, name := range slices.Sorted(maps.Keys(f.paths)) {
		if _, ok := analyzers.Lookup(name); !ok {
			return analyzers.Options{}, fmt.Errorf("--tool: there is no analyzer %q", name)
		}
	}
	o := toolOptions(settings)
	maps.Copy(o.Paths, f.paths)
	o.NodeModules = append(slices.Clone(f.modules), o.NodeModules...)
	return o, nil
}
