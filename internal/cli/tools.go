package cli

import (
	"fmt"
	"maps"
	"slices"
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

	mu   sync.Mutex
	show func(what string) // what is being done, for whoever watches; nil for nobody
}

func (f *toolFlags) started(tool string, files int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.show != nil {
		f.show(fmt.Sprintf("%s looks at files: %d", tool, files))
	}
}

// watch shows on a terminal what the tools are doing, for they may take seconds,
// until stop is called. What is printed next begins at the start of that line.
func (f *toolFlags) watch(s streams) (stop func()) {
	const clear = "\r\x1b[K"
	if !s.log.screen() {
		return func() {}
	}
	set := func(show func(string)) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.show = show
	}
	shown := false
	set(func(what string) {
		shown = true
		fmt.Fprint(s.log.w, clear+what+"\r")
	})
	return func() {
		set(nil)
		if shown {
			fmt.Fprint(s.log.w, clear)
		}
	}
}

func (f *toolFlags) add(cmd *cobra.Command) {
	f.addPlaces(cmd)
	cmd.Flags().DurationVar(&f.timeout, "tool-timeout", analyzers.DefaultTimeout, "deadline of each start of an analyzer")
}

// addPlaces adds the flags that say where analyzers are.
func (f *toolFlags) addPlaces(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringToStringVar(&f.paths, "tool", nil, "program of an analyzer, as `NAME=PATH`, instead of the one on PATH; may be repeated")
	fl.StringArrayVar(&f.modules, "node-modules", nil, "node_modules `FOLDER` in which analyzers are looked for after PATH; what is in it is run, so never that of the change")
}

var toolFlagNames = []string{"tool", "node-modules", "tool-timeout"}

// options are where the flags, and after them the settings, say that analyzers are;
// used tells whether any is asked for.
func (f *toolFlags) options(cmd *cobra.Command, settings config.Tools, used bool) (analyzers.Options, error) {
	for _, name := range toolFlagNames {
		if cmd.Flags().Changed(name) && !used {
			return analyzers.Options{}, fmt.Errorf("--%s is for analyzers, and --smells names none", name)
		}
	}
	if f.timeout <= 0 {
		return analyzers.Options{}, fmt.Errorf("--tool-timeout is %s, but must be greater than 0", f.timeout)
	}
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
