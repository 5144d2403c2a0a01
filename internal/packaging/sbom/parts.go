package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// part is a thing with a licence that is in a binary.
type part struct {
	name, version, purl string
	from                string // where it comes from, if the name does not say it
	licence             string // an expression of SPDX
	texts               []string
}

func (p *part) title() string { return strings.TrimSpace(p.name + " " + p.version) }

// purl is the package URL of a version; its + is %2B there.
func purl(name, version string) string {
	return "pkg:" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// binary is a program of Go that has been built.
type binary struct {
	info *debug.BuildInfo
	code []byte

	version, commit, time string
}

func open(name string) (*binary, error) {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &binary{info: info, code: code}, nil
}

func (b *binary) setting(key string) string {
	for _, s := range b.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// has says whether functions of a package, or of one below it, are in the binary.
func (b *binary) has(pkg string) bool {
	return bytes.Contains(b.code, []byte(pkg+".")) || bytes.Contains(b.code, []byte(pkg+"/"))
}

// parts lists the code and the data in the binary, the command first.
func (b *binary) parts() ([]part, error) {
	own, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	std, err := b.std()
	if err != nil {
		return nil, err
	}
	list := []part{{name: "crscore", version: b.version, licence: "MIT", texts: []string{string(own)}}, std}
	for _, m := range b.info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		dir, err := moduleDir(m.Path, m.Version)
		if err != nil {
			return nil, err
		}
		p, err := b.module(m.Path, m.Version, dir)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
		var more []part
		switch m.Path {
		case treeSitter:
			var headers string
			if headers, err = moduleDir(unicode, unicodeVersion); err == nil {
				more, err = b.grammars(dir, string(own), filepath.Join(headers, "src", "unicode"))
			}
		case sqlite:
			more, err = b.sqlite(dir)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	libraries, err := b.libraries()
	return append(list, libraries...), err
}

// std is Go's own library and runtime.
func (b *binary) std() (part, error) {
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return part{}, err
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(b.info.GoVersion, "go"), "-")
	p := part{name: "Go's standard library", version: version, purl: purl("golang/std", version), licence: "BSD-3-Clause"}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return part{}, err
		}
		p.texts = append(p.texts, string(text))
	}
	return p, nil
}

// moduleDir is the folder of a module in the module cache.
func moduleDir(module, version string) (string, error) {
	out, err := output("go", "mod", "download", "-json", module+"@"+version)
	var m struct{ Dir, Error string }
	if uerr := json.Unmarshal([]byte(out), &m); err == nil && uerr != nil {
		err = uerr
	}
	if err != nil || m.Error != "" {
		return "", fmt.Errorf("module %s %s: %s %w", module, version, m.Error, err)
	}
	return m.Dir, nil
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([-_.].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents)(\.txt|\.md)?$`)
)

// module reads the licences in a module's folder, and in those below it that are linked.
func (b *binary) module(module, version, dir string) (part, error) {
	p := part{name: module, version: version, purl: purl("golang/"+module, version)}
	var ids []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		base, folder := path.Base(name), path.Dir(name)
		licence := licenceFile.MatchString(base) && path.Ext(base) != ".go"
		if !licence && !noticeFile.MatchString(base) || folder != "." && !b.has(module+"/"+folder) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		p.texts = append(p.texts, string(text))
		if licence {
			found := identify(string(text))
			if len(found) == 0 {
				return fmt.Errorf("the licence in %s is not known", name)
			}
			ids = append(ids, found...)
		}
		return nil
	})
	if err == nil && len(ids) == 0 {
		err = errors.New("there is no licence")
	}
	if err != nil {
		return part{}, fmt.Errorf("module %s %s: %w", module, version, err)
	}
	p.licence = all(ids)
	return p, nil
}

// all is the expression of SPDX for texts that all hold.
func all(ids []string) string {
	slices.Sort(ids)
	return strings.Join(slices.Compact(ids), " AND ")
}

// phrases tell licences: a text with both phrases has the licence.
var phrases = []struct{ id, first, second string }{
	{"Apache-2.0", "apache license", "version 2 0"},
	{"BSD-3-Clause", "redistribution and use in source and binary forms", "endorse or promote products"},
	{"ISC", "permission to use copy modify and or distribute this software for any purpose with or without fee", "copyright"},
	{"MIT", "permission is hereby granted free of charge to any person obtaining a copy of this software and associated documentation files",
		"the above copyright notice and this permission notice shall be included"},
	{"MPL-2.0", "mozilla public license version 2 0", "covered software"},
	{"OFL-1.1", "sil open font license version 1 1", "the font software"},
	{"Unlicense", "this is free and unencumbered software released into the public domain", ""},
}

var noWord = regexp.MustCompile(`[^\pL\pN]+`)

// identify returns the SPDX identifiers of the licences in a text.
func identify(text string) (ids []string) {
	text = noWord.ReplaceAllString(strings.ToLower(text), " ")
	for _, l := range phrases {
		if strings.Contains(text, l.first) && strings.Contains(text, l.second) {
			ids = append(ids, l.id)
		} else if l.id == "BSD-3-Clause" && strings.Contains(text, l.first) {
			ids = append(ids, "BSD-2-Clause")
		}
	}
	return ids
}

// output runs a program and returns its output.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", cmd, err, bytes.TrimSpace(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}
