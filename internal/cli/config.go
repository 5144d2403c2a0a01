package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"crscore/analyzers"
	"crscore/internal/config"
	"crscore/pseudoref/symbolic"
	"crscore/smells"
)

// configFlags choose the configuration files.
type configFlags struct {
	file string
	none bool
	// given are settings that another process has read, in the place of the files.
	given *config.Config
}

func (f *configFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.file, "config", "", "`FILE` with your settings (default: $"+config.Env+", else crscore/config.yaml in your configuration folder)")
	fl.BoolVar(&f.none, "no-config", false, "ignore your settings and the "+config.ProjectFile+" of the work tree")
	cmd.MarkFlagsMutuallyExclusive("config", "no-config")
}

func (configFlags) names() []string { return []string{"config", "no-config"} }

// load reads the configuration, with the file of the work tree where project is set.
func (f *configFlags) load(cmd *cobra.Command, project bool) (config.Config, error) {
	if f.given != nil {
		return *f.given, nil
	}
	if err := notEmpty(cmd, "config"); err != nil || f.none {
		return config.Config{}, err
	}
	names := config.Names{Rules: []string{smells.AllRules}, ClaimRules: append([]string{symbolic.AllRules}, claimRules()...)}
	for _, r := range smells.Rules() {
		names.Rules = append(names.Rules, r.ID)
		if r.Unit != "" {
			names.Thresholds = append(names.Thresholds, r.ID)
		}
	}
	for _, t := range analyzers.All() {
		names.Tools = append(names.Tools, t.Name)
	}
	return config.Load(config.Options{File: f.file, Project: project, Names: names})
}

// smellOptions are the configuration of the built-in smells.
func smellOptions(c config.Config) smells.Options {
	o := smells.Options{Thresholds: c.Thresholds}
	o.Rules, o.Off = switches(c.Rules)
	return o
}

// claimOptions are the configuration of claims from syntax.
func claimOptions(c config.Config) (o symbolic.Options) {
	o.Rules, o.Off = switches(c.ClaimRules)
	return o
}

// switches returns the rules that are switched on, and those that are switched off.
func switches(rules map[string]bool) (on, off []string) {
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		if rules[id] {
			on = append(on, id)
		} else {
			off = append(off, id)
		}
	}
	return on, off
}

// toolOptions are the configuration of external tools.
func toolOptions(t config.Tools) analyzers.Options {
	o := analyzers.Options{Paths: make(map[string]string, len(t.Paths)), Timeout: t.Timeout}
	for tool, path := range t.Paths {
		o.Paths[tool] = path.Value
	}
	for _, dir := range t.NodeModules {
		o.NodeModules = append(o.NodeModules, dir.Value)
	}
	return o
}
