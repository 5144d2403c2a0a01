package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/change"
	"crscore/internal/git"
	"crscore/internal/lang"
	"crscore/internal/run"
	"crscore/internal/setup"
	"crscore/internal/stdio"
	"crscore/smells"
)

// changeFlags choose the change under review.
type changeFlags struct {
	diff, rng, path, lang, old, new string
	recount                         bool
}

func (f *changeFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.diff, "diff", "", "unified diff: a `FILE`, or - for standard input")
	fl.StringVar(&f.rng, "range", "", "ask git for the diff of `A..B` (default: of the work tree against HEAD)")
	fl.StringVar(&f.path, "path", "", "`PATH` of the file that bare @@ hunks belong to, or a diff without names")
	fl.BoolVar(&f.recount, "recount", false, "take the lines of a hunk as they stand where its header has other numbers")
	fl.StringVar(&f.lang, "lang", "", "`LANGUAGE` of a change whose paths do not tell it: python, java, js, ...")
	fl.StringVar(&f.old, "old", "", "`FILE` with the whole old text, for a diff of one file: better claims")
	fl.StringVar(&f.new, "new", "", "`FILE` with the whole new text, for a diff of one file: better claims")
	cmd.MarkFlagsMutuallyExclusive("diff", "range")
}

// names are the flags of add, for the commands that exclude them.
func (changeFlags) names() []string {
	return []string{"diff", "range", "path", "lang", "old", "new", "recount"}
}

// input is where the change is from, a diff or a range of git.
func (f *changeFlags) input() (from setup.Input, rng string, err error) {
	switch {
	case f.diff != "":
		return setup.Diff, "", nil
	case f.old != "" || f.new != "":
		err = errors.New("--old and --new need --diff: for a range, git has the texts")
	}
	return setup.Tree, f.rng, err
}

// read returns the change.
func (f *changeFlags) read(cmd *cobra.Command, stdin *stdio.Input) (crscore.Input, error) {
	if _, _, err := f.input(); err != nil {
		return crscore.Input{}, err
	}
	opts := change.Options{Path: f.path, Recount: f.recount}
	if f.lang != "" {
		l, ok := lang.Lookup(f.lang)
		if !ok {
			return crscore.Input{}, fmt.Errorf("--lang: unknown language %q: choose one of %s", f.lang, lang.Join(lang.Names()))
		}
		opts.Lang = l
	}
	if f.diff == "" {
		c, err := git.Change(cmd.Context(), f.rng, opts)
		before, after := git.Trees(f.rng)
		return crscore.Input{Change: c, Project: &smells.Project{Old: before, New: after}}, err
	}
	if err := oneStdin(f.diff, f.old, f.new); err != nil {
		return crscore.Input{}, err
	}
	for _, whole := range []struct {
		name string
		dst  **string
	}{{f.old, &opts.Old}, {f.new, &opts.New}} {
		if whole.name == "" {
			continue
		}
		b, err := stdin.ReadFile(whole.name, change.DefaultMaxBytes)
		if err != nil {
			return crscore.Input{}, err
		}
		text := string(b)
		*whole.dst = &text
	}
	b, err := stdin.ReadFile(f.diff, change.DefaultMaxBytes)
	if err != nil {
		return crscore.Input{}, err
	}
	c, err := change.Parse(b, opts)
	switch {
	case errors.Is(err, change.ErrCounts):
		return crscore.Input{}, fmt.Errorf("%s: %w (--recount takes the lines as they stand)", stdio.Name(f.diff), err)
	case err != nil:
		return crscore.Input{}, fmt.Errorf("%s: %w", stdio.Name(f.diff), err)
	}
	return crscore.Input{Change: c}, nil
}

// allRead returns an error if files of the change could not be read: the result is about the
// others. The warnings name them.
func allRead(leftOut int) error {
	if leftOut == 0 {
		return nil
	}
	return run.Incomplete{Err: fmt.Errorf("incomplete: files of the change that could not be read: %d", leftOut)}
}

// reviewText is a review from the command line, with its name in the output.
type reviewText struct{ name, text string }

// readReviews reads the values of --review: a text, @FILE, or - for standard
// input.
func readReviews(values []string, stdin *stdio.Input, stdinTaken bool) ([]reviewText, error) {
	var out []reviewText
	used := map[string]int{}
	for i, v := range values {
		r := reviewText{name: fmt.Sprint(i + 1), text: v}
		file, isFile := strings.CutPrefix(v, "@")
		if v == "-" {
			if stdinTaken {
				return nil, errors.New("only one flag can read standard input")
			}
			file, isFile, stdinTaken = "-", true, true
		}
		if st, err := os.Stat(v); !isFile && err == nil && !st.IsDir() {
			return nil, fmt.Errorf("--review %s is the text itself, and there is a file of that name: give --review @%[1]s for the file, or the text through --review - or in another file", v)
		}
		if isFile {
			b, err := stdin.ReadFile(file, crscore.MaxReviewBytes)
			if err != nil {
				return nil, fmt.Errorf("--review: %w", err)
			}
			r.text = string(bytes.TrimPrefix(b, []byte("\ufeff")))
			if file != "-" {
				r.name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			}
		}
		used[r.name]++
		if n := used[r.name]; n > 1 {
			r.name = fmt.Sprintf("%s (%d)", r.name, n)
		}
		out = append(out, r)
	}
	return out, nil
}
