// Package cases reads archives of small changes with the claims about them, which are the
// tests of the rules and the examples that explain them.
//
// Rules and sentences may not come in.
package cases

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/pseudoref"
)

// Case is one change of an archive. There it is "PATH old" and "PATH new", the whole
// texts, or "PATH diff", hunks or a git diff alone; and "PATH want", the claims.
type Case struct {
	// Path is the path of the changed file.
	Path string
	// Diff is a unified diff of the change, Want the lines of its claims.
	Diff, Want string
	// Inputs are the files of the archive from which Diff was made.
	Inputs []txtar.File
	// Options have the path and, where they are known, the whole texts.
	Options change.Options
}

// All reads the archives of a file system, in the order of their names.
func All(from fs.FS) ([]Case, error) {
	names, err := fs.Glob(from, "*/*.txtar")
	if err != nil {
		return nil, fmt.Errorf("looking for the cases of claims: %w", err)
	}
	var out []Case
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("reading the cases of claims: %w", err)
		}
		found, err := Read(txtar.Parse(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// Read returns the cases of an archive in their order. The parts of a case follow each other.
func Read(ar *txtar.Archive) ([]Case, error) {
	var out []Case
	for _, f := range ar.Files {
		path, part, _ := strings.Cut(f.Name, " ")
		if len(out) == 0 || out[len(out)-1].Path != path {
			out = append(out, Case{Path: path, Options: change.Options{Path: path}})
		}
		c, text := &out[len(out)-1], string(f.Data)
		switch part {
		case "old":
			c.Options.Old = &text
		case "new":
			c.Options.New = &text
		case "diff":
			c.Diff = text
		case "want":
			c.Want = text
			continue
		default:
			return nil, fmt.Errorf("the name %q does not end in old, new, diff or want", f.Name)
		}
		c.Inputs = append(c.Inputs, f)
	}
	for i := range out {
		if c := &out[i]; c.Options.Old != nil && c.Options.New != nil {
			made := string(diff.Diff("a/"+c.Path, []byte(*c.Options.Old), "b/"+c.Path, []byte(*c.Options.New)))
			_, c.Diff, _ = strings.Cut(made, "\n") // without its header line "diff a b", which is not git's
		}
	}
	return out, nil
}

var (
	wanted     = regexp.MustCompile(`(?m)^(\w+) (\S+?)(?: (old|new) (\d+)-(\d+))?: (.*)$`)
	hunkHeader = regexp.MustCompile(`(?m)^@@ -`)
)

// Claims returns the claims of one rule that the case wants.
func (c *Case) Claims(rule string) (out []pseudoref.Ref) {
	for _, m := range wanted.FindAllStringSubmatch(c.Want, -1) {
		if m[2] == rule {
			r := pseudoref.Ref{Kind: pseudoref.Kind(m[1]), Rule: rule, Path: c.Path, Side: m[3], Text: m[6]}
			r.StartLine, _ = strconv.Atoi(m[4]) // 0 for a claim about no lines
			r.EndLine, _ = strconv.Atoi(m[5])
			out = append(out, r)
		}
	}
	return out
}

// Around returns the hunks of Diff that claims are about. It returns all if the claims are
// about none, and the whole Diff if the change has several files.
func (c *Case) Around(claims []pseudoref.Ref) string {
	at := hunkHeader.FindAllStringIndex(c.Diff, -1)
	parsed, err := change.Parse([]byte(c.Diff), c.Options)
	if err != nil || len(at) == 0 || len(parsed.Files) != 1 || len(parsed.Files[0].Hunks) != len(at) {
		return c.Diff
	}
	shown := ""
	for i, h := range parsed.Files[0].Hunks {
		end := len(c.Diff)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if slices.ContainsFunc(claims, func(r pseudoref.Ref) bool { return about(r, &h) }) {
			shown += c.Diff[at[i][0]:end]
		}
	}
	return cmp.Or(shown, c.Diff[at[0][0]:])
}

// about tells whether a claim is about lines of a hunk.
func about(r pseudoref.Ref, h *change.Hunk) bool {
	return slices.ContainsFunc(h.Lines, func(l change.Line) bool {
		n := l.OldLine
		if r.Side == change.New.String() {
			n = l.NewLine
		}
		return n > 0 && r.StartLine <= n && n <= r.EndLine
	})
}
