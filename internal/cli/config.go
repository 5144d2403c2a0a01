package cli

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"crscore/analyzers"
	"crscore/internal/config"
	"crscore/internal/git"
	"crscore/internal/limits"
	"crscore/internal/terminal"
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
	fl.BoolVar(&f.none, "no-config", false, "ignore your settings and the "+config.ProjectFile+" of the project")
	cmd.MarkFlagsMutuallyExclusive("config", "no-config")
}

func (configFlags) names() []string { return []string{"config", "no-config"} }

// ofChange reads the configuration for a command about one change. The project's file is
// that of the commit that the change starts from. A diff has no such commit, so no project's
// file is read beside it. The change may have written the file of the work tree.
func (f *configFlags) ofChange(cmd *cobra.Command, ch *changeFlags) (config.Config, error) {
	if err := ch.check(cmd); err != nil {
		return config.Config{}, err
	}
	var base *config.Source
	byDiff := ch.diff != ""
	c, err := f.load(cmd, func() (_ *config.Source, err error) {
		if !byDiff {
			base, err = baseConfig(cmd.Context(), ch.rng)
		}
		return base, err
	})
	if err != nil || f.none || slices.ContainsFunc(c.Files, func(file config.File) bool { return file.Project && file.InTree }) {
		return c, err
	}
	here, err := config.InWorkTree()
	if here == nil {
		return c, nil
	}
	instead := "a diff has no file of its own"
	if !byDiff {
		if base != nil && err == nil && bytes.Equal(base.Text, here.Text) {
			return c, nil
		}
		instead = "the file of the commit before the change counts"
	}
	terminal.LogOf(cmd).Note(fmt.Sprintf("%s of the work tree is not read, since the change may have written it (%s); --config %s reads it", config.ProjectFile, instead, fromHere(here.Path)))
	return c, nil
}

// fromHere returns a path as seen from the current directory, where it can be.
func fromHere(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return rel
}

// ofTree are warnings about settings that the change itself may have made.
func ofTree(c config.Config) (warnings []string) {
	for _, f := range c.Files {
		if f.InTree {
			warnings = append(warnings, fmt.Sprintf("the settings of %s shaped this result; it lies in the work tree, so the change may have written it", f.Path))
		}
	}
	return warnings
}

// load reads the configuration. project gives the project's file; nil reads none.
func (f *configFlags) load(cmd *cobra.Command, project func() (*config.Source, error)) (config.Config, error) {
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

// baseConfig reads the project's file of the commit that the diff of a range starts from, nil
// where that commit has none.
func baseConfig(ctx context.Context, rng string) (*config.Source, error) {
	ctx, cancel := context.WithTimeout(ctx, git.Timeout)
	defer cancel()
	r, err := git.Open(ctx)
	if err != nil {
		return nil, err
	}
	base, err := r.Base(ctx, rng)
	if err != nil {
		return nil, err
	}
	text, err := r.File(ctx, base, config.ProjectFile, limits.ConfigBytes)
	if err != nil {
		return nil, fmt.Errorf("reading %s of the commit before the change: %w (--no-config reads no settings)", config.ProjectFile, err)
	}
	if text == nil {
		return nil, nil
	}
	path := base[:min(len(base), 12)] + ":" + config.ProjectFile
	return &config.Source{File: config.File{Path: path, Project: true}, Text: text}, nil
}
