package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The modules with C code of other projects in them.
const (
	treeSitter = "github.com/smacker/go-tree-sitter"
	sqlite     = "github.com/mattn/go-sqlite3"
)

// unicode has the licence of Unicode's headers, which tree-sitter has in it; the module that is
// linked does not.
const unicode, unicodeVersion = "github.com/tree-sitter/go-tree-sitter", "v0.24.0"

// grammars are facts about tree-sitter's grammars: the module has their code, but not their
// licences. All are under MIT's. The copyright lines stand in the LICENSE files of the
// projects at that revision, or at the next release that npm has (golang and rust 0.21.0,
// python 0.25.0, scala 0.24.0, swift 0.5.0); the runtime's line is in npm's tree-sitter 0.21.1.
// The module says which revision it has; another one has to be looked at again.
var grammars = map[string]struct {
	revision  string // the first digits
	copyright []string
}{
	"bash":       {"f3f26f47a126", []string{"2017 Max Brunsfeld"}},
	"c":          {"deca017a5540", []string{"2014 Max Brunsfeld"}},
	"cpp":        {"0b4aa47f07d9", []string{"2014 Max Brunsfeld"}},
	"csharp":     {"31a64b28292a", []string{"2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors."}},
	"golang":     {"6204b7308a32", []string{"2014 Max Brunsfeld"}},
	"java":       {"953abfc8bb3e", []string{"2017 Ayman Nadeem"}},
	"javascript": {"d767b1a276a4", []string{"2014 Max Brunsfeld"}},
	"kotlin":     {"e1a2d5ad1f61", []string{"2019 fwcd"}},
	"php":        {"c07d69739ba7", []string{"2017 Josh Vera, GitHub", "2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White"}},
	"python":     {"346fa42dc299", []string{"2016 Max Brunsfeld"}},
	"ruby":       {"a8eed3d73379", []string{"2016 Rob Rix"}},
	"rust":       {"043521460220", []string{"2017 Maxim Sokolov"}},
	"scala":      {"d9017869dda7", []string{"2018 Max Brunsfeld and GitHub"}},
	"swift":      {"57c1c6d6ffa1", []string{"2021 alex-pinkus"}},
	"typescript": {"9f804be960f2", []string{"2017 Max Brunsfeld"}},
}

var (
	grammarCall = regexp.MustCompile(regexp.QuoteMeta(treeSitter) + `/(\w+)(?:/\w+)?\._Cfunc_tree_sitter_`)
	notice      = regexp.MustCompile(`(?m)^Copyright .*$`)
)

// grammars lists tree-sitter's runtime and the grammars that are linked. mit is a text of
// MIT's licence, unicode the folder with Unicode's.
func (b *binary) grammars(dir, mit, unicode string) ([]part, error) {
	if notice.FindString(mit) == "" {
		return nil, fmt.Errorf("LICENSE has no line of copyright")
	}
	text := func(holders ...string) string {
		return notice.ReplaceAllLiteralString(mit, "Copyright (c) "+strings.Join(holders, "\nCopyright (c) "))
	}
	headers, err := os.ReadFile(filepath.Join(unicode, "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("the licence of Unicode's headers: %w", err)
	}
	list := []part{{
		name: "tree-sitter", from: "https://github.com/tree-sitter/tree-sitter, in " + treeSitter, purl: "pkg:github/tree-sitter/tree-sitter",
		licence: "MIT AND Unicode-DFS-2016", texts: []string{text("2018-2024 Max Brunsfeld"), string(headers)},
	}}

	file, err := os.ReadFile(filepath.Join(dir, "_automation", "grammars.json"))
	if err != nil {
		return nil, err
	}
	type source struct{ Language, URL, Revision string }
	var sources []source
	if err := json.Unmarshal(file, &sources); err != nil {
		return nil, fmt.Errorf("grammars of %s: %w", treeSitter, err)
	}
	linked := map[string]bool{}
	for _, m := range grammarCall.FindAllSubmatch(b.code, -1) {
		linked[string(m[1])] = true
	}
	if len(linked) == 0 {
		return nil, fmt.Errorf("%s is linked, but no grammar", treeSitter)
	}
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		fact, ok := grammars[name]
		if !ok {
			return nil, fmt.Errorf("grammar %s: its licence is not known: add it to the table in c.go", name)
		}
		i := slices.IndexFunc(sources, func(s source) bool { return s.Language == name })
		if i < 0 {
			return nil, fmt.Errorf("grammar %s: %s does not say where it comes from", name, treeSitter)
		}
		s := sources[i]
		if !strings.HasPrefix(s.Revision, fact.revision) {
			return nil, fmt.Errorf("grammar %s is of revision %s, and the licence of %s: look at it again", name, s.Revision, fact.revision)
		}
		list = append(list, part{
			name: "tree-sitter grammar " + name, version: s.Revision, from: s.URL + ", in " + treeSitter,
			purl:    purl("github/"+strings.TrimPrefix(s.URL, "https://github.com/"), s.Revision),
			licence: "MIT", texts: []string{text(fact.copyright...)},
		})
	}
	return list, nil
}

var (
	sqliteVersion  = regexp.MustCompile(`(?m)^#define SQLITE_VERSION\s+"([\d.]+)"`)
	sqliteBlessing = regexp.MustCompile(`(?s)\*\* The author disclaims copyright.*?\*\*\*`)
)

// sqlite is SQLite's C code. It is in the public domain.
func (b *binary) sqlite(dir string) ([]part, error) {
	header, err := os.ReadFile(filepath.Join(dir, "sqlite3-binding.h"))
	if err != nil {
		return nil, err
	}
	version, blessing := sqliteVersion.FindSubmatch(header), sqliteBlessing.Find(header)
	if version == nil || blessing == nil {
		return nil, fmt.Errorf("%s: the header of SQLite has no version or no blessing", sqlite)
	}
	return []part{{
		name: "SQLite", version: string(version[1]), from: "https://sqlite.org, in " + sqlite, purl: purl("generic/sqlite", string(version[1])),
		licence: "blessing", texts: []string{strings.TrimSuffix(string(blessing), "***")},
	}}, nil
}

// compilers are the compilers of C by system, with the file of their static library and its licence. macOS
// links no library statically.
var compilers = map[string]struct{ cc, file, licence string }{
	"darwin/amd64": {}, "darwin/arm64": {},
	"linux/amd64":   {"x86_64-linux-gnu-gcc", "libc.a", "LGPL-2.1-or-later"},
	"linux/arm64":   {"aarch64-linux-gnu-gcc", "libc.a", "LGPL-2.1-or-later"},
	"windows/amd64": {"x86_64-w64-mingw32-gcc", "libmingw32.a", "ZPL-2.1"},
}

// libraries are the libraries of the C compiler that static binaries contain.
func (b *binary) libraries() ([]part, error) {
	target := b.setting("GOOS") + "/" + b.setting("GOARCH")
	c, ok := compilers[target]
	if !ok {
		return nil, fmt.Errorf("the C libraries of %s are not known", target)
	}
	if c.cc == "" {
		return nil, nil
	}
	own, err := debian(c.cc, c.file, c.licence)
	if err != nil {
		return nil, err
	}
	gcc, err := debian(c.cc, "libgcc.a", "GPL-3.0-or-later WITH GCC-exception-3.1")
	return []part{own, gcc}, err
}

// debian describes the file of a compiler's library. Its package has the licence.
func debian(cc, file, licence string) (part, error) {
	found, err := output("sh", "-euc", `file=$(realpath "$("$0" -print-file-name="$1")")
owner=$(dpkg-query --search "$file") && owner=${owner%%: *}
echo "${owner%%:*} $(dpkg-query --show --showformat='${Version}' "$owner")"`, cc, file)
	if err != nil {
		return part{}, err
	}
	name, version, _ := strings.Cut(found, " ")
	text, err := os.ReadFile(filepath.Join("/usr/share/doc", name, "copyright"))
	if err != nil {
		return part{}, err
	}
	p := part{
		name: name, version: version, from: file + " of Debian", purl: purl("deb/debian/"+name, version),
		licence: licence, texts: []string{string(text)},
	}
	for _, common := range commonLicence(string(text)) {
		text, err := os.ReadFile(common)
		if err != nil {
			return part{}, err
		}
		p.texts = append(p.texts, string(text))
	}
	return p, nil
}

var commonLicences = regexp.MustCompile(`/usr/share/common-licenses/[A-Za-z]+-[\d.]*\d`)

// commonLicence lists the files that a copyright file of Debian refers to.
func commonLicence(text string) []string {
	files := commonLicences.FindAllString(text, -1)
	slices.Sort(files)
	return slices.Compact(files)
}
