package hostile

import (
	"fmt"
	"go/build"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"crscore/internal/lang"
)

// Limits of a corpus.
const (
	minFile, maxFile = 200, 48 << 10 // bytes
	maxFiles         = 300           // of a language
	maxInFolder      = 5             // of a language
)

// Corpus is source files by language.
type Corpus struct {
	langs []lang.Name
	files map[lang.Name][]string
}

// Roots are the folders of a machine that usually hold source files.
func Roots() []string {
	home, _ := os.UserHomeDir()
	roots := []string{filepath.Join(build.Default.GOROOT, "src"), filepath.Join(build.Default.GOPATH, "pkg/mod"),
		"/usr/include", "/usr/lib", "/usr/local/lib", "/usr/share", "/opt"}
	for _, dir := range []string{".rustup", ".cargo/registry/src", ".pyenv/versions", ".npm", ".cache/crscore", ".m2"} {
		roots = append(roots, filepath.Join(home, dir))
	}
	return roots
}

// Collect reads the source files in folders, in their order. It leaves out folders that it
// cannot read. A language without a file gets its Sample.
func Collect(roots ...string) *Corpus {
	c := &Corpus{files: map[lang.Name][]string{}}
	inFolder := map[string]int{}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			l := lang.FromPath(path)
			folder := string(l) + " " + filepath.Dir(path)
			if l == lang.Unknown || len(c.files[l]) >= maxFiles || inFolder[folder] >= maxInFolder {
				return nil
			}
			if info, err := d.Info(); err != nil || info.Size() < minFile || info.Size() > maxFile {
				return nil
			}
			if b, err := os.ReadFile(path); err == nil && utf8.Valid(b) && !strings.Contains(string(b), "\x00") {
				inFolder[folder]++
				c.files[l] = append(c.files[l], string(b))
			}
			return nil
		})
	}
	for _, t := range Languages {
		if len(c.files[t.Lang]) == 0 {
			c.files[t.Lang] = []string{t.Sample()}
		}
	}
	for _, l := range lang.Names() {
		if len(c.files[l]) > 0 {
			c.langs = append(c.langs, l)
		}
	}
	return c
}

// String returns the numbers of files.
func (c *Corpus) String() string {
	var s []string
	for _, l := range c.langs {
		s = append(s, fmt.Sprintf("%s %d", l, len(c.files[l])))
	}
	return strings.Join(s, ", ")
}

// Files returns the texts of the files of a language.
func (c *Corpus) Files(l lang.Name) []string { return c.files[l] }

// draw draws a language and one of its files. Three of four have a grammar.
func (c *Corpus) draw(r *rand.Rand) (lang.Name, string) {
	l := c.langs[r.IntN(len(c.langs))]
	if r.IntN(4) > 0 {
		l = Languages[r.IntN(len(Languages))].Lang
	}
	return l, c.files[l][r.IntN(len(c.files[l]))]
}

// Row returns a random change: the same for the same corpus, seed and number.
func (c *Corpus) Row(seed, number uint64) Row {
	r := rand.New(rand.NewPCG(seed, number))
	var files []file
	for n := max(1, r.IntN(14)-9); len(files) < n; {
		l, text := c.draw(r)
		_, other := c.draw(r)
		x := file{lang: l, path: fmt.Sprintf("%s/file%d%s", []string{"src", "tests", "a b"}[r.IntN(3)], len(files), l.Ext())}
		x.old, x.new = versions(r, text, other)
		files = append(files, x)
	}
	return randomForm(r).row(fmt.Sprintf("seed %d row %d", seed, number), files...)
}

// versions draws the texts of a file before and after a change.
func versions(r *rand.Rand, text, other string) (before, after string) {
	mutant := Mutate(r, text, other)
	switch r.IntN(10) {
	case 0: // added
		before, after = "", mutant
	case 1: // removed
		before, after = mutant, ""
	case 2, 3: // mended
		before, after = mutant, text
	case 4, 5: // both are broken
		before, after = mutant, Mutate(r, mutant, other)
	default:
		before, after = text, mutant
	}
	if before == after {
		after += "x = y\n"
	}
	return before, after
}
