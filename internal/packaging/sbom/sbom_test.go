package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// mit is the licence of this repository.
func mit(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A module without a licence, or with one that nobody knows, is an error.
func TestModules(t *testing.T) {
	b := &binary{code: []byte("example.org/m/linked.F example.org/m/deep/below.F")}
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string // the licence, or the error
	}{
		{"a licence", map[string]string{"LICENSE": mit(t)}, "MIT"},
		{"other names", map[string]string{"License.md": mit(t), "NOTICE": "x"}, "MIT"},
		{"of a linked folder", map[string]string{"COPYING": mit(t), "linked/LICENSE": "SIL Open Font License, Version 1.1 ... the Font Software"}, "MIT AND OFL-1.1"},
		{"of a folder above", map[string]string{"COPYING": mit(t), "deep/LICENSE": "SIL Open Font License, Version 1.1 ... the Font Software"}, "MIT AND OFL-1.1"},
		{"of a folder that is not linked", map[string]string{"LICENSE": mit(t), "other/LICENSE": "only for Mondays"}, "MIT"},
		{"none", map[string]string{"README.md": mit(t)}, "there is no licence"},
		{"a notice only", map[string]string{"NOTICE": mit(t)}, "there is no licence"},
		{"unknown", map[string]string{"LICENSE": "only for Mondays"}, "the licence in LICENSE is not known"},
		{"unknown, linked", map[string]string{"LICENSE": mit(t), "linked/LICENSE": "only for Mondays"}, "the licence in linked/LICENSE is not known"},
		{"a program", map[string]string{"license.go": mit(t)}, "there is no licence"},
	} {
		p, err := b.module("example.org/m", "v1.2.3", folder(t, test.files))
		if err != nil && !strings.HasSuffix(err.Error(), "module example.org/m v1.2.3: "+test.want) || err == nil && p.licence != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, p.licence, err, test.want)
		}
	}
}

// A grammar that the table lacks, or that has changed, is an error.
func TestGrammars(t *testing.T) {
	headers := folder(t, map[string]string{"LICENSE": "of Unicode"})
	const kotlin = `{"language":"kotlin","url":"https://github.com/fwcd/tree-sitter-kotlin","revision":"e1a2d5ad1f61f5740677183cd4125bb071cd2f30"}`
	call := func(name string) string { return treeSitter + "/" + name + "._Cfunc_tree_sitter_x\x00" }
	for _, test := range []struct{ name, code, sources, want string }{
		{"one", call("kotlin"), kotlin, ""},
		{"in a folder of its own", call("typescript/tsx"), `{"language":"typescript","url":"https://github.com/x/y","revision":"9f804be960f2aaaa"}`, ""},
		{"not in the table", call("kotlin") + call("cobol"), kotlin, "grammar cobol: its licence is not known: add it to the table in c.go"},
		{"another revision", call("kotlin"), strings.Replace(kotlin, "e1a2", "0000", 1), "look at it again"},
		{"of unknown origin", call("kotlin") + call("c"), kotlin, "does not say where it comes from"},
		{"none", "", kotlin, "is linked, but no grammar"},
		{"no list", call("kotlin"), "?", "invalid character"},
	} {
		b := &binary{code: []byte(test.code)}
		parts, err := b.grammars(folder(t, map[string]string{"_automation/grammars.json": "[" + test.sources + "]"}), mit(t), headers)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", test.name, err, test.want)
			}
			continue
		}
		if err != nil || len(parts) != 2 || parts[0].texts[1] != "of Unicode" {
			t.Errorf("%s: %+v, %v", test.name, parts, err)
		} else if text := parts[1].texts[0]; !slices.Equal(identify(text), []string{"MIT"}) || strings.Contains(text, "crscore") {
			t.Errorf("%s: the licence is %s", test.name, text)
		}
	}
	if _, err := (&binary{code: []byte(call("c"))}).grammars(t.TempDir(), mit(t), t.TempDir()); err == nil || !strings.Contains(err.Error(), "the licence of Unicode") {
		t.Errorf("without Unicode's licence: %v", err)
	}
}

// A plus sign of a version would be a blank in the URL of a package.
func TestPackageURL(t *testing.T) {
	p, err := (&binary{}).module("example.org/m", "v1.2.3+incompatible", folder(t, map[string]string{"LICENSE": mit(t)}))
	if err != nil || p.purl != "pkg:golang/example.org/m@v1.2.3%2Bincompatible" {
		t.Errorf("%s, %v", p.purl, err)
	}
}

func TestSQLite(t *testing.T) {
	header := "/*\n** The author disclaims copyright to this source code.\n** May you share freely.\n**********\n*/\n#define SQLITE_VERSION        \"3.53.4\"\n"
	parts, err := (&binary{}).sqlite(folder(t, map[string]string{"sqlite3-binding.h": header}))
	if err != nil || len(parts) != 1 || parts[0].version != "3.53.4" || !strings.Contains(parts[0].texts[0], "share freely") {
		t.Errorf("%+v, %v", parts, err)
	}
	if _, err := (&binary{}).sqlite(folder(t, map[string]string{"sqlite3-binding.h": "int x;"})); err == nil {
		t.Error("a header without a version has one")
	}
}

// TestLibraries: the C libraries follow the system of the binary, not of the machine.
func TestLibraries(t *testing.T) {
	target := func(os, arch string) *binary {
		return &binary{info: &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "GOOS", Value: os}, {Key: "GOARCH", Value: arch}}}}
	}
	if parts, err := target("darwin", "arm64").libraries(); err != nil || len(parts) != 0 {
		t.Errorf("darwin: %v, %v", parts, err)
	}
	if _, err := target("plan9", "386").libraries(); err == nil || !strings.Contains(err.Error(), "plan9/386") {
		t.Errorf("plan9: %v", err)
	}
	if got := commonLicence("see /usr/share/common-licenses/GPL-3. and `/usr/share/common-licenses/LGPL-2.1', /usr/share/common-licenses/GPL-3"); !slices.Equal(got,
		[]string{"/usr/share/common-licenses/GPL-3", "/usr/share/common-licenses/LGPL-2.1"}) {
		t.Errorf("common licences %q", got)
	}
}

// The same build has the same document, another one another number.
func TestBOM(t *testing.T) {
	write := func(code string) (s string, number string) {
		b := &binary{code: []byte(code), info: &debug.BuildInfo{}, time: "2026-01-02T03:04:05Z", commit: "c0ffee"}
		var out strings.Builder
		if err := writeBOM(&out, b, []part{{name: "crscore", version: "1.0.0", licence: "MIT"}, {name: "a", licence: "ISC"}}); err != nil {
			t.Fatal(err)
		}
		var bom struct {
			SerialNumber string
			Metadata     struct{ Timestamp string }
		}
		if err := json.Unmarshal([]byte(out.String()), &bom); err != nil || bom.Metadata.Timestamp != b.time {
			t.Fatalf("%v: %+v", err, bom)
		}
		return out.String(), bom.SerialNumber
	}
	one, first := write("x")
	two, _ := write("x")
	_, other := write("y")
	if one != two || first == other || !strings.HasPrefix(first, "urn:uuid:") {
		t.Errorf("documents %s and %s, numbers %s and %s", one, two, first, other)
	}
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Redistribution and use in source and binary forms, with or without modification":                                 "BSD-2-Clause",
		"Redistribution and use in\n * source and binary forms ... used to endorse or promote products derived":           "BSD-3-Clause",
		"Apache License\n  Version 2.0, January 2004":                                                                     "Apache-2.0",
		"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee. Copyright": "ISC",
		"GNU GENERAL PUBLIC LICENSE": "",
		"":                           "",
	} {
		if got := all(identify(text)); got != want {
			t.Errorf("%q has the licence %q, want %q", text, got, want)
		}
	}
}
