package setup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"crscore/analyzers"
	"crscore/internal/config"
	"crscore/internal/git"
	"crscore/internal/limits"
	"crscore/pseudoref/symbolic"
	"crscore/smells"
)

// Files choose the configuration files.
type Files struct {
	// User is the user's file; empty means the usual one. None ignores all files.
	User string
	None bool
}

// Load reads the configuration for an input. The project's file for a range of git is that of the
// commit that the change starts from: the change may have written the file of the work tree. A
// diff has no such commit, so no project's file is read beside it, nor for what is no part of a
// project.
func (f Files) Load(ctx context.Context, from Input, rng string, log Log) (config.Config, error) {
	if f.None {
		return config.Config{}, nil
	}
	opts, base := config.Options{File: f.User, Names: names()}, (*config.Source)(nil)
	switch from {
	case Paths:
		opts.Project = config.InWorkTree
	case Tree:
		opts.Project = func() (_ *config.Source, err error) {
			base, err = baseConfig(ctx, rng)
			return base, err
		}
	}
	c, err := config.Load(opts)
	if err != nil || from != Tree && from != Diff {
		return c, err
	}
	if slices.ContainsFunc(c.Files, func(file config.File) bool { return file.Project && file.InTree }) {
		return c, nil
	}
	here, err := config.InWorkTree()
	if here == nil {
		return c, nil
	}
	instead := "a diff has no file of its own"
	if from == Tree {
		if base != nil && err == nil && bytes.Equal(base.Text, here.Text) {
			return c, nil
		}
		instead = "the file of the commit before the change counts"
	}
	path := here.Path
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = rel
		}
	}
	log.Note(fmt.Sprintf("%s of the work tree is not read, since the change may have written it (%s); --config %s reads it", config.ProjectFile, instead, path))
	return c, nil
}

// names are those that a file may use.
func names() config.Names {
	names := config.Names{Rules: []string{smells.AllRules}, ClaimRules: []string{symbolic.AllRules}}
	for _, r := range symbolic.Rules() {
		names.ClaimRules = append(names.ClaimRules, r.ID)
	}
	for _, r := range smells.Rules() {
		names.Rules = append(names.Rules, r.ID)
		if r.Unit != "" {
			names.Thresholds = append(names.Thresholds, r.ID)
		}
	}
	for _, t := range analyzers.All() {
		names.Tools = append(names.Tools, t.Name)
	}
	return names
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

// SmellOptions are the configuration of the built-in smells.
func SmellOptions(c config.Config) smells.Options {
	o := smells.Options{Thresholds: c.Thresholds}
	o.Rules, o.Off = switches(c.Rules)
	return o
}

// ClaimOptions are the configuration of claims from syntax.
func ClaimOptions(c config.Config) (o symbolic.Options) {
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

// Tools say where analyzers are found and how long they may take.
type Tools struct {
	// Paths are programs by the name of the analyzer.
	Paths map[string]string
	// NodeModules are folders with analyzers.
	NodeModules []string
	// Timeout bounds a run.
	Timeout time.Duration
}

// Options are the places of t, and after them those of the configuration.
func (t Tools) Options(c config.Tools) (o analyzers.Options, err error) {
	o = analyzers.Options{
		Paths: make(map[string]string, len(c.Paths)), NodeModules: slices.Clone(t.NodeModules), Timeout: cmp.Or(t.Timeout, c.Timeout),
	}
	for tool, path := range c.Paths {
		o.Paths[tool] = path.Value
	}
	for _, dir := range c.NodeModules {
		o.NodeModules = append(o.NodeModules, dir.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Paths)) {
		if _, ok := analyzers.Lookup(name); !ok {
			return o, fmt.Errorf("--tool: there is no analyzer %q", name)
		}
		o.Paths[name] = t.Paths[name]
	}
	return o, nil
}
